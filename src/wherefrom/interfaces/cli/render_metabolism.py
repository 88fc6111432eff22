"""Tables and lines of metabolism, for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import count, first_line, new_table, shown
from wherefrom.model.graph import NodeRef
from wherefrom.model.metabolism import WHY_SPARED, MetabolismPlan, Reinforced, Restored, SparedRule, TagConflict, Weak
from wherefrom.storage.retired import KEPT

# Near-copies begin alike, so that more of a name must be seen where nodes are compared.
_COMPARED_CHARACTERS: Final = 60
_TITLE_CHARACTERS: Final = 40
# So many of each are shown; --json has more.
_ROWS: Final = 10
_LINKS: Final = 5
_FEW: Final = 3
_MORE: Final = "--json lists them"
_KEY: Final = (
    "thickness: of its thickest relation; difficulty of restoring it: 1 − similarity to the nearest that stays"
)


def plan_lines(plan: MetabolismPlan) -> Iterator[RenderableType]:
    """What may go, what is weak, what is spared and why, and what can be done next."""
    names = {ref.id: ref for ref in plan.ends}
    yield _counts(plan)
    yield from _settings(plan)
    yield from _nodes(plan)
    if plan.thinnest:
        yield from ("", f"relations that {_go(plan)} though their ends stay:", _link_table(plan, names))
        yield from _more(plan.pruned, _LINKS, all_listed=len(plan.thinnest) >= plan.pruned)
    if plan.spared:
        yield from ("", "spared, though weak or thin:", _spared_table(plan))
    yield from _conflicts(plan, names)
    yield ""
    yield from _next(plan)
    yield from (shown(f"degraded: {why}") for why in plan.degraded)


def restored_lines(restored: Restored) -> Iterator[RenderableType]:
    """What came back and what did not."""
    yield f"{count(len(restored.node_ids), 'node')} and {count(restored.links, 'relation')} came back"
    yield from (shown(node_id) for node_id in restored.node_ids[:_ROWS])
    yield from _more(len(restored.node_ids))
    if restored.skipped:
        yield f"{len(restored.skipped):,} did not:"
        yield from (shown(f"{name}: {why}") for name, why in list(restored.skipped.items())[:_ROWS])
        yield from _more(len(restored.skipped))


def reinforced_lines(reinforced: Reinforced) -> Iterator[RenderableType]:
    """The relation, and what it is worth now."""
    edge, before = reinforced.edge, reinforced.before
    verb = "strengthened" if (edge.confidence, edge.weight) >= (before.confidence, before.weight) else "weakened"
    yield shown(f"{verb}: {edge.source_id} -[{edge.tag}]-> {edge.target_id}")
    yield f"weight {before.weight:.2f} → {edge.weight:.2f}, confidence {before.confidence:.2f} → {edge.confidence:.2f}"


def _counts(plan: MetabolismPlan) -> Text:
    examined = f"{count(plan.nodes, 'node')}, {count(plan.links, 'relation')} examined in {plan.root_namespace}"
    if plan.state != "planned":
        went = f"{count(plan.nodes_removed, 'node')} and {count(plan.links_removed, 'relation')} were let go"
        return shown(f"{examined}; {went}")
    if not plan.removed and not plan.pruned:
        return shown(f"{examined}; nothing may go")
    nodes = f"{count(len(plan.removed), 'node')} (with {'its' if len(plan.removed) == 1 else 'their'} relations)"
    others = f"{plan.pruned:,} other {'relation' if plan.pruned == 1 else 'relations'}"
    going = " and ".join([*([nodes] if plan.removed else []), *([others] if plan.pruned and plan.removed else [])])
    return shown(f"{examined}; {going or count(plan.pruned, 'relation')} may go")


def _settings(plan: MetabolismPlan) -> Iterator[Text]:
    """By which numbers it was judged; namespaces with the same ones together."""
    alike: dict[str, list[str]] = defaultdict(list)
    for namespace in sorted(plan.settings):
        alike[_numbers(plan.settings[namespace])].append(namespace)
    for numbers, namespaces in list(alike.items())[:_FEW]:
        others = f" and {count(len(namespaces) - 1, 'other namespace')}" if len(namespaces) > 1 else ""
        where = f" in {namespaces[0]}{others}" if len(alike) > 1 else ""
        yield shown(f"judged{where} by {numbers}", style="dim")
    if len(alike) > _FEW:
        yield shown(f"and {len(alike) - _FEW:,} more settings; {_MORE}", style="dim")


def _numbers(settings: Mapping[str, object]) -> str:
    return (
        f"half-life {settings['half_life_days']:g} d, threshold {settings['prune_threshold']:g}, "
        f"protection {settings['protection_hours']:g} h, {settings['mdl_neighbours']} neighbours, "
        f"benefit {settings['mdl_benefit']:g}, orphans {settings['orphans']}"
    )


def _nodes(plan: MetabolismPlan) -> Iterator[RenderableType]:
    """Of a plan the weakest and what else may go; once applied what went, with the ids that restore it."""
    if plan.state != "planned":
        if plan.removed:
            yield from ("", "nodes that were let go:", _gone_table(plan.removed[:_ROWS]), *_more(len(plan.removed)))
        return
    if plan.weakest:
        yield from ("", "the weakest nodes:", _weak_table(plan.weakest))
        yield Text(_KEY, style="dim")
    seen = {weak.node.id for weak in plan.weakest}
    others = [weak for weak in plan.removed if weak.node.id not in seen]
    if others:
        yield from ("", "other nodes that may go:", _weak_table(others[:_ROWS]), *_more(len(others)))


def _weak_table(some: Sequence[Weak]) -> RenderableType:
    table = new_table("name", "kind", "thickness", "difficulty", "nearest", "verdict")
    for weak in some:
        verdict = f"may go: {_why_it_goes(weak)}" if weak.removed else f"stays: {_why_it_stays(weak)}"
        name, nearest = _compared(weak)
        table.add_row(name, weak.node.kind, _thickness(weak), _difficulty(weak), nearest, shown(verdict))
    return table


def _gone_table(some: Sequence[Weak]) -> RenderableType:
    table = new_table("id", "name", "kind", "difficulty", "nearest")
    for weak in some:
        name, nearest = _compared(weak)
        table.add_row(shown(weak.node.id), name, weak.node.kind, _difficulty(weak), nearest)
    return table


def _compared(weak: Weak) -> tuple[Text, Text]:
    return _name(weak.node, width=_COMPARED_CHARACTERS), _nearest(weak, width=_COMPARED_CHARACTERS)


def _link_table(plan: MetabolismPlan, names: Mapping[str, NodeRef]) -> RenderableType:
    why = {"thin": "thin", "exclusive": "a thicker one excludes it", "duplicate": "a thicker one says the same"}
    table = new_table("from", "tag", "to", "thickness", "why")
    for link in plan.thinnest[:_LINKS]:
        ends = (_named(link.source_id, names), _named(link.target_id, names))
        table.add_row(ends[0], shown(link.tag), ends[1], f"{link.thickness:.3f}", why[link.rule])
    return table


def _spared_table(plan: MetabolismPlan) -> RenderableType:
    examples: dict[str, Weak] = {}
    for weak in plan.examples:
        examples.setdefault(weak.rule, weak)
    table = new_table("count", "why", "for example", "nearest")
    rules: list[tuple[SparedRule, int]] = sorted(plan.spared.items(), key=lambda item: -item[1])
    for rule, number in rules:
        example = examples.get(rule)
        shown_as = (_name(example.node), _nearest(example)) if example else ("", "")
        table.add_row(f"{number:,}", WHY_SPARED[rule], *shown_as)
    return table


def _conflicts(plan: MetabolismPlan, names: Mapping[str, NodeRef]) -> Iterator[RenderableType]:
    if plan.undecided:
        which = [conflict for conflict in plan.conflicts if conflict.kept is None]
        yield from ("", f"{count(plan.undecided, 'conflict')} undecided; all of these relations stay:")
        yield _conflict_table(which[:_LINKS], names)
        yield from _more(plan.undecided, _LINKS, all_listed=len(which) >= plan.undecided)
        yield "to settle one, delete what is wrong: wherefrom unrelate SOURCE_ID TARGET_ID --tag TAG"
    decided = [conflict for conflict in plan.conflicts if conflict.kept is not None]
    if decided:
        yield from ("", "conflicts of which the thickest relation stays:")
        yield from (_conflict(conflict, names) for conflict in decided[:_LINKS])
        if len(decided) > _LINKS:
            yield "  and more"


def _conflict_table(some: Sequence[TagConflict], names: Mapping[str, NodeRef]) -> RenderableType:
    """With ids: who settles a conflict needs them."""
    table = new_table("from", "tag", "to", "thickness", "why")
    for conflict in some:
        head: Sequence[RenderableType] = (_named(conflict.source_id, names, with_id=True), shown(conflict.tag))
        why = shown(conflict.why)
        for link in conflict.links[:_FEW]:
            table.add_row(*head, _named(link.target_id, names, with_id=True), f"{link.thickness:.3f}", why)
            head, why = ("", ""), Text()
        if len(conflict.links) > _FEW:
            table.add_row("", "", f"and {len(conflict.links) - _FEW:,} more", "", "")
    return table


def _conflict(conflict: TagConflict, names: Mapping[str, NodeRef]) -> Text:
    targets = [
        f"{_named(link.target_id, names)} ({link.thickness:.3f}{', stays' if link == conflict.kept else ''})"
        for link in conflict.links[:_FEW]
    ]
    if len(conflict.links) > _FEW:
        targets.append(f"{len(conflict.links) - _FEW:,} more")
    return shown(f"  {_named(conflict.source_id, names)} -[{conflict.tag}]-> {', '.join(targets)}: {conflict.why}")


def _next(plan: MetabolismPlan) -> Iterator[str]:
    if plan.state == "planned":
        if plan.removed or plan.pruned:
            yield "nothing was changed; to let these go: wherefrom metabolize --apply (with the same options)"
        else:
            yield "nothing was changed"
        return
    if plan.resumed:
        yield "a run that was stopped before is completed with it"
    if plan.skipped:
        yield f"{plan.skipped:,} stayed after all: they were changed meanwhile"
    if plan.purged:
        yield f"{count(plan.purged, 'receipt')} older than {KEPT.days} days deleted for good"
    if plan.run_id and (plan.nodes_removed or plan.links_removed):
        yield f"run {plan.run_id} is applied; receipts are kept for {KEPT.days} days"
        yield f"to take it back: wherefrom restore --run {plan.run_id}; one of them: wherefrom restore NODE_ID"
    else:
        yield "nothing was let go"


def _go(plan: MetabolismPlan) -> str:
    return "may go" if plan.state == "planned" else "were let go"


def _why_it_goes(weak: Weak) -> str:
    return "nothing is related to it" if weak.rule == "orphan" else "the nearest says nearly the same"


def _why_it_stays(weak: Weak) -> str:
    if weak.rule == "differs" and weak.detail:
        return "what is near says less" if weak.detail == "content" else f"what is near differs in its {weak.detail}"
    return next((why for rule, why in WHY_SPARED.items() if rule == weak.rule), weak.rule)


def _thickness(weak: Weak) -> str:
    return "none" if weak.thickness is None else f"{weak.thickness:.3f}"


def _difficulty(weak: Weak) -> str:
    return "–" if weak.difficulty is None else f"{weak.difficulty:.3f}"


def _nearest(weak: Weak, *, width: int = _TITLE_CHARACTERS) -> Text:
    return _name(weak.neighbour, width=width) if weak.neighbour else Text("–")


def _name(ref: NodeRef, *, width: int = _TITLE_CHARACTERS) -> Text:
    return first_line(ref.title or ref.id, width=width)


def _with_id(ref: NodeRef) -> Text:
    return Text("\n").join([_name(ref), shown(ref.id, style="dim")]) if ref.title else shown(ref.id)


def _named(node_id: str, names: Mapping[str, NodeRef], *, with_id: bool = False) -> Text:
    if node_id not in names:
        return shown(node_id)
    return _with_id(names[node_id]) if with_id else _name(names[node_id])


def _more(total: int, rows: int = _ROWS, *, all_listed: bool = True) -> Iterator[str]:
    if total > rows:
        yield f"  and {total - rows:,} more" + (f"; {_MORE}" if all_listed else "")
