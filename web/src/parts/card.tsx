// A statement as a card: its source first, then its text, how it stands, why it is here, and what it is.
import type { ComponentChildren } from "preact";
import { address } from "../router";
import type { Node, Passage, Posterior } from "../verbs";
import { common, useWords, words } from "../words";
import { usePreferences } from "../preferences";
import { Marked } from "./passage";
import { SourceLine } from "./source_line";
import { Standing } from "./standing";
import { date } from "./time";

const table = words(
  { whole: "read on", replaces: (many: number, until: string) => `replaces ${many === 1 ? "an earlier one" : `${many} earlier ones`}${until && ` that held until ${until}`}`, older: "a later one says otherwise", holds: (from: string, to: string) => (to ? `held ${from} – ${to}` : `holds since ${from}`), expires: (day: string) => `until ${day}` },
  { whole: "続きを読む", replaces: (many: number, until: string) => `以前の${many}件を置き換え${until && `（${until}まで有効）`}`, older: "より新しい記述と食い違います", holds: (from: string, to: string) => (to ? `${from}〜${to} に有効` : `${from} から有効`), expires: (day: string) => `${day} まで` },
);
const EXCERPT = 600;

export interface CardProps {
  node: Node;
  passage?: Passage | null;
  marks?: string[];
  posterior?: Posterior | null;
  replaces?: string[];
  heldUntil?: string | null;
  olderThan?: string | null;
  isDisputed?: boolean;
  isCurrent?: boolean;
  children?: ComponentChildren;
}

export function Card({ node, passage, marks = [], posterior, replaces = [], heldUntil, olderThan, isDisputed, isCurrent, children }: CardProps) {
  const say = useWords(table);
  const shared = useWords(common);
  const { language } = usePreferences();
  const text = passage?.text ?? node.content.slice(0, EXCERPT);
  const isCut = text.length < node.content.length;
  const link = address(`/n/${node.id}`);
  return (
    <article class={isCurrent ? "card current" : "card"} data-id={node.id}>
      <SourceLine node={node} sources={posterior?.pages ?? 0} />
      <h3 class={node.title === null ? "untitled" : undefined}>
        <a href={link}>{node.title ?? <>{isCut && passage && passage.offset > 0 && "… "}<Marked text={text} words={marks} />{isCut && " …"}</>}</a>
      </h3>
      {node.title !== null && (
        <p class="text">{isCut && passage && passage.offset > 0 && "… "}<Marked text={text} words={marks} />{isCut && <> … <a href={link}>{say.whole}</a></>}</p>
      )}
      {posterior && <Standing of={posterior} />}
      <p class="tags">
        {isDisputed && <span class="tag warn">{shared.disputed}</span>}
        {node.superseded_by && <span class="tag warn">{shared.replaced}</span>}
        {node.rejected_at && <span class="tag warn">{shared.rejected}</span>}
        {olderThan && <a class="tag warn" href={address(`/n/${olderThan}`)}>{say.older}</a>}
        {replaces.length > 0 && <span>{say.replaces(replaces.length, date(heldUntil, language))}</span>}
        {(node.valid_from || node.valid_to) && <span>{say.holds(date(node.valid_from ?? node.observed_at, language), date(node.valid_to, language))}</span>}
        {node.expires_at && <span>{say.expires(date(node.expires_at, language))}</span>}
        {node.pinned && <span class="tag">{shared.pinned}</span>}
        {node.claim_kind && <span>{shared[node.claim_kind]}</span>}
        {node.scope && <span>{shared[node.scope]}</span>}
        {node.boundary_class !== "internal" && <span>{shared[node.boundary_class]}</span>}
        <span>{node.namespace}</span>
        {node.slot && <span class="tag">{node.slot}</span>}
      </p>
      {children}
    </article>
  );
}

/** The beginning of a text, for where its title would be. */
export function firstWords(text: string, most = 120): string {
  const line = text.trim().split("\n")[0] ?? "";
  const characters = [...line];
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : line;
}
