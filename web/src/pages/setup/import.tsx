// Import by dropping files, each with what became of it; and export as a file.
import { useRef, useState } from "preact/hooks";
import { Refusal } from "../../api";
import { useMay } from "../../info";
import { attempt } from "../../parts/notice";
import { usePreferences } from "../../preferences";
import { goWith, usePlace } from "../../router";
import { useWords } from "../../words";
import { table } from "./import_words";
import { NamespaceChoice } from "./namespace_choice";
import { OutcomeText } from "./outcome";
import { byteText } from "./status";
import { downloadExport, kindOf, sendFile, type FileKind, type Outcome } from "./transfer";

interface Item {
  id: number;
  file: File;
  kind: FileKind;
  state: "waiting" | "sending" | "done" | "failed";
  outcome?: Outcome;
  error?: Refusal;
}

export function Import() {
  const say = useWords(table);
  const may = useMay();
  const { query } = usePlace();
  const namespace = query.get("ns") ?? "";
  const [split, setSplit] = useState(false);
  const { items, add, retry, clear } = useFiles({ namespace, split });
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (may("write")) void add([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <>
      {!may("admin") && <p class="warning">{may("write") ? say.needsAdmin : say.needsWrite}</p>}
      <ul class="muted"><li>{say.takes}</li><li>{say.takesExports}</li><li>{say.same}</li></ul>
      <div class="editor-head">
        <NamespaceChoice label={say.namespace} value={namespace} onChange={(chosen) => goWith({ ns: chosen })} />
        {may("admin") && <label><input type="checkbox" checked={split} onChange={() => setSplit(!split)} />{say.split}</label>}
      </div>
      <div class={isOver ? "drop over" : "drop"} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={drop}>
        <p>{say.drop}</p>
        <label class="button" aria-disabled={!may("write")}>{say.choose}
          <input
            type="file" multiple class="sr-only" disabled={!may("write")}
            onChange={(event) => { void add([...(event.currentTarget.files ?? [])]); event.currentTarget.value = ""; }}
          />
        </label>
      </div>
      {items.length > 0 && (
        <section>
          <h2>{say.files}</h2>
          {items.map((item) => <FileCard key={item.id} item={item} retry={() => retry(item)} />)}
          <button type="button" onClick={clear}>{say.clear}</button>
        </section>
      )}
      <Export />
    </>
  );
}

/** The files that were given, sent one after the other. */
function useFiles(options: { namespace: string; split: boolean }) {
  const [items, setItems] = useState<Item[]>([]);
  const last = useRef(0);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const change = (id: number, to: Partial<Item>) => setItems((now) => now.map((item) => (item.id === id ? { ...item, ...to } : item)));
  const run = async ({ id, file, kind }: Item) => {
    change(id, { state: "sending" });
    try {
      change(id, { state: "done", outcome: await sendFile(file, kind, options) });
    } catch (error) {
      change(id, { state: "failed", error: error instanceof Refusal ? error : new Refusal(0, "failed", String(error), undefined) });
    }
  };
  const enqueue = (item: Item) => {
    queue.current = queue.current.then(() => run(item));
  };
  const add = async (files: File[]) => {
    const added: Item[] = [];
    for (const file of files) added.push({ id: ++last.current, file, kind: await kindOf(file), state: "waiting" });
    setItems((now) => [...now, ...added]);
    added.forEach(enqueue);
  };
  const retry = (item: Item) => {
    change(item.id, { state: "waiting" });
    enqueue(item);
  };
  return { items, add, retry, clear: () => setItems((now) => now.filter((item) => item.state === "waiting" || item.state === "sending")) };
}

function FileCard({ item, retry }: { item: Item; retry: () => void }) {
  const say = useWords(table);
  const { language } = usePreferences();
  return (
    <article class="card file">
      <h3>{item.file.name} <span class="muted">· {item.kind === "export" ? say.asExport : say.asDocument} · {byteText(item.file.size, language)}</span></h3>
      <span role="status">{item.state === "sending" ? <progress aria-label={say.sending} /> : <span class={item.state === "failed" ? "failed" : "muted"}>{say[item.state]}</span>}</span>
      <div>
        {item.state === "failed" && item.error && (
          <>
            <p class="failed">{item.error.message}</p>
            {item.error.hint && <p class="muted">{item.error.hint}</p>}
            <button type="button" onClick={retry}>{say.retry}</button>
          </>
        )}
        {item.state === "done" && item.outcome && <OutcomeText of={item.outcome} />}
      </div>
    </article>
  );
}

function Export() {
  const say = useWords(table);
  const { language } = usePreferences();
  const [isWriting, setWriting] = useState(false);
  const download = async (shared: boolean) => {
    setWriting(true);
    await attempt(() => downloadExport(shared), (size) => ({ text: say.exported(byteText(size, language)) }));
    setWriting(false);
  };
  return (
    <section>
      <h2>{say.export}</h2>
      <p class="muted">{say.exportHint}</p>
      <div class="actions">
        <button type="button" disabled={isWriting} onClick={() => void download(false)}>{say.exportAll}</button>
        <button type="button" disabled={isWriting} onClick={() => void download(true)}>{say.exportShared}</button>
        <span role="status">{isWriting && say.exporting}</span>
      </div>
    </section>
  );
}
