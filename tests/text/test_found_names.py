"""Names found in texts of several scripts, without knowing any beforehand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.found_names import MAX_NAMES, names_in


def names(text):
    return [found.name for found in names_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met Ada Lovelace in London.", ["ada lovelace", "^london"]),
        ("It is about the Bank of England.", ["bank of england"]),
        ("seen with J. R. R. Tolkien and George W. Bush.", ["j r r tolkien", "george w bush"]),
        ("They flew to St. Louis.", ["st louis"]),
        ("read Ludwig van Beethoven's letters.", ["ludwig van beethoven"]),
        ("a text by Владимир Набоков", ["владимир набоков"]),
        ("so sagt Änne Burda heute", ["änne burda"]),
        ("in the Marie-Curie-Straße", ["marie curie strasse"]),
        ("he read O'Neill there", ["o neill"]),
        ("Ｗe saw Ｔim Ｈorton there", ["tim horton"]),
    ],
)
def test_a_name_is_a_row_of_words_with_capitals(text, expected):
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing has a capital here",
        "The weather was fine. However, it rained.",
        "On Monday I left; in May we met.",
        "We saw it on Tuesday March 4.",
        "# Key Points\nnothing",
        "## Ada Lovelace",
        "see below\nKey Points: none",
        "see below\n- **Next Steps**: none",
        "see below\n1. Open Questions: none",
        "then STOP SHOUTING PLEASE now",
        "see Step 1, Chapter 2, Example 3 and Figure 4",
        "I think I'm late. Yes, I am.",
        "and A Row Of Far Too Many Words With Capitals For A Name",
    ],
)
def test_what_only_looks_like_a_name_is_none(text):
    assert names(text) == []


def test_the_first_word_of_a_sentence_is_perhaps_no_part_of_a_name():
    assert names("it rained. Yesterday Ada Lovelace came.") == ["ada lovelace"]
    assert names("it rained. Then Ada Lovelace came.") == ["ada lovelace"]
    assert names("it rained. Countess Ada Lovelace came.") == ["countess ada lovelace", "ada lovelace"]
    assert names("it rained. Mercury rose, and Venus set.") == ["^venus"]


def test_a_text_is_about_the_name_that_it_begins_with():
    def begun(text):
        return [found.name for found in names_in(text) if found.begins]

    assert begun("Kestrel Ltd was founded by Ada Lovelace.") == ["kestrel ltd"]
    assert begun("The Kestrel Group was founded.") == ["kestrel group"]
    assert begun("Kestrel was founded.") == ["^kestrel"]
    assert begun('"Kestrel Ltd" was founded.') == ["kestrel ltd"]
    assert begun("**Kestrel Ltd** was founded.") == ["kestrel ltd"]
    assert begun("ケストレルは鳥である。") == ["ケ ス ト レ ル"]
    assert begun("It was Kestrel Ltd, founded by Ada Lovelace.") == []
    assert begun("Yesterday Kestrel Ltd was founded.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨日『源氏物語』を読んだ。", ["源 氏 物 語"]),
        ("我读了《红楼梦》。", ["红 楼 梦"]),
        ("作者はジョン・スミスである。", ["ジ ョ ン ・ ス ミ ス"]),
        ("鳥のケストレルを見た。", ["ケ ス ト レ ル"]),
        ("ﾎﾞｽのｹｽﾄﾚﾙを見た。", ["ケ ス ト レ ル"]),
        ("データを見た。", []),
        ("田中太郎さんに聞いた。", ["田 中 太 郎"]),
        ("어제 김철수 씨를 만났다.", ["김 철 수"]),
        ("昨日Kestrel社に行った。", ["^kestrel"]),
        ("会社のKestrel Ltdに行った。", ["kestrel ltd"]),
    ],
)
def test_scripts_without_spaces_mark_some_of_their_names(text, expected):
    assert names(text) == expected


@given(st.text(max_size=200))
def test_every_text_has_an_answer(text):
    found = names_in(text)
    assert len({name for name, _ in found}) == len(found) <= MAX_NAMES
    assert all(0 < len(name) <= 120 for name, _ in found)
    assert found == names_in(text)


def test_a_long_text_costs_little_more_than_its_length():
    for hostile in ("A " * 50_000, "A. " * 30_000, "A'" * 50_000, "A of the " * 10_000, "・ア" * 30_000, "『" * 50_000):
        assert len(names_in(hostile)) <= MAX_NAMES
