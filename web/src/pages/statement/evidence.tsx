// What speaks for and against a claim, side by side, with quote, source, year, judge and how sure the judge was.
import { useState } from "preact/hooks";
import { figure } from "../../parts/time";
import { hostOf, KindMark } from "../../parts/source_line";
import { address, goWith, usePlace } from "../../router";
import type { EvidenceItem } from "../../verbs";
import { common, useWords } from "../../words";
import type { About } from "./about";
import { CorrectJudgement } from "./judge";
import { PosteriorFigure } from "./posterior";
import { judgeName, table } from "./words";
import { acts } from "./words_of_acts";

const SIGNS = { supports: "▲", refutes: "▼", neutral: "●" } as const;
type Side = keyof typeof SIGNS;

export function Evidence({ about, mayWrite }: { about: About; mayWrite: boolean }) {
  const say = useWords(table);
  const shared = useWords(common);
  const { query } = usePlace();
  const [corrected, setCorrected] = useState<EvidenceItem | null>(null);
  const evidence = about.evidence;
  if (!evidence) return null;
  const judged = evidence.evidence.filter((item) => Object.hasOwn(SIGNS, item.relation.tag));
  // Only quotes count as evidence; what follows from other statements stands below them.
  const on = (side: Side) => judged.filter((item) => item.relation.tag === side).sort((one, other) => Number(isQuote(other)) - Number(isQuote(one)));
  const { posterior, claim } = evidence;
  const total = posterior.supports + posterior.refutes + posterior.neutral;
  if (judged.length === 0) return <section><h2>{say.evidence}</h2><p class="muted">{say.noEvidence}</p></section>;
  const shown: Side = query.get("side") === "refutes" ? "refutes" : "supports";
  const weight = { supports: about.weights?.["support_weight"], refutes: about.weights?.["refute_weight"] };
  const quotes = (items: EvidenceItem[]) => <Quotes items={items} claimId={claim.id} {...(mayWrite ? { onCorrect: setCorrected } : {})} />;
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">{say.evidence}</h2>
      <div class="side-tabs" role="group" aria-label={say.evidence}>
        {(["supports", "refutes"] as const).map((side) => (
          <button key={side} type="button" aria-pressed={shown === side} onClick={() => goWith({ side: side === "refutes" ? side : null })}>{SIGNS[side]} {shared[side]} {posterior[side]}</button>
        ))}
      </div>
      <div class="sides">
        {(["supports", "refutes"] as const).map((side) => (
          <section key={side} class={shown === side ? `side side-${side}` : `side side-${side} folded`} aria-labelledby={side}>
            <h3 id={side} tabIndex={-1} class={side}>{SIGNS[side]} {shared[side]} {posterior[side]}{typeof weight[side] === "number" && posterior[side] > 0 && <span class="muted"> · {say.weight(figure(weight[side], 1))}</span>}</h3>
            {on(side).length === 0 ? <p class="muted">{say.noneOnSide}</p> : quotes(on(side))}
          </section>
        ))}
        <PosteriorFigure of={posterior} />
      </div>
      {on("neutral").length > 0 && <details class="neutral-ones"><summary>● {say.neutralOnes(posterior.neutral)}</summary>{quotes(on("neutral"))}</details>}
      {judged.filter(isQuote).length < total && <p><button type="button" onClick={() => goWith({ long: 1 })}>{shared.more}</button></p>}
      {corrected && <CorrectJudgement item={corrected} claim={claim} onClose={() => setCorrected(null)} />}
    </section>
  );
}

function isQuote(item: EvidenceItem): boolean {
  return item.node.kind === "fragment";
}

function Quotes({ items, claimId, onCorrect }: { items: EvidenceItem[]; claimId: string; onCorrect?: (item: EvidenceItem) => void }) {
  return <ul class="quotes">{items.map((item) => <Quote key={item.node.id} item={item} claimId={claimId} {...(onCorrect ? { onCorrect } : {})} />)}</ul>;
}

function Quote({ item, claimId, onCorrect }: { item: EvidenceItem; claimId: string; onCorrect?: (item: EvidenceItem) => void }) {
  const say = useWords(table);
  const { noSource } = useWords(common);
  const { node, relation } = item;
  const host = hostOf(node);
  const source = node.provenance["source_title"];
  const heading = node.provenance["heading"];
  const judge = judgeName(relation.judge, say);
  return (
    <li data-id={node.id}>
      <p class="source-line">
        <KindMark kind={node.kind} />
        {node.kind === "claim" ? <a href={address(`/n/${node.id}`)}>{say.anotherClaim}</a> : node.page_id ? <a href={address(`/n/${node.page_id}`)}>{host ?? String(source ?? noSource)}</a> : (host ?? noSource)}
        {relation.year !== null && <> · {relation.year}</>}
        {typeof heading === "string" && <> · {heading}</>}
        {node.kind === "fragment" && node.position !== null && <> · {say.paragraph(node.position + 1)}</>}
      </p>
      <blockquote><a href={address(`/n/${node.id}`)}>{node.content}</a></blockquote>
      <p class="muted judged">{judge ? say.judgedBy(judge) : say.nobody} · {say.sure(figure(relation.confidence))}{relation.reason && <> · {relation.reason}</>}</p>
      <p class="quote-acts">
        {node.page_id && <a href={address(`/n/${claimId}`, { at: node.id }, "quote")}>{say.inItsPage}</a>}
        {onCorrect && <CorrectButton onClick={() => onCorrect(item)} />}
      </p>
    </li>
  );
}

function CorrectButton({ onClick }: { onClick: () => void }) {
  const say = useWords(acts);
  return <button type="button" class="plain" onClick={onClick}>{say.judgementTitle}</button>;
}
