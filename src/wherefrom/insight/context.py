"""The values that L1 hands to L3: a part of the graph, and the context in which it is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wherefrom.graph.local import LocalGraph, Numbers, Places
from wherefrom.model.insight import CandidateEdge, NormSpec


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The part of the graph that a decision is about.

    graph: as it is before; `after`: with the edges that come whatever is decided, if any do. places: the nodes that
    have a vector; rows: their vectors; weights: how much each dimension counts. fresh: the number of new nodes, each
    of which adds to the cost of the edit.
    """

    graph: LocalGraph
    places: Places
    rows: Numbers
    weights: Numbers | None = None
    after: LocalGraph | None = None
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """The choice of L1. candidate_edges: None if L1 gave none; candidate_edges_by_hop: candidates for one hop, which
    take the place of the common ones there. norm_spec: the thresholds that L1 chose by.
    """

    centers: tuple[int, ...]
    candidate_edges: tuple[CandidateEdge, ...] | None = None
    candidate_edges_by_hop: Mapping[int, tuple[CandidateEdge, ...]] = field(default_factory=dict)
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)
    norm_spec: NormSpec | None = None

    def at(self, hop: int) -> tuple[CandidateEdge, ...]:
        """Return the candidates of a hop: its own if it has any, else the common ones."""
        return self.candidate_edges_by_hop.get(hop) or self.candidate_edges or ()

    def theta_link(self, usual: float) -> float:
        """Return the least score of a candidate that is proposed: as L1 chose it, else the usual one."""
        return usual if self.norm_spec is None else self.norm_spec.theta_link

    def edges(self) -> tuple[CandidateEdge, ...]:
        """Return all candidates, each once, whichever way it is written."""
        by_hop = (edges for _, edges in sorted(self.candidate_edges_by_hop.items()))
        return tuple(
            {ends_of(edge): edge for edges in (self.candidate_edges or (), *by_hop) for edge in edges}.values()
        )

    def cleaned(self, graph: LocalGraph) -> Context:
        """Return the context without loops, doubles, and edges that the graph has."""
        there = {*map(tuple, graph.edges.tolist())}

        def clean(edges: Sequence[CandidateEdge]) -> tuple[CandidateEdge, ...]:
            found: dict[tuple[int, int], CandidateEdge] = {}
            for edge in sorted(edges, key=lambda edge: -(edge.score or 0.0)):
                if ends_of(edge) not in there and edge.source != edge.target:
                    found.setdefault(ends_of(edge), edge)
            # In the order of their ends: in whatever order they come, the same are chosen.
            return tuple(found[ends] for ends in sorted(found))

        return replace(
            self,
            centers=tuple(dict.fromkeys(self.centers)),
            candidate_edges=None if self.candidate_edges is None else clean(self.candidate_edges),
            candidate_edges_by_hop={hop: clean(edges) for hop, edges in self.candidate_edges_by_hop.items()},
        )


def ends_of(edge: CandidateEdge) -> tuple[int, int]:
    """Return the ends of a candidate, the lower one first: it has no direction here."""
    return min(edge.source, edge.target), max(edge.source, edge.target)
