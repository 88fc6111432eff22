// What a statement is related to, in both directions, with the thickness of each relation as the thickness of a line.
import { useState } from "preact/hooks";
import { figure } from "../../parts/time";
import { address, goWith } from "../../router";
import type { MeasuredEdge, Node } from "../../verbs";
import { common, useWords } from "../../words";
import type { About } from "./about";
import { Name } from "./name";
import { Relate, TakeAway } from "./relate";
import { judgeName, table } from "./words";

const THICKEST_PX = 8;
const SIGNS = { supports: "▲", refutes: "▼", neutral: "●" } as const;
// What a claim's evidence and a page's citations say is shown in their own places.
const JUDGEMENTS = ["supports", "refutes", "neutral", "origin"];

function isShownElsewhere(edge: MeasuredEdge, node: Node): boolean {
  if (node.kind === "claim") return edge.target_id === node.id && JUDGEMENTS.includes(edge.tag) && (edge.source_kind === "fragment" || edge.source_kind === "claim");
  return node.kind === "page" && edge.tag === "cites";
}

export function RelationsSection({ about, mayWrite }: { about: About; mayWrite: boolean }) {
  const say = useWords(table);
  const [isRelating, setRelating] = useState(false);
  const [taken, setTaken] = useState<MeasuredEdge | null>(null);
  const { node } = about;
  const edges = about.edges.filter((edge) => !isShownElsewhere(edge, node));
  return (
    <section aria-labelledby="relations">
      <h2 id="relations">{say.relations}</h2>
      <p class="actions">
        {mayWrite && <button type="button" onClick={() => setRelating(true)}>{say.addRelation}</button>}
        <a class="button" href={address("/graph", { from: node.id })}>{say.inGraph}</a>
      </p>
      {edges.length === 0 && <p class="muted">{say.noRelations}</p>}
      <ul class="plain-list relations">
        {edges.map((edge) => <Relation key={`${edge.source_id} ${edge.target_id} ${edge.tag}`} edge={edge} about={about} {...(mayWrite && !isJudgement(edge) ? { onTake: setTaken } : {})} />)}
      </ul>
      {about.hasMoreEdges && <p><button type="button" onClick={() => goWith({ long: 1 })}>{say.moreRelations}</button></p>}
      {isRelating && <Relate node={node} edges={about.edges} onClose={() => setRelating(false)} />}
      {taken && <TakeAway edge={taken} onClose={() => setTaken(null)} />}
    </section>
  );
}

/** Whether a relation is a judgement about a claim, which is corrected and not taken away. */
function isJudgement(edge: MeasuredEdge): boolean {
  return edge.target_kind === "claim" && JUDGEMENTS.includes(edge.tag) && (edge.source_kind === "fragment" || edge.source_kind === "claim");
}

function Relation({ edge, about, onTake }: { edge: MeasuredEdge; about: About; onTake?: (edge: MeasuredEdge) => void }) {
  const say = useWords(table);
  const shared = useWords(common);
  const isOut = edge.source_id === about.node.id;
  const other = isOut ? edge.target_id : edge.source_id;
  const words = say.thickness(figure(edge.thickness));
  const line = edge.tag === "refutes" || edge.tag === "contradicts" || edge.tag === "conflicts" ? "dashed" : edge.tag === "neutral" ? "dotted" : "solid";
  const side = isJudgement(edge) ? (["supports", "refutes", "neutral"] as const).find((name) => name === edge.tag) : undefined;
  const tag = side ? <span class={side}>{SIGNS[side]} {shared[side]}</span> : edge.tag;
  const judge = judgeName(edge.judge, say);
  return (
    <li>
      <span class="relation-line" role="img" aria-label={words} title={words}><span class={`line-${line}`} style={{ borderTopWidth: `${Math.max(1, Math.round(edge.thickness * THICKEST_PX))}px` }} /></span>
      <span class="relation-text">
        <span class="relation-tag">{isOut ? <>{tag} →</> : <>← {tag}</>}</span> <Name id={other} names={about.names} />
        <br /><span class="muted">{[words, judge && say.judgedBy(judge), edge.reason].filter(Boolean).join(" · ")}</span>
      </span>
      {onTake && <button type="button" class="plain" onClick={() => onTake(edge)} aria-label={`${say.takeAway}: ${edge.tag}`}>{say.takeAway}</button>}
    </li>
  );
}
