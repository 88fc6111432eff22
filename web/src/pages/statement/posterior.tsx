// How sure a claim is: its distribution between against and for, in words, as a drawing and in figures.
import { usePreferences } from "../../preferences";
import { densityHeights, useLean } from "../../parts/standing";
import { count, figure } from "../../parts/time";
import type { Posterior } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./words";

const WIDTH = 260;
const HEIGHT = 84;
const GROUND = 66;

export function PosteriorFigure({ of }: { of: Posterior }) {
  const say = useWords(table);
  const shared = useWords(common);
  const { language } = usePreferences();
  const lean = useLean(of);
  const heights = densityHeights(of.confidence, of.uncertainty);
  const x = (share: number) => (share * WIDTH).toFixed(1);
  const points = heights.map((height, at) => `${x(at / (heights.length - 1))},${(GROUND - height * (GROUND - 4)).toFixed(1)}`).join(" ");
  const spoken = say.distribution(figure(of.confidence), figure(of.uncertainty), lean);
  const [low, high] = [Math.max(0, of.confidence - of.uncertainty), Math.min(1, of.confidence + of.uncertainty)];
  const rows: [string, string][] = [
    [say.mean, figure(of.confidence)], [say.spread, figure(of.uncertainty)], [say.controversy, figure(of.controversy)],
    [`▲ ${shared.supports}`, count(of.supports, language)], [`▼ ${shared.refutes}`, count(of.refutes, language)], [`● ${shared.neutral}`, count(of.neutral, language)],
    [say.pages, count(of.pages, language)], [say.hosts, count(of.domains, language)],
    [say.oldest, String(of.oldest_year ?? "–")], [say.newest, String(of.newest_year ?? "–")],
  ];
  return (
    <section class="posterior" aria-labelledby="how-sure">
      <h3 id="how-sure">{say.howSure}</h3>
      <svg class="density" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={spoken}>
        <rect class="spread" x={x(low)} width={x(high - low)} y="0" height={GROUND} />
        <polygon points={`0,${GROUND} ${points} ${WIDTH},${GROUND}`} />
        <line class="ground" x1="0" x2={WIDTH} y1={GROUND} y2={GROUND} />
        <line class="middle" x1={WIDTH / 2} x2={WIDTH / 2} y1="0" y2={GROUND} />
        <line x1={x(of.confidence)} x2={x(of.confidence)} y1="0" y2={GROUND} />
        <text x="0" y={HEIGHT - 3}>▼ 0 {say.against}</text>
        <text x={WIDTH / 2} y={HEIGHT - 3} text-anchor="middle">0.5</text>
        <text x={WIDTH} y={HEIGHT - 3} text-anchor="end">{say.for} 1 ▲</text>
      </svg>
      <p><b>{spoken}</b></p>
      <p class="muted">{say.pagesAndHosts(of.pages, of.domains)}{of.oldest_year !== null && of.newest_year !== null && <>, {say.years(of.oldest_year, of.newest_year)}</>}</p>
      <details>
        <summary>{say.figures}</summary>
        <table class="figures"><tbody>{rows.map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}</tbody></table>
      </details>
    </section>
  );
}
