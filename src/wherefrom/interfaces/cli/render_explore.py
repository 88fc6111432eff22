"""Tables, bars and lines of evidence, tasks and SQL, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import cell, count, counts_of, rows_table, shown, table_of, when
from wherefrom.interfaces.shape import Told
from wherefrom.model.evidence import (
    Corrected,
    DocumentsAdded,
    EvidenceSummary,
    Posterior,
    QueryResult,
    Status,
    TaskState,
)

_BAR: Final = 30
# Wider rows are shown one value a line.
_COLUMNS: Final = 8
_FAILURES: Final = 20
_COLOURS: Final = {"supporting": "green", "refuting": "red", "neutral": "yellow"}


def documents_table(added: DocumentsAdded) -> Iterator[RenderableType]:
    """What was read in, and what was not."""
    if added.documents:
        yield table_of(added.documents, "status fragments cites title source")
    yield counts_of(Counter(each.status for each in added.documents)) or "nothing was added"
    taken = sum((Counter(each.redacted) for each in added.documents), Counter())
    if taken:
        yield f"taken out of texts: {counts_of(dict(sorted(taken.items())))}"
    for source, reason in islice(added.failures, _FAILURES):
        yield shown(f"failed: {source}: {reason}")
    if len(added.failures) > _FAILURES:
        yield f"… and {len(added.failures) - _FAILURES} more failures"


def corrected_lines(corrected: Corrected) -> Iterator[RenderableType]:
    """How a claim stands after a correction, and its history."""
    state = "rejected" if corrected.rejected else "adopted"
    yield f"{'changed' if corrected.changed else 'unchanged'}: claim {corrected.claim_id} is {state}"
    yield _posterior(corrected.posterior)
    changes = [
        Told(each, {"what": f"{each.relation_before} → {each.relation_after}" if each.relation_before else ""})
        for each in corrected.history
    ]
    yield table_of(changes, "at action what source_id reason", empty="")


def result_lines(result: QueryResult) -> Iterator[RenderableType]:
    """Rows as a table, or what is wrong."""
    if result.error is not None:
        yield shown(f"error: {result.error}")
        if result.hint:
            yield shown(f"hint: {result.hint}")
        if result.dialect:
            yield f"dialect: {result.dialect}"
    elif result.rows and len(result.columns) > _COLUMNS:
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


def status_lines(status: Status, *, whole: bool) -> Iterator[RenderableType]:
    """Bars of what there is; tasks with what they have gathered."""
    if status.note:
        yield shown(status.note)
    if not whole:
        yield from _bars(status.counts, {})
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


def task_lines(state: TaskState) -> Iterator[RenderableType]:
    """A task, and once it is completed what it has gathered."""
    task = state.task
    yield shown(f"{task.id}  {task.status}  {task.query}")
    searches = "1 query" if state.queries == 1 else f"{state.queries:,} queries"
    yield f"  {count(state.claims, 'claim')}, {searches}, begun {when(task.created_at)}"
    if task.result_summary:
        yield shown(f"  {task.result_summary}")
    if state.evidence_summary is not None:
        yield from _summary_lines(state.evidence_summary)


def _summary_lines(summary: EvidenceSummary) -> Iterator[RenderableType]:
    totals = ((summary.total_claims, "claim"), (summary.total_fragments, "fragment"), (summary.total_pages, "page"))
    yield f"  {', '.join(count(number, noun) for number, noun in totals)}"
    yield from _bars({name: getattr(summary, f"{name}_edges") for name in _COLOURS}, _COLOURS)
    if summary.top_domains:
        yield shown(f"  from {', '.join(summary.top_domains)}")


def _bars(counts: Mapping[str, int], colours: Mapping[str, str]) -> Iterator[Text]:
    most = max(counts.values(), default=0) or 1
    width = max(map(len, counts), default=0)
    for name, number in counts.items():
        line = Text(f"  {name:<{width}} ")
        line.append("█" * round(_BAR * number / most) or ("▏" if number else ""), style=colours.get(name, "cyan"))
        line.append(f" {number:,}")
        yield line


def _posterior(posterior: Posterior) -> str:
    return (
        f"confidence {posterior.confidence:.3f} ± {posterior.uncertainty:.3f}, controversy {posterior.controversy:.2f}:"
        f" {posterior.supports} for, {posterior.refutes} against, {posterior.neutral} neutral,"
        f" from {count(posterior.pages, 'page')} of {count(posterior.domains, 'domain')}"
    )
