// The answers of search and activate in one shape, for the cards.
import type { Called } from "../../api";
import type { ActiveContext, Factors, Node, Passage, SearchResult } from "../../verbs";

export interface Item {
  node: Node;
  passage?: Passage | null;
  replaces?: string[];
  heldUntil?: string | null;
  olderThan?: string | null;
  isDisputed?: boolean;
  why?: { reason: string; relevance: number | null; fit: number; graph: number; factors: Factors | null };
}

export interface Found {
  items: Item[];
  nothingFits: boolean;
  note: string | null;
  degraded: string[];
  rules: Node[];
  review: string | null;
  upkeep: string | null;
}

export function foundBy(called: Called<SearchResult> | Called<ActiveContext>): Called<Found> {
  const { answer } = called;
  return { ...called, answer: answer && ("hits" in answer ? ofSearch(answer) : ofContext(answer)) };
}

function ofSearch(answer: SearchResult): Found {
  const items = answer.hits.map((hit) => ({
    node: hit.node, passage: hit.passage, replaces: hit.replaces, heldUntil: hit.held_until, olderThan: hit.older_than,
    why: { reason: hit.reason, relevance: hit.relevance, fit: hit.fit ?? hit.score, graph: hit.graph, factors: hit.factors },
  }));
  return { items, nothingFits: answer.nothing_fits || items.length === 0, note: answer.note, degraded: answer.degraded, rules: [], review: null, upkeep: null };
}

function ofContext(answer: ActiveContext): Found {
  const items = answer.items.map((item) => ({
    node: item.node, passage: item.passage, replaces: item.replaces, heldUntil: item.held_until, olderThan: item.older_than, isDisputed: item.disputed_by.length > 0,
    ...(item.breakdown ? { why: { reason: item.reason, relevance: item.relevance, fit: item.breakdown.fit, graph: item.breakdown.graph, factors: item.breakdown.factors } } : {}),
  }));
  return { items, nothingFits: answer.nothing_fits || items.length === 0, note: answer.note, degraded: answer.degraded, rules: answer.rules, review: answer.review, upkeep: answer.upkeep };
}
