// The texts of some statements, by id, asked for all of them at once.
import { useMemo } from "preact/hooks";
import { listed, useRows } from "../../sql";

const TEXTS = [["memos", "title", "content"], ["claims", "null", "claim_text"], ["fragments", "null", "text_content"], ["entities", "name", "name"], ["pages", "title", "title"]]
  .map(([table, title, text]) => `select id, ${title} as title, ${text} as said from ${table}`).join(" union all ");
const EXCERPT = 240;

export interface Text {
  title: string | null;
  said: string;
}

/** Texts by id; null until they are there. One that is gone, or that could not be read, is not among them. */
export function useTexts(ids: string[]): Map<string, Text> | null {
  const names = listed(ids);
  const sql = `select id, title, substr(said, 1, ${EXCERPT}) as said from (${TEXTS}) as texts where id in (${names})`;
  const { answer, isLoading } = useRows(ids.length ? sql : null, {}, Math.max(1, ids.length));
  const written = JSON.stringify(answer);
  return useMemo(() => {
    if (answer === null && isLoading) return null;
    return new Map((answer ?? []).map((row) => [String(row["id"]), { title: typeof row["title"] === "string" ? row["title"] : null, said: String(row["said"] ?? "") }]));
  }, [written, isLoading]);
}
