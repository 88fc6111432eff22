// Things in a row, by year, and arcs from each to what it leads to: which page cites which.
import { useWords, words } from "../words";
import { Chart, MARGIN, Mark } from "./chart";

const table = words(
  { mark: (name: string, year: string, out: number, into: number) => `${name}${year && ` (${year})`}: cites ${out}, cited by ${into}`, name: "Source", year: "Year", out: "cites", into: "cited by", some: (shown: number, all: number) => `The ${shown} most connected of ${all} are drawn.` },
  { mark: (name: string, year: string, out: number, into: number) => `${name}${year && `（${year}）`}: 引用 ${out}件、被引用 ${into}件`, name: "出典", year: "年", out: "引用", into: "被引用", some: (shown: number, all: number) => `${all}件のうち、つながりの多い${shown}件を描いています。` },
);
const MOST = 60;
const HEIGHT = 240;
const LOWEST_ARC = 26;
const BELOW = 64;

export interface Place {
  key: string;
  name: string;
  year: number | null;
}

export interface ArcsProps {
  title: string;
  places: Place[];
  /** From the key of what cites to the key of what is cited. */
  arcs: [string, string][];
  chosen?: string | null;
  onChoose?: (key: string) => void;
}

export function Arcs({ title, places, arcs, chosen, onChoose }: ArcsProps) {
  const say = useWords(table);
  const out = tally(arcs.map(([from]) => from));
  const into = tally(arcs.map(([, to]) => to));
  const links = (place: Place) => (out.get(place.key) ?? 0) + (into.get(place.key) ?? 0);
  const drawn = places.toSorted((one, other) => links(other) - links(one)).slice(0, MOST).sort((one, other) => (one.year ?? -1) - (other.year ?? -1) || one.name.localeCompare(other.name));
  const order = new Map(drawn.map((place, at) => [place.key, at]));
  const lines = arcs.flatMap(([from, to]) => { const [a, b] = [order.get(from), order.get(to)]; return a === undefined || b === undefined || a === b ? [] : [[a, b] as const]; });
  const some = places.length > drawn.length ? say.some(drawn.length, places.length) : "";
  const most = Math.max(1, ...drawn.map((place) => into.get(place.key) ?? 0));
  const label = (place: Place) => say.mark(place.name, place.year === null ? "" : String(place.year), out.get(place.key) ?? 0, into.get(place.key) ?? 0);
  return (
    <Chart
      title={title} height={HEIGHT} description={some} legend={some && <span>{some}</span>}
      figures={{ head: [say.name, say.year, say.out, say.into], rows: drawn.map((place) => [place.name, place.year === null ? "" : String(place.year), out.get(place.key) ?? 0, into.get(place.key) ?? 0]) }}
    >
      {(width) => {
        const base = HEIGHT - BELOW;
        const room = width - 2 * MARGIN.right - 16;
        const gap = drawn.length > 1 ? room / (drawn.length - 1) : 0;
        const x = (at: number) => (drawn.length > 1 ? MARGIN.right + 8 + at * gap : width / 2);
        // A curve reaches three quarters of the height of its two handles.
        const tall = (a: number, b: number) => LOWEST_ARC + (Math.abs(x(a) - x(b)) / room) * ((base - 12) / 0.75 - LOWEST_ARC);
        const isOn = (a: number, b: number) => chosen && (drawn[a]?.key === chosen || drawn[b]?.key === chosen);
        return (
          <>
            <g aria-hidden="true">
              {lines.map(([a, b], at) => <path key={at} class={isOn(a, b) ? "arc on" : "arc"} d={`M${x(a)} ${base}C${x(a)} ${base - tall(a, b)} ${x(b)} ${base - tall(a, b)} ${x(b)} ${base}`} />)}
              {drawn.map((place, at) => place.year !== null && (at === 0 || drawn[at - 1]?.year !== place.year) && <text key={place.key} transform={`translate(${x(at) + 4} ${base + 18}) rotate(-90)`} text-anchor="end">{place.year}</text>)}
            </g>
            {drawn.map((place, at) => (
              <Mark key={place.key} at={at} label={label(place)} isChosen={chosen === place.key} onChoose={onChoose && (() => onChoose(place.key))}>
                <circle class="fill-page" cx={x(at)} cy={base} r={3.5 + 6 * Math.sqrt((into.get(place.key) ?? 0) / most)} />
              </Mark>
            ))}
          </>
        );
      }}
    </Chart>
  );
}

function tally(keys: string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const key of keys) counted.set(key, (counted.get(key) ?? 0) + 1);
  return counted;
}
