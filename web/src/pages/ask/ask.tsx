// Ask: one field for search and activate, and what was found as cards; without a question, the newest notes.
import { useEffect, useRef, useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { useKeys } from "../../keys";
import type { PartProps } from "../../main";
import { Card } from "../../parts/card";
import { Why } from "../../parts/factors";
import { usePages, type Pages } from "../../parts/pages";
import { markedWords } from "../../parts/passage";
import { Shown } from "../../parts/states";
import { address, go, goWith, usePlace } from "../../router";
import { useStandings } from "../../standings";
import type { Node } from "../../verbs";
import { common, useWords } from "../../words";
import { Filters, KINDS, leftBy, type Chosen } from "./filters";
import { foundBy, type Found, type Item } from "./found";
import { table } from "./words";
import "./ask.css";

const PAGE = 20;
const DAY = /^\d{4}(-\d\d){0,2}$/;

export default function Ask(_: PartProps) {
  const say = useWords(table);
  const { query, hash } = usePlace();
  const question = query.get("q") ?? "";
  const mode = query.get("mode") === "search" ? "search" : "activate";
  const [typed, setTyped] = useState(question);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(question), [question]);
  useEffect(() => { if (hash === "question") field.current?.focus(); }, [hash]);
  document.title = question ? `${question} · Wherefrom` : "Wherefrom";
  // Escape leaves the field and keeps what was typed; a question that is asked gives the keys to its answers.
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    field.current?.blur();
  };
  const ask = (next: "search" | "activate") => {
    field.current?.blur();
    go(address("/", { ...Object.fromEntries(query), q: typed.trim(), mode: next === "search" ? "search" : "" }));
  };
  return (
    <>
      <h1 class="sr-only">{say.ask}</h1>
      <form class="ask" role="search" onSubmit={(event) => { event.preventDefault(); ask(mode); }}>
        <input id="question" ref={field} type="search" value={typed} placeholder={say.placeholder} aria-label={say.question} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={leave} />
        <span class="modes" role="group" aria-label={say.mode}>
          <button type="button" aria-pressed={mode === "activate"} title={say.activateHint} onClick={() => ask("activate")}>{say.activate}</button>
          <button type="button" aria-pressed={mode === "search"} title={say.searchHint} onClick={() => ask("search")}>{say.search}</button>
        </span>
        <button type="submit" class="main">{say.ask}</button>
      </form>
      {question ? <Results question={question} mode={mode} /> : <Newest />}
    </>
  );
}

function useChosen(): Chosen {
  const { query } = usePlace();
  return {
    namespace: query.get("ns"), kind: KINDS.find((kind) => kind === query.get("kind")) ?? null, boundaryClass: query.get("class"), writtenBy: query.get("by"), asOf: DAY.test(query.get("as_of") ?? "") ? query.get("as_of") : null,
  };
}

function Results({ question, mode }: { question: string; mode: "search" | "activate" }) {
  const say = useWords(table);
  const chosen = useChosen();
  const given = {
    query: question,
    ...(chosen.namespace ? { namespace: chosen.namespace } : {}),
    ...(chosen.writtenBy ? { written_by: chosen.writtenBy } : {}),
    ...(chosen.asOf ? { as_of: chosen.asOf } : {}),
  };
  const searched = useCall("search", mode === "search" ? { ...given, rank: "final", limit: 20 } : null);
  const activated = useCall("activate", mode === "activate" ? given : null);
  const found = mode === "search" ? foundBy(searched) : foundBy(activated);
  return <Shown of={found} text={say.searching}>{(answer) => <Found question={question} found={answer} chosen={chosen} />}</Shown>;
}

function Found({ question, found, chosen }: { question: string; found: Found; chosen: Chosen }) {
  const say = useWords(table);
  const standings = useStandings(found.items.map((item) => item.node));
  const marks = markedWords(question);
  const left = found.items.filter(({ node }) => leftBy(chosen, node));
  return (
    <div class="columns">
      <Filters nodes={found.items.map((item) => item.node)} chosen={chosen} />
      <section aria-label={say.results}>
        <p class="found" role="status">
          {found.nothingFits ? <strong>{say.nothing}</strong> : <strong>{say.found(left.length)}</strong>}
          {found.nothingFits && left.length > 0 && <span> {say.nearest}</span>}
          {found.degraded.length > 0 && <span class="tag warn">{say.degraded}: {found.degraded.join("; ")}</span>}
        </p>
        {found.nothingFits && found.note && <p class="muted" lang="en">{found.note}</p>}
        {found.rules.length > 0 && <Rules nodes={found.rules} />}
        {left.length === 0 && found.items.length > 0 && <p class="state">{say.filtered(found.items.length)} <button type="button" onClick={() => goWith({ kind: null, class: null })}>{say.showAll}</button></p>}
        <Cards items={left} marks={marks} standings={standings} />
        {found.review && <p class="muted"><a href="/care/review">{found.review}</a></p>}
        {found.upkeep && <p class="muted" lang="en"><a href="/care/upkeep">{found.upkeep}</a></p>}
      </section>
    </div>
  );
}

function Cards({ items, marks, standings }: { items: Item[]; marks: string[]; standings: ReturnType<typeof useStandings> }) {
  const [current, setCurrent] = useState(-1);
  const move = (by: number) => {
    const next = Math.min(items.length - 1, Math.max(0, current + by));
    setCurrent(next);
    const card = document.querySelectorAll("article.card")[next];
    card?.scrollIntoView({ block: "nearest" });
    card?.querySelector<HTMLElement>("h3 a")?.focus({ preventScroll: true });
  };
  const open = () => items[current] && go(address(`/n/${items[current].node.id}`));
  useKeys({ j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), Enter: open });
  return (
    <>
      {items.map((item, at) => (
        <Card key={item.node.id} {...item} marks={marks} posterior={standings.get(item.node.id) ?? null} isCurrent={at === current}>
          {item.why && <Why {...item.why} />}
        </Card>
      ))}
    </>
  );
}

function Rules({ nodes }: { nodes: Node[] }) {
  const say = useWords(table);
  return (
    <details class="rules" open={nodes.length < 3}>
      <summary>{say.rules(nodes.length)}</summary>
      <ul>{nodes.map((node) => <li key={node.id}><a href={address(`/n/${node.id}`)}>{node.content}</a></li>)}</ul>
    </details>
  );
}

function Newest() {
  const chosen = useChosen();
  const kind = KINDS.find((known) => known === chosen.kind);
  const given = {
    limit: PAGE,
    ...(kind ? { kind } : {}),
    ...(chosen.namespace ? { namespace: chosen.namespace } : {}),
    ...(chosen.writtenBy ? { written_by: chosen.writtenBy } : {}),
    ...(chosen.asOf ? { as_of: chosen.asOf } : {}),
  };
  const pages = usePages(JSON.stringify(given), async (cursor, signal) => {
    const { nodes, next_cursor: next } = await call("list", { ...given, ...(cursor ? { cursor } : {}) }, signal);
    return { items: nodes, next };
  });
  return <Shown of={pages}>{(nodes) => <Listed nodes={nodes} chosen={chosen} pages={pages} />}</Shown>;
}

function Listed({ nodes, chosen, pages }: { nodes: Node[]; chosen: Chosen; pages: Pages<Node> }) {
  const say = useWords(table);
  const shared = useWords(common);
  const standings = useStandings(nodes);
  const left = nodes.filter((node) => leftBy(chosen, node));
  const isNarrowed = Object.values(chosen).some(Boolean);
  return (
    <div class="columns">
      <Filters nodes={nodes} chosen={chosen} isListing />
      <section aria-label={say.newest}>
        <h2 class="first">{say.newest}</h2>
        {left.length === 0 && (isNarrowed ? <p class="state">{say.narrowed}</p> : <p class="state">{say.emptyMemory} <code>wherefrom save "…"</code></p>)}
        <Cards items={left.map((node) => ({ node }))} marks={[]} standings={standings} />
        {pages.hasMore && <button type="button" disabled={pages.isLoading} onClick={pages.more}>{shared.more}</button>}
      </section>
    </div>
  );
}
