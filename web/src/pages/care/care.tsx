// Care: what a person settles that the machine cannot, and what happened.
import type { PartProps } from "../../main";
import { Tabs } from "../../parts/frame";
import { useWords } from "../../words";
import { Insight } from "./insight";
import { InsightPlanPage } from "./insight_plan";
import { Log } from "./log";
import { Metabolism } from "./metabolism";
import { Receipts } from "./receipts";
import { Review } from "./review";
import { Run } from "./run";
import { Upkeep } from "./upkeep";
import { careWords } from "./words";
import "./care.css";

const PLACES = ["review", "upkeep", "insight", "metabolism", "receipts", "log"] as const;

export default function Care({ rest: [name = "review", id] }: PartProps) {
  const say = useWords(careWords);
  return (
    <>
      <Tabs current={name} places={PLACES.map((place) => ({ name: place, path: `/care/${place}`, text: say[place] }))} />
      <Place name={name} id={id ?? null} />
    </>
  );
}

function Place({ name, id }: { name: string; id: string | null }) {
  switch (name) {
    case "insight": return id ? <InsightPlanPage id={id} /> : <Insight />;
    case "metabolism": return id ? <Run id={id} /> : <Metabolism />;
    case "upkeep": return <Upkeep />;
    case "receipts": return <Receipts />;
    case "log": return <Log />;
    default: return <Review />;
  }
}
