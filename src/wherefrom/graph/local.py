"""A small undirected graph on the places 0 … size − 1: what the measures of insight are taken of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wherefrom.lazy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Steps = NDArray[np.int32]
else:
    Numbers = Places = Flags = Steps = Any


@dataclass(frozen=True, slots=True, eq=False)
class LocalGraph:
    """A graph, made by `graph_of`. edges: one row (u, v) for each edge, u < v, in order, each once; no loops."""

    size: int
    edges: Places

    def joined(self, more: Places) -> LocalGraph:
        """This graph with more edges."""
        return graph_of(self.size, np.concatenate([self.edges, np.asarray(more, dtype=np.int64).reshape(-1, 2)]))

    def degrees(self) -> Places:
        """The number of neighbours of each node."""
        return np.bincount(self.edges.ravel(), minlength=self.size).astype(np.int64)

    def has(self, pairs: Places) -> Flags:
        """True for each pair that is an edge, in either direction."""
        known = self.edges[:, 0] * self.size + self.edges[:, 1]
        low, high = pairs.min(axis=1, initial=self.size), pairs.max(axis=1, initial=-1)
        found: Flags = np.isin(low * self.size + high, known)
        return found

    def within(self, start: Flags, steps: int) -> Flags:
        """Marks on the nodes at most so many steps from the marked ones."""
        reached = start.copy()
        for _ in range(steps):
            ends = reached[self.edges]
            fresh = self.edges[ends.any(axis=1) & ~ends.all(axis=1)]
            if not len(fresh):
                break
            reached[fresh.ravel()] = True
        return reached

    def signature(self) -> str:
        """A hash that is the same for the same graph, and for no other."""
        return hashlib.blake2b(self.edges.tobytes() + self.size.to_bytes(8, "little"), digest_size=16).hexdigest()


def graph_of(size: int, pairs: Places) -> LocalGraph:
    """The graph with these edges; loops and edges given twice are left out. Raises ValueError for other places."""
    rows = checked_edges(pairs, size)
    low, high = rows.min(axis=1, initial=size), rows.max(axis=1, initial=-1)
    keys = np.unique((low * size + high)[low != high])
    return LocalGraph(int(size), np.stack([keys // max(size, 1), keys % max(size, 1)], axis=1))


def checked_edges(edges: Places, size: int) -> Places:
    """The edges as rows of two places. Raises ValueError for what cannot be edges of a graph of this size."""
    given = np.asarray(edges)
    if given.size and (given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu"):
        raise ValueError(f"edges must be pairs of whole numbers, not an array of the shape {given.shape}")
    if size < 0 or (given.size and (given.min() < 0 or given.max() >= size)):
        raise ValueError(f"an edge leads out of the {size} nodes of the graph")
    return given.astype(np.int64).reshape(-1, 2)


def checked_places(places: Places, size: int) -> Places:
    """The places as whole numbers. Raises ValueError for what is no list of nodes of a graph of this size."""
    given = np.asarray(places)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"places must be a list of whole numbers, not an array of the shape {given.shape}")
    if given.size and (given.min() < 0 or given.max() >= size):
        raise ValueError(f"a place is none of the {size} nodes of the graph")
    return given.astype(np.int64)


def checked_flags(nodes: Flags, size: int) -> Flags:
    """The marks of nodes. Raises ValueError for what is not one flag for each node."""
    given = np.asarray(nodes)
    if given.shape != (size,) or given.dtype != np.bool_:
        raise ValueError(f"nodes must be {size} flags, one for each node")
    return given
