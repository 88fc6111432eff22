// Finds another statement by words, title or id, to be chosen in a dialog.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { firstWords } from "../../parts/card";
import { KindMark } from "../../parts/source_line";
import type { Node } from "../../verbs";
import { useWords } from "../../words";
import { acts } from "./words_of_acts";

const ID = /^[0-9a-f-]{6,36}$/i;

/** label: what the chosen one is to be. without: the statement that cannot be chosen. */
export function Picker({ label, without, chosen, onChoose }: { label: string; without: string; chosen: Node | null; onChoose: (node: Node | null) => void }) {
  const say = useWords(acts);
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const found = useCall("search", asked ? { query: asked, limit: 8 } : null);
  const look = () => {
    const words = typed.trim();
    // An id is looked up; what is none, or names nothing, is searched.
    if (ID.test(words)) call("get", { memo_id: words }).then(onChoose, () => setAsked(words));
    else setAsked(words);
  };
  const nodes = (found.answer?.hits ?? []).map((hit) => hit.node).filter((node) => node.id !== without);
  return (
    <fieldset class="picker">
      <legend>{label}</legend>
      {chosen && <p><Named node={chosen} /> <span class="tag">{say.chosen}</span></p>}
      <div class="picker-field">
        <input
          type="search" value={typed} aria-label={say.find} placeholder={say.find} onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); look(); } }}
        />
        <button type="button" onClick={look} disabled={typed.trim() === ""}>{say.search}</button>
      </div>
      {found.error && <p class="failed" role="alert">{found.error.message}</p>}
      {found.answer && nodes.length === 0 && <p class="muted">{say.noneFound}</p>}
      {nodes.length > 0 && (
        <ul class="picked">
          {nodes.map((node) => (
            <li key={node.id}><label><input type="radio" name="picked" checked={chosen?.id === node.id} onChange={() => onChoose(node)} /><span><Named node={node} /></span></label></li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}

/** Its title, if it has one, and how its text begins: titles alone may be the same. */
function Named({ node }: { node: Node }) {
  return <><KindMark kind={node.kind} />{node.title && <b>{node.title}: </b>}{firstWords(node.content)}</>;
}
