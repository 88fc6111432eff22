// Completion of SQL: names of tables and columns, and a few words of the language, for what stands before the caret.
import type { TableShape } from "../../verbs";

const LANGUAGE = ["select", "from", "where", "join", "left join", "on", "group by", "order by", "having", "limit", "offset", "with", "union all", "count(*)", "distinct", "case when", "and", "or", "not", "in", "like", "is null", "as", "desc"];
const NOT_ALIASES = new Set(["on", "where", "join", "left", "inner", "cross", "group", "order", "limit", "union", "having", "as", "using"]);
const MOST = 8;

export interface Completion {
  text: string;
  kind: "table" | "column" | "word";
  /** The table of a column. */
  of: string;
}

export interface Completed {
  /** Where the word before the caret begins. */
  start: number;
  items: Completion[];
}

export function complete(sql: string, caret: number, tables: TableShape[]): Completed {
  const before = sql.slice(0, caret);
  const [, owner, word = ""] = /(?:(\w+)\.)?(\w*)$/.exec(before) ?? [];
  const start = caret - word.length;
  if (isQuoted(before) || (!owner && word === "")) return { start, items: [] };
  const used = usedTables(sql, tables);
  const items = owner ? columnsOf(used.get(owner) ?? tables.find((table) => table.name === owner)) : everything(tables, [...new Set(used.values())]);
  const wanted = word.toLowerCase();
  const found = items.filter((item) => item.text.toLowerCase().startsWith(wanted) && item.text.toLowerCase() !== wanted);
  const inside = wanted.length > 1 ? items.filter((item) => item.text.toLowerCase().includes(wanted, 1) && !found.includes(item)) : [];
  const unique = new Map([...found, ...inside].map((item) => [item.text, item]));
  return { start, items: [...unique.values()].slice(0, MOST) };
}

/** The tables of a statement, by their names and by those that it gives them. */
function usedTables(sql: string, tables: TableShape[]): Map<string, TableShape> {
  const used = new Map<string, TableShape>();
  for (const [, name = "", alias = ""] of sql.matchAll(/\b(?:from|join|,)\s*(\w+)(?:\s+(?:as\s+)?(\w+))?/gi)) {
    const table = tables.find((one) => one.name === name);
    if (!table) continue;
    used.set(name, table);
    if (alias && !NOT_ALIASES.has(alias.toLowerCase())) used.set(alias, table);
  }
  return used;
}

function everything(tables: TableShape[], used: TableShape[]): Completion[] {
  const names = tables.map((table): Completion => ({ text: table.name, kind: "table", of: "" }));
  return [...used.flatMap(columnsOf), ...names, ...LANGUAGE.map((text): Completion => ({ text, kind: "word", of: "" }))];
}

function columnsOf(table: TableShape | undefined): Completion[] {
  return table?.columns.map((text) => ({ text, kind: "column", of: table.name })) ?? [];
}

function isQuoted(before: string): boolean {
  return (before.match(/'/g)?.length ?? 0) % 2 === 1;
}
