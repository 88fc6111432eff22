// How a statement stands: what is for and against it, in words and as a small distribution.
import type { Posterior } from "../verbs";
import { useWords, words } from "../words";
import { figure } from "./time";

const table = words(
  {
    noEvidence: "Nothing speaks for or against it yet.", more: "more for than against", less: "more against than for", even: "as much for as against",
    clearly: "clearly for", clearlyNot: "clearly against", supports: "for", refutes: "against", neutral: "neutral",
    from: (pages: number, hosts: number) => `${pages} ${pages === 1 ? "page" : "pages"}, ${hosts} ${hosts === 1 ? "host" : "hosts"}`,
    density: (mean: string, spread: string) => `How sure: ${mean}, give or take ${spread}`,
  },
  {
    noEvidence: "賛否の証拠はまだありません。", more: "支持がやや多い", less: "反対がやや多い", even: "賛否が同程度",
    clearly: "明らかに支持", clearlyNot: "明らかに反対", supports: "支持", refutes: "反対", neutral: "中立",
    from: (pages: number, hosts: number) => `${pages}ページ・${hosts}サイト`,
    density: (mean: string, spread: string) => `確かさ ${mean}（±${spread}）`,
  },
);

const CLEAR = 0.25;

/** Which way a claim leans, in words. */
export function useLean(of: Posterior): string {
  const say = useWords(table);
  const lean = of.confidence - 0.5;
  return lean > CLEAR ? say.clearly : lean < -CLEAR ? say.clearlyNot : of.supports === of.refutes ? say.even : lean > 0 ? say.more : say.less;
}

export function Standing({ of }: { of: Posterior }) {
  const say = useWords(table);
  const inWords = useLean(of);
  if (of.supports + of.refutes + of.neutral === 0) return <p class="standing muted">{say.noEvidence}</p>;
  return (
    <p class="standing">
      <span class="supports" title={say.supports}>▲{of.supports}<span class="sr-only"> {say.supports}</span></span>
      <span class="refutes" title={say.refutes}>▼{of.refutes}<span class="sr-only"> {say.refutes}</span></span>
      <span class="neutral" title={say.neutral}>●{of.neutral}<span class="sr-only"> {say.neutral}</span></span>
      {of.supports + of.refutes > 0 ? <span>{figure(of.confidence)}, {inWords} ({say.from(of.pages, of.domains)})</span> : <span>{say.noEvidence}</span>}
      {of.supports + of.refutes > 0 && <Density mean={of.confidence} deviation={of.uncertainty} />}
    </p>
  );
}

const WIDTH = 72;
const HEIGHT = 20;
const POINTS = 48;

/** The heights, 0 to 1, of the Beta distribution with this mean and standard deviation, at equal steps from 0 to 1. */
export function densityHeights(mean: number, deviation: number): number[] {
  const size = (mean * (1 - mean)) / (deviation * deviation) - 1;
  const [alpha, beta] = [mean * size, (1 - mean) * size];
  const heights = Array.from({ length: POINTS + 1 }, (_, at) => {
    const x = Math.min(0.995, Math.max(0.005, at / POINTS));
    return (alpha - 1) * Math.log(x) + (beta - 1) * Math.log(1 - x);
  });
  const top = Math.max(...heights);
  return heights.map((height) => Math.exp(height - top));
}

/** The distribution, drawn small. */
export function Density({ mean, deviation }: { mean: number; deviation: number }) {
  const say = useWords(table);
  const points = densityHeights(mean, deviation).map((height, at) => `${((at / POINTS) * WIDTH).toFixed(1)},${(HEIGHT - height * (HEIGHT - 1)).toFixed(1)}`);
  const label = say.density(figure(mean), figure(deviation));
  return (
    <svg class="density" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`} />
      <line x1={mean * WIDTH} x2={mean * WIDTH} y1="0" y2={HEIGHT} />
    </svg>
  );
}
