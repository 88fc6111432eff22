"""What has expired is in the archive: out of recall and lists, restorable, exported. What has ended can hold again."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from talking_for_tests import call, run_command, talk

from wherefrom import BoundaryDenied, Conflict, InvalidInput, Memory, NotFound
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import candidates
from wherefrom.storage.port import SearchRequest, Times

LOOKUP = ["answer:task", "tool:contact-lookup"]


@pytest.fixture
def timed(url, clock):
    with Memory.open(url, clock=clock) as memory:
        yield memory


def ids(page):
    return [node.id for node in page.nodes]


def in_days(clock, days):
    return timestamp(clock.now + timedelta(days=days))


def exported(memory, **given):
    lines = io.StringIO()
    memory.export(lines, **given)
    return [json.loads(line) for line in lines.getvalue().splitlines()][1:]


# --- expiry -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scope", "days"), [("session", 7), ("project", 120)])
def test_what_has_expired_is_out_of_recall_and_lists_and_still_here(timed, clock, scope, days):
    memo = timed.save("The bridge is closed.", scope=scope).node
    clock.go_on(days=days, seconds=-1)
    assert ids(timed.list()) == [memo.id]
    clock.go_on(seconds=1)
    assert timed.list().nodes == ()
    assert timed.search("bridge").hits == ()
    assert timed.activate("bridge").items == ()
    timed.sweep()
    assert ids(timed.list(include=["expired"])) == [memo.id]
    assert timed.get(memo.id) == memo
    assert [record["id"] for record in exported(timed)] == [memo.id]
    assert timed.doctor().ok


def test_a_save_says_when_it_expires(timed, clock):
    assert timed.save("one", scope="project").note == "Expires on 2026-05-01."
    assert timed.save("two", scope="principle").note is None
    assert timed.save("three").note is None
    named = timed.save("one", title="a title", scope="session")
    assert named.note == "Expires on 2026-05-01."
    assert timed.save("one", title="another").note.endswith("found and linked like a title. Expires on 2026-05-01.")
    clock.go_on(days=200)
    assert timed.save("one more word", memo_id=named.node.id).note == "Expired on 2026-05-01; restore brings it back."


def test_an_agent_reads_when_it_expires_in_a_few_bytes(url, clock):
    async def conversation(client):
        lean = await call(client, "memory_save", content="for a week", scope="session", detail="lean")
        assert lean["note"].startswith("Expires on ")
        assert "expires_at" not in lean
        full = await call(client, "memory_save", content="for a week", detail="full")
        assert full["expires_at"]

    talk(url, conversation)


def test_saving_the_same_text_again_revives_it(timed, clock):
    memo = timed.save("The bridge is closed.", scope="session").node
    clock.go_on(days=30)
    again = timed.save("The bridge is closed.", scope="project")
    assert (again.status, again.node.id, again.note) == ("duplicate", memo.id, "Expires on 2026-05-31.")
    assert (again.node.scope, again.node.expires_at) == ("project", in_days(clock, 120))
    assert [hit.node.id for hit in timed.search("bridge").hits] == [memo.id]


def test_an_import_brings_the_archive_along(timed, clock, tmp_path):
    memo = timed.save("The bridge is closed.", scope="session").node
    clock.go_on(days=30)
    lines = io.StringIO()
    timed.export(lines)
    with Memory.open(str(tmp_path / "copy.db"), clock=clock) as copy:
        copy.import_(io.BytesIO(lines.getvalue().encode()))
        assert copy.list().nodes == ()
        assert copy.get(memo.id) == memo
        copy.restore(memo.id)
        assert ids(copy.list()) == [memo.id]


# --- how long the archive is kept -------------------------------------------------------------------------------------


def test_a_policy_further_down_keeps_the_archive_for_a_shorter_time_only(timed, clock):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 30")
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 10", namespace="brief")
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: null", namespace="long")
    saved = {place: timed.save("for a week", scope="session", namespace=place).node.id for place in ("brief", "long")}
    kept = timed.save("for good").node.id
    clock.go_on(days=17, seconds=1)
    assert timed.sweep().node_ids == (saved["brief"],)
    clock.go_on(days=20)
    assert timed.sweep().node_ids == (saved["long"],)
    assert ids(timed.list(include=["expired"])) == [kept]


def test_who_may_only_read_sweeps_nothing(url, clock):
    with Memory.open(url, root="team", clock=clock) as team:
        team.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
        memo = team.save("for a week", scope="session").node
        clock.go_on(days=8)
        with Memory.open(url, root="mine", also=["team"], clock=clock) as mine:
            assert mine.sweep().node_ids == ()
        assert team.get(memo.id) == memo


@pytest.mark.parametrize("days", ["-1", "soon", "36501", "[]"])
def test_a_number_of_days_that_is_none_is_refused(timed, days):
    with pytest.raises(InvalidInput, match="keep_expired_days"):
        timed.apply_policy(f"version: 1.1.0\nkeep_expired_days: {days}")


# --- restoring what is here -------------------------------------------------------------------------------------------


def test_what_has_expired_lives_as_long_again(timed, clock):
    memo = timed.save("The bridge is closed.", scope="session").node
    clock.go_on(days=100)
    restored = timed.restore(memo.id)
    assert restored.node_ids == (memo.id,)
    assert restored.note == f"It holds again, until {in_days(clock, 7)[:10]}."
    assert timed.get(memo.id).expires_at == in_days(clock, 7)
    assert [hit.node.id for hit in timed.search("bridge").hits] == [memo.id]
    assert timed.history(memo.id).items[0].text == "'The bridge is closed.' holds again"


def test_where_the_scope_has_no_end_any_more_it_lives_without_one(timed, clock):
    memo = timed.save("The bridge is closed.", scope="session").node
    clock.go_on(days=8)
    timed.apply_policy("version: 1.1.0\nscopes: {session: {ttl_days: null}}")
    assert timed.restore(memo.id).note == "It holds again, without end."
    assert timed.get(memo.id).expires_at is None


def test_what_was_replaced_holds_again_and_is_superseded_no_more(timed, clock):
    old = timed.save("We deploy on Friday.").node
    clock.go_on(days=1)
    new = timed.save("We deploy on Monday.").node
    timed.relate(new.id, old.id, tag="supersedes", weight=1)
    assert ids(timed.list()) == [new.id]
    clock.go_on(days=1)
    assert timed.restore(old.id).note == "It holds again."
    assert ids(timed.list()) == [new.id, old.id]
    back = timed.get(old.id)
    assert (back.valid_to, back.superseded_by) == (None, None)
    assert timed.relations(tag="supersedes").edges == ()


@pytest.mark.parametrize("signal", ["outdated", "completed"])
def test_what_was_judged_to_be_over_holds_again(timed, clock, signal):
    memo = timed.save("Buy milk.", claim_kind="task").node
    clock.go_on(days=1)
    timed.feedback(memo.id, signal)
    assert timed.list().nodes == ()
    assert timed.restore(memo.id).note == "It holds again."
    assert ids(timed.list()) == [memo.id]


def test_what_ended_and_expired_holds_again_for_as_long(timed, clock):
    memo = timed.save("The bridge is closed.", scope="session", valid_to="2026-01-03").node
    clock.go_on(days=30)
    assert timed.restore(memo.id).note == f"It holds again, until {in_days(clock, 7)[:10]}."
    assert ids(timed.list()) == [memo.id]


def test_what_holds_is_not_restored(timed, clock):
    memo = timed.save("The bridge is open.", valid_to="2026-12-31").node
    with pytest.raises(Conflict, match="is here, and holds"):
        timed.restore(memo.id)
    assert timed.get(memo.id) == memo


def test_a_claim_that_was_rejected_is_adopted_by_another_command(timed):
    claim = timed.save("The bridge is open.", claim_kind="fact").node
    timed.reject_claim(claim.id, reason="it is not")
    with pytest.raises(Conflict, match="was rejected") as refused:
        timed.restore(claim.id)
    assert "reject" in refused.value.hint


def test_a_slot_that_another_has_by_now_stays_with_it(timed, clock):
    old = timed.save("We use SQLite.", slot="project/database").node
    clock.go_on(days=1)
    new = timed.save("We use PostgreSQL.", slot="project/database").node
    with pytest.raises(Conflict, match="holds in the slot"):
        timed.restore(old.id)
    assert timed.get(old.id).superseded_by == new.id
    assert [edge.target_id for edge in timed.relations(tag="supersedes").edges] == [old.id]


def test_what_an_access_may_not_see_or_write_it_does_not_restore(url, clock):
    with Memory.open(url, clock=clock, allow=LOOKUP) as wide, Memory.open(url, clock=clock) as narrow:
        memo = wide.save("Mira lives here.", boundary_class="pii", scope="session").node
        clock.go_on(days=8)
        with pytest.raises(NotFound):
            narrow.restore(memo.id)
        reading = {"root": "mine", "also": ["main"], "allow": LOOKUP}
        with Memory.open(url, clock=clock, **reading) as reader, pytest.raises((NotFound, BoundaryDenied)):
            reader.restore(memo.id)
        assert wide.get(memo.id) == memo
        assert wide.restore(memo.id).node_ids == (memo.id,)


def test_who_sees_only_a_part_of_it_does_not_restore_it(url, clock, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url, clock=clock) as mine, Memory.open(url, clock=clock, allow=["tool:calendar"]) as others:
        mine.choose_privacy("personal")
        memo = mine.save("Call Kenji at 090-1234-5678.", scope="session").node
        clock.go_on(days=8)
        with pytest.raises(BoundaryDenied):
            others.restore(memo.id)
        assert mine.restore(memo.id).node_ids == (memo.id,)


def test_what_was_let_go_does_not_take_back_a_slot(timed, clock):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
    old = timed.save("We use SQLite.", slot="project/database", scope="session").node
    clock.go_on(days=8)
    timed.sweep()
    new = timed.save("We use PostgreSQL.", slot="project/database").node
    assert timed.restore(old.id).skipped == {old.id: "another node has its slot"}
    timed.delete(new.id)
    assert timed.restore(old.id).node_ids == (old.id,)


@pytest.mark.parametrize("first", ["open", "closed"])
def test_a_slot_has_one_statement_after_a_policy_made_two_as_strict(url, clock, first):
    with Memory.open(url, clock=clock, allow=LOOKUP) as wide, Memory.open(url, clock=clock) as narrow:
        texts = {"open": ("Mail kim@example.org.", narrow), "closed": ("Ask Mira.", wide)}
        wide.apply_policy("version: 1.1.0\nboundary_classes: {internal: {redact: []}}\ndetect: {email: internal}")
        saved = {}
        for name in (first, *({"open", "closed"} - {first})):
            text, memory = texts[name]
            given = {"boundary_class": "pii"} if name == "closed" else {}
            saved[name] = memory.save(text, slot="contact", **given).node.id
            clock.go_on(days=1)
        wide.apply_policy("version: 1.2.0\nboundary_classes: {internal: {redact: []}, pii: {redact: []}}")
        wide.reclassify()
        held = [node.id for node in wide.list().nodes]
        assert held == [list(saved.values())[-1]]


def test_the_command_and_the_tool_say_what_was_done(tmp_path):
    store = str(tmp_path / "m.db")
    with Memory.open(store) as memory:
        old = memory.save("We deploy on Friday.").node
        new = memory.save("We deploy on Monday.").node
        memory.relate(new.id, old.id, tag="supersedes", weight=1)
    done = run_command(store, "restore", old.id[-8:])
    assert done.stdout.strip() == f"{old.id[-8:]}: It holds again."
    assert "is here, and holds" in run_command(store, "restore", old.id[-8:], code=4).stderr

    async def conversation(client):
        await call(client, "memory_feedback", memo_id=old.id, signal="outdated")
        answer = await call(client, "restore", node_id=old.id)
        assert (answer["nodes"], answer["note"]) == (1, "It holds again.")

    talk(store, conversation)


def test_a_large_store_does_not_count_its_archive(timed, clock, monkeypatch):
    """What is counted decides how far a utility lies above the mean."""
    monkeypatch.setattr(candidates, "_NODES_COUNTED_EACH_TIME", 1)
    for number in range(4):
        timed.save(f"note {number}", scope="session" if number else None)
    clock.go_on(days=8)
    request = SearchRequest("note", kinds=("memo",), times=Times(timestamp(clock.now)))
    access, counted = timed.view.access, candidates.UtilityStatistics()
    assert timed.view.store.database.read(lambda tx: counted.count(tx, access, request)) == 1
