"""Tables and lines of metabolism, for people."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import count, degraded_lines, first_line, new_table, shown, table_of
from wherefrom.interfaces.shape import Told
from wherefrom.model.graph import NodeRef
from wherefrom.model.metabolism import WHY_SPARED, MetabolismPlan, Reinforced, Restored, TagConflict, Weak
from wherefrom.storage.retired import KEPT

_COMPARED_CHARACTERS: Final = 60
_TITLE_CHARACTERS: Final = 40
# So many of each are shown; --json has more.
_ROWS: Final = 10
_LINKS: Final = 5
_FEW: Final = 3
_WEAK: Final = "name node.kind thickness difficulty nearest verdict"
_GONE: Final = "node.id name node.kind difficulty nearest"
_MORE: Final = "--json lists them"
_KEY: Final = (
    "thickness: of its thickest relation; difficulty of restoring it: 1 − similarity to the nearest that stays"
)


def plan_lines(plan: MetabolismPlan) -> Iterator[RenderableType]:
    """What may go, what is weak, what is spared and why, and what can be done next."""
    names = {ref.id: ref for ref in plan.ends}
    going = "may go" if plan.state == "planned" else "were let go"
    yield _counts(plan)
    yield from _settings(plan)
    yield from _nodes(plan)
    if plan.thinnest:
        yield from ("", f"relations that {going} though their ends stay:", _link_table(plan, names))
        yield from _more(plan.pruned, _LINKS, all_listed=len(plan.thinnest) >= plan.pruned)
    if plan.spared:
        yield from ("", "spared, though weak or thin:", _spared_table(plan))
    yield from _conflicts(plan, names)
    yield ""
    yield from _next(plan)
    yield from degraded_lines(plan)


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
    going = []
    if plan.removed:
        going.append(
            f"{count(len(plan.removed), 'node')} (with {'its' if len(plan.removed) == 1 else 'their'} relations)"
        )
    if plan.pruned:
        going.append(count(plan.pruned, "other relation" if plan.removed else "relation"))
    return shown(f"{examined}; {' and '.join(going) or 'nothing'} may go")


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
            yield from (
                "",
                "nodes that were let go:",
                table_of(map(_told, plan.removed[:_ROWS]), _GONE),
                *_more(len(plan.removed)),
            )
        return
    if plan.weakest:
        yield from ("", "the weakest nodes:", table_of(map(_told, plan.weakest), _WEAK))
        yield Text(_KEY, style="dim")
    seen = {weak.node.id for weak in plan.weakest}
    others = [weak for weak in plan.removed if weak.node.id not in seen]
    if others:
        yield from ("", "other nodes that may go:", table_of(map(_told, others[:_ROWS]), _WEAK), *_more(len(others)))


def _told(weak: Weak) -> Told:
    """A weak node with its names; near-copies begin alike, so that more of a name must be seen."""
    verdict = f"may go: {_why_it_goes(weak)}" if weak.removed else f"stays: {_why_it_stays(weak)}"
    nearest = _name(weak.neighbour, _COMPARED_CHARACTERS) if weak.neighbour else Text("–")
    name = _name(weak.node, _COMPARED_CHARACTERS)
    return Told(weak, {"name": name, "nearest": nearest, "verdict": verdict})


def _link_table(plan: MetabolismPlan, names: Mapping[str, NodeRef]) -> RenderableType:
    why = {"thin": "thin", "exclusive": "a thicker one excludes it", "duplicate": "a thicker one says the same"}
    rows = [
        Told(link, {"from": _named(link.source_id, names), "to": _named(link.target_id, names), "why": why[link.rule]})
        for link in plan.thinnest[:_LINKS]
    ]
    return table_of(rows, "from tag to thickness why")


def _spared_table(plan: MetabolismPlan) -> RenderableType:
    examples = {weak.rule: _told(weak) for weak in reversed(plan.examples)}
    table = new_table("count", "why", "for example", "nearest")
    for rule, number in sorted(plan.spared.items(), key=lambda item: -item[1]):
        example = examples.get(rule)
        table.add_row(f"{number:,}", WHY_SPARED[rule], *((example.name, example.nearest) if example else ()))
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
        yield from ("", "conflicts of which the thickest relation stays:", _conflict_table(decided[:_LINKS], names))
        if len(decided) > _LINKS:
            yield "  and more"


def _conflict_table(some: Sequence[TagConflict], names: Mapping[str, NodeRef]) -> RenderableType:
    """With ids: who settles a conflict needs them."""
    table = new_table("from", "tag", "to (thickness)", "why")
    for conflict in some:
        head = (_named(conflict.source_id, names, with_id=True), shown(conflict.tag))
        why = shown(conflict.why)
        for link in conflict.links[:_FEW]:
            thickness = f" ({link.thickness:.3f}{', stays' if link == conflict.kept else ''})"
            table.add_row(*head, _named(link.target_id, names, thickness, with_id=True), why)
            head, why = (Text(), Text()), Text()
        if len(conflict.links) > _FEW:
            table.add_row("", "", f"and {len(conflict.links) - _FEW:,} more", "")
    return table


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


def _why_it_goes(weak: Weak) -> str:
    return "nothing is related to it" if weak.rule == "orphan" else "the nearest says nearly the same"


def _why_it_stays(weak: Weak) -> str:
    if weak.rule == "differs" and weak.detail:
        return "what is near says less" if weak.detail == "content" else f"what is near differs in its {weak.detail}"
    return next((why for rule, why in WHY_SPARED.items() if rule == weak.rule), weak.rule)


def _name(ref: NodeRef, width: int = _TITLE_CHARACTERS) -> Text:
    return first_line(ref.title or ref.id, width=width)


def _named(node_id: str, names: Mapping[str, NodeRef], more: str = "", *, with_id: bool = False) -> Text:
    ref = names.get(node_id)
    name = (_name(ref) if ref else shown(node_id)) + Text(more)
    return Text("\n").join([name, shown(node_id, style="dim")]) if with_id and ref and ref.title else name


def _more(total: int, rows: int = _ROWS, *, all_listed: bool = True) -> Iterator[str]:
    if total > rows:
        yield f"  and {total - rows:,} more" + (f"; {_MORE}" if all_listed else "")
