from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.tokens import query_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The quick foxes, RUNNING!", ["the", "quick", "fox", "run"]),
        ("東京都", ["東京", "京都", "東", "京", "都"]),
        ("猫", ["猫"]),
        ("ﾃｽﾄ", ["テス", "スト"]),
        ("ＧＰＴ４ GPT4", ["gpt4", "gpt4"]),
        ("GPT-4を使う", ["gpt", "4", "を使", "使う", "使"]),
        ("한국어", ["한국", "국어", "한", "국", "어"]),
        ("café Zürich", ["cafe", "zurich"]),
        ("хорошие книги", ["хорош", "книг"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("snake_case v1.2", ["snake", "case", "v1", "2"]),
        ("Straße", ["strass"]),
        ("!!! … 🙂", []),
        ("", []),
    ],
)
def test_terms_of_every_script(text, expected):
    assert terms(text) == expected


def test_a_question_keeps_what_it_asks_about():
    assert query_terms("What did the doctor say about my knee?") == ["doctor", "say", "knee"]
    assert query_terms("who are you") == ["who", "are", "you"]
    assert query_terms("猫") == ["猫"]
    assert query_terms("dog dog dogs") == ["dog"]


@given(st.text(max_size=60))
def test_terms_are_plain_words(text):
    found = terms(text)
    for term in found:
        assert term
        assert not any(character.isspace() or character in "\"'()*:^" for character in term)
    assert set(query_terms(text)) <= set(found)
