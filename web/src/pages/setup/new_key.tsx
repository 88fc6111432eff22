// A key that was just made or rotated, with its secret. It is kept in memory only, until it is hidden or the page is left.
import { useEffect, useRef, useState } from "preact/hooks";
import { giveKey, headers } from "../../api";
import { moment } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { Store } from "../../store";
import type { NewKey } from "../../verbs";
import { useWords } from "../../words";
import { table } from "./key_words";

export type Made = NewKey & { isFirst: boolean; isRotated: boolean };

/** The key to show; not a state of the page, so that a service that asks for a key meanwhile does not lose it. */
export const newKey = new Store<Made | null>(null);

export function NewKeyCard({ made }: { made: Made }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const place = useRef<HTMLElement>(null);
  const [said, setSaid] = useState("");
  const isUsed = headers()["Authorization"] === `Bearer ${made.secret}`;
  // Whoever makes the first key and goes on without using it would be locked out of the service by it.
  useEffect(() => () => {
    if (made.isFirst && newKey.get() === made && !headers()["Authorization"]) giveKey(made.secret);
  }, [made]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.secret);
      setSaid(say.copied);
    } catch {
      if (place.current) getSelection()?.selectAllChildren(place.current);
      setSaid(say.copyFailed);
    }
  };
  return (
    <section class="card secret" aria-label={say.newTitle(made.key.name)}>
      <h2>{say.newTitle(made.key.name)}</h2>
      <p>{say.once}</p>
      <code ref={place} tabIndex={0}>{made.secret}</code>
      <p class="muted">{say.sends}</p>
      {made.isRotated && <p>{made.former_until ? say.formerUntil(moment(made.former_until, language)) : say.formerEnded}</p>}
      {made.isFirst && !isUsed && <p class="warning">{say.firstMade}</p>}
      <p role="status">{isUsed ? say.inUse : ""} {said}</p>
      <div class="actions">
        <button type="button" class="main" onClick={() => void copy()}>{say.copy}</button>
        {!isUsed && <button type="button" onClick={() => giveKey(made.secret)}>{say.useIt}</button>}
        <button type="button" onClick={() => newKey.set(null)}>{say.done}</button>
      </div>
    </section>
  );
}
