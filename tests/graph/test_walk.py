"""The walk on graphs small enough for paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.graph.walk import passing


def walk(start, edges, *, damping, steps=20):
    sources, targets, weights = zip(*edges, strict=True) if edges else ((), (), ())
    places = (np.array(sources, dtype=np.int64), np.array(targets, dtype=np.int64))
    masses = np.array(start, dtype=np.float64)
    passed, gained = passing(masses, *places, np.array(weights, dtype=np.float64), damping=damping, steps=steps)
    assert (gained <= passed + 1e-12).all(), "what a walk gains is part of what passes"
    return passed.tolist()


def test_a_path_of_three():
    """Half goes on from each end, a quarter each way from the middle: a = 1 + b/4, b = a/2 + c/2, c = b/4.

    So a = 7/6, b = 2/3, c = 1/6. A step and back has the chance 1/8 at the ends and 2/8 in the middle:
    a·7/8 = 49/48, b·3/4 = 24/48, c·7/8 = 7/48.
    """
    assert walk([1, 0, 0], [(0, 1, 1.0), (1, 2, 1.0)], damping=0.5, steps=60) == pytest.approx([1, 24 / 49, 7 / 49])


def test_a_star():
    """From the middle a quarter each goes to four leaves and with 0.8·1 returns: m = 1 + 0.8·4·l, l = 0.2·m.

    m = 1 / 0.36, l = 0.2·m; back and forth 0.8·0.2 = 0.16 at a leaf, four times that in the middle:
    m·0.36 and l·0.84, so l / m = 0.2·0.84 / 0.36 is scaled by the greatest.
    """
    edges = [(0, leaf, 1.0) for leaf in range(1, 5)]
    leaf = 0.2 * 0.84 / 0.36
    assert walk([1, 0, 0, 0, 0], edges, damping=0.8, steps=200) == pytest.approx([1.0, *[leaf] * 4])


def test_without_edges_it_is_the_start():
    assert walk([3, 1, 0], [], damping=0.7) == pytest.approx([1, 1 / 3, 0])


def test_without_damping_nobody_leaves():
    assert walk([3, 1, 0], [(0, 2, 1.0), (1, 2, 1.0)], damping=0.0) == pytest.approx([1, 1 / 3, 0])


def test_without_a_start_nothing_is_passed():
    assert walk([0, 0], [(0, 1, 1.0)], damping=0.7) == [0, 0]


def test_a_weak_edge_takes_only_its_share():
    """c = 0.5·0.2 = 0.1: b = a/10 and a = 1 + b/10; both are scaled by 1 − 0.01."""
    assert walk([1, 0], [(0, 1, 0.2)], damping=0.5) == pytest.approx([1, 0.1])


def test_the_direction_of_an_edge_does_not_matter():
    assert walk([1, 0, 0], [(0, 1, 1.0), (2, 1, 0.5)], damping=0.6) == pytest.approx(
        walk([1, 0, 0], [(1, 0, 1.0), (1, 2, 0.5)], damping=0.6)
    )


def test_what_is_nearer_is_likelier():
    chain = walk([1, 0, 0, 0], [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)], damping=0.7)
    assert chain == sorted(chain, reverse=True)
    assert min(chain) > 0


def test_an_isolated_start_is_worth_as_much_as_one_among_edges():
    """Coming back does not count: of two equal starts, the one with a neighbour is no better off."""
    alone, linked, _ = walk([1, 1, 0], [(1, 2, 1.0)], damping=0.7, steps=200)
    assert alone == pytest.approx(linked)


graphs = st.integers(1, 8).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 100), min_size=size, max_size=size),
        st.lists(
            st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.floats(0, 1)).filter(
                lambda edge: edge[0] != edge[1]
            ),
            max_size=12,
        ),
    )
)


@given(graphs, st.floats(0, 0.95))
def test_the_result_is_in_its_range(graph, damping):
    start, edges = graph
    found = walk(start, edges, damping=damping)
    assert len(found) == len(start)
    assert all(0 <= value <= 1 for value in found)
    assert max(found) == (pytest.approx(1.0) if sum(start) > 0 else 0.0)


@given(graphs, st.floats(0, 0.95), st.floats(0.01, 100))
def test_only_the_shares_of_the_start_matter(graph, damping, times):
    start, edges = graph
    scaled = [times * mass for mass in start]
    assert walk(scaled, edges, damping=damping) == pytest.approx(walk(start, edges, damping=damping), abs=1e-9)
