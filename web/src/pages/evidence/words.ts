// What the pages of evidence say.
import { words } from "../../words";

export const table = words(
  {
    evidence: "Evidence", intro: "What the evidence says as a whole: 16 analyses of statements, their sources and what speaks for and against them.",
    standing: "How statements stand", time: "Over time", sources: "Sources", citations: "Citations",
    analyses: "Analyses", tasks: "Tasks", sql: "SQL", task: "Task", allTasks: "all tasks", report: "Report of this task", noTasks: "No research task has been begun yet. One begins with", view: "Analysis",
    empty: "This analysis found nothing.", emptyHint: "It speaks of evidence: pages, quotations and statements that were judged by them. Evidence comes in with", filteredOut: (many: number) => `${many} rows are there, and all of them are filtered out.`,
    rows: (shown: number, all: number) => (shown === all ? `${all} ${all === 1 ? "row" : "rows"}` : `${shown} of ${all} rows`),
    truncated: (many: number) => `Only the first ${many} rows are here; sorting and filters act on these.`, rest: "Ask for the rest in SQL",
    filter: "Filter", clear: "Clear filters", contains: "contains", atLeast: "at least", atMost: "at most", remove: (what: string) => `Remove the filter ${what}`,
    sortBy: "Sort by", asFound: "as found", ascending: "up", descending: "down", csv: "Save as CSV", asSql: "As SQL",
    yes: "yes", no: "no", unknown: "unknown", moreOf: (many: number) => `${many} more`, noRow: "Nothing.",
    counted: "pieces of evidence", statements: "statements", ofSources: "sources", ofCitations: "citations", agreed: "agreed", disputed: "disputed", recently: "recently", earlier: "earlier",
    failed: "The analysis failed:", undisputed: "not disputed", supports: "for", refutes: "against", neutral: "neutral",
  },
  {
    evidence: "証拠", intro: "証拠全体から見えること。主張と出典、賛否についての16の分析です。",
    standing: "主張の裏づけ", time: "時の流れ", sources: "出典", citations: "引用関係",
    analyses: "分析", tasks: "課題", sql: "SQL", task: "課題", allTasks: "すべての課題", report: "この課題の報告", noTasks: "調査の課題はまだありません。次のコマンドで始められます:", view: "分析",
    empty: "この分析では何も見つかりませんでした。", emptyHint: "分析の対象は証拠（ページ・引用と、それにより判定された主張）です。証拠は次のコマンドで加えられます:", filteredOut: (many: number) => `${many}行ありますが、すべて絞り込みで除かれています。`,
    rows: (shown: number, all: number) => (shown === all ? `${all}行` : `${all}行中${shown}行`),
    truncated: (many: number) => `最初の${many}行だけです。並べ替えと絞り込みもこの範囲に限られます。`, rest: "残りをSQLでたずねる",
    filter: "絞り込み", clear: "絞り込みを解除する", contains: "を含む", atLeast: "以上", atMost: "以下", remove: (what: string) => `絞り込み「${what}」を外す`,
    sortBy: "並べ替え", asFound: "元の順", ascending: "昇順", descending: "降順", csv: "CSVで保存する", asSql: "SQLで見る",
    yes: "はい", no: "いいえ", unknown: "不明", moreOf: (many: number) => `ほか${many}件`, noRow: "なし。",
    counted: "証拠の数", statements: "主張の数", ofSources: "出典の数", ofCitations: "引用の数", agreed: "一致", disputed: "係争中", recently: "最近", earlier: "以前",
    failed: "分析に失敗しました:", undisputed: "係争なし", supports: "支持", refutes: "反対", neutral: "中立",
  },
);
