from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from word_borders_for_tests import COMPOUNDS

from wherefrom.text.han_words import Flank, crossings, short_words


@pytest.mark.parametrize(
    ("word", "text", "places"),
    [
        ("京都", "東京都", [(Flank("東京", "東京都", is_place=True),)]),
        ("京大", "東京大学", [(Flank("大学", "京大学"), Flank("東京", "東京大"))]),
        ("本社", "日本社会と日本社会", [(Flank("社会", "本社会"), Flank("日本", "日本社"))] * 2),
        ("京都", "東京都と京都", []),
        ("京都", "京都市", []),
        ("京都", "大阪", []),
        ("以上", "20歳以上", []),
    ],
)
def test_borders_through_a_word(word, text, places):
    assert crossings(word, text) == places


@pytest.mark.parametrize(("word", "text"), COMPOUNDS)
def test_words_in_compounds_are_words(word, text):
    assert crossings(word, text) == []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("京都", ["京都"]),
        ("京都の寺と東京の駅、京都大学", ["京都", "東京"]),
        ("北京 上海", ["北京", "上海"]),
        ("京都大学", []),
        ("バス kyoto 한국 2026", []),
    ],
)
def test_short_words_are_runs_of_two(question, words):
    assert short_words(question) == words


@given(st.text("京都東大学市的和不新5あ a", max_size=30))
def test_what_stands_free_is_a_word(text):
    assert crossings("京都", f"{text} 京都、{text}") == []
