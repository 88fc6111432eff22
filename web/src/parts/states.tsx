// What stands where an answer would be: loading, empty, filtered out, not allowed, failed. Each says which it is.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Called, Refusal } from "../api";
import { common, useWords } from "../words";

const PATIENCE_MS = 300;

export function Loading({ text }: { text?: string }) {
  const say = useWords(common);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return <p class="state" role="status">{isLate ? (text ?? say.reading) : "\u00a0"}</p>;
}

export function Empty({ children }: { children?: ComponentChildren }) {
  const say = useWords(common);
  return <div class="state">{children ?? say.empty}</div>;
}

export function Failed({ error, again }: { error: Refusal; again?: () => void }) {
  const say = useWords(common);
  const refused = error.status === 403;
  return (
    <div class="state failed" role="alert">
      <p><strong>{refused ? say.notAllowed : error.status === 410 ? say.gone : say.failed}</strong> {error.message}</p>
      {error.hint && <p class="muted">{error.hint}</p>}
      <p class="muted"><code>{error.code}</code></p>
      {again && !refused && <button type="button" onClick={again}>{say.retry}</button>}
    </div>
  );
}

/** Show an answer, or what stands in its place. A former answer stays while the next is loading. */
export function Shown<T>({ of, text, children }: { of: Called<T>; text?: string; children: (answer: T) => ComponentChildren }) {
  if (of.answer !== null) return <div aria-busy={of.isLoading}>{children(of.answer)}{of.error && <Failed error={of.error} again={of.again} />}</div>;
  if (of.error) return <Failed error={of.error} again={of.again} />;
  return of.isLoading ? <Loading {...(text ? { text } : {})} /> : null;
}
