"""The history of a memo: its versions, for how long it held, what took its place, and who did it."""

from __future__ import annotations

import pytest
from talking_for_tests import call, run_command, talk

from wherefrom import Memory
from wherefrom.model import limits


@pytest.fixture
def timed(url, clock):
    with Memory.open(url, clock=clock) as memory:
        yield memory


def told(memory, memo):
    return [(entry.version, entry.text) for entry in memory.history(memo).about.versions]


def test_versions_are_listed_with_their_times_and_what_they_changed(timed, clock):
    memo = timed.save("We use MySQL.", title="Database").node
    clock.go_on(days=1)
    timed.save("We use PostgreSQL.", memo_id=memo.id, request_id="r-2")
    clock.go_on(days=1)
    last = timed.save("We use PostgreSQL.", memo_id=memo.id, metadata={"by": "Kim"}, title="Databases").node
    found = timed.history(memo.id)
    assert told(timed, memo.id) == [(3, "changed: title, metadata"), (2, "We use PostgreSQL."), (1, "We use MySQL.")]
    newest, second, first = found.about.versions
    assert (first.since, first.until) == (memo.created_at, second.since)
    assert (second.until, newest.since, newest.until) == (newest.since, last.updated_at, None)
    assert found.about.known_since is None
    assert "r-2" in {entry.request_id for entry in found.items}


def test_it_says_for_how_long_a_statement_held_and_what_replaced_it(timed, clock):
    old = timed.save("We use MySQL.", slot="project/database", valid_from="2025-06").node
    clock.go_on(days=1)
    new = timed.save("We use PostgreSQL.", slot="project/database").node
    about = timed.history(old.id).about
    assert (about.valid_from, about.valid_to, about.superseded_by) == (old.valid_from, new.observed_at, new.id)
    assert about.text == (
        "memo 'We use MySQL.', version 2, saved 2026-01-01, changed 2026-01-02; held from 2025-06-01 to 2026-01-01; "
        f"'We use PostgreSQL.' ({new.id[-8:]}) stands for it; restore lets it hold again"
    )
    assert told(timed, old.id)[0] == (2, "changed: valid_to, superseded_by")
    about = timed.history(new.id).about
    assert about.replaces == (old.id,)
    assert about.text.endswith(f"took the place of 'We use MySQL.' ({old.id[-8:]})")
    assert timed.history(old.id).items[0].topic == "replace"


def test_it_says_that_something_expired(timed, clock):
    memo = timed.save("for a week", scope="session").node
    clock.go_on(days=10)
    about = timed.history(memo.id).about
    assert about.state == "here"
    assert about.text.endswith("; expired 2026-01-08; restore lets it hold again")


def test_judgements_and_restored_versions_are_told(timed, clock):
    memo = timed.save("We use MySQL.").node
    clock.go_on(days=1)
    timed.save("We use PostgreSQL.", memo_id=memo.id)
    clock.go_on(days=1)
    timed.feedback(memo.id, "outdated", request_id="r-judged")
    clock.go_on(days=1)
    timed.restore(memo.id)
    clock.go_on(days=1)
    timed.restore(memo.id, version=1)
    items = timed.history(memo.id).items
    assert [item.text for item in items if item.topic != "critic"] == [
        "brought back version 1 of 'We use MySQL.' (version 5)",
        "'We use MySQL.' holds again",
        "judged 'We use MySQL.': outdated",
        "saved 'We use MySQL.' (version 2)",
        "saved 'We use MySQL.'",
    ]
    assert {item.request_id for item in items if item.topic == "feedback"} == {"r-judged"}


def test_where_versions_were_cut_it_says_from_when_on_it_knows(timed, clock, monkeypatch):
    monkeypatch.setattr(limits, "VERSIONS", 2)
    memo = timed.save("text 1").node
    for number in range(2, 6):
        clock.go_on(days=1)
        timed.save(f"text {number}", memo_id=memo.id)
    about = timed.history(memo.id).about
    assert [entry.version for entry in about.versions] == [5, 4, 3]
    assert about.known_since == "2026-01-03T00:00:00.000000Z"
    assert about.text.endswith("; its versions are known from 2026-01-03 on")


def test_people_and_agents_see_versions_and_can_read_them(tmp_path):
    store = str(tmp_path / "m.db")
    with Memory.open(store) as memory:
        memo = memory.save("We use MySQL.").node.id
        memory.save("We use PostgreSQL.", memo_id=memo)
    lines = run_command(store, "history", memo[-8:]).stdout
    assert "version 1, " in lines and ": We use MySQL." in lines
    assert "We use MySQL." in run_command(store, "get", memo[-8:], "--version", "1").stdout
    run_command(store, "restore", memo[-8:], "--version", "1")
    assert "We use MySQL." in run_command(store, "get", memo[-8:]).stdout

    async def conversation(client):
        about = (await call(client, "history", memo_id=memo, detail="lean"))["about"]
        assert [entry["version"] for entry in about["versions"]] == [3, 2, 1]
        read = await call(client, "memory_get", memo_id=memo, version=2)
        assert read["content"] == "We use PostgreSQL."
        listed = await call(client, "memory_list", memo_id=memo, version=2)
        assert listed["items"][0]["content"] == "We use PostgreSQL."
        await call(client, "restore", node_id=memo, version=2)

    talk(store, conversation)
