"""Calibration: maps by hand, on made-up data, and in a memory."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from embedders_for_tests import Numbered
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import InvalidInput, Memory
from wherefrom.recall.calibrate import calibration_error, fit, fitted, reliability, scaled

METHODS = ("isotonic", "platt", "quantile")


def fit_of(raw, relevant, method):
    return fit(np.array(raw, dtype=np.float64), np.array(relevant, dtype=np.float64), method)


def test_isotonic_by_hand():
    """Of 0 0 1 0 1 1 only the 1 before the 0 is out of order: the two share their mean."""
    points = fit_of([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1], "isotonic")
    assert points == ((1.0, 0.0), (2.0, 0.0), (3.0, 0.5), (4.0, 0.5), (5.0, 1.0), (6.0, 1.0))


def test_isotonic_takes_raw_scores_in_any_order_and_equal_ones_as_one():
    points = fit_of([2, 1, 2, 3, 1, 3], [1, 0, 0, 1, 0, 1], "isotonic")
    assert points == ((1.0, 0.0), (2.0, 0.5), (3.0, 1.0))


def test_isotonic_pools_as_far_back_as_it_must():
    """1 0 0 0: each 0 draws the level before it down, until all share 1/4."""
    assert fit_of([1, 2, 3, 4], [1, 0, 0, 0], "isotonic") == ((1.0, 0.25), (2.0, 0.25), (3.0, 0.25), (4.0, 0.25))


def test_quantile_is_the_share_at_or_below():
    assert fit_of([5, 1, 3, 3], [0, 0, 0, 0], "quantile") == ((1.0, 0.25), (3.0, 0.75), (5.0, 1.0))


def test_platt_rises_and_is_even_where_the_data_are():
    """As many relevant below the middle as not relevant above it: the curve is 1/2 there, and symmetric."""
    points = dict(fit_of([-2, -1, 0, 1, 2, -2, -1, 0, 1, 2], [0, 0, 0, 1, 1, 0, 0, 1, 1, 1], "platt"))
    assert points[0.0] == pytest.approx(0.5, abs=1e-6)
    assert points[-1.0] + points[1.0] == pytest.approx(1.0, abs=1e-5)
    assert list(points.values()) == sorted(points.values())
    assert points[2.0] > 0.8


def test_platt_never_falls():
    """Where higher scores are worse, all are worth the same: the share of relevant ones."""
    values = {y for _, y in fit_of([1, 2, 3, 4, 5, 6], [1, 1, 1, 0, 0, 0], "platt")}
    assert len(values) == 1


def test_platt_stays_finite_where_the_classes_are_apart():
    low, *_, high = [y for _, y in fit_of(range(20), [0] * 10 + [1] * 10, "platt")]
    assert 0 < low < 0.2 < 0.8 < high < 1


def test_a_map_as_scores_has_one_at_its_end():
    assert scaled(((0.0, 0.0), (1.0, 0.2), (2.0, 0.4))) == ((0.0, 0.0), (1.0, 0.5), (2.0, 1.0))
    assert scaled(((0.0, 0.0), (1.0, 0.0))) == ((0.0, 0.0), (1.0, 0.0))


def test_reliability_and_its_error_by_hand():
    """Twenty in ten bins of two; scores of 0.5 where a quarter is relevant are off by 0.25."""
    curve = reliability(np.full(20, 0.5), np.array([1, 0, 0, 0] * 5, dtype=np.float64))
    assert [count for _, _, count in curve] == [2] * 10
    assert calibration_error(curve) == pytest.approx((5 * 0.0 + 5 * 0.5) / 10)
    assert calibration_error(((0.5, 0.25, 3), (1.0, 1.0, 1))) == pytest.approx(0.1875)
    assert calibration_error(()) == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_scores_that_are_close_together_still_make_a_map(method):
    """BM25 is about 1e-6 where every text of a small store has the word."""
    points = fit_of([1.6e-6, 2.4e-6] * 15, [0, 1] * 15, method)
    assert len(points) == 2


rows = st.lists(st.tuples(st.integers(-1_000, 1_000), st.booleans()), min_size=1, max_size=150)


@pytest.mark.parametrize("method", METHODS)
@given(rows=rows)
def test_any_map_rises(method, rows):
    raw, relevant = [x / 100 for x, _ in rows], [hit for _, hit in rows]
    points = fit_of(raw, relevant, method)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    assert 2 <= len(points) <= 101
    assert all(before < after for before, after in itertools.pairwise(xs))
    assert ys == sorted(ys)
    assert all(0 <= y <= 1 for y in ys)
    assert all(0 <= y <= 1 for _, y in scaled(points))


def judged_rows(count, seed=5):
    """Candidates whose chance to be relevant is the cube of a hidden number; both arms see it, at other scales."""
    generator = np.random.default_rng(seed)
    hidden = generator.uniform(0, 1, count)
    hits = generator.uniform(0, 1, count) < hidden**3
    return [(30 * x + 1, 0.4 + 0.5 * x, bool(hit)) for x, hit in zip(hidden.tolist(), hits.tolist(), strict=True)]


@pytest.mark.parametrize("method", ["isotonic", "platt"])
def test_the_calibration_error_falls(method):
    report, maps = fitted(judged_rows(2_000), method, version="1.0.1")
    for arm in ("text", "vectors"):
        assert report.error_before[arm] > 0.2
        assert report.error_after[arm] < 0.05
        assert maps[arm][-1][1] == 1.0
    assert (report.candidates, report.method, report.version) == (2_000, method, "1.0.1")
    assert set(report.curves) == {"text, before", "text, after", "vectors, before", "vectors, after"}


def test_too_few_are_refused():
    with pytest.raises(InvalidInput, match="19 judged candidates of the text arm"):
        fitted(judged_rows(19), "isotonic", version="1.0.1")
    with pytest.raises(InvalidInput, match="vectors arm"):
        fitted([(text, None, hit) for text, _, hit in judged_rows(50)], "isotonic", version="1.0.1")


@pytest.mark.parametrize("hit", [True, False])
def test_what_is_all_the_same_teaches_nothing(hit):
    rows = [(text, similarity, hit) for text, similarity, _ in judged_rows(50)]
    with pytest.raises(InvalidInput, match="too few"):
        fitted(rows, "isotonic", version="1.0.1")
    assert fitted(rows, "quantile", version="1.0.1")[1]["text"][-1][1] == 1.0


def fill(memory):
    """Six topics of ten memos; the question about a topic wants the memos with its number."""
    questions = []
    for topic in range(6):
        ids = [memory.save(f"Note {topic}{topic} number{at} on gadgets").node.id for at in range(10)]
        questions.append({"query": f"note gadgets {topic}{topic}", "relevant": ids})
    return questions


@pytest.mark.parametrize("method", METHODS)
def test_a_fitted_map_is_put_in_force_and_used(tmp_path, method):
    with Memory.open(tmp_path / "memory.db", embedder=Numbered()) as memory:
        questions = fill(memory)
        assert memory.activate("note gadgets 22").parameters["calibration"] == "none"
        before = memory.policy()[0].version
        report = memory.calibrate(questions, method=method)
        assert memory.policy()[0].version == report.version != before
        context = memory.activate("note gadgets 22")
        assert context.parameters["calibration"] == method
        assert context.items[0].node.content.startswith("Note 22")
        assert all(0 <= item.breakdown.fit <= 1 for item in context.items)


def test_a_dry_run_only_reports(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=Numbered()) as memory:
        questions = fill(memory)
        memory.calibrate(questions, dry_run=True)
        assert memory.activate("note gadgets 22").parameters["calibration"] == "none"


def test_a_map_of_another_embedder_is_not_used(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=Numbered()) as memory:
        fill(memory)
        section = {"method": "isotonic", "model": "another", "text": [[0, 0], [9, 1]], "vectors": [[0, 0], [1, 1]]}
        memory.apply_policy(json.dumps({"version": "1.1.0", "calibration": section}))
        assert memory.activate("note gadgets 22").parameters["calibration"] == "none"


def test_too_few_judged_questions_change_nothing(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=Numbered()) as memory:
        memo = memory.save("Note 11").node
        with pytest.raises(InvalidInput, match="too few"):
            memory.calibrate([{"query": "note", "relevant": [memo.id]}])
        for wrong in ([{"query": "note"}], [{"query": "note", "relevant": []}], ["note"]):
            with pytest.raises(InvalidInput):
                memory.calibrate(wrong)
        assert memory.activate("note").parameters["calibration"] == "none"
