// What ids stand for: the words of statements and quotations, the titles and years of sources, the questions of tasks.
import { useEffect, useState } from "preact/hooks";
import { call, keysGiven } from "../../api";
import { listed, useRows, type Row } from "../../sql";
import { useStore } from "../../store";

export interface Name {
  words: string;
  kind: "claim" | "page" | "fragment";
  year: number | null;
}

const AT_ONCE = 100;
const NAMES_OF = (ids: string) => `select id, 'claim' as kind, substr(claim_text, 1, 200) as words, null as year from claims where id in (${ids})
union all select id, 'page', coalesce(title, url), year from pages where id in (${ids})
union all select id, 'fragment', substr(text_content, 1, 200), null from fragments where id in (${ids})`;

/** The names of ids, as far as they are known yet. */
export function useNames(ids: string[]): Map<string, Name> {
  const key = useStore(keysGiven);
  const [names, setNames] = useState(new Map<string, Name>());
  const wanted = [...new Set(ids)].sort().join(" ");
  useEffect(() => {
    const leaving = new AbortController();
    const all = wanted.split(" ").filter((id) => id && !names.has(id));
    for (let at = 0; at < all.length; at += AT_ONCE) void ask(all.slice(at, at + AT_ONCE), leaving.signal).then((found) => setNames((former) => new Map([...former, ...found])), () => undefined);
    return () => leaving.abort();
  }, [wanted, key]);
  return names;
}

async function ask(ids: string[], signal: AbortSignal): Promise<[string, Name][]> {
  const names = listed(ids);
  const { rows } = await call("query_graph", { sql: NAMES_OF(names), limit: 200, timeout_ms: 2000 }, signal);
  return rows.map(([id, kind, words, year]) => [String(id), { words: String(words), kind: kind as Name["kind"], year: typeof year === "number" ? year : null }]);
}

export interface TaskName {
  id: string;
  question: string;
  status: string;
}

/** The tasks, newest first; null until they are known. */
export function useTasks(): TaskName[] | null {
  const rows = useRows("select id, query, status from tasks order by created_at desc").answer;
  return rows && rows.map((row: Row) => ({ id: String(row["id"]), question: String(row["query"]), status: String(row["status"]) }));
}
