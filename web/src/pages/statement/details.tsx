// All that is stored about a statement, for those who want to see it.
import { Fragment } from "preact";
import { moment, figure } from "../../parts/time";
import { usePreferences } from "../../preferences";
import { address } from "../../router";
import type { Node } from "../../verbs";
import { common, useWords } from "../../words";
import { table } from "./words";

export function Details({ node }: { node: Node }) {
  const say = useWords(table);
  const shared = useWords(common);
  const { language } = usePreferences();
  const rows: [string, string][] = [
    [say.id, node.id], [say.kind, shared[node.kind]], [say.namespace, node.namespace],
    [say.observed, moment(node.observed_at, language)], [say.created, moment(node.created_at, language)], [say.updated, moment(node.updated_at, language)],
    [say.utility, figure(node.utility)], [say.confidence, figure(node.confidence)], [say.quality, figure(node.quality)],
    ...(node.aliases.length ? [[say.aliases, node.aliases.join(", ")] as [string, string]] : []),
    ...(Object.keys(node.metadata).length ? [[say.metadata, JSON.stringify(node.metadata, null, 1)] as [string, string]] : []),
    ...(Object.keys(node.provenance).length ? [[say.provenance, JSON.stringify(node.provenance, null, 1)] as [string, string]] : []),
  ];
  return (
    <details class="all-stored">
      <summary>{say.details}</summary>
      <dl class="facts">{rows.map(([name, value]) => <Fragment key={name}><dt>{name}</dt><dd>{value}</dd></Fragment>)}</dl>
      {node.task_id && <p>{say.task}: <a href={address(`/task/${node.task_id}`)}>{node.task_id}</a></p>}
    </details>
  );
}
