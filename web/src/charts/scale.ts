// Scales and ticks of charts: pure functions from values to places.

export interface Scale {
  (value: number): number;
  /** Round values within the scale, from the lowest to the highest. */
  ticks: number[];
}

const WISHED_TICKS = 5;
const LOG_RATIO = 100; // counts that differ by a larger factor are drawn on a log scale
const LOG_FLOOR = 0.5; // on a log scale a single one is still a bar: the axis starts at half

/** A linear scale from a domain to places; equal ends are spread so that all lies in the middle. */
export function linear([low, high]: readonly [number, number], [start, end]: readonly [number, number], wished = WISHED_TICKS): Scale {
  const span = high - low;
  const at = (value: number) => (span === 0 ? (start + end) / 2 : start + ((value - low) / span) * (end - start));
  return Object.assign(at, { ticks: ticksBetween(low, high, wished) });
}

/** A scale of counts that starts at nothing; `isLog` says whether it had to be logarithmic. */
export function counts(values: number[], [start, end]: readonly [number, number]): Scale & { isLog: boolean } {
  const some = values.filter((value) => value > 0);
  const highest = Math.max(1, ...some);
  const isLog = some.length > 0 && highest > LOG_RATIO * Math.min(...some);
  if (!isLog) {
    const scale = linear([0, highest], [start, end], 4);
    return Object.assign((value: number) => scale(value), { ticks: scale.ticks.filter(Number.isInteger), isLog });
  }
  const share = (value: number) => Math.log(Math.max(value / LOG_FLOOR, 1)) / Math.log(highest / LOG_FLOOR);
  const powers = Array.from({ length: Math.floor(Math.log10(highest)) + 1 }, (_, power) => 10 ** power);
  return Object.assign((value: number) => start + share(value) * (end - start), { ticks: powers, isLog });
}

/** Round steps of 1, 2 or 5 times a power of ten between two values. */
export function ticksBetween(low: number, high: number, wished = WISHED_TICKS): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, wished);
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => size >= raw) ?? raw;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** How many values lie in each of the equal parts of a range; the highest value belongs to the last part. */
export function binned(values: number[], low: number, high: number, parts: number): number[] {
  const bins = new Array<number>(parts).fill(0);
  for (const value of values) {
    const at = Math.min(parts - 1, Math.max(0, Math.floor(((value - low) / (high - low || 1)) * parts)));
    bins[at] = (bins[at] ?? 0) + 1;
  }
  return bins;
}

/** A number as short as it can be said. */
export function short(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** The beginning of a text that fits a width, of letters about this wide (those of Chinese or Japanese are twice as wide). */
export function fitted(text: string, width: number, letter = 6.7): string {
  let used = 0;
  let kept = "";
  for (const character of text) {
    used += /[\u1100-\uffff]/.test(character) ? letter * 2 : letter;
    if (used > width) return `${kept.trimEnd()}…`;
    kept += character;
  }
  return kept;
}
