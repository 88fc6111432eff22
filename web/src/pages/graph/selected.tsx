// The card of what is chosen, what can be done with it, and its relations in words.
import { useCall } from "../../api";
import { Card } from "../../parts/card";
import { KindMark } from "../../parts/source_line";
import { Shown } from "../../parts/states";
import { figure } from "../../parts/time";
import { useStandings } from "../../standings";
import type { GraphEdge, Node } from "../../verbs";
import { common, useWords } from "../../words";
import { canFold, type Actions } from "./actions";
import { sideOf } from "./colours";
import { otherEnd, type Drawn, type DrawnNode } from "./drawn";
import { LineMark, tagWord } from "./legend";
import type { View } from "./view";
import { table } from "./words";

const RELATIONS_SHOWN = 20;

export function Selected({ view, drawn, actions }: { view: View; drawn: Drawn; actions: Actions }) {
  const say = useWords(table);
  const node = view.selected === null ? undefined : drawn.byId.get(view.selected);
  return (
    <section class="graph-selected" aria-label={say.chosen}>
      {node ? <Chosen node={node} view={view} drawn={drawn} actions={actions} /> : <p class="muted">{say.choose}</p>}
    </section>
  );
}

function Chosen({ node, view, drawn, actions }: { node: DrawnNode; view: View; drawn: Drawn; actions: Actions }) {
  const say = useWords(table);
  const read = useCall("get", { memo_id: node.id });
  const isExpanded = view.from.includes(node.id);
  return (
    <>
      <div class="actions">
        {!isExpanded && <button type="button" class="main" onClick={() => actions.expand(node.id)}>{say.expand} {node.more > 0 && say.more(node.more)} <kbd>e</kbd></button>}
        {canFold(view, node.id) && <button type="button" onClick={() => actions.fold(node.id)}>{say.fold} <kbd>f</kbd></button>}
        <button type="button" onClick={() => actions.startPath(node.id)}>{say.pathFrom} <kbd>p</kbd></button>
        <button type="button" onClick={() => actions.hide(node.id)}>{say.hide} <kbd>h</kbd></button>
      </div>
      <Shown of={read.answer && read.answer.id !== node.id ? { ...read, answer: null } : read}>{(answer) => <WholeCard node={answer} />}</Shown>
      <Relations node={node} drawn={drawn} actions={actions} />
    </>
  );
}

function WholeCard({ node }: { node: Node }) {
  const standings = useStandings([node]);
  return <Card node={node} posterior={standings.get(node.id) ?? null} />;
}

function Relations({ node, drawn, actions }: { node: DrawnNode; drawn: Drawn; actions: Actions }) {
  const say = useWords(table);
  const edges = drawn.edgesOf.get(node.id) ?? [];
  return (
    <>
      <h3>{say.relations(edges.length)}{node.more > 0 && <span class="muted"> · {say.moreLong(node.more)}</span>}</h3>
      <ul class="relations">
        {edges.slice(0, RELATIONS_SHOWN).map((edge, at) => <Relation key={at} edge={edge} from={node.id} drawn={drawn} actions={actions} />)}
      </ul>
      {edges.length > RELATIONS_SHOWN && <p class="muted">{say.allRelations(edges.length - RELATIONS_SHOWN)}</p>}
    </>
  );
}

function Relation({ edge, from, drawn, actions }: { edge: GraphEdge; from: string; drawn: Drawn; actions: Actions }) {
  const say = useWords(table);
  const shared = useWords(common);
  const other = drawn.byId.get(otherEnd(edge, from))!;
  return (
    <li>
      <span class="relation-tag"><LineMark side={sideOf(edge.tag)} /> {edge.source_id === from ? "→" : "←"} {tagWord(edge.tag, shared)} <span class="muted">{say.thickness(figure(edge.thickness))}</span></span>
      <button type="button" class="plain row" onClick={() => actions.select(other.id)}><KindMark kind={other.kind} /><span class="name">{other.name}</span></button>
    </li>
  );
}
