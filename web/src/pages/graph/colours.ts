// The colours of the picture, from the theme of the page. WebGL needs them whole: six digits, mixed beforehand.
import { KINDS, type Kind } from "./view";

export type Side = "supports" | "refutes" | "neutral" | "other";
export const SIDES: Side[] = ["supports", "refutes", "neutral", "other"];

/** Pixels drawn and left out, in turn: never colour alone tells the side of a relation. */
export const DASHES: Record<Side, readonly [number, number]> = { supports: [1, 0], refutes: [9, 5], neutral: [2, 4], other: [1, 0] };

export interface Colours {
  background: string;
  text: string;
  muted: string;
  chosen: string;
  kinds: Record<Kind, string>;
  /** Full, calm and faint, by the side of a relation. */
  sides: Record<Side, { full: string; calm: string; faint: string }>;
  dimmed: string;
}

export function sideOf(tag: string): Side {
  return tag === "supports" || tag === "refutes" || tag === "neutral" ? tag : "other";
}

export function coloursOfPage(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => whole(style.getPropertyValue(`--${name}`).trim());
  const background = read("bg");
  const shades = (full: string) => ({ full, calm: mixed(full, background, 0.45), faint: mixed(full, background, 0.72) });
  return {
    background, text: read("text"), muted: read("muted"), chosen: read("link"), dimmed: mixed(read("muted"), background, 0.75),
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, read(kind)])) as Record<Kind, string>,
    sides: { supports: shades(read("supports")), refutes: shades(read("refutes")), neutral: shades(read("neutral")), other: shades(mixed(read("muted"), background, 0.25)) },
  };
}

function mixed(colour: string, into: string, share: number): string {
  const parts = [1, 3, 5].map((at) => Math.round(channel(colour, at) * (1 - share) + channel(into, at) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function channel(colour: string, at: number): number {
  return parseInt(colour.slice(at, at + 2), 16);
}

/** The build shortens #ffffff to #fff. */
function whole(colour: string): string {
  return colour.length === 4 ? `#${[...colour.slice(1)].map((digit) => digit + digit).join("")}` : colour;
}
