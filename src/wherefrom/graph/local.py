"""A small undirected graph on the places 0 … size − 1: what the measures of insight are taken of."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class LocalGraph:
    """edges: one row (u, v) for each edge, u < v, in order, each once; no loops. Made by `graph_of`."""

    size: int
    edges: Places

    def joined(self, more: Places) -> LocalGraph:
        """This graph with more edges."""
        return graph_of(self.size, np.concatenate([self.edges, np.asarray(more, dtype=np.int64).reshape(-1, 2)]))

    def neighbours(self) -> tuple[Places, Places]:
        """Where each node's neighbours begin (size + 1 numbers), and the neighbours, in order."""
        ends = np.concatenate([self.edges, self.edges[:, ::-1]])
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        starts = np.zeros(self.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends[:, 0], minlength=self.size), out=starts[1:])
        return starts, ends[order, 1]

    def degrees(self) -> Places:
        """How many neighbours each node has."""
        return np.bincount(self.edges.ravel(), minlength=self.size).astype(np.int64)

    def has(self, pairs: Places) -> Flags:
        """Which of these pairs are edges, in either direction."""
        known = self.edges[:, 0] * self.size + self.edges[:, 1]
        low, high = pairs.min(axis=1, initial=self.size), pairs.max(axis=1, initial=-1)
        found: Flags = np.isin(low * self.size + high, known)
        return found

    def within(self, start: Flags, steps: int) -> Flags:
        """The nodes at most so many steps from the marked ones."""
        reached = start.copy()
        for _ in range(steps):
            ends = reached[self.edges]
            fresh = self.edges[ends.any(axis=1) & ~ends.all(axis=1)]
            if not len(fresh):
                break
            reached[fresh.ravel()] = True
        return reached

    def signature(self) -> str:
        """The same for the same graph, and for no other."""
        return hashlib.blake2b(self.edges.tobytes() + self.size.to_bytes(8, "little"), digest_size=16).hexdigest()


def graph_of(size: int, pairs: Places) -> LocalGraph:
    """The graph with these edges; loops and edges given twice are left out. Raises ValueError for other places."""
    given = np.asarray(pairs)
    if given.size and (given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu"):
        raise ValueError(f"edges must be pairs of whole numbers, not an array of the shape {given.shape}")
    rows = given.astype(np.int64).reshape(-1, 2)
    if size < 0 or (rows.size and (rows.min() < 0 or rows.max() >= size)):
        raise ValueError(f"an edge leads out of the {size} nodes of the graph")
    low, high = rows.min(axis=1, initial=size), rows.max(axis=1, initial=-1)
    keys = np.unique((low * size + high)[low != high])
    return LocalGraph(int(size), np.stack([keys // max(size, 1), keys % max(size, 1)], axis=1))
