// Above the picture: find inside it, how far it goes, at what time, and how many at most.
import { useEffect, useState } from "preact/hooks";
import { AsOf } from "../../parts/as_of";
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { useWords } from "../../words";
import { change, HOPS, LIMITS, type View } from "./view";
import { table } from "./words";

const TYPING_MS = 200;

export function Tools({ view }: { view: View }) {
  const say = useWords(table);
  const { language } = usePreferences();
  return (
    <div class="graph-tools">
      <Find value={view.find} />
      <label>{say.hops}
        <select value={view.hops} onChange={(event) => change({ hops: Number(event.currentTarget.value) })}>{HOPS.map((hops) => <option key={hops} value={hops}>{hops}</option>)}</select>
      </label>
      <label>{say.limit}
        <select value={view.limit} onChange={(event) => change({ limit: Number(event.currentTarget.value) })}>{LIMITS.map((limit) => <option key={limit} value={limit}>{count(limit, language)}</option>)}</select>
      </label>
      <AsOf value={view.asOf} onChange={(asOf) => change({ asOf })} />
      <a class="button" href="/graph">{say.startOver}</a>
    </div>
  );
}

function Find({ value }: { value: string }) {
  const say = useWords(table);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => change({ find: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return <input class="find" type="search" value={typed} placeholder={say.find} aria-label={say.find} onInput={(event) => setTyped(event.currentTarget.value)} />;
}
