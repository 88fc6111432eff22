// Plans of relations: those that were just made are kept with all that was measured, which the service tells only once.
import { call } from "../../api";
import type { HistoryEntry, InsightPlan, ProposedEdge } from "../../verbs";

export type PlanState = InsightPlan["state"] | "expired";
export interface ListedPlan {
  id: string;
  at: string;
  links: number;
  judged: number;
  namespace: string;
  state: PlanState;
  /** When it came into that state. */
  since: string;
}

const KEPT_MS = 7 * 86_400_000;
const justMade = new Map<string, InsightPlan>();

export async function findPlan(given: Parameters<typeof call<"find_insight">>[1]): Promise<InsightPlan> {
  const plan = await call("find_insight", given);
  justMade.set(plan.id, plan);
  return plan;
}

/** A plan as the service has it now, with what was measured when it was made if that is known. */
export function withMeasures(plan: InsightPlan): InsightPlan & { isWhole: boolean } {
  const made = justMade.get(plan.id);
  if (!made) return { ...plan, isWhole: false };
  const now = new Map(plan.decisions.flatMap(({ links }) => links).map((link) => [link.number, link]));
  const decisions = made.decisions.map((decision) => ({ ...decision, links: decision.links.map((link) => (link.accepted ? (now.get(link.number) ?? link) : link)) }));
  return { ...plan, decisions, nodes: made.nodes, remaining: made.remaining, degraded: made.degraded, asked: made.asked, isWhole: true };
}

/** When a plan that nobody accepts is over. */
export function expiryOf(plan: { at: string }): string {
  return new Date(Date.parse(plan.at) + KEPT_MS).toISOString();
}

/** The plans that some lines of the history tell of, the newest first, each with what became of it. */
export function listedPlans(entries: HistoryEntry[]): ListedPlan[] {
  const became = new Map<string, HistoryEntry>();
  for (const entry of entries) if (entry.topic === "insight" && entry.part_of && !became.has(entry.part_of)) became.set(entry.part_of, entry);
  return entries.flatMap((entry) => {
    if (entry.topic !== "plan" || !entry.part_of) return [];
    const last = became.get(entry.part_of);
    const isOver = Date.parse(entry.at) + KEPT_MS < Date.now();
    const state: PlanState = last ? (last.payload["state"] === "undone" ? "undone" : "applied") : isOver ? "expired" : "proposed";
    const since = last?.at ?? (isOver ? expiryOf(entry) : entry.at);
    return [{ id: entry.part_of, at: entry.at, namespace: entry.namespace, links: Number(entry.payload["links"] ?? 0), judged: Number(entry.payload["judged"] ?? 0), state, since }];
  });
}

export function keyOf(link: ProposedEdge): string {
  return `${link.source_id} ${link.target_id} ${link.tag}`;
}
