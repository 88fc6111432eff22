// A text tried against the policies: whether it may be kept, as what, and what would be taken out of it.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { attempt } from "../../parts/notice";
import type { BoundaryCheck } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./policy_words";

const CLASSES = ["public", "internal", "pii", "secret"] as const;
type Class = (typeof CLASSES)[number];
const TAKEN_OUT = /(\[[a-z_]+\])/g;

export function BoundaryTrial({ place }: { place: string | null }) {
  const say = useWords(table);
  const shared = useWords(common);
  const [text, setText] = useState("");
  const [boundaryClass, setClass] = useState<Class>("internal");
  const [answer, setAnswer] = useState<BoundaryCheck | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    setAnswer(null);
    void attempt(() => call("validate_boundary", { text, boundary_class: boundaryClass, ...(place ? { namespace: place } : {}) }), (said) => {
      setAnswer(said);
      return null;
    });
  };
  return (
    <section>
      <h2>{say.boundary}</h2>
      <p class="muted">{say.boundaryHint}</p>
      <form onSubmit={submit}>
        <label class="stack">{say.text}<textarea class="words" value={text} required onInput={(event) => setText(event.currentTarget.value)} /></label>
        <div class="editor-head">
          <label>{say.boundaryClass}
            <select value={boundaryClass} onChange={(event) => setClass(event.currentTarget.value as Class)}>{CLASSES.map((name) => <option key={name} value={name}>{shared[name]}</option>)}</select>
          </label>
          <button type="submit">{say.tryText}</button>
        </div>
      </form>
      <div role="status">{answer && <Verdict of={answer} />}</div>
    </section>
  );
}

function Verdict({ of }: { of: BoundaryCheck }) {
  const say = useWords(table);
  const shared = useWords(common);
  return (
    <div class={of.allowed ? "said good" : "said bad"}>
      <p><strong>{of.allowed ? say.allowed : say.refused}</strong> {of.allowed ? say.keptAs(shared[of.boundary_class]) : of.reason}</p>
      {Object.entries(of.redacted).length > 0 && <ul>{Object.entries(of.redacted).map(([kind, many]) => <li key={kind}>{say.taken(many, kind)}</li>)}</ul>}
      {of.text !== null && <><p>{say.left}</p><pre>{of.text.split(TAKEN_OUT).map((piece, at) => (at % 2 ? <mark key={at}>{piece}</mark> : piece))}</pre></>}
      {of.escalation && <p>{say.decides(of.escalation)}</p>}
      <p class="muted">{say.byVersion(of.policy_version)}</p>
    </div>
  );
}
