"""Few of one entity, and maximal marginal relevance."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.recall.selection import few_of_each_first, mmr

EAST, NORTH = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)

scores = st.lists(st.integers(0, 100).map(lambda hundredths: hundredths / 100), max_size=12)


def test_few_of_one_entity_come_first():
    about = {"a": ["Ada"], "b": ["Ada"], "c": ["Ada"], "d": ["Bob"], "e": []}
    assert few_of_each_first(list("abcde"), about, most=2) == [0, 1, 3, 4, 2]
    assert few_of_each_first(list("abcde"), about, most=1) == [0, 3, 4, 1, 2]
    assert few_of_each_first(list("abcde"), about, most=3) == [0, 1, 2, 3, 4]


def test_a_node_of_several_entities_counts_for_each():
    about = {"a": ["Ada"], "b": ["Ada", "Bob"], "c": ["Bob"], "d": ["Bob", "Cleo"], "e": ["Cleo"]}
    assert few_of_each_first(list("abcde"), about, most=1) == [0, 2, 4, 1, 3]
    assert few_of_each_first(list("abcde"), about, most=2) == [0, 1, 2, 4, 3]


def test_an_entity_that_the_question_names_has_no_limit():
    about = {"a": ["Ada"], "b": ["Ada"], "c": ["Ada", "Bob"], "d": ["Bob"], "e": ["Bob"]}
    assert few_of_each_first(list("abcde"), about, most=1, asked={"Ada"}) == [0, 1, 2, 3, 4]
    assert few_of_each_first(list("abcde"), about, most=1, asked={"Bob"}) == [0, 3, 4, 1, 2]


@given(
    st.lists(st.sets(st.sampled_from(["Ada", "Bob", "Cleo"])), max_size=20),
    st.integers(1, 4),
    st.sets(st.sampled_from(["Ada", "Bob"])),
)
def test_all_stay_and_those_of_no_limited_entity_keep_their_order(sets, most, asked):
    ids = [str(at) for at in range(len(sets))]
    about = {node_id: names for node_id, names in zip(ids, sets, strict=True) if names}
    order = few_of_each_first(ids, about, most=most, asked=asked)
    assert sorted(order) == list(range(len(ids)))
    falls = [place for place, (one, after) in enumerate(pairwise(order), 1) if after < one]
    assert len(falls) <= 1
    first = order[: falls[0]] if falls else order
    free = [at for at, names in enumerate(sets) if names <= asked]
    assert [at for at in order if at in free] == free
    if falls:
        counted = Counter(name for at in first for name in sets[at])
        assert any(counted[name] >= most for name in {"Ada", "Bob", "Cleo"} - asked)


def test_what_differs_comes_before_what_repeats():
    """Scaled, the scores are 1, 0.875 and 0: after the first, 0.5·0.875 − 0.5·1 < 0 for its twin, 0 for the other."""
    vectors = [EAST, EAST, NORTH]
    assert mmr([1.0, 0.9, 0.2], vectors, balance=0.5, count=3) == [0, 2, 1]
    assert mmr([1.0, 0.9, 0.2], vectors, balance=0.5, count=2) == [0, 2]
    assert mmr([1.0, 0.9, 0.2], vectors, balance=1.0, count=2) == [0, 1]


def test_the_seeds_balance_by_hand():
    """0.85·0.50 − 0.15·1 = 0.275 for the twin, 0.85·0.33 = 0.2805 and 0.85·0.32 = 0.272 for another."""
    vectors = [EAST, EAST, NORTH, None]
    assert mmr([1.0, 0.5, 0.33, 0.0], vectors, balance=0.85, count=3) == [0, 2, 1]
    assert mmr([1.0, 0.5, 0.32, 0.0], vectors, balance=0.85, count=3) == [0, 1, 2]


def test_the_scale_of_the_scores_does_not_matter():
    """The same scores, ten times smaller and moved."""
    vectors = [EAST, EAST, NORTH, None]
    assert mmr([0.3, 0.25, 0.233, 0.2], vectors, balance=0.85, count=3) == [0, 2, 1]


def test_where_all_scores_are_equal_the_first_stays_first():
    assert mmr([0.4, 0.4, 0.4], [EAST, EAST, NORTH], balance=0.85, count=3) == [0, 2, 1]


def test_the_greatest_similarity_to_any_that_was_taken_counts():
    """The third is like the first, not like the second: it pays for the first."""
    assert mmr([1.0, 0.9, 0.8, 0.4], [EAST, NORTH, EAST, None], balance=0.5, count=4) == [0, 1, 3, 2]


def test_a_node_without_a_vector_is_like_nothing():
    assert mmr([1.0, 0.9, 0.2], [EAST, EAST, None], balance=0.5, count=3) == [0, 2, 1]
    assert mmr([0.1, 0.9], [None, None], balance=0.5, count=5) == [1, 0]
    assert mmr([], [], balance=0.5, count=5) == []


@given(scores, st.integers(0, 15), st.integers(0, 2**16))
def test_with_a_balance_of_one_it_is_plain_order(values, count, seed):
    rows = np.random.default_rng(seed).normal(size=(len(values), 3)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    order = mmr(values, list(rows), balance=1.0, count=count)
    assert order == sorted(range(len(values)), key=lambda at: -values[at])[:count]


@given(scores, st.floats(0.01, 1), st.integers(0, 15), st.integers(0, 2**16))
def test_each_is_taken_at_most_once_and_the_best_first(values, balance, count, seed):
    rows = np.random.default_rng(seed).normal(size=(len(values), 3)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    order = mmr(values, list(rows), balance=balance, count=count)
    assert len(order) == len(set(order)) == min(count, len(values))
    if order:
        assert values[order[0]] == max(values)
