// What the pages of care say. What the service says in words of its own stays as it says it.
import { words } from "../../words";

export const careWords = words(
  {
    review: "Review", upkeep: "Upkeep", insight: "Proposals", metabolism: "Let go", receipts: "Receipts", log: "Log", namespace: "Namespace", everywhere: "everywhere",
    wantsWrite: "Your key may look, but not change anything.", wantsAdmin: "Your key may look at the memory, but this needs the role admin.",
    bringBack: "Bring back", openRun: "what went with it", untitled: "(no title)",
    cameBack: (many: number, links: number) => `${many === 1 ? "One statement" : `${many} statements`}${links ? ` and ${links} ${links === 1 ? "relation" : "relations"}` : ""} came back.`,
    stayedOut: (many: number) => `${many} could not come back:`,
  },
  {
    review: "確認", upkeep: "手入れ", insight: "提案", metabolism: "整理", receipts: "控え", log: "記録", namespace: "名前空間", everywhere: "すべての場所",
    wantsWrite: "このキーでは閲覧のみ可能で、変更はできません。", wantsAdmin: "このキーで閲覧はできますが、この操作には admin の役割が必要です。",
    bringBack: "元に戻す", openRun: "同時に手放されたもの", untitled: "（題名なし）",
    cameBack: (many: number, links: number) => `${many}件${links ? `と関係${links}件` : ""}が元に戻りました。`,
    stayedOut: (many: number) => `${many}件は元に戻せませんでした:`,
  },
);

export const upkeepWords = words(
  {
    title: "What upkeep found by itself", nothing: "Nothing waits.", never: "It has not run yet.", look: "Look now", looking: "Looking…", apply: "Do it", undo: "Take back this run",
    off: "It is off: it runs only when you say so.", propose: "It looks by itself and changes nothing.", apply_mode: "It does by itself what it finds, from the second run on.", change: "policy",
    proposed: "waits", applying: "under way", applied: "done", undone: "taken back", relations: (many: number) => `${many} ${many === 1 ? "relation" : "relations"}`, removals: (many: number) => `${many} ${many === 1 ? "removal" : "removals"}`,
    judged: (many: number) => `${many} new ${many === 1 ? "memo" : "memos"} judged`, plan: (id: string) => `relations (${id})`, wouldGo: "what may go", went: "what went",
    looked: "Upkeep has looked.", did: (relations: number, removals: number) => `Done: ${relations} related, ${removals} let go.`, takenBack: "All that the run did was taken back.",
    state: "State", when: "When", what: "What", open: "Open",
  },
  {
    title: "自動の手入れで見つかったもの", nothing: "待っているものはありません。", never: "まだ実行されていません。", look: "今すぐ調べる", looking: "調べています…", apply: "実行する", undo: "この回を取り消す",
    off: "自動では行いません。指示したときだけ実行します。", propose: "自動で調べますが、何も変更しません。", apply_mode: "2回目以降は、見つけたものを自動で実行します。", change: "ポリシー",
    proposed: "待機中", applying: "実行中", applied: "実行済み", undone: "取り消し済み", relations: (many: number) => `関係${many}件`, removals: (many: number) => `手放し${many}件`,
    judged: (many: number) => `新しいメモ${many}件を判定`, plan: (id: string) => `関係（${id}）`, wouldGo: "手放せるもの", went: "手放したもの",
    looked: "調べました。", did: (relations: number, removals: number) => `実行しました: 関係${relations}件、手放し${removals}件。`, takenBack: "この回に行ったことをすべて取り消しました。",
    state: "状態", when: "日時", what: "内容", open: "開く",
  },
);

export const reviewWords = words(
  {
    title: "What contradicts", open: (many: number, more: boolean) => `${many}${more ? "+" : ""} open`, position: (at: number, many: number) => `${at} of ${many}`, pairs: "Pairs", pair: "Pair", previous: "Previous", later: "Later",
    empty: "Nothing contradicts. Pairs of statements that do not fit together would be here.", emptyThere: "Nothing contradicts in this namespace.", allPlaces: "Look everywhere",
    newer: "looks newer", since: (day: string) => `holds since ${day}`, whole: "Open",
    slot: "Both are said to hold where only one can", relation: "Two relations where only one can hold", dispute: "Somebody said that these contradict", near: "Nearly the same, but not quite", alike: "Perhaps the same twice",
    sameTitle: "Same title, different facts", because: "Why they are here",
    quotes: "Quotes", noQuotes: "No quote speaks for or against it.",
    effects: "What each choice does", ifKept: (kept: string, other: string, day: string) => `If ${kept} stands: ${other} stays, marked replaced from ${day}; undo in Log.`,
    ifKeptOld: (kept: string, other: string) => `If ${kept} stands: ${other} stays, marked replaced from its beginning, as if it had never held; undo in Log.`,
    ifRelation: (kept: string, other: string, day: string) => `If ${kept} stands: the relation to ${other} ends on ${day}, and both statements stay. A relation that ended is not taken up again by an undo: relate them anew.`,
    ifBoth: "If both hold: neither changes, and the pair is not listed again; undo in Log.",
    stands: (name: string) => `${name} stands`, both: "Both hold", until: "The other held until (if you know)", untilHint: "What stands then holds from the next day on.",
  },
  {
    title: "食い違い", open: (many: number, more: boolean) => `未確認 ${many}${more ? "+" : ""}件`, position: (at: number, many: number) => `${many}件中 ${at}件目`, pairs: "組の一覧", pair: "組", previous: "前へ", later: "後で",
    empty: "食い違いはありません。両立しない主張の組がここに並びます。", emptyThere: "この名前空間に食い違いはありません。", allPlaces: "すべての場所を見る",
    newer: "新しいと思われる", since: (day: string) => `${day} から有効`, whole: "開く",
    slot: "一つしか成り立たない所に二つあります", relation: "一つしか成り立たない関係が二つあります", dispute: "食い違うと指摘されています", near: "ほぼ同じですが、一部が異なります", alike: "同じ内容が二つあるかもしれません",
    sameTitle: "題名は同じですが、事実が異なります", because: "ここにある理由",
    quotes: "引用", noQuotes: "支持・反対の引用はありません。",
    effects: "選んだ結果", ifKept: (kept: string, other: string, day: string) => `${kept} を採る場合: ${other} は残り、${day} から「置き換え済み」になります。記録から元に戻せます。`,
    ifKeptOld: (kept: string, other: string) => `${kept} を採る場合: ${other} は残りますが、最初から有効でなかったものとして「置き換え済み」になります。記録から元に戻せます。`,
    ifRelation: (kept: string, other: string, day: string) => `${kept} を採る場合: ${other} への関係は ${day} に終わり、どちらの記述も残ります。終わった関係は自動では戻りません。改めて関係づけてください。`,
    ifBoth: "両方を採る場合: どちらも変わらず、この組は今後表示されません。記録から元に戻せます。",
    stands: (name: string) => `${name} を採る`, both: "両方を採る", until: "もう一方が有効だった最後の日（分かる場合）", untilHint: "採ったほうは翌日から有効になります。",
  },
);

export const insightWords = words(
  {
    title: "Proposed relations", intro: "The memory can propose relations between statements that belong together. Nothing is related before you accept.",
    find: "Look for relations", what: "Among", allNew: "everything new", forQuestion: "what answers a question", question: "Question", forOne: (name: string) => `for “${name}”`,
    finding: "Comparing statements…", plans: "Plans", noPlans: "No plan has been made yet. Look for relations to make one.",
    proposes: (links: number, judged: number) => `${links} ${links === 1 ? "relation" : "relations"} proposed, ${judged} ${judged === 1 ? "statement" : "statements"} compared`,
    proposed: "not accepted yet", applied: "accepted", undone: "taken back", expired: "expired", on: (day: string) => `on ${day}`,
    plan: (id: string) => `Plan ${id}`, planOf: (day: string) => `Made ${day}`, remaining: (many: number) => `${many} more are new: accept this plan, then look again.`,
    worth: (many: number) => `${many} ${many === 1 ? "relation is" : "relations are"} worth making`, worthNone: "No relation is worth making.", notWorth: (many: number) => `${many} not worth making`,
    noRejected: "What was not worth it is told right after the search only. Look again to see it.",
    leave: (day: string) => `What you leave open can be decided until ${day}. What you decline is not proposed again, unless one of the two texts changes.`,
    acceptAll: (many: number) => `Accept all ${many}`, acceptChosen: (many: number) => `Accept the ${many} chosen`, choose: "Choose this relation", chooseAll: "Choose all", chooseNone: "Choose none",
    declineAll: (many: number) => `Decline all ${many}`, declineChosen: (many: number) => `Decline the ${many} chosen`, accept: "Accept", decline: "Decline", takeBack: "Take back", reason: "Why you decline (optional)",
    stateMade: "accepted", stateLeftOut: "left out: an end was gone, or they were related already", stateDeclined: "declined", declinedNow: (many: number) => `${many} ${many === 1 ? "relation was" : "relations were"} declined.`, openAgain: (many: number) => `${many} ${many === 1 ? "is" : "are"} open again.`,
    acceptHint: "What you accept is kept as a guess (how sure: 0.15) until it proves useful or you state it yourself.",
    made: (many: number) => `${many} ${many === 1 ? "relation was" : "relations were"} made.`,
    left: (many: number) => (many ? `Taken back; ${many} that were changed since stay.` : "Taken back: none of its relations is left."),
    undoPlan: "Take back this plan", isRelated: "is related to", relates: (tag: string) => ({ same_subject: "is about the same subject as", follows: "follows" } as Record<string, string>)[tag] ?? `is ${tag} to`,
    similarity: "meaning", words: "shared words", score: "fits", gain: "gain", wellWorth: "well worth its cost", worthIt: "worth its cost", justWorth: "just worth its cost", notWorthIt: "not worth its cost",
    weight: (value: string) => `as strong as ${value} of 1`, gate: "The gate's values", cost: "g: cost less gain; lower is better", hop: "steps at which g is lowest", ged: "change of the graph", h: "change of order (entropy)", sp: "shorter ways", distance: "steps apart before", far: "no way was seen", theta: "g must be at most", neighbours: "neighbours in common",
    gone: "no longer here",
  },
  {
    title: "関係の提案", intro: "関連のありそうな記述どうしの関係を提案します。承認するまで何も結ばれません。",
    find: "関係を探す", what: "対象", allNew: "新しいものすべて", forQuestion: "質問に答えるもの", question: "質問", forOne: (name: string) => `「${name}」について`,
    finding: "記述を比べています…", plans: "計画", noPlans: "計画はまだありません。関係を探すと作られます。",
    proposes: (links: number, judged: number) => `関係 ${links}件の提案（${judged}件を比較）`,
    proposed: "未承認", applied: "承認済み", undone: "取り消し済み", expired: "期限切れ", on: (day: string) => day,
    plan: (id: string) => `計画 ${id}`, planOf: (day: string) => `作成 ${day}`, remaining: (many: number) => `新しいものがあと${many}件あります。この計画を承認してから、もう一度探してください。`,
    worth: (many: number) => `結ぶ価値のある関係 ${many}件`, worthNone: "結ぶ価値のある関係はありません。", notWorth: (many: number) => `価値がないと判断された関係 ${many}件`,
    noRejected: "価値がないと判断されたものは、探した直後にだけ表示されます。見るにはもう一度探してください。",
    leave: (day: string) => `そのままにしたものは ${day} まで決められます。断ったものは、どちらかの文章が変わらない限り再び提案されません。`,
    acceptAll: (many: number) => `${many}件すべて承認する`, acceptChosen: (many: number) => `選んだ${many}件を承認する`, choose: "この関係を選ぶ", chooseAll: "すべて選ぶ", chooseNone: "選択を外す",
    declineAll: (many: number) => `${many}件すべて断る`, declineChosen: (many: number) => `選んだ${many}件を断る`, accept: "承認する", decline: "断る", takeBack: "取り消す", reason: "断る理由（任意）",
    stateMade: "承認済み", stateLeftOut: "除外（端がないか、すでに結ばれています）", stateDeclined: "断りました", declinedNow: (many: number) => `${many}件を断りました。`, openAgain: (many: number) => `${many}件を未決に戻しました。`,
    acceptHint: "承認したものは推測（確かさ 0.15）として保存され、役に立つか自分で述べるまで推測のままです。",
    made: (many: number) => `関係を${many}件結びました。`,
    left: (many: number) => (many ? `取り消しました。その後に変更された${many}件は残ります。` : "取り消しました。この計画の関係は残っていません。"),
    undoPlan: "この計画を取り消す", isRelated: "と関係がある:", relates: (tag: string) => ({ same_subject: "と同じ話題:", follows: "の前にあたるもの:" } as Record<string, string>)[tag] ?? `— ${tag} →`,
    similarity: "意味", words: "共通の語", score: "一致", gain: "利得", wellWorth: "十分に価値がある", worthIt: "価値がある", justWorth: "かろうじて価値がある", notWorthIt: "価値がない",
    weight: (value: string) => `強さ ${value}（最大 1）`, gate: "判定の値", cost: "g: 費用 − 利得（小さいほどよい）", hop: "g が最小になる歩数", ged: "グラフの変化", h: "秩序の変化（エントロピー）", sp: "短くなる道のり", distance: "以前の距離（歩数）", far: "道は見つからず", theta: "g の上限", neighbours: "共通の隣接",
    gone: "すでにありません",
  },
);

export const metabolismWords = words(
  {
    title: "What may go", intro: "What says nearly the same as something that stays may be let go. Nothing changes before you apply, and for 30 days everything can be brought back.",
    planning: "Weighing every relation and statement…", thickness: "Relations by strength", thicknessMeasure: "strength of a relation", relationsCounted: "relations", thin: "thin", thick: "thick enough", prune: "Cut: thinner relations are weak",
    difficulty: "Weak statements by what would be lost", difficultyMeasure: "difference from the nearest that stays", statementsCounted: "statements", alike: "near enough", unlike: "too different: stays", benefit: "Cut: what differs less may go",
    ownCuts: "Namespaces with settings of their own are cut by those; a cut that you move holds for all of them.",
    more: "Further settings", halfLife: "Days until a relation is half as strong", protection: "Hours for which what is new stays", orphans: "Without any relation", entities: "only names go", allOrphans: "everything goes untested", asPolicy: "as the policy says", reset: "Back to the policy's settings",
    examined: (nodes: number, links: number) => `${nodes} statements and ${links} relations were looked at.`,
    wouldGo: (nodes: number, links: number) => `${nodes} ${nodes === 1 ? "statement" : "statements"} and ${links} other ${links === 1 ? "relation" : "relations"} would go`, nothing: "Nothing would go.",
    goes: "What would go", standsIn: "What stands for it", why: "Why", orphan: "Nothing is related to it.", restorable: (near: string) => `Nearly the same (${near})`, relationsOf: (many: number) => `${many} ${many === 1 ? "relation goes" : "relations go"} with it`, keep: "Keep", keeping: (many: number) => `${many} kept`, noStandIn: "nothing",
    relations: (many: number) => `Relations that would go by themselves (${many})`, ruleThin: "thin", ruleExclusive: "a stronger one excludes it", ruleDuplicate: "another says the same", strength: "Strength", relation: "Relation",
    spared: (many: number) => `Spared, though weak (${many})`, nearest: "nearest",
    conflicts: (many: number) => `Relations that exclude each other (${many})`, undecided: (many: number) => `${many} undecided: all of them stay.`, stays: "stays", allStay: "all stay", settleThese: "Settle them in Review",
    shownFirst: (many: number) => `The first ${many} are shown.`,
    apply: (nodes: number, links: number) => `Let ${nodes} ${nodes === 1 ? "statement" : "statements"} and ${links} ${links === 1 ? "relation" : "relations"} go…`,
    confirm: (nodes: number, links: number) => `Let ${nodes} ${nodes === 1 ? "statement" : "statements"}, with all that relates to ${nodes === 1 ? "it" : "them"}, and ${links} other ${links === 1 ? "relation" : "relations"} go?`,
    confirmHint: "Exactly what this plan shows goes; what changed meanwhile stays. Everything can be brought back for 30 days.", confirmYes: "Let them go",
    went: (nodes: number, links: number, skipped: number) => `${nodes} ${nodes === 1 ? "statement" : "statements"} and ${links} ${links === 1 ? "relation" : "relations"} were let go${skipped ? `; ${skipped} stayed after all` : ""}.`,
    run: (id: string) => `Run ${id}`, runs: "Former runs", noRuns: "Nothing has been let go by a run yet.", runTitle: "What a run let go", bringAll: "Bring back all of it", restorableUntil: (day: string) => `Can be brought back until ${day}.`, notRestorable: "There is nothing left to bring back.",
  },
  {
    title: "手放せるもの", intro: "残るものとほぼ同じ内容の記述は手放せます。実行するまで何も変わらず、30日間はすべて元に戻せます。",
    planning: "関係と記述を調べています…", thickness: "関係の強さの分布", thicknessMeasure: "関係の強さ", relationsCounted: "関係", thin: "弱い", thick: "十分に強い", prune: "境界: これより弱い関係は弱いとみなします",
    difficulty: "弱い記述の失われる情報量", difficultyMeasure: "残る最も近いものとの違い", statementsCounted: "記述", alike: "十分に近い", unlike: "違いが大きく残る", benefit: "境界: 違いがこれより小さければ手放せます",
    ownCuts: "独自の設定がある名前空間はその設定に従います。境界を動かすとすべてに適用されます。",
    more: "その他の設定", halfLife: "関係の強さが半分になるまでの日数", protection: "新しいものを残す時間", orphans: "関係のないもの", entities: "名前のみ手放す", allOrphans: "比べずにすべて手放す", asPolicy: "方針のとおり", reset: "方針の設定に戻す",
    examined: (nodes: number, links: number) => `記述${nodes}件と関係${links}件を調べました。`,
    wouldGo: (nodes: number, links: number) => `手放されるもの: 記述${nodes}件、その他の関係${links}件`, nothing: "手放されるものはありません。",
    goes: "手放されるもの", standsIn: "代わりに残るもの", why: "理由", orphan: "何とも関係がありません。", restorable: (near: string) => `ほぼ同じ内容（${near}）`, relationsOf: (many: number) => `関係${many}件も一緒に手放されます`, keep: "残す", keeping: (many: number) => `${many}件は残します`, noStandIn: "なし",
    relations: (many: number) => `単独で手放される関係（${many}件）`, ruleThin: "弱い", ruleExclusive: "より強い関係と両立しない", ruleDuplicate: "同じ内容の関係がある", strength: "強さ", relation: "関係",
    spared: (many: number) => `弱くても残るもの（${many}件）`, nearest: "最も近いもの",
    conflicts: (many: number) => `両立しない関係（${many}件）`, undecided: (many: number) => `${many}件は未決のため、すべて残ります。`, stays: "残る", allStay: "すべて残る", settleThese: "確認で決める",
    shownFirst: (many: number) => `最初の${many}件を表示しています。`,
    apply: (nodes: number, links: number) => `記述${nodes}件と関係${links}件を手放す…`,
    confirm: (nodes: number, links: number) => `記述${nodes}件とその関係、およびその他の関係${links}件を手放しますか。`,
    confirmHint: "この計画に示したものだけを手放し、その間に変わったものは残します。30日間はすべて元に戻せます。", confirmYes: "手放す",
    went: (nodes: number, links: number, skipped: number) => `記述${nodes}件と関係${links}件を手放しました${skipped ? `（${skipped}件は残りました）` : ""}。`,
    run: (id: string) => `実行 ${id}`, runs: "以前の実行", noRuns: "まだ何も手放されていません。", runTitle: "この実行で手放されたもの", bringAll: "すべて元に戻す", restorableUntil: (day: string) => `${day} まで元に戻せます。`, notRestorable: "元に戻せるものは残っていません。",
  },
);

export const spareWords = words(
  {
    young: "younger than the protection", pinned: "pinned", policy_hint: "a standing rule", principle: "kept as a principle", restored: "was brought back lately", task: "belongs to a task that is not finished", evidence: "speaks for a statement that lives", page: "a piece of a source, which stays whole",
    ended: "expired, rejected or no longer in its source: kept as it is", stands_in: "others that were let go are restored from it", no_vector: "has nothing to compare it by yet", unique: "nothing that stays is near enough to restore it from", differs: "what is near says something else (a number, date, negation, name) or less", disputed: "what is near contradicts or replaces it", last_link: "the last relation of one that stays",
  },
  {
    young: "新しいため保護中", pinned: "固定されている", policy_hint: "常に適用される規則", principle: "原則として保存されている", restored: "最近元に戻された", task: "完了していない課題に属する", evidence: "有効な主張の証拠である", page: "出典の一部で、出典は丸ごと残る",
    ended: "期限切れ・却下済み・出典から消えたもの（そのまま残す）", stands_in: "手放された他のものの復元元である", no_vector: "比べる材料がまだない", unique: "復元元になるほど近いものが残らない", differs: "近いものは別のこと（数・日付・否定・名前）を述べているか、情報が少ない", disputed: "近いものと食い違うか、置き換えの関係にある", last_link: "残るものの最後の関係である",
  },
);

export const receiptWords = words(
  {
    title: "What was let go", intro: "What is forgotten, redundant or expired goes with a receipt, and can be brought back for 30 days.", empty: "Nothing has been let go. Receipts of what was forgotten, was redundant or has expired would be here.",
    forget: "forgotten, as asked", restorable: "another says nearly the same", orphan: "nothing was related to it", expired: "its time was over", other: "let go", why: "Why", any: "any reason", onlyRestorable: "only what can be brought back",
    until: (day: string) => `can be brought back until ${day}`, isBack: "is back", erased: "erased for good", over: "its receipt is no longer kept", standIn: "Stands for it:", went: (day: string) => `let go ${day}`, showAll: "Show all", filtered: (many: number) => `${many} were let go, and all of them are filtered out.`, history: "Its history",
  },
  {
    title: "手放されたもの", intro: "忘れたもの・重複したもの・期限切れのものは控えとともに手放され、30日間は元に戻せます。", empty: "手放されたものはありません。忘れたもの・重複したもの・期限切れのものの控えがここに並びます。",
    forget: "指示により忘れた", restorable: "ほぼ同じ内容のものがある", orphan: "何とも関係がなかった", expired: "期限が過ぎた", other: "手放した", why: "理由", any: "すべての理由", onlyRestorable: "元に戻せるもののみ",
    until: (day: string) => `${day} まで元に戻せます`, isBack: "元に戻っています", erased: "完全に消去済み", over: "控えの保存期間が過ぎました", standIn: "代わりに残るもの:", went: (day: string) => `${day} に手放した`, showAll: "すべて表示する", filtered: (many: number) => `${many}件ありますが、すべて絞り込みで除かれています。`, history: "これまでの経過",
  },
);

export const logWords = words(
  {
    title: "What happened", fresh: (many: number, more: boolean) => `${many}${more ? "+" : ""} new`, live: "live: new lines are announced here", filters: "Filters", topic: "What", since: "From day", until: "To day", clear: "Clear filters",
    empty: "Nothing has happened yet.", filtered: "Nothing fits these filters.", ended: "That is all.", of: "Only the history of", wholeLog: "The whole log", versions: "Versions", version: (number: number) => `version ${number}`, now: "now", holds: "Relations", standIn: "stands for it",
    statement: "statement", other: "the other one", run: (id: string) => `run ${id}`, plan: (id: string) => `plan ${id}`, task: (id: string) => `task ${id}`, details: "figures",
    undoRelation: "Take back", letHold: "Let it hold again", formerVersion: (number: number) => `Back to version ${number}`, takenBack: "The relation was deleted.", adopt: "Adopt it again", adopted: "The statement is adopted again.", request: "request",
  },
  {
    title: "起きたこと", fresh: (many: number, more: boolean) => `新着 ${many}${more ? "+" : ""}件`, live: "更新中: 新着はここに表示されます", filters: "絞り込み", topic: "内容", since: "開始日", until: "終了日", clear: "絞り込みを解除する",
    empty: "まだ何も起きていません。", filtered: "この絞り込みに合うものはありません。", ended: "これですべてです。", of: "経過の対象", wholeLog: "記録全体", versions: "版", version: (number: number) => `第${number}版`, now: "現在", holds: "関係", standIn: "代わりに残るもの",
    statement: "記述", other: "もう一方", run: (id: string) => `実行 ${id}`, plan: (id: string) => `計画 ${id}`, task: (id: string) => `課題 ${id}`, details: "数値",
    undoRelation: "取り消す", letHold: "再び有効にする", formerVersion: (number: number) => `第${number}版に戻す`, takenBack: "関係を削除しました。", adopt: "再び採用する", adopted: "主張を再び採用しました。", request: "要求",
  },
);

export const topicWords = words(
  {
    saving: "Saved", relating: "Related", judging: "Judged", going: "Let go", proposing: "Proposals", ruling: "Rules", asking: "Questions", working: "Tasks",
    ingest: "saved", import: "imported", evidence: "evidence", rename: "moved", integrate: "related", reinforce: "strengthened", feedback: "judged", critic: "after a judgement", correct: "corrected", replace: "replaced", reopen: "holds again",
    delete: "deleted", retire: "let go", return: "brought back", metabolism: "run", insight: "plan carried out", plan: "plan made", upkeep: "upkeep", policy: "policy", filter: "refused", search: "searched", search_fallback: "searched with less", activate: "recalled", task: "task",
  },
  {
    saving: "保存", relating: "関係", judging: "判定", going: "手放し", proposing: "提案", ruling: "規則", asking: "質問", working: "課題",
    ingest: "保存", import: "インポート", evidence: "証拠", rename: "移動", integrate: "関係づけ", reinforce: "強化", feedback: "判定", critic: "判定の反映", correct: "訂正", replace: "置き換え", reopen: "再び有効",
    delete: "削除", retire: "手放し", return: "復元", metabolism: "整理の実行", insight: "計画の実行", plan: "計画の作成", upkeep: "手入れ", policy: "方針", filter: "拒否", search: "検索", search_fallback: "一部のみで検索", activate: "想起", task: "課題",
  },
);
