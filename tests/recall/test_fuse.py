"""Fusion by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_for_tests import parse

from wherefrom.embedding.port import Trust
from wherefrom.policy.settings import settings_from
from wherefrom.recall.fuse import alpha_for, fuse, mapped
from wherefrom.recall.settings import Calibration, Hybrid, RecallSettings
from wherefrom.storage.candidates import Candidate

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
    ranked = {each.id: each for each in fuse(candidates, QUESTION, alpha=0.5, trust=PLAIN).scored}
    assert list(ranked) == ["both", "meaning", "words"]
    assert ranked["both"].score == pytest.approx(1.0)
    assert (ranked["words"].s_text, ranked["words"].s_vec) == (0.5, 0.0)
    assert ranked["meaning"].s_vec == pytest.approx(0.7071, abs=1e-4)
    assert ranked["meaning"].score == pytest.approx(0.35355, abs=1e-4)


def test_a_candidate_without_a_vector_counts_by_its_words():
    candidates = [Candidate("new", 4.0, 1, None, None), Candidate("old", 3.0, 2, direction(1, 0), 1)]
    new, old = sorted(fuse(candidates, QUESTION, alpha=0.5, trust=PLAIN).scored, key=lambda each: each.id)
    assert (new.similarity, new.s_vec, new.score) == (None, 0.0, 0.5)
    assert old.score == pytest.approx(0.5 + 0.5 * 0.75)


def test_without_a_direction_the_words_decide():
    candidates = [Candidate("a", 1.0, 2), Candidate("b", 2.0, 1)]
    ranked = fuse(candidates, None, alpha=0.0, trust=PLAIN).scored
    assert [(each.id, each.score) for each in ranked] == [("b", 1.0), ("a", 0.5)]


def test_what_is_unrelated_is_left_out_unless_a_word_is_shared():
    candidates = [
        Candidate("far", None, None, direction(0, 1), 2),
        Candidate("far, but a word", 1.0, 1, direction(0, 1), 3),
        Candidate("near", None, None, direction(1, 0), 1),
    ]
    ranked = fuse(candidates, QUESTION, alpha=0.5, trust=Trust(floor=0.2)).scored
    assert {each.id for each in ranked} == {"near", "far, but a word"}


def test_what_all_have_in_common_does_not_count():
    """All three point mostly the same way; without that, the second is the nearest."""
    rows = [direction(10, 1, 0), direction(10, 0, 1), direction(10, 1, 0.2)]
    candidates = [Candidate(str(at), None, None, row, at + 1) for at, row in enumerate(rows)]
    question = direction(10, 0.4, 1)
    best = fuse(candidates, question, alpha=1.0, trust=Trust(centring=1.0, floor=-1.0)).scored[0]
    assert best.id == "1"
    assert best.s_vec == 1.0


def test_feedback_moves_the_question_towards_the_best():
    """Two candidates are equally near; the one that is like the best wins after feedback."""
    rows = [direction(1, 0), direction(0.95, 0.3), direction(0.8, 0.6), direction(0.8, -0.6)]
    candidates = [Candidate(str(at), None, None, row, at + 1) for at, row in enumerate(rows)]
    plain = {e.id: e.s_vec for e in fuse(candidates, QUESTION, alpha=1.0, trust=PLAIN).scored}
    moved = fuse(candidates, QUESTION, alpha=1.0, trust=Trust(feedback=0.5, floor=-1.0)).scored
    after = {e.id: e.s_vec for e in moved}
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


SEED = Hybrid(alpha=0.65, text_scale="min-max", vector_scale="cosine")


def by_id(candidates, *, alpha=0.65, trust=PLAIN, vector=QUESTION, **options):
    return {each.id: each for each in fuse(candidates, vector, alpha=alpha, trust=trust, **options).scored}


def test_the_seeds_scales_by_hand():
    """BM25 of 2, 5 and 8 become 0, 1/2 and 1; cosines of −1, 0 and 1 become 0, 1/2 and 1."""
    candidates = [
        Candidate("a", 2.0, 3, direction(1, 0), 1),
        Candidate("b", 5.0, 2, direction(0, 1), 2),
        Candidate("c", 8.0, 1, direction(-1, 0), 3),
    ]
    ranked = by_id(candidates, hybrid=SEED)
    assert {name: each.s_text for name, each in ranked.items()} == pytest.approx({"a": 0.0, "b": 0.5, "c": 1.0})
    assert {name: each.s_vec for name, each in ranked.items()} == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})
    assert ranked["a"].score == pytest.approx(0.65)
    assert ranked["b"].score == pytest.approx(0.5)
    assert ranked["c"].score == pytest.approx(0.35)
    assert list(ranked) == ["a", "b", "c"]


def test_an_unrelated_vector_of_the_seeds_scale():
    """cos 0 is S_vec = 1/2: S = 0.65 · 0.5 with no word shared, and the missing side counts 0."""
    assert by_id([Candidate("far", None, None, direction(0, 1), 1)], hybrid=SEED)["far"].score == pytest.approx(0.325)
    assert by_id([Candidate("new", 3.0, 1), Candidate("old", 1.0, 2)], hybrid=SEED)["new"].score == pytest.approx(0.35)


def test_by_rank_the_best_text_gets_one_half():
    candidates = [Candidate("a", 9.0, 1), Candidate("b", 8.0, 2), Candidate("c", None, None, direction(1, 0), 1)]
    ranked = by_id(candidates, hybrid=Hybrid(text_scale="rank"))
    assert [ranked[name].s_text for name in "abc"] == pytest.approx([1 / 2, 1 / 3, 0.0])


def test_by_min_max_the_worst_text_gets_nothing():
    """As the seed has it: a single text, and the worst of several, count like one that shares no word."""
    assert by_id([Candidate("only", 3.0, 1)], hybrid=SEED)["only"].s_text == 0.0


def test_a_calibrations_maps_take_the_place_of_the_scales():
    maps = Calibration("isotonic", "m", text=((0.0, 0.0), (10.0, 1.0)), vectors=((0.0, 0.2), (1.0, 0.6)))
    candidates = [Candidate("a", 5.0, 1, direction(1, 0), 1), Candidate("b", None, None, direction(0, 1), 2)]
    ranked = by_id(candidates, alpha=0.5, calibration=maps)
    assert (ranked["a"].s_text, ranked["a"].s_vec) == pytest.approx((1.0, 1.0)), "relative to the best of each arm"
    assert (ranked["b"].s_text, ranked["b"].s_vec) == pytest.approx((0.0, 0.2 / 0.6))
    assert ranked["b"].score == pytest.approx(0.5 / 3)


def test_a_map_is_linear_between_its_points_and_flat_outside():
    points = ((1.0, 0.0), (2.0, 0.5), (4.0, 1.0))
    assert mapped(np.array([0.0, 1.5, 3.0, 9.0]), points).tolist() == [0.0, 0.25, 0.75, 1.0]


def test_others_are_scored_on_the_candidates_scale():
    fusion = fuse([Candidate("a", 1.0, 1, direction(1, 0), 1)], QUESTION, alpha=0.65, trust=PLAIN, hybrid=SEED)
    near, bare = fusion.score_others([Candidate("near", vector=direction(0, 1)), Candidate("bare")])
    assert (near.similarity, near.s_text, near.s_vec) == (0.0, 0.0, 0.5)
    assert near.score == pytest.approx(0.325)
    assert (bare.similarity, bare.score) == (None, 0.0)


def test_others_without_any_vector_score_nothing():
    fusion = fuse([Candidate("a", 1.0, 1)], None, alpha=0.0, trust=PLAIN)
    (other,) = fusion.score_others([Candidate("b", vector=direction(1, 0))])
    assert (other.similarity, other.s_vec, other.score) == (None, 0.0, 0.0)


rows = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)).map(
    lambda row: direction(*row) if np.linalg.norm(row) > 1e-3 else direction(1, 0, 0)
)
found = st.lists(st.tuples(st.none() | st.floats(1e-9, 1e6), st.none() | rows), max_size=10).map(
    lambda pairs: [
        Candidate(f"{at:02}", score, None if score is None else at + 1, row, None if row is None else at + 1)
        for at, (score, row) in enumerate(pairs)
    ]
)
hybrids = st.builds(
    Hybrid, text_scale=st.sampled_from(["best", "min-max", "rank"]), vector_scale=st.sampled_from(["spread", "cosine"])
)
trusts = st.builds(Trust, centring=st.floats(0, 1), feedback=st.floats(0, 1), floor=st.just(-1.1))
shares = st.floats(0, 1)


@given(found, rows, shares, hybrids, trusts, st.booleans())
def test_scores_are_shares_for_any_candidates(candidates, vector, alpha, hybrid, trust, calibrated):
    maps = Calibration("m", "m", ((0.0, 0.0), (100.0, 1.0)), ((-1.0, 0.0), (1.0, 1.0))) if calibrated else None
    fusion = fuse(candidates, vector, alpha=alpha, trust=trust, hybrid=hybrid, calibration=maps)
    assert len(fusion.scored) == len(candidates)
    for each in (*fusion.scored, *fusion.score_others(candidates)):
        assert -1e-6 <= each.s_text <= 1 + 1e-6
        assert -1e-6 <= each.s_vec <= 1 + 1e-6
        assert -1e-6 <= each.score <= 1 + 1e-6
    scores = [each.score for each in fusion.scored]
    assert scores == sorted(scores, reverse=True)


@given(found, rows, shares, hybrids)
def test_what_is_best_in_both_arms_is_first(candidates, vector, alpha, hybrid):
    """Another candidate that has the best BM25 and the question's own direction stands first, whoever else is there."""
    best = Candidate("best", 2e6, 1, vector, 1)
    others = [
        Candidate(each.id, each.text_score, None if each.text_rank is None else each.text_rank + 1, each.vector)
        for each in candidates
    ]
    top = fuse([*others, best], vector, alpha=alpha, trust=PLAIN, hybrid=hybrid).scored[0]
    winner = by_id([*others, best], alpha=alpha, vector=vector, hybrid=hybrid)["best"]
    assert top.score == pytest.approx(winner.score, abs=1e-6)


@given(found, rows, shares, hybrids, st.integers(0, 9))
def test_a_better_score_never_lowers_a_rank(candidates, vector, alpha, hybrid, at):
    """A candidate whose BM25 rises above all others and whose vector becomes the question's does not fall."""
    if not candidates:
        return
    at %= len(candidates)
    raised = Candidate(candidates[at].id, 2e6, 1, vector, 1)
    others = [
        Candidate(each.id, each.text_score, None if each.text_rank is None else each.text_rank + 1, each.vector)
        for each in candidates
        if each.id != raised.id
    ]
    scored = fuse([*others, raised], vector, alpha=alpha, trust=PLAIN, hybrid=hybrid).scored
    above = [each for each in scored if each.score > by_score(scored, raised.id) + 1e-6]
    assert above == []


def by_score(scored, name):
    return next(each.score for each in scored if each.id == name)


LITERAL = [
    "why does parse_line fail on long input texts",
    "what is `memory.save` called with in the worker",
    'who said "all models are wrong" at the meeting',
    "see https://example.org/a/b for the whole story of it",
    "where do we read /etc/hosts in the start script",
    "how does Foo::bar differ from the other one here",
    "「吾輩は猫である」を書いたのは誰ですか",
]


@pytest.mark.parametrize("question", ["deploy", "deploy failed", *LITERAL])
def test_short_and_literal_questions_lean_on_words(question):
    assert alpha_for(question, Trust(), SEED) == pytest.approx(0.45)
    assert 0.3 <= alpha_for(question, Trust(), Hybrid(alpha=0.65, lexical_shift=-0.25)) <= 0.5


def test_a_long_sentence_leans_on_meaning():
    question = "Please tell me what we decided about the deploys on Fridays after the last incident"
    assert alpha_for(question, Trust(), Hybrid(alpha=0.65, natural_shift=0.125)) == pytest.approx(0.775)
    assert alpha_for(question, Trust(), SEED) == pytest.approx(0.65)
    assert alpha_for("what did we decide about deploys", Trust(), Hybrid(alpha=0.65, natural_shift=0.125)) == 0.65


def test_a_shift_stays_within_its_bounds():
    assert alpha_for("deploy", Trust(), Hybrid(alpha=0.4)) == pytest.approx(0.3)
    long = "one two three four five six seven eight nine ten eleven twelve"
    assert alpha_for(long, Trust(), Hybrid(alpha=0.8, natural_shift=0.3)) == pytest.approx(0.9)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1.0])
def test_what_was_set_outside_the_bounds_is_meant(alpha):
    assert alpha_for("what did we decide about deploys", Trust(), Hybrid(alpha=alpha)) == alpha


@given(st.text(max_size=40), shares, st.floats(-1, 1), st.floats(-1, 1), shares, shares)
def test_the_weight_is_a_share_for_any_question(question, alpha, lexical, natural, one, other):
    low, high = sorted((one, other))
    hybrid = Hybrid(alpha=alpha, lexical_shift=lexical, natural_shift=natural, alpha_low=low, alpha_high=high)
    assert min(alpha, low) <= alpha_for(question, Trust(), hybrid) <= max(alpha, high)


def test_presets_are_the_mixes_of_the_seeds():
    def hybrid_of(name):
        return settings_from(RecallSettings, parse(f"{{version: 1.0.0, retrieval: {{preset: {name}}}}}").values).hybrid

    assert set(RecallSettings.PRESETS) == {"measured", "activation", "evidence"}
    assert hybrid_of("measured") == Hybrid()
    activation, evidence = hybrid_of("activation"), hybrid_of("evidence")
    assert (activation.alpha, activation.text_scale, activation.vector_scale) == (0.65, "min-max", "cosine")
    assert (evidence.alpha, evidence.text_scale, evidence.vector_scale) == (0.7, "min-max", "cosine")
    long = "Please tell me what we decided about the deploys on Fridays after the last incident"
    assert 0.3 <= alpha_for("deploy failed", Trust(), activation) <= 0.5
    assert 0.7 <= alpha_for(long, Trust(), activation) <= 0.85
    assert alpha_for("deploy failed", Trust(), evidence) == alpha_for(long, Trust(), evidence) == 0.7
    assert alpha_for("what did we decide about deploys", Trust(), activation) == 0.65


def test_keys_beside_a_preset_win():
    policy = parse("{version: 1.0.0, retrieval: {preset: activation, hybrid: {alpha: 0.5}}}")
    hybrid = settings_from(RecallSettings, policy.values).hybrid
    assert (hybrid.alpha, hybrid.vector_scale) == (0.5, "cosine")
