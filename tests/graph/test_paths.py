"""Shortest paths: hand-computed values, a plain breadth-first search to compare with, and what each engine promises."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace

import numpy as np
import pytest
from graph_for_tests import fixed_pairs, mean_length, relative
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.graph import paths as paths_module
from wherefrom.graph.local import FAR, arcs_of, distances, graph_of
from wherefrom.graph.paths import PairCache, open_paths
from wherefrom.model.insight import PathKnobs

EXACT = PathKnobs(engine="core", pair_samples=0, sources_cap=0, gain_epsilon=0.0)
ENGINES = ("core", "cached", "cached_incr")
NOBODY = np.zeros(0, dtype=np.int64)
NO_EDGES = np.zeros((0, 2), dtype=np.int64)
CHAIN = graph_of(4, np.array([[0, 1], [1, 2], [2, 3]]))


def plain(graph, source):
    """Breadth-first search as in a textbook."""
    near = {node: [] for node in range(graph.size)}
    for u, v in graph.edges.tolist():
        near[u].append(v)
        near[v].append(u)
    found, queue = {source: 0}, deque([source])
    while queue:
        node = queue.popleft()
        for other in near[node]:
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def chain(size):
    return graph_of(size, np.stack([np.arange(size - 1), np.arange(1, size)], axis=1))


def everyone(graph):
    return np.ones(graph.size, dtype=bool)


def opened(graph, *, nodes=None, endpoints=None, knobs=EXACT, cache=None):
    marked = everyone(graph) if nodes is None else nodes
    endpoints = np.arange(graph.size) if endpoints is None else endpoints
    return open_paths(graph, marked, centers=NOBODY, endpoints=endpoints, knobs=knobs, cache=cache)


@st.composite
def places(draw, size, least=0, most=8):
    node = st.integers(0, size - 1)
    return np.array(draw(st.lists(st.tuples(node, node), min_size=least, max_size=most)), dtype=np.int64).reshape(-1, 2)


@st.composite
def cases(draw):
    """A graph, marked nodes, candidates, and in which order some of them are adopted."""
    size = draw(st.integers(2, 14))
    graph = graph_of(size, draw(places(size, most=24)))
    nodes = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), dtype=bool)
    edges = draw(places(size, least=1))
    order = draw(st.lists(st.integers(0, len(edges) - 1), max_size=6))
    return graph, nodes, edges, order


def random_case(size=300, links=600, candidates=40, seed=5):
    random = np.random.default_rng(seed)
    graph = graph_of(size, random.integers(0, size, (links, 2)))
    others = random.choice(np.arange(1, size), candidates, replace=False)
    return graph, np.stack([np.zeros(candidates, dtype=np.int64), others], axis=1)


# Breadth-first search


@settings(deadline=None)
@given(cases())
def test_distances_are_those_of_a_plain_search(case):
    graph = case[0]
    all_places = np.arange(graph.size)
    found = distances(arcs_of(graph), all_places, columns=all_places)
    for source in range(graph.size):
        expected = plain(graph, source)
        assert found[source].tolist() == [expected.get(node, FAR) for node in range(graph.size)]


@pytest.mark.parametrize("sources", [1, 63, 64, 65, 130, 300])
def test_any_number_of_sources_in_any_order_and_twice(sources):
    graph, _ = random_case()
    chosen, columns = np.arange(sources)[::-1] // 2, np.array([7, 3, 3, 299])
    found = distances(arcs_of(graph), chosen, columns=columns)
    assert found.tolist() == [[plain(graph, int(s)).get(c, FAR) for c in columns.tolist()] for s in chosen]


@pytest.mark.parametrize("size", [254, 255, 256, 257, 511, 600])
def test_ways_longer_than_a_byte_can_count(size):
    found = distances(arcs_of(chain(size)), np.array([0, size - 1]), columns=np.arange(size))
    assert found[0].tolist() == list(range(size))
    assert found[1].tolist() == list(range(size))[::-1]


def test_more_nodes_than_sixteen_bits_can_number():
    size = 70_000
    star = graph_of(size, np.stack([np.full(size - 2, size - 1), np.arange(size - 2)], axis=1))
    found = distances(arcs_of(star), np.array([65_537, 1]), columns=np.array([1, 65_537, size - 1, size - 2]))
    assert found.tolist() == [[2, 0, 1, FAR], [0, 2, 1, FAR]]


# Mean length


def test_the_mean_length_of_a_chain_by_hand():
    assert mean_length(CHAIN) == pytest.approx((3 * 1 + 2 * 2 + 1 * 3) / 6)
    assert mean_length(CHAIN, pairs=np.array([[0, 3], [2, 1]])) == 2.0


def test_unconnected_pairs_are_left_out():
    graph = graph_of(5, np.array([[0, 1], [1, 2]]))
    assert mean_length(graph) == pytest.approx(4 / 3)
    assert mean_length(graph, pairs=np.array([[0, 2], [0, 4]])) == 2.0
    assert mean_length(graph, pairs=np.array([[3, 4]])) == 0.0
    assert mean_length(graph, pairs=NO_EDGES) == 0.0
    assert mean_length(graph_of(3, NO_EDGES)) == mean_length(graph_of(0, NO_EDGES)) == 0.0


@settings(deadline=None)
@given(cases())
def test_the_mean_over_all_pairs_is_the_mean_over_the_fixed_ones(case):
    graph = case[0]
    pairs = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=EXACT)
    assert mean_length(graph) == pytest.approx(pairs.lengths.mean() if len(pairs.lengths) else 0.0)
    ends = np.stack([pairs.sources, pairs.targets], axis=1)
    assert mean_length(graph, pairs=ends) == pytest.approx(mean_length(graph))


def test_relative():
    assert relative(2.0, 1.5) == 0.25
    assert relative(0.0, 0.0) == relative(0.0, 3.0) == relative(2.0, 2.5) == 0.0
    assert relative(2.0, 0.0) == 1.0


# Fixed pairs


@settings(deadline=None)
@given(cases())
def test_without_caps_all_connected_marked_pairs_are_taken_once(case):
    graph, nodes, _, _ = case
    pairs = fixed_pairs(graph, nodes, centers=NOBODY, knobs=EXACT)
    expected = {
        (a, b): plain(graph, a)[b]
        for a in range(graph.size)
        for b in range(a + 1, graph.size)
        if nodes[a] and nodes[b] and b in plain(graph, a)
    }
    found = zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True)
    assert len(pairs.lengths) == len(expected)
    assert dict(zip(found, pairs.lengths.tolist(), strict=True)) == expected


def test_a_way_may_leave_the_marked_nodes():
    pairs = fixed_pairs(CHAIN, np.array([True, False, False, True]), centers=NOBODY, knobs=EXACT)
    assert (pairs.sources.tolist(), pairs.targets.tolist(), pairs.lengths.tolist()) == ([0], [3], [3])


def test_of_many_pairs_every_source_has_its_share_and_other_ends_differ():
    graph = graph_of(200, np.stack([np.zeros(199, dtype=np.int64), np.arange(1, 200)], axis=1))
    knobs = replace(EXACT, pair_samples=400, sources_cap=20)
    pairs = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=knobs)
    assert len(pairs.lengths) == 400
    assert (pairs.sources < pairs.targets).all()
    assert len(set(zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True))) == 400
    sources = set(range(0, 200, 10))
    ends = [(a, b) if a in sources else (b, a) for a, b in zip(pairs.sources, pairs.targets, strict=True)]
    share = [sum(1 for a, _ in ends if a == source) for source in sorted(sources)]
    assert sum(share) == 400
    assert min(share) >= 10
    assert len({b for _, b in ends}) > 150


def test_a_sample_is_near_the_whole():
    graph, _ = random_case()
    whole = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=EXACT).lengths
    sample = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=PathKnobs()).lengths
    assert len(sample) == 200
    # Four times the standard error of 200 drawings.
    assert abs(sample.mean() - whole.mean()) < 4 * whole.std() / 200**0.5


def test_sources_are_not_spent_on_nodes_without_edges():
    graph = graph_of(100, np.array([[97, 98], [98, 99]]))
    pairs = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=replace(EXACT, sources_cap=3))
    assert len(pairs.lengths) == 3


@pytest.mark.parametrize(("focus", "least"), [("off", 10), ("near", 9), ("strict", 7)])
def test_focus_keeps_to_sources_near_the_centers(focus, least):
    knobs = replace(EXACT, sources_focus=focus)
    pairs = fixed_pairs(chain(5), everyone(chain(5)), centers=np.array([0]), knobs=knobs)
    steps = {"off": 5, "near": 2, "strict": 1}[focus]
    assert len(pairs.lengths) == least
    assert (pairs.sources <= steps).all()
    if focus != "off":
        assert not len(fixed_pairs(chain(5), everyone(chain(5)), centers=NOBODY, knobs=knobs).lengths)


def test_the_same_pairs_each_time():
    graph, _ = random_case()
    one, two = (fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=PathKnobs()) for _ in range(2))
    assert one.sources.tolist() == two.sources.tolist()
    assert one.targets.tolist() == two.targets.tolist()


# Engines


@pytest.mark.parametrize("engine", ENGINES)
def test_gains_on_a_chain_by_hand(engine):
    paths = opened(CHAIN, endpoints=np.arange(4), knobs=replace(EXACT, engine=engine))
    assert (paths.pairs, paths.before) == (6, 10 / 6)
    # 0–3 makes a ring of four (4 × 1 + 2 × 2 = 8 of 10 steps); 0–2 shortens 0–2 and 0–3 by one each.
    edges = np.array([[0, 3], [2, 0], [1, 2], [1, 1]])
    assert paths.gains(edges).tolist() == [0.2, 0.2, 0.0, 0.0]
    assert paths.gain(np.array([[0, 3], [0, 2]])) == pytest.approx(0.3)
    paths.adopt(np.array([[0, 3]]))
    assert paths.gains(edges).tolist() == [0.0, 0.1, 0.0, 0.0]
    assert paths.before == 10 / 6


@settings(deadline=None)
@given(cases(), st.booleans())
def test_without_its_knobs_every_engine_equals_core(case, more_ends):
    graph, nodes, edges, order = case
    endpoints = None if more_ends else edges.ravel()
    engines = [opened(graph, nodes=nodes, endpoints=endpoints, knobs=replace(EXACT, engine=name)) for name in ENGINES]
    for step in [*order, 0]:
        for paths in engines[1:]:
            assert paths.pairs == engines[0].pairs
            assert paths.before == engines[0].before
            assert paths.gains(edges).tolist() == engines[0].gains(edges).tolist()
            assert paths.gain(edges) == engines[0].gain(edges)
        for paths in engines:
            paths.adopt(edges[step : step + 1])


@settings(deadline=None)
@given(cases())
def test_gains_sum_up_to_what_all_gain_and_to_the_change_of_the_mean(case):
    graph, _, edges, order = case
    pairs = fixed_pairs(graph, everyone(graph), centers=NOBODY, knobs=EXACT)
    ends = np.stack([pairs.sources, pairs.targets], axis=1)
    paths = opened(graph, knobs=replace(EXACT, engine="cached_incr"))
    adopted = edges[order].reshape(-1, 2)
    together, total = paths.gain(adopted), 0.0
    for edge in adopted:
        total += paths.gains(edge[None])[0]
        paths.adopt(edge[None])
    after = mean_length(graph.joined(adopted), pairs=ends)
    assert total == pytest.approx(together)
    assert together == pytest.approx(relative(paths.before, after))


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree_on_a_larger_graph_with_default_caps(engine):
    graph, edges = random_case()
    core = opened(graph, endpoints=edges.ravel(), knobs=PathKnobs(engine="core"))
    paths = opened(graph, endpoints=edges.ravel(), knobs=PathKnobs(engine=engine))
    for _ in range(3):
        gains = core.gains(edges)
        assert np.abs(paths.gains(edges) - gains).max() <= PathKnobs().gain_epsilon
        best = edges[[gains.argmax()]]
        core.adopt(best)
        paths.adopt(best)


def test_many_edges_over_many_pairs_are_cut_into_parts(monkeypatch):
    graph, edges = random_case(size=60, links=90)
    whole = opened(graph, endpoints=edges.ravel(), knobs=replace(EXACT, engine="cached")).gains(edges)
    monkeypatch.setattr(paths_module, "_MAX_LENGTHS_AT_ONCE", 4000)
    parts = opened(graph, endpoints=edges.ravel(), knobs=replace(EXACT, engine="cached")).gains(edges)
    assert parts.tolist() == whole.tolist()


# What the knobs of cached_incr leave out


@settings(deadline=None)
@given(cases(), st.sampled_from([0.05, 0.2, 1.0]))
def test_epsilon_takes_away_small_gains_only(case, epsilon):
    graph, nodes, edges, order = case
    core = opened(graph, nodes=nodes, knobs=EXACT)
    paths = opened(graph, nodes=nodes, knobs=replace(EXACT, engine="cached_incr", gain_epsilon=epsilon))
    for step in [*order, 0]:
        exact, found = core.gains(edges), paths.gains(edges)
        assert found.tolist() == [gain if gain > epsilon else 0.0 for gain in exact.tolist()]
        assert paths.gain(edges) in (core.gain(edges), 0.0)
        for each in (core, paths):
            each.adopt(edges[step : step + 1])


@settings(deadline=None)
@given(cases(), st.integers(1, 3))
def test_a_window_never_claims_more_and_keeps_the_lengths_of_the_pairs_right(case, window):
    graph, nodes, edges, order = case
    core = opened(graph, nodes=nodes, knobs=EXACT)
    first, adopted = opened(graph, nodes=nodes), NO_EDGES
    knobs = replace(EXACT, engine="cached_incr", endpoint_window=window)
    paths = opened(graph, nodes=nodes, endpoints=edges.ravel(), knobs=knobs)
    for step in order:
        ranked = np.argsort(-paths.gains(edges), kind="stable")
        for each in (core, paths):
            each.adopt(edges[step : step + 1])
        exact, found = core.gains(edges), paths.gains(edges)
        adopted = np.concatenate([adopted, edges[step : step + 1]])
        assert (found <= exact).all()
        for edge, missed in zip(edges, exact - found, strict=True):
            with_edge = np.concatenate([adopted, edge[None]])
            assert missed <= first.gain(with_edge) - first.gain(edge[None]) + 1e-12
        assert paths.gain(edges) <= core.gain(edges)
        assert paths._lengths.tolist() == core._lengths.tolist()
        in_graph = core._graph.has(edges) | (edges[:, 0] == edges[:, 1])
        best = [place for place in ranked if not in_graph[place]][:window]
        assert found[best].tolist() == exact[best].tolist()


def test_a_window_is_stale_outside_only():
    knobs = replace(EXACT, engine="cached_incr", endpoint_window=1)
    edges = np.array([[1, 9], [2, 9], [6, 10]])
    paths, core = opened(chain(12), endpoints=edges.ravel(), knobs=knobs), opened(chain(12))
    paths.gains(edges)
    for each in (paths, core):
        each.adopt(edges[:1])
    # 2–9 was the best of the rest. From 6 and 10 the ways over 1–9 are not known yet: 20 of 286 steps against 22.
    assert (paths.gains(edges) * 286).round().tolist() == [0, 12, 20]
    assert (core.gains(edges) * 286).round().tolist() == [0, 12, 22]
    paths.adopt(edges[1:])
    core.adopt(edges[1:])
    assert paths._lengths.tolist() == core._lengths.tolist()


@settings(deadline=None)
@given(cases(), st.integers(1, 4))
def test_pruning_measures_the_best_by_score(case, topk):
    graph, nodes, edges, _ = case
    scores = np.linspace(0.1, 0.9, len(edges)).round(1)
    exact = opened(graph, nodes=nodes).gains(edges)
    paths = opened(graph, nodes=nodes, knobs=replace(EXACT, engine="cached_incr", prune_topk=topk))
    new = [place for place in range(len(edges)) if edges[place, 0] != edges[place, 1]]
    new = [place for place in new if not graph.has(edges[[place]])[0]]
    best = sorted(new, key=lambda place: (-scores[place], place))[:topk] if topk < len(edges) else new
    expected = [gain if place in best else 0.0 for place, gain in enumerate(exact.tolist())]
    assert paths.gains(edges, scores=scores).tolist() == expected
    assert paths.gains(edges).tolist() == exact.tolist(), "without scores there is no best"


def test_beyond_the_budget_nothing_gains():
    edges = np.array([[0, 9], [0, 5], [2, 7]])
    knobs = replace(EXACT, engine="cached_incr", budget=2)
    paths, core = opened(chain(10), knobs=knobs), opened(chain(10))
    assert paths.gain(edges) == core.gain(edges[:2])
    for each in (paths, core):
        each.adopt(np.array([[0, 1], [3, 3], [0, 9]]))  # Only the last is new.
    assert paths.gains(edges).tolist() == core.gains(edges).tolist()
    paths.adopt(edges[1:2])
    assert paths.gains(edges).tolist() == [0.0, 0.0, 0.0]
    assert paths.gain(edges) == 0.0
    paths.adopt(edges[2:])


# The cache


@pytest.mark.parametrize("engine", ["cached", "cached_incr"])
def test_a_graph_that_was_seen_is_not_searched_again(engine, monkeypatch):
    graph, edges = random_case()
    cache, knobs = PairCache(), PathKnobs(engine=engine)
    first = opened(graph, endpoints=edges.ravel(), knobs=knobs, cache=cache)
    gains = first.gains(edges)
    first.adopt(edges[:3])
    monkeypatch.setattr(paths_module, "distances", None)
    monkeypatch.setattr(paths_module, "measure_ends", None)
    again = opened(graph, endpoints=edges.ravel(), knobs=knobs, cache=cache)
    assert again.gains(edges).tolist() == gains.tolist(), "what was adopted elsewhere is not in the cache"
    with pytest.raises(TypeError):
        opened(graph.joined(edges), endpoints=edges.ravel(), knobs=knobs, cache=cache)


def test_the_cache_tells_everything_apart_that_matters():
    graph, edges = random_case()
    cache = PairCache()
    half = np.arange(graph.size) < 150
    for nodes in (everyone(graph), half):
        for knobs in (
            PathKnobs(),
            PathKnobs(pair_samples=50),
            PathKnobs(sources_cap=5),
            PathKnobs(sources_focus="near"),
        ):
            for centers in (np.array([0]), np.array([9])):
                for asked in (edges, edges[:5]):
                    given_ = {"centers": centers, "endpoints": asked.ravel(), "knobs": knobs}
                    kept, fresh = open_paths(graph, nodes, **given_, cache=cache), open_paths(graph, nodes, **given_)
                    assert (kept.pairs, kept.before) == (fresh.pairs, fresh.before)
                    assert kept.gains(asked).tolist() == fresh.gains(asked).tolist()


def test_the_cache_forgets_the_least_recently_used():
    cache, made = PairCache(2), []

    def make(name):
        return lambda: made.append(name) or name

    for name in "abacab":
        cache.get(name, make(name))
    assert made == ["a", "b", "c", "b"]


def test_threads_share_a_cache():
    graph, edges = random_case()
    cache, results = PairCache(2), []
    alone = {samples: opened(graph, knobs=PathKnobs(pair_samples=samples)).gains(edges) for samples in (20, 40, 60)}

    def work(samples):
        for _ in range(10):
            paths = opened(graph, endpoints=edges.ravel(), knobs=PathKnobs(pair_samples=samples), cache=cache)
            results.append(bool((paths.gains(edges) == alone[samples]).all()))
            paths.adopt(edges[:1])

    threads = [threading.Thread(target=work, args=(samples,)) for samples in (20, 40, 60, 20, 40, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 60


# Nothing there, and nonsense


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_a_graph_without_edges_gains_nothing(engine, size):
    graph = graph_of(size, NO_EDGES)
    paths = opened(graph, knobs=PathKnobs(engine=engine))
    edges = np.array([[0, 4], [1, 2]]) if size == 5 else NO_EDGES
    assert (paths.pairs, paths.before, paths.gain(edges)) == (0, 0.0, 0.0)
    assert paths.gains(edges).tolist() == [0.0] * len(edges)
    paths.adopt(edges)
    assert paths.gain(edges) == 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_no_edges_gain_nothing(engine):
    paths = opened(CHAIN, knobs=PathKnobs(engine=engine))
    assert paths.gain(NO_EDGES) == 0.0
    assert paths.gains(NO_EDGES).shape == (0,)
    assert paths.gains(NO_EDGES, scores=np.array([])).shape == (0,)
    paths.adopt(NO_EDGES)
