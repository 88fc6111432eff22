"""Titles are compared apart from bodies: another wording is none, another number, date, name or negation is one."""

from __future__ import annotations

import pytest

from wherefrom.text.differences import body_difference, facts_of, titles_difference, word_share

BODY = "We release on Monday once two people have approved the change."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Release rule", "Release rule"),
        ("Release rule", "release RULE"),
        ("Release rule", None),
        ("Release rule", "Rule for releases"),
        ("Release rule", "When we release a change"),
        ("Release Change", "Approved Changes"),
        ("The rule", "A rule of ours"),
    ],
)
def test_titles_that_differ_in_wording_alone_state_the_same(one, other):
    assert titles_difference((one, BODY), (other, BODY)) is None
    assert titles_difference((other, BODY), (one, BODY)) is None


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Gate 1", "Gate 2", "number"),
        ("Release rule 2025", "Release rule 2026", "number"),
        ("Plan for Monday", "Plan for Tuesday", "date"),
        ("What we release", "What we do not release", "negation"),
        ("Enabled checks", "Disabled checks", "negation"),
        ("Mika's plan", "Kenji's plan", "name"),
        ("Release rule", "Kestrel release rule", "name"),
        ("mika's plan", "kenji's plan", "name"),
        ("東京の予定", "大阪の予定", "name"),
    ],
)
def test_titles_that_state_something_else_keep_texts_apart(one, other, kind):
    assert titles_difference((one, BODY), (other, BODY)) == kind
    assert titles_difference((other, BODY), (one, BODY)) == kind


def test_a_name_in_one_title_does_not_count_if_the_other_text_has_it():
    one, other = ("Kestrel release rule", f"{BODY} Kestrel too."), ("Release rule", f"{BODY} Kestrel as well.")
    assert titles_difference(one, other) is None
    assert titles_difference(("予定の東京", "東京で会う"), ("予定", "東京で会う。")) is None


def test_short_bodies_that_share_no_words_are_not_the_same_under_one_title():
    one, other = facts_of("Index rebuilt."), facts_of("Index was rebuilt, and the disk is new.")
    assert body_difference(one, facts_of("Disk swapped.")) is not None
    assert body_difference(one, other) is None
    assert (word_share(one, other), word_share(facts_of(""), one)) == (1.0, 1.0)
    assert word_share(facts_of("会議は中止"), facts_of("会議は延期")) == pytest.approx(2 / 4)
