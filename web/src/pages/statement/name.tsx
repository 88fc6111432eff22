// The name of a statement as a link to it, with the shape of its kind.
import { KindMark } from "../../parts/source_line";
import { firstWords } from "../../parts/card";
import { address } from "../../router";
import type { Node } from "../../verbs";
import type { Names } from "./about";

export function Name({ id, names }: { id: string; names: Names }) {
  const known = names.get(id);
  return <a href={address(`/n/${id}`)}>{known && <KindMark kind={known.kind as Node["kind"]} />}{known?.title ? firstWords(known.title, 90) : id.slice(-8)}</a>;
}
