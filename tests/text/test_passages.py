"""The words that a question and a text share, and the passage that has most of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.passages import best_passage, shared_words
from wherefrom.text.tokens import terms


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("When do we deploy on Fridays?", "We deployed last friday.", ["deploy", "Fridays"]),
        ("What is the plan?", "Nothing of that.", []),
        ("締切はいつですか", "レポートの締切は金曜日です。", ["締切"]),
        ("明日の会議はどこ", "会議は第三会議室で行う。", ["会議"]),
        ("Wo ist das Café?", "The CAFE is closed.", ["Café"]),
        ("ＡＰＩ limits", "The api has limits.", ["ＡＰＩ", "limits"]),
        ("deploy deploy deployed", "deploy", ["deploy", "deployed"]),
    ],
)
def test_shared_words_are_as_the_question_spells_them(question, text, words):
    assert shared_words(question, terms(text)) == words


def test_the_passage_has_most_of_the_words():
    text = "Nothing here. " * 100 + "The deploy waits for Friday's soak test. " + "Deploy often. " * 100
    start, end = best_passage(text, "which soak test does the deploy wait for?", characters=200)
    assert text[start:end].startswith("The deploy waits for Friday's soak test.")
    assert end - start <= 200


def test_the_passage_of_an_unrelated_question_is_the_beginning():
    text = "one two three. " * 100
    assert best_passage(text, "zebra", characters=100)[0] == 0
    assert best_passage(text, "?!", characters=100)[0] == 0


def test_a_passage_of_a_text_without_spaces():
    text = "日本語の文章です。" * 100 + "締切は金曜日です。" + "続きの文章です。" * 100
    start, end = best_passage(text, "締切はいつですか", characters=60)
    assert "締切は金曜日です。" in text[start:end]


def test_a_passage_with_accents():
    text = "Nothing of note. " * 100 + "Her résumé was naïve. " + "Nothing of note. " * 100
    for question in ("naïve résumé", "NAIVE RESUME"):
        start, end = best_passage(text, question, characters=120)
        assert text[start:end].startswith("Her résumé was naïve.")


def test_a_passage_ends_with_a_word():
    text = "alphabet " * 100
    start, end = best_passage(text, "alphabet", characters=100)
    assert not text[start:end].endswith("alph")
    assert text[end] == " "


@given(st.text(max_size=400), st.text(max_size=60), st.integers(min_value=8, max_value=200))
def test_whatever_is_given_a_passage_is_a_piece_of_the_text(text, question, characters):
    start, end = best_passage(text, question, characters=characters)
    assert 0 <= start <= end <= len(text)
    assert end - start <= characters or len(text) <= characters
    assert (end - start > 0) == (len(text) > 0)
    assert all(word in question for word in shared_words(question, text))
