// Lists that come in pages: what was read so far, and a call for the next page.
import { useEffect, useRef, useState } from "preact/hooks";
import { keysGiven, Refusal, type Called } from "../api";
import { useStore } from "../store";

export interface Part<T> {
  items: T[];
  next: string | null;
}

export interface Pages<T> extends Called<T[]> {
  hasMore: boolean;
  more: () => void;
  /** Leave out items that are no longer there. */
  drop: (isGone: (item: T) => boolean) => void;
  /** Put items before those that are there. */
  putFirst: (items: T[]) => void;
}

interface State<T> {
  items: T[] | null;
  next: string | null;
  error: Refusal | null;
  isLoading: boolean;
}

/** The items of a list. It is read anew when `key` changes, which stands for all that `read` asks for. */
export function usePages<T>(key: string, read: (cursor: string | null, signal: AbortSignal) => Promise<Part<T>>): Pages<T> {
  const given = useStore(keysGiven);
  const [count, setCount] = useState(0);
  const [state, setState] = useState<State<T>>({ items: null, next: null, error: null, isLoading: true });
  const leaving = useRef(new AbortController());
  const shownKey = useRef(key);
  const load = (cursor: string | null) => {
    const { signal } = leaving.current;
    setState((former) => ({ ...former, items: shownKey.current === key ? former.items : null, error: null, isLoading: true }));
    shownKey.current = key;
    read(cursor, signal).then(
      ({ items, next }) => !signal.aborted && setState((former) => ({ items: cursor === null ? items : [...(former.items ?? []), ...items], next, error: null, isLoading: false })),
      (error: unknown) => !signal.aborted && setState((former) => ({ ...former, items: cursor === null ? null : former.items, error: error instanceof Refusal ? error : new Refusal(0, "failed", String(error), undefined), isLoading: false })),
    );
  };
  useEffect(() => {
    leaving.current = new AbortController();
    load(null);
    return () => leaving.current.abort();
  }, [key, given, count]);
  return {
    answer: state.items, error: state.error, isLoading: state.isLoading, again: () => setCount((made) => made + 1),
    hasMore: state.next !== null,
    more: () => { if (state.next !== null && !state.isLoading) load(state.next); },
    drop: (isGone) => setState((former) => ({ ...former, items: former.items?.filter((item) => !isGone(item)) ?? null })),
    putFirst: (items) => setState((former) => ({ ...former, items: [...items, ...(former.items ?? [])] })),
  };
}
