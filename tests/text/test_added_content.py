"""What a text says that a nearly equal one does not."""

# ruff: noqa: SIM905

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.differences.added_content import adds, adds_unspaced, changed, is_same_word

_TEXT = (
    "the gardener waters roses early because summer heat dries soil quickly and "
    "leaves shade paths where cats sleep until evening brings cooler wind"
)


def says_more(one, other):
    return adds(tuple(one.split()), tuple(other.split()))


def test_a_sentence_at_the_end_the_beginning_or_inside():
    new = "the kettle stands behind an empty crate"
    assert says_more(f"{_TEXT} {new}", _TEXT)
    assert says_more(f"{new} {_TEXT}", _TEXT)
    assert says_more(_TEXT.replace("and leaves", f"and {new} leaves"), _TEXT)


def test_what_the_other_has_more_adds_nothing():
    assert not says_more(_TEXT, f"{_TEXT} the kettle stands behind an empty crate")
    assert not says_more("", _TEXT)


def test_a_sentence_all_of_whose_words_stand_elsewhere():
    assert says_more(f"{_TEXT} the cats shade roses until the gardener sleep", _TEXT)


def test_a_sentence_exchanged_for_another():
    one = f"{_TEXT} the kettle stands behind an empty crate"
    other = f"{_TEXT} nobody knows which bus stops here"
    assert says_more(one, other)
    assert says_more(other, one)


def test_an_addition_in_a_text_changed_elsewhere():
    copy = _TEXT.replace("gardener", "gardner").replace("early ", "").replace("cooler wind", "wind cooler")
    assert not says_more(copy, _TEXT)
    assert not says_more(_TEXT, copy)
    assert says_more(f"{copy} the kettle stands behind an empty crate", _TEXT)


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        ("gardener", "gradener"),
        ("waters", "watered"),
        ("early ", ""),
        ("because", "becausee"),
        ("heat dries", "dries heat"),
        ("summer heat", "summer heat summer heat"),
        ("the gardener waters", "a gardner watering"),
        ("quickly and leaves shade paths", "fast and leaves shade trails"),
    ],
)
def test_slips_endings_and_single_words_add_nothing(word, instead):
    copy = _TEXT.replace(word, instead)
    assert copy != _TEXT
    assert not says_more(copy, _TEXT)
    assert not says_more(_TEXT, copy)


def test_stop_words_add_nothing():
    assert not says_more(f"{_TEXT} and so it is with all of them now", _TEXT)


def test_by_characters_where_there_are_no_spaces():
    text = "猫は庭でねている。"
    assert adds_unspaced(text + "かぎはつくえのした", text)
    assert not adds_unspaced(text, text + "かぎはつくえのした")
    assert not adds_unspaced("猫が庭にねている。", text)
    assert adds_unspaced("猫がみんなとあそんで庭でねている。", text)


def test_a_slip_or_another_ending_is_the_same_word():
    slips = [("water", "watre"), ("water", "waters"), ("water", "wator"), ("water", "awter"), ("walked", "walking")]
    for word, other in [*slips, ("water", "wate"), ("water", "eater"), ("먹는다", "먹었다")]:
        assert is_same_word(word, other)
        assert is_same_word(other, word)
    for word, other in [
        ("water", "winter"),
        ("ox", "on"),
        ("production", "protection"),
        ("water", "waterfall"),
        ("고양이", "강아지"),
    ]:
        assert not is_same_word(word, other)


def test_what_lies_between_the_common_beginning_and_end():
    assert changed("abcd", "abd") == ("c", "")
    assert changed("aa", "aaa") == ("", "a")
    assert changed(("a", "b"), ("c", "b")) == (("a",), ("c",))


_WORDS = st.lists(st.sampled_from("red bus stops here again kettle crate the of wind".split())).map(tuple)


@given(_WORDS, _WORDS)
def test_a_part_adds_nothing_to_the_whole(one, other):
    assert not adds(one, one)
    assert not adds(one, one + other)
    assert not adds(other, one + other)


@given(_WORDS, st.integers(0, 100))
def test_what_is_put_in_anywhere_is_found(words, place):
    new = ("gate", "opens", "inward", "slowly")
    at = place % (len(words) + 1)
    assert adds(words[:at] + new + words[at:], words)


def test_long_texts_are_compared_in_time_that_grows_with_their_length():
    started = time.process_time()
    adds(("bus", "stop") * 20_000, ("stop", "bus", "bus") * 20_000)
    adds(tuple(map(str, range(20_000))), tuple(map(str, range(20_000, 0, -1))))
    assert time.process_time() - started < 5
