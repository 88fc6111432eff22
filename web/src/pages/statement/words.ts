// What the page of one statement says; its dialogs have their own table.
import { words } from "../../words";

const yearsEn = (oldest: number, newest: number) => (oldest === newest ? `from ${oldest}` : `from ${oldest} to ${newest}`);
const yearsJa = (oldest: number, newest: number) => (oldest === newest ? `${oldest}年` : `${oldest}〜${newest}年`);

export const table = words(
  {
    none: "No statement is named.", ask: "Ask the memory", reading: "Reading the statement…",
    takenFrom: "Taken from", rests: "What speaks about it comes from", paragraph: (at: number) => `paragraph ${at}`, inItsPage: "in its page", openSource: "Open the source",
    disputedSides: (supports: number, refutes: number) => `Disputed: ${supports} for, ${refutes} against.`, disputedBy: "Disputed: it contradicts", replacedBy: "Replaced by", replacedOn: (day: string) => `since ${day}.`,
    endedOn: (day: string) => `It no longer holds since ${day}.`, holdsFrom: (day: string) => `It holds from ${day} on.`, holdsUntil: (day: string) => `It holds until ${day}.`,
    expiredOn: (day: string) => `It expired on ${day}.`, rejectedOn: (day: string) => `Rejected on ${day}: it is left out of recall and of the analyses.`,
    replacesOthers: "It replaced", settle: "Settle it in the review",
    evidence: "For and against", noEvidence: "Nothing speaks for or against it yet.", noneOnSide: "Nothing on this side.", weight: (sum: string) => `weight ${sum}`,
    neutralOnes: (many: number) => `${many} neutral`, judgedBy: (judge: string) => `judged by ${judge}`, human: "a person", names: "names in the texts", insight: "insight", nobody: "the judge is not named", sure: (figure: string) => `sure ${figure}`,
    origin: "it was taken from here", anotherClaim: "another statement, not counted as evidence",
    howSure: "How sure", against: "against", for: "for", distribution: (mean: string, spread: string, lean: string) => `${mean}, give or take ${spread}: ${lean}`,
    pagesAndHosts: (pages: number, hosts: number) => `${pages} ${pages === 1 ? "page" : "pages"}, ${hosts} ${hosts === 1 ? "host" : "hosts"}`, years: yearsEn, figures: "The same in figures",
    mean: "How sure", spread: "Give or take", controversy: "Disputed, 0 to 1", pages: "Pages", hosts: "Hosts", oldest: "Oldest", newest: "Newest",
    inPage: "In its page", closePage: "Close", before: "Earlier in the page", after: "Later in the page", wholePage: "The whole page", quoted: "quoted", noFragments: "No passage of this page is stored.",
    aboutPage: "About this source", address: "Address", notOpened: "not opened: only http and https are", year: "Year", noYear: "not known", host: "Host", cites: "Cites", citedBy: "Cited by", passages: "Passages",
    claimsOnIt: "Statements that rest on it", noClaims: "No statement rests on it yet.", noCites: "None is stored.",
    history: "History", versions: "Versions", version: (number: number) => `version ${number}`, newestVersion: "newest", of: (number: number, all: number) => `Version ${number} of ${all}`, toNewest: "Back to the newest",
    bringVersion: "Bring this version back", compare: "compared with", added: "added", removed: "taken away", same: "Their texts are the same.", knownSince: (day: string) => `Versions are known from ${day} on.`, more: "Show all of the history", nothingHappened: "Nothing is told of it.",
    relations: "Relations", noRelations: "It is not related to anything yet.", addRelation: "Relate it to another", inGraph: "Show in the graph", thickness: (figure: string) => `thickness ${figure}`, takeAway: "Take away", moreRelations: "Show more relations",
    details: "All that is stored about it", id: "Id", namespace: "Namespace", kind: "Kind", metadata: "Metadata", provenance: "Provenance", created: "Saved", updated: "Changed", observed: "Said", aliases: "Also called", utility: "Useful", confidence: "Sure", quality: "Quality", task: "Task",
    gone: "This is gone.", noSuch: "There is no such statement.", unknown: "Nothing here has this id, and nothing is told of it.", letGo: (day: string) => `It was let go on ${day}.`, deleted: "It was deleted for good: nothing brings it back.", standIn: "This says nearly the same:", restorable: (day: string) => `It can be brought back until ${day}.`, notRestorable: "Its receipt is no longer kept: it cannot be brought back.", bringBack: "Bring back", receipt: "Receipt", notHere: "It is no statement, but it has a history:",
  },
  {
    none: "主張が指定されていません。", ask: "メモリにたずねる", reading: "主張を読み込んでいます…",
    takenFrom: "出典:", rests: "証拠の出典:", paragraph: (at: number) => `第${at}段落`, inItsPage: "ページ内で見る", openSource: "出典を開く",
    disputedSides: (supports: number, refutes: number) => `係争中: 支持${supports}件、反対${refutes}件。`, disputedBy: "係争中: 次と矛盾します:", replacedBy: "置き換え先:", replacedOn: (day: string) => `（${day} から）`,
    endedOn: (day: string) => `${day} から無効です。`, holdsFrom: (day: string) => `${day} から有効です。`, holdsUntil: (day: string) => `${day} まで有効です。`,
    expiredOn: (day: string) => `${day} に期限が切れました。`, rejectedOn: (day: string) => `${day} に却下されました。想起と分析から除かれています。`,
    replacesOthers: "置き換え元:", settle: "確認で決着させる",
    evidence: "支持と反対", noEvidence: "賛否の証拠はまだありません。", noneOnSide: "こちら側には何もありません。", weight: (sum: string) => `重み ${sum}`,
    neutralOnes: (many: number) => `中立 ${many}件`, judgedBy: (judge: string) => `判定: ${judge}`, human: "人", names: "文中の名前", insight: "洞察", nobody: "判定者の記録なし", sure: (figure: string) => `確かさ ${figure}`,
    origin: "ここから得た主張", anotherClaim: "別の主張（証拠には数えません）",
    howSure: "確かさ", against: "反対", for: "支持", distribution: (mean: string, spread: string, lean: string) => `${mean}（±${spread}）: ${lean}`,
    pagesAndHosts: (pages: number, hosts: number) => `${pages}ページ・${hosts}サイト`, years: yearsJa, figures: "数値で見る",
    mean: "確かさ", spread: "幅", controversy: "係争の度合い（0〜1）", pages: "ページ", hosts: "サイト", oldest: "最も古い", newest: "最も新しい",
    inPage: "ページの中で", closePage: "閉じる", before: "ページの前の部分", after: "ページの続き", wholePage: "ページ全体", quoted: "引用箇所", noFragments: "このページの文章は保存されていません。",
    aboutPage: "この出典について", address: "アドレス", notOpened: "http と https 以外は開きません", year: "年", noYear: "不明", host: "サイト", cites: "引用している", citedBy: "引用されている", passages: "文章",
    claimsOnIt: "これに基づく主張", noClaims: "これに基づく主張はまだありません。", noCites: "保存されていません。",
    history: "履歴", versions: "版", version: (number: number) => `第${number}版`, newestVersion: "最新", of: (number: number, all: number) => `全${all}版中の第${number}版`, toNewest: "最新版に戻る",
    bringVersion: "この版に戻す", compare: "比較する版", added: "追加", removed: "削除", same: "本文は同じです。", knownSince: (day: string) => `${day} 以降の版が残っています。`, more: "履歴をすべて表示する", nothingHappened: "記録はありません。",
    relations: "関係", noRelations: "まだ何とも関係づけられていません。", addRelation: "関係を加える", inGraph: "グラフで見る", thickness: (figure: string) => `太さ ${figure}`, takeAway: "外す", moreRelations: "関係をさらに表示する",
    details: "保存されている内容のすべて", id: "ID", namespace: "名前空間", kind: "種類", metadata: "メタデータ", provenance: "来歴", created: "保存", updated: "変更", observed: "発言", aliases: "別名", utility: "有用さ", confidence: "確かさ", quality: "質", task: "課題",
    gone: "これはもうありません。", noSuch: "そのような主張はありません。", unknown: "この ID のものはなく、記録もありません。", letGo: (day: string) => `${day} に手放されました。`, deleted: "完全に削除されました。元に戻せません。", standIn: "ほぼ同じ内容のもの:", restorable: (day: string) => `${day} まで元に戻せます。`, notRestorable: "控えはもう残っていないため、元に戻せません。", bringBack: "元に戻す", receipt: "控え", notHere: "主張ではありませんが、記録があります:",
  },
);

export type Say = (typeof table)["en"];

/** Who judged, in words for the judges that the memory itself names. */
export function judgeName(judge: string | null, say: Say): string | null {
  return judge === "human" || judge === "names" || judge === "insight" ? say[judge] : judge;
}
