"""Which of two statements is older, and the order in which they stand then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from wherefrom.recall.older import later_first, older_ones
from wherefrom.storage.candidates import ShortStatement


def statement(name, text, since, title=None):
    return ShortStatement(name, title, text, since, since)


PAIRS = [
    ("Anna lives in Hamburg.", "Anna lives in Munich now."),
    ("The price of the basic plan is 9 euros.", "The price of the basic plan is 12 euros."),
    ("アンナは東京に住んでいる。", "アンナは大阪に住んでいる。"),
    ("Der Standup ist um 9 Uhr.", "Der Standup ist um 10 Uhr."),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_the_earlier_is_older_whatever_the_order(pair):
    earlier, later = statement("a", pair[0], "2026-01"), statement("b", pair[1], "2026-02")
    assert older_ones([earlier, later]) == older_ones([later, earlier]) == {"a": "b"}


def test_of_several_the_latest_is_named():
    values = [statement(name, f"The port of the proxy is {port}.", since) for name, port, since in (
        ("b", 8080, "2026-02"), ("a", 80, "2026-01"), ("c", 9090, "2026-03"))]  # fmt: skip
    assert older_ones(values) == {"a": "c", "b": "c"}


def test_statements_of_the_same_time_and_of_others_are_not_older():
    same = [statement("a", "Anna lives in Hamburg.", "2026-01"), statement("b", "Anna lives in Munich.", "2026-01")]
    assert older_ones(same) == {}
    others = [statement("a", "Anna lives in Hamburg.", "2026-01"), statement("b", "Ben lives in Munich.", "2026-02")]
    assert older_ones(others) == {}
    assert older_ones([]) == {}


def test_the_later_goes_directly_before_the_first_older_one():
    assert later_first(["x", "a", "y", "b", "c"], {}) == ["x", "a", "y", "b", "c"]
    assert later_first(["x", "a", "y", "b", "c"], {"a": "b"}) == ["x", "b", "a", "y", "c"]
    assert later_first(["a", "b", "c"], {"a": "c", "b": "c"}) == ["c", "a", "b"]
    assert later_first(["a", "b", "c"], {"a": "b", "b": "c"}) == ["c", "b", "a"]


def test_a_search_and_a_context_mark_the_older(memory):
    ago = [str(datetime.now(UTC).date() - timedelta(days=days)) for days in (60, 45, 30)]
    old = memory.save("Anna lives in Hamburg.", observed_at=ago[0]).node
    new = memory.save("Anna lives in Munich.", observed_at=ago[2]).node
    found = memory.search("Does Anna live in Hamburg?").hits
    assert [(hit.node.id, hit.older_than) for hit in found] == [(new.id, None), (old.id, new.id)]
    assert found[0].score < found[1].score  # each has its own: the older says one word more of the question
    items = memory.activate("Does Anna live in Hamburg?").items
    assert [(item.node.id, item.older_than) for item in items] == [(new.id, None), (old.id, new.id)]
    found = memory.search("Does Anna live in Hamburg?", as_of=ago[1]).hits
    assert [(hit.node.id, hit.older_than) for hit in found] == [(old.id, None)]
