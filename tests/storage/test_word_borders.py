"""Conformance: a word of two Han characters ranks texts that have it as a word above those that have it across the
border of two other words.
"""

from __future__ import annotations

import pytest
from word_borders_for_tests import COMPOUNDS, HELD_BACK, SEEN

from wherefrom import Memory

# Of 40 each; without the rule none.
LEAST_OF_SEEN = 37
LEAST_OF_HELD_BACK = 35


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    """A memory of each dialect with the texts of all cases, for all tests that only search."""
    if request.param == "sqlite":
        url = tmp_path_factory.mktemp("borders") / "memory.db"
    else:
        url = request.getfixturevalue("postgres_database")()
    with Memory.open(url, embedder="none") as memory:
        texts = {text for case in (*SEEN, *HELD_BACK) for text in (case.word, case.crossing)}
        for text in sorted(texts | {text for _, text in COMPOUNDS}):
            memory.save(text)
        yield memory


@pytest.fixture
def memory(url):
    """A memory that searches by words alone."""
    with Memory.open(url, embedder="none") as opened:
        yield opened


def ranked(memory, query):
    return [hit.node.content for hit in memory.search(query, limit=50).hits]


@pytest.mark.parametrize(("cases", "least"), [(SEEN, LEAST_OF_SEEN), (HELD_BACK, LEAST_OF_HELD_BACK)])
def test_words_rank_above_what_only_crosses_a_border(filled, cases, least):
    found = {case: ranked(filled, case.query) for case in cases}
    right = [case for case in cases if found[case].index(case.word) < found[case].index(case.crossing)]
    assert len(right) >= least


def test_a_city_ranks_above_the_longer_name_of_another(memory):
    kyoto = memory.save(
        "秋には家族そろって京都の寺や庭をゆっくり見て回るつもりだと、父が電話で話していた。"
    ).node.content
    university = memory.save("長い手紙によれば、彼女はいま京都大学の図書館で古い地図を調べているらしい。").node.content
    tokyo = memory.save("東京都の予算。").node.content
    found = ranked(memory, "京都")
    assert (set(found[:2]), found[2]) == ({kyoto, university}, tokyo), "the last one is found still"


def test_more_texts_that_cross_than_are_shown_do_not_hide_the_word(memory):
    for number in range(60):
        memory.save(f"東京都{number}番")
    kyoto = memory.save("来年の春には家族で京都の古い寺を訪ねるつもりだ。").node.content
    assert memory.search("京都", limit=3).hits[0].node.content == kyoto


def test_other_words_of_a_question_count_as_before(memory):
    tokyo = memory.save("東京都の予算案が可決された。").node.content
    kyoto = memory.save("来年の春には家族で京都の古い寺を訪ねるつもりだ。").node.content
    assert ranked(memory, "京都 予算案 可決") == [tokyo, kyoto]


def test_a_common_word_crosses_only_where_the_store_knows_the_words_beside_it(memory):
    for number in range(12):
        memory.save(f"第{number}章では海に住む生物の進化と分類を詳しく論じ、図を添えて説明する。")
    tiny = memory.save("微生物の話。").node.content
    assert ranked(memory, "生物")[0] == tiny, "nothing says that 微生 is a word"
    for number in range(3):
        memory.save(f"微生と書いた紙が{number}枚ある。")
    assert ranked(memory, "生物")[-1] == tiny


def test_a_common_word_that_no_text_has_near_its_beginning_is_no_error(memory):
    """The words beside the borders of the other word were compared with no text at all: a division by zero."""
    filler = "海辺で風が吹く。" * 600
    for number in range(12):
        memory.save(f"{number} {filler} 予算")
    tiny = memory.save("微生物の話。").node.content
    assert tiny in ranked(memory, "生物 予算")


def test_both_databases_give_the_same_scores(new_url):
    answers = []
    for dialect in ("sqlite", "postgres"):
        with Memory.open(new_url(dialect)) as memory:
            for case in SEEN[:12]:
                memory.save(case.word)
                memory.save(case.crossing)
            answers.append(
                [
                    (hit.node.content, round(hit.score, 6))
                    for case in SEEN[:12]
                    for hit in memory.search(case.query).hits
                ]
            )
    assert answers[0] == answers[1]


def test_a_particle_behind_a_word_does_not_count_where_the_word_stands_across_a_border(memory):
    """都の of 京都の紅葉 put 東京都の… above texts on 京都."""
    for text in (
        "東京都の水道料金が上がる。",
        "京都駅で待ち合わせる。",
        "東京都の予算が決まった。",
        "彼は京都に住んでいる。",
    ):
        memory.save(text)
    found = ranked(memory, "京都の旅行")
    assert {text[:2] for text in found[2:]} == {"東京"}


def test_a_place_is_a_place_whatever_follows_it_and_however_many_texts_there_are(memory):
    """From the tenth text with 京都 on, 東京都庁 and 東京都民 counted as if they had the word."""
    words = [
        f"京都{thing}を見た。"
        for thing in ("駅", "タワー", "大学", "の川", "の山", "の寺", "の庭", "の店", "の町", "の橋")
    ]
    crossing = ["東京都庁は新宿。", "東京都民の日。", "東京都立図書館。"]
    for text in (*words, *crossing):
        memory.save(text)
    found = ranked(memory, "京都")
    assert set(found[: len(words)]) == set(words)
    assert set(found[len(words) :]) == set(crossing)
