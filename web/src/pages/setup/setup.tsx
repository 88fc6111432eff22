// Set up: how the memory is, its namespaces, policies and keys, and what goes in and out as files.
import type { ComponentType } from "preact";
import type { PartProps } from "../../main";
import { Tabs, Title } from "../../parts/frame";
import { common, useWords } from "../../words";
import { Import } from "./import";
import { Keys } from "./keys";
import { Namespaces } from "./namespaces";
import { Policies } from "./policies";
import { Status } from "./status";
import { table } from "./words";
import "./setup.css";

const PAGES = { status: Status, namespaces: Namespaces, policies: Policies, keys: Keys, import: Import } satisfies Record<string, ComponentType>;
type Name = keyof typeof PAGES;
const NAMES = Object.keys(PAGES) as Name[];

export default function SetUp({ rest }: PartProps) {
  const say = useWords(table);
  const { gone } = useWords(common);
  const name = rest[0] ?? "status";
  const known = NAMES.find((one) => one === name);
  const Page = known && PAGES[known];
  return (
    <>
      <Tabs current={name} places={NAMES.map((one) => ({ name: one, path: `/setup/${one}`, text: say[one] }))} />
      {known && Page ? <><Title>{say[`${known}Title`]}</Title><Page /></> : <p class="state">{gone}</p>}
    </>
  );
}
