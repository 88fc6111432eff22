"""How many rows a transaction takes: few enough to be short, and not so few that its fixed cost is all it pays."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.metabolism import adaptive_batch
from wherefrom.metabolism.adaptive_batch import AdaptiveBatch

HELD_S = 0.1


def walked(rows, *, fixed_s, per_row_s, limit=10_000):
    """The sizes of all transactions until so many rows are done."""
    learned, sizes = AdaptiveBatch(), []
    while sum(sizes) < rows:
        sizes.append(learned.size)
        learned.took(fixed_s + per_row_s * learned.size)
        assert len(sizes) < limit, "it never ends"
    return sizes


@pytest.mark.parametrize("fixed_s", [0.2, 1.0, 2.5])
def test_a_high_fixed_cost_does_not_shrink_the_transactions_to_one_row(fixed_s):
    sizes = walked(40_000, fixed_s=fixed_s, per_row_s=0.001)
    assert min(sizes[5:]) >= 16
    assert sum(sizes) / len(sizes) > 100
    # One transaction for everything would pay the fixed cost once; 1,000 rows at most may be in one.
    least_s = 40 * fixed_s + 40
    assert len(sizes) * fixed_s + sum(sizes) * 0.001 < 3 * least_s


def test_rows_that_take_long_come_in_short_transactions():
    sizes = walked(5_000, fixed_s=0.0, per_row_s=0.004)
    assert max(size * 0.004 for size in sizes) <= 2 * HELD_S
    assert 6 <= sizes[-2] <= 1.2 * HELD_S / 0.004


def test_a_fixed_cost_below_the_limit_leaves_the_rest_of_the_time_to_the_rows():
    sizes = walked(5_000, fixed_s=0.06, per_row_s=0.001)
    assert all(size * 0.001 + 0.06 <= HELD_S * 1.2 for size in sizes)
    assert min(sizes[6:-1]) >= 20


def test_one_slow_transaction_halves_the_size_and_is_forgotten():
    learned = AdaptiveBatch()
    for _ in range(12):
        learned.took(learned.size * 0.00002)
    assert learned.size == adaptive_batch._MAX_ROWS
    learned.took(3.0)
    assert learned.size >= adaptive_batch._MAX_ROWS // 2
    for _ in range(12):
        learned.took(learned.size * 0.00002)
    assert learned.size == adaptive_batch._MAX_ROWS


@settings(deadline=None)
@given(st.floats(0, 3), st.floats(1e-6, 0.05))
def test_it_ends_in_a_few_times_the_best_time(fixed_s, per_row_s):
    rows = 3_000
    sizes = walked(rows, fixed_s=fixed_s, per_row_s=per_row_s)
    assert all(1 <= size <= adaptive_batch._MAX_ROWS for size in sizes)
    taken = len(sizes) * fixed_s + sum(sizes) * per_row_s
    # The best within the rule: rows take as long as the fixed part, or what is left of the limit.
    fitting = min(adaptive_batch._MAX_ROWS, max(1, int(max(HELD_S - fixed_s, fixed_s) / per_row_s)))
    best = math.ceil(rows / fitting) * fixed_s + rows * per_row_s
    assert taken < 5 * best + 30 * fixed_s + 1
