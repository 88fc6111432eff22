"""L3 on small graphs: the gauge of each hop by hand, the order of adoption, and that nothing depends on chance."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_for_tests import EXACT, WHATEVER, Case, base, context_of, delta_h, delta_sp, gauge, judged_case, tuned

from wherefrom.graph.paths import PairCache
from wherefrom.insight.decide import judged
from wherefrom.insight.gates import GateState, Thresholds, to_json
from wherefrom.insight.judge import judge
from wherefrom.insight.settings import InsightSettings
from wherefrom.model.insight import CandidateEdge

LN = math.log
# 0 – 1 – 2 – 3, all alike, one candidate from end to end.
CHAIN = Case(4, [(0, 1), (1, 2), (2, 3)], {at: [1.0, 0.0] for at in range(4)}, [0], [(0, 3, 0.75)])


def accepted(done):
    return [(link.edge.source, link.edge.target) for link in done.links if link.accepted]


# --- by hand ----------------------------------------------------------------------------------------------------------


def test_the_gauge_of_two_loose_nodes():
    """Nothing, then two like nodes linked: H rises from 0 to ln 4, and the least divisor is ln 4."""
    case = Case(2, [], {0: [1.0], 1: [1.0]}, [0], [(0, 1, 0.75)])
    linking = tuned(gauge={"temperature": 0.1, "path_weight": 0.02, "hops": 2})
    done = judged_case(case, linking)
    for hop in done.metrics.hops:
        assert (hop.delta_ged, hop.delta_h, hop.delta_sp) == pytest.approx((0.25 / 2, 1.0, 0.0))
        assert hop.g == pytest.approx(0.125 - 0.1)
    assert (done.metrics.gmin, done.metrics.best_h, done.metrics.pairs) == (done.metrics.g0, 0, 0)
    (link,) = done.links
    assert (link.delta_ged, link.delta_h, link.delta_sp, link.hop) == pytest.approx((0.25, 2.0, 0.0, 0))
    assert link.g == pytest.approx(0.25 - 0.1 * 2.0)


def test_the_gauge_of_each_hop_of_a_chain():
    """The mask is {0, 3}: 1 and 2 have rows of zeros."""
    linking = tuned(gauge={"temperature": 0.5, "path_weight": 1.0, "hops": 2})
    done = judged_case(CHAIN, linking)
    # An end: itself (s = 1), its zero neighbour: the matrix 1, .5, .5, .5, S = 2.5.
    end = LN(2.5) - (3 * 0.5 * LN(0.5)) / 2.5
    # A middle: two rows of zeros and one end.
    middle = LN(8 * 0.5 + 1.0) - (8 * 0.5 * LN(0.5)) / 5.0
    # An end with the other end: 1, 1 and four halves around, and the zero row's half: four ones, five halves.
    linked = LN(4.0 + 2.5) - (5 * 0.5 * LN(0.5)) / 6.5
    hop0, hop1, hop2 = done.metrics.hops
    assert hop0.delta_h == pytest.approx((linked - end) / max(end, LN(4)))
    before, after = (2 * end + 2 * middle) / 4, (2 * linked + 2 * middle) / 4
    assert hop1.delta_h == pytest.approx((after - before) / before)
    assert hop2.delta_h == hop1.delta_h, "there is nothing further out"
    # Ways before: 1 1 1 2 2 3 = 10; with the link 0–3 they are 1 1 1 2 2 1 = 8.
    assert (hop0.delta_sp, hop1.delta_sp, done.metrics.pairs) == (0.0, pytest.approx(0.2), 6)
    assert [hop.delta_ged for hop in done.metrics.hops] == pytest.approx([0.125] * 3)
    for hop in done.metrics.hops:
        assert hop.g == pytest.approx(0.125 - 0.5 * (hop.delta_h + 1.0 * hop.delta_sp))
    assert done.metrics.g0 == hop0.g
    assert (done.metrics.gmin, done.metrics.best_h) == (min(hop0.g, hop1.g), 0 if hop0.g <= hop1.g else 1)


def test_a_new_node_is_paid_for():
    fresh, known = (judged_case(replace(CHAIN, fresh=count)).metrics for count in (1, 0))
    assert fresh.hops[0].delta_ged == pytest.approx((1 + 0.25) / 2)
    assert fresh.g0 - known.g0 == pytest.approx(0.5)


def test_what_comes_in_any_case_is_measured_but_not_a_candidate():
    more = (1, 3)
    scene = CHAIN.scene()
    scene = replace(scene, after=scene.graph.joined(np.array([more])))
    done = judge(scene, CHAIN.context(), linking=tuned(), thresholds=WHATEVER)
    together = [more, (0, 3)]
    assert done.metrics.hops[0].delta_ged == pytest.approx((1 + 0.25) / 2)
    assert done.metrics.hops[0].delta_h == pytest.approx(delta_h(CHAIN, together))
    assert done.metrics.hops[1].delta_sp == pytest.approx(delta_sp(CHAIN, together, hop=1))
    assert done.metrics.candidates == 1


def test_only_candidates_from_theta_link_on_are_proposed_and_the_best_if_there_are_none():
    case = replace(CHAIN, candidates=[(0, 3, 0.75), (0, 2, 0.5)])
    assert [judged_case(case, theta_link=theta).metrics.proposed for theta in (0.5, 0.6, 0.9)] == [2, 1, 1]
    best = judged_case(case, theta_link=0.9).metrics.hops[0]
    assert best.delta_ged == pytest.approx(0.25 / 3)
    assert best.delta_h == pytest.approx(delta_h(case, [(0, 3)]))


def test_further_hops_are_looked_at_when_ag_fires_and_when_asked():
    calm = Thresholds(theta_ag=10.0, theta_dg=10.0)
    resting = Thresholds(theta_ag=-10.0, theta_dg=10.0, rests=True)
    for thresholds in (calm, resting):
        done = judged_case(CHAIN, thresholds=thresholds)
        assert (len(done.metrics.hops), done.metrics.ag, done.request, done.metrics.pairs) == (1, False, None, 0)
    far = judge(CHAIN.scene(), CHAIN.context(), linking=tuned(), thresholds=calm, further=True)
    assert (len(far.metrics.hops), far.metrics.ag, far.request) == (3, False, None)
    assert len(judged_case(CHAIN).metrics.hops) == 3
    edge = judged_case(CHAIN, thresholds=Thresholds(theta_ag=far.metrics.g0, theta_dg=0.0))
    assert not edge.metrics.ag, "AG fires above its threshold, not at it"


# --- adoption ---------------------------------------------------------------------------------------------------------

STAR = Case(
    6,
    [(0, 1), (1, 2)],
    dict(enumerate([[1, 0], [1, 0.2], [0.9, 0.5], [0.2, 1], [0, 1], [-1, 0.1]])),
    [0],
    [(0, 2, 0.9), (0, 3, 0.8), (0, 4, 0.6), (0, 5, 0.5)],
)


def test_links_are_adopted_one_by_one_the_best_first():
    linking = tuned(gauge={"hops": 0})
    done = judged_case(STAR, linking, thresholds=Thresholds(10.0, 10.0))
    left, taken = list(STAR.candidates), []
    for link in done.links:
        now = gauge(STAR, taken, linking, hop=0)
        worth = {edge: base(STAR) * (gauge(STAR, [*taken, edge], linking, hop=0) - now) for edge in left}
        best = min(worth, key=worth.get)
        assert (link.edge.source, link.edge.target, link.edge.score) == best
        assert link.g == pytest.approx(worth[best])
        left.remove(best)
        taken.append(best)
    assert not left
    assert done.metrics.dg


def test_dg_takes_no_link_above_its_threshold_and_no_more_than_allowed():
    linking = tuned(gauge={"hops": 0})
    everything = judged_case(STAR, linking, thresholds=Thresholds(10.0, 10.0))
    second = everything.links[1].g
    at = judged_case(STAR, linking, thresholds=Thresholds(10.0, second))
    assert accepted(at) == accepted(everything)[:2], "at the threshold is accepted"
    below = judged_case(STAR, linking, thresholds=Thresholds(10.0, math.nextafter(second, -1)))
    assert accepted(below) == accepted(everything)[:1]
    few = judged_case(STAR, tuned(gauge={"hops": 0}, candidates={"links": 2}), thresholds=Thresholds(10.0, 10.0))
    assert accepted(few) == accepted(everything)[:2]
    assert [link.accepted for link in few.links] == [True, True, False, False]
    others = [link.g for link in few.links[2:]]
    assert others == sorted(others)
    none = judged_case(STAR, linking, thresholds=Thresholds(10.0, -10.0))
    assert (accepted(none), none.metrics.dg, len(none.links)) == ([], False, 4)


@st.composite
def cases(draw):
    size = draw(st.integers(3, 8))
    places = st.integers(0, size - 1)
    pairs = st.tuples(places, places).filter(lambda pair: pair[0] != pair[1]).map(lambda pair: tuple(sorted(pair)))
    edges = draw(st.lists(pairs, max_size=10, unique=True))
    free = [(u, v) for u in range(size) for v in range(u + 1, size) if (u, v) not in edges]
    chosen = draw(st.lists(st.sampled_from(free), max_size=5, unique=True)) if free else []
    scores = st.one_of(st.none(), st.floats(0, 1).map(lambda score: round(score, 3)))
    number = st.integers(-3, 3).map(float)
    rows = draw(st.dictionaries(places, st.tuples(number, number, number).map(list), min_size=1))
    weights = draw(st.one_of(st.none(), st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=3, max_size=3)))
    centers = draw(st.lists(places, min_size=1, max_size=2))
    return Case(
        size, edges, rows, centers, [(*pair, draw(scores)) for pair in chosen], weights, draw(st.integers(0, 1))
    )


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from(["core", "cached", "cached_incr"]))
def test_each_marginal_g_is_the_difference_of_the_whole_times_the_base(case, engine):
    linking = tuned(gauge={"temperature": 0.7, "path_weight": 0.5}, candidates={"links": 50}, paths={"engine": engine})
    done = judged_case(case, linking)
    if not case.candidates:
        assert (done.links, done.request, done.metrics.input_contract_ok) == ((), None, False)
        return
    for hop in done.metrics.hops:
        assert hop.g == pytest.approx(gauge(case, case.candidates, linking, hop=hop.hop), abs=1e-9)
    taken = []
    for link in done.links:
        edge = (link.edge.source, link.edge.target, link.edge.score)
        now, then = (gauge(case, some, linking, hop=link.hop) for some in (taken, [*taken, edge]))
        assert link.g == pytest.approx(base(case) * (then - now), abs=1e-9)
        taken.append(edge)


# --- the same again ---------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(cases(), st.data())
def test_the_same_input_gives_the_same_judgement_and_the_order_of_candidates_does_not_matter(case, data):
    linking = tuned(gauge={"temperature": 0.7, "path_weight": 0.5})
    thresholds = Thresholds(-10.0, 0.3)
    first = judged_case(case, linking, thresholds=thresholds)
    assert judged_case(case, linking, thresholds=thresholds) == first
    cache = PairCache()
    for _ in range(2):
        again = judge(case.scene(), case.context(), linking=linking, thresholds=thresholds, cache=cache)
        assert again == first, "what is kept from before changes nothing"
    shuffled = replace(case, candidates=data.draw(st.permutations(case.candidates)))
    other = judged_case(shuffled, linking, thresholds=thresholds)
    assert other.metrics.g0 == pytest.approx(first.metrics.g0)
    values = sorted(link.g for link in first.links)
    tied = any(b - a < 1e-9 for a, b in itertools.pairwise(values))
    near = any(abs(value - 0.3) < 1e-9 for value in values)
    if not tied and not near:
        assert set(accepted(other)) == set(accepted(first))


def test_of_equal_candidates_the_same_is_accepted_in_any_order():
    case = Case(4, [], {at: [1.0] for at in range(4)}, [0], [(0, 1, 0.8), (0, 2, 0.8), (0, 3, 0.8)])
    linking = tuned(candidates={"links": 1})
    one = accepted(judged_case(case, linking))
    other = accepted(judged_case(replace(case, candidates=case.candidates[::-1]), linking))
    assert one == other


def test_of_one_link_given_twice_the_same_score_counts_in_any_order():
    twice = [(0, 3, 0.1), (3, 0, 0.9)]
    one, other = (judged_case(replace(CHAIN, candidates=edges)).links[0].edge.score for edges in (twice, twice[::-1]))
    assert one == other


def test_a_link_is_accepted_once_even_if_two_hops_name_it_in_either_direction():
    done = judged_case(CHAIN, candidate_edges_by_hop={1: [(3, 0, {"score": 0.75})]})
    assert len(done.links) == 1
    assert len(accepted(done)) == 1


def test_a_link_that_l3_finds_from_both_centers_is_accepted_once():
    case = Case(3, [(0, 1), (1, 2)], {at: [1.0] for at in range(3)}, [0, 2])
    linking = tuned(candidates={"allow_autocand": True})
    done = judge(case.scene(), context_of({"centers": [0, 2]}), linking=linking, thresholds=WHATEVER)
    assert done.metrics.autocand_used
    assert len(accepted(done)) == 1


def test_autocand_was_not_used_if_it_found_nothing():
    case = Case(3, [], {at: [1.0] for at in range(3)}, [0])
    linking = tuned(candidates={"allow_autocand": True})
    done = judge(case.scene(), context_of({"centers": [0]}), linking=linking, thresholds=WHATEVER)
    assert done.links == ()
    assert not done.metrics.autocand_used


@pytest.mark.parametrize("hop", [1, 9])
def test_candidates_of_a_hop_that_is_not_looked_at_have_no_infinite_gauge(hop):
    case = replace(CHAIN, candidates=[])
    own = context_of({"centers": [0], "candidate_edges_by_hop": {hop: [(0, 3, {"score": 0.9})]}})
    thresholds = Thresholds(10.0, 10.0)
    done = judge(case.scene(), own, linking=tuned(), thresholds=thresholds)
    assert all(math.isfinite(link.g) for link in done.links)
    linking = tuned(gates={"theta_ag": 10.0, "theta_dg": 10.0})
    _, state = judged(case.scene(), own, GateState(), lambda _: None, linking=linking)
    assert all(math.isfinite(value) for value in to_json(state)["decision"])


def test_what_l3_finds_by_itself_does_not_mend_the_contract():
    case = Case(4, [(0, 1), (1, 2), (2, 3)], {at: [1.0, at] for at in range(4)}, [0])
    linking = tuned(
        candidates={"allow_autocand": True}, cand_expansion={"mode": "l3"}, gates={"theta_ag": -10.0, "theta_dg": 10.0}
    )
    done, _ = judged(case.scene(), context_of({"centers": [0]}), GateState(), lambda _: None, linking=linking)
    assert [each.metrics.input_contract_ok for each in done] == [False] * len(done)


def test_exact_engines_agree_and_the_knobs_only_make_gains_smaller():
    rng = np.random.default_rng(2)
    edges = sorted(
        {tuple(sorted(rng.integers(0, 30, size=2).tolist())) for _ in range(40)} - {(i, i) for i in range(30)}
    )
    free = [(0, at, round(float(rng.uniform()), 2)) for at in range(1, 30) if (0, at) not in edges]
    case = Case(30, edges, {at: rng.normal(size=4).tolist() for at in range(30)}, [0], free[:12])
    linking = tuned(InsightSettings(), gauge={"path_weight": 2.0})
    done = {
        engine: judged_case(case, replace(linking, paths=replace(EXACT, engine=engine)))
        for engine in ("core", "cached", "cached_incr")
    }
    assert done["core"].links == done["cached"].links == done["cached_incr"].links
    assert done["core"].metrics.hops == done["cached_incr"].metrics.hops
    rough = judged_case(case, replace(linking, paths=replace(EXACT, prune_topk=2, gain_epsilon=0.01, budget=1)))
    assert rough.metrics.hops[1].delta_sp <= done["core"].metrics.hops[1].delta_sp
    assert CandidateEdge(*free[0]) in [link.edge for link in rough.links]
