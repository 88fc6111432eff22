// What an id of the history stands for now: in words, with its versions and relations, and a way to bring it back.
import { useMay } from "../../info";
import { moment, date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { HistorySubject } from "../../verbs";
import { useWords } from "../../words";
import { bringBack } from "./bringing_back";
import { careWords, logWords, metabolismWords } from "./words";

export function Subject({ of, onChange }: { of: HistorySubject; onChange: () => void }) {
  const say = useWords(logWords);
  const { language } = usePreferences();
  return (
    <div class="subject">
      <p lang="en">{of.text}</p>
      {of.state === "here" && <p><a href={address(`/n/${of.id}`)}>{of.title ?? say.statement}</a></p>}
      {of.kind === "plan" && of.state !== "expired" && <p><a href={address(`/care/insight/${of.id}`)}>{say.plan(of.id.slice(-8))}</a></p>}
      {of.kind === "task" && <p><a href={address(`/task/${of.id}`)}>{of.title}</a></p>}
      {of.stand_in && <p><a href={address(`/n/${of.stand_in}`)}>{say.standIn}</a></p>}
      <BringBack of={of} onChange={onChange} />
      {of.versions.length > 1 && (
        <details class="fold">
          <summary>{say.versions} ({of.versions.length})</summary>
          <ul>{of.versions.map((version) => <li key={version.version}><a href={address(`/n/${of.id}`, { v: version.version })}>{say.version(version.version)}</a> <span class="muted">{moment(version.since, language)} – {version.until ? moment(version.until, language) : say.now}</span> {version.text}</li>)}</ul>
        </details>
      )}
      {of.holds.length > 0 && <details class="fold"><summary>{say.holds} ({of.holds.length})</summary><ul>{of.holds.map((text) => <li key={text}>{text}</li>)}</ul></details>}
    </div>
  );
}

function BringBack({ of, onChange }: { of: HistorySubject; onChange: () => void }) {
  const say = useWords(metabolismWords);
  const care = useWords(careWords);
  const { language } = usePreferences();
  const mayWrite = useMay()("write");
  if (of.kind !== "run" && of.state !== "let_go") return null;
  if (!of.restorable_until) return <p class="muted">{say.notRestorable}</p>;
  const back = async () => {
    if (await bringBack(of.kind === "run" ? { run_id: of.id } : { node_id: of.id }, care)) onChange();
  };
  return (
    <p class="actions">
      <button type="button" disabled={!mayWrite} title={mayWrite ? undefined : care.wantsWrite} onClick={() => void back()}>{of.kind === "run" ? say.bringAll : care.bringBack}</button>
      <span class="muted">{say.restorableUntil(date(of.restorable_until, language))}</span>
    </p>
  );
}
