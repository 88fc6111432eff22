// One plan: each proposed relation with both statements and why, to be accepted or left; and the plan's undo.
import { useState } from "preact/hooks";
import { call, useCall, type Called } from "../../api";
import { useMay } from "../../info";
import { Title } from "../../parts/frame";
import { attempt } from "../../parts/notice";
import { Loading, Shown } from "../../parts/states";
import { date, moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { goWith, usePlace } from "../../router";
import type { InsightPlan, ProposedEdge } from "../../verbs";
import { common, useWords } from "../../words";
import { expiryOf, keyOf, withMeasures } from "./plans";
import { Proposal } from "./proposal";
import { useTexts } from "./texts";
import { careWords, insightWords } from "./words";

const SHOWN = 20;

export function InsightPlanPage({ id }: { id: string }) {
  const say = useWords(insightWords);
  const care = useWords(careWords);
  const called = useCall("insight_plan", { plan_id: id });
  return (
    <>
      <p><a href="/care/insight">← {care.insight}</a></p>
      <Title>{say.plan(id.slice(-8))}</Title>
      <Shown of={called}>{(plan) => <PlanView plan={withMeasures(plan)} again={called.again} />}</Shown>
    </>
  );
}

/** The relations that a person chooses among, and the steps that a choice leads to. */
function PlanView({ plan, again }: { plan: InsightPlan & { isWhole: boolean }; again: Called<InsightPlan>["again"] }) {
  const say = useWords(insightWords);
  const { language } = usePreferences();
  const links = plan.decisions.flatMap((decision) => decision.links.map((link) => ({ link, theta: decision.cycles[0]?.theta_dg ?? null })));
  const accepted = links.filter(({ link }) => link.accepted);
  const rejected = links.filter(({ link }) => !link.accepted).sort((one, other) => one.link.figures.g - other.link.figures.g);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const toggle = (key: string) => setChosen((former) => new Set(former.has(key) ? [...former].filter((known) => known !== key) : [...former, key]));
  const isOpen = plan.state === "proposed";
  const state = isOpen ? say.proposed : `${say[plan.state]} ${say.on(moment(plan.undone_at ?? plan.applied_at ?? plan.created_at, language))}`;
  return (
    <>
      <p class="muted">{say.planOf(moment(plan.created_at, language))} · {plan.root_namespace} · <span class="tag">{state}</span>{plan.asked["query"] && <> · “{plan.asked["query"]}”</>}</p>
      {plan.degraded.map((text) => <p key={text} class="tag warn" lang="en">{text}</p>)}
      {plan.remaining > 0 && <p class="muted">{say.remaining(plan.remaining)}</p>}
      <h2>{accepted.length ? say.worth(accepted.length) : say.worthNone}</h2>
      {isOpen && accepted.length > 0 && <p class="muted">{say.acceptHint} {say.leave(date(expiryOf({ at: plan.created_at }), language))}</p>}
      <Proposals links={accepted} plan={plan} name="show" chosen={isOpen ? chosen : null} onToggle={toggle} />
      <Steps plan={plan} accepted={accepted.map(({ link }) => link)} chosen={chosen} onChoose={setChosen} again={again} />
      <details class="section" open={usePlace().query.get("rejected") !== null}>
        <summary>{say.notWorth(rejected.length)}</summary>
        {plan.isWhole ? <Proposals links={rejected} plan={plan} name="rejected" chosen={null} onToggle={toggle} /> : <p class="muted">{say.noRejected}</p>}
      </details>
    </>
  );
}

interface Weighed {
  link: ProposedEdge;
  theta: number | null;
}

function Proposals({ links, plan, name, chosen, onToggle }: { links: Weighed[]; plan: InsightPlan; name: string; chosen: Set<string> | null; onToggle: (key: string) => void }) {
  const shared = useWords(common);
  const many = Number(usePlace().query.get(name)) || SHOWN;
  const shown = links.slice(0, many);
  const texts = useTexts([...new Set(shown.flatMap(({ link }) => [link.source_id, link.target_id]))]);
  if (texts === null) return <div class="plan-place"><Loading /></div>;
  const names = new Map(plan.nodes.map((node) => [node.id, node]));
  return (
    <>
      {shown.map(({ link, theta }) => (
        <Proposal key={keyOf(link)} link={link} theta={theta} names={names} texts={texts} isChosen={chosen?.has(keyOf(link)) ?? null} onToggle={() => onToggle(keyOf(link))} />
      ))}
      {links.length > many && <button type="button" onClick={() => goWith({ [name]: many + SHOWN })}>{shared.more} ({links.length - many})</button>}
    </>
  );
}

function Steps({ plan, accepted, chosen, onChoose, again }: { plan: InsightPlan; accepted: ProposedEdge[]; chosen: Set<string>; onChoose: (chosen: Set<string>) => void; again: () => void }) {
  const say = useWords(insightWords);
  const care = useWords(careWords);
  const mayWrite = useMay()("write");
  if (!mayWrite) return <p class="muted">{care.wantsWrite}</p>;
  const undoPlan = () => call("undo_insight", { undo_plan_id: plan.id });
  const acceptAll = async () => {
    await attempt(() => call("apply_insight", { apply_plan_id: plan.id }), (done) => ({ text: say.made(done.written), undo: async () => { await undoPlan(); again(); } }));
    again();
  };
  const takeBack = async () => {
    await attempt(undoPlan, (done) => ({ text: say.left(done.written) }));
    again();
  };
  if (plan.state === "applied") return <div class="sticky-bar"><button type="button" class="danger" onClick={() => void takeBack()}>{say.undoPlan}</button></div>;
  if (plan.state === "undone" || accepted.length === 0) return null;
  const some = accepted.filter((link) => chosen.has(keyOf(link)));
  const acceptSome = async () => {
    const done = await attempt(() => relateAll(some), ({ made, known, refused }) => ({
      text: [say.madeOwn(made.length, known), ...refused.values()].join(" "),
      ...(made.length ? { undo: () => unrelateAll(made) } : {}),
    }));
    onChoose(new Set(done?.refused.keys()));
  };
  return (
    <div class="sticky-bar">
      <button type="button" class="main" onClick={() => void acceptAll()}>{say.acceptAll(accepted.length)}</button>
      <button type="button" disabled={some.length === 0} onClick={() => void acceptSome()}>{say.acceptChosen(some.length)}</button>
      <button type="button" class="plain" onClick={() => onChoose(new Set(some.length ? [] : accepted.map(keyOf)))}>{some.length ? say.chooseNone : say.chooseAll}</button>
    </div>
  );
}

/** State relations in the reader's own name; those that were there before are counted, and not taken back later. */
async function relateAll(links: ProposedEdge[]): Promise<{ made: ProposedEdge[]; known: number; refused: Map<string, string> }> {
  const made: ProposedEdge[] = [];
  const refused = new Map<string, string>();
  for (const link of links) {
    try {
      const done = await call("relate", { source_memo_id: link.source_id, target_memo_id: link.target_id, tag: link.tag, weight: link.weight, reason: link.reason });
      if (done.status === "created") made.push(link);
    } catch (error) {
      refused.set(keyOf(link), error instanceof Error ? error.message : String(error));
    }
  }
  return { made, known: links.length - made.length - refused.size, refused };
}

async function unrelateAll(links: ProposedEdge[]): Promise<void> {
  for (const link of links) await call("unrelate", { source_memo_id: link.source_id, target_memo_id: link.target_id, tag: link.tag });
}
