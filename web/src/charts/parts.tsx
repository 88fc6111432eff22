// What the parts of a bar are drawn with, and the legend that names them.
export type Fill = "supports" | "refutes" | "neutral" | "plain";
export interface Part {
  name: string;
  fill: Fill;
}

export const FILLS: Record<Fill, string> = { supports: "fill-supports", refutes: "fill-refutes", neutral: "fill-neutral", plain: "fill-plain" };

export function Legend({ parts }: { parts: Part[] }) {
  return <>{parts.map((part) => <span key={part.name}><svg class="swatch" width="14" height="14" aria-hidden="true"><rect class={FILLS[part.fill]} width="14" height="14" /></svg>{part.name}</span>)}</>;
}
