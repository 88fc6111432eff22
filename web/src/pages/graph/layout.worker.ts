// Arranges a graph away from the page's own thread: communities first, then so many steps of ForceAtlas2, then it stops.
// The same graph gets the same picture: nothing here is random.
import { inferSettings } from "graphology-layout-forceatlas2";
import defaults from "graphology-layout-forceatlas2/defaults.js";
import iterate from "graphology-layout-forceatlas2/iterate.js";
import { communitiesOf } from "./communities";
import type { Arranged, ToArrange } from "./layout";

// Posting after every few steps let one task of the page block it for 9.7 s; twice a second is smooth enough.
const POST_EVERY_MS = 500;
const POST_EVERY_STEPS = 10;
const STEPS = 150;
/** Where most places are known already, the others only have to find theirs. */
const STEPS_TO_ADD = 60;
const NODE_FIELDS = 10;
const EDGE_FIELDS = 3;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const SPACING = 12;

let goOn = () => {};

self.onmessage = ({ data }: MessageEvent<ToArrange | "shown">) => {
  if (data === "shown") {
    goOn();
    return;
  }
  const places = data.known.some((value) => !Number.isNaN(value)) ? besideTheKnown(data) : byCommunity(data);
  const steps = places.isNew ? STEPS : STEPS_TO_ADD;
  // The page shows these places first: on few cores the steps would only keep it from doing so.
  goOn = () => arrange(data, places.at, steps);
  post(data.number, places.at, 0, steps);
};

function arrange(data: ToArrange, places: Float32Array, steps: number): void {
  const order = data.known.length / 2;
  const nodes = matrixOf(places, data);
  const edges = new Float32Array(data.sources.length * EDGE_FIELDS);
  data.sources.forEach((source, at) => edges.set([source * NODE_FIELDS, data.targets[at]! * NODE_FIELDS, data.weights[at]!], at * EDGE_FIELDS));
  const settings = { ...defaults, ...inferSettings(order), barnesHutOptimize: order > 500, barnesHutTheta: 0.8, linLogMode: order > 500, gravity: order > 500 ? 0.05 : 0.1, scalingRatio: order > 500 ? 2 : 8, edgeWeightInfluence: 0.5 };
  let postedAt = performance.now();
  for (let step = 1; step <= steps; step++) {
    iterate(settings, nodes, edges);
    if (step === steps || (step % POST_EVERY_STEPS === 0 && performance.now() - postedAt > POST_EVERY_MS)) {
      post(data.number, placesIn(nodes), step, steps);
      postedAt = performance.now();
    }
  }
}

interface Places {
  at: Float32Array;
  isNew: boolean;
}

/** Communities as discs on a spiral, the largest in the middle; their members as a spiral in each. */
function byCommunity(data: ToArrange): Places {
  const labels = communitiesOf(data);
  const groups = new Map<number, number[]>();
  labels.forEach((label, node) => {
    const members = groups.get(label);
    if (members) members.push(node);
    else groups.set(label, [node]);
  });
  const at = new Float32Array(data.known.length);
  let placed = 0;
  for (const members of [...groups.values()].sort((one, other) => other.length - one.length)) {
    const centre = onSpiral(placed + members.length / 2, SPACING * 1.6);
    members.forEach((node, number) => {
      const [x, y] = onSpiral(number, SPACING);
      at.set([centre[0] + x, centre[1] + y], node * 2);
    });
    placed += members.length;
  }
  return { at, isNew: true };
}

/** What is new goes beside what it has relations with; the rest stays where it was. */
function besideTheKnown({ known, sources, targets }: ToArrange): Places {
  const at = new Float32Array(known);
  let missing = 0;
  for (let node = 0; node < at.length / 2; node++) if (Number.isNaN(at[node * 2])) missing++;
  const total = missing;
  for (let left = -1; missing !== left && missing > 0; ) {
    left = missing;
    sources.forEach((source, edge) => {
      for (const [node, beside] of [[source, targets[edge]!], [targets[edge]!, source]] as const) {
        if (!Number.isNaN(at[node * 2]) || Number.isNaN(at[beside * 2])) continue;
        const [x, y] = onSpiral(missing % 40, SPACING);
        at.set([at[beside * 2]! + x, at[beside * 2 + 1]! + y], node * 2);
        missing--;
      }
    });
  }
  for (let node = 0; node < at.length / 2; node++) if (Number.isNaN(at[node * 2])) at.set(onSpiral(missing-- + at.length / 2, SPACING), node * 2);
  return { at, isNew: total > at.length / 4 };
}

function onSpiral(number: number, spacing: number): [number, number] {
  const radius = spacing * Math.sqrt(number);
  return [radius * Math.cos(number * GOLDEN_ANGLE), radius * Math.sin(number * GOLDEN_ANGLE)];
}

/** The nodes as ForceAtlas2 keeps them: place, movement, former movement, mass, convergence, size, whether it is fixed. */
function matrixOf(places: Float32Array, { sources, targets, weights }: ToArrange): Float32Array {
  const mass = new Float32Array(places.length / 2).fill(1);
  sources.forEach((source, at) => {
    mass[source]! += weights[at]!;
    mass[targets[at]!]! += weights[at]!;
  });
  const nodes = new Float32Array(mass.length * NODE_FIELDS);
  mass.forEach((heavy, node) => nodes.set([places[node * 2]!, places[node * 2 + 1]!, 0, 0, 0, 0, heavy, 1, 1, 0], node * NODE_FIELDS));
  return nodes;
}

function placesIn(nodes: Float32Array): Float32Array {
  const places = new Float32Array((nodes.length / NODE_FIELDS) * 2);
  for (let node = 0; node < places.length / 2; node++) places.set(nodes.subarray(node * NODE_FIELDS, node * NODE_FIELDS + 2), node * 2);
  return places;
}

function post(number: number, places: Float32Array, step: number, steps: number): void {
  const arranged: Arranged = { number, places, step, steps };
  self.postMessage(arranged);
}
