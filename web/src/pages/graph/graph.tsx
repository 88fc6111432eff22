// The graph: explored from a statement by expanding. Without a start, what it could start from.
import type { PartProps } from "../../main";
import { usePlace } from "../../router";
import { useWords } from "../../words";
import { Explorer } from "./explorer";
import { Start } from "./start";
import { viewOf } from "./view";
import { table } from "./words";
import "./graph.css";

export default function Graph(_: PartProps) {
  const say = useWords(table);
  const view = viewOf(usePlace().query);
  document.title = `${say.title} · Wherefrom`;
  return view.from.length > 0 ? <Explorer view={view} /> : <Start />;
}
