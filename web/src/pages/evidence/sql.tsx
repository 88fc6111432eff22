// SQL: a statement of the reader's own, with the schema beside it; the statement is in the address.
import { useEffect, useRef, useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { saveCsv } from "../../charts/save";
import type { PartProps } from "../../main";
import { Title } from "../../parts/frame";
import { attempt } from "../../parts/notice";
import { Shown } from "../../parts/states";
import { usePreferences } from "../../preferences";
import { address, go, usePlace } from "../../router";
import type { QueryResult, TableShape } from "../../verbs";
import { useWords } from "../../words";
import { GROUPS, namesOf } from "./catalogue";
import { number } from "./cell";
import { Editor } from "./editor";
import { EvidenceTabs } from "./evidence";
import { rowsOf, sorted, sortOf } from "./rows";
import { RowsTable } from "./rows_table";
import { table } from "./sql_words";
import "./evidence.css";

const MOST_ROWS = 200;
const BUDGET = { limit: MOST_ROWS, timeout_ms: 2000, max_vm_steps: 50_000_000 };
const START = "select c.claim_text, e.relation, f.text_content, p.url\nfrom claims c\njoin edges e on e.target_id = c.id\njoin fragments f on f.id = e.source_id\njoin pages p on p.id = f.page_id\nlimit 20";

export default function Sql(_: PartProps) {
  const say = useWords(table);
  const { query } = usePlace();
  const asked = query.get("q") ?? "";
  const [typed, setTyped] = useState(asked || START);
  useEffect(() => { if (asked) setTyped(asked); }, [asked]);
  const inserter = useRef<((text: string) => void) | null>(null);
  const schema = useCall("query_graph", { sql: "select 1", include_schema: true, timeout_ms: BUDGET.timeout_ms }).answer?.schema ?? [];
  const found = useCall("query_graph", asked ? { sql: asked, ...BUDGET } : null);
  const run = () => {
    if (typed.trim() === asked) found.again();
    else go(address("/sql", { q: typed.trim() }));
  };
  return (
    <>
      <EvidenceTabs current="sql" />
      <Title>{say.title}</Title>
      <p class="muted">{say.intro}</p>
      <div class="sql">
        <div>
          <Examples onChoose={setTyped} />
          <Editor value={typed} tables={schema} onChange={setTyped} onRun={run} inserter={inserter} />
          <div class="actions"><button type="button" class="main" onClick={run} disabled={typed.trim() === ""}>{say.run}</button><span class="muted keys-hint">{say.keys}</span></div>
          <section aria-label={say.result} class="result">
            {asked ? <Shown of={found}>{(result) => <Result result={result} />}</Shown> : <p class="state">{say.nothing}</p>}
          </section>
        </div>
        <Schema tables={schema} onInsert={(name) => inserter.current?.(name)} />
      </div>
    </>
  );
}

function Examples({ onChoose }: { onChoose: (sql: string) => void }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const choose = async (name: string) => {
    const rendered = await attempt(() => call("render_view", { name }), () => null);
    if (rendered) onChoose(rendered.sql.trim());
  };
  return (
    <label class="stack examples">{say.examples}
      <select value="" onChange={(event) => { void choose(event.currentTarget.value); event.currentTarget.value = ""; }}>
        <option value="">{say.choose}</option>
        {GROUPS.flatMap((group) => group.views).map((name) => <option key={name} value={name}>{namesOf(name, language).title}</option>)}
      </select>
    </label>
  );
}

function Result({ result }: { result: QueryResult }) {
  const say = useWords(table);
  const { query } = usePlace();
  const sort = sortOf(query);
  if (result.error !== null) return <div class="state failed" role="alert"><p><strong>{say.failed}</strong> {result.error}</p>{result.hint && <p class="hint">{result.hint}</p>}</div>;
  const rows = sorted(rowsOf(result), sort && result.columns.includes(sort.column) ? sort : null);
  const numbers = new Set(result.columns.filter((column) => rows.some((row) => row[column] !== null) && rows.every((row) => row[column] === null || typeof row[column] === "number")));
  const long = new Set(result.columns.filter((column) => rows.some((row) => typeof row[column] === "string" && row[column].length > 60)));
  return (
    <>
      <div class="table-head">
        <p role="status" class="found">{say.rows(rows.length, result.elapsed_ms)}{result.truncated && <> · <strong>{say.truncated(rows.length)}</strong></>}</p>
        {rows.length > 0 && <button type="button" onClick={() => saveCsv("sql", result.columns, rows.map((row) => result.columns.map((column) => row[column])))}>{say.csv}</button>}
      </div>
      {result.notes.map((note) => <p key={note} class="muted">{note}</p>)}
      {rows.length === 0 ? <p class="state">{say.none}</p> : (
        <RowsTable title={say.result} rows={rows} columns={result.columns} name={(column) => column} sort={sort} isNumber={(column) => numbers.has(column)} isLong={(column) => long.has(column)} cell={(row, column) => <Value value={row[column]} column={column} />} />
      )}
    </>
  );
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A value of any statement; ids lead to what they name. */
function Value({ value, column }: { value: unknown; column: string }) {
  const say = useWords(table);
  if (value === null || value === undefined) return <span class="muted" aria-label={say.unknown}>–</span>;
  if (typeof value === "number") return <>{number(value)}</>;
  if (typeof value !== "string") return <>{JSON.stringify(value)}</>;
  return ID.test(value) ? <a href={address(column.startsWith("task") ? `/task/${value}` : `/n/${value}`)}><code>…{value.slice(-8)}</code></a> : <>{value}</>;
}

function Schema({ tables, onInsert }: { tables: TableShape[]; onInsert: (name: string) => void }) {
  const say = useWords(table);
  const [views, plain] = [tables.filter((one) => one.name.startsWith("v_")), tables.filter((one) => !one.name.startsWith("v_"))];
  return (
    <aside class="schema" aria-label={say.schema}>
      <h2 class="first">{say.schema}</h2>
      <p class="muted">{say.schemaHint}</p>
      {([[say.tables, plain], [say.views, views]] as const).map(([title, some]) => (
        <div key={title}>
          <h3>{title}</h3>
          {some.map((one) => (
            <details key={one.name}>
              <summary aria-label={say.columnsOf(one.name)}><code>{one.name}</code></summary>
              <div class="schema-columns">
                <button type="button" class="plain" onClick={() => onInsert(one.name)}>{say.insert(one.name)}</button>
                {one.columns.map((column) => <button key={column} type="button" class="plain" aria-label={say.insert(column)} onClick={() => onInsert(column)}><code>{column}</code></button>)}
              </div>
            </details>
          ))}
        </div>
      ))}
    </aside>
  );
}
