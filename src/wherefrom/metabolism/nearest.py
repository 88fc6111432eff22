"""The nearest nodes that could stand for others: exact, a block of stored vectors at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wherefrom.embedding.port import Matrix
from wherefrom.model.graph import BOUNDARY_CLASSES

# How many stored vectors are compared at once, and with how many others: some 30 MB of similarities.
_BLOCK: Final = 4_096
_WIDTH: Final = 2_048
# Similarities that differ in later digits are the same, whatever they were computed together with.
_DIGITS: Final = 6
# Of each node so many near ones are kept; where all of them go, it is looked for more.
_KEPT: Final = 64
_ROUNDED: Final = 2e-6
# So many numbers of each vector are enough to tell most pairs that are not near.
_HEAD: Final = 64
_NEVER: Final = "~"
"""After all times."""

Group = tuple[str, str, str | None]
"""Namespace, kind and claim kind: only within them can one node stand for another."""
ToVectors = Callable[[Sequence[bytes]], Any]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that may go, with what another must have to stand for it."""

    id: str
    seq: int
    group: Group
    boundary_class: str
    expires_at: str | None
    vector: Matrix


@dataclass(frozen=True, slots=True)
class Near:
    """A node that may stand for a candidate, and how similar they are."""

    id: str
    similarity: float


@dataclass(slots=True)
class Neighbours:
    """What a candidate is near to: the most similar one, and all (or the first of many) above the floor, the most
    similar first. more: whether there were more than are kept.
    """

    best: Near | None = None
    near: list[Near] = field(default_factory=list)
    more: bool = False

    def add(self, found: Sequence[Near]) -> None:
        """Note some more; of very many the most similar are kept."""
        self.near += found
        self.settle()

    def settle(self) -> None:
        """Sort what is near."""
        self.near.sort(key=_order)
        self.more = self.more or len(self.near) > _KEPT
        del self.near[_KEPT:]
        self.best = self.near[0] if self.near else self.best


def nearest(
    candidates: Sequence[Candidate],
    rows: Iterable[tuple[Any, ...]],
    to_vectors: ToVectors,
    *,
    floors: Mapping[str, float],
    without: frozenset[str] = frozenset(),
    best_of: Collection[str] | None = None,
    beat: Callable[[], None] = lambda: None,
) -> dict[str, Neighbours]:
    """For each candidate what is near to it. rows: seq, id, namespace, kind, claim kind, class, expiry and vector of
    all that stay; floors: by namespace, from which similarity on all are wanted; without: ids that do not count;
    best_of: those of which the most similar is wanted also below the floor (None: of all).
    """
    found = {candidate.id: Neighbours() for candidate in candidates}
    pools = _pools(candidates, floors, best_of)
    for block in _blocks(rows):
        beat()
        kept = [row for row in block if (row[2], row[3], row[4]) in pools and row[1] not in without]
        by_group: dict[Group, list[tuple[Any, ...]]] = {}
        for row in kept:
            by_group.setdefault((row[2], row[3], row[4]), []).append(row)
        for group, some in by_group.items():
            block_of = _Block.of(some, to_vectors)
            for pool in pools[group]:
                pool.compare(block_of, found)
    for neighbours in found.values():
        neighbours.settle()
    return found


@dataclass(frozen=True, slots=True)
class _Block:
    """Some of those that stay, of one group. order: of their ids; classes: how restricted each is."""

    ids: Sequence[str]
    seqs: NDArray[np.int64]
    vectors: Matrix
    bounds: Matrix
    order: NDArray[np.int64]
    classes: NDArray[np.int64]
    expiries: NDArray[np.str_]

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], to_vectors: ToVectors) -> _Block:
        ids = [row[1] for row in rows]
        vectors = to_vectors([row[7] for row in rows])
        return cls(
            ids=ids,
            seqs=np.array([row[0] for row in rows], dtype=np.int64),
            vectors=vectors,
            bounds=_bounds(vectors),
            order=np.argsort(np.argsort(np.array(ids))),
            classes=np.array([BOUNDARY_CLASSES.index(row[5]) for row in rows], dtype=np.int64),
            expiries=np.array([row[6] or _NEVER for row in rows]),
        )


@dataclass(slots=True)
class _Pool:
    """Some candidates of one group, as a matrix: of their vectors, or, where what is below the floor does not count, of
    what bounds the similarities. best: the highest so far; floors: from which on it is noted, which rises as more near
    ones are known than are kept. limits: which of them need which class and expiry.
    """

    candidates: Sequence[Candidate]
    vectors: Matrix
    whole: bool
    seqs: NDArray[np.int64]
    best: NDArray[np.float32]
    floors: NDArray[np.float32]
    limits: Mapping[tuple[str, str | None], NDArray[np.int64]]

    def compare(self, block: _Block, found: Mapping[str, Neighbours]) -> None:
        # A row for each candidate: what is read is in one piece.
        similarities = self.vectors @ (block.vectors if self.whole else block.bounds).T
        place_of = np.minimum(np.searchsorted(self.seqs, block.seqs), len(self.seqs) - 1)
        themselves = np.flatnonzero(self.seqs[place_of] == block.seqs)
        similarities[place_of[themselves], themselves] = -1.0
        self._leave_out(block, similarities)
        highest = similarities.max(axis=1)
        near = highest > self.floors
        for place in np.flatnonzero(near | (highest > self.best)).tolist():
            neighbours, values = found[self.candidates[place].id], similarities[place]
            if near[place]:
                wanted = np.flatnonzero(values > self.floors[place])
                if not self.whole:
                    values = np.full(len(values), -1.0, dtype=np.float32)
                    values[wanted] = block.vectors[wanted] @ self.candidates[place].vector
                    wanted = wanted[values[wanted] > self.floors[place]]
                if len(wanted) > _KEPT:
                    # Of those that are equally similar always the same, whatever block they are in.
                    neighbours.more = True
                    wanted = wanted[np.lexsort((block.order[wanted], -np.round(values[wanted], _DIGITS)))[:_KEPT]]
                exact = _exact(block.vectors[wanted], self.candidates[place].vector)
                neighbours.add([Near(block.ids[at], value) for at, value in zip(wanted.tolist(), exact, strict=True)])
                if len(neighbours.near) == _KEPT:
                    self.floors[place] = max(self.floors[place], neighbours.near[-1].similarity - _ROUNDED)
            if self.whole and highest[place] > self.best[place]:
                self.best[place] = highest[place]
                at = int(values.argmax())
                neighbours.best = Near(block.ids[at], round(float(values[at]), _DIGITS))

    def _leave_out(self, block: _Block, similarities: Matrix) -> None:
        """Whoever sees a candidate must see what stands for it, too, and for as long."""
        for (boundary_class, expires_at), places in self.limits.items():
            allowed = BOUNDARY_CLASSES.index(boundary_class)
            unfit = (block.classes > allowed) | (block.expiries < (expires_at or _NEVER))
            if unfit.any():
                similarities[np.ix_(places, np.flatnonzero(unfit))] = -1.0


def _exact(vectors: Matrix, vector: Matrix) -> list[float]:
    """Similarities that do not depend on what else was compared at the same time: one sum for each pair."""
    products = vectors.astype(np.float64) * vector.astype(np.float64)
    return [round(similarity, _DIGITS) for similarity in products.sum(axis=1).tolist()]


def _bounds(vectors: Matrix) -> Matrix:
    """The first part of each vector, and how long the rest is: the product of two is at least their similarity."""
    head = vectors[:, :_HEAD]
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.square(head).sum(axis=1, keepdims=True))) + _ROUNDED
    bounds: Matrix = np.hstack([head, rest]).astype(np.float32)
    return bounds


def _pools(
    candidates: Sequence[Candidate], floors: Mapping[str, float], best_of: Collection[str] | None
) -> dict[Group, list[_Pool]]:
    by_group: dict[tuple[Group, bool], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.seq):
        whole = best_of is None or candidate.id in best_of or len(candidate.vector) < 2 * _HEAD
        by_group.setdefault((candidate.group, whole), []).append(candidate)
    pools: dict[Group, list[_Pool]] = {}
    for (group, whole), some in by_group.items():
        parts = (some[start : start + _WIDTH] for start in range(0, len(some), _WIDTH))
        pools.setdefault(group, []).extend(_pool(part, floors[group[0]], whole=whole) for part in parts)
    return pools


def _pool(some: Sequence[Candidate], floor: float, *, whole: bool) -> _Pool:
    vectors = np.stack([candidate.vector for candidate in some]).astype(np.float32)
    limits: dict[tuple[str, str | None], list[int]] = {}
    for place, candidate in enumerate(some):
        limits.setdefault((candidate.boundary_class, candidate.expires_at), []).append(place)
    return _Pool(
        candidates=some,
        vectors=vectors if whole else _bounds(vectors),
        whole=whole,
        seqs=np.array([candidate.seq for candidate in some], dtype=np.int64),
        best=np.full(len(some), -1.0 if whole else np.inf, dtype=np.float32),
        floors=np.full(len(some), floor, dtype=np.float32),
        limits={key: np.array(places, dtype=np.int64) for key, places in limits.items()},
    )


def _blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    iterator = iter(rows)
    while block := list(islice(iterator, _BLOCK)):
        yield block


def _order(near: Near) -> tuple[float, str]:
    return -near.similarity, near.id
