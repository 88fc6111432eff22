// Upright bars in parts, side by side along a number such as a year; numbers without a bar keep their place.
import { BottomAxis, LeftAxis } from "./axes";
import { Chart, MARGIN, Mark } from "./chart";
import { FILLS, Legend, type Part } from "./parts";
import { counts, linear } from "./scale";

const HEIGHT = 220;
const WIDEST = 56;

export interface Bar {
  at: number;
  values: number[];
}

export interface StackedBarsProps {
  title: string;
  bars: Bar[];
  parts: Part[];
  /** How far apart neighbours are: 1 for years, 10 for decades. */
  step: number;
  measure: string;
  counted: string;
  chosen?: number | null;
  onChoose?: (at: number) => void;
}

export function StackedBars({ title, bars, parts, step, measure, counted, chosen, onChoose }: StackedBarsProps) {
  const sorted = bars.toSorted((one, other) => one.at - other.at);
  const first = sorted[0]?.at ?? 0;
  const last = sorted.at(-1)?.at ?? first;
  const totals = sorted.map((bar) => sum(bar.values));
  const label = (bar: Bar) => `${bar.at}: ${parts.map((part, at) => `${bar.values[at] ?? 0} ${part.name}`).join(", ")}`;
  return (
    <Chart
      title={title} height={HEIGHT} description={`${first}–${last}. ${parts.map((part, at) => `${part.name}: ${sum(sorted.map((bar) => bar.values[at] ?? 0))}`).join(", ")}.`}
      figures={{ head: [measure, ...parts.map((part) => part.name)], rows: sorted.map((bar) => [String(bar.at), ...bar.values]) }} legend={<Legend parts={parts} />}
    >
      {(width) => {
        const room = width - MARGIN.left - MARGIN.right;
        const each = room / ((last - first) / step + 1);
        const x = linear([first - step / 2, last + step / 2], [MARGIN.left, width - MARGIN.right], Math.max(2, Math.floor(room / 70)));
        const years = x.ticks.filter((tick) => tick % step === 0);
        // Of the totals alone: parts of a bar do not add up on a log scale.
        const y = counts([Math.max(1, ...totals)], [HEIGHT - MARGIN.bottom, MARGIN.top]);
        const wide = Math.min(WIDEST, Math.max(2, each * 0.8));
        return (
          <>
            <LeftAxis scale={y} width={width} name={counted} />
            {sorted.map((bar, number) => (
              <Mark key={bar.at} at={number} label={label(bar)} isChosen={chosen === bar.at} onChoose={onChoose && (() => onChoose(bar.at))}>
                {parts.map((part, at) => {
                  const below = sum(bar.values.slice(0, at));
                  const value = bar.values[at] ?? 0;
                  return value > 0 && <rect key={part.fill} class={FILLS[part.fill]} x={x(bar.at) - wide / 2} width={wide} y={y(below + value)} height={y(below) - y(below + value)} />;
                })}
              </Mark>
            ))}
            <BottomAxis scale={Object.assign((value: number) => x(value), { ticks: years.length ? years : [first] })} width={width} height={HEIGHT} name={measure} say={String} />
          </>
        );
      }}
    </Chart>
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

