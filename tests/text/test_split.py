"""Long texts are split where a reader would pause, and nothing of them is lost."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.split import split_text


@given(st.text(), st.integers(min_value=16, max_value=200))
def test_the_parts_are_the_text_and_each_fits(text, size):
    parts = split_text(text, size=size)
    assert "".join(parts) == text
    assert all(0 < len(part.encode()) <= size for part in parts)


@pytest.mark.parametrize(
    ("text", "size", "parts"),
    [
        ("One two three.\n\nFour. Five six", 22, ["One two three.\n\n", "Four. Five six"]),
        ("One two three. Four five six", 20, ["One two three. ", "Four five six"]),
        ("川は北へ流れる。「本当に。」雨は降らない", 45, ["川は北へ流れる。「本当に。」", "雨は降らない"]),
        ("河水向北流。雨不下", 24, ["河水向北流。", "雨不下"]),
        ("강은 북쪽으로 흐른다. 비는 오지 않는다.", 36, ["강은 북쪽으로 흐른다. ", "비는 오지 않는다."]),
        ("one two three four", 10, ["one two ", "three four"]),
    ],
)
def test_the_best_border_is_taken(text, size, parts):
    assert split_text(text, size=size) == parts


@pytest.mark.parametrize("character", ["e\u0301", "👩‍👩‍👧‍👦", "👍🏽", "🇯🇵", "\u1112\u1161\u11ab", "क्षि", "❤️"])
def test_what_is_read_as_one_character_stays_whole(character):
    parts = split_text(character * 40, size=3 * len(character.encode()) + 1)
    assert len(parts) > 10
    assert all(part == character * (len(part) // len(character)) for part in parts)
    assert not any(unicodedata.category(part[0])[0] == "M" for part in parts)
