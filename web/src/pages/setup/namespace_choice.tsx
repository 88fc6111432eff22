// A list to choose a namespace from; the empty choice is the default one.
import { useCall } from "../../api";

export function NamespaceChoice({ label, value, onChange }: { label: string; value: string; onChange: (chosen: string) => void }) {
  const listed = useCall("namespaces", { depth: 10, limit: 500 }).answer;
  const names = listed?.items.map((item) => item.namespace).filter((name) => name !== listed.default_namespace) ?? [];
  return (
    <label class="stack">{label}
      <select value={value === listed?.default_namespace ? "" : value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{listed?.default_namespace ?? "…"}</option>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
        {value && value !== listed?.default_namespace && !names.includes(value) && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}
