// How much is drawn of a large graph: all 20,000 lines at once are a blot.
import type { Drawn } from "./drawn";
import type { GraphEdge } from "../../verbs";

/** A graph with more nodes than this is drawn in two levels, and this many in view are near. */
export const MOST_NEAR = 2000;
const MOST_LINES = 2500;
const THICKEST = 3;

/** From afar: the relations that are among the thickest of both of their ends, and the thickest of each node, so that
 * none stands alone. */
export function keptAfar({ edgesOf }: Drawn): Set<GraphEdge> {
  const named = new Set<GraphEdge>();
  const kept = new Set<GraphEdge>();
  for (const edges of edgesOf.values()) {
    edges.slice(0, THICKEST).forEach((edge, at) => {
      if (at === 0 || named.has(edge)) kept.add(edge);
      named.add(edge);
    });
  }
  return kept;
}

/** Near: the relations between what is in view, the thickest if they are too many. */
export function keptNear({ edges }: Drawn, inView: Set<string>): Set<GraphEdge> {
  const kept = new Set<GraphEdge>();
  if (inView.size > MOST_NEAR) return kept;
  for (const edge of edges) {
    if (inView.has(edge.source_id) && inView.has(edge.target_id)) kept.add(edge);
    if (kept.size === MOST_LINES) break;
  }
  return kept;
}
