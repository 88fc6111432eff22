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
from wherefrom.interfaces.cli.cells import cell, count, first_line, judge_of, memo_cell, new_table, shown, when
from wherefrom.model.evidence import (
    Corrected,
    DocumentsAdded,
    QueryResult,
    Rendered,
    Status,
    Task,
    TaskState,
)
from wherefrom.model.graph import GUESSING, Edge, MeasuredEdge, Node
from wherefrom.model.insight import InsightPlan
from wherefrom.model.metabolism import MetabolismPlan, Reinforced, Restored
from wherefrom.model.policies import Guarded, PolicyApplied, PolicyVersion, Privacy
from wherefrom.model.results import (
    ActiveContext,
    ContextItem,
    Deleted,
    Found,
    Health,
    Hit,
    Imported,
    Judged,
    Page,
    Related,
    Relations,
    Renamed,
    Saved,
    SimilarFound,
    Swept,
)
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
    plain = new_table("", "")
    labels: set[str] = set()
    for name, inner in value.items():
        if (isinstance(inner, list) and inner and isinstance(inner[0], dict)) or name in ("next_cursor", "truncated"):
            continue
        rows = inner.items() if isinstance(inner, dict) else [(name, inner)]
        for label, entry in rows:
            if entry not in (None, "", [], {}) and not (isinstance(entry, list) and isinstance(entry[0], list)):
                said = f"{entry:,}" if isinstance(entry, int) and not isinstance(entry, bool) else entry
                label = f"{name} {label}" if label in labels else str(label)
                labels.add(label)
                plain.add_row(shown(label.replace("_", " ")), cell(said))
    plain.show_header = False
    yield plain
    for name, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            yield from ("", f"{name.replace('_', ' ')}:", generic_table(inner))


def generic_table(rows: list[dict[str, Any]]) -> RenderableType:
    """Objects as a table; columns that are empty in all of them are left out."""
    names = [name for name in rows[0] if any(_is_short(row.get(name)) for row in rows)] if rows else []
    table = new_table(*(name.replace("_", " ") for name in names))
    for row in rows:
        table.add_row(*(cell(row.get(name)) for name in names))
    return table if rows else "nothing here yet"


def _is_short(value: Any) -> bool:
    return value not in (None, "") and not isinstance(value, list | dict) and "\n" not in str(value)


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


def saved_lines(saved: Saved, call: Call) -> Lines:
    note = " (this text was already there)" if saved.status == "duplicate" else ""
    yield shown(f"{saved.status} {saved.node.id} in {saved.node.namespace}{note}")
    if saved.note:
        yield shown(saved.note)
    if call.given.get("link"):
        yield from render_insight.saved_lines(saved)


def memo_table(page: Page) -> RenderableType:
    """Memos, a few lines each."""
    table = new_table("id", "memo")
    for node in page.nodes:
        table.add_row(node.id, memo_cell(node))
    return table if page.nodes else "nothing here yet"


def hit_table(found: Found, *, explain: bool = False) -> RenderableType:
    """What a search found, best first."""
    table = new_table("score", "id", "memo", *(["why"] if explain else []))
    for hit in found.hits:
        why = [_why(hit, found.alpha)] if explain else []
        table.add_row(f"{hit.score:.2f}", hit.node.id, memo_cell(hit.node), *why)
    return table if found.hits else "nothing found"


def found_lines(found: Found, call: Call) -> Lines:
    yield hit_table(found, explain=call.explain)
    yield from (f"degraded: {why}" for why in found.degraded)


def similar_lines(found: SimilarFound, call: Call) -> Lines:
    del call
    table = new_table("similarity", "id", "text")
    for node in found.results:
        table.add_row(f"{node.similarity:.3f}", node.id, first_line(node.text_preview))
    yield table if found.results else "nothing that similar"
    yield f"searched {count(found.total_searched, 'vector')}"


def relation_table(found: Relations) -> RenderableType:
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


def context_lines(context: ActiveContext, *, explain: bool = False) -> Lines:
    """What was recalled, best first; what was left out, and what is lacking."""
    table = new_table("#", "score", "id", "memo", "why")
    for item in context.items:
        table.add_row(str(item.rank), f"{item.score:.2f}", item.node.id, memo_cell(item.node), _why_recalled(item))
    yield table if context.items else "nothing that matters"
    yield (
        f"context {context.id} until {when(context.expires_at)}, policy {context.policy_version},"
        f" about {count(context.tokens, 'token')}"
    )
    if explain:
        left = ", ".join(f"{number} {reason}" for reason, number in sorted(context.filtered.items())) or "nothing"
        yield f"left out: {left}"
        yield "with " + ", ".join(f"{name} {value}" for name, value in context.parameters.items())
    yield from (f"degraded: {why}" for why in context.degraded)


def judged_line(judged: Judged) -> str:
    """What a judgement did."""
    stands = f"; {judged.representative_id} stands for it now" if judged.representative_id else ""
    return (
        f"{judged.status} {judged.signal} for {judged.node.id}: utility {judged.node.utility:+.2f},"
        f" confidence {judged.node.confidence:.2f}{stands}"
    )


def imported_lines(imported: Imported, call: Call) -> Lines:
    """What an import did, the first lines that it left out, and where to find the others."""
    counts = {name: value for name, value in value_of(imported, "").items() if isinstance(value, int) and value}
    said = (_counted(name, number) for name, number in counts.items() if name != "rejected")
    yield ", ".join(said) or "nothing to import"
    if imported.redacted:
        taken = (f"{number:,} {kind}" for kind, number in sorted(imported.redacted.items()))
        yield f"taken out of texts: {', '.join(taken)}"
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


def health_table(health: Health) -> RenderableType:
    """The findings of `doctor`."""
    table = new_table("check", "", "found")
    for check in health.checks:
        mark = Text("ok", style="green") if check.ok else Text("FAILED", style="bold red")
        table.add_row(check.name, mark, shown(check.detail))
    return table


def applied_line(applied: PolicyApplied) -> RenderableType:
    """What applying a policy did."""
    before = f" (before: {applied.previous_version})" if applied.previous_version else ""
    would = ", ".join(f"{number} {name}" for name, number in applied.reclassify.items())
    after = f"; of what is stored: {would}" if would else ""
    hint = "; `wherefrom reclassify` brings old rows in line" if applied.status == "applied" else ""
    return shown(f"{applied.status}: {applied.version} in {applied.namespace}{before}{after}{hint}")


def privacy_lines(privacy: Privacy, call: Call) -> Lines:
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


def guarded_lines(guarded: Guarded) -> Lines:
    """What the policy makes of a text."""
    yield shown(f"{guarded.reason} ({guarded.boundary_class}, policy {guarded.policy_version})")
    if guarded.text is not None:
        yield shown(guarded.text, lines=True)


def _why(hit: Hit, alpha: float) -> str:
    scores = hit.scores
    words = (
        "no word" if scores.bm25 is None else f"words {scores.s_text:.2f} (BM25 {scores.bm25:.2f}, #{scores.text_rank})"
    )
    place = f", #{scores.vector_rank}" if scores.vector_rank else ""
    meaning = (
        "no vector"
        if scores.similarity is None
        else f"meaning {scores.s_vec:.2f} (cosine {scores.similarity:.2f}{place})"
    )
    lines = [words, meaning, f"weight of meaning {alpha:g}"]
    if hit.factors is not None:
        parts = hit.factors
        lines.append(f"S {hit.relevance or 0.0:.2f}, g {parts.g:.2f}")
        lines.append(f"utility {parts.utility:.2f}, confidence {parts.confidence:.2f}, recency {parts.recency:.2f}")
    if hit.scores.found_through is not None:
        lines.append(f"found through {hit.scores.found_through}")
    return "\n".join(lines)


def _why_recalled(item: ContextItem) -> RenderableType:
    parts = [item.reason]
    parts += [f"replaces {', '.join(item.replaces)}"] if item.replaces else []
    parts += [f"disputed by {', '.join(item.disputed_by)}"] if item.disputed_by else []
    parts += [f"  {edge.tag}, confidence {edge.confidence:g}, {judge_of(edge)}" for edge in item.disputes]
    return shown("\n".join(parts), lines=True)


_OWN: Final[Mapping[type, Callable[[Any, Any], Lines]]] = {
    Saved: saved_lines,
    Node: lambda node, call: [memo_panel(node)],
    Page: lambda page, call: [memo_table(page)],
    Deleted: lambda gone, call: [f"deleted {gone.node.id} and {count(gone.edges_deleted, 'relation')}"],
    Found: found_lines,
    SimilarFound: similar_lines,
    ActiveContext: lambda context, call: context_lines(context, explain=call.explain),
    Judged: lambda judged, call: [judged_line(judged)],
    Swept: lambda swept, call: [
        f"{count(len(swept.node_ids), 'node')} and {count(swept.edges, 'relation')} retired (run {swept.run_id})"
    ],
    Related: lambda related, call: [related.status, relation_line(related.edge)],
    Edge: lambda edge, call: ["deleted", relation_line(edge)],
    MeasuredEdge: lambda edge, call: ["deleted", relation_line(edge)],
    Relations: lambda found, call: [relation_table(found)],
    Renamed: lambda moved, call: [
        shown(f"{moved.source} is now {moved.target}: {count(moved.nodes, 'node')}, {count(moved.edges, 'relation')}")
    ],
    Imported: imported_lines,
    Health: lambda health, call: [*generic_lines(value_of(health.info, "")), "", health_table(health)],
    PolicyApplied: lambda applied, call: [applied_line(applied)],
    PolicyVersion: lambda policy, call: [Syntax(policy.yaml, "yaml", background_color="default", word_wrap=True)],
    Privacy: privacy_lines,
    Guarded: lambda guarded, call: guarded_lines(guarded),
    Rendered: lambda rendered, call: [rendered.sql],
    DocumentsAdded: lambda added, call: render_explore.documents_table(added),
    Corrected: lambda corrected, call: render_explore.corrected_lines(corrected),
    QueryResult: lambda result, call: render_explore.result_lines(result),
    Status: lambda status, call: render_explore.status_lines(status, whole="task_id" in call.given),
    Task: lambda task, call: [f"created task {task.id} in {task.namespace}"],
    TaskState: lambda state, call: render_explore.task_lines(state),
    InsightPlan: lambda plan, call: render_insight.plan_lines(plan, rejected=call.explain),
    MetabolismPlan: lambda plan, call: render_metabolism.plan_lines(plan),
    Restored: lambda restored, call: render_metabolism.restored_lines(restored),
    Reinforced: lambda reinforced, call: render_metabolism.reinforced_lines(reinforced),
}
