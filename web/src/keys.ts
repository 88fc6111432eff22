// Keys of the keyboard. They are off while somebody types or composes a word.
import { useEffect } from "preact/hooks";

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const TWO_KEYS_MS = 1200;
// What may go on while a key is held: moving, and not what changes something.
const REPEATED = ["j", "k", "+", "-", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
// What boxes and sliders do themselves with a key.
const OF_CONTROLS = [" ", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];
const layers: Keys[] = [];
let first = "";
let firstAt = 0;

/** Let keys do something while a component is shown. "g a" is g, then a. Of several components, the last one wins. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    layers.push(keys);
    return () => {
      layers.splice(layers.indexOf(keys), 1);
    };
  });
}

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
    if (document.querySelector("dialog[open]") || (event.repeat && !REPEATED.includes(event.key))) return;
    const pair = event.timeStamp - firstAt < TWO_KEYS_MS ? `${first} ${event.key}` : "";
    const run = find(pair) ?? find(event.key);
    first = event.key;
    firstAt = event.timeStamp;
    if (run) {
      event.preventDefault();
      run(event);
    }
  });
}

function find(key: string): Keys[string] | undefined {
  for (const layer of layers.toReversed()) if (layer[key]) return layer[key];
  return undefined;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (event.key === "Escape") return false;
  if (target instanceof HTMLInputElement && ["checkbox", "radio", "range"].includes(target.type)) return OF_CONTROLS.includes(event.key);
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) || (event.key === "Enter" && ["A", "BUTTON", "SUMMARY"].includes(target.tagName));
}
