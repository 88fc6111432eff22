// Lines of the log in the reader's words. The service writes English: its sentence stands where this one is empty, or
// where a name is missing that the sentence needs.
import { firstWords } from "../../parts/card";
import type { HistoryEntry } from "../../verbs";
import { words } from "../../words";
import type { Text } from "./texts";

const NAME = 40;
const inEnglish = (..._: unknown[]) => "";

export const sentenceWords = words(
  {
    run: (nodes: number, links: number) => `a run let ${nodes} ${nodes === 1 ? "statement" : "statements"} and ${links} ${links === 1 ? "relation" : "relations"} go`,
    imported: (nodes: number, links: number) => `imported ${nodes} ${nodes === 1 ? "statement" : "statements"} and ${links} ${links === 1 ? "relation" : "relations"}`,
    moved: (source: string, target: string, nodes: number) => `moved ${source} to ${target}: ${nodes} ${nodes === 1 ? "statement" : "statements"}`,
    plan: inEnglish as (links: number) => string, made: inEnglish as (links: number) => string, undone: inEnglish as (links: number) => string,
    searched: inEnglish as (hits: number) => string, recalled: inEnglish as (items: number) => string, task: inEnglish as (status: string) => string,
    saved: inEnglish as (name: string, version: number) => string, related: inEnglish as (name: string, tag: string, other: string) => string, both: inEnglish as (name: string, other: string) => string,
    unrelated: inEnglish as (name: string, tag: string, other: string) => string, replaced: inEnglish as (name: string, other: string) => string, ended: inEnglish as (name: string) => string, holds: inEnglish as (name: string) => string,
    judged: inEnglish as (name: string, signal: string) => string, critic: inEnglish as (name: string) => string, evidence: inEnglish as (name: string) => string, back: inEnglish as (name: string) => string,
    forgotten: inEnglish as (name: string) => string, expired: inEnglish as (name: string) => string, orphan: inEnglish as (name: string) => string, redundant: inEnglish as (name: string) => string,
    rejected: inEnglish as (name: string) => string, adopted: inEnglish as (name: string) => string, corrected: inEnglish as (name: string) => string,
  },
  {
    run: (nodes: number, links: number) => `整理の実行により、記述${nodes}件と関係${links}件を手放しました`,
    imported: (nodes: number, links: number) => `記述${nodes}件と関係${links}件をインポートしました`,
    moved: (source: string, target: string, nodes: number) => `${source} を ${target} に移動しました（${nodes}件）`,
    plan: (links: number) => `関係${links}件を提案する計画を作成しました`, made: (links: number) => `計画により関係${links}件を結びました`, undone: (links: number) => `計画を取り消し、関係${links}件を削除しました`,
    searched: (hits: number) => `検索しました（${hits}件）`, recalled: (items: number) => `想起しました（${items}件）`, task: (status: string) => `課題の状態が ${status} になりました`,
    saved: (name: string, version: number) => `「${name}」を保存しました${version > 1 ? `（第${version}版）` : ""}`, related: (name: string, tag: string, other: string) => `「${name}」と「${other}」を関係づけました（${tag}）`, both: (name: string, other: string) => `「${name}」と「${other}」は両方とも有効とされました`,
    unrelated: (name: string, tag: string, other: string) => `「${name}」と「${other}」の関係（${tag}）を削除しました`, replaced: (name: string, other: string) => `「${name}」は「${other}」に置き換えられました`, ended: (name: string) => `「${name}」は有効でなくなりました`, holds: (name: string) => `「${name}」は再び有効になりました`,
    judged: (name: string, signal: string) => `「${name}」を判定しました（${signal}）`, critic: (name: string) => `「${name}」に判定を反映しました`, evidence: (name: string) => `「${name}」について証拠を加えました`, back: (name: string) => `「${name}」を元に戻しました`,
    forgotten: (name: string) => `「${name}」を指示により忘れました`, expired: (name: string) => `「${name}」を期限切れのため手放しました`, orphan: (name: string) => `「${name}」を手放しました（何とも関係がなかったため）`, redundant: (name: string) => `「${name}」を手放しました（ほぼ同じ内容が残るため）`,
    rejected: (name: string) => `主張「${name}」を却下しました`, adopted: (name: string) => `主張「${name}」を再び採用しました`, corrected: (name: string) => `「${name}」を訂正しました`,
  },
);
type Words = (typeof sentenceWords)["en"];

// What was let go has no text any more: its name is in the service's sentence.
const NAME_OF_GONE = /^(?:forgot|let go) '(.+?)'(?=[,:;])/;

function sentenceOfGone(rule: string, sentence: string, say: Words): string {
  const name = NAME_OF_GONE.exec(sentence)?.[1];
  if (name === undefined) return "";
  return rule === "forget" ? say.forgotten(name) : rule === "expired" ? say.expired(name) : rule === "orphan" ? say.orphan(name) : rule === "restorable" ? say.redundant(name) : "";
}

/** What happened, in the reader's words; empty where the service's own sentence has to do. */
export function sentenceOf({ topic, payload, node_id, other_id, text: sentence }: HistoryEntry, texts: Map<string, Text> | null, say: Words): string {
  const number = (key: string) => Number(payload[key] ?? 0);
  const text = (key: string) => String(payload[key] ?? "");
  switch (topic) {
    case "metabolism": return payload["state"] === "applied" ? say.run(number("nodes"), number("links")) : "";
    case "import": return say.imported(number("nodes"), number("edges"));
    case "rename": return say.moved(text("source"), text("target"), number("nodes"));
    case "plan": return "links" in payload ? say.plan(number("links")) : "";
    case "insight": return payload["state"] === "undone" ? say.undone(number("links")) : say.made(number("links"));
    case "search": return say.searched(number("hits"));
    case "activate": return say.recalled(number("items"));
    case "task": return say.task(text("status"));
    case "retire": return sentenceOfGone(text("rule"), sentence, say);
  }
  const [name, other] = [nameOf(node_id, texts), nameOf(other_id, texts)];
  if (name === null || (other_id && other === null)) return "";
  switch (topic) {
    case "ingest": return "rule" in payload || "redacted" in payload ? "" : say.saved(name, number("version"));
    case "integrate": return other === null ? "" : payload["tag"] === "compatible" ? say.both(name, other) : say.related(name, text("tag"), other);
    case "delete": return other === null ? "" : say.unrelated(name, text("tag"), other);
    case "replace": return "tag" in payload ? "" : other === null ? say.ended(name) : say.replaced(name, other);
    case "reopen": return say.holds(name);
    case "feedback": return say.judged(name, text("signal"));
    case "critic": return say.critic(name);
    case "evidence": return say.evidence(name);
    case "return": return say.back(name);
    case "correct": return payload["action"] === "claim_reject" ? say.rejected(name) : payload["action"] === "claim_restore" ? say.adopted(name) : say.corrected(name);
    default: return "";
  }
}

function nameOf(id: string | null, texts: Map<string, Text> | null): string | null {
  const known = id ? texts?.get(id) : undefined;
  return known ? firstWords(known.title ?? known.said, NAME) : null;
}
