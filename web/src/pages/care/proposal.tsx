// One proposed relation: both statements as a sentence, what speaks for it in words and small bars, and the gate's values.
import { figure } from "../../parts/time";
import { address } from "../../router";
import type { EdgeFigures, NodeRef, ProposedEdge } from "../../verbs";
import { useWords } from "../../words";
import type { Decide } from "./insight_plan";
import type { Text } from "./texts";
import { insightWords } from "./words";

export interface ProposalProps {
  link: ProposedEdge;
  theta: number | null;
  names: Map<string, NodeRef>;
  texts: Map<string, Text>;
  /** Null where there is nothing to choose. */
  isChosen: boolean | null;
  onToggle: () => void;
  /** Null where the reader may not decide. */
  decide: Decide | null;
}

export function Proposal({ link, theta, names, texts, isChosen, onToggle, decide }: ProposalProps) {
  const say = useWords(insightWords);
  return (
    <article class={isChosen === null ? "card" : "card proposal"}>
      {isChosen !== null && <input type="checkbox" checked={isChosen} aria-label={`${say.choose}: ${titleOf(names.get(link.source_id))} – ${titleOf(names.get(link.target_id))}`} onChange={onToggle} />}
      <div class="proposal-body">
        <div class="ends">
          <End id={link.source_id} name={names.get(link.source_id)} text={texts.get(link.source_id)} />
          <span class="joint">{link.tag === "related" ? say.isRelated : say.relates(link.tag)}</span>
          <End id={link.target_id} name={names.get(link.target_id)} text={texts.get(link.target_id)} />
        </div>
        <Measures link={link} theta={theta} />
        <p class="fold muted" lang="en">{link.reason}</p>
        {link.accepted && <Decided link={link} decide={decide} />}
        <Gate figures={link.figures} theta={theta} />
      </div>
    </article>
  );
}

/** What was decided about a relation, or can be. */
function Decided({ link, decide }: { link: ProposedEdge; decide: Decide | null }) {
  const say = useWords(insightWords);
  const only = [link.number];
  if (link.state === "open") {
    return decide && <p class="actions"><button type="button" onClick={() => void decide("accept", only)}>{say.accept}</button><button type="button" onClick={() => void decide("decline", only)}>{say.decline}</button></p>;
  }
  const state = { made: say.stateMade, left_out: say.stateLeftOut, declined: say.stateDeclined }[link.state];
  return (
    <p class="actions">
      <span class="tag">{state}</span>{link.note && <span>{link.note}</span>}
      {decide && <button type="button" class="plain" onClick={() => void decide("takeBack", only)}>{say.takeBack}</button>}
    </p>
  );
}

function titleOf(name: NodeRef | undefined): string {
  return name?.title ?? "?";
}

function End({ id, name, text }: { id: string; name: NodeRef | undefined; text: Text | undefined }) {
  const say = useWords(insightWords);
  const title = text ? text.title : (name?.title ?? `${id.slice(-8)} (${say.gone})`);
  return (
    <div>
      <p><a href={address(`/n/${id}`)}>{title ?? text?.said}</a></p>
      {title !== null && text && text.said !== title && <p class="excerpt">{text.said}</p>}
    </div>
  );
}

function Measures({ link, theta }: { link: ProposedEdge; theta: number | null }) {
  const say = useWords(insightWords);
  const { similarity, words, g, score } = link.figures;
  return (
    <p class="measures">
      <strong>{worthOf(say, link, theta)}</strong>
      <Measure name={say.gain} value={1 - g} />
      <Measure name={say.score} value={score} />
      {similarity !== null && <Measure name={say.similarity} value={similarity} />}
      {words !== null && <Measure name={say.words} value={words} />}
      <span class="muted">{say.weight(figure(link.weight))}</span>
    </p>
  );
}

function worthOf(say: { wellWorth: string; worthIt: string; justWorth: string; notWorthIt: string }, link: ProposedEdge, theta: number | null): string {
  if (!link.accepted) return say.notWorthIt;
  if (theta === null) return say.worthIt;
  const share = link.figures.g / theta;
  return share < 0.5 ? say.wellWorth : share < 0.85 ? say.worthIt : say.justWorth;
}

export function Measure({ name, value }: { name: string; value: number }) {
  const share = Math.min(1, Math.max(0, value));
  return (
    <span class="measure">
      <span>{name} {figure(value)}</span>
      <span class="bar-track" aria-hidden="true"><span class="bar-fill" style={{ width: `${Math.round(100 * share)}%` }} /></span>
    </span>
  );
}

function Gate({ figures, theta }: { figures: EdgeFigures; theta: number | null }) {
  const say = useWords(insightWords);
  const rows: [string, string][] = [
    [say.cost, figure(figures.g, 3)], ...(theta === null ? [] : [[say.theta, figure(theta, 3)] as [string, string]]),
    [say.hop, String(figures.hop)], [say.ged, figure(figures.delta_ged, 3)], [say.h, figure(figures.delta_h, 3)], [say.sp, figure(figures.delta_sp, 3)],
    [say.neighbours, String(figures.common_neighbours)], [say.distance, figures.distance === null ? say.far : String(figures.distance)],
  ];
  return (
    <details class="fold">
      <summary>{say.gate}</summary>
      <dl class="values">{rows.map(([name, value]) => [<dt key={`${name}t`}>{name}</dt>, <dd key={name}>{value}</dd>])}</dl>
    </details>
  );
}
