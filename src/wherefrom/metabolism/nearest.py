"""The nearest nodes that could stand for others: exact, a block of stored vectors at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Places
from wherefrom.lazy import np
from wherefrom.model.graph import BOUNDARY_CLASSES
from wherefrom.storage.metabolism import WeakNode

# How many stored vectors are compared at once, and with how many others: 8 MB of similarities, which stay allocated.
_ROWS_PER_BLOCK: Final = 4_096
_CANDIDATES_PER_POOL: Final = 512
# Similarities that differ in later digits are the same, whatever they were computed together with.
_DIGITS: Final = 6
_ROUNDING_ERROR: Final = 2e-6
# Where all of the near ones that are kept go, the planner looks for more.
_MAX_KEPT: Final = 64
# The first numbers of a vector are enough to tell of most pairs that they are not near: at first these, and so many
# more each time that bounds leave more than this share of the pairs.
_HEAD_DIMENSIONS: Final = 64
_MORE_DIMENSIONS: Final = 32
_MAX_SHARE_LEFT: Final = 1 / 1024
_CLASS_PLACES: Final[Mapping[str, int]] = {name: place for place, name in enumerate(BOUNDARY_CLASSES)}
# Sorts after all times.
_NEVER: Final = "~"

Group = tuple[str, str, str | None]
"""Namespace, kind and claim kind: only within them can one node stand for another."""
ToVectors = Callable[[Sequence[bytes]], Any]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node that may stand for a candidate, and how similar they are."""

    id: str
    similarity: float

    @property
    def difficulty(self) -> float:
        """The difficulty of restoring the candidate from it. Range: [0, 2]."""
        return round(1.0 - self.similarity, 6)


@dataclass(slots=True)
class Candidate:
    """A weak node, its vector, the thickness of its thickest edge (0 without any), the benefit of letting it go, and
    how many of its neighbours are compared.

    best: its most similar neighbour; near: those above the floor, the most similar first. more: True if there are more
    of them than are kept. is_strong: True for a node that is not weak, but may go because its copy outranks it.
    """

    node: WeakNode
    vector: Matrix
    thickness: float = 0.0
    benefit: float = 0.0
    compared: int = 0
    best: Neighbour | None = None
    near: list[Neighbour] = field(default_factory=list)
    more: bool = False
    is_strong: bool = False

    def add(self, found: Sequence[Neighbour]) -> None:
        """Note some more neighbours above the floor; of very many the most similar are kept."""
        self.near = sorted([*self.near, *found], key=lambda neighbour: (-neighbour.similarity, neighbour.id))
        self.more = self.more or len(self.near) > _MAX_KEPT
        del self.near[_MAX_KEPT:]
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
) -> None:
    """Find the neighbours of each candidate anew.

    rows: seq, id, namespace, kind, claim kind, class, expiry and vector of all that stay. floors: by namespace, the
    similarity from which on all are wanted. without: ids that do not count. best_of: candidates of which the most
    similar is wanted also below the floor (None: of all).
    """
    for candidate in candidates:
        candidate.best, candidate.near, candidate.more = None, [], False
    pools = _pools(candidates, floors, best_of)
    for block in _blocks(rows):
        beat()
        by_group: dict[Group, list[tuple[Any, ...]]] = {}
        for row in block:
            if row[2:5] in pools and row[1] not in without:
                by_group.setdefault(row[2:5], []).append(row)
        for group, same in by_group.items():
            block_of = _Block(same, to_vectors)
            for pool in pools[group]:
                pool.compare(block_of)


def _blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows in blocks; the next one is read by a thread while the caller is busy with one."""
    iterator = iter(rows)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="wherefrom-vectors") as reader:
        coming = reader.submit(lambda: list(islice(iterator, _ROWS_PER_BLOCK)))
        while block := coming.result():
            coming = reader.submit(lambda: list(islice(iterator, _ROWS_PER_BLOCK)))
            yield block


def may_stand_for(stays: WeakNode, goes: WeakNode) -> bool:
    """True if a node that stays, which takes over what another had, is seen by the same as that, and for as long."""
    return stays.boundary_class == goes.boundary_class and (stays.expires_at or _NEVER) >= (goes.expires_at or _NEVER)


class _Block:
    """Nodes of one group that stay. classes: how restricted each is. expiries: None if none of them expires."""

    def __init__(self, rows: Sequence[tuple[Any, ...]], to_vectors: ToVectors) -> None:
        seqs, self.ids, _, _, _, classes, expiries, vectors = zip(*rows, strict=True)
        self.seqs = np.array(seqs, dtype=np.int64)
        self.vectors: Matrix = to_vectors(vectors)
        self.classes = np.array([_CLASS_PLACES[name] for name in classes], dtype=np.int64)
        self.expiries = np.array([expires_at or _NEVER for expires_at in expiries]) if any(expiries) else None
        self.bounds = _Bounds(self.vectors)


@dataclass(slots=True)
class _Head:
    """By how many of their numbers the vectors of a group are compared first."""

    dimensions: int


class _Bounds:
    """Vectors by their first numbers, computed when they are asked for."""

    def __init__(self, vectors: Matrix) -> None:
        self._vectors = vectors
        self._known: dict[int, Matrix] = {vectors.shape[1]: vectors}

    def by(self, dimensions: int) -> Matrix:
        """The first numbers of each vector, and how long the rest is: a product of two is at least their similarity."""
        if dimensions not in self._known:
            bounds: Matrix = np.empty((len(self._vectors), dimensions + 1), dtype=np.float32)
            bounds[:, :dimensions] = head = self._vectors[:, :dimensions]
            squares = np.einsum("ij,ij->i", head, head)
            bounds[:, dimensions] = np.sqrt(np.maximum(0.0, 1.0 - squares)) + _ROUNDING_ERROR
            self._known[dimensions] = bounds
        return self._known[dimensions]


class _Pool:
    """Candidates of one group, to be compared by whole vectors, or (not `whole`, where only those above the floor are
    wanted) first by bounds of their similarities.

    best: the highest similarity so far. floors: the similarity above which a neighbour is kept; it rises once as many
    are known as are kept. limits: the places of the candidates with the same class and expiry.
    """

    def __init__(self, candidates: Sequence[Candidate], floor: float, head: _Head, *, whole: bool) -> None:
        self.candidates, self.head = candidates, head
        self.vectors: Matrix = np.stack([candidate.vector for candidate in candidates]).astype(np.float32)
        self.bounds = _Bounds(self.vectors)
        self.seqs = np.array([candidate.node.seq for candidate in candidates], dtype=np.int64)
        self.best = np.full(len(candidates), -1.0 if whole else np.inf, dtype=np.float32)
        self.floors = np.full(len(candidates), floor, dtype=np.float32)
        self.limits: dict[tuple[str, str | None], list[int]] = {}
        for place, candidate in enumerate(candidates):
            self.limits.setdefault((candidate.node.boundary_class, candidate.node.expires_at), []).append(place)

    def compare(self, block: _Block) -> None:
        # A row for each candidate: what is read is in one piece.
        similarities = self.bounds.by(self.head.dimensions) @ block.bounds.by(self.head.dimensions).T
        place_of = np.minimum(np.searchsorted(self.seqs, block.seqs), len(self.seqs) - 1)
        themselves = np.flatnonzero(self.seqs[place_of] == block.seqs)
        similarities[place_of[themselves], themselves] = -1.0
        self._leave_out(block, similarities)
        if self.head.dimensions < self.vectors.shape[1]:
            self._compare_left(block, similarities)
            return
        highest = similarities.max(axis=1)
        near = np.flatnonzero(highest > self.floors)
        for place in near.tolist():
            wanted = np.flatnonzero(similarities[place] > self.floors[place])
            self._add(block, place, wanted, similarities[place, wanted])
        for place in np.flatnonzero(highest > self.best).tolist():
            self.best[place] = highest[place]
            if not self.candidates[place].near:
                at = int(similarities[place].argmax())
                similarity = round(float(highest[place]), _DIGITS)
                self.candidates[place].best = Neighbour(block.ids[at], similarity)

    def _compare_left(self, block: _Block, bounds: Matrix) -> None:
        """Compare the pairs that bounds leave by their whole vectors; if there are too many, all by more of their
        numbers, from now on.
        """
        left = bounds > self.floors[:, None]
        if np.count_nonzero(left) > max(bounds.size * _MAX_SHARE_LEFT, len(left)):
            self.head.dimensions = min(self.head.dimensions + _MORE_DIMENSIONS, self.vectors.shape[1])
            self.compare(block)
            return
        places, columns = np.divmod(np.flatnonzero(left), left.shape[1])
        values = np.einsum("ij,ij->i", self.vectors[places], block.vectors[columns])
        above = np.flatnonzero(values > self.floors[places])
        places, columns, values = places[above], columns[above], values[above]
        for place in np.unique(places).tolist():
            mine = slice(*np.searchsorted(places, (place, place + 1)))
            self._add(block, place, columns[mine], values[mine])

    def _add(self, block: _Block, place: int, wanted: Places, values: Matrix) -> None:
        """Note neighbours of a candidate: those at these columns of a block, with these similarities."""
        candidate = self.candidates[place]
        if len(wanted) > _MAX_KEPT:
            # Of those that are equally similar always the same, whatever block they are in.
            candidate.more = True
            order = np.argsort(np.argsort(np.array([block.ids[at] for at in wanted.tolist()])))
            wanted = wanted[np.lexsort((order, -np.round(values, _DIGITS)))[:_MAX_KEPT]]
        # One sum for each pair: it does not depend on what else is compared at the same time.
        products = block.vectors[wanted].astype(np.float64) * candidate.vector.astype(np.float64)
        exact = [round(similarity, _DIGITS) for similarity in products.sum(axis=1).tolist()]
        candidate.add([Neighbour(block.ids[at], value) for at, value in zip(wanted.tolist(), exact, strict=True)])
        if len(candidate.near) == _MAX_KEPT:
            self.floors[place] = max(self.floors[place], candidate.near[-1].similarity - _ROUNDING_ERROR)

    def _leave_out(self, block: _Block, similarities: Matrix) -> None:
        """Leave out what others see than those who see a candidate, or not for as long."""
        for (boundary_class, expires_at), places in self.limits.items():
            unfit = np.not_equal(block.classes, _CLASS_PLACES[boundary_class])
            if block.expiries is not None:
                unfit |= block.expiries < (expires_at or _NEVER)
            if unfit.any():
                similarities[np.ix_(np.array(places), np.flatnonzero(unfit))] = -1.0


def _pools(
    candidates: Sequence[Candidate], floors: Mapping[str, float], best_of: Collection[str] | None
) -> dict[Group, list[_Pool]]:
    """Return the candidates by their group, in pools of a limited size."""
    by_group: dict[tuple[Group, bool], list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda candidate: candidate.node.seq):
        node = candidate.node
        whole = best_of is None or node.id in best_of or len(candidate.vector) < 2 * _HEAD_DIMENSIONS
        by_group.setdefault(((node.namespace, node.kind, node.claim_kind), whole), []).append(candidate)
    pools: dict[Group, list[_Pool]] = {}
    for (group, whole), same in by_group.items():
        parts = (same[start : start + _CANDIDATES_PER_POOL] for start in range(0, len(same), _CANDIDATES_PER_POOL))
        head = _Head(len(same[0].vector) if whole else _HEAD_DIMENSIONS)
        pools.setdefault(group, []).extend(_Pool(part, floors[group[0]], head, whole=whole) for part in parts)
    return pools
