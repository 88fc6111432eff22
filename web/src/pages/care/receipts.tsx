// Receipts: what was let go and why, until when it can be brought back, and what stands for it.
import { call, useCall } from "../../api";
import { useMay } from "../../info";
import { firstWords } from "../../parts/card";
import { Title } from "../../parts/frame";
import { Empty, Shown } from "../../parts/states";
import { KindMark } from "../../parts/source_line";
import { date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, goWith, usePlace } from "../../router";
import type { HistoryEntry, HistorySubject, Node } from "../../verbs";
import { common, useWords } from "../../words";
import { bringBack } from "./bringing_back";
import { NamespaceChoice, useNamespace } from "./namespace_choice";
import { usePages, type Pages } from "../../parts/pages";
import { careWords, receiptWords } from "./words";

const PAGE = 20;
const RULES = ["forget", "restorable", "orphan", "expired"] as const;
const KINDS = ["memo", "claim", "fragment", "page", "entity"];

export function Receipts() {
  const say = useWords(receiptWords);
  const namespace = useNamespace();
  const pages = usePages(namespace ?? "", async (cursor, signal) => {
    const found = await call("history", { topic: ["retire"], limit: PAGE, ...(namespace ? { namespace } : {}), ...(cursor ? { cursor } : {}) }, signal);
    return { items: found.items, next: found.next_cursor };
  });
  return (
    <>
      <div class="care-head"><Title>{say.title}</Title><NamespaceChoice /></div>
      <p class="muted">{say.intro}</p>
      <Filters />
      <Shown of={pages}>{(items) => <List items={items} pages={pages} />}</Shown>
    </>
  );
}

function Filters() {
  const say = useWords(receiptWords);
  const { query } = usePlace();
  return (
    <div class="log-filters">
      <label>{say.why}
        <select value={query.get("why") ?? ""} onChange={(event) => goWith({ why: event.currentTarget.value })}>
          <option value="">{say.any}</option>
          {RULES.map((rule) => <option key={rule} value={rule}>{say[rule]}</option>)}
        </select>
      </label>
      <span class="beside"><label><input type="checkbox" checked={query.get("open") === "1"} onChange={(event) => goWith({ open: event.currentTarget.checked ? 1 : null })} /> {say.onlyRestorable}</label></span>
    </div>
  );
}

function List({ items, pages }: { items: HistoryEntry[]; pages: Pages<HistoryEntry> }) {
  const say = useWords(receiptWords);
  const shared = useWords(common);
  const { query } = usePlace();
  const why = query.get("why");
  const left = items.filter((entry) => (!why || entry.payload["rule"] === why) && (query.get("open") !== "1" || entry.restorable_until !== null));
  if (items.length === 0) return <Empty>{say.empty}</Empty>;
  return (
    <>
      {left.length === 0 && <Empty>{say.filtered(items.length)} <button type="button" onClick={() => goWith({ why: null, open: null })}>{say.showAll}</button></Empty>}
      {left.map((entry) => <Receipt key={`${entry.seq} ${entry.restorable_until ?? ""}`} entry={entry} onChange={pages.again} />)}
      {pages.hasMore && <button type="button" disabled={pages.isLoading} onClick={pages.more}>{shared.more}</button>}
    </>
  );
}

function Receipt({ entry, onChange }: { entry: HistoryEntry; onChange: () => void }) {
  const say = useWords(receiptWords);
  const care = useWords(careWords);
  const { language } = usePreferences();
  const mayWrite = useMay()("write");
  const about = useCall("history", entry.node_id ? { memo_id: entry.node_id, limit: 1 } : null).answer?.about ?? null;
  const rule = RULES.find((known) => known === entry.payload["rule"]) ?? "other";
  const back = async () => {
    if (entry.node_id && (await bringBack({ node_id: entry.node_id }, care))) onChange();
  };
  return (
    <article class="card receipt" data-id={entry.node_id}>
      <div>
        <p class="source-line">{about && KINDS.includes(about.kind) && <KindMark kind={about.kind as Node["kind"]} />}{say.went(date(entry.at, language))} · {say[rule]} · {entry.namespace}</p>
        <h2 lang={about?.title ? undefined : "en"}>{about?.title ?? entry.text}</h2>
        {about?.stand_in && <p>{say.standIn} <StandIn id={about.stand_in} /></p>}
        <p class="tags">
          <span>{entry.restorable_until ? say.until(date(entry.restorable_until, language)) : stateOf(say, about)}</span>
          {entry.node_id && <a href={address("/care/log", { of: entry.node_id })}>{say.history}</a>}
          {entry.part_of && <a href={address("/care/log", { of: entry.part_of })}>{care.openRun}</a>}
        </p>
      </div>
      {entry.restorable_until && <button type="button" disabled={!mayWrite} title={mayWrite ? undefined : care.wantsWrite} onClick={() => void back()}>{care.bringBack}</button>}
    </article>
  );
}

function StandIn({ id }: { id: string }) {
  const node = useCall("get", { memo_id: id }).answer;
  return <a href={address(`/n/${id}`)}>{node ? (node.title ?? firstWords(node.content)) : "…"}</a>;
}

/** What became of something whose receipt is no longer there. */
function stateOf(say: { isBack: string; erased: string; over: string }, about: HistorySubject | null): string {
  if (about === null) return "";
  return about.state === "here" ? say.isBack : about.state === "deleted" ? say.erased : say.over;
}
