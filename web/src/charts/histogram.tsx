// A histogram: how many values lie in each of equal parts, with a cut that the reader may move.
import { useState } from "preact/hooks";
import { useWords, words } from "../words";
import { BottomAxis, LeftAxis } from "./axes";
import { Chart, MARGIN, Mark } from "./chart";
import { counts as countScale, linear, short } from "./scale";

const table = words(
  {
    from: "from", to: "to", many: "count", log: "log scale", all: (many: number) => `${many} in all.`,
    bar: (from: string, to: string, many: number) => `${from} to ${to}: ${many}`,
    below: (many: number) => `${many} below`, astride: (many: number) => `${many} in the bar that the cut goes through`, above: (many: number) => `${many} above`,
  },
  {
    from: "から", to: "まで", many: "件数", log: "対数目盛", all: (many: number) => `全部で${many}件です。`,
    bar: (from: string, to: string, many: number) => `${from}〜${to}: ${many}件`,
    below: (many: number) => `下 ${many}件`, astride: (many: number) => `境界を含む棒 ${many}件`, above: (many: number) => `上 ${many}件`,
  },
);
const HEIGHT = 220;
const CUT_STEPS = 200;

export interface HistogramProps {
  title: string;
  /** How many values lie in each of the equal parts of the range from low to high. */
  counts: number[];
  low?: number;
  high?: number;
  /** What is measured, along the bottom; what is counted, at the left. */
  measure: string;
  counted: string;
  /** Words for what the cut parts, for instance "may go" and "stays"; `name` is that of the slider. */
  cut?: { at: number; name: string; below: string; above: string; onMove?: (at: number) => void };
  /** The bar that is chosen, by number, and what a click on a bar does. */
  chosen?: number | null;
  onChoose?: (part: number) => void;
}

export function Histogram({ title, counts, low = 0, high = 1, measure, counted, cut, chosen, onChoose }: HistogramProps) {
  const say = useWords(table);
  const [dragged, setDragged] = useState<number | null>(null);
  const at = cut ? (dragged ?? cut.at) : null;
  const parts = counts.length;
  const edge = (part: number) => low + ((high - low) * part) / parts;
  const side = (part: number) => (at === null ? "plain" : edge(part + 1) <= at + 1e-9 ? "below" : edge(part) >= at - 1e-9 ? "above" : "astride");
  const sum = (name: string) => counts.reduce((total, many, part) => (side(part) === name ? total + many : total), 0);
  const total = counts.reduce((all, many) => all + many, 0);
  const rows = counts.map((many, part) => [short(edge(part)), short(edge(part + 1)), many]);
  const parted = cut && `${cut.name} ${short(at ?? 0)}: ${[say.below(sum("below")), sum("astride") > 0 && say.astride(sum("astride")), say.above(sum("above"))].filter(Boolean).join(", ")}.`;
  return (
    <Chart
      title={title} height={HEIGHT} figures={{ head: [say.from, say.to, say.many], rows }}
      description={[say.all(total), parted].filter(Boolean).join(" ")}
      legend={cut && <><Swatch side="below" text={`${cut.below}: ${sum("below")}`} />{sum("astride") > 0 && <Swatch side="astride" text={say.astride(sum("astride"))} />}<Swatch side="above" text={`${cut.above}: ${sum("above")}`} /></>}
      foot={cut?.onMove && (
        <label class="cut-slider" style={{ paddingLeft: `${MARGIN.left - 8}px`, paddingRight: `${MARGIN.right - 8}px` }}>
          <input
            type="range" min={low} max={high} step={(high - low) / CUT_STEPS} value={at ?? low} aria-valuetext={parted}
            onInput={(event) => setDragged(Number(event.currentTarget.value))}
            onChange={(event) => { setDragged(null); cut.onMove?.(Number(event.currentTarget.value)); }}
          />
          <span>{cut.name} <b>{short(at ?? low)}</b></span>
        </label>
      )}
    >
      {(width) => {
        const x = linear([low, high], [MARGIN.left, width - MARGIN.right], 10);
        const y = countScale(counts, [HEIGHT - MARGIN.bottom, MARGIN.top]);
        return (
          <>
            <LeftAxis scale={y} width={width} name={y.isLog ? `${counted} (${say.log})` : counted} />
            {counts.map((many, part) => many > 0 && (
              <Mark key={part} at={part === counts.findIndex((other) => other > 0) ? 0 : part + 1} label={say.bar(short(edge(part)), short(edge(part + 1)), many)} isChosen={chosen === part} onChoose={onChoose && (() => onChoose(part))}>
                <rect class={`bin ${side(part)}`} x={x(edge(part)) + 1} width={Math.max(1, x(edge(part + 1)) - x(edge(part)) - 2)} y={y(many)} height={y(0) - y(many)} />
              </Mark>
            ))}
            <BottomAxis scale={x} width={width} height={HEIGHT} name={measure} />
            {at !== null && <line class="cut" x1={x(at)} x2={x(at)} y1={MARGIN.top - 8} y2={HEIGHT - MARGIN.bottom} />}
          </>
        );
      }}
    </Chart>
  );
}

function Swatch({ side, text }: { side: string; text: string }) {
  return <span><svg class="swatch" width="14" height="14" aria-hidden="true"><rect class={`bin ${side}`} width="14" height="14" /></svg>{text}</span>;
}
