// Axes of a chart: lines with their values, and what they measure.
import { MARGIN } from "./chart";
import { short, type Scale } from "./scale";

/** Values upwards at the left, with a thin line across. */
export function LeftAxis({ scale, width, name }: { scale: Scale; width: number; name: string }) {
  return (
    <g class="axis" aria-hidden="true">
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={MARGIN.left} x2={width - MARGIN.right} y1={scale(tick)} y2={scale(tick)} />
          <text x={MARGIN.left - 6} y={scale(tick) + 4} text-anchor="end">{short(tick)}</text>
        </g>
      ))}
      <text class="axis-name" text-anchor="middle" transform={`translate(11 ${middle(scale)}) rotate(-90)`}>{name}</text>
    </g>
  );
}

/** Values along the bottom. */
export function BottomAxis({ scale, width, height, name, left = MARGIN.left, say = short }: { scale: Scale; width: number; height: number; name: string; left?: number; say?: (tick: number) => string }) {
  const y = height - MARGIN.bottom;
  return (
    <g class="axis" aria-hidden="true">
      <line class="base" x1={left} x2={width - MARGIN.right} y1={y} y2={y} />
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class="base" x1={scale(tick)} x2={scale(tick)} y1={y} y2={y + 4} />
          <text x={scale(tick)} y={y + 17} text-anchor="middle">{say(tick)}</text>
        </g>
      ))}
      <text class="axis-name" x={(left + width - MARGIN.right) / 2} y={height - 4} text-anchor="middle">{name}</text>
    </g>
  );
}

function middle(scale: Scale): number {
  const places = scale.ticks.map(scale);
  return (Math.min(...places) + Math.max(...places)) / 2;
}
