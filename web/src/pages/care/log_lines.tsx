// Lines of the log: when, what about, what happened in words, links to what it is about, and its undo.
import { useState } from "preact/hooks";
import { useMay } from "../../info";
import { useKeys } from "../../keys";
import { moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, go } from "../../router";
import type { HistoryEntry } from "../../verbs";
import { useWords } from "../../words";
import { sentenceOf, sentenceWords } from "./sentences";
import { useTexts, type Text } from "./texts";
import type { Topic } from "./topics";
import { undoOf } from "./undoing";
import { careWords, insightWords, logWords, topicWords } from "./words";

// A statement in SQL holds so many ids; lines beyond them keep the service's sentence.
const MOST_NAMED = 400;

/** Lines, the newest first. */
export function LogLines({ items, onChange }: { items: HistoryEntry[]; onChange: () => void }) {
  const say = { care: useWords(careWords), log: useWords(logWords), insight: useWords(insightWords) };
  const texts = useNames(items);
  const mayWrite = useMay()("write");
  const [current, setCurrent] = useState<number | null>(null);
  const at = items.findIndex((entry) => entry.seq === current);
  const move = (by: number) => {
    const next = items[Math.min(items.length - 1, Math.max(0, at + by))];
    if (!next) return;
    setCurrent(next.seq);
    document.querySelector(`[data-seq="${next.seq}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const open = () => {
    const entry = items[at];
    const to = entry && placeOf(entry);
    if (to) go(to);
  };
  useKeys({ j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), Enter: open });
  return (
    <ol class="log">
      {items.map((entry, place) => (
        <Line key={entry.seq} entry={entry} texts={texts} isCurrent={entry.seq === current} undo={mayWrite ? undoOf(entry, items.slice(0, place), say) : null} onChange={onChange} />
      ))}
    </ol>
  );
}

/** The names of what lines are about; the service's own sentences, in English, have them already. */
function useNames(items: HistoryEntry[]): Map<string, Text> | null {
  const isEnglish = usePreferences().language === "en";
  const ids = items.flatMap((entry) => [entry.node_id, entry.other_id]).filter((id): id is string => !!id);
  return useTexts(isEnglish ? [] : [...new Set(ids)].slice(0, MOST_NAMED));
}

function Line({ entry, texts, isCurrent, undo, onChange }: { entry: HistoryEntry; texts: Map<string, Text> | null; isCurrent: boolean; undo: ReturnType<typeof undoOf>; onChange: () => void }) {
  const topics = useWords(topicWords);
  const { language } = usePreferences();
  const [isBusy, setBusy] = useState(false);
  const to = placeOf(entry);
  const sentence = sentenceOf(entry, texts, useWords(sentenceWords));
  const take = async () => {
    setBusy(true);
    await undo?.run();
    setBusy(false);
    onChange();
  };
  return (
    <li class={isCurrent ? "current" : ""} data-seq={entry.seq}>
      <time class="muted" dateTime={entry.at} title={entry.at}>{moment(entry.at, language)}</time>
      <span class="muted">{topics[entry.topic as Topic] ?? entry.topic}</span>
      <div class="sentence">
        <span lang={sentence ? undefined : "en"}>{to ? <a href={to}>{sentence || entry.text}</a> : sentence || entry.text}</span>
        <Links entry={entry} />
      </div>
      <span class="act">{undo && <button type="button" disabled={isBusy} onClick={() => void take()}>{undo.text}</button>}</span>
    </li>
  );
}

/** Where the sentence of a line leads: to what it is about, be it here or gone. */
function placeOf(entry: HistoryEntry): string | null {
  if (entry.topic === "plan" || entry.topic === "insight") return entry.part_of && address(`/care/insight/${entry.part_of}`);
  if (entry.topic === "metabolism") return entry.part_of && address(`/care/metabolism/${entry.part_of}`);
  if (entry.topic === "task") return entry.part_of && address(`/task/${entry.part_of}`);
  if (!entry.node_id) return null;
  return entry.topic === "retire" || entry.topic === "delete" ? address("/care/log", { of: entry.node_id }) : address(`/n/${entry.node_id}`);
}

function Links({ entry }: { entry: HistoryEntry }) {
  const say = useWords(logWords);
  const part = entry.part_of;
  const isPlan = typeof entry.payload["plan_id"] === "string";
  const isRun = entry.topic === "retire" || entry.topic === "return";
  const figures = Object.entries(entry.payload).filter(([, value]) => value !== null);
  return (
    <span class="links">
      <span>{entry.namespace}</span>
      {entry.other_id && <a href={address(`/n/${entry.other_id}`)}>{say.other}</a>}
      {part && isRun && <a href={address("/care/log", { of: part })}>{say.run(part.slice(-8))}</a>}
      {part && isPlan && entry.node_id && <a href={address(`/care/insight/${part}`)}>{say.plan(part.slice(-8))}</a>}
      {figures.length > 0 && <details><summary>{say.details}</summary><pre>{figures.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n")}{entry.request_id && `\n${say.request}: ${entry.request_id}`}</pre></details>}
    </span>
  );
}
