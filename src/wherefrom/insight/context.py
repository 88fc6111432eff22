"""The values that L1 hands to L3, checked: a part of the graph, and the context in which it is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wherefrom.graph.entropy import checked_features
from wherefrom.graph.local import LocalGraph, Numbers, Places
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.insight import CandidateEdge, NormSpec


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The part of the graph that a decision is about.

    graph: as it is before; `after`: with what comes in any case, if something does. places and rows: the nodes that
    have a vector, and these; weights: how much each of its dimensions counts. fresh: how many nodes are new, so that
    they have to be paid for.
    """

    graph: LocalGraph
    places: Places
    rows: Numbers
    weights: Numbers | None = None
    after: LocalGraph | None = None
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """The choice of L1. candidate_edges: None if it gave none. A hop that has candidates of its own is judged by them
    instead of these. norm_spec: what L1 chose by.
    """

    centers: tuple[int, ...]
    candidate_edges: tuple[CandidateEdge, ...] | None = None
    candidate_edges_by_hop: Mapping[int, tuple[CandidateEdge, ...]] = field(default_factory=dict)
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)
    norm_spec: NormSpec | None = None

    @property
    def lacks_candidates(self) -> bool:
        """True if L1 handed over no candidates at all; an empty list says that it looked and found none."""
        return self.candidate_edges is None and not self.candidate_edges_by_hop

    def at(self, hop: int) -> tuple[CandidateEdge, ...]:
        """The candidates of a hop: its own if it has any, else the common ones."""
        return self.candidate_edges_by_hop.get(hop) or self.candidate_edges or ()

    def theta_link(self, usual: float) -> float:
        """The least score of a candidate that is proposed: as L1 chose it, else the usual one."""
        return usual if self.norm_spec is None else self.norm_spec.theta_link

    def edges(self) -> tuple[CandidateEdge, ...]:
        """All candidates, each once, whichever way it is written."""
        by_hop = (edges for _, edges in sorted(self.candidate_edges_by_hop.items()))
        return tuple(
            {ends_of(edge): edge for edges in (self.candidate_edges or (), *by_hop) for edge in edges}.values()
        )


def ends_of(edge: CandidateEdge) -> tuple[int, int]:
    """The ends of a candidate, the lower one first: it has no direction here."""
    return min(edge.source, edge.target), max(edge.source, edge.target)


def checked(scene: Scene, context: Context) -> Context:
    """The context without loops, doubles and edges that are there. Raises InvalidInput if it does not fit the graph."""
    _check_scene(scene)
    size = scene.graph.size
    for center in context.centers:
        _check_place(center, size, of="center")
    present = scene.after or scene.graph

    def clean(edges: Sequence[CandidateEdge]) -> tuple[CandidateEdge, ...]:
        for edge in edges:
            for place in (edge.source, edge.target):
                _check_place(place, size, of="end of a candidate")
            if edge.score is not None and not 0.0 <= edge.score <= 1.0:
                raise InvalidInput(f"the score {shown(edge.score)} of a candidate is not between 0 and 1")
        there = {*map(tuple, present.edges.tolist())}
        found: dict[tuple[int, int], CandidateEdge] = {}
        for edge in sorted(edges, key=lambda edge: -(edge.score or 0.0)):
            if ends_of(edge) not in there and edge.source != edge.target:
                found.setdefault(ends_of(edge), edge)
        # In the order of their ends: in whatever order they come, the same are chosen.
        return tuple(found[ends] for ends in sorted(found))

    return replace(
        context,
        centers=tuple(dict.fromkeys(context.centers)),
        candidate_edges=None if context.candidate_edges is None else clean(context.candidate_edges),
        candidate_edges_by_hop={hop: clean(edges) for hop, edges in context.candidate_edges_by_hop.items()},
    )


def _check_scene(scene: Scene) -> None:
    size = scene.graph.size
    try:
        checked_features(scene.places, scene.rows, scene.weights, size)
    except ValueError as error:
        raise InvalidInput(str(error)) from None
    if scene.fresh < 0:
        raise InvalidInput(f"{scene.fresh} nodes cannot be new")
    if scene.after is not None and (scene.after.size != size or not scene.after.has(scene.graph.edges).all()):
        raise InvalidInput("the graph after lacks nodes or edges of the graph before")


def _check_place(place: int, size: int, *, of: str) -> None:
    if not 0 <= place < size:
        raise InvalidInput(f"{shown(place)} as {of} is not one of the {size} nodes of the graph")
