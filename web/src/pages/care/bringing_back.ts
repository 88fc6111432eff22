// Bringing back what was let go, or has ended: the call, and what the service says of it.
import { call } from "../../api";
import { attempt } from "../../parts/notice";
import type { Restored } from "../../verbs";

type Wanted = Parameters<typeof call<"restore">>[1];
interface Words {
  cameBack: (many: number, links: number) => string;
  stayedOut: (many: number) => string;
}

/** Bring something back and say what came; returns null if the service refused. */
export function bringBack(wanted: Wanted, say: Words): Promise<Restored | null> {
  return attempt(() => call("restore", wanted), (done) => ({ text: inWords(done, say) }));
}

export function inWords(done: Restored, say: Words): string {
  const left = [...new Set(Object.values(done.skipped))];
  const back = done.node_ids.length || done.links ? say.cameBack(done.node_ids.length, done.links) : "";
  return [done.note ?? back, left.length > 0 && `${say.stayedOut(Object.keys(done.skipped).length)} ${left.join("; ")}`].filter(Boolean).join(" ");
}
