"""Finds pairs of statements that contradict each other: those that somebody stated, then those that texts show. Last
come those that nearly say the same, of which no rule tells whether one may go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Final

from wherefrom.api.history_sentences import quoted
from wherefrom.embedding import vocabulary
from wherefrom.metabolism.bodies import LEAST_SIMILARITY, TELLING, Bodies, Embed
from wherefrom.metabolism.nearest import Candidate, nearest
from wherefrom.metabolism.settings import MetabolismSettings
from wherefrom.model.access import Access
from wherefrom.model.review import PairKind
from wherefrom.policy.boundary import Policies
from wherefrom.recall.older import older_ones
from wherefrom.storage import embeddings, nodes, reviewing
from wherefrom.storage.candidates import ShortStatement
from wherefrom.storage.metabolism import WeakNode
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.reviewing import CertainPair
from wherefrom.text.differences import told_apart

# The newest statements whose titles and texts are compared; texts with those of so many others.
_COMPARED: Final = 500
_COMPARED_WITH: Final = 5_000
# The similarity above which a statement is asked whether it exchanges a value of another.
_EXCHANGED_FLOOR: Final = 0.5
# Of a memory in which nearly all texts are alike, so many pairs are compared.
_MAX_COMPARISONS: Final = 2_000
KINDS: Final[tuple[PairKind, ...]] = ("slot", "relation", "dispute", "title", "near", "alike")
_WHY: Final = {3: "same title", 4: "nearly the same"}
_ALIKE: Final = "nearly the same, and no fact is seen to differ"
Key = tuple[int, int, int]
"""The place of a pair in the list: how certain it is, then by the numbers of its later and its earlier part."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pair with its place in the list. Of relations: their source, and since when the first and the second hold."""

    key: Key
    first_id: str
    second_id: str
    reason: str
    source_id: str | None = None
    since: tuple[str, str] | None = None

    @property
    def kind(self) -> PairKind:
        """How it was found."""
        return KINDS[self.key[0]]


def exclusive_tags(known: Policies, places: Iterable[str]) -> frozenset[str]:
    """The tags of which a source has one relation at a time, by any of the policies at some places."""
    return frozenset(tag for place in places for tag in known.at(place).settings(MetabolismSettings).exclusive)


@dataclass(slots=True)
class Finder:
    """Looks for pairs in one transaction; what is certain and cheap first, what is compared last."""

    tx: Transaction
    access: Access
    policies: Policies
    now: str
    embed: Embed | None = None

    def pairs(self) -> Iterator[Found]:
        """All pairs, each once, in the order of their keys."""
        seen: set[frozenset[str]] = set()
        for source in (self._certain, self._titled, self._near):
            for found in sorted(source(seen), key=lambda found: found.key):
                ids = frozenset((found.first_id, found.second_id))
                if found.kind == "relation":
                    yield found
                elif ids not in seen:
                    seen.add(ids)
                    yield found

    def _certain(self, seen: Collection[frozenset[str]]) -> Iterator[Found]:
        del seen
        tags = exclusive_tags(self.policies, [self.access.root])
        found = reviewing.certain(self.tx, self.access, tags, now=self.now)
        sources = sorted({pair.source_id for pair in found if pair.source_id})
        names = {ref.id: ref.title for ref in nodes.refs(self.tx, self.access, sources, beginnings=True)}
        for pair in found:
            if pair.source_id is None or pair.word in exclusive_tags(self.policies, [pair.namespace]):
                key = (pair.rank, -pair.later, -pair.earlier)
                reason = _reason(pair, names.get(pair.source_id or ""))
                since = (pair.since or "", pair.before or "") if pair.source_id else None
                yield Found(key, pair.first_id, pair.second_id, reason, pair.source_id, since)

    def _titled(self, seen: Collection[frozenset[str]]) -> Iterator[Found]:
        rows = reviewing.titled(self.tx, self.access, now=self.now, examined=_COMPARED)
        groups = (list(group) for _, group in groupby(rows, key=lambda row: row[2:4]))
        pairs = [(one, other) for group in groups for one, other in combinations(group, 2)]
        yield from self._apart(pairs, {row[1]: (row[5], row[4]) for row in rows}, seen, rank=3)

    def _near(self, seen: Collection[frozenset[str]]) -> Iterator[Found]:
        model = embeddings.active(self.tx)
        if model is None:
            return
        rows = reviewing.vectors(self.tx, self.access, model, now=self.now, examined=_COMPARED_WITH)
        near, less_near = self._nearest(rows)
        ids = {row[1] for pair in (*near, *less_near) for row in pair}
        bodies, times = Bodies(self.embed, vocabulary=vocabulary), {}
        plain: dict[str, ShortStatement] = {}
        for node_id, title, content, since in reviewing.texts(self.tx, self.access, ids):
            bodies.add(node_id, title, content)
            times[node_id] = since, content
            plain[node_id] = ShortStatement(node_id, title, content, since, "")
        alike = self._alike(near | less_near, bodies)
        newest = {row[1] for row in rows[:_COMPARED]}
        others = [pair for pair in less_near if pair not in alike and not newest.isdisjoint(row[1] for row in pair)]
        exchanged = [pair for pair in others if older_ones([plain[row[1]] for row in pair])]
        # Statements of two titles that state different things are about two things: "Gate 1", "Gate 2".
        differences = {
            (one, other): {bodies.difference(one[1], other[1]), bodies.difference(other[1], one[1])}
            for one, other in dict.fromkeys((*near, *alike, *exchanged))
            if bodies.titles_difference(one[1], other[1]) is None
        }
        apart = [pair for pair, kinds in differences.items() if not kinds.isdisjoint(TELLING)]
        yield from self._apart(apart, times, seen, rank=4)
        doubtful = [
            pair
            for pair, kinds in differences.items()
            if kinds == {"content"} and pair in (alike if bodies.is_titled(pair[0][1], pair[1][1]) else near)
        ]
        for pair in self._open(doubtful, seen):
            newer, older = _by_time(pair, times)
            yield Found(_key(5, pair), newer[1], older[1], _ALIKE)

    def _alike(self, pairs: Mapping[tuple[Row, Row], float], bodies: Bodies) -> dict[tuple[Row, Row], None]:
        """Of pairs that may be near, those whose bodies are near apart from their titles."""
        titled = [pair for pair in pairs if bodies.is_titled(pair[0][1], pair[1][1])]
        bodies.make_vectors((one[1], other[1]) for one, other in titled)
        floors = self._floors({one[2] for one, _ in titled})
        return {
            (one, other): None
            for one, other in titled
            if bodies.similarity(one[1], other[1], pairs[one, other]) > floors[one[2]]
        }

    def _floors(self, places: Iterable[str]) -> dict[str, float]:
        """By namespace, the similarity above which metabolism takes two statements for copies."""
        known = {place: self.policies.at(place).settings(MetabolismSettings) for place in places}
        return {place: 1.0 - settings.mdl_benefit - 1e-6 for place, settings in known.items()}

    def _nearest(self, rows: list[Row]) -> tuple[dict[tuple[Row, Row], float], dict[tuple[Row, Row], float]]:
        """Return the pairs of statements that are near, by the measure of metabolism, with their similarity; and those
        that are less near: their bodies may be near, or of the newest one may exchange a value of the other.
        """
        if not rows:
            return {}, {}
        matrix = self.tx.dialect.from_vectors([row[7] for row in rows])
        candidates = [
            Candidate(WeakNode(row[0], row[1], 1, row[2], row[3], row[4], row[5], row[6], None), vector)
            for row, vector in zip(rows, matrix, strict=True)
        ]
        floors = self._floors({row[2] for row in rows})
        for some, lowest in (
            (candidates[:_COMPARED], _EXCHANGED_FLOOR),
            (candidates[_COMPARED:], LEAST_SIMILARITY),
        ):
            lower = {place: min(floor, lowest) for place, floor in floors.items()}
            if some:
                nearest(some, rows, self.tx.dialect.from_vectors, floors=lower, best_of=())
        by_id = {row[1]: row[:3] for row in rows}
        compared = {place: self.policies.at(place).settings(MetabolismSettings).mdl_neighbours for place in floors}
        near: dict[tuple[Row, Row], float] = {}
        less_near: dict[tuple[Row, Row], float] = {}
        for candidate in candidates:
            row = by_id[candidate.node.id]
            for found in candidate.near[: compared[row[2]]]:
                later, earlier = sorted((row, by_id[found.id]), key=lambda row: -row[0])
                pairs = near if found.similarity > floors[row[2]] else less_near
                pairs[later, earlier] = found.similarity
        return near, {pair: value for pair, value in less_near.items() if pair not in near}

    def _apart(
        self,
        pairs: Collection[tuple[Row, Row]],
        texts: Mapping[str, tuple[str, str]],
        seen: Collection[frozenset[str]],
        *,
        rank: int,
    ) -> Iterator[Found]:
        """Of these pairs those whose texts differ in a fact. texts: by id, since when it holds, and the text."""
        for pair in self._open(pairs, seen)[:_MAX_COMPARISONS]:
            newer, older = _by_time(pair, texts)
            apart = told_apart(texts[newer[1]][1], texts[older[1]][1])
            if apart is not None:
                yield Found(_key(rank, pair), newer[1], older[1], f"{_WHY[rank]}, {apart}")

    def _open(self, pairs: Collection[tuple[Row, Row]], seen: Collection[frozenset[str]]) -> list[tuple[Row, Row]]:
        """Of these pairs those that nobody settled and that were not found before."""
        settled = reviewing.compatible(self.tx, self.access, {row[1] for pair in pairs for row in pair})
        known = settled.union(seen)
        return [pair for pair in pairs if frozenset(row[1] for row in pair) not in known]


def _key(rank: int, pair: tuple[Row, Row]) -> Key:
    later, earlier = sorted((row[0] for row in pair), reverse=True)
    return rank, -later, -earlier


def _by_time(pair: tuple[Row, Row], texts: Mapping[str, tuple[str, str]]) -> tuple[Row, Row]:
    """A pair, with the one first that holds since later."""
    newer, older = sorted(pair, key=lambda row: (texts[row[1]][0], row[0]), reverse=True)
    return newer, older


def _reason(pair: CertainPair, source: str | None) -> str:
    """Why a certain pair is one, in words."""
    if pair.rank == 0:
        return f"both hold in the slot {pair.word}"
    if pair.source_id is not None:
        return f"both are {pair.word} of {quoted(source or '?')}, which has one at a time"
    said = f": {pair.reason}" if pair.reason else ""
    return f"related by {pair.word}{said}"
