// The stream of changes: one for the whole page, opened when a part of it first follows, and opened again when it breaks.
import { useEffect } from "preact/hooks";
import { headers, Refusal, refusalOf } from "./api";
import { Store } from "./store";

export interface Change {
  id: string;
  topic?: string;
  node_id?: string;
  [name: string]: unknown;
}

const RETRY_MS = 3000;
const followers = new Set<(change: Change | null) => void>();
/** When the stream was lost, or null while it is live. */
export const lostSince = new Store<Date | null>(null);
let isRunning = false;
let last = "";

/** Call back for each change of the memory; with null if some may have been missed. */
export function useChanges(follower: (change: Change | null) => void): void {
  useEffect(() => {
    followers.add(follower);
    if (!isRunning) {
      isRunning = true;
      void run();
    }
    return () => {
      followers.delete(follower);
    };
  }, [follower]);
}

async function run(): Promise<void> {
  while (followers.size > 0) {
    try {
      await read();
    } catch (error) {
      // Said below, and tried again; an id that the service does not know is of another store.
      if (error instanceof Refusal && error.status === 400) {
        last = "";
        tell(null);
      }
    }
    if (!lostSince.get()) lostSince.set(new Date());
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  isRunning = false;
  lostSince.set(null);
}

/** Read the stream until it breaks. */
async function read(): Promise<void> {
  const response = await fetch("/api/events", { headers: { ...headers(), ...(last ? { "Last-Event-ID": last } : {}) } });
  if (!response.ok || !response.body) throw await refusalOf(response);
  lostSince.set(null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
      last = fields["id"] ?? last;
      if (fields["event"] === "change") tell(JSON.parse(fields["data"] ?? "{}") as Change);
      if (fields["event"] === "reset") tell(null);
    }
  }
}

function tell(change: Change | null): void {
  for (const follower of followers) follower(change);
}
