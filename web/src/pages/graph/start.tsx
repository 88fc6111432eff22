// Where a graph can start: what a search finds, the newest, what has the most relations, and the tasks.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { firstWords } from "../../parts/card";
import { attempt } from "../../parts/notice";
import { KindMark } from "../../parts/source_line";
import { Empty, Shown } from "../../parts/states";
import { address, go } from "../../router";
import { useRows } from "../../sql";
import type { Node, TaskState } from "../../verbs";
import { useWords } from "../../words";
import { nameOf } from "./drawn";
import { table } from "./words";

const MANY = 6;
const CLAIMS_OF_A_TASK = 40;
const MOST_CONNECTED = `select id, sum(many) as many from (
  select source_id as id, count(*) as many from edges group by source_id union all select target_id, count(*) from edges group by target_id
) as ends group by id order by many desc limit ${MANY}`;

interface Suggestion {
  id: string;
  kind: Node["kind"];
  name: string;
  note?: string;
}

export function Start() {
  const say = useWords(table);
  const open = (id: string) => go(address("/graph", { from: id, selected: id }));
  return (
    <div class="graph-start">
      <h1>{say.startTitle}</h1>
      <FindNode id="question" onChoose={open} />
      <div class="two">
        <Connected onChoose={open} />
        <Newest onChoose={open} />
      </div>
      <Tasks />
    </div>
  );
}

/** A field that searches the whole memory, and what it found to choose from. */
export function FindNode({ id, onChoose }: { id: string; onChoose: (id: string) => void }) {
  const say = useWords(table);
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const found = useCall("search", asked ? { query: asked, limit: MANY + 2 } : null);
  return (
    <div>
      <form class="ask" role="search" onSubmit={(event) => { event.preventDefault(); setAsked(typed.trim()); }}>
        <input id={id} type="search" value={typed} placeholder={say.startPlaceholder} aria-label={say.startLabel} onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit" class="main">{say.findStart}</button>
      </form>
      <Shown of={found} text={say.searching}>
        {({ hits }) => (hits.length === 0 ? <p role="status">{say.nothing}</p> : <Suggestions of={hits.map(({ node }) => suggestionOf(node))} onChoose={onChoose} />)}
      </Shown>
    </div>
  );
}

function Newest({ onChoose }: { onChoose: (id: string) => void }) {
  const say = useWords(table);
  const listed = useCall("list", { limit: MANY });
  return (
    <section>
      <h2>{say.newest}</h2>
      <Shown of={listed}>
        {({ nodes }) => (nodes.length === 0 ? <Empty>{say.emptyMemory} <code>wherefrom save "…"</code></Empty> : <Suggestions of={nodes.map(suggestionOf)} onChoose={onChoose} />)}
      </Shown>
    </section>
  );
}

function Connected({ onChoose }: { onChoose: (id: string) => void }) {
  const say = useWords(table);
  const rows = useRows(MOST_CONNECTED);
  const ids = (rows.answer ?? []).map((row) => String(row["id"]));
  const named = useCall("neighbourhood", ids.length > 0 ? { node_ids: ids, limit: ids.length } : null);
  const isNone = rows.answer !== null && ids.length === 0;
  return (
    <section>
      <h2>{say.connected}</h2>
      {isNone ? <Empty /> : (
        <Shown of={rows.error ? { ...named, error: rows.error, again: rows.again } : { ...named, isLoading: named.isLoading || rows.isLoading }}>
          {({ nodes }) => <Suggestions of={nodes.map((node) => ({ id: node.id, kind: node.kind, name: nameOf(node), note: [say.relations(node.degree), node.holds ? "" : say.ended].filter(Boolean).join(" · ") }))} onChoose={onChoose} />}
        </Shown>
      )}
    </section>
  );
}

function Tasks() {
  const say = useWords(table);
  const tasks = useCall("status", {}).answer?.tasks ?? [];
  if (tasks.length === 0) return null;
  return (
    <section>
      <h2>{say.tasks}</h2>
      <ul class="suggestions">{tasks.slice(0, MANY).map((state) => <li key={state.task.id}><TaskButton of={state} /></li>)}</ul>
    </section>
  );
}

function TaskButton({ of: { task } }: { of: TaskState }) {
  const say = useWords(table);
  const start = async () => {
    const found = await call("query_graph", { sql: `select id from claims where task_id = :task order by created_at limit ${CLAIMS_OF_A_TASK}`, parameters: { task: task.id } });
    const ids = found.rows.map(([id]) => String(id));
    if (ids.length > 0) go(address("/graph", { from: ids.join(",") }));
    return ids;
  };
  return <button type="button" class="plain suggestion" onClick={() => void attempt(start, (ids) => (ids.length > 0 ? null : { text: say.noClaims }))}>{task.query}</button>;
}

function Suggestions({ of, onChoose }: { of: Suggestion[]; onChoose: (id: string) => void }) {
  return (
    <ul class="suggestions">
      {of.map(({ id, kind, name, note }) => (
        <li key={id}><button type="button" class="plain suggestion" onClick={() => onChoose(id)}><KindMark kind={kind} /><span>{name}</span>{note && <span class="muted">{note}</span>}</button></li>
      ))}
    </ul>
  );
}

function suggestionOf(node: Node): Suggestion {
  return { id: node.id, kind: node.kind, name: node.title ?? firstWords(node.content, 90) };
}
