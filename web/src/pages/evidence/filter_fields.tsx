// Filters of an analysis: one field for a text, two for numbers; and those that are set, each with a way to remove it.
import { usePreferences } from "../../preferences";
import { goWith } from "../../router";
import { useWords } from "../../words";
import { columnName, kindOf } from "./columns";
import type { Known } from "./cell";
import { filterName, isNumeric, rangeText, type Filter } from "./rows";
import { table } from "./words";

export function FilterFields({ columns, filters }: { columns: string[]; filters: Filter[] }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const fields = columns.filter((column) => !["id", "ids", "task"].includes(kindOf(column)));
  return (
    <details class="filter-fields">
      <summary>{say.filter}{filters.length > 0 && ` (${filters.length})`}</summary>
      <div class="filter-grid">
        {fields.map((column) => <Field key={column} column={column} name={columnName(column, language)} filter={filters.find((one) => one.column === column)} />)}
      </div>
    </details>
  );
}

function Field({ column, name, filter }: { column: string; name: string; filter: Filter | undefined }) {
  const say = useWords(table);
  const set = (value: string) => goWith({ [filterName(column)]: value });
  if (kindOf(column) === "flag") {
    const value = filter && "low" in filter ? String(filter.low) : "";
    return (
      <label class="stack"><span>{name}</span>
        <select value={value} onChange={(event) => set(event.currentTarget.value && rangeText(event.currentTarget.value, event.currentTarget.value))}>
          <option value="">–</option><option value="1">{say.yes}</option><option value="0">{say.no}</option>
        </select>
      </label>
    );
  }
  if (!isNumeric(column)) {
    return <label class="stack"><span>{name} {say.contains}</span><input type="search" value={filter && "text" in filter ? filter.text : ""} onChange={(event) => set(event.currentTarget.value.trim())} /></label>;
  }
  const { low, high } = filter && "low" in filter ? filter : { low: null, high: null };
  return (
    <div class="stack" role="group" aria-label={name}>
      <span aria-hidden="true">{name}</span>
      <span class="pair">
        <input type="number" step="any" aria-label={`${name} ${say.atLeast}`} placeholder="≥" value={low ?? ""} onChange={(event) => set(rangeText(event.currentTarget.value, high))} />
        <input type="number" step="any" aria-label={`${name} ${say.atMost}`} placeholder="≤" value={high ?? ""} onChange={(event) => set(rangeText(low, event.currentTarget.value))} />
      </span>
    </div>
  );
}

export function SetFilters({ filters, known }: { filters: Filter[]; known: Known }) {
  const say = useWords(table);
  const { language } = usePreferences();
  if (filters.length === 0) return null;
  const clear = Object.fromEntries(filters.map((filter) => [filterName(filter.column), null]));
  return (
    <div class="set-filters">
      {filters.map((filter) => {
        const said = `${columnName(filter.column, language)} ${"text" in filter ? `“${wordsOf(filter.text, known)}”` : range(filter, say)}`;
        return <button key={filter.column} type="button" class="chip" aria-label={say.remove(said)} onClick={() => goWith({ [filterName(filter.column)]: null })}>{said} <span aria-hidden="true">×</span></button>;
      })}
      {filters.length > 1 && <button type="button" class="plain" onClick={() => goWith(clear)}>{say.clear}</button>}
    </div>
  );
}

function wordsOf(text: string, known: Known): string {
  const words = known.names.get(text)?.words ?? text;
  return words.length > 60 ? `${words.slice(0, 60)}…` : words;
}

function range(filter: { column: string; low: number | null; high: number | null }, say: { yes: string; no: string }): string {
  if (kindOf(filter.column) === "flag") return filter.low ? say.yes : say.no;
  if (filter.low === filter.high) return String(filter.low);
  return filter.low === null ? `≤ ${filter.high}` : filter.high === null ? `≥ ${filter.low}` : `${filter.low}–${filter.high}`;
}
