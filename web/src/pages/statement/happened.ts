// What happened to a statement, in words of the reader's language; what they do not cover is told as the service tells it.
import type { HistoryEntry } from "../../verbs";
import { words } from "../../words";

type Figures = Record<string, unknown>;

export const happenings = words(
  {
    saved: "Saved", savedAs: (version: number) => `Saved as version ${version}`, savedAgain: "Saved again: the text was there already", broughtVersion: (of: number, version: number) => `Version ${of} was brought back as version ${version}`, byPolicy: (version: number) => `Changed as the policy asks (version ${version})`,
    related: (tag: string) => `Related (${tag}) to`, relatedFrom: (tag: string) => `Related (${tag}) from`, unrelated: (tag: string) => `The relation (${tag}) was taken away:`, replacedBy: "Replaced by", replaced: "Took the place of", ended: "It no longer holds", reopened: "It holds again",
    judged: (signal: string) => `Judged: ${signal}`, helpful: "helpful", harmful: "harmful", outdated: "outdated", duplicate: "a duplicate", completed: "completed", of: "of",
    utility: "useful", confidence: "sure", quality: "quality", change: (name: string, before: string, after: string) => `${name} ${before} → ${after}`, strengthened: "Its relations became stronger", weakened: "Its relations became weaker",
    edge_correct: "A person corrected what a source says about it", claim_reject: "A person rejected it", claim_restore: "A person adopted it again", page_correct: "A person corrected what is known about it",
    added: "Added", evidence: "Evidence was added", forgotten: "Forgotten, as asked", expired: "Let go: its time was over", letGo: "Let go", returned: "Brought back",
  },
  {
    saved: "保存", savedAs: (version: number) => `第${version}版として保存`, savedAgain: "再び保存（同じ文がすでにありました）", broughtVersion: (of: number, version: number) => `第${of}版に戻す（第${version}版）`, byPolicy: (version: number) => `方針による変更（第${version}版）`,
    related: (tag: string) => `関係づけ（${tag}）→`, relatedFrom: (tag: string) => `関係づけ（${tag}）←`, unrelated: (tag: string) => `関係（${tag}）を外す:`, replacedBy: "置き換え先:", replaced: "置き換え元:", ended: "無効になる", reopened: "再び有効になる",
    judged: (signal: string) => `判定: ${signal}`, helpful: "役に立った", harmful: "害になった", outdated: "古くなった", duplicate: "重複", completed: "完了", of: "元:",
    utility: "有用さ", confidence: "確かさ", quality: "質", change: (name: string, before: string, after: string) => `${name} ${before} → ${after}`, strengthened: "関係が強まる", weakened: "関係が弱まる",
    edge_correct: "人が判定を訂正", claim_reject: "人が却下", claim_restore: "人が再び採用", page_correct: "人が出典の情報を訂正",
    added: "追加", evidence: "証拠の追加", forgotten: "依頼により忘れる", expired: "期限切れで手放す", letGo: "手放す", returned: "元に戻す",
  },
);

export type SayHappened = (typeof happenings)["en"];

export interface Happened {
  text: string;
  /** The other statement that it is about. */
  other: string | null;
}

export function happened(entry: HistoryEntry, about: string, say: SayHappened): Happened {
  const isSource = entry.node_id === about;
  const other = isSource ? entry.other_id : entry.node_id;
  const text = wordsOf(entry, isSource, say);
  return text === null ? { text: entry.text, other: null } : { text, other };
}

function wordsOf({ topic, payload, other_id }: HistoryEntry, isSource: boolean, say: SayHappened): string | null {
  const tag = String(payload["tag"] ?? "");
  switch (topic) {
    case "ingest": return saved(payload, say);
    case "integrate": return isSource ? say.related(tag) : say.relatedFrom(tag);
    case "delete": return other_id === null ? null : say.unrelated(tag);
    case "replace": return tag ? null : other_id === null ? say.ended : isSource ? say.replacedBy : say.replaced;
    case "reopen": return say.reopened;
    case "feedback": return judged(payload, other_id !== null, say);
    case "critic": return changes(payload, say);
    case "reinforce": return other_id !== null ? null : payload["weaken"] ? say.weakened : say.strengthened;
    case "correct": return known(say, payload["action"]);
    case "evidence": return payload["status"] === "created" ? say.added : say.evidence;
    case "retire": return payload["rule"] === "forget" ? say.forgotten : payload["rule"] === "expired" ? say.expired : say.letGo;
    case "return": return say.returned;
    default: return null;
  }
}

function saved(payload: Figures, say: SayHappened): string {
  const version = Number(payload["version"]);
  if (payload["rule"] === "policy") return say.byPolicy(version);
  if (typeof payload["of_version"] === "number") return say.broughtVersion(payload["of_version"], version);
  if (payload["status"] === "duplicate") return say.savedAgain;
  return payload["status"] === "updated" ? say.savedAs(version) : say.saved;
}

function judged(payload: Figures, hasOther: boolean, say: SayHappened): string {
  return say.judged(known(say, payload["signal"]) ?? String(payload["signal"])) + (hasOther ? ` ${say.of}` : "");
}

function changes(payload: Figures, say: SayHappened): string | null {
  const told = (["utility", "confidence", "quality"] as const).flatMap((name) => {
    const pair = payload[name];
    return Array.isArray(pair) && pair[0] !== pair[1] ? [say.change(say[name], Number(pair[0]).toFixed(2), Number(pair[1]).toFixed(2))] : [];
  });
  return told.join(", ") || null;
}

/** The word for a value that the service names, if there is one. */
function known(say: SayHappened, name: unknown): string | null {
  const found = typeof name === "string" && Object.hasOwn(say, name) ? say[name as keyof SayHappened] : null;
  return typeof found === "string" ? found : null;
}

export const fields = words(
  {
    changed: "changed", title: "title", aliases: "other names", metadata: "metadata", source: "source", kind: "kind", scope: "how long it holds", class: "class", confidence: "how sure", quality: "quality", pinned: "pinned",
    valid_from: "since when it holds", valid_to: "until when it holds", superseded_by: "what replaced it", slot: "slot", speaker: "speaker", session: "session", expires_at: "when it expires", rejected: "rejected", confirmed: "confirmed", nothing: "nothing",
  },
  {
    changed: "変更", title: "題", aliases: "別名", metadata: "メタデータ", source: "来歴", kind: "種類", scope: "有効範囲", class: "区分", confidence: "確かさ", quality: "質", pinned: "固定",
    valid_from: "有効期間の始まり", valid_to: "有効期間の終わり", superseded_by: "置き換え先", slot: "スロット", speaker: "話者", session: "セッション", expires_at: "期限", rejected: "却下", confirmed: "確認", nothing: "なし",
  },
);

/** What a version changed, if not its text, in the reader's words; of a text, the text. */
export function versionText(text: string, say: (typeof fields)["en"]): string {
  const names = /^changed: ([a-z_, ]+)$/.exec(text)?.[1]?.split(", ");
  if (!names?.every((name) => Object.hasOwn(say, name))) return text;
  return `${say.changed}: ${names.map((name) => say[name as keyof typeof say]).join(", ")}`;
}
