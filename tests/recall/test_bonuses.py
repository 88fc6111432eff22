"""Bonuses by hand: who says a text, and its session."""

from __future__ import annotations

import numpy as np
import pytest
from policy_for_tests import parse

from wherefrom.embedding.port import Trust
from wherefrom.policy.settings import settings_from
from wherefrom.recall.bonuses import bonuses_of, with_bonuses
from wherefrom.recall.fuse import fuse
from wherefrom.recall.settings import Hybrid, RecallSettings
from wherefrom.storage.candidates import Candidate

PLAIN = Trust(floor=-1.0)
MONDAY, FRIDAY = ("main", "monday"), ("main", "friday")


def fused(question, *candidates, **settings):
    hybrid = Hybrid(**settings)
    bonuses = bonuses_of(question, (), candidates, hybrid)
    return fuse(candidates, None, alpha=0.0, trust=PLAIN, hybrid=hybrid, bonuses=bonuses)


def scores(question, *candidates, **settings):
    return {one.id: one.score for one in fused(question, *candidates, **settings).scored}


def test_a_bonus_is_a_share_of_the_whole():
    raised = with_bonuses(np.array([1.0, 0.5, 0.0]), [(0.15, np.array([0.0, 1.0, 1.0])), (0.2, np.array([0, 0, 1.0]))])
    assert raised.tolist() == pytest.approx([1 / 1.35, 0.65 / 1.35, 0.35 / 1.35])
    assert with_bonuses(np.array([0.3]), []).tolist() == [0.3]


def test_what_the_named_speaker_says_is_worth_more():
    anna, ben = Candidate("anna", 4.0, 1, speaker="Anna"), Candidate("ben", 4.0, 2, speaker="Ben")
    other = Candidate("other", 2.0, 3)
    found = fused("What does Ben like?", anna, ben, other)
    assert {one.id: one.score for one in found.scored} == pytest.approx(
        {"ben": 1.15 / 1.15, "anna": 1 / 1.15, "other": 0.5 / 1.15}
    )
    assert {one.id: one.speaker for one in found.scored} == {"ben": 1.0, "anna": 0.0, "other": 0.0}
    assert found.scored[0].session is None


def test_without_a_named_speaker_or_a_session_nothing_changes():
    anna, other = Candidate("anna", 4.0, 1, speaker="Anna"), Candidate("other", 2.0, 2)
    found = fused("What does Ben like?", anna, other)
    assert {one.id: one.score for one in found.scored} == {"anna": 1.0, "other": 0.5}
    assert found.bonuses == ()
    assert {one.speaker for one in found.scored} == {None}


def test_a_session_lends_by_its_three_best_candidates():
    monday = [Candidate(f"m{at}", score, at, session=MONDAY) for at, score in enumerate((4.0, 3.0, 2.0, 2.0), 1)]
    friday = Candidate("f", 4.0, 5, session=FRIDAY)
    apart = Candidate("apart", 4.0, 6)
    found = scores("", *monday, friday, apart)
    # Sums of S: 1 + .75 + .5 = 2.25 on Monday, 1 on Friday.
    assert found == pytest.approx(
        {
            "m1": 1.2 / 1.2,
            "m2": 0.95 / 1.2,
            "m3": 0.7 / 1.2,
            "m4": 0.7 / 1.2,
            "f": (1 + 0.2 / 2.25) / 1.2,
            "apart": 1.0,
        }
    )


def test_sessions_of_one_name_in_two_namespaces_are_two():
    here, there = (
        Candidate("here", 4.0, 1, session=("main/a", "1")),
        Candidate("there", 2.0, 2, session=("main/b", "1")),
    )
    assert scores("", here, there) == pytest.approx({"here": 1.0, "there": (0.5 + 0.2 * 0.5) / 1.2})


def test_a_session_is_as_strong_as_its_speaker_makes_it():
    ben = Candidate("ben", 4.0, 1, speaker="Ben", session=MONDAY)
    anna = Candidate("anna", 4.0, 2, speaker="Anna", session=FRIDAY)
    found = scores("Ben?", ben, anna)
    # S of the first step: 1.15 / 1.15 and 1 / 1.15.
    assert found == pytest.approx({"ben": 1.0, "anna": (1 + 0.2 / 1.15) / 1.35})


def test_what_the_walk_reached_gets_the_bonuses_too():
    found = fused("Ben?", Candidate("ben", 4.0, 1, speaker="Ben", session=MONDAY))
    reached = found.score_others([Candidate("next", speaker="Ben", session=MONDAY), Candidate("apart")])
    assert [one.score for one in reached] == pytest.approx([0.35 / 1.35, 0.0])
    assert (reached[0].speaker, reached[0].session) == (1.0, 1.0)


def test_both_can_be_turned_off_and_are_in_the_presets():
    turns = Candidate("a", 4.0, 1, speaker="Ben", session=MONDAY), Candidate("b", 2.0, 2, session=FRIDAY)
    assert scores("Ben?", *turns, speaker_bonus=0.0, session_share=0.0) == {"a": 1.0, "b": 0.5}
    for preset in ("activation", "evidence"):
        values = parse(f"{{version: 1.0.0, retrieval: {{preset: {preset}}}}}").values
        hybrid = settings_from(RecallSettings, values).hybrid
        assert (hybrid.speaker_bonus, hybrid.session_share) == (0.0, 0.0)
