// What a task's report says.
import { words } from "../../words";

export const table = words(
  {
    task: "Task", created: "begun", exploring: "being explored", paused: "paused", completed: "completed", failed: "failed", cancelled: "cancelled",
    begunAt: (day: string) => `begun ${day}`, endedAt: (day: string) => `ended ${day}`,
    found: (claims: number, fragments: number, pages: number) => `${claims} ${claims === 1 ? "statement" : "statements"}, ${fragments} ${fragments === 1 ? "quotation" : "quotations"} from ${pages} ${pages === 1 ? "source" : "sources"}`,
    sides: (supports: number, refutes: number, neutral: number) => `▲ ${supports} for · ▼ ${refutes} against · ● ${neutral} neutral`,
    summary: "Summary", noSummary: "No summary was written yet.", queries: "Questions that were searched", noQueries: "No searches were noted.", hits: (many: number) => `${many} hits`,
    statements: "Statements", disputed: "Disputed", settled: "Not disputed", noStatements: "This task has no statements yet.", for: "For", against: "Against", neutral: "Neutral", noneFor: "Nothing speaks for it.", noneAgainst: "Nothing speaks against it.",
    more: (many: number) => `${many} more`, sureness: (value: string) => `sure ${value}`,
    sources: "Sources by weight", source: "Source", host: "Host", year: "Year", weight: "Weight", supported: "Statements supported", citedBy: "Cited by", noSources: "No sources yet.",
    copy: "Copy as Markdown", copied: "The report was copied.", saved: "This page may not use the clipboard: the report was saved as a file.", print: "Print", analyses: "Analyses of this task",
    truncated: (many: number) => `Only the first ${many} are here.`, rest: "The rest in SQL",
  },
  {
    task: "課題", created: "開始前", exploring: "調査中", paused: "中断中", completed: "完了", failed: "失敗", cancelled: "中止",
    begunAt: (day: string) => `${day} 開始`, endedAt: (day: string) => `${day} 終了`,
    found: (claims: number, fragments: number, pages: number) => `主張${claims}件・引用${fragments}件・出典${pages}件`,
    sides: (supports: number, refutes: number, neutral: number) => `▲ 支持${supports}・▼ 反対${refutes}・● 中立${neutral}`,
    summary: "まとめ", noSummary: "まとめはまだ書かれていません。", queries: "検索した質問", noQueries: "検索の記録はありません。", hits: (many: number) => `${many}件`,
    statements: "主張", disputed: "係争中", settled: "係争なし", noStatements: "この課題にはまだ主張がありません。", for: "支持", against: "反対", neutral: "中立", noneFor: "支持する引用はありません。", noneAgainst: "反対する引用はありません。",
    more: (many: number) => `ほか${many}件`, sureness: (value: string) => `確度 ${value}`,
    sources: "重み順の出典", source: "出典", host: "サイト", year: "年", weight: "重み", supported: "支持する主張", citedBy: "被引用", noSources: "まだ出典がありません。",
    copy: "Markdownでコピーする", copied: "報告をコピーしました。", saved: "クリップボードが使えないため、報告をファイルに保存しました。", print: "印刷する", analyses: "この課題の分析",
    truncated: (many: number) => `ここにあるのは最初の${many}件です。`, rest: "残りをSQLで見る",
  },
);

export type TaskWords = (typeof table)["en"];
