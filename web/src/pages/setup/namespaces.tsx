// The namespaces as a tree with their counts; a namespace can be asked in, and renamed with all below it.
import { useState } from "preact/hooks";
import { call, useCall } from "../../api";
import { useMay } from "../../info";
import { Dialog } from "../../parts/dialog";
import { attempt, type Notice } from "../../parts/notice";
import { Empty, Shown } from "../../parts/states";
import { count } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { NamespaceCount, Namespaces as Answer, Renamed } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./words";

const MOST = 500;

export function Namespaces() {
  const say = useWords(table);
  const called = useCall("namespaces", { depth: 10, limit: MOST });
  return (
    <>
      <p class="muted">{say.namespacesHint}</p>
      <Shown of={called}>{(answer) => <Tree answer={answer} again={called.again} />}</Shown>
    </>
  );
}

function Tree({ answer, again }: { answer: Answer; again: () => void }) {
  const say = useWords(table);
  const may = useMay();
  const { language } = usePreferences();
  const { more } = useWords(common);
  const [renaming, setRenaming] = useState<NamespaceCount | null>(null);
  const [further, setFurther] = useState<NamespaceCount[]>([]);
  const [cursor, setCursor] = useState(answer.next_cursor);
  const items = [...answer.items, ...further];
  const root = answer.root_namespace;
  const next = () => void attempt(() => call("namespaces", { depth: 10, limit: MOST, ...(cursor ? { cursor } : {}) }), (got) => {
    setFurther([...further, ...got.items]);
    setCursor(got.next_cursor);
    return null;
  });
  if (items.length === 0) return <Empty>{say.noNamespaces}</Empty>;
  return (
    <>
      <div class="scroll">
        <table class="rows tree">
          <thead><tr><th scope="col">{say.namespace}</th><th scope="col">{say.count}</th><th scope="col">{say.does}</th></tr></thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.namespace}>
                <th scope="row" style={{ paddingLeft: `${10 + 20 * depthBelow(root, item.namespace)}px` }}>
                  <span aria-hidden="true">{item.namespace === root ? "" : "└ "}</span>
                  <a href={address("/", { ns: item.namespace })} title={item.namespace}>{item.namespace === root ? root : lastOf(item.namespace)}</a>
                  {item.namespace === answer.default_namespace && <span class="muted"> · {say.own}</span>}
                </th>
                <td>{say.countText(count(item.nodes, language))}</td>
                <td>
                  <span class="row-actions">
                    <a href={address("/", { ns: item.namespace })} aria-label={`${say.ask}: ${item.namespace}`}>{say.ask}</a>
                    <a href={address("/setup/policies", { ns: item.namespace })} aria-label={`${say.policyOf}: ${item.namespace}`}>{say.policyOf}</a>
                    {may("admin") && item.namespace !== root && <button type="button" class="plain" aria-label={`${say.rename}: ${item.namespace}`} onClick={() => setRenaming(item)}>{say.rename}</button>}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {cursor && <p><button type="button" onClick={next}>{more}</button></p>}
      {renaming && <Rename item={renaming} root={root} known={items} onClose={() => setRenaming(null)} again={() => { setFurther([]); again(); }} />}
    </>
  );
}

function Rename({ item, root, known, onClose, again }: { item: NamespaceCount; root: string; known: NamespaceCount[]; onClose: () => void; again: () => void }) {
  const say = useWords(table);
  const { cancel } = useWords(common);
  const { language } = usePreferences();
  const [path, setPath] = useState(item.namespace);
  const typed = path.trim().replace(/^\/+|\/+$/g, "");
  // A path that does not begin with the root is meant below it.
  const target = !typed || typed === root || typed.startsWith(`${root}/`) ? typed : `${root}/${typed}`;
  const isJoined = known.some((other) => other.namespace === target) && target !== item.namespace;
  const rename = (source: string, to: string) => call("rename_namespace", { source, target: to });
  const said = (done: Renamed): Notice => {
    again();
    const text = say.renamed(done.nodes, done.edges, done.source, done.target);
    // Renaming back would take along what was in the target before.
    return isJoined ? { text } : { text, undo: () => rename(done.target, done.source).then(again) };
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await attempt(() => rename(item.namespace, target), said)) onClose();
  };
  return (
    <Dialog title={say.renameTitle(item.namespace)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label>{say.newPath}<input value={path} required spellcheck={false} autocomplete="off" onInput={(event) => setPath(event.currentTarget.value)} /></label>
        <p class="effect" role="status">{target && target !== item.namespace ? say.renameEffect(count(item.nodes, language), item.namespace, target) : "\u00a0"}{isJoined && <strong> {say.joins(target)}</strong>}</p>
        <div class="actions"><button type="submit" class="main" disabled={!target || target === item.namespace}>{say.renameDo}</button><button type="button" onClick={onClose}>{cancel}</button></div>
      </form>
    </Dialog>
  );
}

function depthBelow(root: string, namespace: string): number {
  return namespace.split("/").length - root.split("/").length;
}

function lastOf(namespace: string): string {
  return namespace.slice(namespace.lastIndexOf("/") + 1);
}
