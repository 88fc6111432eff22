// The keys of the page, and what its signs mean.
import { useWords, words } from "../words";
import { Dialog } from "./dialog";

const table = words(
  {
    title: "Keys and signs",
    ask: "ask", help: "this help", places: "ask, last statement, graph, evidence, review, log", move: "next, previous", open: "open", source: "open the source",
    sides: "for, against", correct: "correct", expand: "expand, fold, path (graph)", zoom: "zoom (graph)", judge: "judge (review)", undo: "undo", back: "back, close",
    signs: "▲ for (solid line) · ▼ against (dashed) · ● neutral (dotted). Colours never stand alone.",
  },
  {
    title: "キー操作と記号",
    ask: "たずねる", help: "このヘルプ", places: "たずねる・最後の主張・グラフ・証拠・確認・記録", move: "次・前", open: "開く", source: "出典を開く",
    sides: "支持・反対", correct: "訂正する", expand: "広げる・たたむ・経路（グラフ）", zoom: "拡大・縮小（グラフ）", judge: "判定する（確認）", undo: "元に戻す", back: "戻る・閉じる",
    signs: "▲ 支持（実線）・▼ 反対（破線）・● 中立（点線）。色だけで区別することはありません。",
  },
);

export function Help({ onClose }: { onClose: () => void }) {
  const say = useWords(table);
  const rows: [string, string][] = [
    ["/", say.ask], ["?", say.help], ["g a · g s · g g · g e · g r · g l", say.places], ["j k ↑ ↓", say.move], ["Enter", say.open], ["o", say.source],
    ["[ ]", say.sides], ["c", say.correct], ["e f p", say.expand], ["+ - 0", say.zoom], ["1 2 3", say.judge], ["u", say.undo], ["Esc", say.back],
  ];
  return (
    <Dialog title={say.title} onClose={onClose}>
      <table class="keys"><tbody>{rows.map(([key, meaning]) => <tr key={key}><th scope="row"><kbd>{key}</kbd></th><td>{meaning}</td></tr>)}</tbody></table>
      <p>{say.signs}</p>
    </Dialog>
  );
}
