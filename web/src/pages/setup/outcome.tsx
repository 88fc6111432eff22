// What became of a file, in the service's own counts and reasons.
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { DocumentsAdded, Imported } from "../../verbs";
import { useWords } from "../../words";
import { table } from "./import_words";
import type { Outcome } from "./transfer";

const FURTHER = ["nodes_duplicate", "nodes_refused", "nodes_denied", "nodes_split", "nodes_ended", "versions", "edges_skipped", "tasks", "queries", "corrections"] as const;

export function OutcomeText({ of }: { of: Outcome }) {
  return of.kind === "document" ? <Documents answer={of.answer} /> : <Records answer={of.answer} />;
}

function Documents({ answer }: { answer: DocumentsAdded }) {
  const say = useWords(table);
  const { documents, failures } = answer;
  const [only] = documents;
  const many = (status: string) => documents.filter((one) => one.status === status).length;
  const taken = documents.flatMap((one) => Object.values(one.redacted)).reduce((sum, one) => sum + one, 0);
  return (
    <>
      {documents.length === 1 && only
        ? <p><a href={address("/", { q: only.title ?? only.source, mode: "search" })}>{say[only.status](only.title ?? only.source, only.fragments)}</a>{only.cites > 0 && ` ${say.cites(only.cites)}`}</p>
        : documents.length > 0 && <p>{say.papers(many("created"), many("updated"), many("unchanged"))}</p>}
      {taken > 0 && <p class="muted">{say.taken(taken)}</p>}
      {failures.length > 0 && <details open><summary class="failed">{say.rejected(String(failures.length))}</summary><ul>{failures.map(([what, reason]) => <li key={what}>{String(what)}: {String(reason)}</li>)}</ul></details>}
    </>
  );
}

function Records({ answer }: { answer: Imported }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const many = (number: number) => count(number, language);
  const further = FURTHER.filter((name) => answer[name] > 0).map((name) => say[name](many(answer[name])));
  const taken = Object.values(answer.redacted).reduce((sum, one) => sum + one, 0);
  const isSame = answer.nodes_created + answer.nodes_updated + answer.edges_created + answer.edges_updated + answer.rejected === 0;
  return (
    <>
      {isSame && <p><strong>{say.same2}</strong></p>}
      <p>{say.imported(many(answer.nodes_created), many(answer.nodes_updated), many(answer.nodes_unchanged))} {say.relations(many(answer.edges_created), many(answer.edges_updated), many(answer.edges_unchanged))}</p>
      {further.length > 0 && <p class="muted">{further.join("; ")}</p>}
      {taken > 0 && <p class="muted">{say.taken(taken)}</p>}
      {answer.rejected > 0 && (
        <details open={answer.rejected <= 20}>
          <summary class="failed">{say.rejected(many(answer.rejected))}</summary>
          <div class="scroll">
            <table class="rows">
              <thead><tr><th scope="col">{say.line}</th><th scope="col">{say.id}</th><th scope="col">{say.reason}</th></tr></thead>
              <tbody>{answer.rejections.map((one, at) => <tr key={at}><th scope="row">{one.line}</th><td>{one.id ?? "–"}</td><td>{one.reason} <span class="muted">({one.code})</span></td></tr>)}</tbody>
            </table>
          </div>
        </details>
      )}
    </>
  );
}
