// A task's report: its question, what was found and how it stands, what is disputed first, and the sources.
import { saveText } from "../../charts/save";
import type { PartProps } from "../../main";
import { Title } from "../../parts/frame";
import { tell } from "../../parts/notice";
import { Standing } from "../../parts/standing";
import { Shown } from "../../parts/states";
import { date, figure } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, go } from "../../router";
import type { Row } from "../../sql";
import { common, useWords } from "../../words";
import { EvidenceTabs } from "./evidence";
import { EVIDENCE_SQL, markdown, useReport, type Quotation, type Report, type Statement } from "./report";
import { filterName } from "./rows";
import { table } from "./task_words";
import { ViewChart } from "./view_chart";
import "./evidence.css";

const SHOWN_QUOTATIONS = 3;
const SHOWN_SOURCES = 15;

export default function Task({ rest: [id = ""] }: PartProps) {
  const found = useReport(id);
  return (
    <>
      <EvidenceTabs current="task" />
      <Shown of={found}>{(report) => <Written report={report} />}</Shown>
    </>
  );
}

function Written({ report }: { report: Report }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const { task, evidence_summary: sums } = report.state;
  const toYear = (column: string, value: string) => go(address("/evidence/v_evidence_timeline", { task: task.id, [filterName(column)]: value }));
  const days = [say[task.status], say.begunAt(date(task.started_at ?? task.created_at, language)), task.completed_at && say.endedAt(date(task.completed_at, language)), task.namespace];
  return (
    <article class="report">
      <Title>{task.query}</Title>
      <p class="source-line">{days.filter(Boolean).join(" · ")}</p>
      {sums && <p>{say.found(sums.total_claims, sums.total_fragments, sums.total_pages)} · {say.sides(sums.supporting_edges, sums.refuting_edges, sums.neutral_edges)}</p>}
      <div class="actions no-print">
        <button type="button" onClick={() => void copy(report, say)}>{say.copy}</button>
        <button type="button" onClick={() => print()}>{say.print}</button>
        <a class="button" href={address("/evidence", { task: task.id })}>{say.analyses}</a>
      </div>
      {report.isTruncated && <p class="tag warn">{say.truncated(200)} <a href={address("/sql", { q: EVIDENCE_SQL.replace(":task", `'${task.id}'`) + "\nlimit 200 offset 200" })}>{say.rest}</a></p>}
      <h2>{say.summary}</h2>
      <p class={task.result_summary ? "summary" : "muted"}>{task.result_summary ?? task.error_message ?? say.noSummary}</p>
      <ViewChart view="v_evidence_timeline" rows={report.years} names={new Map()} filters={[]} onFilter={toYear} />
      <h2>{say.statements}</h2>
      {report.statements.length === 0 && <p class="muted">{say.noStatements}</p>}
      {report.statements.map((statement) => <StatementCard key={statement.id} statement={statement} />)}
      <h2>{say.sources}</h2>
      <Sources rows={report.sources} taskId={task.id} />
      <h2>{say.queries}</h2>
      {report.queries.length === 0 ? <p class="muted">{say.noQueries}</p> : <ul>{report.queries.map((row, at) => <li key={at}>{String(row["query_text"])}{typeof row["result_count"] === "number" && <span class="muted"> · {say.hits(row["result_count"])}</span>}</li>)}</ul>}
    </article>
  );
}

function StatementCard({ statement }: { statement: Statement }) {
  const say = useWords(table);
  const shared = useWords(common);
  const of = (relation: string) => statement.quotations.filter((one) => one.relation === relation);
  const hasSides = of("supports").length + of("refutes").length > 0;
  return (
    <section class="card">
      <h3><a href={address(`/n/${statement.id}`)}>{statement.text}</a> {statement.isDisputed && <span class="tag warn">{shared.disputed}</span>}</h3>
      <Standing of={statement.posterior} />
      {hasSides && (
        <div class="two">
          <Side title={`▲ ${say.for} ${of("supports").length}`} name="supports" quotations={of("supports")} none={say.noneFor} />
          <Side title={`▼ ${say.against} ${of("refutes").length}`} name="refutes" quotations={of("refutes")} none={say.noneAgainst} />
        </div>
      )}
    </section>
  );
}

function Side({ title, name, quotations, none }: { title: string; name: "supports" | "refutes"; quotations: Quotation[]; none: string }) {
  const say = useWords(table);
  const item = (one: Quotation) => (
    <li key={one.fragmentId}>
      <blockquote><a href={address(`/n/${one.fragmentId}`)}>{one.text}</a></blockquote>
      <p class="source-line"><a href={address(`/n/${one.pageId}`)}>{one.source || one.pageId}</a>{one.year !== null && ` · ${one.year}`}{one.confidence !== null && ` · ${say.sureness(figure(one.confidence))}`}</p>
    </li>
  );
  return (
    <div class="side">
      <h4 class={name}>{title}</h4>
      {quotations.length === 0 ? <p class="muted">{none}</p> : <ul class="quotations">{quotations.slice(0, SHOWN_QUOTATIONS).map(item)}</ul>}
      {quotations.length > SHOWN_QUOTATIONS && <details><summary>{say.more(quotations.length - SHOWN_QUOTATIONS)}</summary><ul class="quotations">{quotations.slice(SHOWN_QUOTATIONS).map(item)}</ul></details>}
    </div>
  );
}

function Sources({ rows, taskId }: { rows: Row[]; taskId: string }) {
  const say = useWords(table);
  if (rows.length === 0) return <p class="muted">{say.noSources}</p>;
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={say.sources}>
        <table class="rows">
          <thead><tr><th scope="col">{say.source}</th><th scope="col">{say.host}</th><th scope="col">{say.year}</th><th scope="col">{say.weight}</th><th scope="col">{say.supported}</th><th scope="col">{say.citedBy}</th></tr></thead>
          <tbody>
            {rows.slice(0, SHOWN_SOURCES).map((row) => (
              <tr key={String(row["page_id"])}>
                <th scope="row"><a href={address(`/n/${String(row["page_id"])}`)}>{String(row["title"] ?? row["url"])}</a></th><td>{String(row["domain"] ?? "")}</td><td class="number">{String(row["year"] ?? "–")}</td>
                <td class="number">{figure(Number(row["authority_score"]))}</td><td class="number">{String(row["claims_supported"])}</td><td class="number">{String(row["cited_by_count"])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > SHOWN_SOURCES && <p><a href={address("/evidence/v_source_authority", { task: taskId })}>{say.more(rows.length - SHOWN_SOURCES)}</a></p>}
    </>
  );
}

async function copy(report: Report, say: (typeof table)["en"]): Promise<void> {
  const text = markdown(report, say, location.origin);
  try {
    await navigator.clipboard.writeText(text);
    tell({ text: say.copied });
  } catch {
    // A page that is not served from this machine or by HTTPS has no clipboard.
    saveText(text, `${report.state.task.query}.md`);
    tell({ text: say.saved });
  }
}
