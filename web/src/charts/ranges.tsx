// Bars from one number to another, a name each: for instance the years that support a statement.
import { useWords, words } from "../words";
import { BottomAxis } from "./axes";
import { Chart, MARGIN, Mark } from "./chart";
import { fitted, linear } from "./scale";

const table = words(
  { some: (shown: number, all: number) => `The first ${shown} of ${all} are drawn.`, from: "from", to: "to" },
  { some: (shown: number, all: number) => `${all}件のうち最初の${shown}件を描いています。`, from: "から", to: "まで" },
);
const MOST = 15;
const ROW = 26;
const NARROW = 520;

export interface Range {
  key: string;
  name: string;
  from: number;
  to: number;
  /** What else is to be said of it. */
  note: string;
}

export interface RangesProps {
  title: string;
  ranges: Range[];
  measure: string;
  named: string;
  noted: string;
  chosen?: string | null;
  onChoose?: (key: string) => void;
}

export function Ranges({ title, ranges, measure, named, noted, chosen, onChoose }: RangesProps) {
  const say = useWords(table);
  const drawn = ranges.slice(0, MOST);
  const low = Math.min(...drawn.map((range) => range.from));
  const high = Math.max(...drawn.map((range) => range.to));
  const height = drawn.length * ROW + MARGIN.bottom;
  const some = ranges.length > drawn.length ? say.some(drawn.length, ranges.length) : "";
  return (
    <Chart
      title={title} height={height} description={`${low}–${high}. ${some}`} legend={some && <span>{some}</span>}
      figures={{ head: [named, say.from, say.to, noted], rows: ranges.map((range) => [range.name, String(range.from), String(range.to), range.note]) }}
    >
      {(width) => {
        const left = width < NARROW ? width * 0.46 : Math.min(380, width * 0.42);
        const x = linear([low, high], [left + 8, width - 24], width < NARROW ? 2 : 5);
        const axis = Object.assign((value: number) => x(value), { ticks: x.ticks.filter(Number.isInteger) });
        return (
          <>
            {drawn.map((range, at) => (
              <Mark key={range.key} at={at} label={`${range.name}: ${range.from}–${range.to}, ${range.note}`} isChosen={chosen === range.key} onChoose={onChoose && (() => onChoose(range.key))}>
                <rect class="touch" x="0" width={width} y={at * ROW} height={ROW} />
                <rect class="fill-supports" rx="5" x={x(range.from) - 5} width={x(range.to) - x(range.from) + 10} y={at * ROW + 8} height={ROW - 16} />
              </Mark>
            ))}
            <g aria-hidden="true" class="names">{drawn.map((range, at) => <text key={range.key} class="name" x={left - 8} y={at * ROW + 17} text-anchor="end">{fitted(range.name, left - 20)}</text>)}</g>
            <BottomAxis scale={axis} width={width} height={height} name={measure} say={String} left={left} />
          </>
        );
      }}
    </Chart>
  );
}
