"""Of what L1 hands over, what says nothing is left out, and no number is made up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_for_tests import WHATEVER, Case, context_of, judged_case, tuned

from wherefrom.graph.local import graph_of
from wherefrom.insight.judge import Scene, judge
from wherefrom.model.insight import NormSpec

CASE = Case(4, [(0, 1), (1, 2)], {at: [1.0, float(at)] for at in range(4)}, [0], [(0, 2, 0.9)])


def judged(scene, context, **sections):
    return judge(scene, context, linking=tuned(**sections), thresholds=WHATEVER)


@pytest.mark.parametrize(("edges", "warned"), [({}, True), ({"candidate_edges": []}, False)])
def test_candidates_that_are_not_handed_over_are_logged_as_a_warning(caplog, edges, warned):
    """An empty list is an answer of L1 and no breach of the contract worth a warning; none at all is one."""
    done = judged(CASE.scene(), context_of({"centers": [0], **edges}))
    assert done.metrics.input_contract_ok is False
    assert any("candidate_edges" in record.message for record in caplog.records) is warned
    assert all(record.levelname == "WARNING" for record in caplog.records)


SCENE = CASE.scene()


def test_loops_doubles_and_links_that_are_there_are_left_out():
    given = [(0, 0), (0, 1), (1, 0), (2, 1), (0, 2, {"score": 0.4}), (2, 0, {"score": 0.4}), (0, 2, {"score": 0.4})]
    found = context_of({"centers": [0, 0, 1, 0], "candidate_edges": given}).cleaned(SCENE.graph)
    assert found.centers == (0, 1)
    assert [{each.source, each.target} for each in found.candidate_edges] == [{0, 2}]
    coming = SCENE.graph.joined(np.array([(0, 2)]))
    assert context_of({"centers": [0], "candidate_edges": [(2, 0)]}).cleaned(coming).candidate_edges == ()


def test_where_nothing_is_left_the_judgement_is_empty():
    for edges in ([], [(0, 0)], [(0, 1), (1, 2)]):
        done = judged(SCENE, context_of({"centers": [0], "candidate_edges": edges}))
        assert (done.links, done.request, done.metrics.candidates, done.metrics.dg) == ((), None, 0, False)
        assert (done.metrics.g0, done.metrics.gmin, done.metrics.best_h) == (0.0, 0.0, 0)


@pytest.mark.parametrize("rows", [np.empty((0, 0)), np.empty((0, 3))])
def test_an_empty_graph_gives_an_empty_judgement(rows):
    scene = Scene(graph_of(0, np.empty((0, 2), dtype=np.int64)), np.empty(0, dtype=np.int64), rows)
    done = judged(scene, context_of({"centers": [], "candidate_edges": []}), candidates={"allow_autocand": True})
    assert (done.links, done.request, done.metrics.g0, done.metrics.pairs) == ((), None, 0.0, 0)


@pytest.mark.parametrize("places", [np.empty(0), np.empty(0, dtype=np.int64)])
def test_without_any_features_every_row_is_one_of_zeros(places):
    bare = replace(SCENE, places=places, rows=np.empty((0, 0)))
    done = judged(bare, CASE.context())
    zeros = replace(SCENE, rows=np.zeros((4, 2)))
    expected = judged(zeros, CASE.context()).metrics.hops
    assert [hop.g for hop in done.metrics.hops] == pytest.approx([hop.g for hop in expected])
    assert done.metrics.hops[0].delta_h > 0


def test_the_centers_may_be_none_and_the_candidates_elsewhere():
    done = judged(SCENE, context_of({"centers": [], "candidate_edges": [(2, 3, {"score": 0.9})]}))
    assert [link.accepted for link in done.links] == [True]


def test_scores_that_are_not_given_cost_a_whole_link():
    (link,) = judged_case(replace(CASE, candidates=[(0, 2, None)])).links
    assert (link.edge.score, link.delta_ged) == (None, 1.0)
    (sure,) = judged_case(replace(CASE, candidates=[(0, 2, 1.0)])).links
    assert sure.delta_ged == 0.0


ENDS = st.integers(0, 3)
EDGES = st.lists(
    st.one_of(
        st.tuples(ENDS, ENDS),
        st.tuples(ENDS, ENDS, st.dictionaries(st.just("score"), st.one_of(st.none(), st.floats(0, 1)))),
    ),
    max_size=5,
)


@settings(max_examples=3 * settings.default.max_examples // 2, deadline=None)
@given(
    st.fixed_dictionaries(
        {"centers": st.lists(ENDS, max_size=3)},
        optional={
            "candidate_edges": EDGES,
            "candidate_edges_by_hop": st.dictionaries(st.integers(0, 3), EDGES, max_size=2),
            "norm_spec": st.builds(NormSpec, theta_link=st.floats(0, 1)),
        },
    )
)
def test_whatever_is_given_is_judged_in_finite_numbers(given):
    done = judged(SCENE, context_of(given))
    for hop in done.metrics.hops:
        assert all(math.isfinite(value) for value in (hop.g, hop.ig, hop.delta_ged, hop.delta_h, hop.delta_sp))
        assert 0 <= hop.delta_ged <= 1
        assert 0 <= hop.delta_sp <= 1
    assert all(math.isfinite(link.g) for link in done.links)
    ends = [frozenset((link.edge.source, link.edge.target)) for link in done.links]
    assert len(set(ends)) == len(ends) == sum(len(each) == 2 for each in ends)
