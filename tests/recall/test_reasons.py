"""Reasons in words: short, made of the figures, and true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.model.graph import node_at
from wherefrom.model.limits import REASON_BYTES
from wherefrom.model.results import Scores
from wherefrom.recall.reasons import passage_of, reason_in_words, said_terms

NOW = "2026-03-15T12:00:00.000000Z"
BY_WORDS = Scores(2.0, 1, None, None, 1.0, 0.0)
BY_MEANING = Scores(None, None, 0.4, 1, 0.0, 1.0)


def reason(question, content, *, scores=BY_WORDS, at=NOW, is_reached=False, helped=0, **more):
    node = node_at(at, namespace="main", content=content, **more)
    said = said_terms(node, passage_of(node, question))
    return reason_in_words(question, node, said, scores, is_reached=is_reached, helped=helped, now=NOW)


def test_the_words_that_it_says_how_old_it_is_and_how_often_it_helped():
    old = "2026-02-01T09:00:00.000000Z"
    said = reason("Do we deploy on Friday?", "Never deploy on a friday.", at=old, helped=2)
    assert said == "says 'deploy' and 'Friday'; 42 days old; helped twice"


@pytest.mark.parametrize(
    ("at", "age"),
    [
        ("2026-03-15T01:00:00Z", "from today"),
        ("2026-03-14T23:00:00Z", "from yesterday"),
        ("2026-03-12T00:00:00Z", "3 days old"),
        ("2025-11-15T00:00:00Z", "4 months old"),
        ("2023-01-01T00:00:00Z", "3 years old"),
    ],
)
def test_ages(at, age):
    assert reason("gate", "the gate", at=at) == f"says 'gate'; {age}"


def test_what_will_be_has_no_age():
    assert reason("gate", "the gate", at="2027-01-01T00:00:00Z") == "says 'gate'"


def test_what_shares_no_word_says_how_it_was_found():
    assert reason("lorry", "a truck", scores=BY_MEANING) == "found by meaning; from today"
    linked = Scores(None, None, None, None, 0.0, 0.0)
    assert reason("lorry", "a truck", scores=linked, is_reached=True) == "linked to what fits; from today"
    through = Scores(None, None, 0.1, None, 0.0, 0.0, found_through="x")
    assert reason("lorry", "a truck", scores=through) == "stands for one that fits; from today"


def test_a_tag_counts_as_said():
    assert reason("gate", "opens at nine", metadata={"tags": ["Gate", "town"]}) == "says 'gate'; from today"


def test_a_title_counts_as_said_and_a_pin_is_told():
    assert reason("gate", "opens at nine", title="The gate", pinned=True) == "says 'gate'; from today; pinned"


def test_what_does_not_fit_is_left_out_from_the_end():
    long = "supercalifragilistic extraordinarily Wednesday"
    assert reason(long, long) == "says 'supercalifragilistic' and 'extraordinarily'"
    assert reason("締切と会議室と予算", "締切、会議室、予算。").startswith("says '締切'")


@given(st.text(max_size=200), st.text(max_size=200), st.integers(0, 10**6), st.booleans())
def test_a_reason_is_never_too_long_and_never_empty(question, content, helped, pinned):
    said = reason(question, content, helped=helped, pinned=pinned)
    assert 0 < len(said.encode()) <= REASON_BYTES


def test_a_short_text_needs_no_passage():
    assert passage_of(node_at(NOW, namespace="main", content="short"), "short") is None
    long = node_at(NOW, namespace="main", content="filler. " * 200 + "The gate opens at nine. " + "filler. " * 200)
    passage = passage_of(long, "when does the gate open?")
    assert passage.text.startswith("The gate opens at nine.")
    assert long.content[passage.offset :].startswith(passage.text)
