// Dots at two measures each, for instance how sure a statement is and how much evidence it has.
import { BottomAxis, LeftAxis } from "./axes";
import { Chart, MARGIN, Mark } from "./chart";
import { linear, short } from "./scale";

const HEIGHT = 260;
const RADIUS = 6;

export interface Dot {
  key: string;
  name: string;
  x: number;
  y: number;
  /** Drawn as a diamond instead of a disc. */
  isMarked: boolean;
}

export interface DotsProps {
  title: string;
  dots: Dot[];
  range: [number, number];
  measures: { x: string; y: string };
  named: string;
  /** What discs and diamonds are. */
  kinds: { plain: string; marked: string };
  chosen?: string | null;
  onChoose?: (key: string) => void;
}

export function Dots({ title, dots, range, measures, named, kinds, chosen, onChoose }: DotsProps) {
  const highest = Math.max(1, ...dots.map((dot) => dot.y));
  return (
    <Chart
      title={title} height={HEIGHT} description={`${measures.x}, ${measures.y}. ${dots.length}.`}
      figures={{ head: [named, measures.x, measures.y], rows: dots.map((dot) => [dot.name, dot.x, dot.y]) }}
      legend={<><span><svg class="swatch" width="14" height="14" aria-hidden="true"><Shape x={7} y={7} isMarked={false} /></svg>{kinds.plain}</span><span><svg class="swatch" width="14" height="14" aria-hidden="true"><Shape x={7} y={7} isMarked /></svg>{kinds.marked}</span></>}
    >
      {(width) => {
        const x = linear(range, [MARGIN.left + RADIUS, width - MARGIN.right - RADIUS]);
        const y = linear([0, highest], [HEIGHT - MARGIN.bottom, MARGIN.top + RADIUS], 4);
        const upward = Object.assign((value: number) => y(value), { ticks: y.ticks.filter(Number.isInteger) });
        return (
          <>
            <LeftAxis scale={upward} width={width} name={measures.y} />
            <BottomAxis scale={x} width={width} height={HEIGHT} name={measures.x} />
            {dots.map((dot, at) => (
              <Mark key={dot.key} at={at} label={`${dot.name}: ${measures.x} ${short(dot.x)}, ${measures.y} ${short(dot.y)}${dot.isMarked ? `, ${kinds.marked}` : ""}`} isChosen={chosen === dot.key} onChoose={onChoose && (() => onChoose(dot.key))}>
                <Shape x={x(dot.x)} y={y(dot.y)} isMarked={dot.isMarked} />
              </Mark>
            ))}
          </>
        );
      }}
    </Chart>
  );
}

function Shape({ x, y, isMarked }: { x: number; y: number; isMarked: boolean }) {
  const r = RADIUS + 1;
  return isMarked ? <path class="fill-refutes dot" d={`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`} /> : <circle class="fill-supports dot" cx={x} cy={y} r={RADIUS} />;
}
