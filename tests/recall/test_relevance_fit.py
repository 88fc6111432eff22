"""The weights of relevance: fitted where that helps on questions that the fit has not seen, and left alone elsewhere."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from wherefrom.embedding.port import RelevanceWeights
from wherefrom.model.results import Scores
from wherefrom.recall.relevance import coverage, is_nothing, relevance
from wherefrom.recall.relevance_fit import refit
from wherefrom.recall.settings import Relevance

PLAIN = Scores(None, None, None, None, 0.0, 0.0)
FLAT = RelevanceWeights(0.0, 0.0, 0.0)


def questions(count, *, known, foreign, seed=3):
    """Questions whose items have a coverage and a similarity around these values."""
    numbers = random.Random(seed)
    return [
        ([(mean + numbers.gauss(0, 0.1), mean + numbers.gauss(0, 0.1)) for _ in range(10)], is_known)
        for is_known, mean in ((True, known), (False, foreign))
        for _ in range(count)
    ]


def test_a_coverage_by_hand():
    """Of a weight of 6 the text says 1 and 3."""
    weights = {"a": 1.0, "b": 2.0, "c": 3.0}
    assert coverage({"a", "c", "z"}, weights, (), PLAIN) == pytest.approx(4 / 6)
    assert coverage({"a"}, {}, (), PLAIN) == 0.0
    # A time counts 6, a speaker 2; a text may be of that time, or say it.
    named = replace(PLAIN, date=0.5, speaker=1.0)
    assert coverage({"a"}, weights, (), named) == pytest.approx((1 + 3 + 2) / (6 + 6 + 2))
    assert coverage({"a", "friday"}, weights, {"friday"}, named) == pytest.approx((1 + 6 + 2) / (6 + 6 + 2))


def test_a_relevance_by_hand():
    """σ(−2 + 3·0.5 + 1·0.4 + 0.5·0.5·0.4) = σ(0)."""
    assert relevance(0.5, 0.4, RelevanceWeights(-2.0, 3.0, 1.0, 0.5)) == pytest.approx(0.5)
    assert relevance(1.0, 1.0, RelevanceWeights(1e3, 1e3, 0.0)) <= 1.0


def test_nothing_is_told_only_where_all_is_known():
    settings = Relevance(threshold=0.2)
    assert is_nothing([(0.1, PLAIN), (0.19, PLAIN)], settings)
    assert not is_nothing([(0.1, PLAIN), (0.2, PLAIN)], settings)
    assert not is_nothing([(0.1, PLAIN), (None, PLAIN)], settings)
    assert not is_nothing([(0.1, replace(PLAIN, date=1.0))], settings)
    assert not is_nothing([], settings)


def test_a_fit_tells_questions_apart():
    weights, report = refit(questions(40, known=0.7, foreign=0.3), FLAT)
    assert report.auc_before == 0.5
    assert report.auc_after > 0.95
    assert report.is_adopted
    assert (report.questions, report.foreign) == (80, 40)
    assert relevance(0.7, 0.7, weights) > 0.8 > 0.2 > relevance(0.2, 0.2, weights)


def test_a_fit_that_learned_nothing_is_not_taken():
    good, _ = refit(questions(200, known=0.7, foreign=0.3), FLAT)
    weights, report = refit(questions(15, known=0.5, foreign=0.5, seed=8), good)
    assert weights == good or report.is_adopted
    kept, report = refit(questions(15, known=0.7, foreign=0.3), good)
    assert report.is_adopted or kept == good


@pytest.mark.parametrize(("known", "foreign"), [(9, 40), (40, 9), (0, 0)])
def test_too_few_questions_fit_nothing(known, foreign):
    rows = [([(0.5, 0.5)], True)] * known + [([(0.4, 0.4)], False)] * foreign
    assert refit(rows, FLAT) is None
