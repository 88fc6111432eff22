// One plan: each proposed relation with both statements and why, to be accepted or declined, and taken back.
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
  const isOpen = accepted.some(({ link }) => link.state === "open");
  const decide = useDecide(plan.id, again, () => setChosen(new Set()));
  const state = plan.state === "proposed" ? say.proposed : `${say[plan.state]} ${say.on(moment(plan.undone_at ?? plan.applied_at ?? plan.created_at, language))}`;
  return (
    <>
      <p class="muted">{say.planOf(moment(plan.created_at, language))} · {plan.root_namespace} · <span class="tag">{state}</span>{plan.asked["query"] && <> · “{plan.asked["query"]}”</>}</p>
      {plan.degraded.map((text) => <p key={text} class="tag warn" lang="en">{text}</p>)}
      {plan.remaining > 0 && <p class="muted">{say.remaining(plan.remaining)}</p>}
      <h2>{accepted.length ? say.worth(accepted.length) : say.worthNone}</h2>
      {isOpen && accepted.length > 0 && <p class="muted">{say.acceptHint} {say.leave(date(expiryOf({ at: plan.created_at }), language))}</p>}
      <Proposals links={accepted} plan={plan} name="show" chosen={chosen} onToggle={toggle} decide={decide} />
      <Steps plan={plan} accepted={accepted.map(({ link }) => link)} chosen={chosen} onChoose={setChosen} decide={decide} />
      <details class="section" open={usePlace().query.get("rejected") !== null}>
        <summary>{say.notWorth(rejected.length)}</summary>
        {plan.isWhole ? <Proposals links={rejected} plan={plan} name="rejected" chosen={chosen} onToggle={toggle} decide={decide} /> : <p class="muted">{say.noRejected}</p>}
      </details>
    </>
  );
}

interface Weighed {
  link: ProposedEdge;
  theta: number | null;
}

function Proposals({ links, plan, name, chosen, onToggle, decide }: { links: Weighed[]; plan: InsightPlan; name: string; chosen: Set<string>; onToggle: (key: string) => void; decide: Decide | null }) {
  const shared = useWords(common);
  const many = Number(usePlace().query.get(name)) || SHOWN;
  const shown = links.slice(0, many);
  const texts = useTexts([...new Set(shown.flatMap(({ link }) => [link.source_id, link.target_id]))]);
  if (texts === null) return <div class="plan-place"><Loading /></div>;
  const names = new Map(plan.nodes.map((node) => [node.id, node]));
  return (
    <>
      {shown.map(({ link, theta }) => (
        <Proposal key={keyOf(link)} link={link} theta={theta} names={names} texts={texts} isChosen={link.accepted && link.state === "open" ? chosen.has(keyOf(link)) : null} onToggle={() => onToggle(keyOf(link))} decide={decide} />
      ))}
      {links.length > many && <button type="button" onClick={() => goWith({ [name]: many + SHOWN })}>{shared.more} ({links.length - many})</button>}
    </>
  );
}

/** What a reader decides about some relations of a plan, by their numbers, or about all that are open. */
export type Decide = (what: "accept" | "decline" | "takeBack", only?: number[], reason?: string) => Promise<void>;

function useDecide(id: string, again: () => void, onDone: () => void): Decide | null {
  const say = useWords(insightWords);
  const mayWrite = useMay()("write");
  if (!mayWrite) return null;
  const some = (only?: number[]) => (only ? { only } : {});
  const takeBack = (only?: number[]) => call("undo_insight", { undo_plan_id: id, ...some(only) });
  const undo = (only?: number[]) => async () => { await takeBack(only); again(); };
  return async (what, only, reason) => {
    const many = only?.length;
    if (what === "accept") await attempt(() => call("apply_insight", { apply_plan_id: id, ...some(only) }), (done) => ({ text: say.made(many ?? done.written), undo: undo(only) }));
    else if (what === "decline") await attempt(() => call("decline_insight", { decline_plan_id: id, ...some(only), ...(reason ? { reason } : {}) }), (done) => ({ text: say.declinedNow(many ?? done.declined), undo: undo(only) }));
    else await attempt(() => takeBack(only), (done) => ({ text: only ? say.openAgain(only.length) : say.left(done.written) }));
    onDone();
    again();
  };
}

function Steps({ plan, accepted, chosen, onChoose, decide }: { plan: InsightPlan; accepted: ProposedEdge[]; chosen: Set<string>; onChoose: (chosen: Set<string>) => void; decide: Decide | null }) {
  const say = useWords(insightWords);
  const care = useWords(careWords);
  const [reason, setReason] = useState("");
  if (!decide) return <p class="muted">{care.wantsWrite}</p>;
  const open = accepted.filter((link) => link.state === "open");
  const some = open.filter((link) => chosen.has(keyOf(link)));
  const numbers = (some.length ? some : open).map((link) => link.number);
  if (accepted.length === 0) return null;
  return (
    <div class="sticky-bar">
      {open.length > 0 && (
        <>
          <button type="button" class="main" onClick={() => void decide("accept", some.length ? numbers : undefined)}>{some.length ? say.acceptChosen(some.length) : say.acceptAll(open.length)}</button>
          <button type="button" onClick={() => void decide("decline", numbers, reason)}>{some.length ? say.declineChosen(some.length) : say.declineAll(open.length)}</button>
          <label>{say.reason}<input type="text" value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
          <button type="button" class="plain" onClick={() => onChoose(new Set(some.length ? [] : open.map(keyOf)))}>{some.length ? say.chooseNone : say.chooseAll}</button>
        </>
      )}
      {plan.state === "applied" && <button type="button" class="danger" onClick={() => void decide("takeBack")}>{say.undoPlan}</button>}
    </div>
  );
}
