// A graph and what is beside it: tools, picture, list and the card of what is chosen. All of it is told by the address.
import { useMemo, useRef, useState } from "preact/hooks";
import { useCall, type Called } from "../../api";
import { useKeys } from "../../keys";
import { Failed, Loading } from "../../parts/states";
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import type { Neighbourhood, PathFound } from "../../verbs";
import { useWords } from "../../words";
import { useActions, type Actions } from "./actions";
import { Canvas, type PictureHandle } from "./canvas";
import { drawnFrom, matches, type Drawn } from "./drawn";
import { Legend } from "./legend";
import { List } from "./list";
import { PathPanel } from "./path";
import { Selected } from "./selected";
import { Tools } from "./tools";
import { change, LIMITS, type View } from "./view";
import { table } from "./words";

export function Explorer({ view }: { view: View }) {
  const say = useWords(table);
  const narrowed = { ...(view.tags.length > 0 ? { tags: view.tags } : {}), ...(view.asOf ? { as_of: view.asOf } : {}) };
  const around = useCall("neighbourhood", { node_ids: view.from, hops: view.hops, limit: view.limit, ...(view.kinds.length > 0 ? { kinds: view.kinds } : {}), ...narrowed });
  const [one, other] = view.path;
  const path = useCall("path", one && other ? { source_id: one, target_id: other, ...narrowed } : null);
  const actions = useActions(view);
  const [hidden, starts] = [view.hidden.join(), view.from.join()];
  const drawn = useMemo(() => around.answer && drawnFrom(around.answer, path.answer, view.from, view.hidden), [around.answer, path.answer, hidden, starts]);
  const wanted = view.find.trim().toLowerCase();
  const found = useMemo(() => (wanted && drawn ? new Set(drawn.nodes.filter((node) => matches(node, wanted)).map((node) => node.id)) : null), [drawn, wanted]);
  const picture = useRef<PictureHandle | null>(null);
  const hasFailed = around.answer === null && around.error !== null;
  return (
    <>
      <h1 class="sr-only">{say.title}</h1>
      <Tools view={view} />
      {hasFailed && <Failed error={around.error!} again={around.again} />}
      <div class="graph" aria-busy={around.isLoading} hidden={hasFailed}>
        <div class="graph-main">
          {/* The picture gets ready while the service is still asked. */}
          <Canvas drawn={drawn} selected={view.selected} found={found} actions={actions} handle={picture} />
          {around.answer && drawn && <Summary view={view} drawn={drawn} around={around.answer} />}
        </div>
        {drawn ? <Beside view={view} drawn={drawn} found={found} path={path} actions={actions} picture={picture} /> : <div class="graph-side"><Loading text={say.reading} /></div>}
        {drawn && <Legend view={view} drawn={drawn} />}
      </div>
    </>
  );
}

interface BesideProps {
  view: View;
  drawn: Drawn;
  found: Set<string> | null;
  path: Called<PathFound>;
  actions: Actions;
  picture: { current: PictureHandle | null };
}

function Beside({ view, drawn, found, path, actions, picture }: BesideProps) {
  const listed = found ? drawn.nodes.filter((node) => found.has(node.id)) : drawn.nodes;
  useGraphKeys(view, drawn, listed.map((node) => node.id), picture);
  return (
    <div class="graph-side">
      <PathPanel view={view} path={path} drawn={drawn} actions={actions} />
      <Selected view={view} drawn={drawn} actions={actions} />
      <List nodes={listed} view={view} isFiltered={found !== null} actions={actions} />
    </div>
  );
}

/** How much is shown and what is not, in words. */
function Summary({ view, drawn, around }: { view: View; drawn: Drawn; around: Neighbourhood }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const larger = LIMITS.find((limit) => limit > view.limit);
  const isAlone = drawn.edges.length === 0;
  const isFiltered = view.tags.length > 0 || view.kinds.length > 0;
  return (
    <div class="summary">
      <span>{say.shown(count(drawn.nodes.length, language), drawn.edges.length, count(drawn.edges.length, language))}</span>
      {isAlone && <span>{isFiltered ? say.filteredOut : say.nothingAround}</span>}
      {view.hidden.length > 0 && <span>{say.hidden(view.hidden.length)} <button type="button" onClick={() => change({ hidden: [] })}>{say.showHidden}</button></span>}
      {around.truncated && <span>{say.cut} {around.note} {larger && <button type="button" onClick={() => change({ limit: larger })}>{say.showUpTo(count(larger, language))}</button>}</span>}
    </div>
  );
}

function useGraphKeys(view: View, drawn: Drawn, listed: string[], picture: { current: PictureHandle | null }): void {
  const actions = useActions(view);
  const [last, setLast] = useState<string | null>(null);
  const chosen = view.selected !== null && drawn.byId.has(view.selected) ? view.selected : null;
  const withChosen = (act: (id: string) => void) => () => { if (chosen) act(chosen); };
  const step = (by: number) => {
    const at = listed.indexOf(chosen ?? last ?? "");
    const next = listed[Math.min(listed.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setLast(next);
    change({ selected: next });
  };
  useKeys({
    e: withChosen(actions.expand), Enter: withChosen(actions.expand), f: withChosen(actions.fold), h: withChosen(actions.hide), p: withChosen(actions.startPath),
    j: () => step(1), k: () => step(-1),
    "+": () => picture.current?.zoom(1.5), "=": () => picture.current?.zoom(1.5), "-": () => picture.current?.zoom(1 / 1.5), "0": () => picture.current?.reset(),
    Escape: () => (view.path.length === 1 ? change({ path: [] }) : change({ selected: null })),
  });
}
