"""Relations that exclude each other: of one-valued tags the thickest stays, of one tag in several spellings, too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from wherefrom.model.metabolism import LinkRule, TagConflict, ThinLink
from wherefrom.policy.metabolism import normal_tag
from wherefrom.storage.metabolism import Thickness

_DIGITS: Final = 9
# What differs by less is equally thick: with a half-life of 30 days, what was said within some ten hours.
_TIE: Final = 0.01
IsExclusive = Callable[[str, str], bool]
"""Whether in a namespace a source has one target of a tag (in normal form)."""


@dataclass(frozen=True, slots=True)
class Losing:
    """An edge that goes, by which rule, and the one that stays for it."""

    edge: Thickness
    rule: LinkRule
    winner: Thickness


@dataclass(frozen=True, slots=True)
class Settled:
    """What was found: the edges that lose by their seq, and the conflicts."""

    losing: Mapping[int, Losing]
    conflicts: tuple[TagConflict, ...]


def in_question(tags: Iterable[str], exclusive: frozenset[str]) -> list[str]:
    """The tags that may be in conflict: one-valued ones, and those that are written in several ways."""
    spellings: dict[str, list[str]] = defaultdict(list)
    for tag in tags:
        spellings[normal_tag(tag)].append(tag)
    return sorted(
        tag for name, written in spellings.items() if name in exclusive or len(written) > 1 for tag in written
    )


def settled(edges: Iterable[Thickness], is_exclusive: IsExclusive) -> Settled:
    """Who stays where edges of a source exclude each other. edges: those of the tags in question, by source."""
    losing: dict[int, Losing] = {}
    conflicts: list[TagConflict] = []
    for source_id, some in groupby(sorted(edges, key=lambda edge: edge.source_id), key=lambda edge: edge.source_id):
        by_tag: dict[str, list[Thickness]] = defaultdict(list)
        for edge in some:
            by_tag[normal_tag(edge.tag)].append(edge)
        for tag, same in by_tag.items():
            for together in _spellings(same):
                _settle(source_id, tag, together, "duplicate", losing, conflicts)
            left = [edge for edge in same if edge.seq not in losing]
            if is_exclusive(same[0].namespace, tag):
                _settle(source_id, tag, left, "exclusive", losing, conflicts)
    # What stood for another spelling may itself have lost to another target.
    final = {seq: replace(each, winner=_last(each, losing)) for seq, each in losing.items()}
    return Settled(final, tuple(sorted(conflicts, key=_conflict_order)))


def _last(each: Losing, losing: Mapping[int, Losing]) -> Thickness:
    while (further := losing.get(each.winner.seq)) is not None:
        each = further
    return each.winner


def _conflict_order(conflict: TagConflict) -> tuple[bool, str, str, str, str]:
    first = conflict.links[0]
    return conflict.kept is not None, conflict.source_id, conflict.tag, first.rule, first.target_id


def _spellings(edges: Sequence[Thickness]) -> Iterable[list[Thickness]]:
    """Edges to the same target, by tags that are the same but for their spelling."""
    by_target: dict[str, list[Thickness]] = defaultdict(list)
    for edge in edges:
        by_target[edge.target_id].append(edge)
    return (same for same in by_target.values() if len(same) > 1)


def _settle(
    source_id: str,
    tag: str,
    edges: Sequence[Thickness],
    rule: LinkRule,
    losing: dict[int, Losing],
    conflicts: list[TagConflict],
) -> None:
    if len(edges) < 2:
        return
    order = sorted(edges, key=lambda edge: (-round(edge.value, _DIGITS), edge.target_id, edge.tag))
    first, *others = order
    links = tuple(link_of(edge, rule) for edge in order)
    if rule == "exclusive" and first.value - others[0].value <= _TIE * first.value:
        conflicts.append(TagConflict(source_id, tag, links, None, "the thickest are equally thick"))
        return
    if not all(edge.free for edge in others):
        conflicts.append(TagConflict(source_id, tag, links, None, "some are younger than the protection"))
        return
    losing.update((edge.seq, Losing(edge, rule, first)) for edge in others)
    conflicts.append(TagConflict(source_id, tag, links, links[0], "the thickest stays"))


def link_of(edge: Thickness, rule: LinkRule) -> ThinLink:
    """An edge as a plan shows it."""
    return ThinLink(edge.source_id, edge.target_id, edge.tag, edge.value, rule)
