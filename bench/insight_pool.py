"""The links between passages among which the choosers of `bench.insight_hops` choose.

Three kinds: one passage names the other's title; they are nearest neighbours (cosine of the packaged embedder, ten of
each passage); both name a third one's title. At most 30 links of a passage stay, those of the highest cosine. Names are
found by `wherefrom.text.names`, as the store does.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wherefrom.embedding.port import vectors_of
from wherefrom.embedding.static import StaticEmbedder
from wherefrom.text.names import head_of, mentioned, names_of, words_of

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

NEAREST, MOST, AMBIGUOUS = 10, 30, 5
MENTION, NEIGHBOUR, SHARED = 1, 2, 4


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The links that could be made: ends[i] = (u, v), u < v, the cosine of each, of which kinds it is (bits),
    and whether some question needs both ends. found: how many there were before the cap.
    """

    vectors: Numbers
    ends: Places
    cosines: Numbers
    kinds: Places
    needed: NDArray[np.bool_]
    found: Mapping[str, int]

    def degrees(self) -> Places:
        return np.bincount(self.ends.ravel(), minlength=len(self.vectors))


def pool_of(texts: Sequence[str], titles: Sequence[str | None], needed: Sequence[set[int]]) -> Pool:
    """All candidate links of the three kinds, at most `MOST` of a passage."""
    vectors = vectors_of(StaticEmbedder(), texts).astype(np.float64)
    size = len(texts)
    kinds: dict[int, int] = defaultdict(int)

    def add(pairs: Iterable[tuple[int, int]], kind: int) -> None:
        for one, other in pairs:
            if one != other:
                kinds[min(one, other) * size + max(one, other)] |= kind

    named = mentions(texts, titles)
    add(((source, target) for source, targets in enumerate(named) for target in targets), MENTION)
    near = vectors @ vectors.T
    np.fill_diagonal(near, -1.0)
    nearest = np.argpartition(-near, NEAREST, axis=1)[:, :NEAREST]
    add(((source, int(target)) for source in range(size) for target in nearest[source]), NEIGHBOUR)
    naming = defaultdict(list)
    for source, targets in enumerate(named):
        for target in targets:
            naming[target].append(source)
    add((pair for sources in naming.values() for pair in itertools.combinations(sources, 2)), SHARED)
    keys = np.array(sorted(kinds), dtype=np.int64)
    flags = np.array([kinds[int(key)] for key in keys])
    ends = np.stack([keys // size, keys % size], axis=1)
    cosines = near[ends[:, 0], ends[:, 1]]
    together = {min(pair) * size + max(pair) for group in needed for pair in itertools.combinations(group, 2)}
    is_needed = np.isin(keys, list(together))
    found = {"links": len(keys), "needed_pairs": len(together), "needed_found": int(is_needed.sum())}
    kept = capped(ends, cosines, size)
    return Pool(vectors, ends[kept], cosines[kept], flags[kept], is_needed[kept], found)


def mentions(texts: Sequence[str], titles: Sequence[str | None]) -> list[list[int]]:
    """For each text the passages whose titles it names, found as the store does; ambiguous names left out."""
    holders = defaultdict(list)
    for place, title in enumerate(titles):
        for name in names_of(title):
            holders[name].append(place)
    by_head = defaultdict(list)
    for name, places in holders.items():
        if len(places) <= AMBIGUOUS:
            by_head[head_of(name)].append(name)
    return [
        sorted({target for name in mentioned(words_of(text), by_head) for target in holders[name]} - {place})
        for place, text in enumerate(texts)
    ]


def capped(ends: Places, cosines: Numbers, size: int) -> Places:
    """The links, in their order, that are left when each end has room for so many, the most similar first."""
    room = [MOST] * size
    kept = []
    for at in np.argsort(-cosines, kind="stable").tolist():
        one, other = ends[at].tolist()
        if room[one] and room[other]:
            room[one] -= 1
            room[other] -= 1
            kept.append(at)
    return np.array(sorted(kept), dtype=np.int64)
