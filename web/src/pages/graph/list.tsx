// The nodes of the picture as a list: the same for those who do not see the picture, and where none can be drawn.
import { useEffect, useRef, useState } from "preact/hooks";
import { KindMark } from "../../parts/source_line";
import { useWords } from "../../words";
import type { Actions } from "./actions";
import type { DrawnNode } from "./drawn";
import type { View } from "./view";
import { table } from "./words";

const AT_A_TIME = 100;

export function List({ nodes, view, isFiltered, actions }: { nodes: DrawnNode[]; view: View; isFiltered: boolean; actions: Actions }) {
  const say = useWords(table);
  const [most, setMost] = useState(AT_A_TIME);
  const place = useRef<HTMLUListElement>(null);
  const at = nodes.findIndex((node) => node.id === view.selected);
  const shown = nodes.slice(0, Math.max(most, at + 1));
  useEffect(() => {
    const row = place.current?.querySelector<HTMLElement>("[aria-current]");
    const frame = place.current?.parentElement;
    // Only the list scrolls, not the page: somebody may be looking at the picture.
    if (row && frame) frame.scrollTop += outside(row.getBoundingClientRect(), frame.getBoundingClientRect());
  }, [view.selected, nodes]);
  const onKeyDown = (event: KeyboardEvent, node: DrawnNode) => {
    const row = (event.currentTarget as HTMLElement).parentElement;
    const other = event.key === "ArrowDown" ? row?.nextElementSibling : event.key === "ArrowUp" ? row?.previousElementSibling : null;
    const next = other?.querySelector("button");
    if (event.key === "Enter" && node.id === view.selected && view.path.length !== 1) actions.expand(node.id);
    else if (next) next.focus();
    else return;
    event.preventDefault();
  };
  return (
    <section class="graph-list" aria-label={say.list}>
      <h2>{say.list}</h2>
      {isFiltered && <p role="status" class="muted">{nodes.length > 0 ? say.found(nodes.length) : say.nothingFound}</p>}
      <ul ref={place}>
        {shown.map((node) => (
          <li key={node.id}>
            <button
              type="button" class="plain row" aria-current={node.id === view.selected ? "true" : undefined}
              onClick={() => actions.select(node.id)} onDblClick={() => actions.expand(node.id)} onKeyDown={(event) => onKeyDown(event, node)}
            >
              <KindMark kind={node.kind} />
              <span class="name">{node.name}</span>
              <span class="muted">{[node.isStart ? say.steps(0) : "", node.holds ? "" : say.ended, node.more > 0 ? say.more(node.more) : ""].filter(Boolean).join(" · ")}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length < nodes.length && <button type="button" onClick={() => setMost(shown.length + AT_A_TIME)}>{say.next(Math.min(AT_A_TIME, nodes.length - shown.length))}</button>}
    </section>
  );
}

/** How far a frame must scroll so that a row in it is seen. */
function outside(row: DOMRect, frame: DOMRect): number {
  return row.top < frame.top + 40 ? row.top - frame.top - 40 : Math.max(0, row.bottom - frame.bottom);
}
