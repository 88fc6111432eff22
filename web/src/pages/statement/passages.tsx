// Passages of a page in their order, with the quoted one marked.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { address, usePlace } from "../../router";
import type { Row } from "../../sql";
import { common, useWords } from "../../words";
import type { Passages } from "./about";
import { table } from "./words";

const SIGNS: Record<string, string> = { supports: "▲", refutes: "▼", neutral: "●" };
const STEP = 60;

/** Heading: the headings of the page are one below the one that they stand under. judgements: what passages say about
 * claims, for a page that shows it beside them. */
export function PassageList({ passages, Heading, judgements = [] }: { passages: Passages; Heading: "h3" | "h4"; judgements?: Row[] }) {
  const say = useWords(table);
  const { hash } = usePlace();
  const { rows, quote } = passages;
  useEffect(() => {
    if (hash === "quote") document.getElementById("quote")?.scrollIntoView({ block: "center" });
  }, [hash, quote, rows.length > 0]);
  if (rows.length === 0) return <p class="muted">{say.noFragments}</p>;
  const parts: ComponentChildren[] = [];
  let heading = "";
  for (const row of rows) {
    const next = String(row["heading_context"] ?? "");
    if (next && next !== heading) parts.push(<Heading key={`heading ${String(row["id"])}`}>{next}</Heading>);
    heading = next || heading;
    parts.push(<Passage key={String(row["id"])} row={row} isQuote={row["id"] === quote} judgements={judgements.filter((found) => found["fragment_id"] === row["id"])} />);
  }
  return <div class="passages">{parts}</div>;
}

function Passage({ row, isQuote, judgements }: { row: Row; isQuote: boolean; judgements: Row[] }) {
  const say = useWords(table);
  const shared = useWords(common);
  const text = String(row["text_content"] ?? "");
  const isCode = row["fragment_type"] === "code" || row["fragment_type"] === "table";
  return (
    <div class={isQuote ? "passage is-quote" : "passage"}>
      <a class="passage-number" href={address(`/n/${String(row["id"])}`)} aria-label={say.paragraph(Number(row["position"] ?? 0) + 1)}>{Number(row["position"] ?? 0) + 1}</a>
      <p class={isCode ? "is-code" : undefined}>{isQuote ? <><span class="sr-only">{say.quoted}: </span><mark id="quote">{text}</mark></> : text}</p>
      {judgements.map((found) => {
        const side = String(found["relation"]);
        const known = side === "supports" || side === "refutes" || side === "neutral" ? side : null;
        return (
          <p key={`${String(found["claim_id"])} ${side}`} class="passage-claim">
            <span class={side}>{SIGNS[side] ?? "·"} {known ? shared[known] : say.origin}</span> <a href={address(`/n/${String(found["claim_id"])}`)}>{String(found["claim_text"])}</a>
          </p>
        );
      })}
    </div>
  );
}

/** Passages around a quote, below what is quoted. `closeTo`: the address without them, where they were asked for. */
export function InPage({ passages, title, closeTo }: { passages: Passages; title: string | null; closeTo: string | null }) {
  const say = useWords(table);
  return (
    <section class="in-page" aria-labelledby="in-page">
      <div class="section-head">
        <h2 id="in-page">{say.inPage}</h2>
        {closeTo && <a class="button" href={closeTo}>{say.closePage}</a>}
      </div>
      {title && <h3><a href={address(`/n/${passages.pageId}`)}>{title}</a></h3>}
      <PassageList passages={passages} Heading={title ? "h4" : "h3"} />
      <p><a href={address(`/n/${passages.pageId}`, { from: passages.from || null, at: passages.quote }, "quote")}>{say.wholePage}</a></p>
    </section>
  );
}

/** Links to the passages before and after those of a page that are shown. */
export function Pager({ passages }: { passages: Passages }) {
  const say = useWords(table);
  const { path } = usePlace();
  if (passages.from === 0 && !passages.hasMore) return null;
  return (
    <p class="actions">
      {passages.from > 0 && <a class="button" href={address(path, { from: Math.max(0, passages.from - STEP) || null })}>← {say.before}</a>}
      {passages.hasMore && <a class="button" href={address(path, { from: passages.from + STEP })}>{say.after} →</a>}
    </p>
  );
}
