"""The gain of new edges in shorter paths between the nodes of a graph: the ΔSP of the gauge."""

from __future__ import annotations

import functools
import hashlib
import math
import threading
from collections.abc import Callable, Hashable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from wherefrom.graph.local import FAR, Arcs, Flags, LocalGraph, Numbers, Places, Steps, arcs_of, distances
from wherefrom.lazy import np
from wherefrom.model.insight import PathKnobs

_GOLDEN: Final = 0.6180339887498949  # Multiples of it fall evenly into [0, 1) (Weyl).
_FOCUS_STEPS: Final = {"near": 2, "strict": 1}
_MAX_LENGTHS_AT_ONCE: Final = 1 << 20

_Value = TypeVar("_Value")
NewEdge = tuple[int, int, Steps, Steps]
"""The columns of the ends of an edge, and the steps from them to every column just before it was there."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of nodes that are connected, sources[i] < targets[i], each pair once, with the steps between them."""

    sources: Places
    targets: Places
    lengths: Steps


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Steps from each of `nodes` (rows) to all of them and to both ends of some pairs; where those are, as columns.

    With an edge u–v more it is min(d(a,b), d(a,u)+1+d(v,b), d(a,v)+1+d(u,b)) steps from a to b, for a shortest way
    takes an edge once at most.
    """

    nodes: Places
    own: Places
    sources: Places
    targets: Places
    steps: Steps

    def rows_of(self, edges: Places) -> Places:
        """Return the rows of the ends of these edges."""
        rows: Places = np.searchsorted(self.nodes, edges)
        return rows

    def only(self, nodes: Places) -> Ends:
        """Return the rows of some of the nodes, as a copy."""
        rows = np.searchsorted(self.nodes, nodes)
        return Ends(nodes, self.own[rows], self.sources, self.targets, self.steps[rows])

    def apart(self, rows: Places) -> Flags:
        """Return True for each pair of rows whose nodes are neither the same nor neighbours."""
        far: Flags = self.steps[rows[..., 0], self.own[rows[..., 1]]] > 1
        return far

    def new_edge(self, u: int, v: int) -> NewEdge:
        """Return an edge between the nodes of two rows, just before it is there."""
        return int(self.own[u]), int(self.own[v]), self.steps[u].copy(), self.steps[v].copy()

    def update(self, rows: Places | slice, edge: NewEdge) -> None:
        """Bring rows up to date with an edge."""
        now, (u, v, from_u, from_v) = self.steps[rows], edge
        along = np.minimum(now[:, u, None] + from_v, now[:, v, None] + from_u) + 1
        self.steps[rows] = np.minimum(now, along)

    def shortened(self, lengths: Steps, u: int, v: int) -> Steps:
        """Return the lengths of the pairs with an edge between the nodes of two rows."""
        one, other = self.steps[u], self.steps[v]
        along = np.minimum(one[self.sources] + other[self.targets], other[self.sources] + one[self.targets]) + 1
        shorter: Steps = np.minimum(lengths, along)
        return shorter


class PairCache:
    """The pairs of the graphs last seen, and the steps from ends of edges in them; the least recently used go first.
    Threads may share it.
    """

    def __init__(self, entries: int = 64) -> None:
        self._entries, self._values, self._lock = entries, dict[Hashable, Any](), threading.Lock()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        """Return the value of a key, made if it is not there."""
        with self._lock:
            value: _Value | None = self._values.pop(key, None)
        if value is None:  # Made without the lock: two threads may make the same, but none waits for another's search.
            value = make()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._entries:
                del self._values[next(iter(self._values))]
        return value


def open_paths(
    graph: LocalGraph,
    nodes: Flags,
    *,
    centers: Places,
    endpoints: Places,
    knobs: PathKnobs,
    cache: PairCache | None = None,
) -> Paths:
    """Measure the lengths of `fixed_pairs` in this graph, by the engine that the knobs name.

    endpoints: the ends of the edges that will be asked for, none of which may be missing.
    All engines use the same pairs. `core` searches every after-graph, and is what the others are measured by.
    `cached` equals it always. `cached_incr` equals it but for what its knobs leave out, see `_Incremental`.
    """
    arcs, middle, ends = functools.cache(functools.partial(arcs_of, graph)), np.unique(centers), np.unique(endpoints)
    kept = cache or PairCache()
    edges = hashlib.blake2b(graph.edges.tobytes()).digest()  # Itself it would take up to megabytes.
    given = (graph.size, edges, np.packbits(nodes).tobytes(), middle.tobytes())
    key = (*given, knobs.pair_samples, knobs.sources_cap, knobs.sources_focus)
    pairs = kept.get(key, lambda: fixed_pairs(graph, arcs(), nodes=nodes, centers=middle, knobs=knobs))
    if knobs.engine == "core":
        return Paths(graph, pairs)
    measured = kept.get((*key, ends.tobytes()), lambda: measure_ends(arcs(), pairs, ends))
    if knobs.engine == "cached":
        knobs = replace(knobs, gain_epsilon=0.0, prune_topk=0, endpoint_window=0, budget=0)
    return _Incremental(graph, pairs, ends=measured, knobs=knobs)


class Paths:
    """The lengths of fixed pairs in a graph that grows by edges: every after-graph is searched anew.

    pairs: how many pairs; before: their mean length L_before at first. A gain is (L_now − L_with) / L_before: L_now
    with all that was adopted so far, L_with with the asked edges too. So the gain of everything that is adopted, one
    after the other, sums up to ΔSP. Range: [0, 1); 0 without pairs, and for loops and edges that are there.
    """

    def __init__(self, graph: LocalGraph, pairs: Pairs) -> None:
        self.pairs = len(pairs.lengths)
        self._fixed, self._graph, self._lengths = pairs, graph, pairs.lengths
        self._whole = int(pairs.lengths.sum(dtype=np.int64))
        self.before = self._whole / self.pairs if self.pairs else 0.0

    def gain(self, edges: Places) -> float:
        """Return the gain of all these edges together."""
        trial = copy(self)
        trial.adopt(edges)
        return int((self._lengths - trial._lengths).sum(dtype=np.int64)) / max(self._whole, 1)

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        """Return the gain of each edge alone. scores: `prune_topk` chooses by them."""
        del scores
        return np.array([self.gain(edge[None]) for edge in edges], dtype=np.float64)

    def adopt(self, edges: Places) -> None:
        """Add edges to the graph."""
        self._graph = self._graph.joined(edges)
        rows, row_of = np.unique(self._fixed.sources, return_inverse=True)
        columns, column_of = np.unique(self._fixed.targets, return_inverse=True)
        self._lengths = distances(arcs_of(self._graph), rows, columns=columns)[row_of, column_of]


class _Incremental(Paths):
    """With the steps from all ends of the asked edges known, the gain of an edge follows by the formula of `Ends`, and
    so do all lengths when it is adopted; nothing is searched again.

    Equal to `Paths` when gain_epsilon, prune_topk, endpoint_window and budget are 0. Else no gain is ever greater
    than that of `Paths` after the same adoptions, as far as those were within the budget:
    - gain_epsilon: gains up to it are 0, so a gain is too small by this much at most.
    - prune_topk: with scores given, `gains` are 0 but for so many edges, the best by score (of equals the first);
      loops and edges that are there do not count.
    - endpoint_window: after an adoption only the lengths from the ends of so many edges are brought up to date, the
      best by the last `gains` (all, if there were none). The lengths of the pairs stay right. Gains of other edges
      are taken with ways that were the shortest before: too small at most by what the edges that were adopted
      since would gain in the graph with that edge.
    - budget: with so many new edges adopted, further ones are without effect, and all gains are 0; `gain` of more
      edges than that counts the first. ΔSP is then that of the edges within the budget.
    """

    def __init__(self, graph: LocalGraph, pairs: Pairs, *, ends: Ends, knobs: PathKnobs) -> None:
        super().__init__(graph, pairs)
        self._ends = ends.only(ends.nodes)
        self._knobs = knobs
        self._left = knobs.budget or math.inf
        self._ranked: Places | None = None
        self._new: list[NewEdge] = []
        self._known = np.zeros(len(ends.nodes), dtype=np.int64)  # How many new edges each row is up to date with.

    def gain(self, edges: Places) -> float:
        ends, lengths, left = self._ends.only(np.unique(edges)), self._lengths, self._left
        for rows in ends.rows_of(edges):
            if left and ends.apart(rows):
                left -= 1
                lengths = ends.shortened(lengths, *rows)
                ends.update(slice(None), ends.new_edge(*rows))
        saved = int((self._lengths - lengths).sum(dtype=np.int64)) / max(self._whole, 1)
        return saved if saved > self._knobs.gain_epsilon else 0.0

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        found = np.zeros(len(edges))
        if self._left:
            measured = self._best(edges, scores)
            found[measured] = self._saved(edges[measured])
            found[found <= self._knobs.gain_epsilon] = 0.0
        if self._knobs.endpoint_window:
            self._ranked = edges[np.argsort(-found, kind="stable")]
        return found

    def adopt(self, edges: Places) -> None:
        ends = self._ends
        for rows in ends.rows_of(edges):
            self._catch_up(rows)
            if self._left and ends.apart(rows):
                self._left -= 1
                self._lengths = ends.shortened(self._lengths, *rows)
                self._new.append(ends.new_edge(*rows))
                self._catch_up(rows)
        self._catch_up(self._window())

    def _saved(self, edges: Places) -> Numbers:
        one, other = self._ends.rows_of(edges).T
        from_sources = self._ends.steps.take(self._ends.sources, axis=1)
        from_targets = self._ends.steps.take(self._ends.targets, axis=1)
        saved = np.zeros(len(edges), dtype=np.int64)
        stride = max(1, _MAX_LENGTHS_AT_ONCE // max(self.pairs, 1))
        for first in range(0, len(edges), stride):
            u, v = one[first : first + stride], other[first : first + stride]
            along = np.minimum(from_sources[u] + from_targets[v], from_sources[v] + from_targets[u])
            shorter = self._lengths - 1 - along
            saved[first : first + stride] = np.maximum(shorter, 0, out=shorter).sum(axis=1, dtype=np.int64)
        return saved / max(self._whole, 1)

    def _best(self, edges: Places, scores: Numbers | None) -> Places:
        everyone = np.arange(len(edges))
        if scores is None or not 0 < self._knobs.prune_topk < len(edges):
            return everyone
        new = everyone[self._ends.apart(self._ends.rows_of(edges))]
        return new[np.argsort(-scores[new], kind="stable")[: self._knobs.prune_topk]]

    def _window(self) -> Places:
        if self._ranked is None:
            return np.arange(len(self._ends.nodes))
        rows = self._ends.rows_of(self._ranked)
        return np.unique(rows[self._ends.apart(rows)][: self._knobs.endpoint_window])

    def _catch_up(self, rows: Places) -> None:
        for at in range(int(self._known[rows].min(initial=len(self._new))), len(self._new)):
            self._ends.update(rows[self._known[rows] <= at], self._new[at])
        self._known[rows] = len(self._new)


def fixed_pairs(graph: LocalGraph, arcs: Arcs, *, nodes: Flags, centers: Places, knobs: PathKnobs) -> Pairs:
    """Return the pairs over which lengths are compared: both ends marked in `nodes`, and connected in this graph.

    The way between them may leave `nodes`. One end at least is a source: a marked node that has an edge, within 2
    (`near`) or 1 (`strict`) steps of the centers if `sources_focus` asks for it. Of more than `sources_cap`
    sources, so many are taken at even distances in the order of the nodes. The pairs in order of source, then of
    the other end, are cut into `pair_samples` stretches of equal size (up to one), and one is taken of each, at a
    place that walks through the stretch by the golden ratio: every source has its share of the pairs, and the
    other ends differ from source to source. A cap of 0 is none.
    """
    eligible = nodes & (graph.degrees() > 0)
    if knobs.sources_focus in _FOCUS_STEPS:
        start = np.zeros(graph.size, dtype=bool)
        start[centers] = True
        eligible &= graph.within(start, _FOCUS_STEPS[knobs.sources_focus])
    sources = np.flatnonzero(eligible)
    if 0 < knobs.sources_cap < len(sources):
        sources = sources[np.arange(knobs.sources_cap) * len(sources) // knobs.sources_cap]
    others = np.flatnonzero(nodes)
    steps = distances(arcs, sources, columns=others)
    # A pair of two sources is met twice: it is taken from the smaller.
    chosen = np.zeros(graph.size, dtype=bool)
    chosen[sources] = True
    once = ~chosen[others] | (others > sources[:, None])
    found = np.flatnonzero((steps < FAR) & once)
    if 0 < knobs.pair_samples < len(found):
        bounds = np.arange(knobs.pair_samples + 1) * len(found) // knobs.pair_samples
        share = np.arange(knobs.pair_samples) * _GOLDEN % 1.0
        found = found[bounds[:-1] + (share * np.diff(bounds)).astype(np.int64)]
    one, other = sources[found // max(len(others), 1)], others[found % max(len(others), 1)]
    return Pairs(np.minimum(one, other), np.maximum(one, other), steps.ravel()[found])


def measure_ends(arcs: Arcs, pairs: Pairs, nodes: Places) -> Ends:
    """Measure the steps from these nodes, which are in order and each there once, in a graph as it is now."""
    wanted = np.zeros(len(arcs.starts), dtype=bool)
    wanted[np.concatenate([nodes, pairs.sources, pairs.targets])] = True
    columns = np.flatnonzero(wanted)
    own, one, other = (np.searchsorted(columns, places) for places in (nodes, pairs.sources, pairs.targets))
    return Ends(nodes, own, one, other, distances(arcs, nodes, columns=columns))
