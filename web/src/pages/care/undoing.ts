// What takes back a line of the log, where the service has a call for it.
import { call } from "../../api";
import type { HistoryEntry } from "../../verbs";
import { bringBack } from "./bringing_back";
import { attempt } from "../../parts/notice";

// Corrections are kept with a reason; this one is told in the history of the claim.
const REASON = "taken back in the log";

interface Words {
  care: Parameters<typeof bringBack>[1] & { bringBack: string };
  log: { undoRelation: string; letHold: string; formerVersion: (number: number) => string; takenBack: string; adopt: string; adopted: string };
  insight: { undoPlan: string; left: (many: number) => string };
}
export interface Undo {
  text: string;
  run: () => Promise<unknown>;
}

/** The undo of a line, or null. `later`: the lines that came after it, some of which may have undone it already. */
export function undoOf(entry: HistoryEntry, later: HistoryEntry[], say: Words): Undo | null {
  const { node_id: node, other_id: other, payload, part_of: part } = entry;
  const tag = String(payload["tag"] ?? "");
  switch (entry.topic) {
    case "retire":
      return node && entry.restorable_until ? { text: say.care.bringBack, run: () => bringBack({ node_id: node }, say.care) } : null;
    case "replace":
      if (!node || tag || later.some((next) => next.topic === "reopen" && next.node_id === node)) return null;
      return { text: say.log.letHold, run: () => bringBack({ node_id: node }, say.care) };
    case "integrate":
      // A relation that was only changed was there before.
      if (!node || !other || !tag || payload["status"] === "updated" || later.some((next) => next.topic === "delete" && next.node_id === node && next.other_id === other && next.payload["tag"] === tag)) return null;
      return { text: say.log.undoRelation, run: () => attempt(() => call("unrelate", { source_memo_id: node, target_memo_id: other, tag }), () => ({ text: say.log.takenBack })) };
    case "insight":
      if (!part || payload["state"] !== "applied" || later.some((next) => next.topic === "insight" && next.part_of === part)) return null;
      return { text: say.insight.undoPlan, run: () => attempt(() => call("undo_insight", { undo_plan_id: part }), (done) => ({ text: say.insight.left(done.written) })) };
    case "correct":
      if (!node || payload["action"] !== "claim_reject" || later.some((next) => next.topic === "correct" && next.node_id === node)) return null;
      return { text: say.log.adopt, run: () => attempt(() => call("restore_claim", { claim_id: node, reason: REASON }), () => ({ text: say.log.adopted })) };
    case "ingest": {
      const version = Number(payload["version"] ?? 1);
      if (!node || version < 2 || later.some((next) => next.topic === "ingest" && next.node_id === node)) return null;
      return { text: say.log.formerVersion(version - 1), run: () => bringBack({ node_id: node, version: version - 1 }, say.care) };
    }
    default:
      return null;
  }
}
