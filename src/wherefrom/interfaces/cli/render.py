"""Tables and sentences for people, made of results; what has none of its own is shown by the generic table.

Stored text is shown as data: no markup, no control characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom import interfaces
from wherefrom.interfaces.cli import (
    render_history,
    render_keys,
    render_nodes,
    render_plans,
    render_stored_plans,
    render_upkeep,
)
from wherefrom.interfaces.cli.cells import (
    cell,
    count,
    counts_of,
    generic_lines,
    generic_table,
    rows_table,
    shown,
    table_of,
    when,
)
from wherefrom.interfaces.cli.layout import Verbatim
from wherefrom.interfaces.shape import Overlay
from wherefrom.lazy import lazy_modules
from wherefrom.model import (
    evidence,
    forgetting,
    history,
    insight,
    keys,
    metabolism,
    plans,
    policies,
    results,
    review,
    rules,
    upkeep,
)
from wherefrom.model.graph import Edge, MeasuredEdge, Node
from wherefrom.model.health import Distribution, Health
from wherefrom.model.identifiers import short_id
from wherefrom.model.neighbourhood import PathFound

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


_NEAR_CHARACTERS: Final = 120


def saved_lines(saved: results.Saved, given: Mapping[str, Any]) -> Lines:
    """Say what saving did, and with --link which relations it made."""
    note = " (this text was already there)" if saved.status == "duplicate" else ""
    yield shown(f"{saved.status} {short_id(saved.node.id)} in {saved.node.namespace}{note}")
    if saved.replaced:
        begins = saved.node.valid_from or ""
        since = f"from {begins[:10]} on" if begins > saved.node.updated_at else "history now"
        yield shown(f"replaces {', '.join(map(short_id, saved.replaced))}: {since}")
    elif saved.node.superseded_by:
        yield shown(f"history: {short_id(saved.node.superseded_by)} holds after it")
    if saved.note:
        yield shown(saved.note)
    for near in saved.near:
        text = " ".join(near.node.content.split())
        text = text if len(text) <= _NEAR_CHARACTERS else f"{text[: _NEAR_CHARACTERS - 1]}…"
        differs = ", ".join(near.differs)
        yield shown(f"near {short_id(near.node.id)} of {near.node.observed_at[:10]} ({differs}): {text}")
        if near.hint:
            yield shown(f"  {near.hint}", style="dim")
    if given.get("link"):
        yield from render_plans.linked_lines(saved)


def corrected_lines(corrected: evidence.Corrected) -> Lines:
    """Say whether a claim counts and how sure it is, and list its corrections."""
    state, posterior = "rejected" if corrected.rejected else "adopted", corrected.posterior
    yield f"{'changed' if corrected.changed else 'unchanged'}: claim {short_id(corrected.claim_id)} is {state}"
    yield _standing(posterior)
    for entry in corrected.history:
        change = f" {entry.relation_before} → {entry.relation_after}" if entry.relation_after else ""
        yield shown(f"  {when(entry.at)}  {entry.action}{change}: {entry.reason}")


def evidence_lines(added: evidence.EvidenceAdded) -> Lines:
    """Say what became of the source and of each claim, and how each claim stands."""
    if added.page is not None:
        yield f"{added.page.status} page {short_id(added.page.id)}"
    yield from (f"{fragment.status} fragment {short_id(fragment.id)}" for fragment in added.fragments)
    for claim in added.claims:
        yield f"{claim.status} claim {short_id(claim.id)}{' (it is rejected)' if claim.rejected else ''}"
        yield _standing(claim.posterior)
    if kept := added.edges.get("kept"):
        yield f"{count(kept, 'judgement')} not changed: a person has corrected {'it' if kept == 1 else 'them'}"
    if added.redacted:
        yield f"taken out of texts: {counts_of(dict(sorted(added.redacted.items())))}"


def page_lines(page: evidence.PageCorrected) -> Lines:
    """Say what a page is known as, and how much was brought in line with it."""
    year = "year unknown" if page.year is None else str(page.year)
    yield shown(f"{'changed' if page.changed else 'unchanged'}: {page.title or page.url} ({year})")
    if page.followed:
        yield f"{page.followed:,} of its fragments and their claims follow it"


def _standing(posterior: evidence.Posterior) -> str:
    sides = f"{posterior.supports} for, {posterior.refutes} against"
    return f"confidence {posterior.confidence:.2f} ± {posterior.uncertainty:.2f}: {sides}"


def judged_line(judged: results.FeedbackResult) -> str:
    """Say what a judgement changed."""
    node = judged.node
    stands = f"; {short_id(judged.representative_id)} stands for it now" if judged.representative_id else ""
    worth = f"utility {node.utility:+.2f}, confidence {node.confidence:.2f}"
    ended = "; it is history now, and restore undoes that" if judged.signal == "outdated" and node.valid_to else ""
    return f"{judged.status} {judged.signal} for {short_id(node.id)}: {worth}{stands}{ended}"


def imported_lines(imported: results.Imported, given: Mapping[str, Any]) -> Lines:
    """Say what an import did, and list the first lines that it left out, and where the others are."""
    counts = {name: number for name, number in _value_of(imported).items() if isinstance(number, int) and number}
    said = (_counted(name, number) for name, number in counts.items() if name != "rejected")
    if done := ", ".join(said):
        yield done
    else:
        yield "nothing was imported" if imported.rejected else "nothing to import"
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


def health_lines(health: Health) -> Lines:
    """The facts about the store, and the findings of `doctor`."""
    yield from (*generic_lines(_value_of(health.info)), "")
    marks = {True: Text("ok", style="green"), False: Text("FAILED", style="bold red")}
    rows = [Overlay(check, {"result": marks[check.ok], "found": shown(check.detail)}) for check in health.checks]
    yield table_of(rows, "name result found")


def distribution_line(distribution: Distribution) -> str:
    """Say what was distributed, and over how many servers."""
    where = f"{count(distribution.servers, 'server')}, each table in {count(distribution.shards, 'part')}"
    made = [(distribution.distributed, "distributed by owner"), (distribution.copied, "copied to every server")]
    done = ", ".join(f"{count(len(names), 'table')} {how}" for names, how in made if names)
    return f"{done or 'all tables are distributed'} ({where})"


def applied_line(applied: policies.PolicyApplied) -> RenderableType:
    """Say what applying a policy did."""
    before = f" (before: {applied.previous_version})" if applied.previous_version else ""
    would = ", ".join(f"{number} {name}" for name, number in applied.reclassify.items())
    after = f"; of what is stored: {would}" if would else ""
    hint = "; `wherefrom reclassify` brings old rows in line" if applied.status == "applied" else ""
    return shown(f"{applied.status}: {applied.version} in {applied.namespace}{before}{after}{hint}")


def _yaml(text: str) -> Verbatim:
    """YAML in colours. The rest of a comment on a line of its own would no longer be one, if it were copied."""
    highlighted = syntax.Syntax("", "yaml", background_color="default").highlight(text.rstrip("\n"))
    highlighted.rstrip()
    return Verbatim(highlighted)


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


def documents_lines(added: evidence.DocumentsAdded) -> Lines:
    """List the documents that were read, and those that failed."""
    if added.documents:
        for document in added.documents:
            cites = f", cites {document.cites:,}" if document.cites else ""
            name = document.title or document.url
            yield shown(f"{document.status} {name}: {count(document.fragments, 'fragment')}{cites}")
            yield shown(f"  {document.source}", style="dim")
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
        yield from render_nodes.waiting_lines(status.review, status.upkeep)
    for state in status.tasks:
        yield from task_lines(state)


def task_lines(state: evidence.TaskState) -> Lines:
    """A task, and once it is completed what it has gathered."""
    task = state.task
    yield shown(f"{short_id(task.id)}  {task.status}  {task.query}")
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
    Node: render_nodes.node_lines,
    results.Page: render_nodes.listed_lines,
    results.Namespaces: lambda found: [table_of(found.items, "namespace nodes")],
    results.Deleted: lambda gone: [f"deleted {short_id(gone.node.id)} and {count(gone.edges_deleted, 'relation')}"],
    results.FeedbackResult: lambda judged: [judged_line(judged)],
    results.SweepResult: lambda swept: [
        f"{count(len(swept.node_ids), 'node')} and {count(swept.edges, 'relation')} retired"
        f" (run {short_id(swept.run_id)})"
    ],
    results.Related: lambda related: [related.status, render_nodes.relation_line(related.edge)],
    Edge: lambda edge: ["deleted", render_nodes.relation_line(edge)],
    MeasuredEdge: lambda edge: ["deleted", render_nodes.relation_line(edge)],
    results.Relations: render_nodes.relation_lines,
    PathFound: render_nodes.path_lines,
    results.SimilarFound: render_nodes.similar_lines,
    Health: health_lines,
    Distribution: lambda distribution: [distribution_line(distribution)],
    policies.PolicyApplied: lambda applied: [applied_line(applied)],
    policies.PolicyVersion: lambda policy: [_yaml(policy.yaml)],
    policies.BoundaryCheck: guarded_lines,
    evidence.Rendered: lambda rendered: [rendered.sql],
    evidence.Corrected: corrected_lines,
    evidence.EvidenceAdded: evidence_lines,
    evidence.ClaimEvidence: lambda found: [*render_nodes.claim_lines(found), _standing(found.posterior)],
    evidence.PageCorrected: page_lines,
    evidence.DocumentsAdded: documents_lines,
    evidence.QueryResult: result_lines,
    evidence.Task: lambda task: [f"created task {short_id(task.id)} in {task.namespace}"],
    evidence.TaskState: task_lines,
    keys.Key: render_keys.revoked_lines,
    keys.NewKey: render_keys.new_key_lines,
    keys.Keys: render_keys.keys_lines,
    history.History: render_history.history_lines,
    review.Review: render_nodes.review_lines,
    rules.Rules: render_nodes.rules_lines,
    review.Settled: lambda settled: [shown(settled.text)],
    metabolism.MetabolismPlan: render_plans.metabolism_lines,
    plans.Plans: render_stored_plans.plans_lines,
    forgetting.ForgetPlan: render_plans.forgotten_lines,
    metabolism.Restored: render_plans.restored_lines,
    metabolism.Reinforced: render_plans.reinforced_lines,
    upkeep.Upkeep: render_upkeep.upkeep_lines,
}
_OWN_AS_ASKED: Final[Mapping[type, Callable[[Any, Mapping[str, Any]], Lines]]] = {
    results.Saved: saved_lines,
    results.SearchResult: render_nodes.found_lines,
    results.ActiveContext: render_nodes.context_lines,
    results.Imported: imported_lines,
    policies.Privacy: privacy_lines,
    evidence.Status: status_lines,
    insight.InsightPlan: lambda plan, given: render_plans.insight_lines(plan, rejected=bool(given.get("explain"))),
}
