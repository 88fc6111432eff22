// What the page of keys says.
import { words } from "../../words";

export const table = words(
  {
    hint: "A key lets a program or a person in, with a role, in one part of the memory. Only a hash of it is stored: it is shown once.",
    none: "There is no key: whoever reaches this service on this machine may do everything.",
    name: "Name", state: "State", role: "Role", where: "Where", sets: "Tools and tags", expires: "Ends", used: "Last use", made: "Made", does: "Actions",
    active: "active", expired: "has ended", revoked: "revoked", never: "never", noEnd: "without end", also: (names: string) => `also reads ${names}`, defaultIn: (name: string) => `writes to ${name}`,
    read: "read – may look", write: "write – may look, save and forget", admin: "admin – may do everything, also policies, imports and keys", thisTab: "this tab's", allTools: "all tools", tools: (names: string) => `tools: ${names}`, tags: (names: string) => `tags: ${names}`, by: (name: string) => `by ${name}`,
    create: "Make a key", createTitle: "Make a key", createDo: "Make the key", nameField: "Name", nameHint: "Whose key it is: what is written with it says so.", roleField: "Role",
    rootField: "Part of the memory", rootHint: "Its bearer cannot leave it.", alsoField: "Further namespaces to read", alsoHint: "separated by commas; empty: as yours", namespaceField: "Default namespace", namespaceHint: "inside that part; empty: the part itself",
    allowField: "Tags", allowHint: "which open classes; separated by commas; empty: as yours", toolsField: "Sets of tools", all: "all that you may use", memory: "memory", graph: "graph", research: "research", upkeep: "upkeep", expiresField: "Ends", expiresHint: "such as 90d, 12h or 2027-01-31; empty: never",
    firstKey: "This service needs no key now. Making the first one changes that: from then on every caller needs a key, this page too (unless it was started with --no-keys). Make it with the role admin if you want to go on keeping the service, and keep it.",
    newTitle: (name: string) => `The key of ${name}`, once: "It is shown this once and is nowhere else. Copy it now.", copy: "Copy the key", copied: "Copied.", copyFailed: "The browser does not let the page copy it: it is marked, copy it by hand.",
    formerUntil: (time: string) => `The former one works until ${time}, too.`, formerEnded: "The former one does not work any more.", useIt: "Use it in this tab", inUse: "This tab uses it now.", done: "I have it: hide it",
    firstMade: "From now on the service wants a key. Use this one here; if you leave without hiding it, this tab goes on with it.", sends: "A client sends it in the header Authorization: Bearer …",
    rotate: "Rotate", rotateTitle: (name: string) => `Rotate the key of ${name}`, rotateEffect: "It gets a new secret. Its role and its reach stay.", grace: "The former secret works", atOnce: "no longer", minutes: "15 minutes more", hour: "an hour more", day: "a day more", week: "a week more", rotateDo: "Rotate it",
    revoke: "Revoke", revokeTitle: (name: string) => `Revoke the key of ${name}`, revokeEffect: "From the next call on nobody gets in with it, by neither secret. What was written with it stays. This has no undo: make another one instead.", revokeOwn: "It is the key of this tab: the page will ask for another.", revokeDo: "Revoke it", revokedText: (name: string) => `The key of ${name} lets nobody in any more.`,
  },
  {
    hint: "キーは、プログラムや人を、ある役割でメモリの一部に入れるものです。保存されるのはハッシュだけで、キーは一度だけ表示されます。",
    none: "キーはありません。このマシンでサービスに届く人は誰でも、すべての操作ができます。",
    name: "名前", state: "状態", role: "役割", where: "範囲", sets: "ツールとタグ", expires: "期限", used: "最終利用", made: "作成", does: "操作",
    active: "有効", expired: "期限切れ", revoked: "失効", never: "なし", noEnd: "無期限", also: (names: string) => `${names} も読めます`, defaultIn: (name: string) => `書き込み先 ${name}`,
    read: "read – 閲覧", write: "write – 閲覧・保存・忘却", admin: "admin – ポリシー・取り込み・キーを含むすべて", thisTab: "このタブのキー", allTools: "すべてのツール", tools: (names: string) => `ツール: ${names}`, tags: (names: string) => `タグ: ${names}`, by: (name: string) => `${name} が作成`,
    create: "キーを作る", createTitle: "キーを作る", createDo: "作る", nameField: "名前", nameHint: "誰のキーか。これで書かれたものに表示されます。", roleField: "役割",
    rootField: "メモリの範囲", rootHint: "この外には出られません。", alsoField: "ほかに読める名前空間", alsoHint: "コンマ区切り。空欄はあなたと同じ", namespaceField: "既定の名前空間", namespaceHint: "範囲の中。空欄は範囲そのもの",
    allowField: "タグ", allowHint: "区分を開くもの。コンマ区切り。空欄はあなたと同じ", toolsField: "ツールの組", all: "あなたが使えるすべて", memory: "メモリ", graph: "グラフ", research: "調査", upkeep: "手入れ", expiresField: "期限", expiresHint: "90d、12h、2027-01-31 など。空欄は無期限",
    firstKey: "このサービスは今、キーを必要としません。最初のキーを作ると変わります。以後はこのページを含め、すべての呼び出しにキーが必要です（--no-keys で起動した場合を除く）。管理を続けるなら役割を admin にし、キーを保管してください。",
    newTitle: (name: string) => `${name} のキー`, once: "表示は今回だけで、ほかのどこにもありません。今コピーしてください。", copy: "キーをコピーする", copied: "コピーしました。", copyFailed: "ブラウザーがコピーを許可しません。選択されているので、手動でコピーしてください。",
    formerUntil: (time: string) => `以前のキーも ${time} まで使えます。`, formerEnded: "以前のキーはもう使えません。", useIt: "このタブで使う", inUse: "このタブで使用中です。", done: "控えたので隠す",
    firstMade: "これからサービスはキーを求めます。ここでこのキーを使ってください。隠さずにページを離れると、このタブはこのキーで続けます。", sends: "クライアントはヘッダー Authorization: Bearer … で送ります。",
    rotate: "更新する", rotateTitle: (name: string) => `${name} のキーを更新する`, rotateEffect: "新しい秘密になります。役割と範囲は変わりません。", grace: "以前の秘密", atOnce: "すぐに無効", minutes: "あと15分有効", hour: "あと1時間有効", day: "あと1日有効", week: "あと1週間有効", rotateDo: "更新する",
    revoke: "失効させる", revokeTitle: (name: string) => `${name} のキーを失効させる`, revokeEffect: "次の呼び出しから、このキーでは誰も入れません。これで書かれたものは残ります。元に戻せません。必要なら別のキーを作ってください。", revokeOwn: "このタブのキーです。ページは別のキーをたずねます。", revokeDo: "失効させる", revokedText: (name: string) => `${name} のキーでは、もう誰も入れません。`,
  },
);
