// Dialogs by which something goes or comes back: forget, bring back, bring a former version back, let it hold again.
import { useState } from "preact/hooks";
import { call, Refusal, useCall } from "../../api";
import { KindMark } from "../../parts/source_line";
import { Shown } from "../../parts/states";
import { Dialog } from "../../parts/dialog";
import { usePreferences } from "../../preferences";
import type { ForgetPlan, Node } from "../../verbs";
import { useWords } from "../../words";
import { Act } from "./act";
import { forgetNow, saidOfForgetting, saidOfRestore } from "./doing";
import { acts } from "./words_of_acts";

/** Show what would go, and then let exactly that go. */
export function Forget({ node, onClose }: { node: Node; onClose: () => void }) {
  const say = useWords(acts);
  const planned = useCall("forget", { ids: [node.id] });
  const [changed, setChanged] = useState<ForgetPlan | null>(null);
  const plan = changed ?? planned.answer;
  if (!plan) return <Dialog title={say.forgetTitle} onClose={onClose}><Shown of={planned} text={say.looking}>{() => null}</Shown></Dialog>;
  return <ForgetPlanned node={node} plan={plan} onChanged={setChanged} onClose={onClose} />;
}

function ForgetPlanned({ node, plan, onChanged, onClose }: { node: Node; plan: ForgetPlan; onChanged: (plan: ForgetPlan) => void; onClose: () => void }) {
  const say = useWords(acts);
  const { language } = usePreferences();
  const work = async () => {
    const done = await call("forget", { ids: [node.id], plan: plan.plan, apply: true });
    if (done.state !== "changed") return done;
    // The service forgets only what was shown: what has changed is shown instead.
    onChanged(done);
    throw new Refusal(409, "changed", say.changedMeanwhile, done.note ?? undefined);
  };
  return (
    <Act
      title={say.forgetTitle} effect={say.forgetEffect} button={say.forget} isDangerous onClose={onClose} work={work}
      said={(done) => ({
        text: saidOfForgetting(done, say, language),
        ...(done.run_id ? { undo: async () => saidOfRestore(await call("restore", { run_id: done.run_id ?? "" }), say) } : {}),
      })}
    >
      <p>{say.wouldGo(plan.nodes.length, plan.links, plan.versions)}</p>
      <ul class="going">
        {plan.nodes.map(({ node: ref, source }) => <li key={ref.id}><KindMark kind={ref.kind as Node["kind"]} />{ref.title ?? ref.id}{source && <span class="muted"> · {source}</span>}</li>)}
      </ul>
      {plan.note && <p class="muted">{plan.note}</p>}
    </Act>
  );
}

/** Bring back what was let go. */
export function BringBack({ id, onClose }: { id: string; onClose: () => void }) {
  const say = useWords(acts);
  const { language } = usePreferences();
  return (
    <Act
      title={say.backTitle} effect={`${say.backEffect} ${say.hasUndo}`} button={say.bring} onClose={onClose}
      work={() => call("restore", { node_id: id })}
      said={(done) => ({ text: saidOfRestore(done, say), ...(done.node_ids.includes(id) ? { undo: async () => saidOfForgetting(await forgetNow(id), say, language) } : {}) })}
    />
  );
}

export function BringVersion({ node, version, onClose }: { node: Node; version: number; onClose: () => void }) {
  const say = useWords(acts);
  const restore = async (number: number) => call("restore", { node_id: node.id, version: number });
  return (
    <Act
      title={say.bringTitle(version)} effect={say.bringEffect(node.version + 1)} button={say.bring} onClose={onClose}
      work={() => restore(version)}
      said={(done) => ({ text: saidOfRestore(done, say), undo: async () => saidOfRestore(await restore(node.version), say) })}
    />
  );
}

/** Let a statement that was replaced, has ended or has expired hold again. */
export function HoldAgain({ node, onClose }: { node: Node; onClose: () => void }) {
  const say = useWords(acts);
  const heir = node.superseded_by;
  const replaceAgain = async () => {
    await call("relate", { source_memo_id: heir ?? "", target_memo_id: node.id, tag: "supersedes", weight: 1 });
    return say.undone;
  };
  return (
    <Act
      title={say.holdTitle} effect={heir ? `${say.holdEffect} ${say.hasUndo}` : say.holdEffect} button={say.hold} onClose={onClose}
      work={() => call("restore", { node_id: node.id })}
      said={(done) => ({ text: saidOfRestore(done, say), ...(heir ? { undo: replaceAgain } : {}) })}
    />
  );
}
