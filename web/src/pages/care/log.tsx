// The log: all that happened, newest first. New lines are announced and wait, so that nothing moves under the reader.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, type Arguments } from "../../api";
import { useChanges } from "../../live";
import { Title } from "../../parts/frame";
import { Empty, Shown } from "../../parts/states";
import { goWith, usePlace } from "../../router";
import type { HistoryEntry, HistorySubject } from "../../verbs";
import { common, useWords } from "../../words";
import { LogLines } from "./log_lines";
import { NamespaceChoice, useNamespace } from "./namespace_choice";
import { usePages, type Pages } from "../../parts/pages";
import { Subject } from "./subject";
import { GROUPS, TOPICS, topicsOf } from "./topics";
import { logWords, topicWords } from "./words";

const PAGE = 50;
const PATIENCE_MS = 400;
type Asked = Arguments<"history">;

/** What the address asks of the history. Days are those of the reader; the last one belongs to what is asked. */
function useAsked(): Asked {
  const { query } = usePlace();
  const namespace = useNamespace();
  const [of, topics, since, until] = [query.get("of"), topicsOf(query.get("topic")), query.get("since"), query.get("until")];
  return {
    ...(of ? { memo_id: of } : {}),
    ...(topics.length ? { topic: topics } : {}),
    ...(namespace ? { namespace } : {}),
    ...(since ? { since: startOf(since, 0) } : {}),
    ...(until ? { until: startOf(until, 1) } : {}),
  };
}

function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? day : start.toISOString();
}

export function Log() {
  const say = useWords(logWords);
  const asked = useAsked();
  const key = JSON.stringify(asked);
  const [about, setAbout] = useState<HistorySubject | null>(null);
  const pages = usePages(key, async (cursor, signal) => {
    const found = await call("history", { ...asked, limit: PAGE, ...(cursor ? { cursor } : {}) }, signal);
    setAbout(found.about);
    return { items: found.items, next: found.next_cursor };
  });
  const isNarrowed = Object.keys(asked).length > 0;
  return (
    <>
      <div class="care-head"><Title>{say.title}</Title></div>
      <Filters isNarrowed={isNarrowed} />
      {asked.memo_id && <p><span class="muted">{say.of} <code>{asked.memo_id.slice(-8)}</code></span> · <a href="/care/log">{say.wholeLog}</a></p>}
      {about?.id === asked.memo_id && about && <Subject of={about} onChange={pages.again} />}
      <Shown of={pages}>{(items) => <Lines key={key} items={items} pages={pages} asked={asked} isNarrowed={isNarrowed} />}</Shown>
    </>
  );
}

function Filters({ isNarrowed }: { isNarrowed: boolean }) {
  const say = useWords(logWords);
  const shared = useWords(common);
  const topics = useWords(topicWords);
  const { query } = usePlace();
  return (
    <div class="log-filters" role="group" aria-label={say.filters}>
      <label>{say.topic}
        <select value={query.get("topic") ?? ""} onChange={(event) => goWith({ topic: event.currentTarget.value })}>
          <option value="">{shared.all}</option>
          {GROUPS.map((group) => (
            <optgroup key={group} label={topics[group]}>
              {TOPICS[group].length > 1 && <option value={TOPICS[group].join(",")}>{topics[group]}: {shared.all}</option>}
              {TOPICS[group].map((topic) => <option key={topic} value={topic}>{topics[topic]}</option>)}
            </optgroup>
          ))}
        </select>
      </label>
      <NamespaceChoice />
      <label>{say.since}<input type="date" value={query.get("since") ?? ""} onChange={(event) => goWith({ since: event.currentTarget.value })} /></label>
      <label>{say.until}<input type="date" value={query.get("until") ?? ""} onChange={(event) => goWith({ until: event.currentTarget.value })} /></label>
      <button type="button" disabled={!isNarrowed} onClick={() => goWith({ topic: null, ns: null, since: null, until: null, of: null })}>{say.clear}</button>
    </div>
  );
}

function Lines({ items, pages, asked, isNarrowed }: { items: HistoryEntry[]; pages: Pages<HistoryEntry>; asked: Asked; isNarrowed: boolean }) {
  const say = useWords(logWords);
  const shared = useWords(common);
  const { waiting, forget } = useFresh(asked, items[0]?.seq ?? 0);
  const isCut = waiting.length >= PAGE;
  const show = () => {
    if (isCut) pages.again();
    else pages.putFirst(waiting);
    forget();
  };
  return (
    <>
      <div class="fresh" role="status">
        {waiting.length > 0 ? <button type="button" class="main" onClick={show}>↑ {say.fresh(waiting.length, isCut)}</button> : !asked.until && <span class="muted">{say.live}</span>}
      </div>
      {items.length === 0 ? <Empty>{isNarrowed ? say.filtered : say.empty}</Empty> : <LogLines items={items} onChange={pages.again} />}
      {pages.hasMore ? <button type="button" disabled={pages.isLoading} onClick={pages.more}>{shared.more}</button> : items.length > 0 && <p class="muted">{say.ended}</p>}
    </>
  );
}

/** The lines that came since the newest that is shown: asked for anew, a little later, whenever the memory changes. */
function useFresh(asked: Asked, newest: number): { waiting: HistoryEntry[]; forget: () => void } {
  const [waiting, setWaiting] = useState<HistoryEntry[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const look = useRef(() => {});
  look.current = () => {
    timer.current = null;
    call("history", { ...asked, limit: PAGE }).then(
      ({ items }) => setWaiting(items.filter((entry) => entry.seq > newest)),
      () => {}, // the stream says if the service is gone; the next change asks again
    );
  };
  useChanges(useCallback(() => { timer.current ??= setTimeout(() => look.current(), PATIENCE_MS); }, []));
  useEffect(() => () => { if (timer.current) clearTimeout(timer.current); }, []);
  return { waiting: waiting.filter((entry) => entry.seq > newest), forget: () => setWaiting([]) };
}
