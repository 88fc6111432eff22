"""The engine of stored plans: lists those of insight and metabolism, reads one, and compares two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from wherefrom.engine.params import Namespace, id_param
from wherefrom.engine.view import Engine
from wherefrom.metabolism import stored
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.model.graph import Edge
from wherefrom.model.param import Param
from wherefrom.model.plans import PlanEntry, PlanKind, Plans, PlanSummary
from wherefrom.storage import history, insight, metabolism_plans, nodes, plans
from wherefrom.storage.port import Transaction
from wherefrom.text.check import json_text

_DIGITS: Final = 4
_GONE: Final = "a relation that is not here"

Figures = Mapping[str, str | float | None]
Key = tuple[str, ...]
"""What an entry is of: a node by its id, a relation by its ends and tag, or by the number that it was stored under."""


class PlanEngine(Engine):
    """Lists, reads and compares stored plans."""

    def plans(
        self,
        first_id: Annotated[str | None, id_param("Show this plan.", refers="plan", metavar="PLAN_ID")] = None,
        second_id: Annotated[
            str | None, id_param("And how this one differs from it.", refers="plan", metavar="PLAN_ID")
        ] = None,
        *,
        kind: Annotated[PlanKind | None, Param("Only plans of this engine.")] = None,
        namespace: Namespace = None,
        limit: Annotated[int, Param("How many plans, or entries of plans, at most.", 1, limits.LIST_LIMIT)] = 20,
    ) -> Plans:
        """List the stored plans and the runs of insight and metabolism, newest first; with an id, show what is in that
        plan; with two, what only one of them has, and what both have with other figures.
        """
        view, moment = self.view.access, self.store.clock()
        access = view.narrowed(view.resolve(namespace)) if namespace is not None else view

        def work(tx: Transaction) -> Plans:
            if first_id is None:
                return Plans(access.root, tuple(plans.page(tx, access, kind, limit=limit, moment=moment)))
            asked = [first_id] if second_id is None else [first_id, second_id]
            read = [self._read(tx, access, plan_id) for plan_id in asked]
            if len({found.summary.kind for found in read}) > 1:
                raise InvalidInput("one is a plan of insight, the other of metabolism", hint="compare two of one kind")
            return _compared(tx, access, read, limit=limit)

        return self.store.database.read(work)

    def _read(self, tx: Transaction, access: Access, plan_id: str) -> _Read:
        moment = self.store.clock()
        try:
            kept = insight.get(tx, access, plan_id, moment=moment)
        except NotFound:
            try:
                found = metabolism_plans.get(tx, access, plan_id, moment=moment)
            except NotFound as error:
                raise NotFound(error.message, hint="find_insight and metabolize make plans") from None
            (summary,) = plans.page(tx, access, "metabolism", limit=1, moment=moment, plan_id=found.id)
            return _Read(summary, _letting_go(stored.removals_of(found)))
        plan, place = insight.stated(tx, access, kept), kept.namespace
        decided = plan.undone_at or plan.applied_at
        summary = PlanSummary(plan.id, "insight", plan.state, plan.created_at, place, decided)
        summary = replace(summary, links=len(plan.accepted), made=plan.written)
        figures: dict[Key, Figures] = {
            (*sorted((link.source_id, link.target_id)), link.tag): {
                "weight": round(link.weight, _DIGITS), "g": round(link.figures.g, _DIGITS), "state": link.state
            }
            for link in plan.accepted
        }  # fmt: skip
        return _Read(summary, figures)


@dataclass(frozen=True, slots=True)
class _Read:
    """A plan that was read: the figures of all that it makes or lets go."""

    summary: PlanSummary
    figures: Mapping[Key, Figures]


def _letting_go(removals: Any) -> dict[Key, Figures]:
    found: dict[Key, Figures] = {}
    for removal in removals.nodes:
        near = removal.neighbour
        figures = {"rule": removal.rule, "thickness": _rounded(removal.thickness)}
        found[(removal.id,)] = figures | (
            {} if near is None else {"difficulty": _rounded(near.difficulty), "stand_in": near.id}
        )
    for seq, removal in removals.conflicting.items():
        found["", str(seq)] = {"rule": removal.rule, "thickness": _rounded(removal.edge.value)}
    for seq, value in removals.thin.items():
        found["", str(seq)] = {"rule": "thin", "thickness": _rounded(value)}
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _compared(tx: Transaction, access: Access, read: Sequence[_Read], *, limit: int) -> Plans:
    """Tell what is in one plan, or differs between two; names are looked up for what is listed alone."""
    first, second = read[0].figures, read[-1].figures if len(read) > 1 else {}
    keys = [key for key in dict.fromkeys((*first, *second)) if first.get(key) != second.get(key)]
    # What only the first has, then what only the second has, then what both have.
    keys.sort(key=lambda key: (key in first) + 2 * (key in second))
    shown = keys[:limit]
    names, edges = _names(tx, access, shown)
    entries = [replace(_entry(key, names, edges), first=first.get(key), second=second.get(key)) for key in shown]
    same = len({*first, *second}) - len(keys)
    return Plans(access.root, tuple(found.summary for found in read), tuple(entries), same, len(keys) > limit)


def _names(tx: Transaction, access: Access, keys: Sequence[Key]) -> tuple[dict[str, str], dict[str, Edge]]:
    """The names of the nodes of some entries by id, of those that went, too; and their relations that are here by the
    number of each.
    """
    seqs = [int(key[1]) for key in keys if not key[0]]
    rows = tx.rows("edges_numbered", {"owner": access.owner, "seqs": json_text(sorted(seqs))}) if seqs else ()
    edges = {str(row[0]): Edge(*row[1:]) for row in rows}
    seen = {seq: edge for seq, edge in edges.items() if access.sees(edge.source_namespace, edge.boundary_class)}
    ids = {node_id for key in keys if key[0] for node_id in key[: 2 if len(key) > 1 else 1]}
    ids.update(end for edge in seen.values() for end in (edge.source_id, edge.target_id))
    here = {ref.id: ref.title or ref.id for ref in nodes.refs(tx, access, sorted(ids), beginnings=True)}
    gone = history.receipts(tx, access, sorted(ids - here.keys()))
    return {**{node_id: receipt.title for node_id, receipt in gone.items()}, **here}, seen


def _entry(key: Key, names: Mapping[str, str], edges: Mapping[str, Edge]) -> PlanEntry:
    if len(key) == 1:
        return PlanEntry("node", key, names.get(key[0], key[0]), None)
    if key[0]:
        one, other, tag = key
        return PlanEntry("relation", (one, other), f"{names.get(one, one)} -{tag}- {names.get(other, other)}", None)
    edge = edges.get(key[1])
    if edge is None:
        return PlanEntry("relation", (), _GONE, None)
    ends = edge.source_id, edge.target_id
    said = f"{names.get(ends[0], ends[0])} -{edge.tag}-> {names.get(ends[1], ends[1])}"
    return PlanEntry("relation", ends, said, None)
