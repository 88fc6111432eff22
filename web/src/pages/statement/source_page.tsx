// A page as a source: what it is, what it cites and what cites it, the statements that rest on it, and its passages.
import { Fragment } from "preact";
import { webAddress } from "../../parts/source_line";
import { address } from "../../router";
import type { Row } from "../../sql";
import { common, useWords } from "../../words";
import type { About } from "./about";
import { PassageList, Pager } from "./passages";
import { table, type Say } from "./words";

const SIGNS = { supports: "▲", refutes: "▼", neutral: "●" } as const;

export function SourcePage({ about }: { about: About }) {
  const say = useWords(table);
  const { node, page, passages } = about;
  if (!page || !passages) return null;
  const url = webAddress(node.content);
  const paper = node.metadata["paper"];
  const more = paper && typeof paper === "object" ? Object.entries(paper) : [];
  return (
    <>
      <section aria-labelledby="about-page">
        <h2 id="about-page">{say.aboutPage}</h2>
        <dl class="facts">
          <dt>{say.address}</dt><dd>{url ? <a href={url} rel="noreferrer noopener" target="_blank">{node.content}</a> : <>{node.content} <span class="muted">({say.notOpened})</span></>}</dd>
          <dt>{say.year}</dt><dd>{node.year ?? say.noYear}</dd>
          {node.domain && <><dt>{say.host}</dt><dd>{node.domain}</dd></>}
          {more.map(([name, value]) => <Fragment key={name}><dt>{name}</dt><dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd></Fragment>)}
        </dl>
      </section>
      <section aria-labelledby="rests">
        <h2 id="rests">{say.claimsOnIt}</h2>
        <Claims rows={page.judgements} say={say} />
      </section>
      <div class="two">
        <section aria-labelledby="cites"><h2 id="cites">{say.cites} {page.cites.length}</h2><Cited rows={page.cites} say={say} /></section>
        <section aria-labelledby="cited-by"><h2 id="cited-by">{say.citedBy} {page.citedBy.length}</h2><Cited rows={page.citedBy} say={say} /></section>
      </div>
      <section aria-labelledby="passages">
        <h2 id="passages">{say.passages}</h2>
        <div class="in-page"><PassageList passages={passages} Heading="h3" judgements={page.judgements} /></div>
        <Pager passages={passages} />
      </section>
    </>
  );
}

/** Each claim once, with how many passages are for and against it. */
function Claims({ rows, say }: { rows: Row[]; say: Say }) {
  const shared = useWords(common);
  if (rows.length === 0) return <p class="muted">{say.noClaims}</p>;
  const claims = new Map<string, Row[]>();
  for (const row of rows) claims.set(String(row["claim_id"]), [...(claims.get(String(row["claim_id"])) ?? []), row]);
  const many = (found: Row[], side: string) => found.filter((row) => row["relation"] === side).length;
  return (
    <ul class="plain-list">
      {[...claims].map(([id, found]) => (
        <li key={id}>
          {(["supports", "refutes", "neutral"] as const).map((side) => many(found, side) > 0 && <span key={side} class={side}>{SIGNS[side]}{many(found, side)} <span class="sr-only">{shared[side]} </span></span>)}
          <a href={address(`/n/${id}`)}>{String(found[0]?.["claim_text"])}</a>
        </li>
      ))}
    </ul>
  );
}

function Cited({ rows, say }: { rows: Row[]; say: Say }) {
  if (rows.length === 0) return <p class="muted">{say.noCites}</p>;
  return <ul class="plain-list">{rows.map((row) => <li key={String(row["id"])}><a href={address(`/n/${String(row["id"])}`)}>{String(row["title"] ?? row["url"])}</a>{row["year"] !== null && <span class="muted"> · {String(row["year"])}</span>}</li>)}</ul>;
}
