// A former version of a statement: its text with what differs from another version marked, and how to bring it back.
import { useState } from "preact/hooks";
import { date } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address, goWith } from "../../router";
import type { Node } from "../../verbs";
import { useWords } from "../../words";
import type { About } from "./about";
import { difference } from "./difference";
import { BringVersion } from "./let_go";
import { table } from "./words";

export function Former({ about, mayWrite }: { about: About; mayWrite: boolean }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const [isBringing, setBringing] = useState(false);
  const { node, former, history } = about;
  if (!former) return null;
  const compared = about.compared ?? node;
  const versions = history.about?.versions ?? [];
  const told = versions.find((one) => one.version === former.version);
  return (
    <section class="former card" aria-labelledby="former">
      <h2 id="former">{say.of(former.version, node.version)}{told && <span class="muted"> · {date(told.since, language)}{told.until && <> – {date(told.until, language)}</>}</span>}</h2>
      <label>{say.compare}
        <select value={compared.version} onChange={(event) => goWith({ with: Number(event.currentTarget.value) === node.version ? null : event.currentTarget.value })}>
          {versions.filter((one) => one.version !== former.version).map((one) => <option key={one.version} value={one.version}>{say.version(one.version)}</option>)}
        </select>
      </label>
      <Compared former={former} compared={compared} />
      <div class="actions">
        {mayWrite && former.version !== node.version && <button type="button" onClick={() => setBringing(true)}>{say.bringVersion}</button>}
        <a class="button" href={address(`/n/${node.id}`)}>{say.toNewest}</a>
      </div>
      {isBringing && <BringVersion node={node} version={former.version} onClose={() => setBringing(false)} />}
    </section>
  );
}

/** The older of two versions as the newer one left it: what was taken away and what was added. */
function Compared({ former, compared }: { former: Node; compared: Node }) {
  const say = useWords(table);
  const [old, later] = former.version < compared.version ? [former, compared] : [compared, former];
  const isSame = old.content === later.content && old.title === later.title;
  return (
    <>
      {(old.title || later.title) && <p class="text"><b><Differing before={old.title ?? ""} after={later.title ?? ""} /></b></p>}
      <p class="text"><Differing before={old.content} after={later.content} /></p>
      <p class="muted">{isSame ? say.same : <><del>{say.removed}</del> {say.version(old.version)} · <ins>{say.added}</ins> {say.version(later.version)}</>}</p>
    </>
  );
}

function Differing({ before, after }: { before: string; after: string }) {
  return <>{difference(before, after).map(({ text, change }, at) => (change === "added" ? <ins key={at}>{text}</ins> : change === "removed" ? <del key={at}>{text}</del> : text))}</>;
}
