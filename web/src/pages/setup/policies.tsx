// Policies: which hold in a namespace, how one is changed, what they make of a text, and the privacy of the memory.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { useMay } from "../../info";
import { attempt } from "../../parts/notice";
import { Shown } from "../../parts/states";
import { date, moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { goWith, usePlace } from "../../router";
import type { PolicyVersion, Privacy as Mode } from "../../verbs";
import { useWords } from "../../words";
import { BoundaryTrial } from "./boundary_trial";
import { NamespaceChoice } from "./namespace_choice";
import { nextVersion, PolicyEditor, withVersion } from "./policy_editor";
import { table } from "./policy_words";

export function Policies() {
  const say = useWords(table);
  const place = usePlace().query.get("ns");
  const policies = useCall("policy", place ? { namespace: place } : {});
  return (
    <>
      <p class="muted">{say.hint}</p>
      <NamespaceChoice label={say.namespace} value={place ?? ""} onChange={(chosen) => goWith({ ns: chosen })} />
      {/* What is below the policy waits for it, so that nothing moves when it comes. */}
      <Shown of={policies}>
        {(versions) => (
          <>
            {/* Until the policy of another namespace is there, nothing can be done with the former one. */}
            <div inert={policies.isLoading}>
              <Held key={`${place} ${versions[0]?.namespace} ${versions[0]?.version} ${versions[0]?.applied_at} ${policies.isLoading}`} versions={versions} place={place} again={policies.again} />
            </div>
            <BoundaryTrial place={place} />
            <Privacy />
          </>
        )}
      </Shown>
    </>
  );
}

function Held({ versions, place, again }: { versions: PolicyVersion[]; place: string | null; again: () => void }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const own = versions.filter((one) => one.namespace !== "");
  const inForce = versions[0]!;
  const [base, setBase] = useState(inForce.yaml);
  return (
    <>
      <h2>{say.inForce}</h2>
      <p>{own.length === 0 ? say.default : say.version(inForce.version, moment(inForce.applied_at, language), inForce.approver ?? "")}</p>
      <PolicyEditor key={base} place={place} yaml={base} inForce={inForce} own={own} again={again} />
      <h2>{say.versions}</h2>
      {own.length === 0 ? <p class="muted">{say.noVersions}</p> : <Versions own={own} onLoad={(version) => setBase(withVersion(version.yaml, nextVersion(inForce.version)))} />}
    </>
  );
}

function Versions({ own, onLoad }: { own: PolicyVersion[]; onLoad: (version: PolicyVersion) => void }) {
  const say = useWords(table);
  const may = useMay();
  const { language } = usePreferences();
  return (
    <div class="scroll">
      <table class="rows">
        <thead><tr><th scope="col">{say.versionName}</th><th scope="col">{say.when}</th><th scope="col">{say.approvedBy}</th><th scope="col">{say.does}</th></tr></thead>
        <tbody>
          {own.map((version, at) => (
            <tr key={`${version.version} ${version.applied_at}`}>
              <th scope="row">{version.version}{at === 0 && <span class="tag">{say.holds}</span>}</th>
              <td>{moment(version.applied_at, language)}</td>
              <td>{version.approver ?? "–"}</td>
              <td>
                <details><summary>YAML</summary><pre>{version.yaml}</pre></details>
                {at > 0 && may("admin") && <button type="button" title={say.loadHint(nextVersion(own[0]!.version))} onClick={() => onLoad(version)}>{say.load}</button>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Privacy() {
  const say = useWords(table);
  const privacy = useCall("privacy", {});
  return (
    <section>
      <h2>{say.privacy}</h2>
      <Shown of={privacy}>{(answer) => <Modes now={answer} again={privacy.again} />}</Shown>
    </section>
  );
}

function Modes({ now, again }: { now: Mode; again: () => void }) {
  const say = useWords(table);
  const may = useMay();
  const { language } = usePreferences();
  const choose = (mode: Mode["mode"]) => call("choose_privacy", { privacy: mode });
  const change = (mode: Mode["mode"]) => attempt(() => choose(mode), (answer) => {
    again();
    return { text: say.chosen(say[answer.mode]), undo: () => choose(now.mode).then(again) };
  });
  return (
    <fieldset class="choices" disabled={!may("admin")}>
      <legend>{say.privacyHint}</legend>
      {(["personal", "shared"] as const).map((mode) => (
        <label key={mode}>
          <input type="radio" name="privacy" checked={now.mode === mode} onChange={() => void change(mode)} />
          <span><b>{say[mode]}</b>{now.mode === mode && now.chosen_at && <span class="muted"> ({say.since(date(now.chosen_at, language))})</span>} – {say[`${mode}Text`]}</span>
        </label>
      ))}
    </fieldset>
  );
}
