"""What agents' SQL tells of the time for which statements and relations hold."""

from __future__ import annotations

import pytest

from wherefrom import Memory

BUDGET = {"limit": 200, "timeout_ms": 2000, "max_vm_steps": 50_000_000}


@pytest.fixture
def timed(url, clock):
    with Memory.open(url, clock=clock) as memory:
        yield memory


def rows(memory, sql):
    found = memory.query_graph(sql, **BUDGET)
    assert found.ok, (found.error, sql)
    return [tuple(row) for row in found.rows]


def in_words(found):
    """Rows whose last column is a truth: SQLite has 1 and 0."""
    return [(*values, bool(last)) for *values, last in found]


@pytest.mark.parametrize(
    ("table", "text", "given"), [("memos", "content", {}), ("claims", "claim_text", {"claim_kind": "fact"})]
)
def test_statements_say_since_when_and_until_when_they_hold(timed, clock, table, text, given):
    old = timed.save("We use MySQL.", slot="project/database", valid_from="2025", **given).node
    clock.go_on(days=1)
    new = timed.save("We use PostgreSQL.", slot="project/database", **given).node
    timed.save("We will use Oracle.", valid_from="2027", **given)
    columns = f"{text}, slot, valid_from, valid_to, superseded_by, holds_now"
    assert in_words(rows(timed, f"select {columns} from {table} order by created_at, {text}")) == [
        ("We use MySQL.", "project/database", old.valid_from, new.observed_at, new.id, False),
        ("We use PostgreSQL.", "project/database", None, None, None, True),
        ("We will use Oracle.", None, "2027-01-01T00:00:00.000000Z", None, None, False),
    ]
    assert rows(timed, f"select {text} from {table} where holds_now") == [("We use PostgreSQL.",)]
    clock.go_on(days=400)
    assert len(rows(timed, f"select id from {table} where holds_now")) == 2


def test_relations_say_so_as_well(timed, clock):
    timed.apply_policy("version: 1.1.0\nmetabolism: {exclusive: [lives_in]}")
    anna, kyoto, nara = (timed.save(text).node.id for text in ("Anna", "Kyoto", "Nara"))
    timed.relate(anna, kyoto, tag="lives_in", weight=1)
    clock.go_on(days=1)
    timed.relate(anna, nara, tag="lives_in", weight=1)
    found = rows(timed, "select target_id, valid_from, valid_to, holds_now from edges order by id")
    assert in_words(found) == [(kyoto, None, "2026-01-02T00:00:00.000000Z", False), (nara, None, None, True)]


def test_what_has_expired_is_left_out_of_both_tables_until_it_is_restored(timed, clock):
    memo = timed.save("for a week", scope="session").node
    claim = timed.save("also for a week", scope="session", claim_kind="fact").node
    clock.go_on(days=8)
    assert rows(timed, "select id from memos union all select id from claims") == []
    for node in (memo, claim):
        timed.restore(node.id)
    assert {row[0] for row in rows(timed, "select id from memos union all select id from claims")} == {
        memo.id,
        claim.id,
    }


@pytest.mark.parametrize("column", ["is_current", "valid_until"])
def test_who_asks_for_another_word_is_told_the_column(timed, column):
    found = timed.query_graph(f"select id from memos where {column} is not null")
    assert not found.ok
    assert "holds_now" in found.hint
