// The first line of every card: where a statement comes from.
import { usePreferences } from "../preferences";
import { address } from "../router";
import type { Node } from "../verbs";
import { common, useWords } from "../words";
import { date } from "./time";

/** The address of a source if a browser may open it, else null: what was saved may name anything. */
export function webAddress(url: unknown): string | null {
  if (typeof url !== "string") return null;
  try {
    const parsed = new URL(url);
    return parsed.protocol === "https:" || parsed.protocol === "http:" ? parsed.href : null;
  } catch {
    return null;
  }
}

/** The site, or the file, that something was read in. */
export function hostOf(node: Node): string | null {
  if (node.domain) return node.domain;
  const file = fileOf(node.provenance["url"]);
  if (file) return file;
  const url = webAddress(node.provenance["url"]);
  return url ? new URL(url).hostname : null;
}

function fileOf(url: unknown): string | null {
  if (typeof url !== "string" || !url.startsWith("file:")) return null;
  const name = url.slice(url.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** isSourced: what stands beside it says where it comes from, so that the absence of a source is not told. sources: how
 * many pages speak about a claim that names none itself. */
export function SourceLine({ node, isSourced = false, sources = 0 }: { node: Node; isSourced?: boolean; sources?: number }) {
  const say = useWords(common);
  const { language } = usePreferences();
  const host = hostOf(node);
  const url = webAddress(node.provenance["url"]);
  const named = node.provenance["source"] ?? node.provenance["file"] ?? node.provenance["title"];
  const year = node.year ?? node.provenance["year"];
  const trust = node.kind === "memo" ? (node.written_by || node.speaker || node.imported_from ? say.memo : say.yourNote) : node.kind === "fragment" ? say.quoted : node.kind === "claim" ? say.agentSays : null;
  const parts = [
    host && (node.page_id ? <a href={address(`/n/${node.page_id}`)}>{host}</a> : url ? <a href={url} rel="noreferrer noopener" target="_blank">{host}</a> : <span>{host}</span>),
    !host && typeof named === "string" && <span>{named}</span>,
    !host && !isSourced && node.kind === "claim" && typeof named !== "string" && <span>{sources > 0 ? say.fromSources(sources) : say.noSource}</span>,
    <time dateTime={node.observed_at}>{typeof year === "number" ? year : date(node.observed_at, language)}</time>,
    trust && <span>{trust}</span>,
    node.speaker && <span>{say.saidBy(node.speaker)}</span>,
    node.written_by && <span>{say.writtenBy(node.written_by)}</span>,
    node.imported_from && <span>{say.importedFrom(node.imported_from)}</span>,
  ].filter(Boolean);
  return <p class="source-line"><KindMark kind={node.kind} />{parts.map((part, at) => <span key={at}>{at > 0 && " · "}{part}</span>)}</p>;
}

/** The shape and colour of a kind, with its name for those who see neither. */
export function KindMark({ kind }: { kind: Node["kind"] }) {
  const say = useWords(common);
  return <span class={`kind kind-${kind}`} role="img" aria-label={say[kind]} title={say[kind]} />;
}
