// What was just done, said at the foot of the page, with its own undo.
import { useEffect } from "preact/hooks";
import { Refusal } from "../api";
import { useKeys } from "../keys";
import { Store, useStore } from "../store";
import { common, useWords } from "../words";

/** What was done in words; undo takes it back, and says in words what became of it, if it returns a text. */
export interface Notice {
  text: string;
  undo?: () => Promise<unknown>;
  isError?: boolean;
}

const SHOWN_MS = 15_000;
export const notice = new Store<Notice | null>(null);

export function tell(said: Notice): void {
  notice.set(said);
}

/** Do something that the service may refuse; say what became of it. Returns the answer, or null if it was refused. */
export async function attempt<T>(work: () => Promise<T>, said: (answer: T) => Notice | null): Promise<T | null> {
  try {
    const answer = await work();
    tell(said(answer) ?? { text: "" });
    return answer;
  } catch (error) {
    const text = error instanceof Refusal ? [error.message, error.hint].filter(Boolean).join(" — ") : String(error);
    tell({ text, isError: true });
    return null;
  }
}

export function NoticeBar() {
  const say = useWords(common);
  const shown = useStore(notice);
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => notice.set(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [shown]);
  const undo = () => {
    const back = shown?.undo;
    notice.set(null);
    if (back) void attempt(back, (said) => (typeof said === "string" ? { text: said } : null));
  };
  useKeys(shown?.undo ? { u: undo } : {});
  return (
    <div class="notice-place" role="status" aria-live="polite">
      {shown?.text && (
        <div class={shown.isError ? "notice failed" : "notice"}>
          <span>{shown.text}</span>
          {shown.undo && <button type="button" onClick={undo}>{say.undo} <kbd>u</kbd></button>}
          <button type="button" class="plain" aria-label={say.close} onClick={() => notice.set(null)}>×</button>
        </div>
      )}
    </div>
  );
}
