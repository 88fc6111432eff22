"""Questions that name a time: texts of that time are candidates, and get a bonus; nothing is left out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from import_for_tests import put
from recall_for_tests import Compass, policy, texts

from wherefrom import Trust
from wherefrom.recall.bonuses import date_bonus
from wherefrom.recall.dating import closeness
from wherefrom.recall.fuse import fuse
from wherefrom.storage.candidates import Candidate
from wherefrom.text.dates.find import intervals
from wherefrom.text.dates.interval import Interval

MAY_7 = Interval("2025-05-07T00:00:00.000000Z", "2025-05-07T23:59:59.999999Z")
MAY = Interval("2025-05-01T00:00:00.000000Z", "2025-05-31T23:59:59.999999Z")
EVER = Interval("0001-01-01T00:00:00.000000Z", "2025-05-06T23:59:59.999999Z")
OFF = {"hybrid": {"date_bonus": 0.0}}


def at(day: str, hour: int = 12) -> str:
    return f"{day}T{hour:02}:00:00.000000Z"


def crowd(memory, number=120):
    """Save texts of another year that fit "which bridge was painted" better than one of 7 May 2025; return its text."""
    for each in range(number):
        memory.save(f"bridge {100 + each} painted", observed_at=at("2023-03-01"))
    return memory.save("the bridge was painted again", observed_at=at("2025-05-07")).node.content


def test_closeness_is_one_inside_and_falls_with_the_width_outside():
    moments = [at("2025-05-07"), at("2025-05-08", 0), at("2025-05-08", 12), at("2025-05-05", 0), None]
    near = closeness(moments, [MAY_7])
    assert near == pytest.approx([1.0, 1.0, math.exp(-0.5), math.exp(-2.0), 0.0], abs=1e-6)
    assert closeness([at("2025-06-15", 0)], [MAY]) == pytest.approx([math.exp(-14 / 31)], abs=1e-6)
    assert closeness([at("2026-05-07", 0)], [EVER]) == pytest.approx([math.exp(-1.0)], abs=1e-2)


def test_the_nearest_of_several_intervals_counts():
    assert closeness([at("2025-05-07"), at("2025-05-30")], [MAY_7, MAY]) == pytest.approx([1.0, 1.0])
    assert closeness([at("2025-05-07")], []) == pytest.approx([0.0])
    assert len(closeness([], [MAY])) == 0


def test_the_bonus_is_added_and_scaled():
    """S = (1·S_text + 0.5·closeness) / 1.5: of two equal texts the one of that day has 1, the other 2/3."""
    candidates = [
        Candidate("other", 2.0, 1, observed_at=at("2023-01-01")),
        Candidate("dated", 2.0, 2, observed_at=at("2025-05-07")),
        Candidate("weak", 1.0, 3, observed_at=at("2025-05-07")),
    ]
    fused = fuse(candidates, None, alpha=0.0, trust=Trust(), bonuses=date_bonus([MAY_7], 0.5))
    assert {one.id: one.score for one in fused.scored} == pytest.approx({"dated": 1.0, "weak": 2 / 3, "other": 2 / 3})
    assert [one.id for one in fused.scored] == ["dated", "other", "weak"]
    assert {one.id: one.date for one in fused.scored} == pytest.approx({"dated": 1, "weak": 1, "other": 0})
    (found,) = fused.score_others([Candidate("reached", observed_at=at("2025-05-07"))])
    assert found.score == pytest.approx(0.5 / 1.5)


@pytest.mark.parametrize(("bonus", "named"), [(0.0, [MAY_7]), (0.5, [])])
def test_without_a_bonus_or_a_time_nothing_changes(bonus, named):
    vector = np.array([1.0, 0.0], dtype=np.float32)
    candidates = [
        Candidate(f"n{each}", float(each), each, np.array([1.0, each], dtype=np.float32), each, at("2025-05-07"))
        for each in range(1, 9)
    ]
    plain = fuse(candidates, vector, alpha=0.5, trust=Trust())
    dated = fuse(candidates, vector, alpha=0.5, trust=Trust(), bonuses=date_bonus(named, bonus))
    assert dated.scored == plain.scored
    assert all(one.date is None for one in dated.scored)


@pytest.mark.parametrize("preset", ["activation", "evidence"])
def test_presets_of_the_designs_have_no_bonus(sqlite_memory, preset):
    sought = crowd(sqlite_memory, 3)
    sqlite_memory.apply_policy(policy({"preset": preset}))
    hits = sqlite_memory.search("which bridge was painted on 7 May 2025", limit=10).hits
    assert sought in [hit.node.content for hit in hits]
    assert all(hit.scores.date is None for hit in hits)


@pytest.mark.parametrize("question", ["which bridge was painted on 7 May 2025", "bridge painted, Anfang Mai 2025"])
def test_a_text_of_that_time_is_found_among_many_that_fit_better(open_memory, question):
    memory = open_memory()
    sought = crowd(memory)
    hits = memory.search(question, limit=10).hits
    assert hits[0].node.content == sought
    assert hits[0].scores.date == 1.0
    assert hits[0].scores.text_rank is None
    assert texts(memory.activate(question))[0] == sought
    # The others are not left out.
    assert len(hits) == 10
    memory.apply_policy(policy(OFF))
    assert sought not in [hit.node.content for hit in memory.search(question, limit=50).hits]


def test_a_text_of_that_time_is_found_without_a_word_of_the_question(open_memory):
    """It points nowhere that the question does not, and no nearer than a hundred others."""
    memory = open_memory(embedder=Compass())
    put(memory, [f"roof {100 + each} repaired" for each in range(150)], observed_at=at("2023-03-01"))
    memory.save("屋根を直した", observed_at=at("2025-05-07"))
    question = "2025年5月7日に何があった？"
    assert texts(memory.activate(question))[0] == "屋根を直した"
    assert memory.search(question, limit=1).hits[0].node.content == "屋根を直した"
    memory.apply_policy(policy(OFF))
    assert memory.search(question, limit=1).hits[0].scores.date is None


def test_as_of_moves_what_last_year_means(open_memory, clock):
    memory = open_memory()
    year = clock.now.year
    for each in (year - 1, year - 2, year - 3):
        memory.save(
            f"the harbour festival, number {each - 2000}", observed_at=at(f"{each}-06-01"), valid_from=at("2001-01-01")
        )
    question = "harbour festival last year"
    assert memory.search(question, limit=1).hits[0].node.observed_at == at(f"{year - 1}-06-01")
    (hit,) = memory.search(question, limit=1, as_of=f"{year - 1}-12-31").hits
    assert hit.node.observed_at == at(f"{year - 2}-06-01")


def test_since_and_until_stay_filters(open_memory):
    memory = open_memory()
    sought = crowd(memory, 5)
    question = "which bridge was painted on 7 May 2025"
    hits = memory.search(question, until="2024-01-01", limit=10).hits
    assert len(hits) == 5
    assert all(hit.node.observed_at < "2024" for hit in hits)
    assert [hit.node.content for hit in memory.search(question, since="2025-01-01", limit=10).hits] == [sought]


def test_known_at_counts_the_time_that_was_known(open_memory, clock):
    memory = open_memory()
    sought = crowd(memory, 5)
    hits = memory.search("which bridge was painted on 7 May 2025", known_at=clock.now.isoformat(), limit=10).hits
    assert {hit.node.content: hit.scores.date == 1.0 for hit in hits}[sought]
    assert sum(hit.scores.date == 1.0 for hit in hits) == 1


def test_what_is_like_a_memo_has_no_time(sqlite_memory):
    memo = sqlite_memory.save("the bridge was painted on 7 May 2025").node
    sqlite_memory.save("the bridge was painted", observed_at=at("2025-05-07"))
    (hit,) = sqlite_memory.search(like=memo.id, limit=1).hits
    assert hit.scores.date is None


def test_the_times_of_a_question_are_those_of_its_words():
    assert intervals("on 7 May 2025", at("2026-01-01")) == (MAY_7,)
