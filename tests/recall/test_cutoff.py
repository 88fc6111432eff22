"""Kneedle, compared with the `kneed` package and by hand."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.recall.selection import CutOff, kept, knee

SCORES = st.lists(st.floats(0, 1, allow_nan=False, width=32), min_size=2, max_size=60).map(
    lambda values: sorted(values, reverse=True)
)


def by_kneed(scores, sensitivity):
    from kneed import KneeLocator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = KneeLocator(
            list(range(len(scores))), scores, curve="convex", direction="decreasing", S=sensitivity, online=True
        )
    return next((knee for knee in found.all_knees if knee > 0), None)


@settings(deadline=None)
@given(SCORES, st.sampled_from([0.5, 1.0, 2.0, 5.0]))
def test_the_knee_is_where_kneed_finds_it(scores, sensitivity):
    if scores[0] == scores[-1]:
        assert knee(scores, sensitivity) is None
    else:
        assert knee(scores, sensitivity) == by_kneed(scores, sensitivity)


@given(SCORES, st.integers(1, 5), st.integers(5, 50))
def test_never_fewer_than_the_least_nor_more_than_the_most(scores, least, most):
    count = kept(scores, CutOff(least, most, 1.0))
    assert min(least, len(scores)) <= count <= max(most, least)


@pytest.mark.parametrize(
    ("scores", "count"),
    [
        ([1.0, 0.95, 0.9, 0.88, 0.2, 0.18, 0.15, 0.1, 0.05, 0.0], 4),
        ([0.9, 0.8], 2),
        ([0.5] * 10, 3),
        ([], 0),
        ([1.0, 0.1, 0.09, 0.08, 0.07, 0.06], 3),
    ],
)
def test_what_is_before_the_drop_is_kept(scores, count):
    assert kept(scores, CutOff(3, 50, 1.0)) == count
