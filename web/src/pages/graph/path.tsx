// A path between two: choosing its other end, and the chain as sentences.
import type { Called } from "../../api";
import { Failed, Loading } from "../../parts/states";
import type { GraphEdge, PathFound } from "../../verbs";
import { common, useWords } from "../../words";
import type { Actions } from "./actions";
import { sideOf } from "./colours";
import { nameOf, type Drawn } from "./drawn";
import { LineMark, tagWord } from "./legend";
import { FindNode } from "./start";
import { change, type View } from "./view";
import { table } from "./words";

export function PathPanel({ view, path, drawn, actions }: { view: View; path: Called<PathFound>; drawn: Drawn; actions: Actions }) {
  const say = useWords(table);
  if (view.path.length === 0) return null;
  const first = drawn.byId.get(view.path[0]!);
  return (
    <section class="card path" aria-label={say.path}>
      <h2>{say.path}</h2>
      {view.path.length === 1 && <p>{first && <b>{first.name}</b>} — {say.chooseEnd}</p>}
      {view.path.length === 1 && <FindNode id="path-end" onChoose={(id) => change({ path: [view.path[0]!, id], from: view.from, selected: id })} />}
      {view.path.length === 2 && path.answer && <Chain path={path.answer} actions={actions} />}
      {view.path.length === 2 && path.answer === null && path.isLoading && <Loading text={say.lookingForPath} />}
      {path.error && <Failed error={path.error} again={path.again} />}
      <button type="button" onClick={() => change({ path: [], from: view.from })}>{say.clearPath}</button>
    </section>
  );
}

function Chain({ path, actions }: { path: PathFound; actions: Actions }) {
  const say = useWords(table);
  if (path.nodes.length === 0) return <p>{say.noPath} {path.truncated && <span class="muted">{path.note}</span>}</p>;
  const names = new Map(path.nodes.map((node) => [node.id, nameOf(node)]));
  return (
    <>
      <p>{path.edges.length > 0 ? say.pathOf(path.edges.length) : path.note}</p>
      <ol>{path.edges.map((edge, at) => <li key={at}><Sentence edge={edge} names={names} actions={actions} /></li>)}</ol>
    </>
  );
}

function Sentence({ edge, names, actions }: { edge: GraphEdge; names: Map<string, string>; actions: Actions }) {
  const say = useWords(table);
  const shared = useWords(common);
  const verb = { supports: say.speaksFor, refutes: say.speaksAgainst, neutral: say.isNeutral, other: tagWord(edge.tag, shared) }[sideOf(edge.tag)];
  const end = (id: string) => <button type="button" class="plain inline" onClick={() => actions.select(id)}>{names.get(id)}</button>;
  return <>{end(edge.source_id)} <span class="verb"><LineMark side={sideOf(edge.tag)} /> {verb} →</span> {end(edge.target_id)}</>;
}
