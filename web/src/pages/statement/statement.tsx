// Everything about one statement: where it comes from, what speaks for and against it, its history and relations, and
// what can be done about it.
import { useEffect, useState } from "preact/hooks";
import { useCall } from "../../api";
import { useMay } from "../../info";
import { useKeys } from "../../keys";
import type { PartProps } from "../../main";
import { firstWords } from "../../parts/card";
import { SourceLine, hostOf, webAddress } from "../../parts/source_line";
import { Empty, Failed, Shown } from "../../parts/states";
import { address, go, goWith, usePlace } from "../../router";
import type { EvidenceItem, Node } from "../../verbs";
import { common, useWords } from "../../words";
import { useAbout, type About, type Asked } from "./about";
import { Correct, Pin, Replace } from "./correct";
import { Details } from "./details";
import { Evidence } from "./evidence";
import { Former } from "./former";
import { useFresh } from "./fresh";
import { HistorySection } from "./history";
import { Judge } from "./judge";
import { Forget } from "./let_go";
import { InPage } from "./passages";
import { Receipt } from "./receipt";
import { RelationsSection } from "./relations";
import { SourcePage } from "./source_page";
import { States } from "./states";
import { table } from "./words";
import { acts } from "./words_of_acts";
import "./statement.css";

const LAST_PLACE = "wherefrom.last";
const TITLE_CHARACTERS = 200;

export default function Statement({ rest }: PartProps) {
  const say = useWords(table);
  const id = rest[0];
  return id ? <OfId key={id} id={id} /> : <Empty>{say.none} <a href="/">{say.ask}</a></Empty>;
}

function OfId({ id }: { id: string }) {
  const say = useWords(table);
  const mayWrite = useMay()("write");
  const found = useFresh(useCall("get", { memo_id: id }));
  // Of a node that went, for which another answers, its own page tells more: what it said, and how it comes back.
  if (found.error?.status === 404 || found.error?.status === 410 || found.answer?.asked_for) return <Receipt id={id} mayWrite={mayWrite} />;
  return <Shown of={found} text={say.reading}>{(node) => <Read node={node} mayWrite={mayWrite} />}</Shown>;
}

function Read({ node, mayWrite }: { node: Node; mayWrite: boolean }) {
  const say = useWords(table);
  const asked = useAsked();
  const isFormer = asked.version !== null && asked.version !== node.version;
  const about = useAbout(node, { ...asked, version: isFormer ? asked.version : null });
  useEffect(() => sessionStorage.setItem(LAST_PLACE, node.id), [node.id]);
  document.title = `${node.title ?? firstWords(node.content, 60)} · Wherefrom`;
  if (about.error && isFormer) return <><Failed error={about.error} again={about.again} /><p><a class="button" href={address(`/n/${node.id}`)}>{say.toNewest}</a></p></>;
  return <Shown of={about} text={say.reading}>{(all) => <Whole about={all} mayWrite={mayWrite} />}</Shown>;
}

function useAsked(): Asked {
  const { query } = usePlace();
  const number = (name: string) => (/^\d{1,9}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : 0);
  return { version: number("v") || null, compared: number("with") || null, quote: query.get("at"), from: number("from"), isLong: query.has("long") };
}

function Whole({ about, mayWrite }: { about: About; mayWrite: boolean }) {
  const { node, passages } = about;
  const { query } = usePlace();
  const isAsked = query.has("at");
  const quoted = about.evidence?.evidence.find((item) => item.node.id === passages?.quote)?.node ?? node;
  const title = quoted.provenance["source_title"];
  return (
    <article class="statement" data-id={node.id}>
      <Head about={about} />
      {mayWrite && <Acts about={about} />}
      <States about={about} mayWrite={mayWrite} />
      <Former about={about} mayWrite={mayWrite} />
      {node.kind === "claim" && <Evidence about={about} mayWrite={mayWrite} />}
      {node.kind === "page" && <SourcePage about={about} />}
      {node.kind !== "page" && passages && <InPage passages={passages} title={typeof title === "string" ? title : null} closeTo={node.kind === "claim" && isAsked ? address(`/n/${node.id}`) : null} />}
      <div class="two lower">
        <HistorySection about={about} />
        <RelationsSection about={about} mayWrite={mayWrite} />
      </div>
      <Details node={node} />
    </article>
  );
}

/** Where it comes from, then what it says. */
function Head({ about }: { about: About }) {
  const say = useWords(table);
  const shared = useWords(common);
  const { node } = about;
  const isShort = node.title === null && [...node.content].length <= TITLE_CHARACTERS;
  const url = sourceOf(about);
  const focusSide = (side: "supports" | "refutes") => {
    goWith({ side: side === "refutes" ? side : null });
    // On a narrow page the other side is shown only then.
    requestAnimationFrame(() => requestAnimationFrame(() => document.getElementById(side)?.focus()));
  };
  useKeys({
    o: () => { if (url) window.open(url, "_blank", "noopener,noreferrer"); else if (node.page_id) go(address(`/n/${node.page_id}`)); },
    "[": () => focusSide("supports"),
    "]": () => focusSide("refutes"),
  });
  return (
    <header>
      <SourceLine node={node} isSourced={sourcesOf(about).length > 0} />
      <TakenFrom about={about} />
      <h1>{isShort ? node.content : (node.title ?? firstWords(node.content, TITLE_CHARACTERS))}</h1>
      {!isShort && node.kind !== "page" && node.content !== node.title && <p class="text">{node.content}</p>}
      <p class="tags">
        {node.pinned && <span class="tag">{shared.pinned}</span>}
        {node.claim_kind && <span>{shared[node.claim_kind]}</span>}
        {node.scope && <span>{shared[node.scope]}</span>}
        <span>{shared[node.boundary_class]}</span>
        <span>{node.namespace}</span>
        {node.slot && <span class="tag">{node.slot}</span>}
        {url && <a href={url} rel="noreferrer noopener" target="_blank">{say.openSource} <kbd>o</kbd></a>}
      </p>
    </header>
  );
}

/** The address of the source: its own, of a claim without one that of the quote it was taken from. */
function sourceOf({ node, evidence }: About): string | null {
  if (node.kind === "page") return webAddress(node.content);
  const origin = evidence?.evidence.find((item) => item.relation.tag === "origin")?.node;
  return webAddress(node.provenance["url"]) ?? webAddress(origin?.provenance["url"]);
}

/** Of a claim: the quotes that it was taken from; without them, those that speak about it, one of each page. */
function sourcesOf({ evidence }: About): EvidenceItem[] {
  const items = (evidence?.evidence ?? []).filter((item) => item.node.page_id);
  const origins = items.filter((item) => item.relation.tag === "origin");
  return [...new Map((origins.length ? origins : items).map((item) => [item.node.page_id, item])).values()];
}

function TakenFrom({ about }: { about: About }) {
  const say = useWords(table);
  const shared = useWords(common);
  const shown = sourcesOf(about);
  if (shown.length === 0) return null;
  return (
    <p class="source-line">
      {shown[0]?.relation.tag === "origin" ? say.takenFrom : say.rests}{" "}
      {shown.map(({ node: quote }, at) => <span key={quote.id}>{at > 0 && ", "}<a href={address(`/n/${about.node.id}`, { at: quote.id }, "quote")}>{hostOf(quote) || String(quote.provenance["source_title"] ?? quote.provenance["url"] ?? shared.page)}{quote.year !== null && ` ${quote.year}`}</a></span>)}
    </p>
  );
}

type Open = "judge" | "correct" | "replace" | "pin" | "forget";

function Acts({ about }: { about: About }) {
  const say = useWords(acts);
  const [open, setOpen] = useState<Open | null>(null);
  const { node } = about;
  const isSaid = node.kind === "memo" || node.kind === "claim";
  useKeys({ c: () => node.kind !== "entity" && setOpen("correct") });
  const close = () => setOpen(null);
  return (
    <>
      <div class="acts" role="group" aria-label={say.acts}>
        {isSaid && <button type="button" class="main" onClick={() => setOpen("judge")}>{say.judge}</button>}
        {node.kind !== "entity" && <button type="button" onClick={() => setOpen("correct")} title="c">{say.correct}</button>}
        {isSaid && <button type="button" onClick={() => setOpen("replace")}>{say.replace}</button>}
        {isSaid && <button type="button" onClick={() => setOpen("pin")}>{node.pinned ? say.unpin : say.pin}</button>}
        <button type="button" class="danger" onClick={() => setOpen("forget")}>{say.forget}</button>
      </div>
      {open === "judge" && <Judge node={node} onClose={close} />}
      {open === "correct" && <Correct node={node} evidence={about.evidence} onClose={close} onReplace={() => setOpen("replace")} />}
      {open === "replace" && <Replace node={node} onClose={close} />}
      {open === "pin" && <Pin node={node} onClose={close} />}
      {open === "forget" && <Forget node={node} onClose={close} />}
    </>
  );
}
