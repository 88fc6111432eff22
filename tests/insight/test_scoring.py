"""The score of a candidate by hand: words, meaning, what is usual near a text, and the level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.insight import scoring
from wherefrom.insight.shared import without_endings

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def directions(*degrees):
    return [np.array([math.cos(math.radians(d)), math.sin(math.radians(d))], dtype=np.float32) for d in degrees]


def test_the_words_of_a_short_text_count_less():
    usual = 8 * math.log1p(1_000)
    assert scoring.word_weight(usual, 1_000) == pytest.approx(1.0)
    assert scoring.word_weight(usual / 4, 1_000) == pytest.approx(0.5)
    assert scoring.word_weight(0.0, 0) == 0.0


def test_meaning_is_how_much_nearer_two_texts_are_than_either_is_to_its_neighbours():
    center, near, crowd = directions(0, 20, *range(60, 82, 2))[0], directions(20), directions(*range(60, 82, 2))
    found = scoring.meanings(center, [*near, *crowd, None], floor=0.0)
    of_center = (math.cos(math.radians(20)) + sum(math.cos(math.radians(d)) for d in range(60, 78, 2))) / 10
    of_near = (math.cos(math.radians(20)) + sum(math.cos(math.radians(d - 20)) for d in range(60, 78, 2))) / 10
    usual = (of_center + of_near) / 2
    assert found.meaning[0] == pytest.approx((math.cos(math.radians(20)) - usual) / (1 - usual), abs=1e-5)
    assert (found.meaning[1:-1] < 0).all(), "those of the crowd are much nearer to each other"
    assert np.isnan(found.meaning[-1]) and np.isnan(found.similarity[-1])


def test_where_all_texts_are_alike_likeness_says_nothing():
    (one,) = directions(30)
    found = scoring.meanings(one, [one] * 12, floor=0.0)
    assert found.similarity == pytest.approx(1.0)
    assert found.meaning == pytest.approx(0.0, abs=1e-6)


def test_one_of_words_and_meaning_counts_alone_where_the_other_is_missing():
    meaning, words = np.array([0.4, np.nan, -0.9]), np.array([0.2, 0.2, 0.2])
    assert scoring.relevances(meaning, words, alpha=0.5).tolist() == pytest.approx([0.3, 0.2, 0.0])
    assert scoring.relevances(meaning, None, alpha=0.5).tolist() == pytest.approx([0.4, 0.0, 0.0])


def test_a_text_stands_out_half_by_what_is_usual_and_half_by_the_level():
    relevance = np.array([0.5] + [0.3] * 9)
    (first, *_) = scoring.scores(relevance, np.zeros(10), level=0.08)
    out = 0.5 / math.sqrt(0.32 * 0.08)
    assert first == pytest.approx(out / (1 + out))


@given(SHARES, st.floats(0.01, 1), st.floats(0, 2))
def test_scores_keep_the_order_and_their_range(shares, level, more):
    relevance = np.array(shares)
    found = scoring.scores(relevance, np.zeros(len(shares)), level=level)
    assert ((found >= 0) & (found < 1)).all()
    assert (np.argsort(found, kind="stable") == np.argsort(relevance, kind="stable")).all()
    assert (scoring.scores(relevance, np.full(len(shares), more), level=level) >= found).all()


def test_endings_are_left_out_of_the_words_that_are_compared():
    assert without_endings("冷蔵庫の温度が高い。") == "冷蔵庫 温度 高 。"
    assert without_endings("さくら") == "さくら", "nothing else would be left"
    assert without_endings("The same 3 words") == "The same 3 words"


def test_the_verb_that_a_korean_sentence_ends_with_says_nothing_of_it():
    assert without_endings("색인은 검색을 빠르게 한다.") == "색인은 검색을 빠르게  ."
    assert without_endings("그는 매일 연습했다\n어제도 연습합니다!") == "그는 매일 연습 \n어제도 연습 !"
    assert without_endings("판다 두 마리를 보았다.") == "판다 두 마리를 보 .", "pandas stay: no sentence ends there"
    assert without_endings("한다.") == "한다.", "nothing else would be left"
