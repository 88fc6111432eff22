// Whether a statement is disputed, rejected, replaced, ended or expired, in words, with what can be done about it.
import { useState } from "preact/hooks";
import { date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { useWords } from "../../words";
import type { About } from "./about";
import { Judge } from "./judge";
import { HoldAgain } from "./let_go";
import { Name } from "./name";
import { table } from "./words";
import { acts } from "./words_of_acts";

const DISPUTES = ["contradicts", "conflicts", "refutes"];
const STATEMENTS = ["memo", "claim"];

export function States({ about, mayWrite }: { about: About; mayWrite: boolean }) {
  const say = useWords(table);
  const words = useWords(acts);
  const { language } = usePreferences();
  const [open, setOpen] = useState<"hold" | "adopt" | null>(null);
  const { node, edges, evidence, names } = about;
  const now = new Date().toISOString();
  const hasEnded = node.valid_to !== null && node.valid_to <= now;
  const hasExpired = node.expires_at !== null && node.expires_at <= now;
  const disputing = edges.filter((edge) => DISPUTES.includes(edge.tag) && STATEMENTS.includes(edge.source_kind) && STATEMENTS.includes(edge.target_kind)).map((edge) => (edge.source_id === node.id ? edge.target_id : edge.source_id));
  const isDisputed = evidence !== null && evidence.posterior.supports > 0 && evidence.posterior.refutes > 0;
  const holdAgain = mayWrite && <button type="button" onClick={() => setOpen("hold")}>{words.hold}</button>;
  return (
    <div class="states">
      {isDisputed && <p class="banner">{say.disputedSides(evidence.posterior.supports, evidence.posterior.refutes)}</p>}
      {disputing.length > 0 && <p class="banner">{say.disputedBy} {[...new Set(disputing)].map((id, at) => <span key={id}>{at > 0 && ", "}<Name id={id} names={names} /></span>)} · <a href="/care/review">{say.settle}</a></p>}
      {node.superseded_by && <p class="banner">{say.replacedBy} <Name id={node.superseded_by} names={names} /> {node.valid_to && say.replacedOn(date(node.valid_to, language))} {holdAgain}</p>}
      {!node.superseded_by && hasEnded && <p class="banner">{say.endedOn(date(node.valid_to, language))} {holdAgain}</p>}
      {!hasEnded && node.valid_to && <p class="muted">{say.holdsUntil(date(node.valid_to, language))}</p>}
      {node.valid_from && node.valid_from > now && <p class="muted">{say.holdsFrom(date(node.valid_from, language))}</p>}
      {hasExpired && <p class="banner">{say.expiredOn(date(node.expires_at, language))} {!hasEnded && holdAgain}</p>}
      {node.rejected_at && <p class="banner">{say.rejectedOn(date(node.rejected_at, language))} {mayWrite && <button type="button" onClick={() => setOpen("adopt")}>{words.adopt}</button>}</p>}
      {open === "hold" && <HoldAgain node={node} onClose={() => setOpen(null)} />}
      {open === "adopt" && <Judge node={node} first="adopt" onClose={() => setOpen(null)} />}
    </div>
  );
}
