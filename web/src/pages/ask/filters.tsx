// What narrows the results: namespace, writer and time are asked of the service; kind and class choose among what it found.
import { useCall } from "../../api";
import { AsOf } from "../../parts/as_of";
import { KindMark } from "../../parts/source_line";
import { goWith } from "../../router";
import type { Node } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./words";

export interface Chosen {
  namespace: string | null;
  kind: string | null;
  boundaryClass: string | null;
  writtenBy: string | null;
  asOf: string | null;
}

export const KINDS: Node["kind"][] = ["memo", "claim", "fragment", "page", "entity"];
const CLASSES: Node["boundary_class"][] = ["public", "internal", "pii"];

/** Whether a node is left by the choices that are made among what was found. */
export function leftBy(chosen: Chosen, node: Node): boolean {
  return (!chosen.kind || node.kind === chosen.kind) && (!chosen.boundaryClass || node.boundary_class === chosen.boundaryClass);
}

/** isListing: the kind is asked of the service, too, so that the nodes say nothing of the other kinds. */
export function Filters({ nodes, chosen, isListing = false }: { nodes: Node[]; chosen: Chosen; isListing?: boolean }) {
  const say = useWords(table);
  const shared = useWords(common);
  const places = useCall("namespaces", { limit: 100 }).answer;
  const writers = [...new Set([...nodes.map((node) => node.written_by), chosen.writtenBy].filter((name): name is string => !!name))];
  const many = Object.values(chosen).filter(Boolean).length;
  return (
    <details class="filters" open={matchMedia("(min-width: 761px)").matches || many > 0}>
      <summary>{say.filters}{many > 0 && ` (${many})`}</summary>
      <AsOf value={chosen.asOf} onChange={(day) => goWith({ as_of: day })} />
      <label class="stack">{say.namespace}
        <select value={chosen.namespace ?? ""} onChange={(event) => goWith({ ns: event.currentTarget.value })}>
          <option value="">{shared.all}</option>
          {places?.items.map((item) => <option key={item.namespace} value={item.namespace}>{item.namespace} ({item.nodes})</option>)}
        </select>
      </label>
      <Choice name="kind" title={say.kind} chosen={chosen.kind} values={KINDS} count={isListing ? null : (value) => nodes.filter((node) => node.kind === value).length} text={(value) => <><KindMark kind={value} />{shared[value]}</>} />
      <Choice name="class" title={say.boundaryClass} chosen={chosen.boundaryClass} values={CLASSES} count={(value) => nodes.filter((node) => node.boundary_class === value).length} text={(value) => shared[value]} />
      {writers.length > 0 && (
        <label class="stack">{say.writtenBy}
          <select value={chosen.writtenBy ?? ""} onChange={(event) => goWith({ by: event.currentTarget.value })}>
            <option value="">{shared.all}</option>
            {writers.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      )}
      {many > 0 && <button type="button" onClick={() => goWith({ ns: null, kind: null, class: null, by: null, as_of: null })}>{say.clear}</button>}
    </details>
  );
}

function Choice<T extends string>({ name, title, chosen, values, count, text }: { name: string; title: string; chosen: string | null; values: T[]; count: ((value: T) => number) | null; text: (value: T) => preact.ComponentChildren }) {
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      {values.filter((value) => !count || count(value) > 0 || value === chosen).map((value) => (
        <label key={value}>
          <input type="checkbox" checked={chosen === value} onChange={() => goWith({ [name]: chosen === value ? null : value })} />
          <span>{text(value)} {count && <span class="muted">{count(value)}</span>}</span>
        </label>
      ))}
    </fieldset>
  );
}
