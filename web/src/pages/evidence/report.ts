// All that a task's report shows, asked for at once; and the same as Markdown.
import { Refusal, useCall, type Called } from "../../api";
import type { Row } from "../../sql";
import type { Posterior, TaskState } from "../../verbs";
import { rowsOf } from "./rows";
import type { TaskWords } from "./task_words";

export interface Quotation {
  fragmentId: string;
  pageId: string;
  relation: string;
  confidence: number | null;
  text: string;
  source: string;
  year: number | null;
}

export interface Statement {
  id: string;
  text: string;
  posterior: Posterior;
  isDisputed: boolean;
  quotations: Quotation[];
}

export interface Report {
  state: TaskState;
  queries: Row[];
  statements: Statement[];
  sources: Row[];
  years: Row[];
  isTruncated: boolean;
}

const MOST = 200;
const BUDGET = { limit: MOST, timeout_ms: 2000, max_vm_steps: 50_000_000 };
export const EVIDENCE_SQL = `select e.claim_id, e.relation, e.nli_edge_confidence, e.fragment_id, e.page_id, substr(f.text_content, 1, 400) as text, coalesce(p.title, p.url) as source, e.year
from evidence e join fragments f on f.id = e.fragment_id left join pages p on p.id = e.page_id
where e.task_id = :task and e.relation in ('supports', 'refutes', 'neutral')
order by e.nli_edge_confidence desc`;
const QUERIES_SQL = "select query_text, query_type, result_count, executed_at from queries where task_id = :task order by executed_at";

export function useReport(id: string): Called<Report> {
  const status = useCall("status", { task_id: id });
  const claims = useCall("query_view", { name: "v_claim_evidence_summary", task_id: id, limit: MOST });
  const sources = useCall("query_view", { name: "v_source_authority", task_id: id, limit: MOST });
  const evidence = useCall("query_graph", { sql: EVIDENCE_SQL, parameters: { task: id }, ...BUDGET });
  const queries = useCall("query_graph", { sql: QUERIES_SQL, parameters: { task: id }, ...BUDGET });
  const years = useCall("query_view", { name: "v_evidence_timeline", task_id: id, limit: MOST });
  const calls = [status, claims, sources, evidence, queries, years];
  const state = status.answer?.tasks[0];
  const isWhole = state && claims.answer && sources.answer && evidence.answer && queries.answer && years.answer;
  const answer = isWhole
    ? {
        state, queries: rowsOf(queries.answer!), sources: rowsOf(sources.answer!), years: rowsOf(years.answer!), statements: statementsOf(rowsOf(claims.answer!), rowsOf(evidence.answer!)),
        isTruncated: [claims, sources, evidence, queries].some((one) => one.answer?.truncated),
      }
    : null;
  const failed = [claims, sources, evidence, queries, years].find((one) => one.answer?.error)?.answer;
  const error = calls.find((one) => one.error)?.error ?? (failed?.error ? new Refusal(400, "sql_failed", failed.error, failed.hint ?? undefined) : null);
  return { answer, error, isLoading: calls.some((one) => one.isLoading), again: () => calls.forEach((one) => one.again()) };
}

/** Statements with what speaks for and against them: disputed ones first, the most disputed of them first. */
function statementsOf(claims: Row[], evidence: Row[]): Statement[] {
  const statements = claims.map((row) => ({
    id: String(row["claim_id"]), text: String(row["claim_text"]), isDisputed: Number(row["refute_count"]) > 0 && Number(row["support_count"]) > 0,
    posterior: {
      confidence: Number(row["bayesian_confidence"]), uncertainty: Number(row["uncertainty"]), controversy: Number(row["controversy"]), supports: Number(row["support_count"]), refutes: Number(row["refute_count"]),
      neutral: Number(row["neutral_count"]), pages: Number(row["independent_sources"]), domains: Number(row["independent_domains"]), oldest_year: null, newest_year: null,
    },
    quotations: evidence.filter((one) => one["claim_id"] === row["claim_id"]).map(quotationOf),
  }));
  const total = ({ posterior }: Statement) => posterior.supports + posterior.refutes + posterior.neutral;
  return statements.sort((one, other) => Number(other.isDisputed) - Number(one.isDisputed) || other.posterior.controversy - one.posterior.controversy || total(other) - total(one));
}

function quotationOf(row: Row): Quotation {
  return {
    fragmentId: String(row["fragment_id"]), pageId: String(row["page_id"]), relation: String(row["relation"]), confidence: typeof row["nli_edge_confidence"] === "number" ? row["nli_edge_confidence"] : null,
    text: String(row["text"]), source: String(row["source"] ?? ""), year: typeof row["year"] === "number" ? row["year"] : null,
  };
}

/** The report as Markdown; texts of the memory stand in it as plain words. */
export function markdown({ state, queries, statements, sources }: Report, say: TaskWords, origin: string): string {
  const { task } = state;
  const link = (text: string, path: string) => `[${plain(text)}](${origin}${path})`;
  const quotes = (statement: Statement, relation: string, title: string) => {
    const some = statement.quotations.filter((one) => one.relation === relation);
    return some.length === 0 ? [] : [`- ${title}:`, ...some.map((one) => `  - “${plain(one.text)}” (${link(one.source || one.pageId, `/n/${one.pageId}`)}${one.year === null || one.source.includes(String(one.year)) ? "" : `, ${one.year}`})`)];
  };
  const section = (title: string, lines: string[]) => (lines.length === 0 ? [] : [`## ${title}`, "", ...lines, ""]);
  const ofStatement = (statement: Statement) => [
    `### ${link(statement.text, `/n/${statement.id}`)}`, "",
    `${say.sides(statement.posterior.supports, statement.posterior.refutes, statement.posterior.neutral)}; ${say.sureness(statement.posterior.confidence.toFixed(2))}${statement.isDisputed ? ` (${say.disputed})` : ""}`, "",
    ...quotes(statement, "supports", say.for), ...quotes(statement, "refutes", say.against), "",
  ];
  return [
    `# ${plain(task.query)}`, "", `${say[task.status]} · ${link(say.task, `/task/${task.id}`)}`, "",
    ...section(say.summary, task.result_summary ? task.result_summary.split("\n").map(plain) : []),
    ...section(say.statements, statements.flatMap(ofStatement)),
    ...section(say.sources, sources.map((row, at) => `${at + 1}. ${link(String(row["title"] ?? row["url"]), `/n/${String(row["page_id"])}`)}, ${plain(String(row["domain"] ?? ""))}, ${say.weight} ${String(row["authority_score"])}`)),
    ...section(say.queries, queries.map((row) => `- ${plain(String(row["query_text"]))}`)),
  ].join("\n").trimEnd() + "\n";
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
