// What differs between two texts, word by word.

export interface Piece {
  text: string;
  change: "same" | "added" | "removed";
}

// Beyond this many comparisons, two texts are shown as taken away and added as a whole.
const MOST_COMPARISONS = 4_000_000;

export function difference(before: string, after: string): Piece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const middle = between(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return joined([{ text: old.slice(0, start).join(""), change: "same" }, ...middle, { text: end ? old.slice(-end).join("") : "", change: "same" }]);
}

function wordsOf(text: string): string[] {
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].map(({ segment }) => segment);
}

/** The pieces of two lists of words by their longest common sequence. */
function between(old: string[], now: string[]): Piece[] {
  if (old.length * now.length > MOST_COMPARISONS) return [{ text: old.join(""), change: "removed" }, { text: now.join(""), change: "added" }];
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const length = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      lengths[row * width + column] = old[row] === now[column] ? length(row + 1, column + 1) + 1 : Math.max(length(row + 1, column), length(row, column + 1));
    }
  }
  const pieces: Piece[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      pieces.push({ text: old[row] ?? "", change: "same" });
      row++;
      column++;
    } else if (column >= now.length || (row < old.length && length(row + 1, column) >= length(row, column + 1))) {
      pieces.push({ text: old[row++] ?? "", change: "removed" });
    } else {
      pieces.push({ text: now[column++] ?? "", change: "added" });
    }
  }
  return pieces;
}

function joined(pieces: Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece.text === "") continue;
    if (last?.change === piece.change) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
