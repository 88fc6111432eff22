// A value of a row, as people read it: ids as links with the words they stand for, figures short, flags as words.
import { firstWords } from "../../parts/card";
import { date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { Row } from "../../sql";
import { useWords } from "../../words";
import { idColumnOf, kindOf } from "./columns";
import type { Name } from "./names";
import { table } from "./words";

const SHOWN_IDS = 2;
const SIGNS: Record<string, string> = { supports: "▲", refutes: "▼", neutral: "●" };

export interface Known {
  names: Map<string, Name>;
  tasks: Map<string, string>;
}

export function Cell({ row, column, known }: { row: Row; column: string; known: Known }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const value = row[column];
  const linkId = idColumnOf(column, Object.keys(row));
  if (linkId && row[linkId]) return <a href={address(`/n/${String(row[linkId])}`)}>{firstWords(String(value ?? row["url"] ?? row[linkId]), 200)}</a>;
  if (value === null || value === undefined) return <span class="muted" aria-label={say.unknown}>–</span>;
  switch (kindOf(column)) {
    case "task":
      return <a href={address(`/task/${String(value)}`)}>{firstWords(known.tasks.get(String(value)) ?? String(value), 80)}</a>;
    case "id":
      return <Linked id={String(value)} names={known.names} />;
    case "ids":
      return <Several ids={String(value).split(/,\s*/).filter(Boolean)} names={known.names} />;
    case "flag":
      return <>{value ? say.yes : say.no}</>;
    case "relation":
      return <>{String(value).split(/\s*(?:,|>|→|-)\s*/).map((one, at) => <Relation key={at} name={one} />)}</>;
    case "year":
      return <>{String(value)}</>;
    case "number":
      return <>{typeof value === "number" ? number(value) : String(value)}</>;
    default:
      return <>{column === "created_at" ? date(String(value), language) : String(value)}</>;
  }
}

/** A figure of at most three digits behind the point, without idle noughts. */
export function number(value: number): string {
  return String(Number(value.toFixed(3)));
}

export function Relation({ name }: { name: string }) {
  const say = useWords(table);
  if (name !== "supports" && name !== "refutes" && name !== "neutral") return <span class="relation">{name}</span>;
  return <span class={`relation ${name}`}>{SIGNS[name]} {say[name]}</span>;
}

function Linked({ id, names, most = 120 }: { id: string; names: Map<string, Name>; most?: number }) {
  const name = names.get(id);
  return <a href={address(`/n/${id}`)}>{name ? firstWords(name.words, most) : `…${id.slice(-8)}`}</a>;
}

function Several({ ids, names }: { ids: string[]; names: Map<string, Name> }) {
  const say = useWords(table);
  const item = (id: string) => <li key={id}><Linked id={id} names={names} most={70} /></li>;
  return (
    <>
      <ul class="several">{ids.slice(0, SHOWN_IDS).map(item)}</ul>
      {ids.length > SHOWN_IDS && <details><summary>{say.moreOf(ids.length - SHOWN_IDS)}</summary><ul class="several">{ids.slice(SHOWN_IDS).map(item)}</ul></details>}
    </>
  );
}
