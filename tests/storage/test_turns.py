"""Turns of conversations: who says them, their session, and the same words said again."""

from __future__ import annotations

import io
import json

import pytest
from import_for_tests import stream

from wherefrom import Conflict, InvalidInput, Memory
from wherefrom.model.limits import SESSION_CHARACTERS, SPEAKER_CHARACTERS
from wherefrom.storage import text_index

YES = "Yes, let us do that."


@pytest.fixture
def talk(timed, clock):
    """Saves a turn, each a minute after the one before."""

    def say(text, speaker="Anna", session="monday", **given):
        clock.go_on(minutes=1)
        return timed.save(text, speaker=speaker, session=session, **given)

    return say


def lines_of(memory, **given):
    lines = io.StringIO()
    memory.export(lines, **given)
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def found_ids(memory, question, **given):
    return {hit.node.id for hit in memory.search(question, **given).hits}


def test_speaker_and_session_are_kept_and_changed(timed):
    saved = timed.save("The roof leaks.", speaker=" Anna Meyer ", session="2026-01-03", claim_kind="fact").node
    assert (saved.speaker, saved.session) == ("Anna Meyer", "2026-01-03")
    assert timed.get(saved.id) == saved
    assert timed.list().nodes == (saved,)
    changed = timed.save("The roof leaks.", memo_id=saved.id, speaker="Ben").node
    assert (changed.speaker, changed.session, changed.version) == ("Ben", "2026-01-03", 2)
    assert timed.get(saved.id, version=1).speaker == "Anna Meyer"
    assert timed.save("The roof leaks.", memo_id=saved.id, session="later").node.session == "later"
    told = timed.history(saved.id).about.versions
    assert [version.text for version in told][:2] == ["changed: session", "changed: speaker"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speaker", "A" * (SPEAKER_CHARACTERS + 1)),
        ("speaker", "Anna\nMeyer"),
        ("speaker", "  "),
        ("session", "s" * (SESSION_CHARACTERS + 1)),
        ("session", "a\0b"),
        ("session", "whatsapp:+436641234567"),
        ("session", "anna@example.com"),
    ],
)
def test_what_is_no_speaker_or_session_is_refused(memory, name, value):
    with pytest.raises(InvalidInput, match=name):
        memory.save("Hello.", **{name: value})


def test_the_same_words_again_are_a_turn_of_their_own(timed, talk):
    first = talk(YES)
    again, other_speaker, other_session = talk(YES), talk(YES, "Ben"), talk(YES, session="friday")
    assert {saved.status for saved in (first, again, other_speaker, other_session)} == {"created"}
    assert len({saved.node.id for saved in (first, again, other_speaker, other_session)}) == 4
    assert again.node.observed_at > first.node.observed_at
    without = timed.save(YES)
    assert (without.status, timed.save(YES).status) == ("created", "duplicate")
    assert without.node.session is None


def test_the_very_same_turn_is_kept_once(timed, clock, talk):
    at = "2025-12-03T10:00:00Z"
    first = talk(YES, observed_at=at)
    assert talk(YES, observed_at=at, title="Agreed").status == "duplicate"
    assert talk(YES, "Ben", observed_at=at).status == "created"
    asked = talk(YES, request_id="call-7")
    repeated = talk(YES, request_id="call-7")
    assert (asked.status, repeated.status, repeated.node.id) == ("created", "duplicate", asked.node.id)
    assert talk(YES, "Ben", request_id="call-7").status == "created"
    assert timed.get(first.node.id).title == "Agreed"


def test_without_a_session_a_speaker_makes_no_other_text(timed):
    first = timed.save("The roof leaks.")
    again = timed.save("The roof leaks.", speaker="Anna")
    assert (again.status, again.node.id, again.node.speaker) == ("duplicate", first.node.id, "Anna")
    assert timed.save("The roof leaks.").node.speaker == "Anna"


def test_a_turn_does_not_become_another_one(timed, talk):
    at = "2025-12-03T10:00:00Z"
    talk(YES, observed_at=at)
    other = talk(YES, "Ben", observed_at=at).node
    with pytest.raises(Conflict, match="already has this text"):
        timed.save(YES, memo_id=other.id, speaker="Anna")
    later = talk(YES).node
    with pytest.raises(Conflict, match="already has this text"):
        timed.save(YES, memo_id=later.id, observed_at=at)
    assert talk("No.", observed_at=at).status == "created"


def test_a_speaker_is_found_by_name(timed, talk):
    said = talk("Lass uns Kuchen backen.", "Zoë Krüger").node
    japanese = talk("屋根が漏れています。", "田中").node
    timed.save("Ein anderer Text.")
    assert found_ids(timed, "zoe kruger") == {said.id}
    assert found_ids(timed, "田中") == {japanese.id}
    timed.save("Lass uns Kuchen backen.", memo_id=said.id, speaker="Ida")
    assert (found_ids(timed, "Zoë"), found_ids(timed, "Ida")) == (set(), {said.id})
    view = timed.view
    text_index.reindex(view.store.database, view.access)
    assert (found_ids(timed, "Zoë"), found_ids(timed, "Ida"), found_ids(timed, "田中")) == (
        set(),
        {said.id},
        {japanese.id},
    )


def test_a_former_speaker_is_found_as_known_then(timed, clock, talk):
    said = talk("The roof leaks.", "Anna").node
    before = clock.now
    clock.go_on(days=1)
    timed.save("The roof leaks.", memo_id=said.id, speaker="Ben")
    known = before.isoformat()
    assert found_ids(timed, "Anna", known_at=known) == {said.id}
    assert found_ids(timed, "Ben", known_at=known) == set()


def test_personal_data_in_a_speaker_is_taken_out_of_a_shared_store(timed):
    saved = timed.save("The roof leaks.", speaker="anna@example.com", session="1")
    assert (saved.node.speaker, saved.redacted) == ("[email]", {"email": 1})


def test_turns_travel_and_come_back(timed, clock, talk, tmp_path):
    for _ in range(2):
        talk(YES)
        talk(YES, "田中", session="金曜")
    exported = lines_of(timed)
    nodes = [line for line in exported if line["type"] == "node"]
    assert [(line["speaker"], line["session"]) for line in nodes] == 2 * [("Anna", "monday"), ("田中", "金曜")]
    with Memory.open(str(tmp_path / "copy.db"), clock=clock) as copy:
        imported = copy.import_(stream(*exported[1:]))
        assert (imported.nodes_created, imported.rejected) == (4, 0)
        assert [line for line in lines_of(copy) if line["type"] == "node"] == nodes
        # Known already: nothing is new. Under another id it is the same turn; at another time it is another one.
        assert copy.import_(stream(*exported[1:])).nodes_created == 0
        same = {**nodes[0], "id": "another-id"}
        assert copy.import_(stream(same)).nodes_duplicate == 1
        assert copy.import_(stream({**same, "observed_at": "2025-01-01T00:00:00Z"})).nodes_created == 1


def test_lines_without_speaker_and_session_import(timed, talk, tmp_path):
    talk(YES)
    (node,) = (line for line in lines_of(timed) if line["type"] == "node")
    del node["speaker"], node["session"]
    with Memory.open(str(tmp_path / "copy.db")) as copy:
        assert copy.import_(stream(node)).nodes_created == 1
        assert copy.list().nodes[0].session is None
        page = {**node, "id": "x", "kind": "entity", "session": "1"}
        assert copy.import_(stream(page)).rejections[0].reason == "a entity has no session"


def test_a_forgotten_turn_comes_back_beside_another_with_its_words(timed, talk):
    first, second = talk(YES).node, talk(YES).node
    timed.forget(ids=[first.id], apply=True, plan=timed.forget(ids=[first.id]).plan)
    assert [node.id for node in timed.list().nodes] == [second.id]
    timed.restore(first.id)
    back = timed.get(first.id)
    assert (back.speaker, back.session, back.observed_at) == ("Anna", "monday", first.observed_at)
    timed.forget(ids=[first.id], apply=True, plan=timed.forget(ids=[first.id]).plan)
    talk(YES, observed_at=first.observed_at)
    assert "another node has its text" in str(timed.restore(first.id))


def test_a_namespace_moves_beside_turns_with_the_same_words(timed, talk):
    talk(YES, namespace="old")
    talk(YES, namespace="new")
    timed.rename_namespace("old", "new")
    assert len(timed.list(namespace="new").nodes) == 2
