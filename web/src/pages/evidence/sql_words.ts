// What the page of SQL says.
import { words } from "../../words";

export const table = words(
  {
    title: "Ask in SQL", intro: "One SELECT over all that your key may see. It reads and cannot change anything.", statement: "SQL statement", run: "Run", keys: "Ctrl+Enter runs; words are completed with ↑ ↓ and Tab.",
    schema: "Tables and columns", schemaHint: "A click inserts the name.", tables: "Tables", views: "Analyses", examples: "Start from an analysis", choose: "choose one", insert: (name: string) => `Insert ${name}`, columnsOf: (name: string) => `Columns of ${name}`,
    rows: (many: number, ms: number) => `${many} ${many === 1 ? "row" : "rows"} in ${ms} ms`, truncated: (many: number) => `There are more rows: only the first ${many} are here. Go on with “limit 200 offset ${many}”.`,
    failed: "The statement failed.", none: "No rows.", nothing: "The answer appears here.", csv: "Save as CSV", completions: "Completions", result: "Result", unknown: "unknown",
  },
  {
    title: "SQLでたずねる", intro: "キーで見える範囲すべてに対する一つのSELECTです。読むだけで、何も変更できません。", statement: "SQL文", run: "実行する", keys: "Ctrl+Enterで実行します。語は↑ ↓とTabで補完できます。",
    schema: "表と列", schemaHint: "クリックすると名前が入ります。", tables: "表", views: "分析", examples: "分析から始める", choose: "選んでください", insert: (name: string) => `${name} を挿入する`, columnsOf: (name: string) => `${name} の列`,
    rows: (many: number, ms: number) => `${many}行（${ms}ミリ秒）`, truncated: (many: number) => `続きがあります。ここにあるのは最初の${many}行です。「limit 200 offset ${many}」で続けられます。`,
    failed: "SQL文は失敗しました。", none: "該当する行はありません。", nothing: "答えはここに表示されます。", csv: "CSVで保存する", completions: "補完候補", result: "結果", unknown: "不明",
  },
);
