// The topics of the history, by what they are about.
import type { Arguments } from "../../api";

export type Topic = NonNullable<Arguments<"history">["topic"]>[number];
export type Group = "saving" | "relating" | "judging" | "going" | "proposing" | "ruling" | "asking" | "working";

export const TOPICS: Record<Group, Topic[]> = {
  saving: ["ingest", "import", "evidence", "rename"],
  relating: ["integrate", "reinforce"],
  judging: ["feedback", "critic", "correct", "replace", "reopen"],
  going: ["retire", "return", "delete", "metabolism"],
  proposing: ["plan", "insight", "upkeep"],
  ruling: ["policy", "filter"],
  asking: ["search", "search_fallback", "activate"],
  working: ["task"],
};
export const GROUPS = Object.keys(TOPICS) as Group[];
const KNOWN = new Set<string>(Object.values(TOPICS).flat());

/** The topics that an address names; what is none is left out. */
export function topicsOf(text: string | null): Topic[] {
  return (text ?? "").split(",").filter((name): name is Topic => KNOWN.has(name));
}
