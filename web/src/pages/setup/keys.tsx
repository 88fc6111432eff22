// The keys of the service: who has one and what it allows; a key is made, rotated and revoked here.
import { useState } from "preact/hooks";
import { call, headers, useCall } from "../../api";
import { Dialog } from "../../parts/dialog";
import { attempt } from "../../parts/notice";
import { Shown } from "../../parts/states";
import { moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { useStore } from "../../store";
import type { Key, Keys as Answer } from "../../verbs";
import { common, useWords } from "../../words";
import { CreateKey } from "./create_key";
import { table } from "./key_words";
import { newKey, NewKeyCard } from "./new_key";

const MOST = 100;

export function Keys() {
  const say = useWords(table);
  const keys = useCall("keys", { limit: MOST });
  const made = useStore(newKey);
  return (
    <>
      <p class="muted">{say.hint}</p>
      {made && <NewKeyCard made={made} />}
      <Shown of={keys}>{(answer) => <List answer={answer} again={keys.again} />}</Shown>
    </>
  );
}

type Asked = { what: "create" } | { what: "rotate" | "revoke"; key: Key };

function List({ answer, again }: { answer: Answer; again: () => void }) {
  const say = useWords(table);
  const { more } = useWords(common);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [further, setFurther] = useState<Answer | null>(null);
  const keys = [...answer.keys, ...(further?.keys ?? [])];
  const cursor = further ? further.next_cursor : answer.next_cursor;
  const close = () => setAsked(null);
  const next = () => void attempt(() => call("keys", { limit: MOST, ...(cursor ? { cursor } : {}) }), (got) => {
    setFurther({ ...got, keys: [...(further?.keys ?? []), ...got.keys] });
    return null;
  });
  // Without a key the service has let this page in so far: the first one that is made ends that.
  const isFirst = keys.length === 0 && !headers()["Authorization"];
  return (
    <>
      {keys.length === 0 && isFirst && <p>{say.none}</p>}
      <p><button type="button" class="main" onClick={() => setAsked({ what: "create" })}>{say.create}</button></p>
      {keys.length > 0 && <Table keys={keys} onAsk={setAsked} />}
      {cursor && <p><button type="button" onClick={next}>{more}</button></p>}
      {asked?.what === "create" && <CreateKey isFirst={isFirst} onClose={close} again={again} />}
      {asked?.what === "rotate" && <Rotate subject={asked.key} onClose={close} again={again} />}
      {asked?.what === "revoke" && <Revoke subject={asked.key} onClose={close} again={again} />}
    </>
  );
}

function Table({ keys, onAsk }: { keys: Key[]; onAsk: (asked: Asked) => void }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const titles = [say.name, say.role, say.where, say.sets, say.expires, say.used, say.made, say.does];
  return (
    <div class="scroll">
      <table class="rows keys-table">
        <thead><tr>{titles.map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">{key.name} <span class={key.state === "active" ? "tag" : "tag warn"}>{say[key.state]}</span>{isOfTab(key) && <span class="tag">{say.thisTab}</span>}</th>
              <td>{say[key.role]}</td>
              <td>{[key.root, key.namespace && say.defaultIn(key.namespace), key.also.length > 0 && say.also(key.also.join(", "))].filter(Boolean).join("; ")}</td>
              <td>{key.tools.includes("all") ? say.allTools : say.tools(key.tools.join(", "))}{key.allow.length > 0 && <span class="muted">; {say.tags(key.allow.join(", "))}</span>}</td>
              <td>{key.expires_at ? moment(key.expires_at, language) : say.noEnd}</td>
              <td>{key.last_used_at ? moment(key.last_used_at, language) : say.never}</td>
              <td>{moment(key.created_at, language)}{key.created_by && <span class="muted"> {say.by(key.created_by)}</span>}</td>
              <td>
                {key.state !== "revoked" && (
                  <span class="row-actions">
                    <button type="button" class="plain" aria-label={`${say.rotate}: ${key.name}`} onClick={() => onAsk({ what: "rotate", key })}>{say.rotate}</button>
                    <button type="button" class="plain" aria-label={`${say.revoke}: ${key.name}`} onClick={() => onAsk({ what: "revoke", key })}>{say.revoke}</button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface AskProps {
  subject: Key;
  onClose: () => void;
  again: () => void;
}

function Rotate({ subject, onClose, again }: AskProps) {
  const say = useWords(table);
  const { cancel } = useWords(common);
  const [grace, setGrace] = useState("");
  const [expires, setExpires] = useState("");
  const graces = [["", say.atOnce], ["15m", say.minutes], ["1h", say.hour], ["24h", say.day], ["7d", say.week]];
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const given = { key_id: subject.id, ...(grace ? { grace } : {}), ...(expires.trim() ? { expires: expires.trim() } : {}) };
    const answer = await attempt(() => call("rotate_key", given), () => null);
    setBusy(false);
    if (!answer) return;
    newKey.set({ ...answer, isFirst: false, isRotated: true });
    onClose();
    // A tab whose own secret has just ended can ask nothing before it is given the new one.
    if (!isOfTab(subject) || grace) again();
  };
  return (
    <Dialog title={say.rotateTitle(subject.name)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p>{say.rotateEffect}</p>
        <label>{say.grace}<select value={grace} onChange={(event) => setGrace(event.currentTarget.value)}>{graces.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>
        <label>{say.expiresField}<input value={expires} placeholder="90d" autocomplete="off" onInput={(event) => setExpires(event.currentTarget.value)} /></label>
        <div class="actions"><button type="submit" class="main" disabled={isBusy}>{say.rotateDo}</button><button type="button" onClick={onClose}>{cancel}</button></div>
      </form>
    </Dialog>
  );
}

function Revoke({ subject, onClose, again }: AskProps) {
  const say = useWords(table);
  const { cancel } = useWords(common);
  const revoke = async () => {
    const done = await attempt(() => call("revoke_key", { key_id: subject.id }), (key) => ({ text: say.revokedText(key.name) }));
    if (done) {
      onClose();
      again();
    }
  };
  return (
    <Dialog title={say.revokeTitle(subject.name)} onClose={onClose}>
      <p>{say.revokeEffect}</p>
      {isOfTab(subject) && <p class="warning">{say.revokeOwn}</p>}
      <div class="actions"><button type="button" class="danger" onClick={() => void revoke()}>{say.revokeDo}</button><button type="button" onClick={onClose}>{cancel}</button></div>
    </Dialog>
  );
}

/** Whether the tab sends this key: a secret names its key. */
function isOfTab(key: Key): boolean {
  return headers()["Authorization"]?.startsWith(`Bearer wf_${key.id}_`) ?? false;
}
