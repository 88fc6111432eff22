// The editor of a policy: checked, tried on what is stored, and only then put in force.
import { useRef, useState } from "preact/hooks";
import { call, Refusal } from "../../api";
import { useMay } from "../../info";
import { Dialog } from "../../parts/dialog";
import { attempt } from "../../parts/notice";
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import type { PolicyApplied, PolicyVersion, Reclassified } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./policy_words";

const CHANGES = ["raised", "redacted", "merged", "denied", "violating"] as const;

interface EditorProps {
  place: string | null;
  yaml: string;
  inForce: PolicyVersion;
  own: PolicyVersion[];
  again: () => void;
}

export function PolicyEditor({ place, yaml, inForce, own, again }: EditorProps) {
  const say = useWords(table);
  const may = useMay();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(yaml);
  const [approver, setApprover] = useState("");
  const [said, setSaid] = useState<PolicyApplied | Refusal | null>(null);
  const [tried, setTried] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const previous = own[0]?.version ?? "none";
  const given = { ...(place ? { namespace: place } : {}), expected_version: previous };
  const look = async (how: { validate_only: true } | { dry_run: true }) => {
    setBusy(true);
    try {
      const answer = await call("apply_policy", { yaml: text, ...given, ...how });
      setSaid(answer);
      if (answer.status === "dry_run") setTried(text);
    } catch (error) {
      setSaid(error instanceof Refusal ? error : new Refusal(0, "failed", String(error), undefined));
    }
    setBusy(false);
  };
  const apply = async () => {
    setBusy(true);
    await attempt(() => call("apply_policy", { yaml: text, ...given, ...(approver.trim() ? { approver: approver.trim() } : {}) }), (answer) => {
      again();
      if (answer.status === "unchanged") return { text: say.unchanged };
      // The former one comes back as a later version; where there was none, one that leaves all to the default.
      const former = withVersion(own[0]?.yaml ?? "", nextVersion(answer.version));
      const undo = () => call("apply_policy", { ...given, yaml: former, expected_version: answer.version }).then(again);
      return { text: say.applied(answer.version, answer.namespace), undo };
    });
    setBusy(false);
  };
  return (
    <>
      <label class="stack">{say.editor}
        <textarea ref={field} class="code" value={text} readOnly={!may("admin")} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {may("admin") && (
        <>
          <p class="muted">{text === inForce.yaml ? say.asInForce : say.changedHere} {text !== inForce.yaml && <button type="button" onClick={() => { setText(inForce.yaml); setSaid(null); }}>{say.reset}</button>}</p>
          <Said said={said} field={field} />
          <label class="stack">{say.approver}<input value={approver} maxLength={200} onInput={(event) => setApprover(event.currentTarget.value)} /></label>
          <div class="actions">
            <button type="button" disabled={isBusy} onClick={() => void look({ validate_only: true })}>{say.check}</button>
            <button type="button" disabled={isBusy} onClick={() => void look({ dry_run: true })}>{say.tryOn}</button>
            <button type="button" class="main" disabled={isBusy || tried !== text || text === inForce.yaml} onClick={() => void apply()}>{say.apply}</button>
            <InLine place={place} />
          </div>
          <p class="muted">{tried === text ? say.wasTried : say.first}</p>
        </>
      )}
    </>
  );
}

/** What the service says of the policy in the editor: that it is valid, what it would change, or which line is wrong. */
function Said({ said, field }: { said: PolicyApplied | Refusal | null; field: { current: HTMLTextAreaElement | null } }) {
  const say = useWords(table);
  if (said === null) return <div class="said" role="status" />;
  if (said instanceof Refusal) {
    const line = Number(/\bline (\d+)/.exec(said.message)?.[1] ?? 0);
    return (
      <div class="said bad" role="alert">
        <p class="failed"><strong>{said.message}</strong></p>
        {said.hint && <p class="muted">{said.hint}</p>}
        {line > 0 && <button type="button" onClick={() => field.current && selectLine(field.current, line)}>{say.toLine(line)}</button>}
      </div>
    );
  }
  return (
    <div class="said good" role="status">
      <p>{say.valid(said.version)} {said.previous_version ? say.now(said.previous_version) : say.nowDefault}</p>
      {said.status === "dry_run" && <Effect counts={said.reclassify} />}
    </div>
  );
}

function Effect({ counts }: { counts: Record<string, number> }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const checked = count(counts["checked"] ?? 0, language);
  const changes = CHANGES.filter((name) => (counts[name] ?? 0) > 0);
  if (changes.length === 0) return <p>{say.noChange(checked)}</p>;
  return <><p>{say.wouldChange(checked)}</p><ul>{changes.map((name) => <li key={name}>{say[name](count(counts[name] ?? 0, language))}</li>)}</ul></>;
}

/** Brings what is stored in line with the policies in force, after saying what that does. */
function InLine({ place }: { place: string | null }) {
  const say = useWords(table);
  const shared = useWords(common);
  const [plan, setPlan] = useState<Reclassified | null>(null);
  const given = place ? { namespace: place } : {};
  const ask = () => attempt(() => call("reclassify", { ...given, dry_run: true }), (answer) => {
    setPlan(answer);
    return null;
  });
  const apply = async () => {
    await attempt(() => call("reclassify", given), (done) => ({ text: say.reclassified(done.raised.length, done.redacted.length, done.denied.length) }));
    setPlan(null);
  };
  const counts = plan && { checked: plan.checked, ...Object.fromEntries(CHANGES.map((name) => [name, plan[name].length])) };
  const changes = plan ? CHANGES.filter((name) => name !== "violating" && plan[name].length > 0).length : 0;
  return (
    <>
      <button type="button" title={say.reclassifyHint} onClick={() => void ask()}>{say.reclassify}…</button>
      {counts && (
        <Dialog title={say.reclassifyTitle} onClose={() => setPlan(null)}>
          <p class="muted">{say.reclassifyHint}</p>
          {changes > 0 ? <Effect counts={counts} /> : <p>{say.nothingToDo}</p>}
          <div class="actions">
            {changes > 0 && <button type="button" class="danger" onClick={() => void apply()}>{say.reclassifyDo}</button>}
            <button type="button" onClick={() => setPlan(null)}>{changes > 0 ? shared.cancel : shared.close}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function selectLine(field: HTMLTextAreaElement, line: number): void {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  field.scrollTop = (field.scrollHeight / lines.length) * Math.max(0, line - 5);
}

/** The version after this one: versions are used once. */
export function nextVersion(version: string): string {
  const [major, minor, patch] = version.split(".");
  return `${major}.${minor}.${Number(patch) + 1}`;
}

export function withVersion(yaml: string, version: string): string {
  return /^version:/m.test(yaml) ? yaml.replace(/^version:.*$/m, `version: ${version}`) : `version: ${version}\n${yaml}`;
}
