"""The facts that nodes state besides their vectors: a node with facts of its own cannot be restored from another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from wherefrom.embedding.port import Matrix
from wherefrom.storage.metabolism import MeasuredGraph
from wherefrom.text.differences import Facts, body_difference, difference, facts_of, titles_difference, word_share
from wherefrom.text.tokens import text_of

# The keys of a provenance that name a source: nodes of different sources are both worth keeping.
_SOURCE_KEYS: Final = ("url", "source", "doi")
# The differences that a person can settle: two statements of which one may be outdated.
_TELLING: Final = ("number", "date", "negation", "name")

_BODIES_AT_ONCE: Final = 1_000
_DIGITS: Final = 6

Embed = Callable[[Sequence[str]], Matrix]
Rank = tuple[Any, ...]
"""What decides which of two copies stays: the greater of two ranks does."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """The text of a node, its metadata, when it holds, its provenance, who says it, and its session with the hash of the
    text; and how useful it proved and since when it is here.
    """

    version: int
    title: str | None
    body: str
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
    """The facts of nodes, read as they are needed. embed: makes the vectors of bodies, if that takes no time. apart: the pairs that were compared and that say something else
    though neither their titles nor anything but their texts tells them apart.
    """

    graph: MeasuredGraph
    embed: Embed | None = None
    by_id: dict[str, NodeFacts] = field(default_factory=dict)
    disputed: set[frozenset[str]] = field(default_factory=set)
    apart: set[frozenset[str]] = field(default_factory=set)
    _vectors: dict[str, Matrix] = field(default_factory=dict)
    _facts: dict[tuple[str, bool], Facts] = field(default_factory=dict)
    _known: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _ranks: dict[str, Rank] = field(default_factory=dict)

    def read(self, ids: Iterable[str]) -> None:
        """Read the facts of these nodes, and which of them are in dispute with each other."""
        wanted = sorted(set(ids))
        new = [node_id for node_id in wanted if node_id not in self.by_id]
        for row in self.graph.texts(new):
            node_id, version, title, content, metadata, provenance, valid_from, valid_to, speaker, *turn = row[:11]
            self.by_id[node_id] = NodeFacts(
                version=version,
                title=title,
                body=content,
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
        for node_id, judgements, by_hand, relations in self.graph.standings(sorted(set(ids) - self._ranks.keys())):
            facts = self.by_id[node_id]
            judged = round(facts.utility, 6), judgements
            related = node_id not in thin, by_hand, relations
            sources = len(facts.source), len(facts.provenance)
            self._ranks[node_id] = (bool(facts.title), *judged, *related, *sources, _backwards(facts.created_at))

    def rank(self, node_id: str) -> Rank:
        """The rank of a node that was read."""
        return self._ranks[node_id]

    def merits(self, node_id: str) -> Rank:
        """The part of its rank by which a node stays though another has thicker relations: title and judgements."""
        return self._ranks[node_id][:3]

    def is_titled(self, one: str, other: str) -> bool:
        """True if one of two nodes has a title, so that their vectors say little about their bodies."""
        return bool(self.by_id[one].title or self.by_id[other].title)

    def read_bodies(self, ids: Iterable[str]) -> None:
        """Make the vectors of the bodies of these nodes, which were read."""
        new = sorted(set(ids) - self._vectors.keys())
        for start in range(0, len(new) if self.embed is not None else 0, _BODIES_AT_ONCE):
            some = new[start : start + _BODIES_AT_ONCE]
            self._vectors |= zip(some, self.embed([self.by_id[node_id].body for node_id in some]), strict=True)

    def body_similarity(self, one: str, other: str, whole: float) -> float:
        """The similarity of the bodies of two nodes, `whole` if neither has a title: the cosine of their vectors; where
        none are made, that of the whole texts or the share of words that both bodies have, whichever is more.
        """
        if not (self.by_id[one].title or self.by_id[other].title):
            return whole
        if self.embed is not None:
            product = self._vectors[one].astype("float64") * self._vectors[other].astype("float64")
            return round(float(product.sum()), _DIGITS)
        mine, theirs = self._body(one), self._body(other)
        return max(whole, round(min(word_share(mine, theirs), word_share(theirs, mine)), _DIGITS))

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
        if goes.title and stays.title and (kind := titles_difference((goes.title, goes.body), (stays.title, stays.body))):
            return kind
        kind = self._said_otherwise(one, other)
        if kind in _TELLING:
            self.apart.add(frozenset((one, other)))
        return kind

    def _said_otherwise(self, one: str, other: str) -> str | None:
        """The kind of fact in which the bodies of two nodes differ."""
        if not self.is_titled(one, other):
            return difference(self._body(one), self._body(other))
        kind = body_difference(self._body(one), self._body(other))
        is_one_untitled = not (self.by_id[one].title and self.by_id[other].title)
        # What one says in its title the other may say in its text.
        if kind is not None and is_one_untitled and difference(self._whole(one), self._whole(other)) is None:
            return None
        return kind

    def _body(self, node_id: str) -> Facts:
        if (node_id, False) not in self._facts:
            self._facts[node_id, False] = facts_of(self.by_id[node_id].body)
        return self._facts[node_id, False]

    def _whole(self, node_id: str) -> Facts:
        if (node_id, True) not in self._facts:
            known = self.by_id[node_id]
            self._facts[node_id, True] = facts_of(text_of(known.title, known.body))
        return self._facts[node_id, True]


def _backwards(time: str) -> tuple[int, ...]:
    """A time so that the earlier of two is the greater."""
    return tuple(-ord(character) for character in time)
