"""Tables and sentences about the plans of insight, metabolism and forgetting, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import cell, count, degraded_lines, first_line, shown, table_of, tidy
from wherefrom.interfaces.cli.layout import Entry
from wherefrom.interfaces.shape import Overlay
from wherefrom.metabolism.settings import RUN_SETTINGS
from wherefrom.model.forgetting import ForgetPlan, ForgottenNode
from wherefrom.model.graph import NodeRef
from wherefrom.model.identifiers import short_id
from wherefrom.model.insight import InsightPlan, ProposedEdge
from wherefrom.model.metabolism import WHY_SPARED, MetabolismPlan, NodeVerdict, Reinforced, Restored
from wherefrom.model.results import Saved
from wherefrom.storage.receipts import KEPT

_TITLE_CHARACTERS: Final = 40
# Near-copies begin alike, so that more of a name must be seen.
_COMPARED_CHARACTERS: Final = 60
# --json has more.
_MAX_ROWS: Final = 10
_MAX_RELATIONS: Final = 5
# All of it is to be read before it goes.
_MAX_FORGOTTEN: Final = 100
_MAX_SETTINGS: Final = 3
_WEAK_COLUMNS: Final = "name node.kind thickness difficulty nearest verdict"
_GONE_COLUMNS: Final = "id name node.kind difficulty nearest"
_SETTINGS_COLUMNS: Final = f"namespace {' '.join(RUN_SETTINGS)}"
_LEGEND: Final = (
    "thickness: of its thickest relation; difficulty of restoring it: 1 − similarity to the nearest that stays"
)
_NO_EXAMPLE: Final = Overlay(None, {"for_example": "", "nearest": ""})
RULES: Final[dict[str, str]] = {
    **{str(rule): why for rule, why in WHY_SPARED.items()},
    "orphan": "nothing is related to it",
    "restorable": "the nearest says nearly the same",
    "thin": "thin",
    "exclusive": "a thicker one excludes it",
    "duplicate": "a thicker one says the same",
}


def insight_lines(plan: InsightPlan, *, rejected: bool) -> Iterator[RenderableType]:
    """The relations of a plan, how many there are, and what can be done with them."""
    names = {ref.id: ref for ref in plan.nodes}
    for edge in (*plan.accepted, *(plan.rejected if rejected else ())):
        figures = [f"{name} {tidy(getattr(edge.figures, name))}" for name in ("score", "g", "hop")]
        worth_it = [f"worth it: {'yes' if edge.accepted else 'no'}"] if rejected else []
        yield Entry(
            mark=f"{edge.number}." if edge.number else "-",
            head=Text.assemble(
                _end(edge.source_id, names), f" -[{edge.tag} {edge.weight:.2f}]-> ", _end(edge.target_id, names)
            ),
            text=shown(edge.reason),
            facts=(*figures, *worth_it, *_decided(edge)),
        )
    judged = count(plan.judged, "question" if "query" in plan.asked else "memo")
    others = f", {len(plan.rejected):,} not" if plan.rejected else ""
    yield f"{judged} judged: {count(len(plan.accepted), 'relation')} worth making{others}"
    yield from _after_insight(plan)
    if plan.remaining:
        yield f"{count(plan.remaining, 'new memo')} left for the next plan, once this one is applied"
    yield from degraded_lines(plan)


def _decided(edge: ProposedEdge) -> Iterator[str]:
    """What was decided about a relation."""
    if edge.state != "open":
        yield edge.state.replace("_", " ") + (f": {edge.note}" if edge.note else "")


def _after_insight(plan: InsightPlan) -> Iterator[str]:
    plan_id = short_id(plan.id)
    if plan.state == "applied":
        yield f"plan {plan_id} is {_outcome(plan)}"
        if waiting := sum(edge.state == "open" for edge in plan.accepted):
            yield f"to make the other {waiting:,}: wherefrom insight --apply-plan {plan_id}"
        if plan.written or plan.declined:
            yield f"to take them back: wherefrom insight --undo {plan_id}"
    elif plan.state == "undone":
        left = f"{count(plan.written, 'relation')} of it left" if plan.written else "no relation of it is left"
        yield f"plan {plan_id} is undone: {left}"
    elif plan.accepted:
        yield f"plan {plan_id} is proposed"
        yield f"to make these relations: wherefrom insight --apply-plan {plan_id} (some: --only 1,3)"
        yield f"to decline them: wherefrom insight --decline {plan_id}"
    elif plan.judged and "since" in plan.asked:
        yield f"plan {plan_id} has no relations"
        yield f"to go on from here: wherefrom insight --apply-plan {plan_id}"
    else:
        yield f"plan {plan_id} has no relations"


def _outcome(plan: InsightPlan) -> str:
    """What came of a plan about which something was decided."""
    declined = count(plan.declined, "relation")
    if plan.declined and not plan.written:
        return f"decided: {declined} declined; nothing was linked"
    return f"applied: {count(plan.written, 'relation')} made" + (
        f", {plan.declined:,} declined" if plan.declined else ""
    )


def linked_lines(saved: Saved) -> Iterator[RenderableType]:
    """The relations that saving a memo with --link made."""
    for edge in saved.links:
        guess = f"{edge.tag} {edge.weight:.2f}, confidence {edge.confidence:g}, guess: {edge.judge}"
        yield shown(f"linked {short_id(edge.source_id)} -[{guess}]-> {short_id(edge.target_id)}: {edge.reason}")
    if not saved.links:
        yield "no new relation is worth it"
    yield from degraded_lines(saved)


def metabolism_lines(plan: MetabolismPlan) -> Iterator[RenderableType]:
    """Nodes and relations that may go, weak ones that are spared, and the next step."""
    yield _counts(plan)
    settings = [
        Overlay(None, {"namespace": place, **{name: cell(value) for name, value in settings.items()}})
        for place, settings in sorted(plan.settings.items())
    ]
    yield from _table("judged by:", settings, _SETTINGS_COLUMNS, listed=_MAX_SETTINGS)
    yield from _nodes(plan)
    names = {ref.id: ref for ref in plan.ends}
    thin = [_relation(edge, names, why=RULES[edge.rule]) for edge in plan.thinnest]
    going = "may go" if plan.state == "planned" else "were let go"
    title = f"relations that {going} though their ends stay:"
    yield from _table(title, thin, "from tag to thickness why", listed=_MAX_RELATIONS, total=plan.pruned)
    examples = {weak.rule: _row(weak) for weak in reversed(plan.examples)}
    spared = [
        Overlay(examples.get(rule, _NO_EXAMPLE), {"count": f"{number:,}", "why": WHY_SPARED[rule]})
        for rule, number in sorted(plan.spared.items(), key=lambda item: -item[1])
    ]
    yield from _table("spared, though weak or thin:", spared, "count why for_example nearest", listed=len(spared))
    if plan.differing:
        near = "near-copy differs and waits" if plan.differing == 1 else "near-copies differ and wait"
        yield f"{plan.differing:,} {near} in review: wherefrom review"
    yield from _conflicts(plan, names)
    yield from ("", *_after_metabolism(plan))
    yield from degraded_lines(plan)


def forgotten_lines(plan: ForgetPlan) -> Iterator[RenderableType]:
    """The nodes that are to be forgotten, or how many were, and the next step."""
    if plan.state in ("planned", "changed"):
        yield from to_forget_lines(plan)
        if plan.nodes:
            yield "nothing was changed"
            yield f"to forget these: wherefrom forget --plan {plan.plan} (with the same options)"
        return
    if not plan.nodes:
        yield "nothing fits: nothing was forgotten"
        yield "what was forgotten before is erased by its whole id, which history --json lists"
        return
    done = "erased for good" if plan.for_good else "forgotten"
    yield f"{count(len(plan.nodes), 'node')} and {count(plan.links, 'relation')} {done}"
    if plan.run_id and plan.restorable_until and plan.nodes:
        yield f"to bring them back until {plan.restorable_until[:10]}: wherefrom restore --run {short_id(plan.run_id)}"
    if plan.left:
        yield "not reached:"
        yield from (shown(f"- {what}") for what in plan.left)


def to_forget_lines(plan: ForgetPlan) -> Iterator[RenderableType]:
    """The nodes that are to be forgotten."""
    if plan.note:
        yield shown(plan.note)
    if not plan.nodes:
        yield "nothing fits"
        return
    going = [count(len(plan.nodes), "node"), count(plan.links, "relation")]
    going += [count(plan.versions, "former version")] if plan.versions else []
    yield f"{', '.join(going)} would be {'erased for good' if plan.for_good else 'forgotten'}:"
    figures = "relevance " if plan.nodes[0].relevance is not None else ""
    rows = [_forgotten(entry) for entry in plan.nodes[:_MAX_FORGOTTEN]]
    yield table_of(rows, f"{figures}id date kind name source")
    yield from _more(len(plan.nodes), _MAX_FORGOTTEN)


def restored_lines(restored: Restored) -> Iterator[RenderableType]:
    """The nodes that came back, and the reasons why others did not."""
    if restored.note:
        yield shown(f"{short_id(restored.node_ids[0])}: {restored.note}")
        return
    yield f"{count(len(restored.node_ids), 'node')} and {count(restored.links, 'relation')} came back"
    yield from (shown(short_id(node_id)) for node_id in restored.node_ids[:_MAX_ROWS])
    yield from _more(len(restored.node_ids))
    if restored.skipped:
        yield f"{len(restored.skipped):,} did not:"
        yield from (shown(f"{short_id(name)}: {why}") for name, why in list(restored.skipped.items())[:_MAX_ROWS])
        yield from _more(len(restored.skipped))


def reinforced_lines(reinforced: Reinforced) -> Iterator[RenderableType]:
    """The relation, and what it is worth now."""
    edge, before = reinforced.edge, reinforced.before
    verb = "strengthened" if (edge.confidence, edge.weight) >= (before.confidence, before.weight) else "weakened"
    yield shown(f"{verb}: {short_id(edge.source_id)} -[{edge.tag}]-> {short_id(edge.target_id)}")
    yield f"weight {before.weight:.2f} → {edge.weight:.2f}, confidence {before.confidence:.2f} → {edge.confidence:.2f}"


def _counts(plan: MetabolismPlan) -> Text:
    examined = f"{count(plan.nodes, 'node')}, {count(plan.links, 'relation')} examined in {plan.root_namespace}"
    if plan.state != "planned":
        went = f"{count(plan.nodes_removed, 'node')} and {count(plan.links_removed, 'relation')} were let go"
        return shown(f"{examined}; {went}")
    going = []
    if plan.removed:
        whose = "its" if len(plan.removed) == 1 else "their"
        going.append(f"{count(len(plan.removed), 'node')} (with {whose} relations)")
    if plan.pruned:
        going.append(count(plan.pruned, "other relation" if plan.removed else "relation"))
    return shown(f"{examined}; {' and '.join(going) or 'nothing'} may go")


def _nodes(plan: MetabolismPlan) -> Iterator[RenderableType]:
    """The weakest nodes and others that may go; once applied, those that went, with the ids that restore them."""
    if plan.state != "planned":
        yield from _table("nodes that were let go:", [*map(_row, plan.removed)], _GONE_COLUMNS)
        return
    yield from _table("the weakest nodes:", [*map(_row, plan.weakest)], _WEAK_COLUMNS)
    if plan.weakest:
        yield Text(_LEGEND, style="dim")
    seen = {weak.node.id for weak in plan.weakest}
    others = [_row(weak) for weak in plan.removed if weak.node.id not in seen]
    yield from _table("other nodes that may go:", others, _WEAK_COLUMNS)


def _table(
    title: str, rows: Sequence[object], columns: str, *, listed: int = _MAX_ROWS, total: int | None = None
) -> Iterator[RenderableType]:
    """A title, a table of the first rows, and how many more there are; nothing if there are no rows."""
    if rows:
        yield from ("", title, table_of(rows[:listed], columns))
        yield from _more(total or len(rows), listed, all_listed=len(rows) >= (total or 0))


def _row(weak: NodeVerdict) -> Overlay:
    """A weak node with its names and what becomes of it."""
    if weak.removed:
        verdict = f"may go: {RULES[weak.rule]}"
    elif weak.rule == "differs" and weak.detail:
        differs = "says less" if weak.detail == "content" else f"differs in its {weak.detail}"
        verdict = f"stays: what is near {differs}"
    else:
        verdict = f"stays: {RULES.get(weak.rule, weak.rule)}"
    nearest = _name(weak.neighbour, _COMPARED_CHARACTERS) if weak.neighbour else Text("–")
    name = _name(weak.node, _COMPARED_CHARACTERS)
    return Overlay(
        weak, {"id": short_id(weak.node.id), "name": name, "for_example": name, "nearest": nearest, "verdict": verdict}
    )


def _forgotten(entry: ForgottenNode) -> Overlay:
    """A row of what is to be forgotten."""
    relevance = "" if entry.relevance is None else f"{entry.relevance:.2f}"
    named = {"id": short_id(entry.node.id), "name": _name(entry.node), "kind": entry.node.kind, "relevance": relevance}
    source = first_line(entry.source, width=_TITLE_CHARACTERS) if entry.source else Text("")
    return Overlay(entry, {**named, "date": entry.date[:10], "source": source})


def _conflicts(plan: MetabolismPlan, names: Mapping[str, NodeRef]) -> Iterator[RenderableType]:
    """Relations that exclude each other, with the ids of their ends, which are needed to settle a conflict."""
    undecided, decided = (
        [
            _relation(edge, names, why=f"{'stays: ' * (edge == conflict.kept)}{conflict.why}", ids=True)
            for conflict in plan.conflicts
            for edge in conflict.links
            if (conflict.kept is not None) == is_decided
        ]
        for is_decided in (False, True)
    )
    title = f"{count(plan.undecided, 'conflict')} undecided; all of these relations stay:"
    yield from _table(title, undecided, "from tag to thickness why")
    if plan.undecided:
        yield "to settle one, delete what is wrong: wherefrom unrelate SOURCE_ID TARGET_ID --tag TAG"
    yield from _table("conflicts of which the thickest relation stays:", decided, "from tag to thickness why")


def _after_metabolism(plan: MetabolismPlan) -> Iterator[str]:
    if plan.state == "planned":
        yield "nothing was changed"
        if plan.removed or plan.pruned:
            known = f"--apply-plan {short_id(plan.plan_id)}" if plan.plan_id else "--apply (with the same options)"
            yield f"to let these go: wherefrom metabolize {known}"
        return
    if plan.resumed:
        yield "a run that was stopped before is completed with it"
    if plan.skipped:
        yield f"{plan.skipped:,} stayed after all: they were changed meanwhile"
    yield from (f"- {_stayed(name)} stayed: {why}" for name, why in list(plan.stayed.items())[:_MAX_ROWS])
    if plan.purged:
        yield f"{count(plan.purged, 'receipt')} older than {KEPT.days} days deleted for good"
    if plan.run_id and (plan.nodes_removed or plan.links_removed):
        yield f"run {short_id(plan.run_id)} is applied; receipts are kept for {KEPT.days} days"
        yield f"to take it back: wherefrom restore --run {short_id(plan.run_id)}"
        yield "one of them: wherefrom restore NODE_ID"
    else:
        yield "nothing was let go"


def _stayed(name: str) -> str:
    """A node by its id, or a relation by its ends."""
    source_id, *rest = name.split()
    return " ".join((short_id(source_id), *rest[:1], *map(short_id, rest[1:])))


def _name(ref: NodeRef, width: int = _TITLE_CHARACTERS) -> Text:
    return first_line(ref.title or short_id(ref.id), width=width)


def _end(node_id: str, names: Mapping[str, NodeRef]) -> Text:
    """The end of a relation: its id, and its name if it is known."""
    known, ref = Text(short_id(node_id), style="cyan"), names.get(node_id)
    return Text.assemble(known, " ", _name(ref)) if ref is not None and ref.title else known


def _relation(edge: Any, names: Mapping[str, NodeRef], *, ids: bool = False, **more: Any) -> Overlay:
    """A relation with the names of its ends, and with `ids` also their ids, and more entries of its row."""
    ends = []
    for end in (edge.source_id, edge.target_id):
        ref = names.get(end)
        name = _name(ref) if ref else shown(short_id(end))
        ends.append(Text("\n").join([name, shown(short_id(end), style="dim")]) if ids and ref and ref.title else name)
    return Overlay(edge, {"from": ends[0], "to": ends[1], **more})


def _more(total: int, listed: int = _MAX_ROWS, *, all_listed: bool = True) -> Iterator[str]:
    if total > listed:
        yield f"  and {total - listed:,} more" + ("; --json lists them" if all_listed else "")
