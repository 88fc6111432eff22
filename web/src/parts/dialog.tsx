// A window over the page, closed by Escape, by its button or by what it asks for.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../store";
import { common, useWords } from "../words";
import { notice } from "./notice";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const say = useWords(common);
  const said = useStore(notice);
  const place = useRef<HTMLDialogElement>(null);
  // A dialog that is taken away tells that it was closed only later, when another may stand in its place.
  const isGone = useRef(false);
  useEffect(() => {
    const dialog = place.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => {
      isGone.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog ref={place} aria-label={title} onClose={() => isGone.current || onClose()}>
      <div class="dialog-head"><h2>{title}</h2><button type="button" class="plain" aria-label={say.close} onClick={onClose}>×</button></div>
      {children}
      {/* A notice at the foot of the page cannot be read from here. */}
      {said?.isError && <p class="failed" role="alert">{said.text}</p>}
    </dialog>
  );
}
