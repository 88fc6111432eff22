// Reads what is shown again after something was done to it.
import { useEffect, useRef } from "preact/hooks";
import type { Called } from "../../api";
import { Store, useStore } from "../../store";

const rounds = new Store(0);

/** Let all that is shown of a statement be read again. */
export function renew(): void {
  rounds.set(rounds.get() + 1);
}

/** A call that is made again when something was done. */
export function useFresh<T>(called: Called<T>): Called<T> {
  const round = useStore(rounds);
  const seen = useRef(round);
  useEffect(() => {
    if (round === seen.current) return;
    seen.current = round;
    called.again();
  }, [round]);
  return called;
}
