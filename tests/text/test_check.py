from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import InvalidInput
from wherefrom.text import check


@pytest.mark.parametrize(
    "tag", ["supports", "works_at", "dc:source", "v1.2-beta", "根拠", "근거", "支持_する", "समर्थन", "สนับสนุน", "a" * 64]
)
def test_tags_that_follow_the_convention(tag):
    assert check.check_tag(tag) == tag


@pytest.mark.parametrize(
    ("tag", "suggested"),
    [("Supports", "supports"), ("works at", "works_at"), ("ｆｕｌｌ", "full"), ("_x_", "x"), ("a/b", "a_b")],
)
def test_a_refused_tag_comes_with_the_right_one(tag, suggested):
    with pytest.raises(InvalidInput) as raised:
        check.check_tag(tag)
    assert repr(suggested) in str(raised.value)


@pytest.mark.parametrize("tag", ["", " ", "a" * 65, "\0", "\ud800", "!!!", None, 3, "a\nb"])
def test_tags_that_are_none(tag):
    with pytest.raises(InvalidInput):
        check.check_tag(tag)


@given(st.text(max_size=80))
def test_the_suggestion_is_itself_a_tag(text):
    suggested = check.normalised_tag(text)
    if suggested:
        assert check.check_tag(suggested) == suggested


@pytest.mark.parametrize("weight", [0, 1, 0.5, 1e-300, 0.1 + 0.2])
def test_weights_keep_their_precision(weight):
    assert check.check_number(weight, field="weight", low=0, high=1) == weight


@pytest.mark.parametrize("weight", [-0.0001, 1.0000001, math.nan, math.inf, -math.inf, "0.5", None, True])
def test_weights_outside_the_range(weight):
    with pytest.raises(InvalidInput):
        check.check_number(weight, field="weight", low=0, high=1)


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        "x",
        {1: 2},
        {"a": math.nan},
        {"a": {"b": math.inf}},
        {"a": "\0"},
        {"\ud800": 1},
        {"a": 2**63},
        {"a": object()},
        {"a": b"bytes"},
        {"a": "x" * 17_000},
    ],
)
def test_metadata_that_is_not_json_or_too_large(metadata):
    with pytest.raises(InvalidInput):
        check.check_metadata(metadata)


def test_metadata_nested_too_deep():
    nested: dict = {}
    for _ in range(40):
        nested = {"a": nested}
    with pytest.raises(InvalidInput, match="nested"):
        check.check_metadata(nested)


@pytest.mark.parametrize(
    ("time", "stored"),
    [
        ("2026-01-31", "2026-01-31T00:00:00.000000Z"),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000000Z"),
        ("2026-01-31T12:00:00+09:00", "2026-01-31T03:00:00.000000Z"),
    ],
)
def test_times_are_brought_to_the_stored_form(time, stored):
    assert check.check_time(time, field="since") == stored


@pytest.mark.parametrize(
    "time", ["", "yesterday", "2026-01-31T12:00:00", "0001-01-01T00:00:00+09:00", 5, None, "2026-13-01"]
)
def test_times_without_zone_or_sense(time):
    with pytest.raises(InvalidInput):
        check.check_time(time, field="since")


def test_errors_do_not_repeat_long_input():
    with pytest.raises(InvalidInput) as raised:
        check.check_id("x" * 10_000, field="memo_id")
    assert len(str(raised.value)) < 300
