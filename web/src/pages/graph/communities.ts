// Finds communities as Louvain's method begins: each node moves to the community of its neighbours that raises modularity
// most, in a fixed order, so that the same graph has the same communities. The whole method, on a graph of objects, took
// 0.35 s of the first painting.
import type { ToArrange } from "./layout";

const ROUNDS = 12;

/** The label of each node; nodes with the same one belong together. */
export function communitiesOf({ known, sources, targets, weights }: Pick<ToArrange, "known" | "sources" | "targets" | "weights">): Uint32Array {
  const order = known.length / 2;
  const { starts, others, shares, strengths } = neighbours(order, sources, targets, weights);
  const totals = strengths.slice();
  const all = strengths.reduce((sum, strength) => sum + strength, 0) || 1;
  const labels = Uint32Array.from({ length: order }, (_, node) => node);
  const weighed = new Float32Array(order);
  for (let round = 0, changed = 1; round < ROUNDS && changed > 0; round++) {
    changed = 0;
    for (let node = 0; node < order; node++) {
      const [from, to] = [starts[node]!, starts[node + 1]!];
      for (let at = from; at < to; at++) weighed[labels[others[at]!]!]! += shares[at]!;
      const [own, strength] = [labels[node]!, strengths[node]!];
      totals[own]! -= strength;
      const gain = (label: number) => weighed[label]! - (strength * totals[label]!) / all;
      let [best, most] = [own, gain(own)];
      for (let at = from; at < to; at++) {
        const label = labels[others[at]!]!;
        if (gain(label) > most) [best, most] = [label, gain(label)];
      }
      totals[best]! += strength;
      for (let at = from; at < to; at++) weighed[labels[others[at]!]!] = 0;
      if (best !== own) changed++;
      labels[node] = best;
    }
  }
  return labels;
}

/** The neighbours of all nodes in one array, those of a node from its start to the next one's; and the sum of the weights
 * of each. */
function neighbours(order: number, sources: Uint32Array, targets: Uint32Array, weights: Float32Array) {
  const degrees = new Uint32Array(order);
  const strengths = new Float32Array(order);
  sources.forEach((source, at) => {
    degrees[source]!++;
    degrees[targets[at]!]!++;
  });
  const starts = new Uint32Array(order + 1);
  for (let node = 0; node < order; node++) starts[node + 1] = starts[node]! + degrees[node]!;
  const next = starts.slice();
  const others = new Uint32Array(2 * sources.length);
  const shares = new Float32Array(2 * sources.length);
  const put = (node: number, other: number, weight: number) => {
    const at = next[node]!++;
    others[at] = other;
    shares[at] = weight;
    strengths[node]! += weight;
  };
  sources.forEach((source, at) => {
    put(source, targets[at]!, weights[at]!);
    put(targets[at]!, source, weights[at]!);
  });
  return { starts, others, shares, strengths };
}
