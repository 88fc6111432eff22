// The parts of a plan: what would go beside what stands for it, relations, what is spared and why, and conflicts.
import { figure } from "../../parts/time";
import { KindMark } from "../../parts/source_line";
import { address, goWith, usePlace } from "../../router";
import type { MetabolismPlan, Node, NodeRef, NodeVerdict, TagConflict, ThinEdge } from "../../verbs";
import { common, useWords } from "../../words";
import { useTexts, type Text } from "./texts";
import { careWords, metabolismWords, spareWords } from "./words";

const SHOWN = 25;

interface Keeping {
  kept: Set<string>;
  onKeep: (id: string) => void;
}

export function PlanParts({ plan, ...keeping }: { plan: MetabolismPlan } & Keeping) {
  const ends = new Map(plan.ends.map((node) => [node.id, node]));
  return (
    <>
      {plan.removed.length > 0 && <Going verdicts={plan.removed} {...keeping} />}
      {plan.pruned > 0 && <Relations plan={plan} ends={ends} />}
      <Spared plan={plan} />
      {plan.conflicts.length > 0 && <Conflicts plan={plan} ends={ends} />}
    </>
  );
}

function Name({ of, text }: { of: NodeRef | undefined; text?: string | undefined }) {
  const care = useWords(careWords);
  if (!of) return <span class="muted">{care.untitled}</span>;
  return <><KindMark kind={of.kind as Node["kind"]} /><a href={address(`/n/${of.id}`)}>{text || of.title || care.untitled}</a></>;
}

function Going({ verdicts, ...keeping }: { verdicts: NodeVerdict[] } & Keeping) {
  const say = useWords(metabolismWords);
  const shared = useWords(common);
  const many = Number(usePlace().query.get("show")) || SHOWN;
  const shown = verdicts.slice(0, many);
  const texts = useTexts(shown.flatMap(({ node, neighbour }) => [node.id, ...(neighbour ? [neighbour.id] : [])]));
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={say.goes}>
        <table class="rows pair-table">
          <thead><tr><th scope="col">{say.goes}</th><th scope="col">{say.standsIn}</th><th scope="col">{say.why}</th><th scope="col">{say.keep}</th></tr></thead>
          <tbody>{shown.map((verdict) => <GoingRow key={verdict.node.id} verdict={verdict} texts={texts} {...keeping} />)}</tbody>
        </table>
      </div>
      {verdicts.length > many && <button type="button" onClick={() => goWith({ show: many + SHOWN })}>{shared.more} ({verdicts.length - many})</button>}
    </>
  );
}

function GoingRow({ verdict: { node, neighbour, rule, difficulty, links }, texts, kept, onKeep }: { verdict: NodeVerdict; texts: Map<string, Text> | null } & Keeping) {
  const say = useWords(metabolismWords);
  return (
    <tr>
      <td><Name of={node} text={texts?.get(node.id)?.said} /></td>
      <td>{neighbour ? <Name of={neighbour} text={texts?.get(neighbour.id)?.said} /> : <span class="muted">{say.noStandIn}</span>}</td>
      <td>{rule === "orphan" ? say.orphan : say.restorable(figure(difficulty ?? 0, 3))}{links > 0 && <><br /><span class="muted">{say.relationsOf(links)}</span></>}</td>
      <td><input type="checkbox" checked={kept.has(node.id)} aria-label={`${say.keep}: ${node.title ?? node.id.slice(-8)}`} onChange={() => onKeep(node.id)} /></td>
    </tr>
  );
}

function Relations({ plan, ends }: { plan: MetabolismPlan; ends: Map<string, NodeRef> }) {
  const say = useWords(metabolismWords);
  const why = { thin: say.ruleThin, exclusive: say.ruleExclusive, duplicate: say.ruleDuplicate };
  return (
    <details class="section">
      <summary>{say.relations(plan.pruned)}</summary>
      {plan.thinnest.length < plan.pruned && <p class="muted">{say.shownFirst(plan.thinnest.length)}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label={say.relations(plan.pruned)}>
        <table class="rows">
          <thead><tr><th scope="col">{say.relation}</th><th scope="col">{say.strength}</th><th scope="col">{say.why}</th></tr></thead>
          <tbody>{plan.thinnest.map((edge) => <tr key={`${edge.source_id}${edge.target_id}${edge.tag}`}><td><Joined edge={edge} ends={ends} /></td><td class="number">{figure(edge.thickness, 3)}</td><td>{why[edge.rule]}</td></tr>)}</tbody>
        </table>
      </div>
    </details>
  );
}

function Joined({ edge, ends }: { edge: ThinEdge; ends: Map<string, NodeRef> }) {
  return <><Name of={ends.get(edge.source_id)} /> <span class="muted">— {edge.tag} →</span> <Name of={ends.get(edge.target_id)} /></>;
}

function Spared({ plan }: { plan: MetabolismPlan }) {
  const say = useWords(metabolismWords);
  const rules = useWords(spareWords);
  const all = Object.values(plan.spared).reduce((sum, many) => sum + many, 0);
  if (all === 0) return null;
  return (
    <details class="section">
      <summary>{say.spared(all)}</summary>
      {Object.entries(plan.spared).map(([rule, many]) => (
        <details key={rule} class="fold">
          <summary>{many} · {rules[rule as keyof typeof rules] ?? rule}</summary>
          <ul>
            {plan.examples.filter((verdict) => verdict.rule === rule).map((verdict) => (
              <li key={verdict.node.id}>
                <Name of={verdict.node} />
                {verdict.neighbour && <> <span class="muted">· {say.nearest}{verdict.difficulty !== null && ` (${figure(verdict.difficulty, 3)})`}:</span> <Name of={verdict.neighbour} /></>}
                {verdict.detail && <span class="muted" lang="en"> · {verdict.detail}</span>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </details>
  );
}

function Conflicts({ plan, ends }: { plan: MetabolismPlan; ends: Map<string, NodeRef> }) {
  const say = useWords(metabolismWords);
  return (
    <details class="section" open={plan.undecided > 0}>
      <summary>{say.conflicts(plan.conflicts.length)}</summary>
      {plan.undecided > 0 && <p>{say.undecided(plan.undecided)} <a href="/care/review">{say.settleThese}</a></p>}
      {plan.conflicts.map((conflict) => <Conflict key={`${conflict.source_id}${conflict.tag}`} conflict={conflict} ends={ends} />)}
    </details>
  );
}

function Conflict({ conflict, ends }: { conflict: TagConflict; ends: Map<string, NodeRef> }) {
  const say = useWords(metabolismWords);
  return (
    <div class="card">
      <p><Name of={ends.get(conflict.source_id)} /> <span class="muted">— {conflict.tag} →</span></p>
      <ul>
        {conflict.links.map((edge) => (
          <li key={edge.target_id}>
            <Name of={ends.get(edge.target_id)} /> <span class="muted">({say.strength} {figure(edge.thickness, 3)})</span> {conflict.kept === null ? say.allStay : edge.target_id === conflict.kept.target_id && <strong>{say.stays}</strong>}
          </li>
        ))}
      </ul>
      <p class="muted" lang="en">{conflict.why}</p>
    </div>
  );
}
