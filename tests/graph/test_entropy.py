"""Entropies by hand, and the fast form against the plain one."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from graph_for_tests import neighbourhood_entropies
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.graph.entropy import Entropies, entropy_change, link_set_change, shared
from wherefrom.graph.local import graph_of

# Position, direction, passable, visits, success, goal: the features of a maze, and what counts in them.
MAZE_WEIGHTS = np.array([1.0, 1.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0])


def pairs(*edges):
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def graph(size, *edges):
    return graph_of(size, pairs(*edges))


def entropy(*masses):
    return -sum(mass / sum(masses) * log(mass / sum(masses)) for mass in masses if mass)


# Similarity


def test_equal_opposite_and_crossing_rows():
    rows = np.array([[2.0, 0.0], [3.0, 0.0], [-1.0, 0.0], [0.0, 5.0]])
    assert shared(rows) == pytest.approx(
        np.array([[1, 1, 0, 0.5], [1, 1, 0, 0.5], [0, 0, 1, 0.5], [0.5, 0.5, 0.5, 1]], dtype=float)
    )


def test_a_row_of_zeros_is_half_like_everything_even_itself():
    assert shared(np.array([[0.0, 0.0], [1.0, 1.0]])) == pytest.approx(np.array([[0.5, 0.5], [0.5, 1.0]]))


def test_weights_multiply_the_rows():
    """(1, 1) and (1, −1) are at right angles; with the weights 1 and 0 they are the same."""
    rows = np.array([[1.0, 1.0], [1.0, -1.0]])
    assert shared(rows)[0, 1] == pytest.approx(0.5)
    assert shared(rows, weights=np.array([1.0, 0.0]))[0, 1] == pytest.approx(1.0)
    assert shared(rows, weights=np.array([2.0, 1.0]))[0, 1] == pytest.approx((3 / 5 + 1) / 2)


def test_length_does_not_matter_however_large():
    assert shared(np.array([[1e300, 1e300], [1.0, 1.0]])) == pytest.approx(np.ones((2, 2)))


def test_no_rows_and_no_dimensions():
    assert shared(np.zeros((0, 3))).shape == (0, 0)
    assert shared(np.zeros((2, 0))).tolist() == [[0.5, 0.5], [0.5, 0.5]]


# Neighbourhoods


def test_two_opposite_rows():
    """s = (1, 0; 0, 1): two equal chances."""
    assert neighbourhood_entropies(graph(2, (0, 1)), np.array([[1.0], [-1.0]])) == pytest.approx([log(2)] * 2)


def test_two_equal_rows():
    """Four equal entries: 2·ln 2, the most that two nodes can have; rows of zeros likewise."""
    assert neighbourhood_entropies(graph(2, (0, 1)), np.ones((2, 1))) == pytest.approx([2 * log(2)] * 2)
    assert neighbourhood_entropies(graph(2, (0, 1)), np.zeros((2, 1))) == pytest.approx([2 * log(2)] * 2)


def test_a_path_of_three():
    """a – b – c with c at right angles to a and b: a sees (1, 1; 1, 1), c sees (1, ½; ½, 1), b all nine."""
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert neighbourhood_entropies(graph(3, (0, 1), (1, 2)), rows) == pytest.approx(
        [log(4), entropy(1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5), entropy(1, 0.5, 0.5, 1)]
    )


def test_alone_is_exactly_0():
    rows = np.array([[0.3, 0.7], [0.0, 0.0]])
    assert neighbourhood_entropies(graph(2), rows).tolist() == [0.0, 0.0]
    assert Entropies(graph(2), np.array([0]), rows[:1]).values.tolist() == [0.0, 0.0]


def test_nobody_at_all():
    empty = Entropies(graph(0), pairs().ravel(), np.zeros((0, 0)))
    assert empty.values.tolist() == neighbourhood_entropies(graph(0), np.zeros((0, 2))).tolist() == []
    assert empty.mean(np.zeros(0, dtype=bool)) == 0.0
    assert empty.gains(pairs()).tolist() == []


def test_without_features_all_are_alike():
    """n² equal entries: 2·ln n."""
    star = Entropies(graph(4, (0, 1), (0, 2)), pairs().ravel(), np.zeros((0, 5)))
    assert star.values == pytest.approx([2 * log(3), 2 * log(2), 2 * log(2), 0.0])


# A graph that grows


def test_the_gain_of_a_first_link():
    """Both ends go from 0 to the entropy of (1, 0; 0, 1) = ln 2."""
    alone = Entropies(graph(2), np.array([0, 1]), np.array([[1.0], [-1.0]]))
    assert alone.gains(pairs((0, 1), (1, 0))) == pytest.approx([2 * log(2)] * 2)
    assert alone.values.tolist() == [0.0, 0.0]


def test_a_loop_or_an_edge_that_is_there_gains_nothing():
    joined = Entropies(graph(3, (0, 1)), np.array([0]), np.ones((1, 2)))
    assert joined.gains(pairs((0, 1), (1, 0), (2, 2), (1, 2)))[:3].tolist() == [0.0, 0.0, 0.0]
    before = joined.values
    joined.add(pairs((1, 0), (2, 2)))
    assert joined.values.tolist() == before.tolist()


def test_an_edge_given_twice_counts_once():
    once, twice = (Entropies(graph(3), np.array([0]), np.ones((1, 2))) for _ in range(2))
    once.add(pairs((0, 1)))
    twice.add(pairs((0, 1), (1, 0)))
    assert twice.values.tolist() == once.values.tolist()


def test_a_copy_grows_by_itself():
    first = Entropies(graph(3, (0, 1)), np.array([0, 2]), np.array([[1.0], [-1.0]]))
    before, second = first.values, first.copy()
    second.add(pairs((1, 2)))
    assert first.values.tolist() == before.tolist() != second.values.tolist()
    assert first.gains(pairs((1, 2)))[0] == pytest.approx(second.values.sum() - before.sum())
    assert second.gains(pairs((1, 2))).tolist() == [0.0]


def test_the_mean_is_over_the_marked():
    path = Entropies(graph(3, (0, 1)), pairs().ravel(), np.zeros((0, 1)))
    assert path.mean(np.array([True, False, True])) == pytest.approx(log(2))
    assert path.mean(np.zeros(3, dtype=bool)) == 0.0


# Changes


def test_a_change_is_relative_to_before():
    change = entropy_change(2.0, 2.5)
    assert change == 0.25
    assert entropy_change(2.0, 0.0) == -1.0


def test_almost_no_entropy_has_no_relative_change():
    assert entropy_change(0.0, 1.0) == entropy_change(1e-3, 1.0) == 0.0
    assert entropy_change(2e-3, 3e-3) == pytest.approx(0.5)


def test_a_link_joins_equal_links():
    assert link_set_change([1.0] * 4) == pytest.approx((log(5) - log(4)) / log(5))


def test_a_heavy_link_makes_a_set_less_even():
    change = link_set_change([1.0, 1.0], added=8.0)
    assert change == pytest.approx((entropy(1, 1, 8) - log(2)) / log(3))
    assert change < 0


def test_link_sets_of_one():
    assert link_set_change([]) == 0.0
    assert link_set_change([0.7], added=0.7) == pytest.approx(1.0)
    assert link_set_change([0.7], added=0.0) == 0.0
    assert link_set_change([], added=0.0) == 0.0


def test_a_link_without_weight_is_not_in_the_set():
    assert link_set_change([1.0, 0.0, 2.0]) == link_set_change([1.0, 2.0])


def test_weights_beyond_their_sum():
    assert link_set_change([1e308, 1e308], added=1e308) == pytest.approx((log(3) - log(2)) / log(3))


# Whatever the graph

coordinates = st.integers(-3, 3).map(float) | st.floats(-1e3, 1e3)


@st.composite
def cases(draw):
    """A graph, some nodes of it with features, perhaps weights, and batches of edges to add."""
    size = draw(st.integers(1, 9))
    node = st.integers(0, size - 1)
    edges = st.lists(st.tuples(node, node), max_size=12).map(lambda given: pairs(*given))
    places = draw(st.lists(node, unique=True))
    dimensions = draw(st.integers(1, 4))
    row = st.lists(coordinates, min_size=dimensions, max_size=dimensions)
    rows = np.array(draw(st.lists(row, min_size=len(places), max_size=len(places)))).reshape(len(places), dimensions)
    weights = draw(st.none() | st.lists(st.floats(0, 5), min_size=dimensions, max_size=dimensions).map(np.array))
    return (
        graph_of(size, draw(edges)),
        np.array(places, dtype=np.int64),
        rows,
        weights,
        draw(st.lists(edges, max_size=4)),
    )


def plain(nodes, places, rows, weights):
    features = np.zeros((nodes.size, rows.shape[1]))
    features[places] = rows
    return neighbourhood_entropies(nodes, features, weights=weights)


@pytest.mark.parametrize("links", [1, 40])
def test_many_rows_with_few_and_with_many_links(links):
    """Sums over few pairs are looked up, those over many are products of matrices: both are the plain ones."""
    random = np.random.default_rng(links)
    nodes = graph_of(100, random.integers(0, 100, (100 * links, 2)))
    places, rows = random.permutation(100)[:90], random.normal(size=(90, 6))
    growing, edges = Entropies(nodes, places, rows), random.integers(0, 100, (30, 2))
    assert growing.values == pytest.approx(plain(nodes, places, rows, None), abs=1e-9)
    growing.add(edges)
    assert growing.values == pytest.approx(plain(nodes.joined(edges), places, rows, None), abs=1e-9)


@given(cases(), st.sampled_from([0, 256]))
def test_growing_is_the_same_as_measuring_anew(case, pair):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("wherefrom.graph.entropy._PRODUCTS_PER_PAIR", pair)  # 0: every sum is looked up pair by pair
        compare_growing(*case)


def compare_growing(nodes, places, rows, weights, batches):
    growing = Entropies(nodes, places, rows, weights=weights)
    assert growing.values == pytest.approx(plain(nodes, places, rows, weights), abs=1e-9)
    for batch in batches:
        growing.add(batch)
        nodes = nodes.joined(batch)
        assert growing.values == pytest.approx(plain(nodes, places, rows, weights), abs=1e-9)
    marked = np.arange(nodes.size) % 2 == 0
    assert growing.mean(marked) == pytest.approx(plain(nodes, places, rows, weights)[marked].mean(), abs=1e-9)


@given(cases())
def test_gains_are_what_adding_one_edge_changes(case):
    nodes, places, rows, weights, batches = case
    growing = Entropies(nodes, places, rows, weights=weights)
    for batch in batches:
        gains, before = growing.gains(batch), plain(nodes, places, rows, weights).sum()
        for edge, gain in zip(batch, gains, strict=True):
            after = plain(nodes.joined(edge[None]), places, rows, weights).sum()
            assert gain == pytest.approx(after - before, abs=1e-9)
        growing.add(batch)
        nodes = nodes.joined(batch)


@given(cases(), st.randoms(use_true_random=False))
def test_names_of_nodes_do_not_matter(case, random):
    nodes, places, rows, weights, batches = case
    renamed = np.array(random.sample(range(nodes.size), nodes.size), dtype=np.int64)
    order = np.array(random.sample(range(len(places)), len(places)), dtype=np.int64)
    first = Entropies(nodes, places, rows, weights=weights)
    second = Entropies(graph_of(nodes.size, renamed[nodes.edges]), renamed[places][order], rows[order], weights=weights)
    for batch in batches:
        assert second.gains(renamed[batch]) == pytest.approx(first.gains(batch), abs=1e-9)
        first.add(batch)
        second.add(renamed[batch])
    assert second.values[renamed] == pytest.approx(first.values, abs=1e-9)


@given(cases())
def test_ranges(case):
    nodes, places, rows, weights, _ = case
    similar = shared(rows, weights=weights)
    assert ((similar >= 0) & (similar <= 1)).all()
    assert (similar == similar.T).all()
    values = Entropies(nodes, places, rows, weights=weights).values
    assert ((values >= 0) & (values <= 2 * np.log(nodes.degrees() + 1) + 1e-9)).all()


@given(st.lists(st.floats(0, 1e3), max_size=8), st.floats(0, 1e3))
def test_the_range_of_a_joined_set(weights, added):
    change = link_set_change(weights, added=added)
    assert -1 < change <= 1 + 1e-12
    assert link_set_change(weights[::-1], added=added) == pytest.approx(change, abs=1e-9)


@given(st.lists(st.lists(st.floats(0.1, 1), min_size=8, max_size=8), min_size=3, max_size=3), st.floats(2, 5))
def test_weights_change_the_change(rows, turned):
    """Features that differ only where the weights are 0 are the same to the weighed measure, not to the plain one."""
    features = np.array(rows)
    features[1] = features[0]
    features[1, 2] = -turned
    path, edge = graph(3, (1, 2)), pairs((0, 1))

    def delta(weights):
        before = Entropies(path, np.arange(3), features, weights=weights)
        after = before.copy()
        after.add(edge)
        every = np.ones(3, dtype=bool)
        return entropy_change(before.mean(every), after.mean(every))

    same = features.copy()
    same[1] = same[0]
    assert shared(features, weights=MAZE_WEIGHTS) == pytest.approx(shared(same, weights=MAZE_WEIGHTS))
    assert delta(MAZE_WEIGHTS) != pytest.approx(delta(None), abs=1e-9)
