// The columns of the analyses: what they are called, how their values read, and which are shown together.
import type { Language } from "../../preferences";

export type ColumnKind = "text" | "number" | "year" | "flag" | "id" | "ids" | "task" | "relation";

const NAMES: Record<string, [string, string]> = {
  task_id: ["Task", "課題"], claim_id: ["Statement", "主張"], claim_text: ["Statement", "主張"], page_id: ["Source", "出典"], title: ["Source", "出典"], url: ["Address", "アドレス"], domain: ["Host", "サイト"],
  year: ["Year", "年"], decade: ["Decade", "年代"], support_count: ["For", "支持"], refute_count: ["Against", "反対"], neutral_count: ["Neutral", "中立"], evidence_count: ["Evidence", "証拠"],
  support_weight: ["Weight for", "支持の重み"], refute_weight: ["Weight against", "反対の重み"], max_nli_edge_confidence: ["Surest judgement", "最も確かな判定"], avg_nli_edge_confidence: ["Mean sureness", "判定の平均確度"],
  independent_sources: ["Sources", "出典数"], independent_domains: ["Hosts", "サイト数"], bayesian_confidence: ["How sure", "確かさ"], uncertainty: ["Give or take", "誤差"], controversy: ["Dispute", "係争度"], is_controversial: ["Disputed", "係争中"],
  earliest_year: ["From", "最初の年"], latest_year: ["Until", "最後の年"], year_span: ["Years spanned", "期間（年）"], years_observed: ["Years with evidence", "証拠のある年数"], temporal_consistency: ["Holds through", "一貫性"],
  supporting_fragments: ["Quotations for", "支持する引用"], refuting_fragments: ["Quotations against", "反対する引用"], controversy_score: ["Dispute", "係争度"],
  controversial_claims: ["Disputed", "係争中"], consensus_claims: ["Agreed", "一致"], controversial_share: ["Share disputed", "係争の割合"], avg_controversy_score: ["Mean dispute", "平均係争度"], shift_detected: ["Changed", "変化"],
  support_trend: ["Trend", "傾向"], recent_support_count: ["Recently for", "最近の支持"], older_support_count: ["Earlier for", "以前の支持"], recent_refute_count: ["Recently against", "最近の反対"], older_refute_count: ["Earlier against", "以前の反対"],
  source_fragment_id: ["Quotation", "引用"], intermediate_claim_id: ["Statement it bears on", "直接の主張"], derived_claim_id: ["Derived statement", "導かれた主張"], chain_confidence: ["How sure", "確かさ"], claim_hops: ["Steps", "段数"],
  relations: ["Relations", "関係"], claim_ids: ["Statements passed", "経由した主張"], edge_id: ["Judgement", "判定"], relation: ["Says", "立場"], nli_edge_confidence: ["Sureness", "判定の確度"],
  avg_evidence_age: ["Mean age, years", "平均経過年"], newest_evidence_year: ["Newest", "最新の年"], dated_evidence_count: ["Dated evidence", "年のわかる証拠"], has_recent_support: ["Recently supported", "最近の支持あり"], has_recent_refutation: ["Recently contradicted", "最近の反対あり"],
  fragment_count: ["Quotations", "引用数"], claim_count: ["Statements", "主張数"], page_count: ["Sources", "出典数"], avg_confidence: ["Mean sureness", "平均確度"],
  claims_supported: ["Statements supported", "支持する主張"], citation_count: ["Cites", "引用数"], cited_by_count: ["Cited by", "被引用数"], authority_score: ["Weight", "重み"], recency: ["Recency", "新しさ"],
  years_since_update: ["Years without news", "更新のない年数"], newest_refutation_year: ["Newest against", "最新の反対"],
  citing_year: ["Citing, year", "引用元の年"], cited_year: ["Cited, year", "引用先の年"], age_gap: ["Years older", "年の差"], frequency: ["How often", "回数"],
  cluster_id: ["Circle", "まとまり"], page_ids: ["Sources", "出典"], internal_citations: ["Citations inside", "内部の引用"], cluster_size: ["Size", "大きさ"],
  citing_page_id: ["Citing source", "引用元"], cited_page_id: ["Cited source", "引用先"], citation_source: ["Known from", "情報源"], hop_distance: ["Steps", "段数"], created_at: ["Noted", "記録日"],
};

const FLAGS = new Set(["is_controversial", "shift_detected", "has_recent_support", "has_recent_refutation"]);
const LISTS = new Set(["page_ids", "claim_ids", "supporting_fragments", "refuting_fragments"]);
const TEXTS = new Set(["claim_text", "title", "url", "domain", "citation_source", "created_at"]);
/** A text that stands for an id: the id is not a column of its own, but the link of the text. */
const LINKED_BY: Record<string, string> = { claim_text: "claim_id", title: "page_id" };
const UNSHOWN = new Set(["url", "edge_id", "cluster_id", "max_nli_edge_confidence", "avg_nli_edge_confidence"]);

export function columnName(column: string, language: Language): string {
  return NAMES[column]?.[language === "ja" ? 1 : 0] ?? column;
}

export function kindOf(column: string): ColumnKind {
  if (column === "task_id") return "task";
  if (LISTS.has(column)) return "ids";
  if (FLAGS.has(column)) return "flag";
  if (column === "relation" || column === "relations") return "relation";
  if (column.endsWith("_id") && column !== "edge_id" && column !== "cluster_id") return "id";
  if (TEXTS.has(column) || column === "cluster_id") return "text";
  return /(^|_)year$|^decade$/.test(column) ? "year" : "number";
}

/** The column whose id a text links to, if its row has it. */
export function idColumnOf(column: string, columns: string[]): string | null {
  const id = LINKED_BY[column];
  return id && columns.includes(id) ? id : null;
}

/** The columns to show: first what is spoken of; without ids that a text stands for, and without the task if one is chosen. */
export function shownColumns(columns: string[], hasTask: boolean): string[] {
  const covered = new Set(columns.map((column) => idColumnOf(column, columns)).filter(Boolean));
  const kept = columns.filter((column) => !covered.has(column) && !UNSHOWN.has(column) && !(hasTask && column === "task_id"));
  const lead = (column: string) => (column === "claim_text" || column === "title" ? 0 : column === "task_id" ? 2 : 1);
  return kept.toSorted((one, other) => lead(one) - lead(other));
}
