// Calls of the service's verbs. The key is kept for this tab only, and sent in a header: never in an address.
import { useEffect, useRef, useState } from "preact/hooks";
import { Store, useStore } from "./store";
import type { Verbs } from "./verbs";

export type Verb = keyof Verbs;
export type Arguments<V extends Verb> = Verbs[V]["arguments"];
export type Answer<V extends Verb> = Verbs[V]["answer"];

const KEY_PLACE = "wherefrom.key";

/** A refusal of the service: its code, what it says and what it advises. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string | undefined,
  ) {
    super(message);
  }
}

/** Counts the keys that were given: calls are made again with a new one. */
export const keysGiven = new Store(0);
export const wantsKey = new Store(false);

export function giveKey(key: string): void {
  if (key) sessionStorage.setItem(KEY_PLACE, key);
  else sessionStorage.removeItem(KEY_PLACE);
  wantsKey.set(false);
  keysGiven.set(keysGiven.get() + 1);
}

export function headers(): Record<string, string> {
  const key = sessionStorage.getItem(KEY_PLACE);
  return key ? { Authorization: `Bearer ${key}` } : {};
}

export async function call<V extends Verb>(verb: V, given: Arguments<V>, signal?: AbortSignal): Promise<Answer<V>> {
  return (await send(`/api/${verb}`, { body: JSON.stringify(given), type: "application/json", signal })) as Answer<V>;
}

/** Post a body to the service and return the JSON of its answer. */
export async function send(path: string, { body, type, signal }: { body: BodyInit; type: string; signal?: AbortSignal | undefined }): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, { method: "POST", headers: { ...headers(), "Content-Type": type }, body, signal: signal ?? null });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(0, "unreachable", "The service does not answer.", "Is it still running?");
  }
  if (response.ok) return response.json();
  throw await refusalOf(response);
}

export async function refusalOf(response: Response): Promise<Refusal> {
  if (response.status === 401) wantsKey.set(true);
  const said = (await response.json().catch(() => ({}))) as { error?: { code?: string; message?: string; hint?: string } };
  return new Refusal(response.status, said.error?.code ?? "failed", said.error?.message ?? response.statusText, said.error?.hint);
}

export interface Called<T> {
  answer: T | null;
  error: Refusal | null;
  isLoading: boolean;
  again: () => void;
}

/** The answer to a call, made anew whenever its arguments change; null as arguments makes none. The former answer stays
 * until the next is there. */
export function useCall<V extends Verb>(verb: V, given: Arguments<V> | null): Called<Answer<V>> {
  const key = useStore(keysGiven);
  const [count, setCount] = useState(0);
  const [state, setState] = useState<Omit<Called<Answer<V>>, "again">>({ answer: null, error: null, isLoading: given !== null });
  const written = given === null ? null : JSON.stringify(given);
  const last = useRef(verb);
  useEffect(() => {
    if (written === null) {
      setState({ answer: null, error: null, isLoading: false });
      return;
    }
    const leaving = new AbortController();
    const kept = last.current === verb;
    last.current = verb;
    setState((former) => ({ answer: kept ? former.answer : null, error: null, isLoading: true }));
    call(verb, JSON.parse(written) as Arguments<V>, leaving.signal).then(
      (answer) => setState({ answer, error: null, isLoading: false }),
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        const refusal = error instanceof Refusal ? error : new Refusal(0, "failed", String(error), undefined);
        setState({ answer: null, error: refusal, isLoading: false });
      },
    );
    return () => leaving.abort();
  }, [verb, written, key, count]);
  return { ...state, again: () => setCount((made) => made + 1) };
}
