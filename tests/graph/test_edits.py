"""The cost of edits on graphs small enough for paper."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.graph.gauge import candidate_base, delta_ged, doubt, edit_cost
from wherefrom.graph.local import graph_of


def graph(size, *edges):
    return graph_of(size, np.array(edges, dtype=np.int64).reshape(-1, 2))


def test_one_node_with_two_links():
    assert edit_cost(graph(2, (0, 1)), graph(3, (0, 1), (0, 2), (1, 2))) == 3.0


def test_an_edge_that_is_moved_is_taken_away_once_and_made_once():
    assert edit_cost(graph(3, (0, 1)), graph(3, (1, 2))) == 2.0


def test_the_direction_in_which_an_edge_is_given_does_not_matter():
    assert edit_cost(graph(2, (0, 1)), graph(2, (1, 0))) == 0.0


def test_a_smaller_graph_does_not_confuse_edges():
    """In a numbering of two nodes, (0, 3) would be mistaken for (1, 1) and (0, 2) for (1, 0)."""
    assert edit_cost(graph(4, (0, 2), (0, 3)), graph(2, (0, 1))) == 2 + 2 + 1


def test_empty_graphs():
    assert edit_cost(graph(0), graph(0)) == 0.0
    assert edit_cost(graph(0), graph(2, (0, 1))) == 3.0


def test_the_base_counts_a_node_and_every_candidate():
    assert candidate_base(4) == 5.0
    assert candidate_base(0) == candidate_base(1) == 2.0


def test_delta_ged_is_a_share_of_the_base():
    assert delta_ged(1.0, 4.0) == 0.25
    assert delta_ged(9.0, 4.0) == 1.0
    assert delta_ged(-1.0, 4.0) == 0.0


def test_doubt_is_what_the_score_leaves():
    assert doubt(np.array([0.0, 0.25, 1.0, 1.5, -0.5, np.nan])).tolist() == [1.0, 0.75, 0.0, 0.0, 1.0, 1.0]
    assert doubt(np.array([])).tolist() == []


graphs = st.integers(0, 6).flatmap(
    lambda size: (
        st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=10).map(
            lambda edges: graph(size, *edges)
        )
        if size
        else st.just(graph(0))
    )
)


@given(graphs, graphs, graphs)
def test_a_distance(first, second, third):
    """Nothing costs nothing, both ways cost the same, and a detour is never cheaper."""
    assert edit_cost(first, first) == 0.0
    assert edit_cost(first, second) == edit_cost(second, first)
    assert edit_cost(first, third) <= edit_cost(first, second) + edit_cost(second, third)


@given(graphs, graphs)
def test_the_edges_as_sets(first, second):
    one, other = ({tuple(edge) for edge in each.edges.tolist()} for each in (first, second))
    assert edit_cost(first, second) == abs(first.size - second.size) + len(one ^ other)


@given(st.lists(st.floats(-2, 2) | st.just(float("nan")), max_size=8))
def test_doubt_is_from_0_to_1(scores):
    costs = doubt(np.array(scores, dtype=np.float64))
    assert ((costs >= 0) & (costs <= 1)).all()
