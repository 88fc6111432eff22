// All that the page shows of one statement, read together, so that nothing moves once it is there.
import { useCall, type Called, type Refusal } from "../../api";
import { listed, useRows, type Row } from "../../sql";
import type { ClaimEvidence, EvidenceItem, History, MeasuredEdge, Node, NodeRef } from "../../verbs";
import { useFresh } from "./fresh";

/** What else the address asks for: a former version and the one it is compared with, a quote in its page, where a page
 * is read from, and how much of the longer lists. */
export interface Asked {
  version: number | null;
  compared: number | null;
  quote: string | null;
  from: number;
  isLong: boolean;
}

export interface About {
  node: Node;
  evidence: ClaimEvidence | null;
  history: History;
  edges: MeasuredEdge[];
  hasMoreEdges: boolean;
  names: Names;
  former: Node | null;
  compared: Node | null;
  passages: Passages | null;
  page: PageRows | null;
  weights: Row | null;
}

export type Names = Map<string, NodeRef>;

/** Passages of a page in their order, and the one that is quoted. */
export interface Passages {
  pageId: string;
  quote: string | null;
  rows: Row[];
  from: number;
  hasMore: boolean;
}

export interface PageRows {
  cites: Row[];
  citedBy: Row[];
  judgements: Row[];
}

const PASSAGES = 60;
// Parameters are texts that are not empty.
const NO_ID = "-";
const BEFORE_QUOTE = 6;
const AFTER_QUOTE = 10;
const MOST_NAMES = 150;
const PASSAGES_SQL =
  "select id, position, fragment_type, heading_context, text_content from fragments" +
  " where page_id = :page and coalesce(position, 0) >= cast(:first as integer) and coalesce(position, 0) <= cast(:last as integer) and (valid_to is null or id = :quote)" +
  " order by coalesce(position, 0), id";
const CITED = "p.id, p.title, p.url, p.year from edges e join pages p on p.id =";
const CITES_SQL = `select ${CITED} e.target_id where e.relation = 'cites' and e.source_id = :page order by p.year, p.id`;
const CITED_BY_SQL = `select ${CITED} e.source_id where e.relation = 'cites' and e.target_id = :page order by p.year, p.id`;
const JUDGEMENTS_SQL = "select claim_id, claim_text, fragment_id, relation from evidence where page_id = :page order by claim_text, claim_id";

export function useAbout(node: Node, asked: Asked): Called<About> {
  const { id, kind } = node;
  const isPage = kind === "page";
  const evidence = useFresh(useCall("claim_evidence", kind === "claim" ? { claim_id: id, limit: asked.isLong ? 500 : 50 } : null));
  const history = useFresh(useCall("history", { memo_id: id, limit: asked.isLong ? 100 : 20 }));
  const walk = useFresh(useCall("walk", { start_memo_id: id, depth: 1, limit: asked.isLong ? 500 : 40 }));
  const weights = useFresh(useRows(kind === "claim" ? "select support_weight, refute_weight from v_claim_evidence_summary where claim_id = :claim" : null, { claim: id }));
  const former = useFresh(useCall("get", asked.version ? { memo_id: id, version: asked.version } : null));
  const compared = useFresh(useCall("get", asked.version && asked.compared ? { memo_id: id, version: asked.compared } : null));
  const cites = useFresh(useRows(isPage ? CITES_SQL : null, { page: id }));
  const citedBy = useFresh(useRows(isPage ? CITED_BY_SQL : null, { page: id }));
  const judgements = useFresh(useRows(isPage ? JUDGEMENTS_SQL : null, { page: id }));

  const place = placeOf(node, evidence.answer?.evidence ?? [], asked);
  const passages = useFresh(useRows(place ? PASSAGES_SQL : null, place ? { page: place.page, first: String(place.first), last: String(place.last), quote: place.quote ?? NO_ID } : {}));
  const ids = history.answer && walk.answer ? namedIds(node, history.answer, walk.answer.edges) : [];
  const names = useFresh(useRows(ids.length ? namesSql(ids) : null));

  const calls: [Called<unknown>, boolean][] = [
    [evidence, kind === "claim"], [history, true], [walk, true], [weights, kind === "claim"], [former, !!asked.version], [compared, !!asked.version && !!asked.compared],
    [cites, isPage], [citedBy, isPage], [judgements, isPage], [passages, place !== null], [names, ids.length > 0],
  ];
  const error: Refusal | null = calls.map(([called]) => called.error).find((found) => found !== null) ?? null;
  const isReady = calls.every(([called, isWanted]) => !isWanted || called.answer !== null);
  const again = () => calls.forEach(([called, isWanted]) => isWanted && called.again());
  if (!isReady || !history.answer || !walk.answer) return { answer: null, error, isLoading: error === null, again };
  return {
    answer: {
      node, evidence: evidence.answer, history: history.answer, edges: walk.answer.edges, hasMoreEdges: walk.answer.next_cursor !== null,
      names: namesOf(names.answer ?? [], walk.answer.nodes), former: former.answer, compared: compared.answer, weights: weights.answer?.[0] ?? null,
      page: isPage ? { cites: cites.answer ?? [], citedBy: citedBy.answer ?? [], judgements: judgements.answer ?? [] } : null,
      passages: place && { pageId: place.page, quote: place.quote, rows: passages.answer ?? [], from: place.first, hasMore: Number(passages.answer?.at(-1)?.["position"] ?? -1) >= place.last },
    },
    error: null,
    isLoading: calls.some(([called]) => called.isLoading),
    again,
  };
}

/** Which passages of which page are shown: those around a quote, or those of a page from a place on. */
function placeOf(node: Node, evidence: EvidenceItem[], asked: Asked): { page: string; quote: string | null; first: number; last: number } | null {
  if (node.kind === "page") return { page: node.id, quote: asked.quote, first: asked.from, last: asked.from + PASSAGES - 1 };
  const quoted = node.kind === "fragment" ? node : evidence.find((item) => item.node.id === asked.quote)?.node;
  if (!quoted?.page_id) return null;
  const at = quoted.position ?? 0;
  return { page: quoted.page_id, quote: quoted.id, first: Math.max(0, at - BEFORE_QUOTE), last: at + AFTER_QUOTE };
}

function namedIds(node: Node, { items, about }: History, edges: MeasuredEdge[]): string[] {
  const ids = [
    node.superseded_by, ...(about?.replaces ?? []),
    ...edges.flatMap((edge) => [edge.source_id, edge.target_id]),
    ...items.flatMap((item) => [item.node_id, item.other_id]),
  ];
  return [...new Set(ids.filter((id): id is string => id !== null && id !== node.id))].slice(0, MOST_NAMES);
}

/** What things are called: their title, or how their text begins. */
export function namesSql(ids: string[]): string {
  const names = listed(ids);
  return [
    `select id, namespace, 'memo' as kind, coalesce(title || ': ', '') || substr(content, 1, 160) as title from memos where id in (${names})`,
    `select id, namespace, 'claim', substr(claim_text, 1, 160) from claims where id in (${names})`,
    `select id, namespace, 'fragment', substr(text_content, 1, 160) from fragments where id in (${names})`,
    `select id, namespace, 'page', coalesce(title, url) from pages where id in (${names})`,
    `select id, namespace, 'entity', name from entities where id in (${names})`,
  ].join(" union all ");
}

export function namesOf(rows: Row[], refs: NodeRef[]): Names {
  const names: Names = new Map(refs.map((ref) => [ref.id, ref]));
  for (const row of rows) {
    const [id, namespace, kind, title] = [row["id"], row["namespace"], row["kind"], row["title"]].map(String);
    if (id) names.set(id, { id, namespace: namespace ?? "", kind: kind ?? "memo", title: title ?? null });
  }
  return names;
}
