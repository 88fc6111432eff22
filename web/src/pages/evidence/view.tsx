// One analysis: its question, the chart that fits it, and its rows, filtered and sorted as the address says.
import { useCall } from "../../api";
import { saveCsv } from "../../charts/save";
import { Title } from "../../parts/frame";
import { Shown } from "../../parts/states";
import { usePreferences } from "../../preferences";
import { address, goWith, usePlace } from "../../router";
import type { QueryResult, ViewShape } from "../../verbs";
import { useWords } from "../../words";
import { namesOf } from "./catalogue";
import { Cell } from "./cell";
import { columnName, kindOf, shownColumns } from "./columns";
import { FilterFields, SetFilters } from "./filter_fields";
import { useNames, type TaskName } from "./names";
import { asSql, filtered, filterName, filtersOf, rowsOf, sorted, sortOf } from "./rows";
import { RowsTable } from "./rows_table";
import { ViewChart } from "./view_chart";
import { table } from "./words";

const MOST_ROWS = 200;

export function View({ view, shape, task, tasks }: { view: string; shape: ViewShape | undefined; task: string | null; tasks: TaskName[] }) {
  const { language } = usePreferences();
  const { title, question } = namesOf(view, language);
  const found = useCall("query_view", { name: view, limit: MOST_ROWS, ...(task ? { task_id: task } : {}) });
  return (
    <section class="view">
      <Title>{title}</Title>
      <p class="question">{question || shape?.question}</p>
      <Shown of={found}>{(result) => <Found view={view} result={result} task={task} tasks={tasks} />}</Shown>
    </section>
  );
}

function Found({ view, result, task, tasks }: { view: string; result: QueryResult; task: string | null; tasks: TaskName[] }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const { query } = usePlace();
  const all = rowsOf(result);
  const sort = sortOf(query);
  const filters = filtersOf(query).filter((filter) => result.columns.includes(filter.column));
  const rows = sorted(filtered(all, filters), sort && result.columns.includes(sort.column) ? sort : null);
  const ids = result.columns.filter((column) => kindOf(column) === "id" || kindOf(column) === "ids");
  const names = useNames(all.flatMap((row) => ids.flatMap((column) => String(row[column] ?? "").split(/,\s*/).filter(Boolean))));
  const known = { names, tasks: new Map(tasks.map((one) => [one.id, one.question])) };
  const columns = shownColumns(result.columns, task !== null);
  const name = (column: string) => columnName(column, language);
  const sql = asSql(view, { task: result.columns.includes("task_id") ? task : null, filters, sort });
  if (result.error !== null) return <div class="state failed" role="alert"><p><strong>{say.failed}</strong> {result.error}</p>{result.hint && <p class="muted">{result.hint}</p>}</div>;
  if (all.length === 0) return <div class="state"><p>{say.empty}</p><p>{say.emptyHint} <code>wherefrom add</code></p></div>;
  return (
    <>
      <ViewChart view={view} rows={all} names={names} filters={filters} onFilter={(column, value) => goWith({ [filterName(column)]: value })} />
      <div class="table-head">
        <p role="status" class="found">{say.rows(rows.length, all.length)}{result.truncated && <> · {say.truncated(all.length)} <a href={address("/sql", { q: sql })}>{say.rest}</a></>}</p>
        <span class="tools">
          <a class="button" href={address("/sql", { q: sql.replace(/ offset \d+$/, "") })}>{say.asSql}</a>
          <button type="button" onClick={() => saveCsv(view, result.columns, rows.map((row) => result.columns.map((column) => row[column])))}>{say.csv}</button>
        </span>
      </div>
      <FilterFields columns={columns} filters={filters} />
      <SetFilters filters={filters} known={known} />
      {rows.length === 0 ? (
        <p class="state">{say.filteredOut(all.length)} <button type="button" onClick={() => goWith(Object.fromEntries(filters.map((filter) => [filterName(filter.column), null])))}>{say.clear}</button></p>
      ) : (
        <RowsTable
          title={namesOf(view, language).title} rows={rows} columns={columns} name={name} sort={sort} isNumber={(column) => ["number", "year"].includes(kindOf(column))} isLong={(column) => ["id", "ids", "task"].includes(kindOf(column)) || column === "claim_text" || column === "title"}
          cell={(row, column) => <Cell row={row} column={column} known={known} />}
        />
      )}
    </>
  );
}
