// A table of rows that can be sorted by its heads, with the sort in the address; where there is no room, rows are cards.
import type { ComponentChildren } from "preact";
import { goWith } from "../../router";
import type { Row } from "../../sql";
import { useWords } from "../../words";
import type { Sort } from "./rows";
import { table } from "./words";

export interface RowsTableProps {
  title: string;
  rows: Row[];
  columns: string[];
  name: (column: string) => string;
  isNumber: (column: string) => boolean;
  /** Whether its values are long texts. */
  isLong: (column: string) => boolean;
  sort: Sort | null;
  cell: (row: Row, column: string) => ComponentChildren;
}

export function RowsTable({ title, rows, columns, name, isNumber, isLong, sort, cell }: RowsTableProps) {
  return (
    <>
      <SortChoice columns={columns} name={name} sort={sort} />
      <div class="scroll rows-place" tabIndex={0} role="region" aria-label={title}>
        <table class="rows as-cards">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" aria-sort={sort?.column !== column ? "none" : sort.isDescending ? "descending" : "ascending"} class={isNumber(column) ? "number" : ""}>
                  <button type="button" class="sort" onClick={() => goWith({ sort: next(column, sort, isNumber(column)) })}>
                    {name(column)}<span aria-hidden="true" class="arrow">{sort?.column !== column ? "" : sort.isDescending ? "▾" : "▴"}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => <tr key={at}>{columns.map((column) => <td key={column} data-name={name(column)} class={isNumber(column) ? "number" : isLong(column) ? "long" : ""}>{cell(row, column)}</td>)}</tr>)}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Cards have no heads: the same sort as a choice. */
function SortChoice({ columns, name, sort }: { columns: string[]; name: (column: string) => string; sort: Sort | null }) {
  const say = useWords(table);
  const now = sort ? (sort.isDescending ? "-" : "") + sort.column : "";
  return (
    <label class="sort-choice">{say.sortBy}
      <select value={now} onChange={(event) => goWith({ sort: event.currentTarget.value })}>
        <option value="">{say.asFound}</option>
        {columns.flatMap((column) => [<option key={`-${column}`} value={`-${column}`}>{name(column)} ▾ {say.descending}</option>, <option key={column} value={column}>{name(column)} ▴ {say.ascending}</option>])}
      </select>
    </label>
  );
}

/** Numbers first from the highest down, texts from A on; then the other way; then as they were found. */
function next(column: string, sort: Sort | null, isNumber: boolean): string {
  const [first, second] = isNumber ? [`-${column}`, column] : [column, `-${column}`];
  if (sort?.column !== column) return first;
  return sort.isDescending === isNumber ? second : "";
}
