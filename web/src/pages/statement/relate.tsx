// Dialogs that make a relation between two statements, or take one away.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { figure } from "../../parts/time";
import type { MeasuredEdge, Node } from "../../verbs";
import { useWords } from "../../words";
import { Act } from "./act";
import { Picker } from "./picker";
import { acts } from "./words_of_acts";

// What relations usually say; any other word may be given.
const TAGS = ["supports", "conflicts", "contradicts", "explains", "refines", "depends_on", "part_of", "follows_from", "supersedes", "related"];
const REPLACES = "supersedes";

export function Relate({ node, edges, onClose }: { node: Node; edges: MeasuredEdge[]; onClose: () => void }) {
  const say = useWords(acts);
  const [other, setOther] = useState<Node | null>(null);
  const [isInward, setInward] = useState(false);
  const [tag, setTag] = useState("");
  const [weight, setWeight] = useState(0.7);
  const [reason, setReason] = useState("");
  const ends = { source_memo_id: (isInward ? other?.id : node.id) ?? "", target_memo_id: (isInward ? node.id : other?.id) ?? "", tag: tag.trim() };
  const before = edges.find((edge) => edge.source_id === ends.source_memo_id && edge.target_id === ends.target_memo_id && edge.tag === ends.tag);
  const undo = async () => {
    if (before) await call("relate", { ...ends, weight: before.weight, reason: before.reason ?? "" });
    else await call("unrelate", ends);
    return say.undone;
  };
  return (
    <Act
      title={say.relateTitle} effect={ends.tag === REPLACES ? say.supersedesEffect : say.relateEffect} button={say.relate} isReady={other !== null && ends.tag !== ""} onClose={onClose}
      work={() => call("relate", { ...ends, weight, ...(reason.trim() ? { reason } : {}) })}
      said={({ status }) => ({
        text: { created: say.relationMade, updated: say.relationChanged, unchanged: say.noChange }[status],
        ...(status === "created" || (status === "updated" && before) ? { undo } : {}),
      })}
    >
      <Picker label={say.other} without={node.id} chosen={other} onChoose={setOther} />
      <label>{say.tag}<input value={tag} list="tags" maxLength={64} required onInput={(event) => setTag(event.currentTarget.value)} /></label>
      <datalist id="tags">{TAGS.map((name) => <option key={name} value={name} />)}</datalist>
      <label>{say.way}
        <select value={isInward ? "in" : "out"} onChange={(event) => setInward(event.currentTarget.value === "in")}><option value="out">{say.outward}</option><option value="in">{say.inward}</option></select>
      </label>
      <label><span>{say.weight} <b>{figure(weight)}</b></span><input type="range" min={0} max={1} step={0.05} value={weight} onInput={(event) => setWeight(Number(event.currentTarget.value))} /></label>
      <label>{say.why}<input value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
    </Act>
  );
}

export function TakeAway({ edge, onClose }: { edge: MeasuredEdge; onClose: () => void }) {
  const say = useWords(acts);
  const ends = { source_memo_id: edge.source_id, target_memo_id: edge.target_id, tag: edge.tag };
  return (
    <Act
      title={say.takeTitle} effect={edge.tag === REPLACES ? `${say.takeEffect} ${say.holdsAgainEffect}` : say.takeEffect} button={say.take} isDangerous onClose={onClose}
      work={() => call("unrelate", ends)}
      said={(was) => ({
        text: say.relationTaken,
        undo: async () => {
          await call("relate", { ...ends, weight: was.weight, ...(was.reason ? { reason: was.reason } : {}) });
          return say.relationMade;
        },
      })}
    >
      <p><code>{edge.tag}</code>{edge.reason && <> · {edge.reason}</>}</p>
    </Act>
  );
}
