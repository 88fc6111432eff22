"""The entropy of a neighbourhood, high where its nodes resemble each other evenly: the ΔH of the gauge."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from math import log
from typing import Final

from wherefrom.graph.local import Flags, LocalGraph, Numbers, Places, graph_of
from wherefrom.lazy import np

# Below this length a row counts as one of zeros, and below this entropy a relative change says nothing.
_MIN_LENGTH: Final = 1e-10
# OpenBLAS computes a product of so many multiplications by one thread. Waking the others, for a few rows on a busy
# machine, takes ten times as long as the products.
_PRODUCTS_OF_ONE_THREAD: Final = 1 << 18
_FEW_ROWS: Final = 160
# Products that differ in later digits are the same, wherever in the matrix they stand.
_DIGITS: Final = 12
_MIN_ENTROPY: Final = 1e-3
# The multiplications in a product of matrices that take as long as looking up one pair. Measured: 40 to 1,200, by how
# large the product is; around the choice that follows from it, either way takes about as long.
_PRODUCTS_PER_PAIR: Final = 256


def entropy_change(before: float, after: float, *, least: float = _MIN_ENTROPY) -> float:
    """ΔH = (after − before) / max(before, least), or 0 where that is ≤ 1e-3. Range: [−1, ∞), −1 only for after = 0.

    The orientation is fixed: more even afterwards is positive. No relative change can be told from a before of
    almost nothing, so by default a node without neighbours has none; a greater `least` gives it one.
    """
    divisor = max(before, least)
    return (after - before) / divisor if divisor > _MIN_ENTROPY else 0.0


def link_set_change(weights: Sequence[float], *, added: float = 1.0) -> float:
    """ΔH = (H_after − H_before) / ln K for a set of weighted links that is joined by one more. Range: (−1, 1].

    H = −Σ p·ln p with p = w / Σw, before without and after with the added weight; K is how many have a weight
    afterwards (weight 0 is as good as not in the set), and ΔH is 0 for K < 2. Shannon, "A mathematical theory of
    communication", Bell System Technical Journal 27, 1948.
    """
    given = np.asarray([*weights, added], dtype=np.float64)
    count = int(np.count_nonzero(given))
    return (_entropy(given) - _entropy(given[:-1])) / log(count) if count >= 2 else 0.0


def products(rows: Numbers) -> Numbers:
    """The product of each row with each. Cost: rows² × dimensions."""
    if len(rows) > _FEW_ROWS:
        found: Numbers = rows @ rows.T
        return found
    found = np.empty((len(rows), len(rows)))
    step = max(1, _PRODUCTS_OF_ONE_THREAD // max(rows.size, 1))
    for start in range(0, len(rows), step):
        np.matmul(rows[start : start + step], rows.T, out=found[start : start + step])
    return found.round(_DIGITS)


def shared(rows: Numbers, *, weights: Numbers | None = None) -> Numbers:
    """s_ab = (cos(a, b) + 1) / 2 for each pair of rows, each multiplied by the weights first. Range: [0, 1].

    Symmetric. A row of zeros has the cosine 0 to everything, itself included: 0.5. A row is divided by its length
    or by 1e-10, whichever is greater. Cost: rows² × dimensions.
    """
    given = np.asarray(rows, dtype=np.float64) * (1.0 if weights is None else weights)
    # Squares of large numbers overflow; a cosine does not depend on the length.
    given = given / np.maximum(np.abs(given).max(axis=1, initial=0.0, keepdims=True), 1.0)
    units = given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), _MIN_LENGTH)
    cosines = products(units)
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
        self._graph = graph
        self._kind = np.full(graph.size, len(places), dtype=np.int64)
        self._kind[places] = np.arange(len(places))
        self._shared = np.full((len(places) + 1, len(places) + 1), 0.5)
        self._shared[:-1, :-1] = shared(rows, weights=weights)
        self._logged = _logged(self._shared)
        self._counts = _counts(graph, self._kind, len(places) + 1)
        self._sums = np.zeros((3, graph.size))  # S, T and H of each node
        self._measure(np.arange(graph.size))

    @property
    def values(self) -> Numbers:
        """H of each node. Range: [0, 2·ln(degree + 1)]."""
        entropies: Numbers = self._sums[2]
        return entropies

    def mean(self, nodes: Flags) -> float:
        """The mean of H over the marked nodes; 0 if none is marked."""
        return float(self.values[nodes].mean()) if nodes.any() else 0.0

    def gains(self, edges: Places) -> Numbers:
        """The rise of H_u + H_v with each edge (u, v) alone; 0 for a loop or an edge that is there.

        Range: any real, though no fall was ever found. Nodes that are no end of the edge keep H.
        """
        ends, kind = edges.ravel(), self._kind[edges[:, ::-1].ravel()]
        counts, (totals, logged, values) = self._counts[ends], self._sums[:, ends]
        sums, logged_sums = (np.einsum("ij,ij->i", counts, table[kind]) for table in (self._shared, self._logged))
        totals += 2.0 * sums + self._shared[kind, kind]
        logged += 2.0 * logged_sums + self._logged[kind, kind]
        rises = (np.log(totals) - logged / totals - values).reshape(-1, 2).sum(axis=1)
        gained: Numbers = np.where((edges[:, 0] == edges[:, 1]) | self._graph.has(edges), 0.0, rises)
        return gained

    def add(self, edges: Places) -> None:
        """Add edges to the graph."""
        wanted = graph_of(self._graph.size, edges).edges
        fresh = wanted[~self._graph.has(wanted)]
        if not len(fresh):
            return
        np.add.at(self._counts, (fresh.ravel(), self._kind[fresh[:, ::-1].ravel()]), 1.0)
        self._graph = self._graph.joined(fresh)
        # Made anew from the counts, which are whole numbers: rounding does not add up over many edges.
        self._measure(np.unique(fresh))

    def copy(self) -> Entropies:
        """Return a copy, to add other edges to."""
        twin = copy(self)
        twin._counts, twin._sums = self._counts.copy(), self._sums.copy()
        return twin

    def _measure(self, nodes: Places) -> None:
        """Measure S, T and H of these nodes from their counts."""
        counts = self._counts[nodes]
        members = counts.sum(axis=1)
        # Most neighbourhoods have no features at all, so all their pairs are of the last kind.
        totals, logged = members**2 * self._shared[-1, -1], members**2 * self._logged[-1, -1]
        holding = np.flatnonzero(counts[:, -1] < members)
        totals[holding], logged[holding] = _paired(counts[holding], self._shared, self._logged)
        # One row alone has the entropy 0, which rounding must not blur: a relative change is taken of it.
        values = np.where(members < 2, 0.0, np.log(totals) - logged / totals)
        self._sums[:, nodes] = totals, logged, np.maximum(values, 0.0)


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
    sums = [np.bincount(rows[one], times * table[at], len(counts)).astype(np.float64) for table in (first, second)]
    return sums[0], sums[1]


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
