"""Former versions go where their node goes: into receipts and back, into exports and imports, under the policy."""

from __future__ import annotations

import io
import json

import pytest
from import_for_tests import stream

from wherefrom import BoundaryDenied, Conflict, Memory, NewClaim, NewEvidence, NewFragment, NewPage, NotFound
from wherefrom.model import limits

LOOKUP = ["answer:task", "tool:contact-lookup"]
PHONE = "Call Kenji at 090-1234-5678."


@pytest.fixture
def timed(url, clock):
    with Memory.open(url, clock=clock) as memory:
        yield memory


@pytest.fixture
def copy(open_copy):
    return open_copy()


@pytest.fixture
def open_copy(tmp_path, clock):
    opened = []

    def open_(**given):
        opened.append(Memory.open(str(tmp_path / f"copy{len(opened)}.db"), clock=clock, **given))
        return opened[-1]

    yield open_
    for memory in opened:
        memory.close()


def lines_of(memory, **given):
    lines = io.StringIO()
    memory.export(lines, **given)
    return [json.loads(line) for line in lines.getvalue().splitlines()][1:]


def of_type(lines, name):
    return [line for line in lines if line["type"] == name]


def take(memory, records):
    imported = memory.import_(stream(*records))
    assert not imported.rejected, imported.rejections
    return imported


def changed(memory, clock, *texts, **given):
    """The id of a memo that has had these texts, one a day."""
    memo = memory.save(texts[0], **given).node.id
    for text in texts[1:]:
        clock.go_on(days=1)
        memory.save(text, memo_id=memo)
    return memo


def texts_of(memory, memo):
    return [memory.get(memo, version=number).content for number in range(1, memory.get(memo).version + 1)]


# --- reading and bringing back ----------------------------------------------------------------------------------------


def test_a_version_is_read_whole(timed, clock):
    memo = timed.save("We use MySQL.", title="Database", metadata={"by": "Kim"}).node.id
    clock.go_on(days=1)
    timed.save("We use PostgreSQL.", memo_id=memo, metadata={"by": None}, title="Databases")
    first, second = (timed.get(memo, version=number) for number in (1, 2))
    assert (first.content, first.title, first.metadata, first.version) == (
        "We use MySQL.",
        "Database",
        {"by": "Kim"},
        1,
    )
    assert second == timed.get(memo)
    for unknown in (3, 50):
        with pytest.raises(NotFound, match=f"version {unknown} of {memo} is not known"):
            timed.get(memo, version=unknown)


def test_a_version_is_brought_back_as_the_newest(timed, clock):
    memo = timed.save("We use MySQL.", title="Database", metadata={"by": "Kim", "in": 2025}).node.id
    clock.go_on(days=1)
    timed.save("We use PostgreSQL.", memo_id=memo, metadata={"by": None, "new": 1}, title="Databases")
    clock.go_on(days=1)
    restored = timed.restore(memo, version=1)
    assert (restored.node_ids, restored.note) == ((memo,), "Version 1 is version 3 now.")
    now = timed.get(memo)
    assert (now.content, now.title, now.metadata) == ("We use MySQL.", "Database", {"by": "Kim", "in": 2025})
    assert texts_of(timed, memo) == ["We use MySQL.", "We use PostgreSQL.", "We use MySQL."]
    assert [hit.node.id for hit in timed.search("MySQL").hits] == [memo]
    assert timed.doctor().ok


def test_a_version_whose_text_another_memo_has_is_not_brought_back(timed, clock):
    memo = changed(timed, clock, "We use MySQL.", "We use PostgreSQL.")
    other = timed.save("We use MySQL.").node
    with pytest.raises(Conflict, match=other.id):
        timed.restore(memo, version=1)
    with pytest.raises(NotFound):
        timed.restore(memo, version=7)


def test_a_version_is_judged_by_the_policy_of_now(timed, clock):
    timed.apply_policy("version: 1.1.0\nboundary_classes: {internal: {redact: []}}\ndetect: {phone: internal}")
    memo = changed(timed, clock, PHONE, "Call nobody.")
    timed.apply_policy("version: 1.2.0")
    timed.restore(memo, version=1)
    assert timed.get(memo).content == "Call Kenji at [phone]."


def test_a_claim_with_evidence_keeps_its_words(timed, clock):
    claim = changed(timed, clock, "It holds 500 people.", "It holds 600 people.", claim_kind="fact")
    source, fragment = NewPage(url="https://example.org"), NewFragment(text="It has 600 seats.")
    judged = NewClaim(claim_id=claim, evidence=[NewEvidence("supports", fragment=0)])
    timed.add_evidence(source, fragments=[fragment], claims=[judged])
    with pytest.raises(Conflict, match="has evidence about its words"):
        timed.restore(claim, version=1)
    assert timed.get(claim).content == "It holds 600 people."


# --- receipts ---------------------------------------------------------------------------------------------------------


def test_versions_go_and_come_back_with_their_node(timed, clock, url, execute):
    timed.apply_policy("version: 1.1.0\nkeep_expired_days: 0")
    memo = changed(timed, clock, "one", "two", "three", scope="session")
    rows = execute(url, "select version, known_from, known_to, content from node_versions order by version")
    clock.go_on(days=10)
    run = timed.sweep().run_id
    assert execute(url, "select count(*) from node_versions") == [(0,)]
    timed.restore(run_id=run)
    assert execute(url, "select version, known_from, known_to, content from node_versions order by version") == rows
    assert texts_of(timed, memo) == ["one", "two", "three"]
    timed.delete(memo)
    assert execute(url, "select count(*) from node_versions") == [(0,)]


def test_a_receipt_gives_back_only_versions_that_may_be_kept(timed, clock):
    timed.apply_policy(
        "version: 1.1.0\nkeep_expired_days: 0\nboundary_classes: {internal: {redact: []}}\ndetect: {phone: internal}"
    )
    memo = changed(timed, clock, PHONE, "Call nobody.", scope="session")
    clock.go_on(days=10)
    timed.sweep()
    timed.apply_policy("version: 1.2.0\nkeep_expired_days: 0")
    timed.restore(memo)
    assert texts_of(timed, memo) == ["Call Kenji at [phone].", "Call nobody."]


# --- the policy -------------------------------------------------------------------------------------------------------


def test_what_may_not_be_kept_does_not_stay_in_a_version(timed, clock, url, execute):
    timed.apply_policy("version: 1.1.0\nboundary_classes: {internal: {redact: []}}\ndetect: {phone: internal}")
    memo = changed(timed, clock, "one", PHONE, "Call nobody.")
    current = changed(timed, clock, "Call whom?", PHONE)
    timed.apply_policy("version: 1.2.0")
    timed.reclassify()
    assert texts_of(timed, memo) == ["one", "Call Kenji at [phone].", "Call nobody."]
    assert timed.get(current).content == "Call Kenji at [phone]."
    assert timed.get(current, version=1).content == "Call whom?"
    for table in ("node_versions", "nodes", "retired"):
        assert execute(url, f"select count(*) from {table} where content like '%1234%'") == [(0,)]


def test_versions_in_receipts_are_cleaned_as_well(timed, clock, url, execute):
    timed.apply_policy(
        "version: 1.1.0\nkeep_expired_days: 0\nboundary_classes: {internal: {redact: []}}\ndetect: {phone: internal}"
    )
    memo = changed(timed, clock, PHONE, "Call nobody.", scope="session")
    clock.go_on(days=10)
    timed.sweep()
    timed.apply_policy("version: 1.2.0\nkeep_expired_days: 0")
    timed.reclassify()
    assert execute(url, "select count(*) from retired where content like '%1234%'") == [(0,)]
    timed.restore(memo)
    assert texts_of(timed, memo) == ["Call Kenji at [phone].", "Call nobody."]


def test_others_see_versions_without_personal_data(url, clock, monkeypatch):
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    with Memory.open(url, clock=clock) as mine, Memory.open(url, clock=clock, allow=["tool:calendar"]) as others:
        mine.choose_privacy("personal")
        memo = changed(mine, clock, "Call Kenji.", PHONE, PHONE + " Twice.")
        assert mine.get(memo, version=2).content == PHONE
        assert others.get(memo, version=2).content == "Call Kenji at [phone]."
        assert others.get(memo, version=1).content == "Call Kenji."
        assert "1234" not in json.dumps([str(entry) for entry in others.history(memo).about.versions])
        shared = of_type(lines_of(mine, shared=True), "version")
        assert [line["content"] for line in shared] == ["Call Kenji.", "Call Kenji at [phone]."]
        with pytest.raises(BoundaryDenied):
            others.restore(memo, version=1)


def test_a_version_is_no_more_open_than_its_node(url, clock):
    with Memory.open(url, clock=clock, allow=LOOKUP) as wide, Memory.open(url, clock=clock) as narrow:
        memo = changed(wide, clock, "Mira lives in Kyoto.")
        clock.go_on(days=1)
        wide.save("Mira lives in Nara.", memo_id=memo, boundary_class="pii")
        assert wide.get(memo, version=1).content == "Mira lives in Kyoto."
        for number in (1, 2):
            with pytest.raises(NotFound):
                narrow.get(memo, version=number)
        assert of_type(lines_of(narrow), "version") == []
        assert [line["boundary_class"] for line in of_type(lines_of(wide), "version")] == ["pii"]


def test_versions_move_with_their_namespace(timed, clock):
    memo = changed(timed, clock, "one", "two", namespace="here")
    timed.rename_namespace("here", "there")
    assert timed.get(memo, version=1).namespace == "main/there"
    assert [line["namespace"] for line in of_type(lines_of(timed), "version")] == ["main/there"]


def test_two_that_hold_in_one_slot_are_not_moved_together(timed):
    timed.save("one", namespace="here", slot="a/b")
    timed.save("two", namespace="there", slot="a/b")
    with pytest.raises(Conflict, match="1 slots"):
        timed.rename_namespace("here", "there")


# --- export and import ------------------------------------------------------------------------------------------------


def test_an_export_gives_back_all_versions(timed, clock, copy):
    memo = changed(timed, clock, "one", "two", "three")
    clock.go_on(days=1)
    timed.save("four", claim_kind="fact", slot="a/b", valid_from="2025", valid_to="2025-06")
    lines = lines_of(timed)
    assert [(line["id"], line["version"], line["content"]) for line in of_type(lines, "version")] == [
        (memo, 1, "one"),
        (memo, 2, "two"),
    ]
    imported = take(copy, lines)
    assert (imported.nodes_created, imported.versions) == (2, 2)
    assert lines_of(copy) == lines
    assert texts_of(copy, memo) == ["one", "two", "three"]
    again = take(copy, lines)
    assert (again.nodes_unchanged, again.versions) == (2, 0)
    assert lines_of(copy) == lines


def test_versions_may_come_before_their_node_and_are_nothing_without_it(timed, clock, copy):
    changed(timed, clock, "one", "two")
    lines = lines_of(timed)
    refused = copy.import_(stream(*of_type(lines, "version")))
    assert refused.rejected == 1
    assert "the memo that it is a version of is neither here" in refused.rejections[0].reason
    take(copy, reversed(lines))
    assert lines_of(copy) == lines


def test_an_export_without_versions_is_imported_as_before(timed, clock, copy):
    memo = changed(timed, clock, "one", "two")
    take(copy, of_type(lines_of(timed), "node"))
    assert copy.get(memo).version == 2
    with pytest.raises(NotFound):
        copy.get(memo, version=1)


def test_a_later_copy_brings_the_versions_that_are_missing_here(timed, clock, copy):
    memo = changed(timed, clock, "one")
    take(copy, lines_of(timed))
    for text in ("two", "three"):
        clock.go_on(days=1)
        timed.save(text, memo_id=memo)
    take(copy, lines_of(timed))
    assert lines_of(copy) == lines_of(timed)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"content": "another"}, "content_hash does not match"),
        ({"known_to": "2020-01-01T00:00:00.000000Z"}, "known_to lies before known_from"),
        ({"known_to": "2999-01-01T00:00:00.000000Z"}, "lies in the future"),
        ({"known_from": None}, "known_from"),
        ({"boundary_class": "secret"}, "'secret' is not stored"),
        ({"namespace": "elsewhere"}, "outside the root"),
        ({"kind": "entity"}, "has no former versions"),
        ({"version": 0}, "version"),
        ({"note": "x"}, "unknown fields"),
    ],
)
def test_a_version_is_checked_as_a_node_is(timed, clock, copy, change, why):
    changed(timed, clock, "one", "two")
    lines = lines_of(timed)
    wrong = [{**line, **change} if line["type"] == "version" else line for line in lines]
    imported = copy.import_(stream(*wrong))
    assert imported.rejected == 1
    assert why in imported.rejections[0].reason


def test_what_the_policy_takes_out_it_takes_out_of_versions(timed, clock, copy):
    timed.apply_policy("version: 1.1.0\nboundary_classes: {internal: {redact: []}}\ndetect: {phone: internal}")
    memo = changed(timed, clock, PHONE, "Call nobody.")
    take(copy, lines_of(timed))
    assert texts_of(copy, memo) == ["Call Kenji at [phone].", "Call nobody."]


def test_no_more_versions_come_in_than_are_kept(timed, clock, copy, monkeypatch):
    memo = changed(timed, clock, *"abcdef")
    monkeypatch.setattr(limits, "VERSIONS", 2)
    take(copy, lines_of(timed))
    assert [line["version"] for line in of_type(lines_of(copy), "version")] == [4, 5]
    assert copy.get(memo, version=4).content == "d"


# --- statements that end ----------------------------------------------------------------------------------------------


def test_a_text_that_ended_and_holds_again_comes_back_twice(timed, clock, copy):
    first = timed.save("We use SQLite.", slot="project/database").node
    clock.go_on(days=1)
    between = timed.save("We use MySQL.", slot="project/database").node
    clock.go_on(days=1)
    again = timed.save("We use SQLite.", slot="project/database").node
    assert len({first.id, between.id, again.id}) == 3
    lines = lines_of(timed)
    imported = take(copy, lines)
    assert (imported.nodes_created, imported.nodes_ended) == (3, 0)
    assert lines_of(copy) == lines
    assert copy.get(first.id).superseded_by == between.id
    assert [node.id for node in copy.list().nodes] == [again.id]
    assert take(copy, lines).nodes_unchanged == 3


@pytest.mark.parametrize("ours_is_later", [True, False])
def test_of_two_in_a_slot_the_later_holds(timed, clock, copy, ours_is_later):
    early, late = (copy, timed) if not ours_is_later else (timed, copy)
    first = early.save("We use SQLite.", slot="project/database").node
    clock.go_on(days=1)
    second = late.save("We use PostgreSQL.", slot="project/database").node
    clock.go_on(days=1)
    imported = take(copy, lines_of(timed))
    assert (imported.nodes_created, imported.nodes_ended) == (1, 1)
    ended = copy.get(first.id)
    assert (ended.valid_to, ended.superseded_by) == (second.observed_at, second.id)
    assert [node.id for node in copy.list().nodes] == [second.id]
    assert [(edge.source_id, edge.target_id) for edge in copy.relations(tag="supersedes").edges] == [
        (second.id, first.id)
    ]
    lines = lines_of(copy)
    assert take(copy, lines_of(timed)).nodes_ended == 0
    assert lines_of(copy) == lines
    assert copy.doctor().ok


def test_a_slot_that_changes_hands_in_the_file_changes_hands_here(timed, clock, copy):
    first = timed.save("We use SQLite.", slot="project/database").node
    other = timed.save("We use MySQL.").node
    take(copy, lines_of(timed))
    clock.go_on(days=1)
    timed.save("We use MySQL.", memo_id=other.id, slot="project/database")
    imported = take(copy, reversed(lines_of(timed)))
    assert imported.nodes_ended == 0
    assert lines_of(copy) == lines_of(timed)
    assert copy.get(first.id).superseded_by == other.id
