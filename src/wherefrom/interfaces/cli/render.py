"""What people see of a result: a few tables and sentences of our own, for everything else one generic table.

Stored text is shown as data: no markup, no control characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.cli import render_explore, render_insight, render_metabolism
from wherefrom.interfaces.cli.cells import (
    cell,
    count,
    counts_of,
    degraded_lines,
    judge_of,
    memo_cell,
    new_table,
    rows_table,
    shown,
    table_of,
    tidy,
    when,
)
from wherefrom.interfaces.shape import Told
from wherefrom.model import evidence, insight, metabolism, policies, results
from wherefrom.model.graph import GUESSING, Edge, MeasuredEdge, Node
from wherefrom.text.check import json_text

if TYPE_CHECKING:
    from wherefrom.interfaces.cli.commands import Call

_REJECTIONS_SHOWN: Final = 10
Lines = Iterable[RenderableType]


def lines_of(result: Any, call: Call) -> Lines:
    """What a person sees of a result."""
    own = _OWN.get(type(result))
    if own is not None:
        yield from own(result, call)
    elif isinstance(result, tuple):
        yield from (generic_table([value_of(each, "") for each in result]),)
    else:
        yield from generic_lines(value_of(result, ""))
    if cursor := getattr(result, "next_cursor", None):
        yield f"more: --cursor {cursor}"


def generic_lines(value: Mapping[str, Any]) -> Lines:
    """An object as two columns, and its lists of objects as tables below."""
    tables = {name: inner for name, inner in value.items() if _is_table(inner)}
    plain = new_table("", "")
    labels: set[str] = set()
    plain.show_header = False
    plainly = {name: inner for name, inner in value.items() if name not in {*tables, "next_cursor", "truncated"}}
    for name, inner in plainly.items():
        for label, entry in inner.items() if isinstance(inner, dict) else [(name, inner)]:
            if entry not in (None, "", [], {}) and not (isinstance(entry, list) and isinstance(entry[0], list)):
                said = f"{entry:,}" if isinstance(entry, int) and not isinstance(entry, bool) else tidy(entry)
                label = f"{name} {label}" if label in labels else str(label)
                labels.add(label)
                plain.add_row(shown(label.replace("_", " ")), cell(said))
    yield plain
    for name, inner in tables.items():
        yield from ("", f"{name.replace('_', ' ')}:", generic_table(inner))


def generic_table(rows: list[dict[str, Any]]) -> RenderableType:
    """Objects as a table; columns that are empty in all of them are left out."""
    names = [name for name in rows[0] if any(_is_short(row.get(name)) for row in rows)] if rows else []
    table = rows_table(
        [name.replace("_", " ") for name in names], ([tidy(row.get(name)) for name in names] for row in rows)
    )
    return table if rows else "nothing here yet"


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _is_short(value: Any) -> bool:
    return value not in (None, "") and not isinstance(value, list | dict) and "\n" not in str(value)


def similar_lines(found: results.SimilarFound) -> Lines:
    """What is near in meaning, and among how many."""
    yield table_of(found.results, "similarity id text_preview", empty="nothing that similar")
    yield f"searched {count(found.total_searched, 'vector')}"


def namespace_table(found: results.Namespaces) -> RenderableType:
    """Namespaces with how many nodes each holds."""
    return table_of(found.items, "namespace nodes")


def memo_panel(node: Node) -> RenderableType:
    """One memo in full."""
    facts = Text(f"{node.id}  {node.namespace}  version {node.version}\n", style="dim")
    facts.append(f"created {when(node.created_at)}, updated {when(node.updated_at)}")
    parts: list[RenderableType] = [facts]
    if node.aliases:
        parts.append(shown(f"also called {', '.join(node.aliases)}", style="dim"))
    if node.metadata:
        parts.append(shown(json_text(node.metadata), style="cyan"))
    parts += ["", shown(node.content, lines=True)]
    return Panel(Group(*parts), title=shown(node.title or "(untitled)"), title_align="left")


def saved_lines(saved: results.Saved, call: Call) -> Lines:
    note = " (this text was already there)" if saved.status == "duplicate" else ""
    yield shown(f"{saved.status} {saved.node.id} in {saved.node.namespace}{note}")
    if saved.note:
        yield shown(saved.note)
    if call.given.get("link"):
        yield from render_insight.saved_lines(saved)


def memo_table(page: results.Page) -> RenderableType:
    """Memos, a few lines each."""
    return table_of([Told(node, {"memo": memo_cell(node)}) for node in page.nodes], "id memo")


def hit_table(found: results.Found, *, explain: bool = False) -> RenderableType:
    """What a search found, best first."""
    rows = [Told(hit, {"memo": memo_cell(hit.node), "why": _why(hit, found.alpha)}) for hit in found.hits]
    return table_of(rows, f"score node.id memo{' why' if explain else ''}", empty="nothing found")


def found_lines(found: results.Found, call: Call) -> Lines:
    yield hit_table(found, explain=call.explain)
    yield from degraded_lines(found)


def relation_table(found: results.Relations) -> RenderableType:
    """Relations with the names of their ends, how sure and thick they are, who judged them and when they were seen."""
    names = {ref.id: ref.title or ref.id for ref in found.nodes}
    walked = found.depths is not None
    figures = ("weight", "sure", "thick")
    table = new_table(*(["step"] if walked else []), "source", "tag", "target", *figures, "judge", "reason")
    for index, edge in enumerate(found.edges):
        steps = [str(found.depths[index])] if found.depths is not None else []
        source, target = (shown(names.get(end, end)) for end in (edge.source_id, edge.target_id))
        worth = (f"{edge.weight:g}", f"{edge.confidence:.2g}", f"{edge.thickness:.2g}")
        judge = Text("\n").join([shown(judge_of(edge)), shown(edge.observed_at[:10], style="dim")])
        cells: list[RenderableType] = [*steps, source, shown(edge.tag), target, *worth, judge]
        table.add_row(*cells, shown(edge.reason or ""), style="dim" if edge.judge in GUESSING else "")
    return table if found.edges else "no relations"


def relation_line(edge: Edge) -> Text:
    """One relation."""
    sure = "" if edge.confidence == 1 and edge.judge is None else f", confidence {edge.confidence:g}"
    judge = "" if edge.judge is None else f", {judge_of(edge)}"
    return shown(f"{edge.source_id} -[{edge.tag} {edge.weight:g}{sure}{judge}]-> {edge.target_id}")


def context_lines(context: results.ActiveContext, *, explain: bool = False) -> Lines:
    """What was recalled, best first; what was left out, and what is lacking."""
    rows = [Told(item, {"memo": memo_cell(item.node), "why": _why_recalled(item)}) for item in context.items]
    yield table_of(rows, "rank score node.id memo why", empty="nothing that matters")
    yield (
        f"context {context.id} until {when(context.expires_at)}, policy {context.policy_version},"
        f" about {count(context.tokens, 'token')}"
    )
    if explain:
        left = ", ".join(f"{number} {reason}" for reason, number in sorted(context.filtered.items())) or "nothing"
        yield f"left out: {left}"
        yield "with " + ", ".join(f"{name} {value}" for name, value in context.parameters.items())
    yield from degraded_lines(context)


def judged_line(judged: results.Judged) -> str:
    """What a judgement did."""
    node = judged.node
    stands = f"; {judged.representative_id} stands for it now" if judged.representative_id else ""
    worth = f"utility {node.utility:+.2f}, confidence {node.confidence:.2f}"
    return f"{judged.status} {judged.signal} for {node.id}: {worth}{stands}"


def imported_lines(imported: results.Imported, call: Call) -> Lines:
    """What an import did, the first lines that it left out, and where to find the others."""
    counts = {name: value for name, value in value_of(imported, "").items() if isinstance(value, int) and value}
    said = (_counted(name, number) for name, number in counts.items() if name != "rejected")
    yield ", ".join(said) or "nothing to import"
    if imported.redacted:
        yield f"taken out of texts: {counts_of(dict(sorted(imported.redacted.items())))}"
    if not imported.rejected:
        return
    yield f"{count(imported.rejected, 'line')} left out:"
    for line in imported.rejections[:_REJECTIONS_SHOWN]:
        yield shown(f"  line {line.line:,}{f' ({line.id})' if line.id else ''}: {line.reason}")
    if rejects := call.given.get("rejects"):
        yield shown(f"all of them are in {rejects}")
    elif imported.rejected > _REJECTIONS_SHOWN:
        yield "see all of them with --rejects FILE, or the first 1,000 with --json"


def _counted(name: str, number: int) -> str:
    """A count by its field: `nodes_created` is 1 node created, 2 nodes created."""
    nouns, _, done = name.partition("_")
    noun = {"queries": "query"}.get(nouns, nouns.removesuffix("s")) if number == 1 else nouns
    return f"{number:,} {noun} {done}".strip()


def health_table(health: results.Health) -> RenderableType:
    """The findings of `doctor`."""
    marks = {True: Text("ok", style="green"), False: Text("FAILED", style="bold red")}
    rows = [Told(check, {"result": marks[check.ok], "found": shown(check.detail)}) for check in health.checks]
    return table_of(rows, "name result found")


def applied_line(applied: policies.PolicyApplied) -> RenderableType:
    """What applying a policy did."""
    before = f" (before: {applied.previous_version})" if applied.previous_version else ""
    would = ", ".join(f"{number} {name}" for name, number in applied.reclassify.items())
    after = f"; of what is stored: {would}" if would else ""
    hint = "; `wherefrom reclassify` brings old rows in line" if applied.status == "applied" else ""
    return shown(f"{applied.status}: {applied.version} in {applied.namespace}{before}{after}{hint}")


def privacy_lines(privacy: policies.Privacy, call: Call) -> Lines:
    """What becomes of personal data, and what a new choice does not change."""
    meaning = {
        "personal": "e-mail addresses, phone, card and identity numbers are kept for you, and others do not see them",
        "shared": "e-mail addresses, phone, card and identity numbers are taken out of texts",
    }
    older = {
        "personal": "What was taken out earlier does not come back.",
        "shared": "What was kept earlier is shown without them; `wherefrom reclassify` takes them out for good.",
    }
    yield shown(f"{privacy.mode}: {meaning[privacy.mode]}")
    if "privacy" in call.given:
        yield shown(older[privacy.mode])


def guarded_lines(guarded: policies.Guarded) -> Lines:
    """What the policy makes of a text."""
    yield shown(f"{guarded.reason} ({guarded.boundary_class}, policy {guarded.policy_version})")
    if guarded.text is not None:
        yield shown(guarded.text, lines=True)


def _why(hit: results.Hit, alpha: float) -> Text:
    scores, parts = hit.scores, hit.factors
    lines = ["no word", "no vector", f"weight of meaning {alpha:g}"]
    if scores.bm25 is not None:
        lines[0] = f"words {scores.s_text:.2f} (BM25 {scores.bm25:.2f}, #{scores.text_rank})"
    if scores.similarity is not None:
        place = f", #{scores.vector_rank}" if scores.vector_rank else ""
        lines[1] = f"meaning {scores.s_vec:.2f} (cosine {scores.similarity:.2f}{place})"
    if parts is not None:
        lines.append(f"S {hit.relevance or 0.0:.2f}, g {parts.g:.2f}")
        lines.append(f"utility {parts.utility:.2f}, confidence {parts.confidence:.2f}, recency {parts.recency:.2f}")
    if scores.found_through is not None:
        lines.append(f"found through {scores.found_through}")
    return shown("\n".join(lines), lines=True)


def _why_recalled(item: results.ContextItem) -> RenderableType:
    parts = [item.reason]
    parts += [f"replaces {', '.join(item.replaces)}"] if item.replaces else []
    parts += [f"disputed by {', '.join(item.disputed_by)}"] if item.disputed_by else []
    parts += [f"  {edge.tag}, confidence {edge.confidence:g}, {judge_of(edge)}" for edge in item.disputes]
    return shown("\n".join(parts), lines=True)


_OWN: Final[Mapping[type, Callable[[Any, Any], Lines]]] = {
    results.Saved: saved_lines,
    Node: lambda node, call: [memo_panel(node)],
    results.Page: lambda page, call: [memo_table(page)],
    results.SimilarFound: lambda found, call: similar_lines(found),
    results.Namespaces: lambda found, call: [namespace_table(found)],
    results.Deleted: lambda gone, call: [f"deleted {gone.node.id} and {count(gone.edges_deleted, 'relation')}"],
    results.Found: found_lines,
    results.ActiveContext: lambda context, call: context_lines(context, explain=call.explain),
    results.Judged: lambda judged, call: [judged_line(judged)],
    results.Swept: lambda swept, call: [
        f"{count(len(swept.node_ids), 'node')} and {count(swept.edges, 'relation')} retired (run {swept.run_id})"
    ],
    results.Related: lambda related, call: [related.status, relation_line(related.edge)],
    Edge: lambda edge, call: ["deleted", relation_line(edge)],
    MeasuredEdge: lambda edge, call: ["deleted", relation_line(edge)],
    results.Relations: lambda found, call: [relation_table(found)],
    results.Imported: imported_lines,
    results.Health: lambda health, call: [*generic_lines(value_of(health.info, "")), "", health_table(health)],
    policies.PolicyApplied: lambda applied, call: [applied_line(applied)],
    policies.PolicyVersion: lambda policy, call: [
        Syntax(policy.yaml, "yaml", background_color="default", word_wrap=True)
    ],
    policies.Privacy: privacy_lines,
    policies.Guarded: lambda guarded, call: guarded_lines(guarded),
    evidence.Rendered: lambda rendered, call: [rendered.sql],
    evidence.DocumentsAdded: lambda added, call: render_explore.documents_table(added),
    evidence.Corrected: lambda corrected, call: render_explore.corrected_lines(corrected),
    evidence.QueryResult: lambda result, call: render_explore.result_lines(result),
    evidence.Status: lambda status, call: render_explore.status_lines(status, whole="task_id" in call.given),
    evidence.Task: lambda task, call: [f"created task {task.id} in {task.namespace}"],
    evidence.TaskState: lambda state, call: render_explore.task_lines(state),
    insight.InsightPlan: lambda plan, call: render_insight.plan_lines(plan, rejected=call.explain),
    metabolism.MetabolismPlan: lambda plan, call: render_metabolism.plan_lines(plan),
    metabolism.Restored: lambda restored, call: render_metabolism.restored_lines(restored),
    metabolism.Reinforced: lambda reinforced, call: render_metabolism.reinforced_lines(reinforced),
}
