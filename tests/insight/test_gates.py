"""The gates: thresholds that are fixed or follow what was seen, the rest after AG fired, and their state as stored."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_for_tests import Case, tuned

from wherefrom.insight.decide import judged
from wherefrom.insight.gates import GateState, Thresholds, from_json, observed, thresholds, to_json
from wherefrom.insight.settings import Gates

FIXED = Gates(theta_ag=0.4, theta_dg=0.2)
RUNNING = replace(FIXED, mode="running", warm_up=4, window=8, ag_quantile=0.75, dg_quantile=0.25)


def seen(settings, values, *, state=None, fired=False):
    state = state or GateState()
    for value in values:
        state = observed(state, settings, g0=value, links=[value / 10], fired=fired)
    return state


def test_fixed_thresholds_stay_whatever_was_seen():
    assert thresholds(GateState(), FIXED) == Thresholds(0.4, 0.2)
    assert thresholds(seen(FIXED, range(100)), FIXED) == Thresholds(0.4, 0.2)


def test_running_thresholds_are_quantiles_once_enough_was_seen():
    assert thresholds(seen(RUNNING, [1, 2, 3]), RUNNING) == Thresholds(0.4, 0.2)
    found = thresholds(seen(RUNNING, [1, 2, 3, 5]), RUNNING)
    # At 0.75 · 3 = 2.25 of the values in order: 3 + 0.25 · (5 − 3); at 0.75 of them: 0.1 + 0.75 · 0.1.
    assert (found.theta_ag, found.theta_dg) == pytest.approx((3.5, 0.175))


def test_each_gate_warms_up_by_itself():
    state = GateState()
    for value in (1.0, 2.0, 3.0, 4.0):
        state = observed(state, RUNNING, g0=value, links=[], fired=False)
    found = thresholds(state, RUNNING)
    assert (found.theta_ag, found.theta_dg) == (pytest.approx(3.25), 0.2), "without links DG has seen nothing"


def test_only_the_last_values_count():
    state = seen(RUNNING, range(20))
    assert state.attention == tuple(range(12, 20))
    assert state.decision == tuple(value / 10 for value in range(12, 20))


def test_a_decision_with_many_links_counts_once_by_the_best_of_them():
    state = observed(GateState(decision=(7.0,)), RUNNING, g0=0.0, links=[3.0, 1.0, 2.0], fired=False)
    assert state.decision == (7.0, 1.0)


def rests(settings, fires, *, state=None):
    """How long AG rests after each decision, where it fires if it may and is told to."""
    state, found = state or GateState(), []
    for fire in fires:
        may = not thresholds(state, settings).rests
        state = observed(state, settings, g0=0.0, links=[], fired=fire and may)
        found.append(state.resting)
    return found


def test_after_it_fired_ag_rests_and_twice_as_long_if_it_fires_again_at_once():
    settings = replace(FIXED, cool_down=2)
    always = rests(settings, [True] * 16)
    assert always == [2, 1, 0, 4, 3, 2, 1, 0, 8, 7, 6, 5, 4, 3, 2, 1]
    calm = rests(settings, [True, False, False, False, True, False])
    assert calm == [2, 1, 0, 0, 2, 1], "after a decision without it the rest is short again"


def test_the_rest_has_an_end_and_a_cool_down_of_zero_is_none():
    assert max(rests(replace(FIXED, cool_down=3), [True] * 1000)) <= 100
    assert rests(replace(FIXED, cool_down=0), [True] * 5) == [0] * 5


@pytest.mark.parametrize("cool_down", [1, 64, 65, 100])
def test_a_cool_down_that_a_policy_may_set_is_kept(cool_down):
    assert rests(replace(FIXED, cool_down=cool_down), [True]) == [cool_down]


CASE = Case(3, [(0, 1)], {at: [1.0] for at in range(3)}, [0], [(0, 2, 0.8)])


def test_a_resting_gate_does_not_fire_in_a_decision():
    linking = tuned(gates={"theta_ag": -10.0, "cool_down": 2})
    state, fired = GateState(), []
    for _ in range(8):
        cycles, state = judged(CASE.scene(), CASE.context(), state, lambda _: None, linking=linking)
        fired.append(cycles[0].metrics.ag)
    assert fired == [True, False, False, True, False, False, False, False]
    assert len(state.attention) == len(state.decision) == 8


def test_a_decision_without_candidates_teaches_the_gates_nothing():
    state = seen(FIXED, [1.0], fired=True)
    empty = replace(CASE, candidates=[])
    _, after = judged(empty.scene(), empty.context(), state, lambda _: None, linking=tuned())
    assert after == state


def test_running_gates_judge_by_what_was_seen_before():
    linking = tuned(gates={"mode": "running", "warm_up": 2, "window": 8})
    state = GateState(attention=(5.0, 5.0), decision=(-5.0, -5.0))
    (done,), after = judged(CASE.scene(), CASE.context(), state, lambda _: None, linking=linking)
    assert (done.metrics.theta_ag, done.metrics.theta_dg) == (5.0, -5.0)
    assert (done.metrics.ag, done.metrics.dg) == (False, False)
    assert after.attention == (5.0, 5.0, done.metrics.g0)
    assert after.decision == (-5.0, -5.0, done.links[0].g)


NUMBERS = st.floats(-10, 10).map(lambda value: round(value, 6))


@given(st.lists(NUMBERS, max_size=9), st.lists(NUMBERS, max_size=9), st.integers(0, 64), st.integers(0, 64))
def test_a_state_is_stored_and_read_back(attention, decision, resting, rest):
    state = GateState(tuple(attention), tuple(decision), resting, rest)
    assert from_json(json.loads(json.dumps(to_json(state)))) == state


def test_without_anything_stored_the_state_is_new():
    assert from_json(None) == GateState()
