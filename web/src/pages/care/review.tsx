// Review: pairs of statements that do not fit together, one at a time, settled by a person.
import { useRef } from "preact/hooks";
import { call } from "../../api";
import { useMay } from "../../info";
import { useKeys } from "../../keys";
import { Title } from "../../parts/frame";
import { firstWords } from "../../parts/card";
import { attempt } from "../../parts/notice";
import { Empty, Shown } from "../../parts/states";
import { goWith, usePlace } from "../../router";
import type { Node, ReviewPair, Settled, SettleCall } from "../../verbs";
import { common, useWords } from "../../words";
import { NamespaceChoice, useNamespace } from "./namespace_choice";
import { usePages, type Pages } from "../../parts/pages";
import { PairView } from "./review_pair";
import { careWords, reviewWords } from "./words";

const PAGE = 50;

export function Review() {
  const say = useWords(reviewWords);
  const namespace = useNamespace();
  const pages = usePages(namespace ?? "", async (cursor, signal) => {
    const found = await call("review", { limit: PAGE, ...(namespace ? { namespace } : {}), ...(cursor ? { cursor } : {}) }, signal);
    return { items: found.pairs, next: found.next_cursor };
  });
  return (
    <>
      <div class="care-head"><Title>{say.title}</Title><NamespaceChoice /></div>
      <Shown of={pages}>{(pairs) => (pairs.length > 0 ? <Pairs pairs={pairs} pages={pages} /> : <Nothing isNarrowed={namespace !== null} />)}</Shown>
    </>
  );
}

function Nothing({ isNarrowed }: { isNarrowed: boolean }) {
  const say = useWords(reviewWords);
  if (!isNarrowed) return <Empty>{say.empty}</Empty>;
  return <Empty>{say.emptyThere} <button type="button" onClick={() => goWith({ ns: null })}>{say.allPlaces}</button></Empty>;
}

function nameOf(pair: ReviewPair): string {
  return `${pair.first.id}.${pair.second.id}`;
}

function Pairs({ pairs, pages }: { pairs: ReviewPair[]; pages: Pages<ReviewPair> }) {
  const say = useWords(reviewWords);
  const shared = useWords(common);
  const care = useWords(careWords);
  const mayWrite = useMay()("write");
  const wanted = usePlace().query.get("pair");
  const at = Math.max(0, pairs.findIndex((pair) => nameOf(pair) === wanted));
  const pair = pairs[at]!;
  const show = (next: number) => {
    const chosen = pairs[Math.min(pairs.length - 1, Math.max(0, next))];
    if (chosen) goWith({ pair: nameOf(chosen) });
    if (next >= pairs.length - 1 && pages.hasMore) pages.more();
  };
  const isSettling = useRef(false);
  const settle = async (keep: SettleCall["keep"], until: string | null) => {
    if (!mayWrite || isSettling.current) return;
    isSettling.current = true;
    const next = pairs[at + 1] ?? pairs[at - 1];
    const done = await attempt(() => call("settle", given(pair, keep, until)), (settled) => said(settled, pair, pages.again));
    isSettling.current = false;
    if (!done) return;
    goWith({ pair: next ? nameOf(next) : null });
    if (pairs.length === 1 && pages.hasMore) pages.again();
    else pages.drop((one) => nameOf(one) === nameOf(pair));
  };
  useKeys({ j: () => show(at + 1), ArrowDown: () => show(at + 1), k: () => show(at - 1), ArrowUp: () => show(at - 1) });
  return (
    <div class="columns review">
      <details class="pairs" open={matchMedia("(min-width: 761px)").matches}>
        <summary><strong role="status">{say.open(pairs.length, pages.hasMore)}</strong> <span class="muted">{say.position(at + 1, pairs.length)}</span></summary>
        <ol aria-label={say.pairs}>
          {pairs.map((one) => (
            <li key={nameOf(one)}>
              <button type="button" class="plain" aria-current={one === pair ? "true" : undefined} onClick={() => goWith({ pair: nameOf(one) })}>
                <span>{named(one.first)}</span><span class="muted">{kindWords(say, one.kind)}</span>
              </button>
            </li>
          ))}
        </ol>
        {pages.hasMore && <button type="button" disabled={pages.isLoading} onClick={pages.more}>{shared.more}</button>}
      </details>
      <section aria-label={`${say.pair} ${say.position(at + 1, pairs.length)}`}>
        {!mayWrite && <p class="muted">{care.wantsWrite}</p>}
        <PairView key={nameOf(pair)} pair={pair} mayWrite={mayWrite} onSettle={(keep, until) => void settle(keep, until)} onMove={(by) => show(at + by)} isFirst={at === 0} isLast={at === pairs.length - 1 && !pages.hasMore} />
      </section>
    </div>
  );
}

function given(pair: ReviewPair, keep: SettleCall["keep"], until: string | null): SettleCallGiven {
  return {
    first_id: pair.first.id, second_id: pair.second.id, keep,
    ...(pair.settle.source_id ? { source_id: pair.settle.source_id } : {}),
    ...(until && keep !== "both" ? { until } : {}),
  };
}
type SettleCallGiven = Parameters<typeof call<"settle">>[1];

/** What the service says of a decision, with the call that takes it back. */
function said(settled: Settled, pair: ReviewPair, again: () => void) {
  const back = settled.undo;
  if (!back) return { text: settled.text };
  const undo = async () => {
    await call("unrelate", { source_memo_id: back.source_id, target_memo_id: back.target_id, tag: back.tag });
    goWith({ pair: nameOf(pair) });
    again();
  };
  return { text: settled.text, undo };
}

function named(node: Node): string {
  return firstWords(node.title ?? node.content, 48);
}

export function kindWords(say: { slot: string; relation: string; dispute: string; sameTitle: string; near: string; alike: string }, kind: ReviewPair["kind"]): string {
  return kind === "title" ? say.sameTitle : say[kind];
}
