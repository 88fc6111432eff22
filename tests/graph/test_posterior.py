"""The posterior of a claim: examples worked out by hand, and what holds for all evidence."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.graph.posterior import posterior

WEIGHTS = st.floats(min_value=0, max_value=1e6)
MORE = st.floats(min_value=0.1, max_value=100)


@pytest.mark.parametrize(
    ("support", "refutation", "confidence", "uncertainty", "controversy"),
    [
        (0, 0, 0.5, 0.289, 0),  # Beta(1, 1): √(1/12)
        (0.9, 0, 0.655, 0.241, 0),  # 1.9/2.9, √(1.9 / (2.9²·3.9))
        (1.7, 0.8, 0.6, 0.209, 0.32),  # 2.7/4.5, √(2.7·1.8 / (4.5²·5.5)), 0.8/2.5
        (2, 2, 0.5, 0.189, 0.5),  # 3/6, √(9 / (36·7)), 2/4
        (0, 0.95, 0.339, 0.238, 0),  # 1/2.95, √(1.95 / (2.95²·3.95))
        (0.7, 0.3, 0.567, 0.248, 0.3),  # 1.7/3, √(1.7·1.3 / (9·4)), 0.3/1
        (98, 0, 0.99, 0.01, 0),  # 99/100, √(99 / (100²·101))
    ],
)
def test_examples_worked_out_by_hand(support, refutation, confidence, uncertainty, controversy):
    assert astuple(posterior(support, refutation))[:3] == (confidence, uncertainty, controversy)


@given(WEIGHTS, WEIGHTS)
def test_every_figure_stays_in_its_range(support, refutation):
    found = posterior(support, refutation)
    assert 0 <= found.confidence <= 1
    assert 0 <= found.uncertainty <= 0.289, "nothing is less certain than no evidence"
    assert 0 <= found.controversy <= 0.5


@given(WEIGHTS, WEIGHTS)
def test_the_other_side_sees_the_mirror_image(support, refutation):
    one, other = posterior(support, refutation), posterior(refutation, support)
    assert one.confidence + other.confidence == pytest.approx(1, abs=0.001)
    assert (one.uncertainty, one.controversy) == (other.uncertainty, other.controversy)


@given(WEIGHTS, WEIGHTS, MORE)
def test_support_never_lowers_confidence_and_refutation_never_raises_it(support, refutation, more):
    before = posterior(support, refutation).confidence
    assert posterior(support + more, refutation).confidence >= before
    assert posterior(support, refutation + more).confidence <= before


@given(WEIGHTS, MORE)
def test_evidence_of_one_kind_makes_surer(weight, more):
    before, after = posterior(weight, 0), posterior(weight + more, 0)
    assert after.uncertainty <= before.uncertainty
    assert before.controversy == after.controversy == 0


@given(MORE, MORE)
def test_controversy_is_greatest_when_both_sides_weigh_the_same(support, refutation):
    assert posterior(support, refutation).controversy <= posterior(support, support).controversy == 0.5


@given(MORE, MORE, st.floats(min_value=1, max_value=50))
def test_controversy_depends_on_the_shares_and_not_on_the_amount(support, refutation, times):
    scaled = posterior(support * times, refutation * times).controversy
    assert scaled == pytest.approx(posterior(support, refutation).controversy, abs=0.0011)
