// The history of a statement as a quiet timeline, and its versions.
import { usePreferences } from "../../preferences";
import { date, moment } from "../../parts/time";
import { address, goWith } from "../../router";
import type { HistoryEntry } from "../../verbs";
import { common, useWords } from "../../words";
import type { About, Names } from "./about";
import { fields, happened, happenings, versionText } from "./happened";
import { Name } from "./name";
import { table } from "./words";

// More versions than this are folded.
const MOST_OPEN = 5;

export function HistorySection({ about }: { about: About }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const { node, history, names } = about;
  const subject = history.about;
  return (
    <section aria-labelledby="history">
      <h2 id="history">{say.history}</h2>
      {subject && subject.replaces.length > 0 && <p>{say.replacesOthers} {subject.replaces.map((id, at) => <span key={id}>{at > 0 && ", "}<Name id={id} names={names} /></span>)}</p>}
      {subject && subject.versions.length > 1 && <Versions about={about} />}
      {subject?.known_since && <p class="muted">{say.knownSince(date(subject.known_since, language))}</p>}
      <Timeline items={history.items} id={node.id} names={names} />
      {history.next_cursor && <p><button type="button" onClick={() => goWith({ long: 1 })}>{say.more}</button></p>}
    </section>
  );
}

function Versions({ about }: { about: About }) {
  const say = useWords(table);
  const shared = useWords(common);
  const { language } = usePreferences();
  const changed = useWords(fields);
  const { node, history, former } = about;
  return (
    <details class="versions" open={former !== null || (history.about?.versions.length ?? 0) <= MOST_OPEN}>
      <summary>{say.versions} {history.about?.versions.length}</summary>
      <ol class="plain-list">
        {history.about?.versions.map((version) => {
          const isNewest = version.version === node.version;
          const isShown = former ? former.version === version.version : isNewest;
          return (
            <li key={version.version} class={isShown ? "shown" : undefined}>
              <a href={address(`/n/${node.id}`, { v: isNewest ? null : version.version })} aria-current={isShown ? "true" : undefined}>{say.version(version.version)}</a>
              {isNewest && <> <span class="tag">{say.newestVersion}</span></>}
              <span class="muted"> · {moment(version.since, language)}{version.written_by && <> · {shared.writtenBy(version.written_by)}</>}</span>
              <br /><span class="version-text">{versionText(version.text, changed)}</span>
            </li>
          );
        })}
      </ol>
    </details>
  );
}

export function Timeline({ items, id, names }: { items: HistoryEntry[]; id: string; names: Names }) {
  const say = useWords(table);
  const told = useWords(happenings);
  const { language } = usePreferences();
  if (items.length === 0) return <p class="muted">{say.nothingHappened}</p>;
  return (
    <ol class="timeline">
      {items.map((entry) => {
        const { text, other } = happened(entry, id, told);
        return (
          <li key={entry.seq}>
            <time dateTime={entry.at}>{moment(entry.at, language)}</time>
            <span title={entry.text}>{text}{other && other !== id && <> <Name id={other} names={names} /></>}</span>
          </li>
        );
      })}
    </ol>
  );
}
