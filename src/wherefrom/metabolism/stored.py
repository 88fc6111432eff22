"""Plans of metabolism as they are stored: all that applying one exactly needs, and what people are shown of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from wherefrom.metabolism.conflicts import EdgeRemoval, thin_edge
from wherefrom.metabolism.nearest import Neighbour
from wherefrom.metabolism.removals import NodeRemoval, Removals
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.metabolism import MetabolismPlan, NodeVerdict
from wherefrom.storage import nodes
from wherefrom.storage.metabolism import PAGE_ROWS, Clocks, MeasuredGraph, ThickEdge
from wherefrom.storage.metabolism_plans import StoredMetabolism
from wherefrom.storage.port import Transaction

_DIGITS: Final = 9
_MAX_LISTED: Final = 100
_SHOWN: Final = ("nodes", "links", "settings", "spared", "undecided", "differing", "degraded")
LEFT_OUT: Final = "left out, as asked"


def content_of(removals: Removals, newest: Mapping[str, str]) -> dict[str, Any]:
    """Return what is stored of a plan: ids and figures, no text of any node."""
    plan = removals.plan
    shown = {name: getattr(plan, name) for name in _SHOWN}
    return {
        **shown,
        "newest": newest,
        "going": [_without_nulls(asdict(removal)) for removal in removals.nodes],
        "conflicting": [asdict(removal) for _, removal in sorted(removals.conflicting.items())],
        "thin": [[seq, round(value, _DIGITS)] for seq, value in sorted(removals.thin.items())],
        "left": sorted(removals.left),
    }


@dataclass(frozen=True, slots=True)
class ExactPlan:
    """A stored plan that is to be applied as it was shown. left_out: what the caller keeps, and why."""

    removals: Removals
    newest: Mapping[str, str]
    left_out: Mapping[str, str]

    def clocks(self, moment: datetime) -> Clocks:
        """The clocks of a moment that measure edges as the plan did."""
        settings = {name: MetabolismSettings(**values) for name, values in self.removals.plan.settings.items()}  # type: ignore[arg-type]
        return Clocks(moment, self.newest, settings)

    def without(self, node_ids: Collection[str], seqs: Collection[int]) -> Removals:
        """What is left to do once these nodes and edges are gone."""
        return _less(self.removals, node_ids, seqs)


def exact_plan(tx: Transaction, access: Access, stored: StoredMetabolism, keep: Sequence[str]) -> ExactPlan:
    """Read a stored plan, without the nodes in `keep` and their relations."""
    removals = removals_of(stored)
    named = names_of(tx, access, removals)
    plan = shown_plan(stored, removals, named)
    exact = ExactPlan(replace(removals, plan=plan), stored.content["newest"], dict.fromkeys(keep, LEFT_OUT))
    graph = MeasuredGraph(tx, access, exact.clocks(datetime.fromisoformat(stored.created_at)))
    exact = replace(exact, removals=replace(removals, plan=_with_thinnest(graph, removals, plan)))
    if not keep:
        return exact
    ends: dict[str, set[int]] = {}
    for edge in graph.edges_by_seq([*removals.thin, *removals.conflicting]).values():
        for end in (edge.source_id, edge.target_id):
            ends.setdefault(end, set()).add(edge.seq)
    going = {removal.id for removal in removals.nodes}
    if unknown := [node_id for node_id in keep if node_id not in going and node_id not in ends]:
        raise NotFound(f"plan {stored.id} lets nothing of {unknown[0]} go", hint="keep names what the plan lists")
    seqs = {seq for node_id in keep for seq in ends.get(node_id, ())}
    return replace(exact, removals=_less(exact.removals, keep, seqs))


def removals_of(stored: StoredMetabolism) -> Removals:
    """Return all that a stored plan lets go, without the names of it."""
    content = stored.content
    going = tuple(_removal(row) for row in content["going"])
    conflicting = {
        row["edge"]["seq"]: EdgeRemoval(ThickEdge(**row["edge"]), row["rule"], ThickEdge(**row["winner"]))
        for row in content["conflicting"]
    }
    plan = MetabolismPlan(root_namespace=stored.namespace, created_at=stored.created_at)
    return Removals(plan, going, conflicting, dict(content["thin"]), frozenset(content["left"]))


def names_of(tx: Transaction, access: Access, removals: Removals) -> dict[str, Any]:
    """The names of the nodes that go and of those that stand for them, as far as they are here."""
    ids = {removal.id for removal in removals.nodes}
    ids.update(removal.neighbour.id for removal in removals.nodes if removal.neighbour is not None)
    order = sorted(ids)
    pages = (order[start : start + PAGE_ROWS] for start in range(0, len(order), PAGE_ROWS))
    return {ref.id: ref for page in pages for ref in nodes.refs(tx, access, page, beginnings=True)}


def shown_plan(stored: StoredMetabolism, removals: Removals, names: Mapping[str, Any]) -> MetabolismPlan:
    """Return a stored plan as people are shown it."""
    content = stored.content
    verdicts = []
    for removal in removals.nodes:
        if removal.id in names:
            near = removal.neighbour
            figures = None if near is None else near.difficulty
            stand_in = None if near is None else names.get(near.id)
            thickness = removal.thickness
            node = names[removal.id]
            verdict = NodeVerdict(node, True, removal.rule, len(removal.edges), thickness, figures, stand_in)
            verdicts.append(verdict)
    told = {name: content[name] for name in _SHOWN if name != "degraded"}
    return replace(
        removals.plan,
        plan_id=stored.id,
        run_id=stored.run_id,
        state="planned" if stored.run_id is None else "applied",
        removed=tuple(verdicts),
        pruned=len(removals.thin) + len(removals.conflicting),
        degraded=tuple(content["degraded"]),
        **told,
    )


def _with_thinnest(graph: MeasuredGraph, removals: Removals, plan: MetabolismPlan) -> MetabolismPlan:
    """Return a plan with some of the relations that go by themselves, as far as they are here."""
    thinnest = sorted(removals.thin, key=lambda seq: (removals.thin[seq], seq))
    here = graph.edges_by_seq([*removals.conflicting, *thinnest][:_MAX_LISTED])
    rules = {seq: removal.rule for seq, removal in removals.conflicting.items()}
    listed = tuple(thin_edge(edge, rules.get(seq, "thin")) for seq, edge in here.items())
    ends = sorted({end for edge in listed for end in (edge.source_id, edge.target_id)})
    return replace(plan, thinnest=listed, ends=tuple(nodes.refs(graph.tx, graph.access, ends, beginnings=True)))


def _less(removals: Removals, node_ids: Collection[str], seqs: Collection[int]) -> Removals:
    return replace(
        removals,
        nodes=tuple(removal for removal in removals.nodes if removal.id not in node_ids),
        conflicting={seq: removal for seq, removal in removals.conflicting.items() if seq not in seqs},
        thin={seq: value for seq, value in removals.thin.items() if seq not in seqs},
    )


def _removal(row: Mapping[str, Any]) -> NodeRemoval:
    """Return a removal as it was; what is null is not stored."""
    values: dict[str, Any] = {"thickness": None, "neighbour_version": None, "edges": ()}
    values |= {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    near = values.get("neighbour")
    values["neighbour"] = None if near is None else Neighbour(**near)
    return NodeRemoval(**values)


def _without_nulls(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and value != ()}
