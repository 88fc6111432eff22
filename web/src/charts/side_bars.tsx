// Lying bars with a name each, longest meaning first: what the rows of a ranking weigh, in one part or several.
import { useWords, words } from "../words";
import { Chart, Mark } from "./chart";
import { FILLS, Legend, type Part } from "./parts";
import { fitted, linear, short } from "./scale";

const table = words({ some: (shown: number, all: number) => `The first ${shown} of ${all} are drawn.` }, { some: (shown: number, all: number) => `${all}件のうち最初の${shown}件を描いています。` });
const MOST = 15;
const ROW = 26;
const NARROW = 520;
const FOOT = 24;

export interface SideBar {
  key: string;
  name: string;
  values: number[];
}

export interface SideBarsProps {
  title: string;
  bars: SideBar[];
  parts: Part[];
  measure: string;
  named: string;
  chosen?: string | null;
  onChoose?: (key: string) => void;
}

export function SideBars({ title, bars, parts, measure, named, chosen, onChoose }: SideBarsProps) {
  const say = useWords(table);
  const drawn = bars.slice(0, MOST);
  const highest = Math.max(...drawn.map((bar) => total(bar)), 0) || 1;
  const height = drawn.length * ROW + FOOT;
  const label = (bar: SideBar) => `${bar.name}: ${parts.map((part, at) => `${part.name} ${short(bar.values[at] ?? 0)}`).join(", ")}`;
  return (
    <Chart
      title={title} height={height} description={bars.length > drawn.length ? say.some(drawn.length, bars.length) : measure}
      figures={{ head: [named, ...parts.map((part) => part.name)], rows: bars.map((bar) => [bar.name, ...bar.values]) }}
      legend={<>{parts.length > 1 && <Legend parts={parts} />}{bars.length > drawn.length && <span>{say.some(drawn.length, bars.length)}</span>}</>}
    >
      {(width) => {
        const left = width < NARROW ? width * 0.46 : Math.min(380, width * 0.42);
        const x = linear([0, highest], [left, width - 48]);
        return (
          <>
            {drawn.map((bar, at) => (
              <Mark key={bar.key} at={at} label={label(bar)} isChosen={chosen === bar.key} onChoose={onChoose && (() => onChoose(bar.key))}>
                <rect class="touch" x="0" width={width} y={at * ROW} height={ROW} />
                {parts.map((part, number) => {
                  const before = bar.values.slice(0, number).reduce((sum, value) => sum + value, 0);
                  return (bar.values[number] ?? 0) > 0 && <rect key={part.name} class={FILLS[part.fill]} x={x(before)} width={Math.max(1, x(before + (bar.values[number] ?? 0)) - x(before))} y={at * ROW + 5} height={ROW - 10} />;
                })}
              </Mark>
            ))}
            <g aria-hidden="true" class="names">
              {drawn.map((bar, at) => <text key={bar.key} class="name" x={left - 8} y={at * ROW + 17} text-anchor="end">{fitted(bar.name, left - 20)}</text>)}
              {drawn.map((bar, at) => <text key={bar.key} x={x(total(bar)) + 6} y={at * ROW + 17}>{short(total(bar))}</text>)}
              <text x={left} y={height - 6}>{measure}</text>
            </g>
          </>
        );
      }}
    </Chart>
  );
}

function total(bar: SideBar): number {
  return bar.values.reduce((sum, value) => sum + value, 0);
}
