"""The gain of new edges in shorter paths between the nodes of a graph: the ΔSP of the gauge."""

from __future__ import annotations

import functools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from wherefrom.graph.distances import FAR, Arcs, Ends, NewEdge, arcs_of, distances, measure_ends
from wherefrom.graph.local import (
    Flags,
    LocalGraph,
    Numbers,
    Places,
    Steps,
    checked_edges,
    checked_flags,
    checked_places,
)
from wherefrom.lazy import np
from wherefrom.model.insight import PathKnobs

_GOLDEN: Final = 0.6180339887498949  # Multiples of it fall evenly into [0, 1) (Weyl).
_FOCUS_STEPS: Final = {"near": 2, "strict": 1}
_MAX_LENGTHS_AT_ONCE: Final = 1 << 20

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of nodes that are connected, sources[i] < targets[i], each pair once, with the steps between them."""

    sources: Places
    targets: Places
    lengths: Steps


class PairCache:
    """The pairs and lengths of the graphs last seen, `size` of each; for any number of threads."""

    def __init__(self, size: int = 32) -> None:
        self.pairs: _Kept[Pairs] = _Kept(size)
        self.ends: _Kept[Ends] = _Kept(size)


def open_paths(
    graph: LocalGraph,
    nodes: Flags,
    *,
    centers: Places,
    endpoints: Places,
    knobs: PathKnobs,
    cache: PairCache | None = None,
) -> Paths:
    """The lengths of `fixed_pairs` in this graph, by the engine that the knobs name.

    endpoints: the ends of the edges that will be asked for; others cost a search of their own when they are met.
    All engines use the same pairs. `core` searches every after-graph, and is what the others are measured by.
    `cached` equals it always. `cached_incr` equals it but for what its knobs leave out, see `_Incremental`.
    Raises ValueError for places out of the graph, arrays of another shape and negative knobs.
    """
    marked, middle = checked_flags(nodes, graph.size), np.unique(checked_places(centers, graph.size))
    ends = np.unique(checked_places(endpoints, graph.size))
    _check_knobs(knobs)
    arcs = functools.cache(functools.partial(arcs_of, graph))
    if knobs.engine == "core":
        return Paths(graph, fixed_pairs(graph, arcs(), nodes=marked, centers=middle, knobs=knobs))
    kept = cache or PairCache()
    given = (graph.signature(), np.packbits(marked).tobytes(), middle.tobytes())
    key = (*given, knobs.pair_samples, knobs.sources_cap, knobs.sources_focus)
    pairs = kept.pairs.get(key, lambda: fixed_pairs(graph, arcs(), nodes=marked, centers=middle, knobs=knobs))
    measured = kept.ends.get((*key, ends.tobytes()), lambda: _ends_of(arcs(), pairs, ends))
    if knobs.engine == "cached":
        return _Cached(graph, pairs, ends=measured)
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
        """The gain of all these edges together."""
        return self._together(checked_edges(edges, self._graph.size))

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        """The gain of each edge alone. scores: `prune_topk` chooses by them."""
        asked = checked_edges(edges, self._graph.size)
        given = np.zeros(len(asked)) if scores is None else np.asarray(scores)
        if given.shape != (len(asked),) or given.dtype.kind not in "iuf" or np.isnan(given).any():
            raise ValueError(f"scores are {len(asked)} numbers, one for each edge")
        return self._each(asked, scores)

    def adopt(self, edges: Places) -> None:
        """Add edges to the graph."""
        self._adopt(checked_edges(edges, self._graph.size))

    def _together(self, edges: Places) -> float:
        return int((self._lengths - self._lengths_with(edges)).sum(dtype=np.int64)) / max(self._whole, 1)

    def _each(self, edges: Places, _: Numbers | None) -> Numbers:
        return np.array([self._together(edge[None]) for edge in edges], dtype=np.float64)

    def _adopt(self, edges: Places) -> None:
        self._lengths = self._lengths_with(edges)
        self._graph = self._graph.joined(edges)

    def _lengths_with(self, edges: Places) -> Steps:
        rows, row_of = np.unique(self._fixed.sources, return_inverse=True)
        columns, column_of = np.unique(self._fixed.targets, return_inverse=True)
        return distances(arcs_of(self._graph.joined(edges)), rows, columns=columns)[row_of, column_of]


class _Cached(Paths):
    """With the steps from all ends of the asked edges known, what an edge gains follows by the formula of `Ends`.

    Equal to `Paths`. What the cache keeps is of the before-graph; the graph is searched again after each adoption.
    """

    def __init__(self, graph: LocalGraph, pairs: Pairs, *, ends: Ends) -> None:
        super().__init__(graph, pairs)
        self._ends = ends

    def _each(self, edges: Places, _: Numbers | None) -> Numbers:
        self._meet(edges)
        return self._saved(edges)

    def _adopt(self, edges: Places) -> None:
        super()._adopt(edges)
        self._measure(self._ends.nodes)

    def _measure(self, nodes: Places) -> None:
        self._ends = _ends_of(arcs_of(self._graph), self._fixed, nodes)

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

    def _meet(self, edges: Places) -> None:
        """Measure ends that were not announced in the graph as it is now."""
        if not self._ends.know(edges):
            self._measure(np.union1d(self._ends.nodes, edges))


class _Incremental(_Cached):
    """The known lengths are changed by the formula of `Ends` when an edge is adopted; nothing is searched again.

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
        super().__init__(graph, pairs, ends=ends)
        self._knobs = knobs
        self._left = knobs.budget or math.inf
        self._ranked: Places | None = None
        self._begin(ends)

    def _together(self, edges: Places) -> float:
        self._meet(edges)
        ends, lengths, left = self._ends.only(np.unique(edges)), self._lengths, self._left
        for rows in ends.rows_of(edges):
            if left and ends.apart(rows):
                left -= 1
                lengths = ends.shortened(lengths, *rows)
                ends.bring(slice(None), ends.new_edge(*rows))
        saved = int((self._lengths - lengths).sum(dtype=np.int64)) / max(self._whole, 1)
        return saved if saved > self._knobs.gain_epsilon else 0.0

    def _each(self, edges: Places, scores: Numbers | None) -> Numbers:
        found = np.zeros(len(edges))
        if self._left:
            self._meet(edges)
            measured = self._best(edges, scores)
            found[measured] = self._saved(edges[measured])
            found[found <= self._knobs.gain_epsilon] = 0.0
        if self._knobs.endpoint_window:
            self._ranked = edges[np.argsort(-found, kind="stable")]
        return found

    def _adopt(self, edges: Places) -> None:
        self._meet(edges)
        ends = self._ends
        for rows in ends.rows_of(edges):
            self._catch_up(rows)
            if self._left and ends.apart(rows):
                self._left -= 1
                self._lengths = ends.shortened(self._lengths, *rows)
                self._new.append(ends.new_edge(*rows))
                self._adopted.append(ends.nodes[rows])
                self._catch_up(rows)
        self._catch_up(self._window())

    def _best(self, edges: Places, scores: Numbers | None) -> Places:
        everyone = np.arange(len(edges))
        if scores is None or not 0 < self._knobs.prune_topk < len(edges):
            return everyone
        new = everyone[self._ends.apart(self._ends.rows_of(edges))]
        return new[np.argsort(-np.asarray(scores, dtype=np.float64)[new], kind="stable")[: self._knobs.prune_topk]]

    def _window(self) -> Places:
        if self._ranked is None:
            return np.arange(len(self._ends.nodes))
        rows = self._ends.rows_of(self._ranked)
        return np.unique(rows[self._ends.apart(rows)][: self._knobs.endpoint_window])

    def _measure(self, nodes: Places) -> None:
        self._graph = self._graph.joined(np.array(self._adopted, dtype=np.int64))
        super()._measure(nodes)
        self._begin(self._ends)

    def _begin(self, ends: Ends) -> None:
        self._ends = ends.only(ends.nodes)
        self._new: list[NewEdge] = []
        self._adopted: list[Places] = []  # Not yet in the graph, which is needed only for unannounced ends.
        self._known = np.zeros(len(ends.nodes), dtype=np.int64)  # How many new edges each row is up to date with.

    def _catch_up(self, rows: Places) -> None:
        for at in range(int(self._known[rows].min(initial=len(self._new))), len(self._new)):
            self._ends.bring(rows[self._known[rows] <= at], self._new[at])
        self._known[rows] = len(self._new)


class _Kept(Generic[_Value]):
    """A cache of values by key; the least recently used goes first."""

    def __init__(self, size: int) -> None:
        self._size, self._values, self._lock = size, OrderedDict[Hashable, _Value](), threading.Lock()

    def get(self, key: Hashable, make: Callable[[], _Value]) -> _Value:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()  # Without the lock: two threads may make the same, but none waits for another's search.
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return made


def fixed_pairs(graph: LocalGraph, arcs: Arcs, *, nodes: Flags, centers: Places, knobs: PathKnobs) -> Pairs:
    """The pairs over which lengths are compared: both ends marked in `nodes`, and connected in this graph.

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


def _ends_of(arcs: Arcs, pairs: Pairs, nodes: Places) -> Ends:
    return measure_ends(arcs, nodes, sources=pairs.sources, targets=pairs.targets)


def _check_knobs(knobs: PathKnobs) -> None:
    counts = (knobs.pair_samples, knobs.sources_cap, knobs.prune_topk, knobs.endpoint_window, knobs.budget)
    if min(counts) < 0 or not knobs.gain_epsilon >= 0:
        raise ValueError(f"no knob is negative: {knobs}")
    if knobs.engine not in ("core", "cached", "cached_incr") or knobs.sources_focus not in ("off", *_FOCUS_STEPS):
        raise ValueError(f"no such engine or focus: {knobs.engine}, {knobs.sources_focus}")
