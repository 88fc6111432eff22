"""Names in texts of several scripts: what is a mention, and what only looks like one."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.names import head_of, mentioned, names_of, phrase_of, words_of


def found(text, *titles, strict=True):
    """The titles that a text mentions, from left to right."""
    by_head, titles_of = defaultdict(list), {}
    for title in titles:
        for name in names_of(title):
            by_head[head_of(name)].append(name)
            titles_of[name] = title
    return [titles_of[name] for name in mentioned(words_of(text), by_head, strict=strict)]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("We met Ada Lovelace in London.", "Ada Lovelace"),
        ("ADA LOVELACE wrote it.", "Ada Lovelace"),
        ("It was written by ada lovelace.", "Ada Lovelace"),
        ("The release (Project Apollo) slipped.", "Project Apollo"),
        ("Marie-Curie-Straße 4", "Marie Curie"),
        ("Der Fluß Weiße Elster", "weisse elster"),
        ("Ｆｕｊｉｔｓｕ answered.", "Fujitsu"),
        ("Владимир Набоков написал это", "Владимир Набоков"),
        ("नई दिल्ली में", "नई दिल्ली"),
        ("we use postgres here", "postgres"),
        ("We use Postgres here", "postgres"),
        ("see GPT-4 for that", "GPT-4"),
        ("夏目漱石は作家である。", "夏目漱石"),
        ("明日は東京へ行く", "東京"),
        ("新しいプリンターを買った", "プリンター"),
        ("你好，北京很大", "北京"),
        ("他在清华大学工作", "清华大学"),
        ("서울에서 만났다", "서울"),
        ("우리는 삼성전자를 방문했다", "삼성전자"),
        ("ฉันไปกรุงเทพ", "กรุงเทพ"),
        ("担当はTanakaさん", "Tanaka"),
    ],
)
def test_a_name_is_found(text, title):
    assert found(text, title) == [title]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I ate an apple.", "Apple"),
        ("The United States agreed.", "United"),
        ("He flew to New York.", "York"),
        ("Anna-Maria sang.", "Maria"),
        ("The Apples fell.", "Apple"),
        ("Adaptation is hard.", "Ada"),
        ("Ada and Lovelace", "Ada Lovelace"),
        ("東京都に住む", "京都"),
        ("プリンターを買った", "プリン"),
        ("スプリングが来た", "プリン"),
        ("スプリング", "リング"),
        ("동서울에 갔다", "서울"),
        ("古河北京介さん", "北京"),
    ],
)
def test_what_only_looks_like_a_name_is_not_found(text, title):
    assert found(text, title) == []


def test_a_name_of_one_word_needs_a_capital_only_if_it_has_one():
    assert found("We ship with Rust.", "Rust") == ["Rust"]
    assert found("There is rust on it.", "Rust") == []
    assert found("There is rust on it.", "rust") == ["rust"]


def test_a_name_of_several_words_is_found_in_any_case():
    assert found("the analytical engine", "Analytical Engine") == ["Analytical Engine"]


def test_a_question_has_no_capitals_to_go_by():
    assert found("who made apple great?", "Apple") == []
    assert found("who made apple great?", "Apple", strict=False) == ["Apple"]
    assert found("united states", "United", strict=False) == ["United"]


def test_a_capital_of_a_sentence_or_after_a_stop_word_is_no_longer_name():
    assert found("The Apple fell.", "Apple") == ["Apple"]
    assert found("In Paris, London and Rome", "Paris", "London", "Rome") == ["Paris", "London", "Rome"]
    assert found("Yesterday (Monday) Apple", "Apple") == ["Apple"]


def test_the_longest_name_counts():
    titles = ("York", "New York", "New York Times")
    assert found("He reads the New York Times daily.", *titles) == ["New York Times"]
    assert found("He lives in New York now.", *titles) == ["New York"]
    assert found("東京大学と東京", "東京", "東京大学") == ["東京大学", "東京"]


def test_a_name_within_another_is_not_found_again():
    assert found("Ada Lovelace Institute", "Ada Lovelace Institute", "Lovelace Institute") == ["Ada Lovelace Institute"]


def test_each_place_is_found_from_left_to_right():
    assert found("Bob Lee asked Ada Lovelace; Bob Lee left.", "Ada Lovelace", "Bob Lee") == [
        "Bob Lee",
        "Ada Lovelace",
        "Bob Lee",
    ]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Mercury (planet)", ("mercury planet", "^mercury")),
        ("東京（曖昧さ回避）", ("東 京 曖 昧 さ 回 避", "東 京")),
        ("Ada Lovelace", ("ada lovelace",)),
        ("Apple", ("^apple",)),
        ("rust", ("rust",)),
        ("(untitled)", ("untitled",)),
        (None, ()),
    ],
)
def test_what_stands_in_brackets_may_be_left_out(title, names):
    assert names_of(title) == names


def test_a_name_in_brackets_is_found_by_what_stands_before():
    assert found("Mercury is small.", "Mercury (planet)") == ["Mercury (planet)"]
    assert found("The Mercury (planet) page", "Mercury (planet)") == ["Mercury (planet)"]


@pytest.mark.parametrize(
    "title",
    [
        "AI",
        "x",
        "水",
        "2024",
        "12 34",
        "１２３",
        "the",
        "About",
        "what is it",
        "...",
        "—",
        "🎉",
        " ".join("word" for _ in range(17)),
    ],
)
def test_what_is_too_short_or_says_nothing_is_no_name(title):
    assert names_of(title) == ()


@pytest.mark.parametrize("title", ["AIX", "東京", "GPT 4", "the end", " ".join("word" for _ in range(16))])
def test_what_is_just_long_enough_is_a_name(title):
    assert names_of(title)


def test_hangul_takes_particles_after_it_and_no_word_before_it():
    assert found("서울은 크다", "서울") == ["서울"]
    assert found("새서울은 크다", "서울") == []


def test_katakana_needs_an_end_on_both_sides():
    assert found("データベースが遅い", "データ") == []
    assert found("データが遅い", "データ") == ["データ"]
    assert found("ビッグデータが遅い", "データ") == []
    assert found("大データ社", "データ") == ["データ"]


def test_only_a_name_of_two_han_characters_needs_a_beginning():
    assert found("新東京大学は", "東京") == []
    assert found("新東京大学", "東京大学") == ["東京大学"]
    assert found("は京都に", "京都") == ["京都"]
    assert found("我们在北京见面", "北京") == ["北京"]


def test_the_words_of_a_text():
    words = words_of("Ada's O2-Test 東京")
    assert words.folded == ("ada", "s", "o2", "test", "東", "京")
    assert words.capital == (True, False, True, True, False, False)
    assert words.touches == (False, False, False, False, False, True)
    assert words.joined == ("", "-", " ", "-", " ", "-")
    assert {"ada", "ada s", "東 京"} <= words.heads()


def test_a_phrase_is_what_a_text_has():
    (ada,), (tokyo,) = names_of("Ada Lovelace"), names_of("東京")
    assert (phrase_of(ada), phrase_of(tokyo)) == ("ada lovelace", "東京")
    assert (head_of(ada), head_of(tokyo)) == ("ada lovelace", "東 京")
    assert head_of("^apple") == "apple"


@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text_and_title_can_be_read(text, title):
    for name in names_of(title):
        assert head_of(name)
        assert phrase_of(name)
    found(text, title)


@given(
    st.lists(st.sampled_from(["Ada", "met", "Bob", "in", "Paris", "東京", "データ", "서울", "."]), max_size=12),
    st.lists(st.sampled_from(["Ada", "Bob Paris", "東京", "データ", "서울", "met"]), unique=True),
)
def test_what_is_mentioned_stands_in_the_text(parts, titles):
    said = " ".join(part for part in parts if part != ".")  # what stands between words does not part them
    for title in found(" ".join(parts), *titles):
        assert title.casefold() in said.casefold()
