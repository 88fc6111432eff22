// A text with some of its words marked. Texts are data: they are only ever shown as text.
const WORD = /[\p{L}\p{N}]{2,}/gu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** The words of a question that are worth marking in what it found; of words without spaces, pairs of characters. */
export function markedWords(question: string): string[] {
  const found = new Set<string>();
  for (const [word] of question.toLowerCase().matchAll(WORD)) {
    if (!CJK.test(word)) {
      if (word.length > 2) found.add(word);
      continue;
    }
    for (let at = 0; at + 2 <= word.length; at++) found.add(word.slice(at, at + 2));
  }
  return [...found].sort((one, other) => other.length - one.length);
}

export function Marked({ text, words }: { text: string; words: string[] }) {
  if (words.length === 0) return <>{text}</>;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pieces = text.split(new RegExp(`(${escaped.join("|")})`, "giu"));
  return <>{pieces.map((piece, at) => (at % 2 ? <mark key={at}>{piece}</mark> : piece))}</>;
}

/** A text with the span of a quotation marked in it. */
export function Quoted({ text, quote }: { text: string; quote: string | null }) {
  const at = quote ? text.indexOf(quote) : -1;
  if (!quote || at < 0) return <>{text}</>;
  return <>{text.slice(0, at)}<mark id="quote">{quote}</mark>{text.slice(at + quote.length)}</>;
}
