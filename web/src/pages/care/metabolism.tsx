// What may go: the distributions with their cuts, and the plan that the cuts make. Moving a cut plans anew.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { Histogram } from "../../charts/histogram";
import { useMay } from "../../info";
import { Title } from "../../parts/frame";
import { Empty, Shown } from "../../parts/states";
import { moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, goWith, usePlace } from "../../router";
import type { HistoryEntry, MetabolismPlan } from "../../verbs";
import { useWords } from "../../words";
import { Apply } from "./metabolism_apply";
import { PlanParts } from "./metabolism_plan";
import { NamespaceChoice, useNamespace } from "./namespace_choice";
import { careWords, metabolismWords } from "./words";

export type Given = Parameters<typeof call<"metabolize">>[1];
const NUMBERS = { prune: "prune_threshold", benefit: "mdl_benefit", half: "half_life_days", hours: "protection_hours" } as const;

/** What the address asks of a plan: the namespace, the cuts and the further settings. */
function useGiven(): Given {
  const { query } = usePlace();
  const given: Given = { namespace: useNamespace() ?? "/" };
  for (const [name, setting] of Object.entries(NUMBERS)) {
    const value = query.get(name);
    if (value !== null && value !== "" && Number.isFinite(Number(value))) given[setting] = Number(value);
  }
  const orphans = query.get("orphans");
  if (orphans === "entities" || orphans === "all") given.orphans = orphans;
  return given;
}

export function Metabolism() {
  const say = useWords(metabolismWords);
  const care = useWords(careWords);
  const mayPlan = useMay()("admin");
  const given = useGiven();
  const planned = useCall("metabolize", mayPlan ? { ...given, figures: true } : null);
  return (
    <>
      <div class="care-head"><Title>{say.title}</Title><NamespaceChoice /></div>
      <p class="muted">{say.intro}</p>
      {!mayPlan && <p class="state">{care.wantsAdmin}</p>}
      {mayPlan && (
        <div class="planned">
          <Shown of={planned} text={say.planning}>{(plan) => <Planned key={plan.plan_id} plan={plan} given={given} isStale={planned.isLoading} />}</Shown>
        </div>
      )}
      <Runs />
    </>
  );
}

/** A plan, and what the reader leaves out of it. */
function Planned({ plan, given, isStale }: { plan: MetabolismPlan; given: Given; isStale: boolean }) {
  const [kept, setKept] = useState<Set<string>>(new Set());
  const toggle = (id: string) => setKept((former) => new Set(former.has(id) ? [...former].filter((known) => known !== id) : [...former, id]));
  return <><Cuts plan={plan} /><Settings given={given} /><Apply plan={plan} given={given} kept={kept} isStale={isStale} /><PlanParts plan={plan} kept={kept} onKeep={toggle} /></>;
}

function Cuts({ plan: { thickness, difficulty, settings } }: { plan: MetabolismPlan }) {
  const say = useWords(metabolismWords);
  const differ = new Set(Object.values(settings).map((own) => `${String(own["prune_threshold"])} ${String(own["mdl_benefit"])}`)).size > 1;
  return (
    <>
      <div class="charts">
        {thickness && <Histogram title={say.thickness} counts={thickness.counts} measure={say.thicknessMeasure} counted={say.relationsCounted} cut={{ at: thickness.cut, name: say.prune, below: say.thin, above: say.thick, onMove: (at) => goWith({ prune: rounded(at) }) }} />}
        {difficulty && <Histogram title={say.difficulty} counts={difficulty.counts} measure={say.difficultyMeasure} counted={say.statementsCounted} cut={{ at: difficulty.cut, name: say.benefit, below: say.alike, above: say.unlike, onMove: (at) => goWith({ benefit: rounded(at) }) }} />}
      </div>
      {differ && <p class="muted">{say.ownCuts}</p>}
    </>
  );
}

/** 0 is a cut like any other, and stays in the address. */
function rounded(at: number): string {
  return String(Number(at.toFixed(3)));
}

function Settings({ given }: { given: Given }) {
  const say = useWords(metabolismWords);
  const isChanged = Object.keys(given).length > 1;
  const changed = (name: string) => (event: { currentTarget: { value: string } }) => goWith({ [name]: event.currentTarget.value });
  return (
    <details class="fold" open={given.half_life_days !== undefined || given.protection_hours !== undefined || given.orphans !== undefined}>
      <summary>{say.more}</summary>
      <div class="settings">
        <label>{say.halfLife}<input type="number" min="0" max="36500" step="any" placeholder={say.asPolicy} value={given.half_life_days ?? ""} onChange={changed("half")} /></label>
        <label>{say.protection}<input type="number" min="0" max="876000" step="any" placeholder={say.asPolicy} value={given.protection_hours ?? ""} onChange={changed("hours")} /></label>
        <label>{say.orphans}
          <select value={given.orphans ?? ""} onChange={changed("orphans")}>
            <option value="">{say.asPolicy}</option>
            <option value="entities">{say.entities}</option>
            <option value="all">{say.allOrphans}</option>
          </select>
        </label>
        <button type="button" disabled={!isChanged} onClick={() => goWith({ prune: null, benefit: null, half: null, hours: null, orphans: null })}>{say.reset}</button>
      </div>
    </details>
  );
}

function Runs() {
  const say = useWords(metabolismWords);
  const namespace = useNamespace();
  const runs = useCall("history", { topic: ["metabolism"], limit: 20, ...(namespace ? { namespace } : {}) });
  return (
    <>
      <h2>{say.runs}</h2>
      <Shown of={runs}>{({ items }) => (items.length ? <RunList items={items} /> : <Empty>{say.noRuns}</Empty>)}</Shown>
    </>
  );
}

function RunList({ items }: { items: HistoryEntry[] }) {
  const { language } = usePreferences();
  return (
    <ul class="plan-list">
      {items.map((entry) => <li key={entry.seq}><a lang="en" href={address(`/care/metabolism/${entry.part_of ?? ""}`)}>{entry.text}</a><span class="muted">{moment(entry.at, language)} · {entry.namespace}</span></li>)}
    </ul>
  );
}
