"""How many texts a store has, and how common a term is in the part of it that an access sees."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Statistics:
    """The number of texts in the store, and their average length. sample: for an access that sees only a part of the
    store, in how many of its `sampled` newest texts each term occurs.
    """

    texts: int
    average_length: float
    sampled: int = 0
    sample: Sample = field(default_factory=lambda: Sample({}))


class Sample:
    """The number of texts in which each term occurs, kept by the hash of the term in ten bytes a term."""

    __slots__ = ("_counts", "_hashes")

    def __init__(self, counts: Mapping[str, int]) -> None:
        rows = sorted((hash(term), count) for term, count in counts.items())
        self._hashes = array("q", (row[0] for row in rows))
        self._counts = array("H", (row[1] for row in rows))

    def __len__(self) -> int:
        return len(self._hashes)

    def count(self, term: str) -> int:
        """The number of texts with a term."""
        wanted = hash(term)
        at = bisect_left(self._hashes, wanted)
        return self._counts[at] if at < len(self._hashes) and self._hashes[at] == wanted else 0
