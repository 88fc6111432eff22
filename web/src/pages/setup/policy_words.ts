// What the page of policies says.
import { words } from "../../words";

export const table = words(
  {
    hint: "A policy says what may be kept, who may see it and how long it lives. One further up still holds below: a policy can only be stricter.",
    namespace: "Namespace", inForce: "In force here", default: "No policy of its own: the default holds, and those further up.",
    version: (version: string, day: string, by: string) => `Version ${version}, since ${day}${by && `, approved by ${by}`}.`,
    editor: "Policy (YAML)", check: "Check it", tryOn: "Try it on what is stored", apply: "Put it in force", approver: "Approved by (kept with the version)",
    first: "Try it on what is stored first; then it can be put in force.", toLine: (line: number) => `Go to line ${line}`, changedHere: "Not in force: changed here.", asInForce: "As it is in force.", reset: "Take back the changes",
    valid: (version: string) => `Version ${version} is valid.`, now: (version: string) => `Now version ${version} holds here.`, nowDefault: "Now the default holds here.",
    noChange: (checked: string) => `${checked} stored texts were looked at; none of them would change.`,
    wouldChange: (checked: string) => `${checked} stored texts were looked at. When they are brought in line with it:`,
    raised: (many: string) => `${many} would get a stricter class`, redacted: (many: string) => `${many} would have something taken out`, merged: (many: string) => `${many} would become one with another`,
    denied: (many: string) => `${many} would be deleted, because nothing of them may be kept`, violating: (many: string) => `${many} break a rule: they stay, and are not recalled`,
    applied: (version: string, place: string) => `Version ${version} is in force in ${place}.`, unchanged: "It was in force already.", wasTried: "Tried; it can be put in force now.",
    versions: "Versions", noVersions: "None was applied here yet.", holds: "holds now", load: "Edit this one", loadHint: (version: string) => `To go back, put it in force as version ${version}.`,
    when: "Since", approvedBy: "Approved by", does: "Actions", versionName: "Version",
    reclassify: "Bring what is stored in line", reclassifyHint: "A policy holds for what is saved from now on. What was saved earlier is brought in line by this; what it takes out does not come back.",
    reclassifyTitle: "Bring what is stored in line with the policies", reclassifyDo: "Change them for good", reclassified: (raised: number, redacted: number, denied: number) => `${raised} got a stricter class, ${redacted} lost something, ${denied} were deleted.`,
    nothingToDo: "Everything is in line already.",

    boundary: "What would be taken out of this text?", boundaryHint: "Try a text against the policies of this namespace. Nothing is saved.", text: "Text", tryText: "Try the text", boundaryClass: "Class that it is given",
    allowed: "It may be kept.", refused: "It is not kept as it is.", keptAs: (name: string) => `Kept and shown as: ${name}.`, left: "What is kept:", taken: (many: number, kind: string) => `${many} × ${kind} taken out`,
    decides: (who: string) => `Who decides about it: ${who}.`, byVersion: (version: string) => `by the policies ${version}`,

    privacy: "Privacy of the whole memory", personal: "Personal", personalText: "It is one person's own memory: personal data are kept, and shown to that person only.",
    shared: "Shared", sharedText: "Several read it: personal data such as addresses and numbers are taken out when something is saved.",
    privacyHint: "It holds from now on. What was taken out before does not come back.", since: (day: string) => `since ${day}`,
    chosen: (mode: string) => `From now on the memory is: ${mode}.`,
  },
  {
    hint: "ポリシーは、何を保存してよいか、誰が見られるか、どれだけ残すかを定めます。上位のポリシーは下位でも有効で、下位ではより厳しくすることだけができます。",
    namespace: "名前空間", inForce: "ここで有効なもの", default: "固有のポリシーはありません。既定と上位のものが有効です。",
    version: (version: string, day: string, by: string) => `バージョン ${version}（${day} から${by && `、承認者 ${by}`}）。`,
    editor: "ポリシー（YAML）", check: "確認する", tryOn: "保存済みのもので試す", apply: "有効にする", approver: "承認者（バージョンとともに残ります）",
    first: "まず保存済みのもので試してください。その後で有効にできます。", toLine: (line: number) => `${line}行目へ`, changedHere: "編集中です。まだ有効ではありません。", asInForce: "有効なものと同じです。", reset: "変更を破棄する",
    valid: (version: string) => `バージョン ${version} は正しい形式です。`, now: (version: string) => `現在はバージョン ${version} が有効です。`, nowDefault: "現在は既定が有効です。",
    noChange: (checked: string) => `保存済みの${checked}件を調べました。変わるものはありません。`,
    wouldChange: (checked: string) => `保存済みの${checked}件を調べました。これに合わせると:`,
    raised: (many: string) => `${many}件の区分が厳しくなります`, redacted: (many: string) => `${many}件から一部が取り除かれます`, merged: (many: string) => `${many}件が別のものと一つになります`,
    denied: (many: string) => `${many}件は何も残せないため削除されます`, violating: (many: string) => `${many}件が規則に反します（残りますが、思い出されません）`,
    applied: (version: string, place: string) => `${place} でバージョン ${version} が有効になりました。`, unchanged: "すでに有効でした。", wasTried: "試しました。有効にできます。",
    versions: "バージョン", noVersions: "ここではまだ適用されていません。", holds: "有効", load: "これを編集する", loadHint: (version: string) => `戻すには、バージョン ${version} として有効にしてください。`,
    when: "いつから", approvedBy: "承認者", does: "操作", versionName: "バージョン",
    reclassify: "保存済みのものを合わせる", reclassifyHint: "ポリシーはこれから保存するものに適用されます。以前に保存したものはこの操作で合わせます。取り除いたものは戻りません。",
    reclassifyTitle: "保存済みのものをポリシーに合わせる", reclassifyDo: "完全に変更する", reclassified: (raised: number, redacted: number, denied: number) => `${raised}件の区分が厳しくなり、${redacted}件から一部が取り除かれ、${denied}件が削除されました。`,
    nothingToDo: "すべてすでに合っています。",

    boundary: "この文から何が取り除かれますか？", boundaryHint: "この名前空間のポリシーで文を試します。何も保存されません。", text: "文", tryText: "試す", boundaryClass: "指定する区分",
    allowed: "保存できます。", refused: "このままでは保存されません。", keptAs: (name: string) => `区分：${name}`, left: "保存される内容:", taken: (many: number, kind: string) => `${kind} を${many}件取り除き`,
    decides: (who: string) => `判断する人：${who}`, byVersion: (version: string) => `ポリシー ${version} による`,

    privacy: "メモリ全体のプライバシー", personal: "個人用", personalText: "一人のためのメモリです。個人情報を保存し、本人だけに見せます。",
    shared: "共有", sharedText: "複数の人が読みます。住所や番号などの個人情報は、保存するときに取り除かれます。",
    privacyHint: "これから有効になります。以前に取り除いたものは戻りません。", since: (day: string) => `${day} から`,
    chosen: (mode: string) => `これからこのメモリは「${mode}」です。`,
  },
);
