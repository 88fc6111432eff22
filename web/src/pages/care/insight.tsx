// Proposals: look for relations that are worth making, and the plans that were made.
import { useState } from "preact/hooks";
import { useCall } from "../../api";
import { useMay } from "../../info";
import { firstWords } from "../../parts/card";
import { Title } from "../../parts/frame";
import { attempt } from "../../parts/notice";
import { Empty, Shown } from "../../parts/states";
import { date, moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, go, usePlace } from "../../router";
import { useWords } from "../../words";
import { NamespaceChoice, useNamespace } from "./namespace_choice";
import { findPlan, listedPlans, type ListedPlan } from "./plans";
import { careWords, insightWords } from "./words";

const LISTED = 100;

export function Insight() {
  const say = useWords(insightWords);
  const namespace = useNamespace();
  const listed = useCall("history", { topic: ["plan", "insight"], limit: LISTED, ...(namespace ? { namespace } : {}) });
  return (
    <>
      <div class="care-head"><Title>{say.title}</Title><NamespaceChoice /></div>
      <p class="muted">{say.intro}</p>
      <Find namespace={namespace} />
      <h2>{say.plans}</h2>
      <Shown of={listed}>{({ items }) => <Plans plans={listedPlans(items)} />}</Shown>
    </>
  );
}

function Find({ namespace }: { namespace: string | null }) {
  const say = useWords(insightWords);
  const care = useWords(careWords);
  const mayWrite = useMay()("write");
  const { query } = usePlace();
  const one = query.get("for");
  const [question, setQuestion] = useState(query.get("q") ?? "");
  const [among, setAmong] = useState(one ? "one" : question ? "question" : "new");
  const [isBusy, setBusy] = useState(false);
  const find = async () => {
    setBusy(true);
    const asked = among === "one" && one ? { memo_id: one } : among === "question" ? { query: question } : {};
    const place = namespace ?? (among === "one" ? null : "/");
    const plan = await attempt(() => findPlan({ ...asked, ...(place ? { namespace: place } : {}) }), () => null);
    setBusy(false);
    if (plan) go(address(`/care/insight/${plan.id}`));
  };
  if (!mayWrite) return <p class="muted">{care.wantsWrite}</p>;
  return (
    <form class="find card" onSubmit={(event) => { event.preventDefault(); void find(); }}>
      <label>{say.what}
        <select value={among} onChange={(event) => setAmong(event.currentTarget.value)}>
          <option value="new">{say.allNew}</option>
          <option value="question">{say.forQuestion}</option>
          {one && <option value="one"><NameOf id={one} /></option>}
        </select>
      </label>
      {among === "question" && <label class="grow">{say.question}<input type="text" value={question} required onInput={(event) => setQuestion(event.currentTarget.value)} /></label>}
      <button type="submit" class="main" disabled={isBusy}>{say.find}</button>
      <span role="status" class="muted">{isBusy && say.finding}</span>
    </form>
  );
}

function NameOf({ id }: { id: string }) {
  const say = useWords(insightWords);
  const node = useCall("get", { memo_id: id }).answer;
  return <>{say.forOne(node ? firstWords(node.title ?? node.content, 60) : id.slice(-8))}</>;
}

function Plans({ plans }: { plans: ListedPlan[] }) {
  const say = useWords(insightWords);
  const { language } = usePreferences();
  if (plans.length === 0) return <Empty>{say.noPlans}</Empty>;
  return (
    <ul class="plan-list">
      {plans.map((plan) => (
        <li key={plan.id}>
          <span>{plan.state === "expired" ? say.proposes(plan.links, plan.judged) : <a href={address(`/care/insight/${plan.id}`)}>{say.proposes(plan.links, plan.judged)}</a>} <span class="muted">· {moment(plan.at, language)} · {plan.namespace}</span></span>
          <span class={plan.state === "proposed" ? "tag" : "muted"}>{say[plan.state]}{plan.state !== "proposed" && ` ${say.on(date(plan.since, language))}`}</span>
        </li>
      ))}
    </ul>
  );
}
