// Addresses: all that a page shows is in its path and query, so that every view can be linked, reloaded and left again.
import { useStore, Store } from "./store";

export interface Place {
  path: string;
  query: URLSearchParams;
  hash: string;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

const place = new Store<Place>(here());

export function usePlace(): Place {
  return useStore(place);
}

/** An address on this page; what is empty is left out of its query. */
export function address(path: string, query: Query = {}, hash = ""): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) said.set(name, String(value));
  }
  const text = said.toString();
  return path + (text ? `?${text}` : "") + (hash ? `#${hash}` : "");
}

export function go(wanted: string, { replace = false } = {}): void {
  // What begins with two slashes would be the address of another host.
  const to = wanted.replace(/^\/+/, "/");
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  place.set(here());
  if (!replace) window.scrollTo(0, 0);
}

/** Change some parts of the query of the present address. */
export function goWith(change: Query, options: { replace?: boolean } = { replace: true }): void {
  const now = place.get();
  go(address(now.path, { ...Object.fromEntries(now.query), ...change }), options);
}

/** Let links within the page change it instead of loading it anew. */
export function followLinks(): void {
  window.addEventListener("popstate", () => place.set(here()));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!link || !plain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search), hash: location.hash.slice(1) };
}
