// One run: what it let go, as a receipt, and the way back.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { Title } from "../../parts/frame";
import { Shown } from "../../parts/states";
import type { HistorySubject } from "../../verbs";
import { common, useWords } from "../../words";
import { LogLines } from "./log_lines";
import { usePages } from "../../parts/pages";
import { Subject } from "./subject";
import { careWords, metabolismWords } from "./words";

const PAGE = 50;

export function Run({ id }: { id: string }) {
  const say = useWords(metabolismWords);
  const care = useWords(careWords);
  const shared = useWords(common);
  const [about, setAbout] = useState<HistorySubject | null>(null);
  const pages = usePages(id, async (cursor, signal) => {
    const found = await call("history", { memo_id: id, limit: PAGE, ...(cursor ? { cursor } : {}) }, signal);
    setAbout(found.about);
    return { items: found.items, next: found.next_cursor };
  });
  return (
    <>
      <p><a href="/care/metabolism">← {care.metabolism}</a></p>
      <Title>{`${say.runTitle} (${say.run(id.slice(-8))})`}</Title>
      {about?.id === id && <Subject of={about} onChange={pages.again} />}
      <Shown of={pages}>{(items) => <LogLines items={items} onChange={pages.again} />}</Shown>
      {pages.hasMore && <button type="button" disabled={pages.isLoading} onClick={pages.more}>{shared.more}</button>}
    </>
  );
}
