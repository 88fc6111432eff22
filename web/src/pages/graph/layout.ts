// Asks a worker for the places of a graph. The page's policy allows workers from files of the service only.
import type { Drawn } from "./drawn";

export interface ToArrange {
  /** Which of the page's questions this is: answers to former ones are dropped. */
  number: number;
  /** Two numbers a node; NaN where its place is not known yet. */
  known: Float32Array;
  sources: Uint32Array;
  targets: Uint32Array;
  weights: Float32Array;
}

export interface Arranged {
  number: number;
  places: Float32Array;
  step: number;
  steps: number;
}

export type Place = [x: number, y: number];

/** Below this weight ForceAtlas2 would not hold a relation together at all. */
const LEAST_WEIGHT = 0.05;

export class Layout {
  // Started at once: it loads while the service is still asked.
  private worker = startWorker();
  private isBusy = false;
  private number = 0;
  /** Places of all that was drawn so far, so that expanding does not turn the picture over. */
  private readonly places = new Map<string, Place>();

  /** Arrange a graph; calls back with places in the order of its nodes, and at last with `step` equal to `steps`. */
  arrange(drawn: Drawn, onPlaces: (arranged: Arranged) => void): void {
    if (this.isBusy) {
      this.worker.terminate();
      this.worker = startWorker();
    }
    this.isBusy = true;
    const numbers = new Map(drawn.nodes.map((node, at) => [node.id, at]));
    const question: ToArrange = {
      number: ++this.number,
      known: new Float32Array(drawn.nodes.flatMap((node) => this.places.get(node.id) ?? [NaN, NaN])),
      sources: new Uint32Array(drawn.edges.map((edge) => numbers.get(edge.source_id)!)),
      targets: new Uint32Array(drawn.edges.map((edge) => numbers.get(edge.target_id)!)),
      weights: new Float32Array(drawn.edges.map((edge) => Math.max(LEAST_WEIGHT, edge.thickness))),
    };
    this.worker.onmessage = ({ data }: MessageEvent<Arranged>) => {
      if (data.number !== this.number) return;
      drawn.nodes.forEach((node, at) => this.places.set(node.id, [data.places[at * 2]!, data.places[at * 2 + 1]!]));
      if (data.step === data.steps) this.isBusy = false;
      onPlaces(data);
      if (data.step === 0) afterPaint(() => this.worker.postMessage("shown"));
    };
    this.worker.postMessage(question);
  }

  end(): void {
    this.worker.terminate();
  }
}

function afterPaint(work: () => void): void {
  // Windows in the background are not painted.
  if (document.hidden) work();
  else requestAnimationFrame(() => setTimeout(work));
}

function startWorker(): Worker {
  return new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
}
