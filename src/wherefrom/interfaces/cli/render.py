"""Tables and sentences for people, made of results; what has none of its own is shown by the generic table.

Stored text is shown as data: no markup, no control characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from itertools import islice, repeat
from types import MappingProxyType
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from wherefrom import interfaces
from wherefrom.interfaces.cli import render_plans
from wherefrom.interfaces.cli.cells import (
    cell,
    count,
    counts_of,
    degraded_lines,
    generic_lines,
    generic_table,
    judge_of,
    memo_cell,
    rows_table,
    shown,
    table_of,
    tidy,
    when,
)
from wherefrom.interfaces.shape import Overlay
from wherefrom.lazy import lazy_modules
from wherefrom.model import evidence, insight, metabolism, policies, results
from wherefrom.model.graph import Edge, MeasuredEdge, Node
from wherefrom.text.check import json_text

(syntax,) = lazy_modules("rich", "syntax")

_MAX_REJECTIONS: Final = 10
_MAX_FAILURES: Final = 20
# Wider rows are shown one value a line.
_MAX_COLUMNS: Final = 8
Lines = Iterable[RenderableType]


def lines_of(result: Any, given: Mapping[str, Any] = MappingProxyType({})) -> Lines:
    """Return what a person sees of a result. `given`: the arguments of the command, with `explain`."""
    if own := _OWN.get(type(result)):
        yield from own(result)
    elif own_as_asked := _OWN_AS_ASKED.get(type(result)):
        yield from own_as_asked(result, given)
    elif isinstance(result, tuple):
        yield generic_table([_value_of(entry) for entry in result])
    else:
        yield from generic_lines(_value_of(result))
    if cursor := getattr(result, "next_cursor", None):
        yield f"more: --cursor {cursor}"


def _value_of(result: Any) -> Any:
    return interfaces.answering.value_of(result, "")


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


def saved_lines(saved: results.Saved, given: Mapping[str, Any]) -> Lines:
    """Say what saving did, and with --link which relations it made."""
    note = " (this text was already there)" if saved.status == "duplicate" else ""
    yield shown(f"{saved.status} {saved.node.id} in {saved.node.namespace}{note}")
    if saved.note:
        yield shown(saved.note)
    if given.get("link"):
        yield from render_plans.linked_lines(saved)


def found_lines(found: results.SearchResult, given: Mapping[str, Any]) -> Lines:
    """List the memos that a search found, best first, and say what is lacking."""
    rows = [Overlay(hit, {"memo": memo_cell(hit.node), "why": _why(hit, found.alpha)}) for hit in found.hits]
    yield table_of(rows, f"score node.id memo{' why' if given.get('explain') else ''}", empty="nothing found")
    yield from degraded_lines(found)


def similar_lines(found: results.SimilarFound) -> Lines:
    """List the nodes that are near in meaning, and say how many were compared."""
    yield table_of(found.results, "similarity id text_preview", empty="nothing that similar")
    yield f"searched {count(found.total_searched, 'vector')}"


def corrected_lines(corrected: evidence.Corrected) -> Lines:
    """Say whether a claim counts and how sure it is, and list its corrections."""
    state, posterior = "rejected" if corrected.rejected else "adopted", corrected.posterior
    yield f"{'changed' if corrected.changed else 'unchanged'}: claim {corrected.claim_id} is {state}"
    sides = f"{posterior.supports} for, {posterior.refutes} against"
    yield f"confidence {posterior.confidence:.2f} ± {posterior.uncertainty:.2f}: {sides}"
    for entry in corrected.history:
        change = f" {entry.relation_before} → {entry.relation_after}" if entry.relation_after else ""
        yield shown(f"  {when(entry.at)}  {entry.action}{change}: {entry.reason}")


def relation_table(found: results.Relations) -> RenderableType:
    """Relations with the names of their ends, how sure and thick they are, who judged them and when they were seen."""
    names = {ref.id: ref.title or ref.id for ref in found.nodes}
    rows = [
        Overlay(
            edge,
            {
                "step": step,
                "source": names.get(edge.source_id, edge.source_id),
                "target": names.get(edge.target_id, edge.target_id),
                "weight": f"{edge.weight:.2g}",
                "sure": f"{edge.confidence:.2g}",
                "thick": f"{edge.thickness:.2g}",
                "judge": Text("\n").join([shown(judge_of(edge)), shown(edge.observed_at[:10], style="dim")]),
            },
        )
        for edge, step in zip(found.edges, found.depths or repeat(None), strict=False)
    ]
    columns = "source tag target weight sure thick judge reason"
    return table_of(rows, columns if found.depths is None else f"step {columns}", empty="no relations")


def relation_line(edge: Edge) -> Text:
    """One relation."""
    sure = "" if edge.confidence == 1 and edge.judge is None else f", confidence {edge.confidence:g}"
    judge = "" if edge.judge is None else f", {judge_of(edge)}"
    return shown(f"{edge.source_id} -[{edge.tag} {edge.weight:g}{sure}{judge}]-> {edge.target_id}")


def context_lines(context: results.ActiveContext, given: Mapping[str, Any]) -> Lines:
    """List the recalled memos, best first; say what was left out, and what is lacking."""
    rows = [Overlay(item, {"memo": memo_cell(item.node), "why": _why_recalled(item)}) for item in context.items]
    yield table_of(rows, "rank score node.id memo why", empty="nothing that matters")
    yield (
        f"context {context.id} until {when(context.expires_at)}, policy {context.policy_version},"
        f" about {count(context.tokens, 'token')}"
    )
    if given.get("explain"):
        left = ", ".join(f"{number} {reason}" for reason, number in sorted(context.filtered.items())) or "nothing"
        yield f"left out: {left}"
        yield "with " + ", ".join(f"{name} {value}" for name, value in context.parameters.items())
    yield from degraded_lines(context)


def judged_line(judged: results.FeedbackResult) -> str:
    """Say what a judgement changed."""
    node = judged.node
    stands = f"; {judged.representative_id} stands for it now" if judged.representative_id else ""
    worth = f"utility {node.utility:+.2f}, confidence {node.confidence:.2f}"
    return f"{judged.status} {judged.signal} for {node.id}: {worth}{stands}"


def imported_lines(imported: results.Imported, given: Mapping[str, Any]) -> Lines:
    """Say what an import did, and list the first lines that it left out, and where the others are."""
    counts = {name: number for name, number in _value_of(imported).items() if isinstance(number, int) and number}
    said = (_counted(name, number) for name, number in counts.items() if name != "rejected")
    yield ", ".join(said) or "nothing to import"
    if imported.redacted:
        yield f"taken out of texts: {counts_of(dict(sorted(imported.redacted.items())))}"
    if not imported.rejected:
        return
    yield f"{count(imported.rejected, 'line')} left out:"
    for line in imported.rejections[:_MAX_REJECTIONS]:
        yield shown(f"  line {line.line:,}{f' ({line.id})' if line.id else ''}: {line.reason}")
    if rejects := given.get("rejects"):
        yield shown(f"all of them are in {rejects}")
    elif imported.rejected > _MAX_REJECTIONS:
        yield "see all of them with --rejects FILE, or the first 1,000 with --json"


def _counted(name: str, number: int) -> str:
    """A count by its field: `nodes_created` is 1 node created, 2 nodes created."""
    nouns, _, done = name.partition("_")
    noun = {"queries": "query"}.get(nouns, nouns.removesuffix("s")) if number == 1 else nouns
    return f"{number:,} {noun} {done}".strip()


def health_lines(health: results.Health) -> Lines:
    """The facts about the store, and the findings of `doctor`."""
    yield from (*generic_lines(_value_of(health.info)), "")
    marks = {True: Text("ok", style="green"), False: Text("FAILED", style="bold red")}
    rows = [Overlay(check, {"result": marks[check.ok], "found": shown(check.detail)}) for check in health.checks]
    yield table_of(rows, "name result found")


def applied_line(applied: policies.PolicyApplied) -> RenderableType:
    """Say what applying a policy did."""
    before = f" (before: {applied.previous_version})" if applied.previous_version else ""
    would = ", ".join(f"{number} {name}" for name, number in applied.reclassify.items())
    after = f"; of what is stored: {would}" if would else ""
    hint = "; `wherefrom reclassify` brings old rows in line" if applied.status == "applied" else ""
    return shown(f"{applied.status}: {applied.version} in {applied.namespace}{before}{after}{hint}")


def privacy_lines(privacy: policies.Privacy, given: Mapping[str, Any]) -> Lines:
    """Say what becomes of personal data, and what a new choice does not change."""
    fate, older = "taken out of texts", "is shown without them; `wherefrom reclassify` takes them out for good."
    if privacy.mode == "personal":
        fate, older = "kept for you, and others do not see them", ""
    yield f"{privacy.mode}: e-mail addresses, phone, card and identity numbers are {fate}"
    if "privacy" in given:
        yield f"What was kept earlier {older}" if older else "What was taken out earlier does not come back."


def guarded_lines(guarded: policies.BoundaryCheck) -> Lines:
    """Say what the policy makes of a text."""
    yield shown(f"{guarded.reason} ({guarded.boundary_class}, policy {guarded.policy_version})")
    if guarded.text is not None:
        yield shown(guarded.text, lines=True)


def _why(hit: results.Hit, alpha: float) -> Text:
    factors = {} if hit.factors is None else {"S": hit.relevance, **asdict(hit.factors)}
    parts = {"alpha": alpha, **asdict(hit.scores), **factors}
    return shown(" ".join(f"{name}={tidy(value)};" for name, value in parts.items() if value is not None))


def _why_recalled(item: results.ContextItem) -> RenderableType:
    parts = [item.reason]
    parts += [f"replaces {', '.join(item.replaces)}"] if item.replaces else []
    parts += [f"disputed by {', '.join(item.disputed_by)}"] if item.disputed_by else []
    parts += [f"  {edge.tag}, confidence {edge.confidence:g}, {judge_of(edge)}" for edge in item.disputes]
    return shown("\n".join(parts), lines=True)


def documents_lines(added: evidence.DocumentsAdded) -> Lines:
    """List the documents that were read, and those that failed."""
    if added.documents:
        yield table_of(added.documents, "status fragments cites title source")
    yield counts_of(Counter(document.status for document in added.documents)) or "nothing was added"
    taken = sum((Counter(document.redacted) for document in added.documents), Counter())
    if taken:
        yield f"taken out of texts: {counts_of(dict(sorted(taken.items())))}"
    for source, reason in islice(added.failures, _MAX_FAILURES):
        yield shown(f"failed: {source}: {reason}")
    if len(added.failures) > _MAX_FAILURES:
        yield f"… and {len(added.failures) - _MAX_FAILURES} more failures"


def result_lines(result: evidence.QueryResult) -> Lines:
    """Rows as a table, or what is wrong."""
    if result.error is not None:
        said = {"error": result.error, "hint": result.hint, "dialect": result.dialect}
        yield from (shown(f"{name}: {value}") for name, value in said.items() if value)
    elif result.rows and len(result.columns) > _MAX_COLUMNS:
        for number, row in enumerate(result.rows, 1):
            yield Text(f"── {number} ──", style="dim")
            yield from (shown(f"{name}: {cell(value)}") for name, value in zip(result.columns, row, strict=True))
    elif result.rows:
        yield rows_table(result.columns, result.rows)
    if result.schema is not None:
        yield f"dialect: {result.dialect}"
        for shape in result.schema:
            yield f"{shape.name}({', '.join(shape.columns)})"
    if result.error is None:
        more = ", and there are more" if result.truncated else ""
        yield f"{count(len(result.rows), 'row')}{more}, {result.elapsed_ms} ms"


def status_lines(status: evidence.Status, given: Mapping[str, Any]) -> Lines:
    """Counts of what the memory holds, and its tasks with what they have gathered."""
    if status.note:
        yield shown(status.note)
    if "task_id" not in given:
        yield from generic_lines(status.counts)
        if status.pending_embeddings:
            yield f"{count(status.pending_embeddings, 'text')} waiting for a vector"
        if (health := status.searches).searches:
            asked = "1 search" if health.searches == 1 else f"{health.searches:,} searches"
            lacking = f"{health.fallbacks:,} ({health.fallback_share:.1%}) without one of their arms"
            yield f"{asked} in {health.days} days, {lacking}"
        if status.tasks_by_status:
            yield f"tasks: {counts_of(status.tasks_by_status)}"
    for state in status.tasks:
        yield from task_lines(state)


def task_lines(state: evidence.TaskState) -> Lines:
    """A task, and once it is completed what it has gathered."""
    task = state.task
    yield shown(f"{task.id}  {task.status}  {task.query}")
    searches = "1 query" if state.queries == 1 else f"{state.queries:,} queries"
    yield f"  {count(state.claims, 'claim')}, {searches}, begun {when(task.created_at)}"
    if task.result_summary:
        yield shown(f"  {task.result_summary}")
    if state.evidence_summary is not None:
        yield from _summary_lines(state.evidence_summary)


def _summary_lines(summary: evidence.EvidenceSummary) -> Lines:
    totals = ((summary.total_claims, "claim"), (summary.total_fragments, "fragment"), (summary.total_pages, "page"))
    yield f"  {', '.join(count(number, noun) for number, noun in totals)}"
    sides = {side: getattr(summary, f"{side}_edges") for side in ("supporting", "refuting", "neutral")}
    yield f"  evidence: {counts_of(sides)}"
    if summary.top_domains:
        yield shown(f"  from {', '.join(summary.top_domains)}")


_OWN: Final[Mapping[type, Callable[[Any], Lines]]] = {
    Node: lambda node: [memo_panel(node)],
    results.Page: lambda page: [table_of([Overlay(node, {"memo": memo_cell(node)}) for node in page.nodes], "id memo")],
    results.Namespaces: lambda found: [table_of(found.items, "namespace nodes")],
    results.Deleted: lambda gone: [f"deleted {gone.node.id} and {count(gone.edges_deleted, 'relation')}"],
    results.FeedbackResult: lambda judged: [judged_line(judged)],
    results.SweepResult: lambda swept: [
        f"{count(len(swept.node_ids), 'node')} and {count(swept.edges, 'relation')} retired (run {swept.run_id})"
    ],
    results.Related: lambda related: [related.status, relation_line(related.edge)],
    Edge: lambda edge: ["deleted", relation_line(edge)],
    MeasuredEdge: lambda edge: ["deleted", relation_line(edge)],
    results.Relations: lambda found: [relation_table(found)],
    results.SimilarFound: similar_lines,
    results.Health: health_lines,
    policies.PolicyApplied: lambda applied: [applied_line(applied)],
    policies.PolicyVersion: lambda policy: [
        syntax.Syntax(policy.yaml, "yaml", background_color="default", word_wrap=True)
    ],
    policies.BoundaryCheck: guarded_lines,
    evidence.Rendered: lambda rendered: [rendered.sql],
    evidence.Corrected: corrected_lines,
    evidence.DocumentsAdded: documents_lines,
    evidence.QueryResult: result_lines,
    evidence.Task: lambda task: [f"created task {task.id} in {task.namespace}"],
    evidence.TaskState: task_lines,
    metabolism.MetabolismPlan: render_plans.metabolism_lines,
    metabolism.Restored: render_plans.restored_lines,
    metabolism.Reinforced: render_plans.reinforced_lines,
}
_OWN_AS_ASKED: Final[Mapping[type, Callable[[Any, Mapping[str, Any]], Lines]]] = {
    results.Saved: saved_lines,
    results.SearchResult: found_lines,
    results.ActiveContext: context_lines,
    results.Imported: imported_lines,
    policies.Privacy: privacy_lines,
    evidence.Status: status_lines,
    insight.InsightPlan: lambda plan, given: render_plans.insight_lines(plan, rejected=bool(given.get("explain"))),
}
