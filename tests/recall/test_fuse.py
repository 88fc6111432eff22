"""Fusion by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.embedding.port import Trust
from recollect.recall.fuse import alpha_for, fuse
from recollect.storage.candidates import Candidate

PLAIN = Trust(floor=-1.0)


def direction(*numbers):
    row = np.array(numbers, dtype=np.float32)
    return row / np.linalg.norm(row)


QUESTION = direction(1, 0)


def test_scores_are_scaled_over_the_candidates_and_weighted():
    candidates = [
        Candidate("both", 4.0, 1, direction(1, 0), 1),
        Candidate("words", 2.0, 2, direction(0, 1), 3),
        Candidate("meaning", None, None, direction(1, 1), 2),
    ]
    ranked = {each.candidate.id: each for each in fuse(candidates, QUESTION, alpha=0.5, trust=PLAIN).scored}
    assert list(ranked) == ["both", "meaning", "words"]
    assert ranked["both"].score == pytest.approx(1.0)
    assert (ranked["words"].s_text, ranked["words"].s_vec) == (0.5, 0.0)
    assert ranked["meaning"].s_vec == pytest.approx(0.7071, abs=1e-4)
    assert ranked["meaning"].score == pytest.approx(0.35355, abs=1e-4)


def test_a_candidate_without_a_vector_counts_by_its_words():
    candidates = [Candidate("new", 4.0, 1, None, None), Candidate("old", 3.0, 2, direction(1, 0), 1)]
    new, old = sorted(fuse(candidates, QUESTION, alpha=0.5, trust=PLAIN).scored, key=lambda each: each.candidate.id)
    assert (new.similarity, new.s_vec, new.score) == (None, 0.0, 0.5)
    assert old.score == pytest.approx(0.5 + 0.5 * 0.75)


def test_without_a_direction_the_words_decide():
    candidates = [Candidate("a", 1.0, 2), Candidate("b", 2.0, 1)]
    ranked = fuse(candidates, None, alpha=0.0, trust=PLAIN).scored
    assert [(each.candidate.id, each.score) for each in ranked] == [("b", 1.0), ("a", 0.5)]


def test_what_is_unrelated_is_left_out_unless_a_word_is_shared():
    candidates = [
        Candidate("far", None, None, direction(0, 1), 2),
        Candidate("far, but a word", 1.0, 1, direction(0, 1), 3),
        Candidate("near", None, None, direction(1, 0), 1),
    ]
    ranked = fuse(candidates, QUESTION, alpha=0.5, trust=Trust(floor=0.2)).scored
    assert {each.candidate.id for each in ranked} == {"near", "far, but a word"}


def test_what_all_have_in_common_does_not_count():
    """All three point mostly the same way; without that, the second is the nearest."""
    rows = [direction(10, 1, 0), direction(10, 0, 1), direction(10, 1, 0.2)]
    candidates = [Candidate(str(at), None, None, row, at + 1) for at, row in enumerate(rows)]
    question = direction(10, 0.4, 1)
    best = fuse(candidates, question, alpha=1.0, trust=Trust(centring=1.0, floor=-1.0)).scored[0]
    assert best.candidate.id == "1"
    assert best.s_vec == 1.0


def test_feedback_moves_the_question_towards_the_best():
    """Two candidates are equally near; the one that is like the best wins after feedback."""
    rows = [direction(1, 0), direction(0.95, 0.3), direction(0.8, 0.6), direction(0.8, -0.6)]
    candidates = [Candidate(str(at), None, None, row, at + 1) for at, row in enumerate(rows)]
    plain = {e.candidate.id: e.s_vec for e in fuse(candidates, QUESTION, alpha=1.0, trust=PLAIN).scored}
    moved = fuse(candidates, QUESTION, alpha=1.0, trust=Trust(feedback=0.5, floor=-1.0)).scored
    after = {e.candidate.id: e.s_vec for e in moved}
    assert plain["2"] == pytest.approx(plain["3"], abs=1e-6)
    assert after["2"] > after["3"]


def test_nothing_gives_nothing_and_one_is_sure():
    assert fuse([], QUESTION, alpha=0.5, trust=PLAIN).scored == ()
    (only,) = fuse([Candidate("only", None, None, direction(0, 1), 1)], QUESTION, alpha=0.5, trust=PLAIN).scored
    assert only.s_vec == 1.0


def test_the_script_of_the_question_decides_the_weight():
    trust = Trust(alpha=0.5, alpha_unspaced=0.3)
    assert alpha_for("Where is the cat?", trust) == 0.5
    assert alpha_for("猫はどこですか", trust) == 0.3
    assert alpha_for("GPT-4 を使う", trust) == 0.5
