// One pair: both statements with their sources and quotes, why they are here, what each choice does, and the choices.
import { useState } from "preact/hooks";
import { useCall } from "../../api";
import { useKeys } from "../../keys";
import { hostOf, SourceLine } from "../../parts/source_line";
import { date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { EvidenceItem, Node, ReviewPair, SettleCall } from "../../verbs";
import { common, useWords } from "../../words";
import { Pieces, useDifferences, type Piece } from "./difference";
import { kindWords } from "./review";
import { reviewWords } from "./words";

const QUOTES = 3;

export interface PairProps {
  pair: ReviewPair;
  mayWrite: boolean;
  isFirst: boolean;
  isLast: boolean;
  onSettle: (keep: SettleCall["keep"], until: string | null) => void;
  onMove: (by: number) => void;
}

export function PairView({ pair, mayWrite, isFirst, isLast, onSettle, onMove }: PairProps) {
  const say = useWords(reviewWords);
  const [until, setUntil] = useState<string | null>(null);
  const [one, other] = useDifferences(pair.first.content, pair.second.content);
  useKeys({ 1: () => onSettle("first", until), 2: () => onSettle("second", until), 3: () => onSettle("both", null) });
  return (
    <>
      <p class="because"><strong>{kindWords(say, pair.kind)}</strong> <span class="muted" lang="en" title={say.because}>({pair.reason})</span></p>
      <div class="two">
        <Side name="A" node={pair.first} pieces={one} isNewer={pair.newer === "first"} />
        <Side name="B" node={pair.second} pieces={other} isNewer={false} />
      </div>
      <Effects pair={pair} until={until} />
      <label class="until">{say.until} <input type="date" value={until ?? ""} disabled={!mayWrite} onChange={(event) => setUntil(event.currentTarget.value || null)} /></label>
      {until && <p class="muted">{say.untilHint}</p>}
      <div class="settle-bar">
        <button type="button" class="main" disabled={!mayWrite} onClick={() => onSettle("first", until)}>{say.stands("A")} <kbd>1</kbd></button>
        <button type="button" class="main" disabled={!mayWrite} onClick={() => onSettle("second", until)}>{say.stands("B")} <kbd>2</kbd></button>
        <button type="button" disabled={!mayWrite} onClick={() => onSettle("both", null)}>{say.both} <kbd>3</kbd></button>
        <span class="moves">
          <button type="button" disabled={isFirst} onClick={() => onMove(-1)}>{say.previous} <kbd>k</kbd></button>
          <button type="button" disabled={isLast} onClick={() => onMove(1)}>{say.later} <kbd>j</kbd></button>
        </span>
      </div>
    </>
  );
}

function Side({ name, node, pieces, isNewer }: { name: string; node: Node; pieces: Piece[]; isNewer: boolean }) {
  const say = useWords(reviewWords);
  const { language } = usePreferences();
  return (
    <article class="card side">
      <h2><span class="letter">{name}</span> {node.title ? <a href={address(`/n/${node.id}`)}>{node.title}</a> : <a href={address(`/n/${node.id}`)}>{say.whole}</a>}</h2>
      <SourceLine node={node} />
      <p class="text"><Pieces of={pieces} /></p>
      {node.kind === "claim" ? <Quotes claim={node.id} /> : <OwnQuote node={node} />}
      <p class="tags">
        {isNewer && <span class="tag">{say.newer}</span>}
        <span>{say.since(date(since(node), language))}</span>
        <span>{node.namespace}</span>
        {node.slot && <span class="tag">{node.slot}</span>}
      </p>
    </article>
  );
}

/** A note that was saved with the words of its source shows them. */
function OwnQuote({ node }: { node: Node }) {
  const quote = node.provenance["quote"];
  return typeof quote === "string" && quote ? <blockquote class="quote">{quote}</blockquote> : null;
}

function Quotes({ claim }: { claim: string }) {
  const say = useWords(reviewWords);
  const { answer } = useCall("claim_evidence", { claim_id: claim, limit: QUOTES });
  return (
    <div class="quotes" aria-label={say.quotes} role="group">
      {answer?.evidence.length === 0 && <p class="muted">{say.noQuotes}</p>}
      {answer?.evidence.map((item) => <Quote key={`${item.node.id}${item.relation.tag}`} item={item} />)}
    </div>
  );
}

const SIGNS: Record<string, string> = { supports: "▲", refutes: "▼", neutral: "●" };

function Quote({ item: { node, relation } }: { item: EvidenceItem }) {
  const say = useWords(common);
  const tag = relation.tag === "supports" || relation.tag === "refutes" ? relation.tag : "neutral";
  return (
    <blockquote class="quote">
      <span class={tag}>{SIGNS[tag]} {say[tag]}</span> {node.content}
      <footer class="muted">{[hostOf(node), relation.year].filter(Boolean).join(", ") || say.noSource}</footer>
    </blockquote>
  );
}

function Effects({ pair, until }: { pair: ReviewPair; until: string | null }) {
  const say = useWords(reviewWords);
  const { language } = usePreferences();
  const today = new Date().toISOString().slice(0, 10);
  const [first, second] = [since(pair.first), since(pair.second)];
  const effect = (kept: string, other: string, keptSince: string, otherSince: string) => {
    if (pair.settle.source_id) return say.ifRelation(kept, other, date(until ?? today, language));
    if (until) return say.ifKept(kept, other, date(until, language));
    return keptSince < otherSince ? say.ifKeptOld(kept, other) : say.ifKept(kept, other, date(keptSince, language));
  };
  return (
    <ul class="effects" aria-label={say.effects}>
      <li>{effect("A", "B", first, second)}</li>
      <li>{effect("B", "A", second, first)}</li>
      <li>{say.ifBoth}</li>
    </ul>
  );
}

/** From when on a statement is known to hold. */
function since(node: Node): string {
  return node.valid_from ?? node.observed_at;
}
