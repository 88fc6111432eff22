// The form for a new key: whose it is, what it may do, where, with which tools and for how long.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { Dialog } from "../../parts/dialog";
import { attempt } from "../../parts/notice";
import type { Verbs } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./key_words";
import { NamespaceChoice } from "./namespace_choice";
import { newKey } from "./new_key";

const ROLES = ["read", "write", "admin"] as const;
const SETS = ["memory", "graph", "research", "upkeep"] as const;
type Role = (typeof ROLES)[number];
type Given = Verbs["create_key"]["arguments"];

export function CreateKey({ isFirst, onClose, again }: { isFirst: boolean; onClose: () => void; again: () => void }) {
  const say = useWords(table);
  const { cancel } = useWords(common);
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>(isFirst ? "admin" : "write");
  const [root, setRoot] = useState("");
  const [texts, setTexts] = useState({ also: "", namespace: "", allow: "", expires: "" });
  const [sets, setSets] = useState<string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const answer = await attempt(() => call("create_key", argumentsOf(name, role, root, texts, sets)), () => null);
    setBusy(false);
    if (!answer) return;
    newKey.set({ ...answer, isFirst, isRotated: false });
    onClose();
    // After the first one the service answers only with a key: the list waits until this tab has one.
    if (!isFirst) again();
  };
  const field = (key: keyof typeof texts, label: string, hint: string) => (
    <label class="stack">{label}<input value={texts[key]} autocomplete="off" spellcheck={false} onInput={(event) => setTexts({ ...texts, [key]: event.currentTarget.value })} /><small>{hint}</small></label>
  );
  return (
    <Dialog title={say.createTitle} onClose={onClose}>
      {isFirst && <p class="warning">{say.firstKey}</p>}
      <form class="grid-form" onSubmit={(event) => void submit(event)}>
        <label class="stack">{say.nameField}<input value={name} required maxLength={128} autocomplete="off" onInput={(event) => setName(event.currentTarget.value)} /><small>{say.nameHint}</small></label>
        <label class="stack">{say.roleField}<select value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>{ROLES.map((one) => <option key={one} value={one}>{say[one]}</option>)}</select></label>
        <div><NamespaceChoice label={say.rootField} value={root} onChange={setRoot} /><small>{say.rootHint}</small></div>
        {field("namespace", say.namespaceField, say.namespaceHint)}
        {field("also", say.alsoField, say.alsoHint)}
        {field("expires", say.expiresField, say.expiresHint)}
        {field("allow", say.allowField, say.allowHint)}
        <fieldset class="choices">
          <legend>{say.toolsField}</legend>
          <label><input type="checkbox" checked={sets.length === 0} onChange={() => setSets([])} />{say.all}</label>
          {SETS.map((one) => <label key={one}><input type="checkbox" checked={sets.includes(one)} onChange={() => setSets(sets.includes(one) ? sets.filter((other) => other !== one) : [...sets, one])} />{say[one]}</label>)}
        </fieldset>
        <div class="actions wide"><button type="submit" class="main" disabled={isBusy}>{say.createDo}</button><button type="button" onClick={onClose}>{cancel}</button></div>
      </form>
    </Dialog>
  );
}

function argumentsOf(name: string, role: Role, root: string, texts: Record<"also" | "namespace" | "allow" | "expires", string>, sets: string[]): Given {
  const listed = (text: string) => text.split(",").map((one) => one.trim()).filter(Boolean);
  const [also, allow] = [listed(texts.also), listed(texts.allow)];
  return {
    name: name.trim(), role,
    ...(root ? { root } : {}), ...(also.length ? { also } : {}), ...(allow.length ? { allow } : {}), ...(sets.length ? { tools: sets } : {}),
    ...(texts.namespace.trim() ? { namespace: texts.namespace.trim() } : {}), ...(texts.expires.trim() ? { expires: texts.expires.trim() } : {}),
  };
}
