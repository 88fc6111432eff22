// How the memory is: what it holds, how it is kept, who asks, and what waits. It follows the changes.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { useCall } from "../../api";
import { useChanges } from "../../live";
import { KindMark } from "../../parts/source_line";
import { Shown } from "../../parts/states";
import { count, moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { Info, Node, Status as StatusAnswer, TaskState } from "../../verbs";
import { useWords } from "../../words";
import { table } from "./words";

const REFRESH_MS = 3000;

export function Status() {
  const status = useCall("status", {});
  const info = useCall("info", {});
  useRefresh(() => {
    status.again();
    info.again();
  });
  return <Shown of={status}>{(now) => <Shown of={info}>{(about) => <Overview status={now} info={about} />}</Shown>}</Shown>;
}

/** Do something a while after each change, and no more often than that. */
function useRefresh(again: () => void): void {
  const latest = useRef(again);
  latest.current = again;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const follow = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, REFRESH_MS);
  }, []);
  useChanges(follow);
  useEffect(() => () => {
    if (timer.current) clearTimeout(timer.current);
  }, []);
}

function Overview({ status, info }: { status: StatusAnswer; info: Info }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const time = new Date().toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return (
    <>
      <p class="muted as-of-time">{say.asOf(time)}</p>
      {status.note && <p class="tag warn">{status.note}</p>}
      <div class="panels">
        <Held status={status} info={info} />
        <Kept status={status} info={info} />
        <Panel title={say.you}>
          <dl class="facts">
            <Fact name={say.role}>{say[info.role]}</Fact>
            <Fact name={say.owner}>{info.owner}</Fact>
            <Fact name={say.root}>{say.rootText(info.root_namespace)}</Fact>
            <Fact name={say.privacy}>{say[info.privacy]} <a href="/setup/policies">{say.change}</a></Fact>
          </dl>
        </Panel>
        <Panel title={say.waits}>
          {status.upkeep && <p lang="en"><a href="/care/upkeep">{status.upkeep}</a></p>}
          {status.review ? <p>{status.review}</p> : <p class="muted">{say.nothingWaits}</p>}
          {status.review && <a class="button" href="/care/review">{say.review}</a>}
        </Panel>
      </div>
      <Tasks tasks={status.tasks} />
    </>
  );
}

function Held({ status, info }: { status: StatusAnswer; info: Info }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const many = (kind: string) => count(status.counts[kind] ?? 0, language);
  const kinds: [Node["kind"], string][] = [["memo", say.memos(many("memo"))], ["claim", say.claims(many("claim"))], ["fragment", say.fragments(many("fragment"))], ["page", say.pages(many("page"))], ["entity", say.entities(many("entity"))]];
  const retired = info.sizes["retired"] ?? 0;
  return (
    <Panel title={say.holds}>
      <ul class="plain-list">
        {kinds.map(([kind, text]) => <li key={kind}><KindMark kind={kind} /><a href={address("/", { kind })}>{text}</a></li>)}
        <li>{say.relations(many("edge"))}</li>
        {retired > 0 && <li class="muted">{say.retired(count(retired, language))}: <a href="/care/log">{say.retiredLink}</a></li>}
      </ul>
    </Panel>
  );
}

function Kept({ status, info }: { status: StatusAnswer; info: Info }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const { days, searches, fallbacks } = status.searches;
  const bytes = info.engine["file_bytes"];
  const engine = typeof info.engine["engine"] === "string" ? info.engine["engine"] : info.database;
  return (
    <Panel title={say.kept}>
      <dl class="facts">
        <Fact name={say.database}>{engine}{typeof bytes === "number" && `, ${say.size(byteText(bytes, language))}`}</Fact>
        <Fact name={say.program}>{say.programText(info.program_version, String(info.schema_version))}</Fact>
        <Fact name={say.meaning}>{info.embedder ? say.embedder(info.embedder) : say.noEmbedder}</Fact>
        <Fact name={say.vectors}>{status.pending_embeddings === 0 ? say.noneWaiting : say.waiting(count(status.pending_embeddings, language))}</Fact>
        <Fact name={say.searches}>{searches === 0 ? say.noSearches(days) : fallbacks === 0 ? say.allWays(count(searches, language), days) : say.lacked(count(fallbacks, language), count(searches, language), days)}</Fact>
      </dl>
    </Panel>
  );
}

function Tasks({ tasks }: { tasks: TaskState[] }) {
  const say = useWords(table);
  const { language } = usePreferences();
  return (
    <section>
      <h2>{say.tasks}</h2>
      {tasks.length === 0 ? <p class="muted">{say.noTasks}</p> : (
        <div class="scroll">
          <table class="rows">
            <thead><tr><th scope="col">{say.task}</th><th scope="col">{say.state}</th><th scope="col">{say.found}</th><th scope="col">{say.namespace}</th><th scope="col">{say.changed}</th></tr></thead>
            <tbody>
              {tasks.map(({ task, claims, queries }) => (
                <tr key={task.id}>
                  <th scope="row"><a href={address(`/task/${task.id}`)}>{task.query}</a></th>
                  <td>{say[task.status]}</td><td>{say.foundText(claims, queries)}</td><td>{task.namespace}</td><td>{moment(task.updated_at, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Panel({ title, children }: { title: string; children: ComponentChildren }) {
  return <section class="card panel"><h2>{title}</h2>{children}</section>;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

/** A number of bytes as people say it. */
export function byteText(bytes: number, language: string): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return (bytes / 1000 ** at).toLocaleString(language, { style: "unit", unit: units[at]!, unitDisplay: "short", maximumFractionDigits: 1 });
}
