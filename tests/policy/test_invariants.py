from __future__ import annotations

import time

import pytest

from wherefrom.policy.invariants import RULE_CHARACTERS, VALUES, holds, problem_of

FACTS = {
    "api": {"breaking_change": False},
    "tags": ["a", "b"],
    "text": "Deploys on Fridays are fine.",
    "kind": "claim",
    "count": 3,
    "metadata": {"ticket": "R-12"},
}


@pytest.mark.parametrize(
    "rule",
    [
        "api.breaking_change == false",
        "!api.breaking_change",
        "kind == 'claim' && count < 4",
        "kind in ['claim', 'memo']",
        "!('c' in tags)",
        "tags.all(tag, tag.size() == 1)",
        "tags.exists(tag, tag == 'b') && tags.exists(tag, tag == 'a')",
        "text.contains('Fridays') && text.startsWith('Deploys')",
        r"metadata.ticket.matches(r'^R-\d{2}$')",
        "has(metadata.ticket) && !has(metadata.owner)",
        "count - 1 == 2 && count * 2 >= 6",
        "timestamp('2026-01-31T12:00:00Z').getFullYear() == 2026",
        "text != 'all(exists(map(' // a comment, all( of it",
    ],
)
def test_a_rule_that_holds(rule):
    assert problem_of(rule) is None
    assert holds(rule, FACTS)


@pytest.mark.parametrize(
    "rule",
    [
        "api.breaking_change == true",
        "nobody.said_so == false",
        "api.other == false",
        "!nobody",
        "kind",
        "count",
        "count > 'three'",
        "count / 0 == 1",
        "9223372036854775807 * count > 0",
        "tags[7] == 'a'",
        "kind.all(letter, true)",
        "Thing{size: 1} == 1",
    ],
)
def test_a_rule_that_is_false_or_cannot_be_decided_does_not_hold(rule):
    assert problem_of(rule) is None
    assert not holds(rule, FACTS)


def test_a_missing_variable_does_not_matter_where_the_rest_decides():
    rule = "dataset.origin != 'prod' || data.masked == true"
    assert holds(rule, {"dataset": {"origin": "test"}})
    assert not holds(rule, {"dataset": {"origin": "prod"}})
    assert not holds(rule, {})


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("", "not CEL"),
        ("a ==", "not CEL"),
        ("'prod' notin egress", "not CEL: mismatched input 'notin'"),
        ("(" * 200 + "a" + ")" * 200, "not CEL"),
        ("lower(text) == 'a'", "unknown function lower"),
        ("text.split(',').size() == 1", "unknown function split"),
        ("cel.bind(a, text, a == a)", "unknown function bind"),
        ("text + text == ''", "build values of any size"),
        ("tags.map(t, t).size() == 2", "build values of any size"),
        ("tags.filter(t, true).size() == 2", "build values of any size"),
        ("tags.exists_one(t, true)", "build values of any size"),
        ("tags.all(a, tags.all(b, a == b))", "inside all or exists"),
        ("tags.all(a, [1]. // hidden\n exists (b, a == b))", "inside all or exists"),
        ("tags.all(a, a.matches('a'))", "inside all or exists"),
        (" && ".join(["tags.all(a, true)"] * 4), "more than 3"),
        (f"tags.all(a, a != '{'x' * 150}')", "longer than 150"),
        ("text.matches(metadata.pattern)", "one text in quotes"),
        ("text.matches('a' == 'a' ? 'b' : 'c')", "one text in quotes"),
        ("text.matches('(a{30}){30}')", "repeats more than 500"),
        (r"text.matches('a\x7b1000}')", "could hide"),
        ("text.matches('(?x)a{9 9 9}')", "repeats more than 500"),
        ("text.matches('(?x)a{9 9}')", "could hide"),
        (f"text.matches('{'a' * 100}')", "longer than 100"),
        (" || ".join(["text.matches('a')"] * 4), "more than 3"),
        ("text == '''a'''", "triple quotes"),
        ('text == """a"""', "triple quotes"),
        (r"b'\'.all(x, tags.all(y, true))' == b''", "bytes"),
        (r"rb'\'.all(x, tags.all(y, true))' == b''", "bytes"),
        ("text == 'a", "do not end"),
        ("a" * (RULE_CHARACTERS + 1), "2,001 characters"),
    ],
)
def test_what_could_run_long_or_means_nothing_is_refused(rule, problem):
    assert problem in (problem_of(rule) or "")
    assert not holds(rule, FACTS)


def test_a_raw_text_ends_where_it_does_in_cel():
    # Read as an ordinary text, r'\' would go on and hide the macros behind it.
    rule = r"text != r'\' && tags.all(a, tags.all(b, true)) || text == r'\'"
    assert "inside all or exists" in (problem_of(rule) or "")


def test_a_macro_over_too_many_values_does_not_hold():
    assert holds("values.all(v, v == 1)", {"values": [1] * (VALUES - 1)})
    assert not holds("values.all(v, v == 1)", {"values": [1] * VALUES})
    assert not holds("values.all(v, v == 1)", {"values": [1], "others": {"deep": [[1] * VALUES]}})
    assert holds("1 in values", {"values": [1] * VALUES})


@pytest.mark.parametrize(
    "rule",
    [
        " && ".join(["v.all(x, [" + ",".join(["m"] * 60) + "] == [] || true)"] * 3),
        " || ".join([r"text.matches('\\w{500}x')"] * 3),
        "!" * 1990 + "true",
    ],
)
def test_the_worst_rules_end_soon(rule):
    values = [1] * (VALUES // 2 - 2)
    started = time.process_time()
    holds(rule, {"v": values, "m": {"v": values}, "text": "ab" * 32_000})
    assert problem_of(rule) is None
    assert time.process_time() - started < 20  # about 2 s
