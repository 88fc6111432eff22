"""The answers about a part of the graph that a page can draw: what is around nodes, and a path between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from wherefrom.model.graph import BoundaryClass, NodeKind
from wherefrom.model.param import Param


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of a drawn graph, with no more than a picture and a list beside it need."""

    id: str
    namespace: str
    kind: NodeKind
    title: str | None
    text: Annotated[str, Param("The first 80 characters of its text, as far as the caller may see it.")]
    hops: Annotated[int, Param("How many relations it is away from where the search started.")]
    degree: Annotated[int, Param("How many relations it has in the whole store that this call could follow.")]
    """Each way up to 10,000 are counted."""
    boundary_class: BoundaryClass
    holds: Annotated[bool, Param("False if it has ended, expired or was rejected, or begins later.")]
    valid_to: Annotated[str | None, Param("From then on it holds no longer.")] = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A relation of a drawn graph."""

    source_id: str
    target_id: str
    tag: str
    weight: float
    thickness: Annotated[float, Param("Weight × confidence × decay, from 0 to 1.")]
    judge: Annotated[str | None, Param("Who judged it, as in relations.")] = None
    valid_to: Annotated[str | None, Param("From then on it holds no longer.")] = None


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The nodes around some others, nearest first and among those by the strength of what leads to them, and all
    relations between them, thickest first.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: Annotated[bool, Param("True if a limit left something out.")] = False
    note: Annotated[str | None, Param("What was left out, in words.")] = None


@dataclass(frozen=True, slots=True)
class PathFound:
    """The shortest chain of relations between two nodes, both in order; one node more than relations, or none at all
    if no chain was found. A relation may point either way.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: Annotated[bool, Param("True if the search stopped because it had seen too many memos.")] = False
    note: Annotated[str | None, Param("Why there is no chain, in words.")] = None
