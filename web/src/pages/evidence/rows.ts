// Rows of an analysis: filtered and sorted as the address says.
import type { QueryResult } from "../../verbs";
import type { Row } from "../../sql";
import { kindOf } from "./columns";

export interface Sort {
  column: string;
  isDescending: boolean;
}

/** What of a column is let through: a text that it contains, or numbers from low to high. */
export type Filter = { column: string; text: string } | { column: string; low: number | null; high: number | null };

const PREFIX = "f.";

export function rowsOf(result: QueryResult): Row[] {
  return result.rows.map((row) => Object.fromEntries(result.columns.map((name, at) => [name, row[at]])));
}

/** The sort of an address: a column, with a minus before it from the highest down. */
export function sortOf(query: URLSearchParams): Sort | null {
  const said = query.get("sort");
  return said ? { column: said.replace(/^-/, ""), isDescending: said.startsWith("-") } : null;
}

export function isNumeric(column: string): boolean {
  return ["number", "year", "flag"].includes(kindOf(column));
}

export function filtersOf(query: URLSearchParams): Filter[] {
  return [...query].flatMap(([name, value]): Filter[] => {
    if (!name.startsWith(PREFIX) || value === "") return [];
    const column = name.slice(PREFIX.length);
    if (!isNumeric(column)) return [{ column, text: value }];
    const [low = "", high = low] = value.split("..");
    return [{ column, low: number(low), high: number(high) }];
  });
}

export function filterName(column: string): string {
  return PREFIX + column;
}

/** The value in an address of numbers from low to high. */
export function rangeText(low: number | string | null, high: number | string | null): string {
  return (low ?? "") === "" && (high ?? "") === "" ? "" : `${low ?? ""}..${high ?? ""}`;
}

export function filtered(rows: Row[], filters: Filter[]): Row[] {
  return rows.filter((row) => filters.every((filter) => passes(row[filter.column], filter)));
}

export function sorted(rows: Row[], sort: Sort | null): Row[] {
  if (!sort) return rows;
  const sign = sort.isDescending ? -1 : 1;
  // What is unknown stands last, whichever way the rest is sorted.
  return rows.toSorted((one, other) => {
    const [a, b] = [one[sort.column], other[sort.column]];
    if (isUnknown(a) || isUnknown(b)) return Number(isUnknown(a)) - Number(isUnknown(b));
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  });
}

/** The same question over all rows, as SQL: for what an answer left out. */
export function asSql(view: string, { task, filters, sort }: { task: string | null; filters: Filter[]; sort: Sort | null }): string {
  const conditions = [task && `task_id = ${quoted(task)}`, ...filters.flatMap((filter) => ("text" in filter ? [`lower(${filter.column}) like ${quoted(`%${filter.text.toLowerCase()}%`)}`] : [filter.low !== null && `${filter.column} >= ${filter.low}`, filter.high !== null && `${filter.column} <= ${filter.high}`]))].filter(Boolean);
  const isNarrowed = filters.length > 0 || sort !== null;
  return [`select * from ${view}`, conditions.length > 0 && `where ${conditions.join("\n  and ")}`, sort && `order by ${sort.column}${sort.isDescending ? " desc" : ""}`, `limit 200${isNarrowed ? "" : " offset 200"}`].filter(Boolean).join("\n");
}

function passes(value: unknown, filter: Filter): boolean {
  if ("text" in filter) return String(value ?? "").toLowerCase().includes(filter.text.toLowerCase());
  const known = Number(value);
  return !isUnknown(value) && (filter.low === null || known >= filter.low) && (filter.high === null || known <= filter.high);
}

function isUnknown(value: unknown): boolean {
  return value === null || value === undefined;
}

function number(text: string): number | null {
  return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
