// What shapes, colours and lines mean, and how many of each are shown; choosing some shows only those.
import { useRef } from "preact/hooks";
import { KindMark } from "../../parts/source_line";
import { common, useWords } from "../../words";
import { sideOf, SIDES, type Side } from "./colours";
import type { Drawn } from "./drawn";
import { change, KINDS, type View } from "./view";
import { table } from "./words";

const SIGNS: Record<Side, string> = { supports: "▲", refutes: "▼", neutral: "●", other: "" };

export function Legend({ view, drawn }: { view: View; drawn: Drawn }) {
  const say = useWords(table);
  const shared = useWords(common);
  const tags = useSeenTags(drawn, view.tags);
  const kinds = KINDS.filter((kind) => view.kinds.includes(kind) || drawn.nodes.some((node) => node.kind === kind) || view.kinds.length > 0);
  return (
    <div class="legend">
      <fieldset>
        <legend>{say.kinds}</legend>
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="checkbox" checked={view.kinds.includes(kind)} onChange={() => change({ kinds: toggled(view.kinds, kind) })} />
            <span><KindMark kind={kind} />{shared[kind]} <span class="muted">{drawn.nodes.filter((node) => node.kind === kind).length}</span></span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{say.tags}</legend>
        {tags.map((tag) => (
          <label key={tag}>
            <input type="checkbox" checked={view.tags.includes(tag)} onChange={() => change({ tags: toggled(view.tags, tag) })} />
            <LineMark side={sideOf(tag)} />
            <span>{tagWord(tag, shared)} <span class="muted">{drawn.edges.filter((edge) => edge.tag === tag).length}</span></span>
          </label>
        ))}
      </fieldset>
      <p class="muted">{say.onlyThese} {(view.kinds.length > 0 || view.tags.length > 0) && <button type="button" onClick={() => change({ kinds: [], tags: [] })}>{say.clear}</button>} <span class="keys-hint">{say.keys}</span></p>
    </div>
  );
}

/** The line of a relation as it is drawn: solid, dashed or dotted. */
export function LineMark({ side }: { side: Side }) {
  return <span class={`line-mark ${side}`} aria-hidden="true"><span />{SIGNS[side]}</span>;
}

export function tagWord(tag: string, shared: { supports: string; refutes: string; neutral: string }): string {
  return tag === "supports" || tag === "refutes" || tag === "neutral" ? shared[tag] : tag.replaceAll(/[-_]/g, " ");
}

/** All tags that were seen since the graph was opened: one that is filtered out can be chosen again. */
function useSeenTags(drawn: Drawn, chosen: string[]): string[] {
  const seen = useRef(new Set<string>());
  for (const edge of drawn.edges) seen.current.add(edge.tag);
  for (const tag of chosen) seen.current.add(tag);
  return [...seen.current].sort((one, other) => SIDES.indexOf(sideOf(one)) - SIDES.indexOf(sideOf(other)) || one.localeCompare(other));
}

function toggled<T>(chosen: T[], value: T): T[] {
  return chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
}
