// Two texts with the words marked in which they differ; of texts without spaces, the characters.
import { useMemo } from "preact/hooks";

export interface Piece {
  text: string;
  differs: boolean;
}

const UNIT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+|\s+|[^\p{L}\p{N}_\s]/gu;
// Longer texts are compared up to here: the table that is filled has as many cells as the product of both lengths.
const MOST_UNITS = 1500;
// Of texts that share fewer of their words, all would be marked.
const LEAST_IN_COMMON = 0.3;

/** The pieces of both texts: those that only one of them has are marked; none if the texts have little in common. */
export function differences(one: string, other: string): [Piece[], Piece[]] {
  const [left, right] = [unitsOf(one), unitsOf(other)];
  const [inLeft, inRight] = inCommon(left.map(folded), right.map(folded));
  const words = (units: string[], common: boolean[]) => units.filter((unit, at) => common[at] && /[\p{L}\p{N}]/u.test(unit)).length;
  const longest = Math.max(...[left, right].map((units) => words(units, units.map(() => true))));
  if (words(left, inLeft) < LEAST_IN_COMMON * longest) return [[{ text: one, differs: false }], [{ text: other, differs: false }]];
  return [pieces(left, inLeft), pieces(right, inRight)];
}

/** A unit is a word, a Japanese character, a space or a sign; what is too long to compare is one unit at the end. */
function unitsOf(text: string): string[] {
  const units = text.match(UNIT) ?? [];
  return units.length <= MOST_UNITS ? units : [...units.slice(0, MOST_UNITS), units.slice(MOST_UNITS).join("")];
}

function folded(unit: string): string {
  return unit.trim() === "" ? " " : unit.toLowerCase();
}

/** Which units belong to a longest sequence that both have. */
function inCommon(left: string[], right: string[]): [boolean[], boolean[]] {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const length = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] = left[row] === right[column] ? length(row + 1, column + 1) + 1 : Math.max(length(row + 1, column), length(row, column + 1));
    }
  }
  const [inLeft, inRight] = [left.map(() => false), right.map(() => false)];
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) {
      inLeft[row++] = true;
      inRight[column++] = true;
    } else if (length(row + 1, column) >= length(row, column + 1)) row++;
    else column++;
  }
  return [inLeft, inRight];
}

/** Join units to pieces. A space between two words that differ belongs to them; one alone is not worth a mark. */
function pieces(units: string[], common: boolean[]): Piece[] {
  const found: Piece[] = [];
  units.forEach((text, at) => {
    const isSpace = text.trim() === "";
    const differs = isSpace ? common[at - 1] === false && common[at + 1] === false : !common[at];
    const last = found.at(-1);
    if (last && last.differs === differs) last.text += text;
    else found.push({ text, differs });
  });
  return found;
}

export function useDifferences(one: string, other: string): [Piece[], Piece[]] {
  return useMemo(() => differences(one, other), [one, other]);
}

export function Pieces({ of }: { of: Piece[] }) {
  return <>{of.map((piece, at) => (piece.differs ? <mark key={at}>{piece.text}</mark> : piece.text))}</>;
}
