// A field for SQL with numbered lines and completion. Tab completes only while completions are shown, so it never traps.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TableShape } from "../../verbs";
import { useWords } from "../../words";
import { complete, type Completed } from "./completion";
import { table } from "./sql_words";

const FEWEST_LINES = 8;
const MOST_LINES = 24;
const LINE_PX = 20;
const NONE: Completed = { start: 0, items: [] };

export interface EditorProps {
  value: string;
  tables: TableShape[];
  onChange: (value: string) => void;
  onRun: () => void;
  /** Takes what puts a text in at the caret. */
  inserter: { current: ((text: string) => void) | null };
}

export function Editor({ value, tables, onChange, onRun, inserter }: EditorProps) {
  const say = useWords(table);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const caretAfter = useRef<number | null>(null);
  const [shown, setShown] = useState<Completed>(NONE);
  const [chosen, setChosen] = useState(0);
  const [scroll, setScroll] = useState({ top: 0, left: 0 });
  const lines = value.split("\n").length;
  useLayoutEffect(() => {
    if (caretAfter.current === null) return;
    field.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = null;
  }, [value]);
  const put = (text: string, from: number, to: number) => {
    caretAfter.current = from + text.length;
    onChange(value.slice(0, from) + text + value.slice(to));
    setShown(NONE);
    field.current?.focus();
  };
  inserter.current = (text) => {
    const at = field.current?.selectionStart ?? value.length;
    const space = at > 0 && /\w$/.test(value.slice(0, at)) ? " " : "";
    put(space + text, at, field.current?.selectionEnd ?? at);
  };
  const accept = (at: number) => {
    const item = shown.items[at];
    if (item) put(item.text, shown.start, field.current?.selectionStart ?? shown.start);
  };
  const press = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setShown(NONE);
      onRun();
      return;
    }
    if (shown.items.length === 0) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) setChosen((now) => (now + move + shown.items.length) % shown.items.length);
    else if (event.key === "Tab" || event.key === "Enter") accept(chosen);
    else if (event.key === "Escape") setShown(NONE);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const type = (text: string, caret: number) => {
    onChange(text);
    setShown(complete(text, caret, tables));
    setChosen(0);
  };
  const place = caretPlace(value, shown.start);
  const isOpen = shown.items.length > 0;
  return (
    <div class="editor" style={{ height: `${Math.min(MOST_LINES, Math.max(FEWEST_LINES, lines + 1)) * LINE_PX + 16}px` }}>
      <div class="gutter" aria-hidden="true"><pre style={{ transform: `translateY(${-scroll.top}px)` }}>{Array.from({ length: lines }, (_, at) => at + 1).join("\n")}</pre></div>
      <textarea
        ref={field} class="code" value={value} wrap="off" spellcheck={false} autocomplete="off" autocapitalize="off" aria-label={say.statement} aria-autocomplete="list" aria-describedby={`${id}k`}
        aria-controls={isOpen ? `${id}c` : undefined} aria-activedescendant={isOpen ? `${id}c${chosen}` : undefined}
        onInput={(event) => type(event.currentTarget.value, event.currentTarget.selectionStart)} onKeyDown={press} onBlur={() => setShown(NONE)}
        onScroll={(event) => setScroll({ top: event.currentTarget.scrollTop, left: event.currentTarget.scrollLeft })}
      />
      {isOpen && (
        <ul class="completions" id={`${id}c`} role="listbox" aria-label={say.completions} style={{ top: `${(place.line + 1) * LINE_PX + 10 - scroll.top}px`, left: `calc(52px + ${place.column}ch - ${scroll.left}px)` }}>
          {shown.items.map((item, at) => (
            <li key={item.text} id={`${id}c${at}`} role="option" aria-selected={at === chosen} onMouseDown={(event) => { event.preventDefault(); accept(at); }}>
              {item.text} <span class="muted">{item.of}</span>
            </li>
          ))}
        </ul>
      )}
      <span id={`${id}k`} class="sr-only">{say.keys}</span>
    </div>
  );
}

function caretPlace(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
}
