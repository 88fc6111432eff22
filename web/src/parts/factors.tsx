// Why an item is where it is: a sentence, and a small bar of its factors with the same figures in words.
import type { Factors } from "../verbs";
import { useWords, words } from "../words";
import { figure } from "./time";

const table = words(
  { why: "Why", fits: "fits", useful: "useful", sure: "sure", fresh: "fresh", strong: "clearly about this", likely: "probably about this", weak: "perhaps about this", graph: "linked" },
  { why: "理由", fits: "一致", useful: "有用", sure: "確実", fresh: "新しさ", strong: "明らかに該当", likely: "おそらく該当", weak: "該当の可能性", graph: "関係" },
);

const STRONG = 0.9;
const LIKELY = 0.5;

export function Why({ reason, relevance, fit, graph, factors }: { reason: string; relevance: number | null; fit: number; graph: number; factors: Factors | null }) {
  const say = useWords(table);
  const parts: [string, number][] = [[say.fits, fit]];
  if (graph > 0) parts.push([say.graph, graph]);
  if (factors) parts.push([say.useful, factors.utility], [say.sure, factors.confidence], [say.fresh, factors.recency]);
  const surely = relevance === null ? null : relevance >= STRONG ? say.strong : relevance >= LIKELY ? say.likely : say.weak;
  const spoken = parts.map(([name, value]) => `${name} ${figure(value)}`).join(", ");
  return (
    <div class="why">
      <span><b>{say.why}:</b> {[surely, reason].filter(Boolean).join("; ")}</span>
      <span class="bar" role="img" aria-label={spoken} title={spoken}>
        {parts.map(([name, value]) => <span key={name} class="bar-part"><span class="bar-name">{name}</span><span class="bar-track"><span class="bar-fill" style={{ width: `${Math.round(100 * Math.min(1, Math.max(0, value)))}%` }} /></span></span>)}
      </span>
    </div>
  );
}
