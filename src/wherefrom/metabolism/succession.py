"""Foresees which relations of nodes that go their stand-ins take over, so that a plan decides on the graph after it.

Of relations that become the same one, by ends and tag, one is there afterwards: what a person judged, then what may
not go by itself, then the thickest, then the one that was there. Of tags that have one target at a time, and of one tag
in several spellings, those that were there stay, and only without any the first of those that move is taken over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wherefrom.metabolism.conflicts import Exclusive, excluding
from wherefrom.storage.metabolism import MeasuredGraph, ThickEdge, WeighedEdge

Heir = Callable[[str], str | None]
"""Returns a node itself if it stays, or the one that stands for it; None if it goes and none does."""


@dataclass(frozen=True, slots=True)
class Succession:
    """What becomes of the edges of nodes that go, by seq.

    taken: those that are there afterwards, with the ends that they have then. thin: those of them that are taken over
    only if they are the last of a node. left: those that nobody takes over. replaced: edges between nodes that stay,
    each with the one that is taken over in its place.
    """

    taken: Mapping[int, ThickEdge] = field(default_factory=dict)
    thin: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    replaced: Mapping[int, int] = field(default_factory=dict)


def foresee(
    graph: MeasuredGraph, seqs: Iterable[int], heir: Heir, tagged: Mapping[int, ThickEdge], exclusive: Exclusive
) -> Succession:
    """Foresee what becomes of the edges with these seqs, all of nodes that go. tagged: all edges, by seq, whose tags
    have one target at a time or several spellings, without those that lose a conflict.
    """
    moving = {each.edge.seq: each for each in graph.weighed(seqs)}
    kept = {excluding(edge, exclusive) for edge in tagged.values() if _moved(edge, heir) == edge}
    groups: dict[tuple[str, ...], list[WeighedEdge]] = defaultdict(list)
    for seq, each in moving.items():
        new = _moved(each.edge, heir)
        # A judgement of a source about one statement is none about another.
        if new is None or (each.is_judgement and new.target_id != each.edge.target_id):
            continue
        group: tuple[str, ...] = _key(new)
        if seq in tagged:
            group = excluding(replace(new, namespace=tagged[seq].namespace), exclusive)
        if group not in kept:
            groups[group].append(replace(each, edge=new))
    own = {_key(each.edge): each for each in graph.weighed(graph.seqs_of({_key(edge) for edge in _edges(groups)}))}
    taken: dict[int, WeighedEdge] = {}
    replaced: dict[int, int] = {}
    for some in groups.values():
        first = max(some, key=lambda each: (*_rank(each), *_order(moving[each.edge.seq].edge, heir)))
        # Where tags exclude each other, what is there has lost a conflict, or nothing would move.
        known = None if first.edge.seq in tagged else own.get(_key(first.edge))
        if known is not None and _rank(known) >= _rank(first):
            continue
        taken[first.edge.seq] = first
        if known is not None:
            replaced[known.edge.seq] = first.edge.seq
    thin = frozenset(seq for seq, each in taken.items() if each.is_thin)
    edges = {seq: each.edge for seq, each in taken.items()}
    return Succession(edges, thin, frozenset(moving.keys() - taken.keys()), replaced)


def _moved(edge: ThickEdge, heir: Heir) -> ThickEdge | None:
    """An edge with the ends that it has afterwards; None if one of them goes, or if it joined a node with its heir."""
    source, target = heir(edge.source_id), heir(edge.target_id)
    if (source, target) == (edge.source_id, edge.target_id):
        return edge
    if source is None or target is None or source == target:
        return None
    return replace(edge, source_id=source, target_id=target)


def _edges(groups: Mapping[tuple[str, ...], Iterable[WeighedEdge]]) -> Iterable[ThickEdge]:
    return (each.edge for some in groups.values() for each in some)


def _key(edge: ThickEdge) -> tuple[str, str, str]:
    return edge.source_id, edge.target_id, edge.tag


def _rank(each: WeighedEdge) -> tuple[Any, ...]:
    return each.is_human, not each.is_thin, round(each.edge.value, 9)


def _order(edge: ThickEdge, heir: Heir) -> tuple[Any, ...]:
    """The order of edges of the same rank: with an end that stays before those between two that go, then by id."""
    return edge.source_id == heir(edge.source_id) or edge.target_id == heir(edge.target_id), *_key(edge)
