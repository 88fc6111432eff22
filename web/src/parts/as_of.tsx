// A slider and a field for a day: what held then, instead of what holds now.
import { useState } from "preact/hooks";
import { usePreferences } from "../preferences";
import { useRows } from "../sql";
import { common, useWords, words } from "../words";
import { date } from "./time";

const table = words({ asOf: "As of", day: "Day", now: "Back to today" }, { asOf: "時点", day: "日付", now: "今日に戻す" });
const DAY_MS = 86_400_000;

export function AsOf({ value, onChange }: { value: string | null; onChange: (day: string | null) => void }) {
  const say = useWords(table);
  const { today: wordToday } = useWords(common);
  const { language } = usePreferences();
  const first = useRows("select min(coalesce(valid_from, created_at)) as first from memos").answer?.[0]?.["first"];
  const today = dayOf(Date.now());
  const [dragged, setDragged] = useState<string | null>(null);
  const oldest = typeof first === "string" ? first.slice(0, 10) : today;
  const span = Math.max(1, days(today) - days(oldest));
  const shown = dragged ?? value ?? today;
  const choose = (day: string) => onChange(day >= today ? null : day);
  return (
    <div class="as-of">
      <label>
        <span>{say.asOf} <b>{shown >= today ? wordToday : date(shown, language)}</b></span>
        <input
          type="range" min={0} max={span} value={shown >= today ? span : Math.min(span, Math.max(0, days(shown) - days(oldest)))}
          aria-valuetext={date(shown, language)}
          onInput={(event) => setDragged(dayOf((days(oldest) + Number(event.currentTarget.value)) * DAY_MS))}
          onChange={(event) => { setDragged(null); choose(dayOf((days(oldest) + Number(event.currentTarget.value)) * DAY_MS)); }}
        />
      </label>
      <input type="date" aria-label={say.day} value={shown} max={today} onChange={(event) => event.currentTarget.value && choose(event.currentTarget.value)} />
      {value && <button type="button" onClick={() => onChange(null)}>{say.now}</button>}
    </div>
  );
}

function days(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
