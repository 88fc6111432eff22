// The choice of a namespace, kept in the address as `ns`.
import { useCall } from "../../api";
import { goWith, usePlace } from "../../router";
import { useWords } from "../../words";
import { careWords } from "./words";

/** Return the namespace that the address names, as the service takes it. */
export function useNamespace(): string | null {
  return usePlace().query.get("ns");
}

export function NamespaceChoice() {
  const say = useWords(careWords);
  const chosen = useNamespace() ?? "";
  const places = useCall("namespaces", { limit: 100 }).answer?.items.map((item) => ({ value: item.namespace, text: `${item.namespace} (${item.nodes})` })) ?? [];
  const isListed = chosen === "" || places.some((place) => place.value === chosen);
  return (
    <label>{say.namespace}
      <select value={chosen} onChange={(event) => goWith({ ns: event.currentTarget.value, pair: null })}>
        <option value="">{say.everywhere}</option>
        {!isListed && <option value={chosen}>{chosen}</option>}
        {places.map((place) => <option key={place.value} value={place.value}>{place.text}</option>)}
      </select>
    </label>
  );
}
