// What the page of questions says.
import { words } from "../../words";

export const table = words(
  {
    ask: "Ask", question: "Question", placeholder: "What do you want to know?", mode: "How to look", search: "Search", activate: "Activate",
    searchHint: "What fits the words and the meaning", activateHint: "What matters now: also by use, certainty, age and relations",
    searching: "Searching the memory…", results: "Results", found: (many: number) => `${many} found`, nothing: "Nothing here says that.", nearest: "Nearest to it:",
    degraded: "By part of the ways only", rules: (many: number) => `${many} standing ${many === 1 ? "rule" : "rules"} always apply`,
    filtered: (many: number) => `${many} were found, and all of them are filtered out.`, showAll: "Show them",
    newest: "Newest", emptyMemory: "This memory is empty. Save a first note:", narrowed: "The filters leave nothing of the newest.",
    filters: "Filters", namespace: "Namespace", kind: "Kind", boundaryClass: "Class", writtenBy: "Written by", clear: "Clear filters",
  },
  {
    ask: "たずねる", question: "質問", placeholder: "知りたいことを入力してください", mode: "探し方", search: "検索する", activate: "思い出す",
    searchHint: "言葉と意味が合うもの", activateHint: "いま大事なもの（有用さ・確かさ・新しさ・関係も考慮）",
    searching: "メモリを検索しています…", results: "結果", found: (many: number) => `${many}件見つかりました`, nothing: "該当する記述はありません。", nearest: "最も近いもの:",
    degraded: "一部の方法のみで検索", rules: (many: number) => `常に適用される規則 ${many}件`,
    filtered: (many: number) => `${many}件ありますが、すべて絞り込みで除かれています。`, showAll: "表示する",
    newest: "新しい順", emptyMemory: "このメモリは空です。最初のメモを保存してください:", narrowed: "絞り込みの結果、表示できるものがありません。",
    filters: "絞り込み", namespace: "名前空間", kind: "種類", boundaryClass: "区分", writtenBy: "記入者", clear: "絞り込みを解除する",
  },
);
