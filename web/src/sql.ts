// Questions in SQL that parts of the page ask: rows as objects, texts always as parameters.
import { Refusal, useCall, type Called } from "./api";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// The first statement after a start prepares the store for all of them.
const PATIENCE_MS = 2000;

export type Row = Record<string, unknown>;

/** The rows of a statement; null asks nothing. */
export function useRows(sql: string | null, parameters: Record<string, unknown> = {}, limit = 200): Called<Row[]> {
  const called = useCall("query_graph", sql === null ? null : { sql, parameters, limit, timeout_ms: PATIENCE_MS });
  const found = called.answer;
  if (!found) return { ...called, answer: null };
  if (found.error !== null) return { ...called, answer: null, error: new Refusal(400, "sql_failed", found.error, found.hint ?? undefined) };
  return { ...called, answer: found.rows.map((row) => Object.fromEntries(found.columns.map((name, at) => [name, row[at]]))) };
}

/** Ids as a list of a statement, as in `where id in (…)`. They stand there as literals, as a statement may have ten
 * parameters only; what is no id is left out, so that no text can get in. */
export function listed(ids: string[]): string {
  return ids.filter((id) => ID.test(id)).map((id) => `'${id}'`).join(", ") || "null";
}
