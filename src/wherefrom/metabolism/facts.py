"""The facts that nodes state besides their vectors: a node with facts of its own cannot be restored from another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wherefrom.metabolism.bodies import TELLING, Bodies
from wherefrom.storage.metabolism import MeasuredGraph

# The keys of a provenance that name a source: nodes of different sources are both worth keeping.
_SOURCE_KEYS: Final = ("url", "source", "doi")

Rank = tuple[Any, ...]
"""What decides which of two copies stays: the greater of two ranks does."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The metadata of a node, when it holds, its provenance, who says it, and its session with the hash of the
    text; and how useful it proved and since when it is here.
    """

    version: int
    metadata: Mapping[str, Any]
    holds: tuple[str | None, str | None]
    provenance: Mapping[str, Any]
    speaker: str | None
    turn: tuple[str | None, str]
    utility: float
    created_at: str

    @property
    def source(self) -> dict[str, Any]:
        """The part of the provenance that names a source."""
        return {name: self.provenance[name] for name in _SOURCE_KEYS if name in self.provenance}


@dataclass(slots=True)
class FactsByNode:
    """The facts of nodes, read as they are needed; their texts are in `bodies`.

    apart: the pairs that were compared and that say something else, though neither their titles nor anything but their
    texts tells them apart.
    """

    graph: MeasuredGraph
    bodies: Bodies
    by_id: dict[str, NodeFacts] = field(default_factory=dict)
    disputed: set[frozenset[str]] = field(default_factory=set)
    apart: set[frozenset[str]] = field(default_factory=set)
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _ranks: dict[str, Rank] = field(default_factory=dict)

    def read(self, ids: Iterable[str]) -> None:
        """Read the facts of these nodes, and which of them are in dispute with each other."""
        wanted = sorted(set(ids))
        new = [node_id for node_id in wanted if node_id not in self.by_id]
        for row in self.graph.texts(new):
            node_id, version, title, content, metadata, provenance, valid_from, valid_to, speaker, *turn = row[:11]
            self.bodies.add(node_id, title, content)
            self.by_id[node_id] = NodeFacts(
                version=version,
                metadata=json.loads(metadata),
                holds=(valid_from, valid_to),
                provenance=json.loads(provenance),
                speaker=speaker,
                turn=(turn[0], turn[1]),
                utility=row[11],
                created_at=row[12],
            )
        self.disputed |= self.graph.disputes(wanted)

    def read_ranks(self, ids: Iterable[str], *, weak: Iterable[str]) -> None:
        """Read what decides which of these nodes stay: title, judgements, relations, sources, and then their age."""
        thin = set(weak)
        for node_id, judgements, by_hand in self.graph.standings(sorted(set(ids) - self._ranks.keys())):
            facts = self.by_id[node_id]
            judged = round(facts.utility, 6), judgements
            related = node_id not in thin, by_hand
            sources = len(facts.source), len(facts.provenance)
            self._ranks[node_id] = (
                bool(self.bodies.titles[node_id]),
                *judged,
                *related,
                *sources,
                _backwards(facts.created_at),
            )

    def rank(self, node_id: str) -> Rank:
        """The rank of a node that was read."""
        return self._ranks[node_id]

    def merits(self, node_id: str) -> Rank:
        """The part of its rank by which a node stays though another has thicker relations: title and judgements."""
        return self._ranks[node_id][:3]

    def against(self, one: str, other: str) -> str | None:
        """Return what would be lost if the first node were restored from the other; None if nothing would."""
        if (one, other) not in self._known:
            self._known[one, other] = self._against(one, other)
        return self._known[one, other]

    def _against(self, one: str, other: str) -> str | None:
        if frozenset((one, other)) in self.disputed:
            return "disputed"
        goes, stays = self.by_id[one], self.by_id[other]
        if not goes.metadata.items() <= stays.metadata.items():
            return "metadata"
        if goes.holds != stays.holds:
            return "date"
        # A source that the other does not name is taken over.
        if any(stays.source.get(name, value) != value for name, value in goes.source.items()):
            return "source"
        if goes.speaker not in {None, stays.speaker}:
            return "name"
        # The same words said again, or in another session, have a date of their own.
        if goes.turn[0] is not None and (goes.turn[0] != stays.turn[0] or goes.turn == stays.turn):
            return "date"
        if (kind := self.bodies.titles_difference(one, other)) is not None:
            return kind
        kind = self.bodies.difference(one, other)
        if kind in TELLING:
            self.apart.add(frozenset((one, other)))
        return kind


def _backwards(time: str) -> tuple[int, ...]:
    """A time so that the earlier of two is the greater."""
    return tuple(-ord(character) for character in time)
