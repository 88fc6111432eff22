"""Relations that exclude each other: of one-valued tags the thickest stays, of one tag in several spellings, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wherefrom.metabolism.settings import normal_tag
from wherefrom.model.metabolism import EdgeRule, TagConflict, ThinEdge
from wherefrom.storage.metabolism import ThickEdge

_DIGITS: Final = 9
# Edges that differ by a smaller share are equally thick: with a half-life of 30 days, if said within some ten hours.
_TIE_SHARE: Final = 0.01
Exclusive = Mapping[str, frozenset[str]]
"""By namespace the tags, in normal form, of which a source has one target there."""


@dataclass(frozen=True, slots=True)
class EdgeRemoval:
    """An edge that loses a conflict, the rule, and the edge that stays instead."""

    edge: ThickEdge
    rule: EdgeRule
    winner: ThickEdge


def tags_in_conflict(tags: Iterable[str], exclusive: Exclusive) -> list[str]:
    """Return the tags that may be in conflict: one-valued ones, and those that are written in several ways."""
    one_valued = frozenset().union(*exclusive.values())
    spellings: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        spellings[normal_tag(tag)].append(tag)
    return sorted(
        tag for name, written in spellings.items() if name in one_valued or len(written) > 1 for tag in written
    )


def excluding(edge: ThickEdge, exclusive: Exclusive) -> tuple[str, ...]:
    """Return what edges have in common that exclude each other: source and tag, or also the target."""
    tag = normal_tag(edge.tag)
    return (edge.source_id, tag) if tag in exclusive[edge.namespace] else (edge.source_id, edge.target_id, tag)


def settle(edges: Iterable[ThickEdge], exclusive: Exclusive) -> tuple[dict[int, EdgeRemoval], tuple[TagConflict, ...]]:
    """Return by their seq the edges that lose a conflict with others of these, and all conflicts."""
    losing: dict[int, EdgeRemoval] = {}
    conflicts: list[TagConflict] = []

    def settle_group(source_id: str, tag: str, edges: Sequence[ThickEdge], rule: EdgeRule) -> None:
        if len(edges) < 2:
            return
        order = sorted(edges, key=lambda edge: (-round(edge.value, _DIGITS), edge.target_id, edge.tag))
        first, *others = order
        kept, why = None, "the thickest stays"
        links = tuple(thin_edge(edge, rule) for edge in order)
        if rule == "exclusive" and first.value - others[0].value <= _TIE_SHARE * first.value:
            why = "the thickest are equally thick"
        elif not all(edge.free for edge in others):
            why = "some are younger than the protection"
        else:
            kept = links[0]
            losing.update((edge.seq, EdgeRemoval(edge, rule, first)) for edge in others)
        conflicts.append(TagConflict(source_id, tag, links, kept, why))

    by_tag: dict[tuple[str, str], list[ThickEdge]] = defaultdict(list)
    for edge in sorted(edges, key=lambda edge: edge.source_id):
        by_tag[edge.source_id, normal_tag(edge.tag)].append(edge)
    for (source_id, tag), same in by_tag.items():
        by_target: dict[str, list[ThickEdge]] = defaultdict(list)
        for edge in same:
            by_target[edge.target_id].append(edge)
        for spellings in by_target.values():
            settle_group(source_id, tag, spellings, "duplicate")
        left = [edge for edge in same if edge.seq not in losing]
        if tag in exclusive[same[0].namespace]:
            settle_group(source_id, tag, left, "exclusive")
    # An edge that stays for another spelling may itself have lost to another target.
    final = {seq: replace(removal, winner=_last_winner(removal, losing)) for seq, removal in losing.items()}
    return final, tuple(sorted(conflicts, key=_conflict_order))


def _last_winner(removal: EdgeRemoval, losing: Mapping[int, EdgeRemoval]) -> ThickEdge:
    while (further := losing.get(removal.winner.seq)) is not None:
        removal = further
    return removal.winner


def _conflict_order(conflict: TagConflict) -> tuple[bool, str, str, str, str]:
    first = conflict.links[0]
    return conflict.kept is not None, conflict.source_id, conflict.tag, first.rule, first.target_id


def thin_edge(edge: ThickEdge, rule: EdgeRule) -> ThinEdge:
    """Return an edge as a plan shows it."""
    return ThinEdge(edge.source_id, edge.target_id, edge.tag, edge.value, rule)
