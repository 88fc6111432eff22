"""How much shorter links would make the ways between the nodes of a graph: ΔSP."""

from __future__ import annotations

import functools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

import numpy as np

from wherefrom.graph.distances import FAR, Arcs, Ends, Link, Steps, arcs_of, distances, measure_ends
from wherefrom.graph.local import Flags, LocalGraph, Numbers, Places
from wherefrom.model.insight import PathKnobs

_GOLDEN: Final = 0.6180339887498949  # Multiples of it fall evenly into [0, 1) (Weyl).
_FOCUS: Final = {"near": 2, "strict": 1}
_CELLS: Final = 1 << 20  # So many lengths are computed at once.

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of nodes that are connected, sources[i] < targets[i], each pair once, with the steps between them."""

    sources: Places
    targets: Places
    lengths: Steps


def mean_length(graph: LocalGraph, *, pairs: Places | None = None) -> float:
    """The mean number of steps between the ends of these pairs, or of all pairs of nodes; 0 if there are none.

    Pairs that are not connected are left out. Raises ValueError for places out of the graph and for a pair of a
    node with itself.
    """
    arcs = arcs_of(graph)
    everyone = np.arange(graph.size)
    total, count = 0, 0
    if pairs is None:
        for first in range(0, graph.size, 64):
            steps = distances(arcs, everyone[first : first + 64], columns=everyone)
            known = steps[(steps > 0) & (steps < FAR)]
            total, count = total + int(known.sum(dtype=np.int64)), count + len(known)
        return total / count if count else 0.0
    ends = _checked_edges(pairs, graph.size)
    if (ends[:, 0] == ends[:, 1]).any():
        raise ValueError("a node and itself are not a pair")
    steps = _lengths(arcs, ends[:, 0], targets=ends[:, 1])
    known = steps[steps < FAR]
    return float(known.mean(dtype=np.float64)) if len(known) else 0.0


def relative(before: float, after: float) -> float:
    """ΔSP = (before − after) / before, 0 if before is 0. Range: [0, 1], for more edges never lengthen a way."""
    if not (math.isfinite(before) and math.isfinite(after) and before >= 0 and after >= 0):
        raise ValueError(f"mean lengths are finite and not negative: {before}, {after}")
    return min(1.0, max(0.0, (before - after) / before)) if before else 0.0


def fixed_pairs(graph: LocalGraph, nodes: Flags, *, centers: Places, knobs: PathKnobs) -> Pairs:
    """The pairs over which lengths are compared: both ends marked in `nodes`, and connected in this graph.

    The way between them may leave `nodes`. One end at least is a source: a marked node that has an edge, within 2
    (`near`) or 1 (`strict`) steps of the centers if `sources_focus` asks for it. Of more than `sources_cap`
    sources, so many are taken at even distances in the order of the nodes. The pairs in order of source, then of
    the other end, are cut into `pair_samples` stretches of equal size (up to one), and one is taken of each, at a
    place that walks through the stretch by the golden ratio: every source has its share of the pairs, and the
    other ends differ from source to source. A cap of 0 is none.
    """
    marked, middle = _checked_flags(nodes, graph.size), _checked_places(centers, graph.size)
    _check_knobs(knobs)
    return _choose_pairs(graph, arcs_of(graph), nodes=marked, centers=middle, knobs=knobs)


class Paths(Protocol):
    """The lengths of fixed pairs in a graph that grows by edges.

    pairs: how many pairs; before: their mean length L_before at first. A gain is (L_now − L_with) / L_before: L_now
    with all that was adopted so far, L_with with the asked edges too. So the gain of everything that is adopted, one
    after the other, sums up to ΔSP. Range: [0, 1); 0 without pairs, and for loops and edges that are there.
    """

    pairs: int
    before: float

    def gain(self, edges: Places) -> float:
        """What all these edges together would gain."""
        ...

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        """What each edge alone would gain. scores: by which of them `prune_topk` chooses."""
        ...

    def adopt(self, edges: Places) -> None:
        """From now on these edges are in the graph."""
        ...


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
    marked, middle = _checked_flags(nodes, graph.size), np.unique(_checked_places(centers, graph.size))
    ends = np.unique(_checked_places(endpoints, graph.size))
    _check_knobs(knobs)
    arcs = functools.cache(functools.partial(arcs_of, graph))
    if knobs.engine == "core":
        return _Core(graph, _choose_pairs(graph, arcs(), nodes=marked, centers=middle, knobs=knobs))
    kept = cache or PairCache()
    given = (graph.signature(), np.packbits(marked).tobytes(), middle.tobytes())
    key = (*given, knobs.pair_samples, knobs.sources_cap, knobs.sources_focus)
    pairs = kept.pairs.get(key, lambda: _choose_pairs(graph, arcs(), nodes=marked, centers=middle, knobs=knobs))
    measured = kept.ends.get((*key, ends.tobytes()), lambda: _measured(arcs(), pairs, nodes=ends))
    if knobs.engine == "cached":
        return _Cached(graph, pairs, ends=measured)
    return _Incremental(graph, pairs, ends=measured, knobs=knobs)


class _Core:
    """Every after-graph is searched anew."""

    def __init__(self, graph: LocalGraph, pairs: Pairs) -> None:
        self.pairs = len(pairs.lengths)
        self._fixed, self._graph, self._lengths = pairs, graph, pairs.lengths
        self._whole = int(pairs.lengths.sum(dtype=np.int64))
        self.before = self._whole / self.pairs if self.pairs else 0.0

    def gain(self, edges: Places) -> float:
        return self._gain(_checked_edges(edges, self._graph.size))

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        asked = _checked_edges(edges, self._graph.size)
        _check_scores(scores, len(asked))
        return np.array([self._gain(edge[None]) for edge in asked], dtype=np.float64)

    def adopt(self, edges: Places) -> None:
        self._graph = self._graph.joined(_checked_edges(edges, self._graph.size))
        self._lengths = _lengths(arcs_of(self._graph), self._fixed.sources, targets=self._fixed.targets)

    def _gain(self, edges: Places) -> float:
        after = _lengths(arcs_of(self._graph.joined(edges)), self._fixed.sources, targets=self._fixed.targets)
        return int((self._lengths - after).sum(dtype=np.int64)) / max(self._whole, 1)


class _Cached(_Core):
    """With the steps from all ends of the asked edges known, what an edge gains follows by the formula of `Ends`.

    Equal to `_Core`. What the cache keeps is of the before-graph; the graph is searched again after each adoption.
    """

    def __init__(self, graph: LocalGraph, pairs: Pairs, *, ends: Ends) -> None:
        super().__init__(graph, pairs)
        self._ends = ends

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        asked = _checked_edges(edges, self._graph.size)
        _check_scores(scores, len(asked))
        self._meet(asked)
        return self._each(asked)

    def adopt(self, edges: Places) -> None:
        super().adopt(edges)
        self._measure(self._ends.nodes)

    def _measure(self, nodes: Places) -> None:
        self._ends = _measured(arcs_of(self._graph), self._fixed, nodes=nodes)

    def _each(self, edges: Places) -> Numbers:
        one, other = self._ends.rows_of(edges).T
        from_sources = self._ends.steps.take(self._ends.sources, axis=1)
        from_targets = self._ends.steps.take(self._ends.targets, axis=1)
        saved = np.zeros(len(edges), dtype=np.int64)
        stride = max(1, _CELLS // max(self.pairs, 1))
        for first in range(0, len(edges), stride):
            u, v = one[first : first + stride], other[first : first + stride]
            along = np.minimum(from_sources[u] + from_targets[v], from_sources[v] + from_targets[u])
            shorter = self._lengths - 1 - along
            saved[first : first + stride] = np.maximum(shorter, 0, out=shorter).sum(axis=1, dtype=np.int64)
        return saved / max(self._whole, 1)

    def _meet(self, edges: Places) -> None:
        """Ends that were not announced are measured in the graph as it is now."""
        if not self._ends.know(edges):
            self._measure(np.union1d(self._ends.nodes, edges))


class _Incremental(_Cached):
    """The known lengths are changed by the formula of `Ends` when an edge is adopted; nothing is searched again.

    Equal to `_Core` when gain_epsilon, prune_topk, endpoint_window and budget are 0. Else no gain is ever greater
    than that of `_Core` after the same adoptions, as far as those were within the budget:
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

    def gain(self, edges: Places) -> float:
        asked = _checked_edges(edges, self._graph.size)
        self._meet(asked)
        ends, lengths, left = self._ends.only(np.unique(asked)), self._lengths, self._left
        for rows in ends.rows_of(asked):
            if left and ends.apart(rows):
                left -= 1
                lengths = ends.shortened(lengths, *rows)
                ends.bring(slice(None), ends.link(*rows))
        saved = int((self._lengths - lengths).sum(dtype=np.int64)) / max(self._whole, 1)
        return saved if saved > self._knobs.gain_epsilon else 0.0

    def gains(self, edges: Places, *, scores: Numbers | None = None) -> Numbers:
        asked = _checked_edges(edges, self._graph.size)
        _check_scores(scores, len(asked))
        found = np.zeros(len(asked))
        if self._left:
            self._meet(asked)
            measured = self._best(asked, scores)
            found[measured] = self._each(asked[measured])
            found[found <= self._knobs.gain_epsilon] = 0.0
        if self._knobs.endpoint_window:
            self._ranked = asked[np.argsort(-found, kind="stable")]
        return found

    def adopt(self, edges: Places) -> None:
        asked = _checked_edges(edges, self._graph.size)
        self._meet(asked)
        ends = self._ends
        for rows in ends.rows_of(asked):
            self._catch_up(rows)
            if self._left and ends.apart(rows):
                self._left -= 1
                self._lengths = ends.shortened(self._lengths, *rows)
                self._links.append(ends.link(*rows))
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
        self._links: list[Link] = []
        self._adopted: list[Places] = []  # Not yet in the graph, which is needed only for unannounced ends.
        self._known = np.zeros(len(ends.nodes), dtype=np.int64)  # How many of the links each row was told of.

    def _catch_up(self, rows: Places) -> None:
        for at in range(int(self._known[rows].min(initial=len(self._links))), len(self._links)):
            self._ends.bring(rows[self._known[rows] <= at], self._links[at])
        self._known[rows] = len(self._links)


class _Kept(Generic[_Value]):
    """What was made last, by key; the least recently used goes first."""

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


def _choose_pairs(graph: LocalGraph, arcs: Arcs, *, nodes: Flags, centers: Places, knobs: PathKnobs) -> Pairs:
    eligible = nodes & (graph.degrees() > 0)
    if knobs.sources_focus in _FOCUS:
        start = np.zeros(graph.size, dtype=bool)
        start[centers] = True
        eligible &= graph.within(start, _FOCUS[knobs.sources_focus])
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
        found = found[_spread(len(found), knobs.pair_samples)]
    one, other = sources[found // max(len(others), 1)], others[found % max(len(others), 1)]
    return Pairs(np.minimum(one, other), np.maximum(one, other), steps.ravel()[found])


def _spread(total: int, count: int) -> Places:
    bounds = np.arange(count + 1) * total // count
    share = np.arange(count) * _GOLDEN % 1.0
    picked: Places = bounds[:-1] + (share * np.diff(bounds)).astype(np.int64)
    return picked


def _measured(arcs: Arcs, pairs: Pairs, *, nodes: Places) -> Ends:
    return measure_ends(arcs, nodes, sources=pairs.sources, targets=pairs.targets)


def _lengths(arcs: Arcs, sources: Places, *, targets: Places) -> Steps:
    rows, row_of = np.unique(sources, return_inverse=True)
    columns, column_of = np.unique(targets, return_inverse=True)
    return distances(arcs, rows, columns=columns)[row_of, column_of]


def _checked_edges(edges: Places, size: int) -> Places:
    given = np.asarray(edges)
    if given.size and (given.ndim != 2 or given.shape[1] != 2):
        raise ValueError(f"edges are pairs of places, not an array of the shape {given.shape}")
    return _checked_places(given.reshape(-1), size).reshape(-1, 2)


def _checked_places(places: Places, size: int) -> Places:
    given = np.asarray(places)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"places are whole numbers in a row, not {given.dtype} of the shape {given.shape}")
    whole = given.astype(np.int64)
    if whole.size and (whole.min() < 0 or whole.max() >= size):
        raise ValueError(f"a place lies outside the {size} nodes of the graph")
    return whole


def _checked_flags(nodes: Flags, size: int) -> Flags:
    given = np.asarray(nodes)
    if given.shape != (size,) or given.dtype != np.bool_:
        raise ValueError(f"nodes are marked by {size} truth values, not by {given.dtype} of the shape {given.shape}")
    return given


def _check_scores(scores: Numbers | None, count: int) -> None:
    given = np.zeros(count) if scores is None else np.asarray(scores)
    if given.shape != (count,) or given.dtype.kind not in "iuf" or np.isnan(given).any():
        raise ValueError(f"scores are {count} numbers, one for each edge")


def _check_knobs(knobs: PathKnobs) -> None:
    counts = (knobs.pair_samples, knobs.sources_cap, knobs.prune_topk, knobs.endpoint_window, knobs.budget)
    if min(counts) < 0 or not knobs.gain_epsilon >= 0:
        raise ValueError(f"no knob is negative: {knobs}")
    if knobs.engine not in ("core", "cached", "cached_incr") or knobs.sources_focus not in ("off", *_FOCUS):
        raise ValueError(f"no such engine or focus: {knobs.engine}, {knobs.sources_focus}")
