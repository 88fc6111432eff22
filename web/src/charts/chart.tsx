// The frame that all charts share: a drawing with a name, its legend, the same figures as a table, and the drawing as a file.
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { common, useWords, words } from "../words";
import { saveSvg } from "./save";
import "./charts.css";

const table = words(
  { svg: "Save as SVG", keys: "Arrow keys go from mark to mark." },
  { svg: "SVGで保存する", keys: "矢印キーで印から印へ移動します。" },
);

export const MARGIN = { left: 48, right: 16, top: 12, bottom: 40 };

/** What a chart says in words: its columns and rows are shown instead of the drawing when the reader wishes. */
export interface ChartTable {
  head: string[];
  rows: (string | number)[][];
}

export interface ChartProps {
  title: string;
  description: string;
  height: number;
  figures: ChartTable;
  legend?: ComponentChildren;
  /** Below the drawing, as wide as it. */
  foot?: ComponentChildren;
  children: (width: number) => ComponentChildren;
}

export function Chart({ title, description, height, figures, legend, foot, children }: ChartProps) {
  const say = useWords(table);
  const shared = useWords(common);
  const id = useId();
  const [isTable, setTable] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title" id={`${id}t`}>{title}</span>
        <span class="chart-tools">
          <button type="button" class="plain" aria-pressed={isTable} onClick={() => setTable(!isTable)}>{shared.table}</button>
          <button type="button" class="plain" disabled={isTable} onClick={() => saveSvg(place.current, title)}>{say.svg}</button>
        </span>
      </figcaption>
      <div ref={place} class="chart-place" hidden={isTable} style={{ minHeight: `${height}px` }}>
        {width > 0 && !isTable && (
          <svg class="drawing" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-labelledby={`${id}t`} aria-describedby={`${id}d`} onKeyDown={moveAmongMarks}>
            <title>{title}</title>
            <desc id={`${id}d`}>{description} {say.keys}</desc>
            <Patterns />
            {children(width)}
          </svg>
        )}
        {foot}
      </div>
      {isTable && <FiguresTable figures={figures} title={title} />}
      {legend && !isTable && <div class="legend">{legend}</div>}
    </figure>
  );
}

function FiguresTable({ figures, title }: { figures: ChartTable; title: string }) {
  return (
    <div class="scroll chart-table" tabIndex={0} role="region" aria-label={title}>
      <table class="rows">
        <thead><tr>{figures.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>{figures.rows.map((row, at) => <tr key={at}>{row.map((cell, column) => (column === 0 ? <th key={column} scope="row">{cell}</th> : <td key={column} class={typeof cell === "number" ? "number" : ""}>{cell}</td>))}</tr>)}</tbody>
      </table>
    </div>
  );
}

/** Fills that are told apart without colour: against is hatched, neutral is dotted. Equal in every chart of a page. */
function Patterns() {
  return (
    <defs>
      <pattern id="fill-refutes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="fill-refutes-ground" width="6" height="6" /><line class="fill-refutes-line" x1="0" y1="0" x2="0" y2="6" /></pattern>
      <pattern id="fill-neutral" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="fill-neutral-ground" width="5" height="5" /><circle class="fill-neutral-dot" cx="2.5" cy="2.5" r="1.2" /></pattern>
    </defs>
  );
}

export interface MarkProps {
  at: number;
  label: string;
  isChosen?: boolean;
  /** What a click, Enter or space does; without it the mark only says what it is. */
  onChoose?: (() => void) | undefined;
  children: ComponentChildren;
}

/** A mark of a chart: it can be reached with the keyboard, says what it is, and may filter. */
export function Mark({ at, label, isChosen = false, onChoose, children }: MarkProps) {
  const choose = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onChoose?.();
  };
  const role = onChoose ? { role: "button" as const, "aria-pressed": isChosen, onClick: onChoose, onKeyDown: choose } : { role: "img" as const };
  return (
    <g class={`mark${onChoose ? " can" : ""}${isChosen ? " chosen" : ""}`} data-mark tabindex={at === 0 ? 0 : -1} aria-label={label} {...role}>
      <title>{label}</title>
      {children}
    </g>
  );
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function moveAmongMarks(event: KeyboardEvent & { currentTarget: SVGSVGElement }): void {
  const by = STEPS[event.key];
  if (by === undefined) return;
  const marks = [...event.currentTarget.querySelectorAll<SVGGElement>("[data-mark]")];
  const now = marks.indexOf(document.activeElement as SVGGElement);
  const next = marks[Math.min(marks.length - 1, Math.max(0, now + by))];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  for (const mark of marks) mark.setAttribute("tabindex", mark === next ? "0" : "-1");
  next.focus();
}

function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => element.clientWidth && setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
