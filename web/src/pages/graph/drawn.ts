// The graph that is drawn and listed: what the service answered, with the path, without what is hidden.
import { firstWords } from "../../parts/card";
import type { GraphEdge, GraphNode, Neighbourhood, PathFound } from "../../verbs";

/** The service gives so many characters of a text. */
const TEXT_CHARACTERS = 80;

export interface DrawnNode extends GraphNode {
  name: string;
  /** How many of its relations are not in the picture. */
  more: number;
  isStart: boolean;
}

export interface Drawn {
  nodes: DrawnNode[];
  edges: GraphEdge[];
  byId: Map<string, DrawnNode>;
  /** The relations of each node, those of the path first, then the thickest. */
  edgesOf: Map<string, GraphEdge[]>;
  /** The nodes and relations of the path, in order. */
  path: { ids: Set<string>; edges: Set<GraphEdge> } | null;
}

export function drawnFrom(around: Neighbourhood, path: PathFound | null, starts: string[], hidden: string[]): Drawn {
  const gone = new Set(hidden);
  const first = new Set(starts);
  const byId = new Map<string, DrawnNode>();
  for (const node of [...around.nodes, ...(path?.nodes ?? [])]) {
    if (!gone.has(node.id) && !byId.has(node.id)) byId.set(node.id, { ...node, name: nameOf(node), more: 0, isStart: first.has(node.id) });
  }
  // The chain replaces the same relations of the neighbourhood, which come thickest first, as they are drawn.
  const chain = new Set(path?.edges.map(keyOf));
  const rest = chain.size > 0 ? around.edges.filter((edge) => !chain.has(keyOf(edge))) : around.edges;
  const edges = [...(path?.edges ?? []), ...rest].filter((edge) => byId.has(edge.source_id) && byId.has(edge.target_id));
  const edgesOf = new Map<string, GraphEdge[]>();
  for (const id of byId.keys()) edgesOf.set(id, []);
  for (const edge of edges) {
    edgesOf.get(edge.source_id)!.push(edge);
    if (edge.target_id !== edge.source_id) edgesOf.get(edge.target_id)!.push(edge);
  }
  for (const node of byId.values()) node.more = Math.max(0, node.degree - edgesOf.get(node.id)!.length);
  const found = path && path.nodes.length > 0 ? { ids: new Set(path.nodes.map((node) => node.id)), edges: new Set(path.edges) } : null;
  return { nodes: [...byId.values()], edges, byId, edgesOf, path: found };
}

export function nameOf(node: GraphNode): string {
  const name = firstWords(node.title ?? node.text, TEXT_CHARACTERS) || node.id;
  return node.title === null && [...node.text].length === TEXT_CHARACTERS ? `${name}…` : name;
}

export function otherEnd(edge: GraphEdge, id: string): string {
  return edge.source_id === id ? edge.target_id : edge.source_id;
}

export function matches(node: DrawnNode, wanted: string): boolean {
  return `${node.title ?? ""} ${node.text} ${node.id}`.toLowerCase().includes(wanted);
}

function keyOf(edge: GraphEdge): string {
  return `${edge.source_id} ${edge.target_id} ${edge.tag}`;
}
