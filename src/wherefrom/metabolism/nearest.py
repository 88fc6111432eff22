"""The nearest nodes that could stand for others: exact, a block of stored vectors at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from wherefrom.embedding.port import Matrix
from wherefrom.graph.local import Places
from wherefrom.lazy import np
from wherefrom.metabolism.bounds import ROUNDING_ERROR, Pairs, Rounded, above, in_pairs, rounded
from wherefrom.model.graph import BOUNDARY_CLASSES
from wherefrom.storage.metabolism import WeakNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many stored vectors are compared at once, and with how many others: 8 MB of similarities, or of pairs of them.
_ROWS_PER_BLOCK: Final = 4_096
_CANDIDATES_PER_POOL: Final = 512
# Similarities that differ in later digits are the same, whatever they were computed together with.
_DIGITS: Final = 6
# Where all of the near ones that are kept go, the planner looks for more.
_MAX_KEPT: Final = 64
# The first numbers of a vector are enough to tell of most pairs that they are not near: at first these, and so many
# more each time that bounds leave more than this share of the pairs.
_HEAD_DIMENSIONS: Final = 64
_MORE_DIMENSIONS: Final = 16
_MAX_SHARE_LEFT: Final = 1 / 2048
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
        for group, same in _by_group(block, without):
            if group in pools:
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


def _by_group(
    block: Sequence[tuple[Any, ...]], without: frozenset[str]
) -> Iterator[tuple[Group, Sequence[tuple[Any, ...]]]]:
    """Yield the rows of each group, but for some ids. Mostly all are of one group, and none is looked at by itself."""
    _, ids, *group, _, _, _ = zip(*block, strict=True)
    groups = list(zip(*group, strict=True))
    if not without.isdisjoint(ids):
        kept = [at for at, node_id in enumerate(ids) if node_id not in without]
        block, groups = [block[at] for at in kept], [groups[at] for at in kept]
    places: dict[Group, list[int]] = {name: [] for name in groups}
    if len(places) == 1:
        yield groups[0], block
        return
    for at, name in enumerate(groups):
        places[name].append(at)
    for name, some in places.items():
        yield name, [block[at] for at in some]


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
        self._rounded: dict[int, Rounded] = {}

    def rounded(self, dimensions: int) -> Rounded:
        """The first numbers of the vectors, rounded."""
        if dimensions not in self._rounded:
            self._rounded = {dimensions: rounded(self.vectors, dimensions)}
        return self._rounded[dimensions]


@dataclass(slots=True)
class _Head:
    """By how many of their numbers the vectors of a group are compared first; None: by all at once."""

    dimensions: int | None


class _Pool:
    """Candidates of one group, to be compared by whole vectors, or (not `whole`, where only those above the floor are
    wanted) first by bounds of their similarities.

    best: the highest similarity so far. floors: the similarity above which a neighbour is kept; it rises once as many
    are known as are kept.
    """

    def __init__(self, candidates: Sequence[Candidate], floor: float, head: _Head, *, whole: bool) -> None:
        self.candidates, self.head = candidates, head
        self.vectors: Matrix = np.stack([candidate.vector for candidate in candidates]).astype(np.float32)
        self.seqs = np.array([candidate.node.seq for candidate in candidates], dtype=np.int64)
        self.classes = np.array([_CLASS_PLACES[candidate.node.boundary_class] for candidate in candidates])
        self.expiries = np.array([candidate.node.expires_at or _NEVER for candidate in candidates])
        self.best = np.full(len(candidates), -1.0 if whole else np.inf, dtype=np.float32)
        self.floors = np.full(len(candidates), floor, dtype=np.float32)
        self._pairs: dict[int, Pairs] = {}

    def compare(self, block: _Block) -> None:
        """Find neighbours in a block."""
        while self.head.dimensions is not None:
            if self._compare_left(block, self.head.dimensions):
                return
            # From now on by more of their numbers.
            more = self.head.dimensions + _MORE_DIMENSIONS
            self.head.dimensions = more if more <= self.vectors.shape[1] else None
        # A row for each candidate: what is read is in one piece.
        similarities = self.vectors @ block.vectors.T
        self._leave_out(block, similarities)
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

    def _compare_left(self, block: _Block, dimensions: int) -> bool:
        """Compare the pairs that bounds leave by their whole vectors; if these are too many, do nothing and return
        False.
        """
        if dimensions not in self._pairs:
            self._pairs = {dimensions: in_pairs(rounded(self.vectors, dimensions))}
        most = int(max(len(block.vectors) * _MAX_SHARE_LEFT, 1) * len(self.vectors))
        left = above(self._pairs[dimensions], block.rounded(dimensions), self.floors, most)
        if left is None:
            return False
        fit = self._fit(block, *left)
        places, columns = left[0][fit], left[1][fit]
        values = np.einsum("ij,ij->i", self.vectors[places], block.vectors[columns])
        kept = np.flatnonzero(values > self.floors[places])
        kept = kept[np.lexsort((columns[kept], places[kept]))]
        places, columns, values = places[kept], columns[kept], values[kept]
        for place in np.unique(places).tolist():
            mine = slice(*np.searchsorted(places, (place, place + 1)))
            self._add(block, place, columns[mine], values[mine])
        return True

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
            self.floors[place] = max(self.floors[place], candidate.near[-1].similarity - ROUNDING_ERROR)

    def _leave_out(self, block: _Block, similarities: Matrix) -> None:
        """Leave out the candidates themselves, and those that may not stand for them."""
        place_of = np.minimum(np.searchsorted(self.seqs, block.seqs), len(self.seqs) - 1)
        themselves = np.flatnonzero(self.seqs[place_of] == block.seqs)
        similarities[place_of[themselves], themselves] = -1.0
        if len({*self.classes.tolist(), *block.classes.tolist()}) > 1 or block.expiries is not None:
            fit = self._fit(block, np.arange(len(self.seqs))[:, None], np.arange(len(block.seqs)))
            similarities[~fit] = -1.0

    def _fit(self, block: _Block, places: Places, columns: Places) -> NDArray[np.bool_]:
        """True where another node is seen by the same as the candidate, and for as long."""
        fit: NDArray[np.bool_] = self.seqs[places] != block.seqs[columns]
        fit &= self.classes[places] == block.classes[columns]
        if block.expiries is not None:
            fit &= block.expiries[columns] >= self.expiries[places]
        return fit


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
        head = _Head(None if whole else _HEAD_DIMENSIONS)
        pools.setdefault(group, []).extend(_Pool(part, floors[group[0]], head, whole=whole) for part in parts)
    return pools
