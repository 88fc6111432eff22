"""What a plan lets go, with all that applying it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wherefrom.metabolism.conflicts import EdgeRemoval
from wherefrom.metabolism.nearest import Neighbour
from wherefrom.model.metabolism import MetabolismPlan, RemovalRule


@dataclass(frozen=True, slots=True)
class NodeRemoval:
    """A node that goes: as it was judged, and what it is restored from.

    edges: the seqs of its edges, the thinnest first. wave: the removal round; a node left without edges goes one round
    after its last neighbour. is_strong: True if it is not weak, but its copy outranks it.
    """

    id: str
    version: int
    rule: RemovalRule
    thickness: float | None
    neighbour: Neighbour | None
    neighbour_version: int | None
    edges: tuple[int, ...]
    wave: int
    is_strong: bool = False


@dataclass(frozen=True, slots=True)
class Removals:
    """A plan with all that applying it needs: nodes in the order in which they go, edges by their seq.

    left: the edges of nodes that go which no stand-in takes over.
    """

    plan: MetabolismPlan
    nodes: tuple[NodeRemoval, ...]
    conflicting: Mapping[int, EdgeRemoval]
    thin: Mapping[int, float]
    left: frozenset[int] = frozenset()
