// What the page says, in English and Japanese. Each part of the page has its own table; both languages have equal keys.
import { usePreferences, type Language } from "./preferences";

type Phrase = string | ((...parts: never[]) => string);
export type Table<T> = Record<Language, T>;

export function words<T extends Record<string, Phrase>>(en: T, ja: { [Key in keyof T]: T[Key] extends string ? string : T[Key] }): Table<T> {
  return { en, ja: ja as T };
}

export function useWords<T>(table: Table<T>): T {
  return table[usePreferences().language];
}

// Words that many parts share.
export const common = words(
  {
    memo: "note", claim: "statement", fragment: "quotation", page: "source", entity: "thing",
    fact: "fact", preference: "preference", task: "task", policy_hint: "rule",
    session: "for a session", project: "for a project", principle: "as a principle",
    public: "public", internal: "internal", pii: "personal", secret: "secret",
    supports: "for", refutes: "against", neutral: "neutral",
    yourNote: "your note", agentSays: "an agent's statement", quoted: "quoted", noSource: "No source was given.", fromSources: (many: number) => (many === 1 ? "1 source" : `${many} sources`),
    writtenBy: (name: string) => `written by ${name}`, importedFrom: (name: string) => `imported, from ${name}`,
    saidBy: (name: string) => `said by ${name}`,
    disputed: "disputed", replaced: "replaced", ended: "no longer holds", expired: "expired", rejected: "rejected", pinned: "pinned",
    loading: "Loading…", retry: "Try again", close: "Close", cancel: "Cancel", more: "Show more", open: "Open", undo: "Undo",
    save: "Save", table: "Table", chart: "Chart", all: "all", none: "none", today: "today",
    notAllowed: "Your key does not allow this.", failed: "That did not work.", empty: "There is nothing here yet.",
    filteredOut: "Everything is filtered out.", gone: "This is gone.", reading: "Reading the memory…",
  },
  {
    memo: "メモ", claim: "主張", fragment: "引用", page: "出典", entity: "事物",
    fact: "事実", preference: "好み", task: "課題", policy_hint: "規則",
    session: "セッション限り", project: "プロジェクト", principle: "原則",
    public: "公開", internal: "内部", pii: "個人情報", secret: "機密",
    supports: "支持", refutes: "反対", neutral: "中立",
    yourNote: "自分のメモ", agentSays: "エージェントの主張", quoted: "引用", noSource: "出典は示されていません。", fromSources: (many: number) => `出典 ${many}件`,
    writtenBy: (name: string) => `${name} が記入`, importedFrom: (name: string) => `${name} からインポート`,
    saidBy: (name: string) => `${name} の発言`,
    disputed: "係争中", replaced: "置き換え済み", ended: "現在は無効", expired: "期限切れ", rejected: "却下済み", pinned: "固定",
    loading: "読み込み中…", retry: "再試行", close: "閉じる", cancel: "取り消す", more: "さらに表示", open: "開く", undo: "元に戻す",
    save: "保存する", table: "表", chart: "グラフ", all: "すべて", none: "なし", today: "今日",
    notAllowed: "このキーでは許可されていません。", failed: "うまくいきませんでした。", empty: "まだ何もありません。",
    filteredOut: "すべて絞り込みで除かれています。", gone: "これはもうありません。", reading: "メモリを読んでいます…",
  },
);
