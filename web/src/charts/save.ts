// Files that the reader takes along: a drawing as SVG with its styles resolved, rows as CSV.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order"];

/** Save the drawing inside an element. */
export function saveSvg(place: Element | null, name: string): void {
  const drawn = place?.querySelector("svg.drawing");
  if (drawn) save(svgText(drawn), `${fileName(name)}.svg`, "image/svg+xml");
}

/** The text of a drawing that looks the same without the page's style sheet. */
export function svgText(drawn: Element): string {
  const copy = drawn.cloneNode(true) as Element;
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, at) => {
    const style = getComputedStyle(original);
    const target = copies[at];
    if (!target || ["title", "desc", "defs", "pattern"].includes(original.tagName)) return;
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value.replaceAll('"', "'"));
    }
    for (const name of ["class", "tabindex", "data-mark", "aria-pressed", "aria-hidden"]) target.removeAttribute(name);
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", getComputedStyle(document.body).backgroundColor]] as const) ground.setAttribute(name, value);
  copy.querySelector("defs")?.after(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe. */
export function csvText(head: string[], rows: unknown[][]): string {
  return [head, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

export function saveCsv(name: string, head: string[], rows: unknown[][]): void {
  // With its mark of byte order, spreadsheets read the file as UTF-8.
  save("\ufeff" + csvText(head, rows), `${fileName(name)}.csv`, "text/csv;charset=utf-8");
}

/** Save a text, for instance a report; what a file's name cannot hold is left out of it. */
export function saveText(text: string, name: string): void {
  const [, stem = name, ending = ".txt"] = /^(.*)(\.\w+)$/.exec(name) ?? [];
  save(text, fileName(stem) + ending, "text/plain;charset=utf-8");
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // Spreadsheets begin a formula at these signs, also after white space, and some split cells at ; and tabs.
  const safe = /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function save(text: string, name: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fileName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 80) || "wherefrom";
}
