// Draws the page: the frame, and in it what the address names. Each part is loaded when it is first opened.
import { render, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { listenToKeys } from "./keys";
import { Loading } from "./parts/states";
import { Frame } from "./parts/frame";
import { preferences, show } from "./preferences";
import { followLinks, usePlace } from "./router";
import { common, useWords } from "./words";
import "./theme.css";

/** What a part of the page is given: the pieces of its path behind its name. */
export interface PartProps {
  rest: string[];
}
type Part = ComponentType<PartProps>;

const PARTS: Record<string, () => Promise<{ default: Part }>> = {
  "": () => import("./pages/ask/ask"),
  n: () => import("./pages/statement/statement"),
  graph: () => import("./pages/graph/graph"),
  evidence: () => import("./pages/evidence/evidence"),
  task: () => import("./pages/evidence/task"),
  sql: () => import("./pages/evidence/sql"),
  care: () => import("./pages/care/care"),
  setup: () => import("./pages/setup/setup"),
};
const loaded = new Map<string, Part>();

function Page() {
  const { path } = usePlace();
  const [name = "", ...rest] = path.split("/").slice(1).map(decode);
  return <Frame current={name}><Lazily name={name} rest={rest.filter(Boolean)} /></Frame>;
}

function Lazily({ name, rest }: { name: string; rest: string[] }) {
  const say = useWords(common);
  const [, setCount] = useState(0);
  const Shown = loaded.get(name);
  useEffect(() => {
    if (Shown || !PARTS[name]) return;
    void PARTS[name]().then((part) => {
      loaded.set(name, part.default);
      setCount((count) => count + 1);
    });
  }, [name, Shown]);
  if (Shown) return <Shown rest={rest} />;
  return PARTS[name] ? <Loading text={say.loading} /> : <p class="state">{say.gone}</p>;
}

function decode(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

show(preferences.get());
followLinks();
listenToKeys();
render(<Page />, document.getElementById("page")!);
