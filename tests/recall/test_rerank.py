"""The factor g by hand, and what holds for any standing."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.engine.questions import Questions
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import Factors
from wherefrom.recall.rerank import days_before, rerank, share_left
from wherefrom.recall.settings import Feedback, Rerank
from wherefrom.storage.candidates import MeanDeviation, RankingFacts, _mean_deviation, facts_of, find

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FRESH = RankingFacts("a", "claim", None, "", 0.0, 0.5, 0.5, timestamp(NOW), timestamp(NOW), None)

PLAIN, SEED = MeanDeviation(), Rerank()
AS_DESIGNED = Rerank(min_utility_deviation=0.0)


def before(days):
    return timestamp(NOW - timedelta(days=days))


def weighed(*standings, spread=PLAIN, settings=SEED):
    found = rerank(standings, spread, now=timestamp(NOW), settings=settings, feedback=Feedback())
    return [Factors(*worth) for worth in found]


def g_of(standing, **options):
    return weighed(standing, **options)[0].g


def test_a_fresh_claim_of_which_nothing_is_known():
    """(0.6 + 0.4·σ(0)) · (0.5 + 0.5·0.5) · (0.3 + 0.7·1) = 0.8 · 0.75 · 1."""
    assert g_of(FRESH) == pytest.approx(0.6)


def test_g_by_hand():
    """σ(1) = 0.731059, a confidence of 0.9, and two half-lives of a task, 2⁻² = 0.25."""
    task = FRESH._replace(claim_kind="task", utility=0.3, confidence=0.9, recency_anchor=before(28))
    (factors,) = weighed(task, spread=MeanDeviation(0.1, 0.2))
    assert factors.utility_z == pytest.approx(1.0)
    assert factors.g == pytest.approx((0.6 + 0.4 * 0.731059) * (0.5 + 0.45) * (0.3 + 0.175), abs=1e-6)
    assert (factors.age_days, factors.quality) == (28.0, None)
    assert factors.recency == pytest.approx(0.25)
    assert factors.utility == pytest.approx(0.731059, abs=1e-6)
    assert factors.confidence == 0.9


@pytest.mark.parametrize(
    ("kind", "recency"),
    [
        ({"claim_kind": "fact"}, 0.841),
        ({"claim_kind": "task"}, 0.226),
        ({"claim_kind": "preference"}, 0.794),
        ({"claim_kind": "policy_hint"}, 0.945),
        ({"claim_kind": None}, 0.5),
        ({"kind": "fragment"}, 0.945),
        ({"kind": "memo"}, 0.945),
    ],
)
def test_recency_after_thirty_days(kind, recency):
    old = FRESH._replace(recency_anchor=before(30), **kind)
    assert weighed(old)[0].recency == pytest.approx(recency, abs=5e-4)


def test_the_lowest_and_the_highest_g():
    worst = FRESH._replace(utility=-1e6, confidence=0.0, recency_anchor=before(100_000))
    best = FRESH._replace(utility=1e6, confidence=1.0)
    assert g_of(worst) == pytest.approx(0.09)
    assert g_of(best) == pytest.approx(1.0)


def test_what_lies_ahead_is_fresh():
    (found,) = weighed(FRESH._replace(recency_anchor=before(-400), judged_at=before(-400), utility=0.4))
    assert (found.recency, found.age_days) == (1.0, 0.0)
    assert found.utility_z == pytest.approx(0.4)


def test_utility_is_taken_as_it_is_now():
    """Half of it is lost in thirty days since the last judgement, whenever the node was fresh."""
    judged = FRESH._replace(utility=0.8, judged_at=before(60))
    assert weighed(judged)[0].utility_z == pytest.approx(0.2)


def test_quality_counts_only_where_the_policy_says_so():
    node = FRESH._replace(quality=0.8, judged_at=before(120))
    (plain,), (counted,) = weighed(node), weighed(node, settings=Rerank(use_quality=True))
    assert plain.quality is None
    assert counted.quality == pytest.approx(0.4)
    assert counted.g == pytest.approx(plain.g * (0.5 + 0.5 * 0.4))


def test_the_spread_is_the_mean_and_the_sample_deviation():
    """Of 1, 2 and 6: mean 3, variance (4 + 1 + 9) / 2 = 7."""
    spread = _mean_deviation(3, 9.0, 41.0)
    assert spread.mean == pytest.approx(3.0)
    assert spread.deviation == pytest.approx(math.sqrt(7))


@pytest.mark.parametrize(("count", "value"), [(1, 0.7), (4, 0.5), (3, 0.0)])
def test_where_all_are_equal_nobody_stands_out(count, value):
    spread = _mean_deviation(count, count * value, count * value**2)
    assert weighed(FRESH._replace(utility=value), spread=spread)[0].utility_z == pytest.approx(0.0, abs=1e-9)


def test_without_nodes_the_spread_is_that_of_nothing():
    assert _mean_deviation(0, 0.0, 0.0) == MeanDeviation(0.0, 1.0)


def test_a_tiny_spread_does_not_blow_up():
    spread = _mean_deviation(2, 1e-9, 1e-18)
    assert spread.deviation == 0.001


def one_judged_of_500(utility):
    return {"spread": _mean_deviation(500, utility, utility**2)}


@pytest.mark.parametrize(
    ("utility", "z", "useful"),
    [
        (0.1, 0.499, 0.6222),  # one helpful: (0.1 − 0.0002) / 0.2
        (-0.1, -0.499, 0.3778),
        (-0.2, -0.998, 0.2693),  # one harmful
        (0.3, 1.497, 0.8171),
        (1.0, 4.99, 0.9932),  # ten helpful; the deviation is √(1/500) = 0.0447 and counts as 0.2
    ],
)
def test_one_judged_node_among_500_stands_out_by_how_much_it_was_judged(utility, z, useful):
    (found,) = weighed(FRESH._replace(utility=utility), **one_judged_of_500(utility))
    assert (found.utility_z, found.utility) == (pytest.approx(z), pytest.approx(useful, abs=5e-5))


def test_a_node_that_nobody_judged_stays_where_it_was_when_another_is_judged():
    """(0 − 0.0002) / 0.2 = −0.001."""
    (found,) = weighed(FRESH, **one_judged_of_500(0.1))
    assert found.utility_z == pytest.approx(-0.001)


@pytest.mark.parametrize("utility", [0.1, 1.0, -0.2])
def test_without_a_least_deviation_any_one_judgement_among_500_saturates(utility):
    """(u − u/500) / √(u²/500) = 499/√500 = 22.316, whatever u is."""
    (found,) = weighed(FRESH._replace(utility=utility), settings=AS_DESIGNED, **one_judged_of_500(utility))
    assert abs(found.utility_z) == pytest.approx(499 / math.sqrt(500))
    assert found.utility == pytest.approx(1.0 if utility > 0 else 0.0, abs=1e-9)


def test_a_deviation_above_the_least_counts_as_it_is():
    """Of 0, 0 and 1: mean 1/3, variance 1/3, so z = (2/3) / √(1/3) = 1.1547 with and without a least deviation."""
    for chosen in (SEED, AS_DESIGNED):
        (found,) = weighed(FRESH._replace(utility=1.0), spread=_mean_deviation(3, 1.0, 1.0), settings=chosen)
        assert found.utility_z == pytest.approx(1.1547, abs=1e-4)


def test_the_half_life_is_that_of_the_kind_of_claim_then_of_the_node():
    settings = Rerank(half_life_days={"fact": 1.0, "memo": 2.0}, recency_half_life_days=3.0)
    old = FRESH._replace(recency_anchor=before(6))
    kinds = (old._replace(claim_kind="fact"), old._replace(kind="memo"), old)
    assert [factors.recency for factors in weighed(*kinds, settings=settings)] == [2**-6, 2**-3, 2**-2]


def test_days_and_halves():
    days = days_before(timestamp(NOW), [before(1.5), before(0), before(-2)])
    assert days.tolist() == [1.5, 0.0, 0.0]
    assert share_left(np.array([0.0, 10.0, 20.0]), 10.0).tolist() == [1.0, 0.5, 0.25]


def test_nothing_gives_nothing():
    assert weighed() == []


numbers = st.floats(-1e9, 1e9)
shares = st.floats(0, 1)
days = st.floats(-40_000, 40_000)
standings = st.builds(
    RankingFacts,
    id=st.just("a"),
    kind=st.sampled_from(["memo", "claim", "fragment"]),
    claim_kind=st.sampled_from([None, "fact", "task", "preference", "policy_hint"]),
    content_hash=st.just(""),
    utility=numbers,
    confidence=numbers,
    quality=numbers,
    judged_at=days.map(before),
    recency_anchor=days.map(before),
    superseded_by=st.none(),
)
settings = st.builds(
    Rerank,
    utility_floor=shares,
    confidence_floor=shares,
    recency_floor=shares,
    quality_floor=shares,
    use_quality=st.booleans(),
    recency_half_life_days=st.floats(1e-3, 36_500),
    min_utility_deviation=st.floats(0, 10),
)
spreads = st.builds(MeanDeviation, mean=numbers, deviation=st.floats(0.001, 1e9))


@given(st.lists(standings, min_size=1, max_size=5), spreads, settings)
def test_g_is_in_its_range_for_anything(nodes, spread, chosen):
    values = [factors.g for factors in weighed(*nodes, spread=spread, settings=chosen)]
    floor = chosen.utility_floor * chosen.confidence_floor * chosen.recency_floor
    floor *= chosen.quality_floor if chosen.use_quality else 1.0
    assert all(floor - 1e-9 <= g <= 1.0 for g in values)


@given(standings, spreads, settings, numbers, numbers)
def test_g_never_falls_as_confidence_or_utility_rises(node, spread, chosen, one, other):
    low, high = sorted((one, other))
    options = {"spread": spread, "settings": chosen}
    for name in ("confidence", "utility"):
        lower, higher = node._replace(**{name: low}), node._replace(**{name: high})
        assert g_of(lower, **options) <= g_of(higher, **options) + 1e-12


@given(standings, spreads, settings, days, days)
def test_what_is_older_is_never_fresher(node, spread, chosen, one, other):
    older, newer = (node._replace(recency_anchor=before(each)) for each in (max(one, other), min(one, other)))
    options = {"spread": spread, "settings": chosen}
    assert g_of(older, **options) <= g_of(newer, **options) + 1e-12


def test_the_facts_that_come_with_candidates_are_those_that_are_read(memory):
    old = memory.save("The ferry leaves at nine.", claim_kind="fact", confidence=0.9).node
    memory.save("The ferry leaves at ten.", supersedes=[old.id])
    judged = memory.save("Anna takes the ferry to work.", claim_kind="preference").node
    memory.feedback(judged.id, "helpful")
    memory.save("Nothing about boats.")
    store, access = memory.view.store, memory.view.access
    question, _ = Questions(memory.view).question("when does the ferry leave", None, access)

    def read(tx, question):
        found = find(tx, access, question, text=store.text_search, vectors=store.database.vectors, reach=(4, 4))
        return found, facts_of(tx, access, question, [candidate.id for candidate in found.found])

    found, known = store.database.read(lambda tx: read(tx, replace(question, with_facts=True)))
    assert found.facts == known
    assert {old.id, judged.id} <= known.keys()
    plain, _ = store.database.read(lambda tx: read(tx, question))
    assert plain.facts == {}
    assert [one.id for one in plain.found] == [one.id for one in found.found]
