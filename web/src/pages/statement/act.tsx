// A dialog for something that is done to a statement: it says the effect before, shows a refusal in its place, and closes
// with the service's answer and its undo at the foot of the page.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Refusal } from "../../api";
import { Dialog } from "../../parts/dialog";
import { tell, type Notice } from "../../parts/notice";
import { Failed } from "../../parts/states";
import { common, useWords } from "../../words";
import { renew } from "./fresh";

export interface ActProps<T> {
  title: string;
  effect: string;
  button: string;
  isDangerous?: boolean;
  /** Whether all that is needed was given. */
  isReady?: boolean;
  work: () => Promise<T>;
  said: (answer: T) => Notice;
  onClose: () => void;
  children?: ComponentChildren;
}

export function Act<T>({ title, effect, button, isDangerous = false, isReady = true, work, said, onClose, children }: ActProps<T>) {
  const say = useWords(common);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isBusy, setBusy] = useState(false);
  const isGone = useRef(false);
  useEffect(() => () => { isGone.current = true; }, []);
  const submit = async () => {
    setBusy(true);
    setRefusal(null);
    try {
      const answer = await work();
      if (!isGone.current) onClose();
      tell(withRenewal(said(answer)));
      renew();
    } catch (error) {
      const refused = error instanceof Refusal ? error : new Refusal(0, "failed", String(error), undefined);
      if (isGone.current) tell({ text: [refused.message, refused.hint].filter(Boolean).join(" — "), isError: true });
      setRefusal(refused);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="act" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
        {children}
        <p class="effect">{effect}</p>
        {refusal && <Failed error={refusal} />}
        <div class="actions">
          <button type="submit" class={isDangerous ? "danger" : "main"} disabled={!isReady || isBusy}>{button}</button>
          <button type="button" disabled={isBusy} onClick={onClose}>{say.cancel}</button>
        </div>
      </form>
    </Dialog>
  );
}

/** A notice after whose undo the page is read again. */
function withRenewal({ undo, ...notice }: Notice): Notice {
  if (!undo) return notice;
  return {
    ...notice,
    undo: async () => {
      try {
        return await undo();
      } finally {
        renew();
      }
    },
  };
}
