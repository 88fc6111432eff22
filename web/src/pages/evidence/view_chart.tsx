// The chart that fits an analysis. A click on a mark filters the table by it, and a second click lets all through again.
import { Arcs } from "../../charts/arcs";
import { Dots } from "../../charts/dots";
import { Histogram } from "../../charts/histogram";
import { Ranges } from "../../charts/ranges";
import { binned } from "../../charts/scale";
import { SideBars } from "../../charts/side_bars";
import { StackedBars } from "../../charts/stacked_bars";
import { firstWords } from "../../parts/card";
import { usePreferences } from "../../preferences";
import type { Row } from "../../sql";
import { useWords } from "../../words";
import { namesOf } from "./catalogue";
import { columnName } from "./columns";
import type { Name } from "./names";
import { rangeText, type Filter } from "./rows";
import { table } from "./words";

export interface ViewChartProps {
  view: string;
  rows: Row[];
  names: Map<string, Name>;
  filters: Filter[];
  /** Filter a column by a value as the address has it; an empty one lets all through. */
  onFilter: (column: string, value: string) => void;
}

type Drawn = (props: ViewChartProps & { title: string; name: (column: string) => string }) => preact.JSX.Element;

const CHARTS: Record<string, Drawn> = {
  v_evidence_timeline: (props) => <ByNumber {...props} column="year" step={1} />,
  v_controversy_by_era: (props) => <ByNumber {...props} column="decade" step={10} />,
  v_contradictions: (props) => <Ranking {...props} id="claim_id" words="claim_text" values={["support_count", "refute_count", "neutral_count"]} />,
  v_source_authority: (props) => <Ranking {...props} id="page_id" words="title" values={["authority_score"]} />,
  v_hub_pages: (props) => <Ranking {...props} id="page_id" words="title" values={["claims_supported"]} />,
  v_emerging_consensus: (props) => <Ranking {...props} id="claim_id" words="claim_text" values={["recent_support_count", "older_support_count"]} />,
  v_citation_clusters: (props) => <Clusters {...props} />,
  v_evidence_freshness: (props) => <Spread {...props} column="avg_evidence_age" />,
  v_outdated_evidence: (props) => <Spread {...props} column="years_since_update" />,
  v_citation_age_gap: (props) => <Spread {...props} column="age_gap" weight="frequency" />,
  v_claim_temporal_support: (props) => <YearsOfSupport {...props} />,
  v_claim_evidence_summary: (props) => <Sureness {...props} />,
  v_citation_flow: (props) => <Flow {...props} />,
};

export function ViewChart(props: ViewChartProps) {
  const { language } = usePreferences();
  const Drawing = CHARTS[props.view];
  if (!Drawing || props.rows.length === 0) return null;
  return <Drawing {...props} title={namesOf(props.view, language).title} name={(column) => columnName(column, language)} />;
}

type Inner = Parameters<Drawn>[0];

function textOf(filters: Filter[], column: string): string | null {
  const filter = filters.find((one) => one.column === column);
  return filter && "text" in filter ? filter.text : null;
}

function lowOf(filters: Filter[], column: string): number | null {
  const filter = filters.find((one) => one.column === column);
  return filter && "low" in filter ? filter.low : null;
}

function figure(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

function ByNumber({ rows, filters, onFilter, title, name, column, step }: Inner & { column: "year" | "decade"; step: number }) {
  const say = useWords(table);
  const isYear = column === "year";
  const columns = isYear ? ["support_count", "refute_count", "neutral_count"] : ["consensus_claims", "controversial_claims"];
  const parts = isYear
    ? [{ name: say.supports, fill: "supports" as const }, { name: say.refutes, fill: "refutes" as const }, { name: say.neutral, fill: "neutral" as const }]
    : [{ name: say.agreed, fill: "supports" as const }, { name: say.disputed, fill: "refutes" as const }];
  const bars = new Map<number, number[]>();
  for (const row of rows) {
    if (row[column] === null) continue;
    const former = bars.get(figure(row, column)) ?? columns.map(() => 0);
    bars.set(figure(row, column), columns.map((one, at) => (former[at] ?? 0) + figure(row, one)));
  }
  const chosen = lowOf(filters, column);
  return (
    <StackedBars
      title={title} bars={[...bars].map(([at, values]) => ({ at, values }))} parts={parts} step={step} measure={name(column)} counted={isYear ? say.counted : say.statements}
      chosen={chosen} onChoose={(at) => onFilter(column, at === chosen ? "" : rangeText(at, at))}
    />
  );
}

function Ranking({ rows, filters, onFilter, title, name, id, words, values }: Inner & { id: string; words: string; values: string[] }) {
  const fills = values.length === 3 ? (["supports", "refutes", "neutral"] as const) : values.length === 2 ? (["supports", "neutral"] as const) : (["plain"] as const);
  const bars = rows.map((row) => ({ key: String(row[id]), name: firstWords(String(row[words] ?? row["url"] ?? row[id]), 200), values: values.map((column) => figure(row, column)) }));
  const chosen = textOf(filters, id);
  return (
    <SideBars
      title={title} bars={bars} parts={values.map((column, at) => ({ name: name(column), fill: fills[at] ?? "plain" }))} measure={values.map(name).join(" · ")} named={name(words)}
      chosen={chosen} onChoose={(key) => onFilter(id, key === chosen ? "" : key)}
    />
  );
}

function Clusters({ rows, names, filters, onFilter, title, name }: Inner) {
  const chosen = textOf(filters, "cluster_id");
  const bars = rows.map((row) => {
    const [first = ""] = String(row["page_ids"]).split(/,\s*/);
    return { key: String(row["cluster_id"]), name: names.get(first)?.words ?? first, values: [figure(row, "cluster_size")] };
  });
  return <SideBars title={title} bars={bars} parts={[{ name: name("cluster_size"), fill: "plain" }]} measure={name("cluster_size")} named={name("page_ids")} chosen={chosen} onChoose={(key) => onFilter("cluster_id", key === chosen ? "" : key)} />;
}

const PARTS = 20;

function Spread({ rows, filters, onFilter, title, name, column, weight }: Inner & { column: string; weight?: string }) {
  const say = useWords(table);
  const values = rows.flatMap((row) => (row[column] === null ? [] : new Array<number>(weight ? figure(row, weight) : 1).fill(figure(row, column))));
  const low = Math.floor(Math.min(0, ...values));
  const width = Math.max(1, Math.ceil((Math.max(1, ...values) + 1 - low) / PARTS));
  const parts = Math.ceil((Math.max(1, ...values) + 1 - low) / width);
  const high = low + parts * width;
  const chosen = lowOf(filters, column);
  const part = chosen === null ? null : Math.floor((chosen - low) / width);
  // The highest value of a part belongs to the next one: years are told apart to a thousandth.
  const choose = (at: number) => onFilter(column, at === part ? "" : rangeText(low + at * width, low + (at + 1) * width - 0.001));
  return <Histogram title={title} counts={binned(values, low, high, parts)} low={low} high={high} measure={name(column)} counted={weight ? say.ofCitations : say.statements} chosen={part} onChoose={choose} />;
}

function YearsOfSupport({ rows, filters, onFilter, title, name }: Inner) {
  const chosen = textOf(filters, "claim_id");
  const ranges = rows.flatMap((row) =>
    row["earliest_year"] === null ? [] : [{ key: String(row["claim_id"]), name: firstWords(String(row["claim_text"]), 200), from: figure(row, "earliest_year"), to: figure(row, "latest_year"), note: `${name("support_count")} ${figure(row, "support_count")}` }],
  );
  return <Ranges title={title} ranges={ranges} measure={name("year")} named={name("claim_text")} noted={name("support_count")} chosen={chosen} onChoose={(key) => onFilter("claim_id", key === chosen ? "" : key)} />;
}

function Sureness({ rows, filters, onFilter, title, name }: Inner) {
  const say = useWords(table);
  const chosen = textOf(filters, "claim_id");
  const dots = rows.map((row) => ({ key: String(row["claim_id"]), name: firstWords(String(row["claim_text"]), 120), x: figure(row, "bayesian_confidence"), y: figure(row, "evidence_count"), isMarked: Boolean(row["is_controversial"]) }));
  return (
    <Dots
      title={title} dots={dots} range={[0, 1]} measures={{ x: name("bayesian_confidence"), y: name("evidence_count") }} named={name("claim_text")} kinds={{ plain: say.undisputed, marked: say.disputed }}
      chosen={chosen} onChoose={(key) => onFilter("claim_id", key === chosen ? "" : key)}
    />
  );
}

function Flow({ rows, names, filters, onFilter, title }: Inner) {
  const direct = rows.filter((row) => row["hop_distance"] === 1);
  const keys = [...new Set(direct.flatMap((row) => [String(row["citing_page_id"]), String(row["cited_page_id"])]))];
  const chosen = textOf(filters, "cited_page_id");
  return (
    <Arcs
      title={title} places={keys.map((key) => ({ key, name: names.get(key)?.words ?? key, year: names.get(key)?.year ?? null }))}
      arcs={direct.map((row) => [String(row["citing_page_id"]), String(row["cited_page_id"])])} chosen={chosen} onChoose={(key) => onFilter("cited_page_id", key === chosen ? "" : key)}
    />
  );
}
