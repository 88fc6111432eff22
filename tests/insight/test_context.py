"""What L1 hands over is checked: what does not fit is refused, what says nothing is left out, no number is made up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_for_tests import WHATEVER, Case, judged_case, tuned

from wherefrom import InvalidInput
from wherefrom.graph.local import graph_of
from wherefrom.insight.context import Context, Scene, checked, context_of
from wherefrom.insight.reasoner import judge
from wherefrom.model.insight import CandidateEdge, NormSpec

CASE = Case(4, [(0, 1), (1, 2)], {at: [1.0, float(at)] for at in range(4)}, [0], [(0, 2, 0.9)])
NAN, INF = math.nan, math.inf


def judged(scene, context, **sections):
    return judge(scene, context, linking=tuned(**sections), thresholds=WHATEVER)


def test_a_context_is_read_from_its_plain_form():
    found = context_of(
        {
            "centers": [0, np.int64(1)],
            "candidate_edges": [(0, 2), [1, 3, {"score": 0.5}], (0, 3, {}), CandidateEdge(2, 3, 1.0)],
            "candidate_edges_by_hop": {1: [(0, 2, {"score": 1, "why": "near"})]},
            "candidate_selection": {"k_star": 4},
            "norm_spec": {"metric": "l2", "theta_link": 0.1},
        }
    )
    edges = (CandidateEdge(0, 2), CandidateEdge(1, 3, 0.5), CandidateEdge(0, 3), CandidateEdge(2, 3, 1.0))
    assert found == Context(
        centers=(0, 1),
        candidate_edges=edges,
        candidate_edges_by_hop={1: (CandidateEdge(0, 2, 1.0),)},
        candidate_selection={"k_star": 4},
        norm_spec=NormSpec(metric="l2", theta_link=0.1),
    )
    assert (found.at(0), found.at(1)) == (edges, (CandidateEdge(0, 2, 1.0),))
    assert len(found.edges()) == 4


def test_a_norm_spec_is_read_with_its_effective_thresholds_nested():
    """As the seed's L1 writes it; what is in effect overrules what was set."""
    nested = {
        "metric": "cosine",
        "radius_mode": "intuitive",
        "intuitive": {"outer": 0.7, "inner": 0.3},
        "dimension": 384,
        "scope": "donut",
        "theta_link": 0.9,
        "effective": {"theta_link": 0.25, "theta_cand": 0.5},
    }
    found = context_of({"centers": [0], "norm_spec": nested}).norm_spec
    assert found == NormSpec(
        theta_link=0.25, theta_cand=0.5, dimension=384, scope="donut", radius_mode="intuitive", outer=0.7, inner=0.3
    )


@pytest.mark.parametrize(("edges", "warned"), [({}, True), ({"candidate_edges": []}, False)])
def test_candidates_that_are_not_handed_over_are_logged_as_a_warning(caplog, edges, warned):
    """An empty list is an answer of L1 and no breach of the contract worth a warning; none at all is one."""
    done = judged(CASE.scene(), context_of({"centers": [0], **edges}))
    assert done.metrics.input_contract_ok is False
    assert any("candidate_edges" in record.message for record in caplog.records) is warned
    assert all(record.levelname == "WARNING" for record in caplog.records)


@pytest.mark.parametrize(
    "given",
    [
        None,
        5,
        [("centers", [0])],
        {},
        {"centers": None},
        {"centers": 0},
        {"centers": "0"},
        {"centers": b"\x00"},
        {"centers": [True]},
        {"centers": [0.0]},
        {"centers": ["0"]},
        {"centers": [None]},
        {"centers": [0], "candidates": []},
        {"centers": [0], "candidate_edges": 5},
        {"centers": [0], "candidate_edges": "0"},
        {"centers": [0], "candidate_edges": {(0, 1): 1}},
        {"centers": [0], "candidate_edges": ["01"]},
        {"centers": [0], "candidate_edges": [0, 2]},
        {"centers": [0], "candidate_edges": [(0,)]},
        {"centers": [0], "candidate_edges": [(0, 2, {}, {})]},
        {"centers": [0], "candidate_edges": [(0, 2, 0.5)]},
        {"centers": [0], "candidate_edges": [(0, 2.0)]},
        {"centers": [0], "candidate_edges": [(0, None)]},
        {"centers": [0], "candidate_edges": [(0, 2, {"score": "high"})]},
        {"centers": [0], "candidate_edges": [(0, 2, {"score": True})]},
        {"centers": [0], "candidate_edges": [(0, 2, None)]},
        {"centers": [0], "candidate_edges_by_hop": [[(0, 2)]]},
        {"centers": [0], "candidate_edges_by_hop": {-1: [(0, 2)]}},
        {"centers": [0], "candidate_edges_by_hop": {"0": [(0, 2)]}},
        {"centers": [0], "candidate_edges_by_hop": {True: [(0, 2)]}},
        {"centers": [0], "candidate_edges_by_hop": {0: None}},
        {"centers": [0], "candidate_selection": "abc"},
        {"centers": [0], "candidate_selection": 5},
        {"centers": [0], "candidate_selection": [(1, 2)]},
        {"centers": [0], "norm_spec": "cosine"},
        {"centers": [0], "norm_spec": {"theta": 0.5}},
        {"centers": [0], "norm_spec": {"effective": 0.5}},
        {"centers": [0], "norm_spec": {"effective": {"theta": 0.5}}},
        {"centers": [0], "norm_spec": {"effective": {"theta_link": 1.5}}},
        {"centers": [0], "norm_spec": {"theta_link": "high"}},
        {"centers": [0], "norm_spec": {"theta_link": None}},
        {"centers": [0], "norm_spec": {"theta_link": NAN}},
        {"centers": [0], "norm_spec": {"theta_link": 1.5}},
        {"centers": [0], "norm_spec": {"theta_cand": -0.5}},
        {"centers": [0], "norm_spec": {"theta_cand": True}},
        {"centers": [0], "norm_spec": {"metric": "chebyshev"}},
        {"centers": [0], "norm_spec": {"dimension": -1}},
    ],
)
def test_what_is_no_context_is_refused(given):
    with pytest.raises(InvalidInput):
        context_of(given)


@pytest.mark.parametrize(
    "more",
    [
        {"centers": (4,)},
        {"centers": (-1,)},
        {"centers": (2**70,)},
        {"candidate_edges": (CandidateEdge(0, 4),)},
        {"candidate_edges": (CandidateEdge(-1, 2),)},
        {"candidate_edges": (CandidateEdge(0, 2**70),)},
        {"candidate_edges_by_hop": {3: (CandidateEdge(0, 4),)}},
        *({"candidate_edges": (CandidateEdge(0, 2, score),)} for score in (1.0001, -0.0001, NAN, INF, -INF)),
        *({"candidate_edges_by_hop": {0: (CandidateEdge(0, 2, score),)}} for score in (2.0, NAN)),
        {"candidate_edges": (CandidateEdge(1, 1, NAN),)},
    ],
)
def test_a_context_that_does_not_fit_the_graph_is_refused(more):
    with pytest.raises(InvalidInput):
        judged(CASE.scene(), replace(CASE.context(), **more))


SCENE = CASE.scene()


@pytest.mark.parametrize(
    "more",
    [
        {"rows": np.full((4, 2), NAN)},
        {"rows": np.array([[1.0, 0.0], [INF, 0.0], [0.0, 1.0], [1.0, 1.0]])},
        {"rows": np.ones((3, 2))},
        {"rows": np.ones(4)},
        {"rows": np.ones((4, 2, 2))},
        {"places": np.array([0, 1, 2, 4])},
        {"places": np.array([0, 1, 2, -1])},
        {"places": np.array([0, 1, 2, 2])},
        {"places": np.array([0.0, 1.0, 2.0, 3.0])},
        {"places": np.array([[0], [1], [2], [3]])},
        {"weights": np.ones(3)},
        {"weights": np.array([1.0, NAN])},
        {"weights": np.array([1.0, INF])},
        {"weights": np.array([1.0, -1.0])},
        {"weights": np.full(2, 1e200), "rows": np.full((4, 2), 1e200)},
        {"after": graph_of(5, np.array([(0, 1), (1, 2)]))},
        {"after": graph_of(4, np.array([(0, 1)]))},
        {"fresh": -1},
    ],
)
def test_a_scene_that_does_not_fit_is_refused(more):
    with pytest.raises(InvalidInput):
        judged(replace(SCENE, **more), CASE.context())


def test_loops_doubles_and_links_that_are_there_are_left_out():
    given = [(0, 0), (0, 1), (1, 0), (2, 1), (0, 2, {"score": 0.4}), (2, 0, {"score": 0.4}), (0, 2, {"score": 0.4})]
    found = checked(SCENE, context_of({"centers": [0, 0, 1, 0], "candidate_edges": given}))
    assert found.centers == (0, 1)
    assert [{each.source, each.target} for each in found.candidate_edges] == [{0, 2}]
    coming = replace(SCENE, after=SCENE.graph.joined(np.array([(0, 2)])))
    assert checked(coming, context_of({"centers": [0], "candidate_edges": [(2, 0)]})).candidate_edges == ()


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
    with pytest.raises(InvalidInput):
        judged(scene, context_of({"centers": [0]}))


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


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 9), st.floats(), st.text(max_size=2)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.dictionaries(st.text(max_size=5), inner)
    ),
    max_leaves=6,
)
EDGES = st.lists(
    st.one_of(
        st.tuples(st.integers(-1, 4), st.integers(-1, 4)),
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 3),
            st.dictionaries(st.just("score"), st.one_of(st.floats(0, 1), ANYTHING)),
        ),
        ANYTHING,
    ),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {"centers": st.one_of(st.lists(st.integers(-1, 4), max_size=3), ANYTHING)},
        optional={
            "candidate_edges": st.one_of(EDGES, ANYTHING),
            "candidate_edges_by_hop": st.one_of(st.dictionaries(st.integers(-1, 3), EDGES, max_size=2), ANYTHING),
            "candidate_selection": ANYTHING,
            "norm_spec": st.one_of(
                st.fixed_dictionaries({}, optional={"theta_link": st.one_of(st.floats(0, 1), ANYTHING)}), ANYTHING
            ),
        },
    )
)
def test_whatever_is_given_is_refused_or_judged_in_finite_numbers(given):
    try:
        done = judged(SCENE, context_of(given))
    except InvalidInput:
        return
    for hop in done.metrics.hops:
        assert all(math.isfinite(value) for value in (hop.g, hop.ig, hop.delta_ged, hop.delta_h, hop.delta_sp))
        assert 0 <= hop.delta_ged <= 1
        assert 0 <= hop.delta_sp <= 1
    assert all(math.isfinite(link.g) for link in done.links)
    ends = [frozenset((link.edge.source, link.edge.target)) for link in done.links]
    assert len(set(ends)) == len(ends) == sum(len(each) == 2 for each in ends)
