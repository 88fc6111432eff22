// What the address of a graph says: where it starts, how far it goes, what is left out, and what is chosen in it.
import { goWith, type Query } from "../../router";
import type { Node } from "../../verbs";

export type Kind = Node["kind"];
export const KINDS: Kind[] = ["memo", "claim", "fragment", "page", "entity"];
export const HOPS = [1, 2, 3];
export const LIMITS = [300, 1000, 5000];
/** A neighbourhood starts from so many at most. */
export const MAX_STARTS = 100;

export interface View {
  from: string[];
  hops: number;
  limit: number;
  tags: string[];
  kinds: Kind[];
  asOf: string | null;
  /** One end, or both ends of a path; one while the other is still to be chosen. */
  path: string[];
  hidden: string[];
  selected: string | null;
  find: string;
}

export function viewOf(query: URLSearchParams): View {
  const path = (query.get("path") ?? "").split("..").filter(Boolean).slice(0, 2);
  const from = list(query.get("from")).slice(0, MAX_STARTS);
  return {
    from: from.length > 0 ? from : path,
    hops: oneOf(HOPS, query.get("hops")),
    limit: oneOf(LIMITS, query.get("limit")),
    tags: list(query.get("tags")),
    kinds: KINDS.filter((kind) => list(query.get("kinds")).includes(kind)),
    asOf: query.get("as_of"),
    path,
    hidden: list(query.get("hidden")),
    selected: query.get("selected"),
    find: query.get("find") ?? "",
  };
}

/** Change a part of the view. What changes the picture is a step that Back undoes; what is chosen in it is not. */
export function change(part: Partial<View>): void {
  const query: Query = {};
  if (part.from) query["from"] = part.from.join(",");
  if (part.hops) query["hops"] = part.hops === HOPS[0] ? null : part.hops;
  if (part.limit) query["limit"] = part.limit === LIMITS[0] ? null : part.limit;
  if (part.tags) query["tags"] = part.tags.join(",");
  if (part.kinds) query["kinds"] = part.kinds.join(",");
  if (part.asOf !== undefined) query["as_of"] = part.asOf;
  if (part.path) query["path"] = part.path.length === 1 ? `${part.path[0]}..` : part.path.join("..");
  if (part.hidden) query["hidden"] = part.hidden.join(",");
  if (part.selected !== undefined) query["selected"] = part.selected;
  if (part.find !== undefined) query["find"] = part.find;
  const isLight = Object.keys(part).every((name) => name === "selected" || name === "find");
  const top = window.scrollY;
  goWith(query, { replace: isLight });
  window.scrollTo(0, top);
}

function list(text: string | null): string[] {
  return [...new Set((text ?? "").split(",").filter(Boolean))];
}

function oneOf(known: number[], text: string | null): number {
  return known.find((value) => String(value) === text) ?? known[0]!;
}
