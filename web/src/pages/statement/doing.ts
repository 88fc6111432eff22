// What is done to statements, call by call, and what the service answers, in words.
import { call, Refusal, type Arguments } from "../../api";
import { date, figure } from "../../parts/time";
import type { Language } from "../../preferences";
import type { Corrected, ForgetPlan, Node, Restored, Saved } from "../../verbs";
import type { acts } from "./words_of_acts";

export type SayActs = (typeof acts)["en"];

/** What a save must repeat of a statement that it changes: what is not said would become what is usual. */
export function kept(node: Node) {
  return {
    memo_id: node.id,
    content: node.content,
    ...(node.claim_kind ? { claim_kind: node.claim_kind } : {}),
    ...(node.boundary_class === "secret" ? {} : { boundary_class: node.boundary_class }),
  };
}

/** Save a change of a statement as the reader saw it; refused if somebody else has changed it meanwhile. */
export async function saveChange(node: Node, version: number, change: Partial<Arguments<"save">>, say: SayActs): Promise<Saved> {
  try {
    return await call("save", { ...kept(node), ...change, expected_version: version });
  } catch (error) {
    throw error instanceof Refusal && error.code === "conflict" ? new Refusal(409, "conflict", say.otherVersion, say.lookAgain) : error;
  }
}

/** Forget one thing, as its plan shows it now. */
export async function forgetNow(id: string): Promise<ForgetPlan> {
  const { plan } = await call("forget", { ids: [id] });
  return call("forget", { ids: [id], plan, apply: true });
}

export function saidOfSave(saved: Saved, say: SayActs): string {
  const became = { created: say.created, updated: say.updated(saved.node.version), unchanged: say.unchanged, duplicate: say.duplicateOf }[saved.status];
  const taken = Object.entries(saved.redacted).map(([kind, many]) => `${many} ${kind}`).join(", ");
  return [`${say.saved}: ${became}.`, taken && say.redacted(taken), saved.note, ...saved.degraded].filter(Boolean).join(" ");
}

export function saidOfRestore({ node_ids, links, skipped, note }: Restored, say: SayActs): string {
  const left = Object.values(skipped).join("; ");
  return [note ?? say.broughtBack(node_ids.length, links), left && say.skipped(left)].filter(Boolean).join(" ");
}

export function saidOfForgetting({ nodes, restorable_until, note }: ForgetPlan, say: SayActs, language: Language): string {
  return [say.forgotten(nodes.length, date(restorable_until, language)), note].filter(Boolean).join(" ");
}

export function saidOfCorrection({ changed, posterior }: Corrected, done: string, say: SayActs): string {
  return changed ? `${done} ${say.now(figure(posterior.confidence), posterior.supports, posterior.refutes)}` : say.noChange;
}
