// Dialogs that change what a statement says: correct it, correct what is known about a source, replace it, pin it.
import { useState } from "preact/hooks";
import { call } from "../../api";
import { Dialog } from "../../parts/dialog";
import { address, go } from "../../router";
import type { ClaimEvidence, Node } from "../../verbs";
import { useWords } from "../../words";
import { Act } from "./act";
import { forgetNow, kept, saidOfRestore, saidOfSave, saveChange } from "./doing";
import { acts } from "./words_of_acts";

interface Props {
  node: Node;
  onClose: () => void;
}

/** Correct what can be corrected of a statement; of what cannot, say what to do instead. */
export function Correct({ node, evidence, onClose, onReplace }: Props & { evidence: ClaimEvidence | null; onReplace: () => void }) {
  const say = useWords(acts);
  const judged = evidence ? evidence.posterior.supports + evidence.posterior.refutes + evidence.posterior.neutral : 0;
  if (node.kind === "page") return <CorrectSource node={node} onClose={onClose} />;
  if (node.kind === "fragment") {
    return (
      <Dialog title={say.correctTitle} onClose={onClose}>
        <p>{say.cannotCorrectQuote}</p>
        {node.page_id && <p><a class="button" href={address(`/n/${node.page_id}`)}>{say.openSource}</a></p>}
      </Dialog>
    );
  }
  if (judged > 0) {
    return (
      <Dialog title={say.correctTitle} onClose={onClose}>
        <p>{say.cannotCorrect}</p>
        <p><button type="button" class="main" onClick={onReplace}>{say.replaceInstead}</button></p>
      </Dialog>
    );
  }
  return <CorrectText node={node} onClose={onClose} />;
}

function CorrectText({ node, onClose }: Props) {
  const say = useWords(acts);
  const [text, setText] = useState(node.content);
  const [title, setTitle] = useState(node.title ?? "");
  return (
    <Act
      title={say.correctTitle} effect={say.correctEffect(node.version + 1)} button={say.correct} onClose={onClose}
      isReady={text.trim() !== "" && (text !== node.content || (title.trim() !== "" && title !== (node.title ?? "")))}
      work={() => saveChange(node, node.version, { content: text, ...(title.trim() ? { title } : {}) }, say)}
      said={(saved) => ({
        text: saidOfSave(saved, say),
        ...(saved.status === "updated" ? { undo: async () => saidOfRestore(await call("restore", { node_id: node.id, version: node.version }), say) } : {}),
      })}
    >
      <label>{say.title}<input value={title} onInput={(event) => setTitle(event.currentTarget.value)} /></label>
      <label>{say.text}<textarea rows={7} value={text} required onInput={(event) => setText(event.currentTarget.value)} /></label>
    </Act>
  );
}

function CorrectSource({ node, onClose }: Props) {
  const say = useWords(acts);
  const [title, setTitle] = useState(node.title ?? "");
  const [year, setYear] = useState(node.year === null ? "" : String(node.year));
  const [isUnknown, setUnknown] = useState(false);
  const given = {
    ...(title.trim() && title !== node.title ? { title } : {}),
    ...(isUnknown && node.year !== null ? { no_year: true } : !isUnknown && year !== "" && Number(year) !== node.year ? { year: Number(year) } : {}),
  };
  const former = {
    ...("title" in given && node.title ? { title: node.title } : {}),
    ...("year" in given || "no_year" in given ? (node.year === null ? { no_year: true } : { year: node.year }) : {}),
  };
  return (
    <Act
      title={say.correctSource} effect={say.correctSourceEffect} button={say.correct} isReady={Object.keys(given).length > 0} onClose={onClose}
      work={() => call("correct_page", { page_id: node.id, ...given })}
      said={({ changed, followed }) => ({
        text: changed ? say.pageCorrected(followed) : say.noChange,
        ...(changed && Object.keys(former).length > 0 ? { undo: async () => say.pageCorrected((await call("correct_page", { page_id: node.id, ...former })).followed) } : {}),
      })}
    >
      <label>{say.title}<input value={title} onInput={(event) => setTitle(event.currentTarget.value)} /></label>
      <label>{say.year}<input type="number" step="1" value={year} disabled={isUnknown} onInput={(event) => setYear(event.currentTarget.value)} /></label>
      <p><label><input type="checkbox" checked={isUnknown} onChange={(event) => setUnknown(event.currentTarget.checked)} />{say.noYear}</label></p>
    </Act>
  );
}

export function Replace({ node, onClose }: Props) {
  const say = useWords(acts);
  const [text, setText] = useState(node.content);
  const [title, setTitle] = useState(node.title ?? "");
  const undo = async (heir: string) => {
    await forgetNow(heir);
    const back = await call("restore", { node_id: node.id });
    go(address(`/n/${node.id}`));
    return saidOfRestore(back, say);
  };
  return (
    <Act
      title={say.replaceTitle} effect={text === node.content ? say.unchangedText : node.kind === "claim" ? `${say.replaceEffect} ${say.evidenceStays}` : say.replaceEffect} button={say.replace} isReady={text.trim() !== "" && text !== node.content} onClose={onClose}
      work={() => {
        const { memo_id: _, ...same } = kept(node);
        return call("save", {
          ...same, content: text, supersedes: [node.id], namespace: node.namespace, ...(title.trim() ? { title } : {}), ...(node.scope ? { scope: node.scope } : {}), ...(node.slot ? { slot: node.slot } : {}),
        });
      }}
      said={(saved) => {
        go(address(`/n/${saved.node.id}`));
        return { text: saidOfSave(saved, say), ...(saved.status === "created" ? { undo: () => undo(saved.node.id) } : {}) };
      }}
    >
      <label>{say.title}<input value={title} onInput={(event) => setTitle(event.currentTarget.value)} /></label>
      <label>{say.newText}<textarea rows={7} value={text} required onInput={(event) => setText(event.currentTarget.value)} /></label>
    </Act>
  );
}

export function Pin({ node, onClose }: Props) {
  const say = useWords(acts);
  const pin = (pinned: boolean, version: number) => saveChange(node, version, { pinned }, say);
  const words = (pinned: boolean) => (pinned ? say.pinned : say.unpinned);
  return (
    <Act
      title={node.pinned ? say.unpinTitle : say.pinTitle} effect={`${node.pinned ? say.unpinEffect : say.pinEffect} ${say.hasUndo}`} button={node.pinned ? say.unpin : say.pin} onClose={onClose}
      work={() => pin(!node.pinned, node.version)}
      said={(saved) => ({ text: words(saved.node.pinned), ...(saved.status === "updated" ? { undo: async () => words((await pin(node.pinned, saved.node.version)).node.pinned) } : {}) })}
    />
  );
}
