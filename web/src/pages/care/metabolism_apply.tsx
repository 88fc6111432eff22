// Apply a plan: the count in words, the question once more, and then the receipt with its undo.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { Dialog } from "../../parts/dialog";
import { attempt } from "../../parts/notice";
import { address, go } from "../../router";
import type { MetabolismPlan } from "../../verbs";
import { common, useWords } from "../../words";
import type { Given } from "./metabolism";
import { metabolismWords } from "./words";

/** isStale: the plan is not the one that `given` would make, because that one is still being made. */
export function Apply({ plan, given, kept, isStale }: { plan: MetabolismPlan; given: Given; kept: Set<string>; isStale: boolean }) {
  const say = useWords(metabolismWords);
  const [isAsking, setAsking] = useState(false);
  const isNothing = plan.removed.length === 0 && plan.pruned === 0;
  return (
    <>
      <div class="go-bar" role="status">
        <strong>{isNothing ? say.nothing : say.wouldGo(plan.removed.length, plan.pruned)}</strong>
        <span class="muted">{say.examined(plan.nodes, plan.links)}{kept.size > 0 && ` ${say.keeping(kept.size)}`}</span>
        {!isNothing && <button type="button" class="danger" disabled={isStale} onClick={() => setAsking(true)}>{say.apply(plan.removed.length - kept.size, plan.pruned)}</button>}
      </div>
      {plan.degraded.map((text) => <p key={text} class="tag warn" lang="en">{text}</p>)}
      {isAsking && !isStale && <Confirm plan={plan} given={given} kept={kept} onClose={() => setAsking(false)} />}
    </>
  );
}

function Confirm({ plan, given, kept, onClose }: { plan: MetabolismPlan; given: Given; kept: Set<string>; onClose: () => void }) {
  const say = useWords(metabolismWords);
  const shared = useWords(common);
  const [isBusy, setBusy] = useState(false);
  const apply = async () => {
    setBusy(true);
    const done = await attempt(
      () => call("metabolize", plan.plan_id ? { apply_plan_id: plan.plan_id, keep: [...kept] } : { ...given, apply: true }),
      (run) => ({ text: say.went(run.nodes_removed, run.links_removed, run.skipped), ...(run.run_id ? { undo: () => takeBack(run.run_id ?? "") } : {}) }),
    );
    onClose();
    if (done?.run_id) go(address(`/care/metabolism/${done.run_id}`));
  };
  return (
    <Dialog title={say.title} onClose={onClose}>
      <p>{say.confirm(plan.removed.length - kept.size, plan.pruned)}</p>
      <p class="muted">{say.confirmHint}</p>
      <div class="actions">
        <button type="button" class="danger" disabled={isBusy} onClick={() => void apply()}>{say.confirmYes}</button>
        <button type="button" disabled={isBusy} onClick={onClose}>{shared.cancel}</button>
      </div>
    </Dialog>
  );
}

async function takeBack(run: string): Promise<void> {
  await call("restore", { run_id: run });
  go("/care/metabolism");
}
