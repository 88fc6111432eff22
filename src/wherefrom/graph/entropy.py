"""The entropy of a neighbourhood, high where its nodes resemble each other evenly: the ΔH of the gauge."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import isfinite, log
from typing import Final

from wherefrom.graph.local import (
    Flags,
    LocalGraph,
    Numbers,
    Places,
    checked_edges,
    checked_flags,
    checked_places,
    graph_of,
)
from wherefrom.lazy import np

# Below this length a row counts as one of zeros, and below this entropy a relative change says nothing.
_MIN_LENGTH: Final = 1e-10
_MIN_ENTROPY: Final = 1e-3
# The multiplications in a product of matrices that take as long as looking up one pair. Measured: 40 to 1,200, by how
# large the product is; around the choice that follows from it, either way takes about as long.
_PRODUCTS_PER_PAIR: Final = 256


@dataclass(frozen=True, slots=True)
class EntropyChange:
    """Two entropies in nats, and the change from the first to the second, normalised."""

    before: float
    after: float
    delta: float


def entropy_change(before: float, after: float, *, least: float = _MIN_ENTROPY) -> EntropyChange:
    """ΔH = (after − before) / max(before, least), or 0 where that is ≤ 1e-3. Range: [−1, ∞), −1 only for after = 0.

    The orientation is fixed: more even afterwards is positive. No relative change can be told from a before of
    almost nothing, so by default a node without neighbours has none; a greater `least` gives it one.
    """
    for name, value in (("before", before), ("after", after)):
        if not isfinite(value) or value < 0:
            raise ValueError(f"the entropy {name} must be finite and not negative, not {value}")
    divisor = max(before, least)
    return EntropyChange(before, after, (after - before) / divisor if divisor > _MIN_ENTROPY else 0.0)


def link_set_change(weights: Sequence[float], *, added: float = 1.0) -> EntropyChange:
    """ΔH = (H_after − H_before) / ln K for a set of weighted links that is joined by one more. Range: (−1, 1].

    H = −Σ p·ln p with p = w / Σw, before without and after with the added weight; K is how many have a weight
    afterwards (weight 0 is as good as not in the set), and ΔH is 0 for K < 2. Shannon, "A mathematical theory of
    communication", Bell System Technical Journal 27, 1948.
    """
    given = np.asarray([*weights, added], dtype=np.float64)
    if not np.isfinite(given).all() or (given < 0).any():
        raise ValueError("the weights of links must be finite and not negative")
    before, after = _entropy(given[:-1]), _entropy(given)
    count = int(np.count_nonzero(given))
    return EntropyChange(before, after, (after - before) / log(count) if count >= 2 else 0.0)


def shared(rows: Numbers, *, weights: Numbers | None = None) -> Numbers:
    """s_ab = (cos(a, b) + 1) / 2 for each pair of rows, each multiplied by the weights first. Range: [0, 1].

    Symmetric. A row of zeros has the cosine 0 to everything, itself included: 0.5. A row is divided by its length
    or by 1e-10, whichever is greater. Cost: rows² × dimensions.
    """
    given = _weighed(rows, weights)
    # Squares of large numbers overflow; a cosine does not depend on the length.
    given = given / np.maximum(np.abs(given).max(axis=1, initial=0.0, keepdims=True), 1.0)
    units = given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), _MIN_LENGTH)
    cosines = units @ units.T
    similar: Numbers = (np.clip((cosines + cosines.T) / 2.0, -1.0, 1.0) + 1.0) / 2.0
    return similar


class Entropies:
    """H_v = −Σ p_ab·ln p_ab, p = s / Σs over `shared` of v and its neighbours, of a graph that grows by edges.

    Range: [0, 2·ln(degree + 1)]; 0 for a node without neighbours, the greatest value for rows that all resemble each
    other equally, themselves included. Shannon 1948, as in `link_set_change`.
    places: the nodes with features, rows: theirs; all other nodes have rows of zeros. With S = Σ s_ab and
    T = Σ s_ab·ln s_ab over a closed neighbourhood, H = ln S − T/S; one more member q adds 2·Σ_a s_aq + s_qq to S, and
    likewise to T. All rows of zeros are one kind, so s is a matrix of k + 1 kinds for k rows, and a neighbourhood is
    a row of counts of them. Cost: k² × dimensions + size × k to make, and for each neighbourhood with features the
    square of how many kinds are in it; edges × k for `gains`; edges of the graph + ends × k for `add`.
    """

    def __init__(self, graph: LocalGraph, places: Places, rows: Numbers, *, weights: Numbers | None = None) -> None:
        where, given = checked_features(places, rows, weights, graph.size)
        self._size = graph.size
        self._edges = graph.edges[:, 0] * graph.size + graph.edges[:, 1]
        self._kind = np.full(graph.size, len(where), dtype=np.int64)
        self._kind[where] = np.arange(len(where))
        self._shared = np.full((len(where) + 1, len(where) + 1), 0.5)
        self._shared[:-1, :-1] = shared(given)
        self._logged = _logged(self._shared)
        self._counts = _counts(graph, self._kind, len(where) + 1)
        self._totals, self._logged_totals, self._values = np.zeros((3, graph.size))
        self._measure(np.arange(graph.size))

    @property
    def values(self) -> Numbers:
        """H of each node. Range: [0, 2·ln(degree + 1)]."""
        return self._values.copy()

    def mean(self, nodes: Flags) -> float:
        """The mean of H over the marked nodes; 0 if none is marked."""
        marked = checked_flags(nodes, self._size)
        return float(self._values[marked].mean()) if marked.any() else 0.0

    def gains(self, edges: Places) -> Numbers:
        """The rise of H_u + H_v with each edge (u, v) alone; 0 for a loop or an edge that is there.

        Range: any real, though no fall was ever found. Nodes that are no end of the edge keep H.
        """
        pairs = checked_edges(edges, self._size)
        ends, kind = pairs.ravel(), self._kind[pairs[:, ::-1].ravel()]
        counts = self._counts[ends]
        sums, logged_sums = (np.einsum("ij,ij->i", counts, table[kind]) for table in (self._shared, self._logged))
        totals = self._totals[ends] + 2.0 * sums + self._shared[kind, kind]
        logged = self._logged_totals[ends] + 2.0 * logged_sums + self._logged[kind, kind]
        rises = (np.log(totals) - logged / totals - self._values[ends]).reshape(-1, 2).sum(axis=1)
        void = (pairs[:, 0] == pairs[:, 1]) | self._has(pairs)
        gained: Numbers = np.where(void, 0.0, rises)
        return gained

    def add(self, edges: Places) -> None:
        """Add edges to the graph."""
        wanted = graph_of(self._size, edges).edges
        fresh = wanted[~self._has(wanted)]
        if not len(fresh):
            return
        ends, others = fresh.ravel(), fresh[:, ::-1].ravel()
        np.add.at(self._counts, (ends, self._kind[others]), 1.0)
        keys = fresh[:, 0] * self._size + fresh[:, 1]
        self._edges = np.insert(self._edges, np.searchsorted(self._edges, keys), keys)
        # Made anew from the counts, which are whole numbers: rounding does not add up over many edges.
        self._measure(np.unique(ends))

    def copy(self) -> Entropies:
        """A copy, to add other edges to."""
        twin = copy(self)
        twin._counts, twin._values = self._counts.copy(), self._values.copy()
        twin._totals, twin._logged_totals = self._totals.copy(), self._logged_totals.copy()
        return twin

    def _has(self, pairs: Places) -> Flags:
        """True for each pair that is an edge: `LocalGraph.has` by a search in keys that are in order already."""
        if not len(self._edges):
            return np.zeros(len(pairs), dtype=np.bool_)
        keys = np.minimum(pairs[:, 0], pairs[:, 1]) * self._size + np.maximum(pairs[:, 0], pairs[:, 1])
        at = np.minimum(np.searchsorted(self._edges, keys), len(self._edges) - 1)
        found: Flags = self._edges[at] == keys
        return found

    def _measure(self, nodes: Places) -> None:
        """S, T and H of these nodes, from their counts."""
        counts = self._counts[nodes]
        members = counts.sum(axis=1)
        # Most neighbourhoods have no features at all, so all their pairs are of the last kind.
        totals, logged = members**2 * self._shared[-1, -1], members**2 * self._logged[-1, -1]
        holding = np.flatnonzero(counts[:, -1] < members)
        totals[holding], logged[holding] = _paired(counts[holding], self._shared, self._logged)
        self._totals[nodes], self._logged_totals[nodes] = totals, logged
        # One row alone has the entropy 0, which rounding must not blur: a relative change is taken of it.
        values = np.where(members < 2, 0.0, np.log(totals) - logged / totals)
        self._values[nodes] = np.maximum(values, 0.0)


def _counts(graph: LocalGraph, kind: Places, kinds: int) -> Numbers:
    """The number of nodes of each kind in each closed neighbourhood."""
    nodes = np.arange(graph.size)
    low, high = graph.edges.T
    owners, members = np.concatenate([nodes, low, high]), np.concatenate([nodes, high, low])
    found = np.bincount(owners * kinds + kind[members], minlength=graph.size * kinds)
    return found.reshape(graph.size, kinds).astype(np.float64)


def _paired(counts: Numbers, first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    """x·M·xᵀ for each row x of the counts and both matrices: over the pairs of what is there, if these are few."""
    rows, kinds = np.nonzero(counts)
    many = np.bincount(rows, minlength=len(counts))
    if _PRODUCTS_PER_PAIR * int((many**2).sum()) > counts.size * counts.shape[1]:
        return ((counts @ first) * counts).sum(axis=1), ((counts @ second) * counts).sum(axis=1)
    partners = many[rows]
    one = np.repeat(np.arange(len(rows)), partners)
    # Each entry's partners are the entries of its row, which stand together.
    begin = (np.cumsum(many) - many)[rows] - (np.cumsum(partners) - partners)
    other = np.arange(len(one)) + np.repeat(begin, partners)
    found = counts[rows, kinds]
    times, at = found[one] * found[other], (kinds[one], kinds[other])
    summed: list[Numbers] = [np.zeros(len(counts)), np.zeros(len(counts))]
    for sums, table in zip(summed, (first, second), strict=True):
        sums += np.bincount(rows[one], weights=times * table[at], minlength=len(counts))
    return summed[0], summed[1]


def _entropy(masses: Numbers) -> float:
    """−Σ p·ln p with p = mass / Σ mass; 0 without any mass."""
    greatest = masses.max(initial=0.0)
    if greatest <= 0:
        return 0.0
    # Divided by the greatest first: the sum of large numbers overflows.
    chances = masses / greatest
    chances = chances / chances.sum()
    return max(0.0, -float(_logged(chances).sum()))


def _logged(numbers: Numbers) -> Numbers:
    """x·ln x, 0 for 0."""
    logs = np.zeros_like(numbers)
    np.log(numbers, out=logs, where=numbers > 0)
    return numbers * logs


def checked_features(places: Places, rows: Numbers, weights: Numbers | None, size: int) -> tuple[Places, Numbers]:
    """The places with features, and their rows times the weights. Raises ValueError for what does not fit together."""
    where, given = checked_places(places, size), _weighed(rows, weights)
    if len(np.unique(where)) != len(where):
        raise ValueError("a place has features twice")
    if len(given) != len(where):
        raise ValueError(f"{len(where)} places need as many rows of features, not {len(given)}")
    return where, given


def _weighed(rows: Numbers, weights: Numbers | None) -> Numbers:
    """The rows times the weights. Raises ValueError for what is no table of finite numbers."""
    given = np.asarray(rows, dtype=np.float64)
    if given.ndim != 2:
        raise ValueError(f"features must be one row for each node, not an array of the shape {given.shape}")
    if weights is not None:
        factors = np.asarray(weights, dtype=np.float64)
        if factors.shape != given.shape[1:]:
            raise ValueError(f"{given.shape[1]} dimensions need as many weights, not the shape {factors.shape}")
        if not np.isfinite(factors).all() or (factors < 0).any():
            raise ValueError("the weights of dimensions must be finite and not negative")
        with np.errstate(over="ignore", invalid="ignore"):
            given = given * factors
    if not np.isfinite(given).all():
        raise ValueError("features must be finite numbers, before and after they are weighed")
    return given
