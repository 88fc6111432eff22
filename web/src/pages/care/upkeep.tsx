// What upkeep found by itself: what waits, what it did, and the way back.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { useMay } from "../../info";
import { Title } from "../../parts/frame";
import { attempt } from "../../parts/notice";
import { Shown } from "../../parts/states";
import { moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { Upkeep as UpkeepAnswer, UpkeepRun } from "../../verbs";
import { useWords } from "../../words";
import { careWords, upkeepWords } from "./words";

export function Upkeep() {
  const say = useWords(upkeepWords);
  const found = useCall("upkeep", {});
  return (
    <>
      <Title>{say.title}</Title>
      <Shown of={found}>{(now) => <Found now={now} again={found.again} />}</Shown>
    </>
  );
}

function Found({ now, again }: { now: UpkeepAnswer; again: () => void }) {
  const say = useWords(upkeepWords);
  const care = useWords(careWords);
  const may = useMay();
  const [isBusy, setBusy] = useState(false);
  const modes = { off: say.off, propose: say.propose, apply: say.apply_mode };
  const run = async (how: "propose" | "apply") => {
    setBusy(true);
    await attempt(
      () => call("run_upkeep", { run: how }),
      ({ runs: [last] }) => (how === "apply" && last?.state === "applied" ? { text: say.did(last.relations, last.removals), undo: async () => { await call("undo_upkeep", { undo_run_id: last.id }); again(); } } : { text: last?.note ?? say.looked }),
    );
    setBusy(false);
    again();
  };
  return (
    <>
      <p class="muted">{modes[now.mode]} <a href="/setup/policies">{say.change}</a></p>
      <div class="go-bar" role="status">
        <strong lang={now.waiting ? "en" : undefined}>{now.waiting ?? (now.runs.length === 0 ? say.never : say.nothing)}</strong>
        {may("admin") && <button type="button" disabled={isBusy} onClick={() => void run("propose")}>{isBusy ? say.looking : say.look}</button>}
        {may("admin") && now.waiting && <button type="button" class="danger" disabled={isBusy} onClick={() => void run("apply")}>{say.apply}</button>}
      </div>
      {!may("admin") && <p class="muted">{care.wantsAdmin}</p>}
      {now.runs.length > 0 && <Runs runs={now.runs} again={again} />}
    </>
  );
}

function Runs({ runs, again }: { runs: UpkeepRun[]; again: () => void }) {
  const say = useWords(upkeepWords);
  const may = useMay();
  const { language } = usePreferences();
  const undo = async (id: string) => {
    await attempt(() => call("undo_upkeep", { undo_run_id: id }), () => ({ text: say.takenBack }));
    again();
  };
  return (
    <div class="scroll">
      <table class="rows">
        <thead><tr><th scope="col">{say.state}</th><th scope="col">{say.when}</th><th scope="col">{say.what}</th><th scope="col">{say.open}</th></tr></thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">{say[run.state]}</th>
              <td>{moment(run.undone_at ?? run.ended_at ?? run.started_at, language)}</td>
              <td>{say.judged(run.judged)}; {say.relations(run.relations)}, {say.removals(run.removals)}{run.note && <p class="muted" lang="en">{run.note}</p>}</td>
              <td>
                {run.plan_ids.map((id) => <p key={id}><a href={address(`/care/insight/${id}`)}>{say.plan(id.slice(-8))}</a></p>)}
                {run.state === "proposed" && run.removals > 0 && <p><a href="/care/metabolism">{say.wouldGo}</a></p>}
                {run.metabolism_ids.map((id) => <p key={id}><a href={address(`/care/metabolism/${id}`)}>{say.went}</a></p>)}
                {run.state === "applied" && may("write") && <button type="button" onClick={() => void undo(run.id)}>{say.undo}</button>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
