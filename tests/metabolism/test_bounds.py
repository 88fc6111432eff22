"""Bounds of similarities never leave out a pair above its floor, whatever the vectors are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.metabolism import bounds
from wherefrom.metabolism.bounds import above, in_pairs, rounded

EVERY = 10**9


def units(numbers, rows, *, level=False):
    vectors = numbers.standard_normal((rows, 160)).astype(np.float32)
    if level:  # all numbers of a vector are equally large: rounded, they are all too large, or all too small
        vectors = np.sign(vectors)
    vectors[rows // 2 :] = vectors[: rows - rows // 2] + 0.3 * vectors[rows // 2 :]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("level", [False, True])
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 9),
    dimensions=st.sampled_from([1, 64, 144, 160]),
    floor=st.sampled_from([-0.5, 0.0, 0.3, 0.6, 0.99]),
)
def test_every_pair_above_its_floor_is_left(level, seed, count, dimensions, floor):
    numbers = np.random.default_rng(seed)
    some, others = units(numbers, count, level=level), units(numbers, 12, level=level)
    others[:count] = some
    floors = np.full(count, floor, dtype=np.float32)
    places, columns = above(in_pairs(rounded(some, dimensions)), rounded(others, dimensions), floors, EVERY)
    left = set(zip(places.tolist(), columns.tolist(), strict=True))
    wanted = np.argwhere(some.astype(np.float64) @ others.T.astype(np.float64) > floor)
    assert {(row, column) for row, column in wanted.tolist()} <= left
    assert len(left) == len(places)


def test_most_pairs_of_random_vectors_are_told_apart():
    numbers = np.random.default_rng(3)
    vectors = numbers.standard_normal((700, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    some, others = vectors[:200], vectors[200:]
    floors = np.full(200, 0.6, dtype=np.float32)
    places, _ = above(in_pairs(rounded(some, 208)), rounded(others, 208), floors, EVERY)
    assert len(places) < 20


def test_the_parts_of_many_others_make_no_difference(monkeypatch):
    numbers = np.random.default_rng(4)
    some, others = in_pairs(rounded(units(numbers, 7), 96)), rounded(units(numbers, 50), 96)
    floors = np.linspace(0.0, 0.9, 7, dtype=np.float32)
    whole = above(some, others, floors, EVERY)
    monkeypatch.setattr(bounds, "_COLUMNS_AT_ONCE", 8)
    parts = above(some, others, floors, EVERY)
    assert sorted(zip(*whole, strict=True)) == sorted(zip(*parts, strict=True))


def test_more_than_wanted_are_not_told():
    numbers = np.random.default_rng(5)
    some = units(numbers, 4)
    floors = np.full(4, -1.0, dtype=np.float32)
    pairs, others = in_pairs(rounded(some, 64)), rounded(some, 64)
    assert above(pairs, others, floors, 15) is None
    assert above(pairs, others, floors, 16) is not None
