// What is left of something that is gone: what it was, what stands for it, and until when it can be brought back.
import { useState } from "preact/hooks";
import { useCall } from "../../api";
import { date } from "../../parts/time";
import { Failed, Loading } from "../../parts/states";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import { useRows } from "../../sql";
import type { History } from "../../verbs";
import { useWords } from "../../words";
import { namesOf, namesSql } from "./about";
import { useFresh } from "./fresh";
import { Timeline } from "./history";
import { BringBack } from "./let_go";
import { Name } from "./name";
import { table } from "./words";

export function Receipt({ id, mayWrite }: { id: string; mayWrite: boolean }) {
  const say = useWords(table);
  const told = useFresh(useCall("history", { memo_id: id, limit: 50 }));
  if (told.answer) return <div aria-busy={told.isLoading}><Told id={id} history={told.answer} mayWrite={mayWrite} /></div>;
  if (told.isLoading) return <Loading text={say.reading} />;
  if (told.error && told.error.status !== 404) return <Failed error={told.error} again={told.again} />;
  return <><h1>{say.noSuch}</h1><p>{say.unknown}</p><p><code>{id}</code></p><p><a class="button" href="/">{say.ask}</a></p></>;
}

function Told({ id, history, mayWrite }: { id: string; history: History; mayWrite: boolean }) {
  const say = useWords(table);
  const { language } = usePreferences();
  const [isBringing, setBringing] = useState(false);
  const about = history.about;
  const ids = [about?.stand_in, ...history.items.flatMap((item) => [item.node_id, item.other_id])].filter((one): one is string => !!one && one !== id);
  const names = namesOf(useRows(ids.length ? namesSql(ids) : null).answer ?? [], []);
  const went = history.items.find((item) => item.topic === "retire" || item.topic === "delete");
  const isLetGo = about?.state === "let_go";
  document.title = `${about?.title ?? say.gone} · Wherefrom`;
  return (
    <article class="statement receipt">
      <p class="source-line">{say.receipt}</p>
      <h1>{about?.title ?? (isLetGo || about?.state === "deleted" ? say.gone : say.notHere)}</h1>
      {isLetGo && went && <p>{say.letGo(date(went.at, language))}</p>}
      {about?.state === "deleted" && <p>{say.deleted}</p>}
      {isLetGo && <p>{about.restorable_until ? say.restorable(date(about.restorable_until, language)) : say.notRestorable}</p>}
      {about?.stand_in && <p>{say.standIn} <Name id={about.stand_in} names={names} /></p>}
      {about?.kind === "task" && <p><a class="button" href={address(`/task/${id}`)}>{say.task}</a></p>}
      {about && !isLetGo && about.state !== "deleted" && <p>{about.text}</p>}
      {mayWrite && about?.restorable_until && isLetGo && <p class="actions"><button type="button" class="main" onClick={() => setBringing(true)}>{say.bringBack}</button></p>}
      <h2>{say.history}</h2>
      <Timeline items={history.items} id={id} names={names} />
      {isBringing && <BringBack id={about?.id ?? id} onClose={() => setBringing(false)} />}
    </article>
  );
}
