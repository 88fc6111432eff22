"""What ranks nodes beside their text: how useful, sure and fresh they are, and what they are linked to."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Edge
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Transaction
from wherefrom.storage.question import Question
from wherefrom.storage.statements import scope_parameters
from wherefrom.text.check import json_text

# Below this a few nodes change the mean: counted for each question. Above it, the count is kept for a while.
_FEW_NODES: Final = 2_000
_COUNT_SECONDS: Final = 60.0
_KNOWN_ACCESSES: Final = 1_000
_LEAST_DEVIATION: Final = 0.001


@dataclass(frozen=True, slots=True)
class Standing:
    """A node without its text."""

    id: str
    kind: str
    claim_kind: str | None
    content_hash: str
    utility: float
    confidence: float
    quality: float
    judged_at: str
    recency_anchor: str
    superseded_by: str | None
    valid_to: str | None = None
    page_id: str | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and standard deviation of the utilities that a question can meet."""

    mean: float = 0.0
    deviation: float = 1.0


@dataclass(frozen=True, slots=True)
class Link:
    """An edge as a step: between two nodes, so strong."""

    source_id: str
    target_id: str
    tag: str
    strength: float


class Utilities:
    """How utilities are spread among what an access may see; keeps for a while how many nodes that is.

    All accesses to a database share one.
    """

    def __init__(self) -> None:
        self._counts = Kept[Hashable, int](entries=_KNOWN_ACCESSES, seconds=_COUNT_SECONDS)

    def spread(self, tx: Transaction, access: Access, question: Question, *, half_life_days: float) -> Spread:
        """Mean and sample standard deviation at the question's time."""
        where = {**scope_parameters(access), **question.filters(), "half_life": half_life_days}
        total, squares = tx.row("utility_sums", where) or (0.0, 0.0)
        return _spread_of(self._count(tx, access, question), float(total), float(squares))

    def _count(self, tx: Transaction, access: Access, question: Question) -> int:
        where = {**scope_parameters(access), **question.filters(), "exact": None}
        key = (access.reach, where["kinds"], where["scopes"], where["metadata"])
        known = self._counts.get(key)
        if known is not None:
            return known
        (count,) = tx.row("recallable_total", where) or (0,)
        if count < _FEW_NODES:
            # In a large store those that have expired and are not swept yet make no difference.
            (count,) = tx.row("recallable_total", {**where, "exact": True}) or (0,)
        else:
            self._counts.put(key, int(count))
        return int(count)


def of_nodes(tx: Transaction, access: Access, question: Question, ids: Iterable[str]) -> dict[str, Standing]:
    """The standings of those nodes that are live, may be seen and are of the kinds and scopes asked for."""
    rows = tx.rows("node_standings", {**scope_parameters(access), **question.filters(), "ids": json_text(list(ids))})
    return {row[0]: Standing(*row) for row in rows}


def around(tx: Transaction, access: Access, frontier: Sequence[str], *, each: int, limit: int) -> list[Link]:
    """The edges that touch these nodes, at most `each` of a node in either direction."""
    where = {**scope_parameters(access), "frontier": json_text(frontier), "each": each, "limit": limit}
    return [Link(*row) for row in tx.rows("edges_around", where)]


def linked(tx: Transaction, access: Access, centers: Sequence[str], ids: Sequence[str]) -> list[tuple[str, str]]:
    """Which of the centers are linked with which of these nodes, in either direction."""
    where = {"owner": access.owner, "centers": json_text(centers), "ids": json_text(ids)}
    return [(one, other) for one, other in tx.rows("links_of_centers", where)]


def entities(tx: Transaction, access: Access, ids: Iterable[str]) -> dict[str, set[str]]:
    """The entities that nodes mention."""
    found: dict[str, set[str]] = defaultdict(set)
    for node_id, entity_id in tx.rows("entities_of", {**scope_parameters(access), "ids": json_text(list(ids))}):
        found[node_id].add(entity_id)
    return found


def disputes(tx: Transaction, access: Access, ids: Iterable[str]) -> list[Edge]:
    """The edges by which one of these nodes contradicts or replaces another."""
    rows = tx.rows("disputes", {**scope_parameters(access), "ids": json_text(list(ids))})
    return [Edge(*row) for row in rows]


def _spread_of(count: int, total: float, squares: float) -> Spread:
    if count == 0:
        return Spread()
    mean = total / count
    variance = max(squares - count * mean * mean, 0.0) / (count - 1) if count > 1 else 0.0
    # Where all are equal there is nothing to tell apart: a deviation of 1 leaves differences of 0.
    return Spread(mean, max(math.sqrt(variance), _LEAST_DEVIATION) if variance > 0 else 1.0)
