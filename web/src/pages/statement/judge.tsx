// Dialogs by which a person judges: a statement, whether a claim counts, and what a quote says about a claim.
import { useState } from "preact/hooks";
import { call, type Arguments } from "../../api";
import type { Notice } from "../../parts/notice";
import type { Corrected, EvidenceItem, FeedbackResult, Node } from "../../verbs";
import { common, useWords } from "../../words";
import { Act } from "./act";
import { saidOfCorrection, saidOfRestore } from "./doing";
import { Picker } from "./picker";
import { acts } from "./words_of_acts";

type Signal = Arguments<"feedback">["signal"];
type Verdict = Signal | "reject" | "adopt";
const STRENGTHS = { full: 1, half: 0.5, little: 0.25 } as const;

/** The judgements that a statement can have. */
function verdictsOf(node: Node): Verdict[] {
  const verdicts: Verdict[] = ["helpful", "harmful", "outdated", "duplicate"];
  if (node.claim_kind === "task") verdicts.push("completed");
  if (node.kind === "claim") verdicts.push(node.rejected_at ? "adopt" : "reject");
  return verdicts;
}

export function Judge({ node, first, onClose }: { node: Node; first?: Verdict; onClose: () => void }) {
  const say = useWords(acts);
  const [verdict, setVerdict] = useState<Verdict>(first ?? "helpful");
  const [strength, setStrength] = useState<keyof typeof STRENGTHS>("full");
  const [reason, setReason] = useState("");
  const [same, setSame] = useState<Node | null>(null);
  const needsReason = verdict === "reject" || verdict === "adopt";
  const hasUndo = needsReason || verdict === "outdated" || verdict === "completed" || (verdict === "duplicate" && same !== null);
  const work = (): Promise<FeedbackResult | Corrected> => {
    if (verdict === "reject") return call("reject_claim", { claim_id: node.id, reason });
    if (verdict === "adopt") return call("restore_claim", { claim_id: node.id, reason });
    return call("feedback", { memo_id: node.id, signal: verdict, score: STRENGTHS[strength], ...(verdict === "duplicate" && same ? { duplicate_of: same.id } : {}) });
  };
  const said = (answer: FeedbackResult | Corrected): Notice => {
    if ("posterior" in answer) {
      const back = () => call(verdict === "reject" ? "restore_claim" : "reject_claim", { claim_id: node.id, reason: say.undoReason });
      const words = (done: Corrected) => saidOfCorrection(done, done.rejected ? say.rejected : say.adopted, say);
      return { text: words(answer), ...(answer.changed ? { undo: async () => words(await back()) } : {}) };
    }
    const text = [answer.status === "recorded" ? say.recorded : say.repeated, answer.representative_id && say.standsFor, answer.links > 0 && say.relationsChanged(answer.links)].filter(Boolean).join(" ");
    const hasEnded = answer.representative_id !== null || answer.node.valid_to !== node.valid_to;
    return { text, ...(hasEnded ? { undo: async () => saidOfRestore(await call("restore", { node_id: node.id }), say) } : {}) };
  };
  return (
    <Act title={say.judgeTitle} effect={hasUndo ? say.hasUndo : say.noUndo} button={say.judge} isReady={!needsReason || reason.trim() !== ""} work={work} said={said} onClose={onClose}>
      <fieldset class="verdicts">
        <legend>{say.judgement}</legend>
        {verdictsOf(node).map((name) => (
          <label key={name}>
            <input type="radio" name="verdict" checked={verdict === name} onChange={() => setVerdict(name)} />
            <span><b>{say[name]}</b> <span class="muted">{say[`${name}Effect`]}</span></span>
          </label>
        ))}
      </fieldset>
      {needsReason ? (
        <label>{say.reason}<input value={reason} required onInput={(event) => setReason(event.currentTarget.value)} /></label>
      ) : (
        <label>{say.strength}
          <select value={strength} onChange={(event) => setStrength(event.currentTarget.value as keyof typeof STRENGTHS)}>
            {(["full", "half", "little"] as const).map((name) => <option key={name} value={name}>{say[name]}</option>)}
          </select>
        </label>
      )}
      {verdict === "duplicate" && <Picker label={say.sameAs} without={node.id} chosen={same} onChoose={setSame} />}
    </Act>
  );
}

const SIDES = ["supports", "refutes", "neutral"] as const;
type Side = (typeof SIDES)[number];
const SIGNS: Record<Side, string> = { supports: "▲", refutes: "▼", neutral: "●" };

/** Correct what a quote says about a claim. */
export function CorrectJudgement({ item, claim, onClose }: { item: EvidenceItem; claim: Node; onClose: () => void }) {
  const say = useWords(acts);
  const shared = useWords(common);
  const before = SIDES.find((side) => side === item.relation.tag) ?? null;
  const [side, setSide] = useState<Side | null>(before);
  const [reason, setReason] = useState("");
  const correct = (relation: Side, why: string) => call("correct_edge", { source_id: item.node.id, claim_id: claim.id, relation, reason: why });
  const words = (relation: Side, done: Corrected) => saidOfCorrection(done, `${SIGNS[relation]} ${shared[relation]}.`, say);
  return (
    <Act
      title={say.judgementTitle} effect={say.judgementEffect} button={say.correct} isReady={side !== null && reason.trim() !== ""} onClose={onClose}
      work={async () => correct(side ?? "neutral", reason)}
      said={(done) => ({ text: words(side ?? "neutral", done), ...(done.changed && before && before !== side ? { undo: async () => words(before, await correct(before, say.undoReason)) } : {}) })}
    >
      <blockquote>{item.node.content}</blockquote>
      <fieldset class="verdicts">
        <legend>{say.says}</legend>
        {SIDES.map((name) => (
          <label key={name}>
            <input type="radio" name="side" checked={side === name} onChange={() => setSide(name)} />
            <span><b class={name}>{SIGNS[name]} {shared[name]}</b>{name === before && <span class="muted"> ({say.isNow})</span>}</span>
          </label>
        ))}
      </fieldset>
      <label>{say.reason}<input value={reason} required onInput={(event) => setReason(event.currentTarget.value)} /></label>
    </Act>
  );
}
