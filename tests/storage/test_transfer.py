"""Export, import and backup: nothing is lost on the way, and nothing is doubled."""

from __future__ import annotations

import io
import itertools
import json

import pytest

from wherefrom import InvalidInput, Memory, StoreUnavailable

REFERENCE = """
{"type":"entity","name":"Ada","entityType":"person","observations":["wrote the first program","born 1815"]}
{"type":"relation","from":"Ada","to":"Analytical Engine","relationType":"Worked On"}
{"type":"entity","name":"Analytical Engine","entityType":"machine","observations":[]}
{"type":"relation","from":"Ada","to":"Nobody","relationType":"knows"}
{"type":"entity","name":"東京","entityType":"city","observations":["日本の首都"]}
"""


def exported(memory):
    """The lines of an export, without the header's time."""
    stream = io.StringIO()
    memory.export(stream)
    header, *lines = stream.getvalue().splitlines()
    assert json.loads(header)["type"] == "wherefrom"
    return lines


def stream_of(memory):
    stream = io.StringIO()
    memory.export(stream)
    return io.BytesIO(stream.getvalue().encode())


def lines_of(*records):
    header = {"type": "wherefrom", "format": 1}
    return io.BytesIO("\n".join(json.dumps(record) for record in (header, *records)).encode())


def fill(memory):
    ids = [
        memory.save(
            f"memo {number} 日本語 \u2028 \x07",
            title=f"T{number}",
            metadata={"n": number / 3},
            namespace=f"n{number % 4}",
        ).node.id
        for number in range(30)
    ]
    memory.save("changed", memo_id=ids[3])
    for number, (source, target) in enumerate(itertools.pairwise(ids)):
        memory.relate(source, target, tag="supports", weight=number / 29, reason=f"reason {number}")
    memory.relate(ids[0], ids[1], tag="supports", weight=1 / 7)


@pytest.mark.parametrize(("source", "target"), list(itertools.product(("sqlite", "postgres"), repeat=2)))
def test_a_round_trip_equals_the_original(new_url, source, target):
    with Memory.open(new_url(source)) as original, Memory.open(new_url(target)) as copy:
        fill(original)
        imported = copy.import_(stream_of(original))
        assert (imported.nodes_created, imported.edges_created) == (30, 29)
        assert exported(copy) == exported(original)
        assert copy.doctor().ok


def test_importing_again_changes_nothing(memory):
    fill(memory)
    before = exported(memory)
    imported = memory.import_(stream_of(memory))
    assert (imported.nodes_unchanged, imported.edges_unchanged) == (30, 29)
    assert imported.nodes_created + imported.nodes_updated + imported.edges_created + imported.edges_updated == 0
    assert exported(memory) == before


def test_the_later_version_wins_in_either_direction(new_url):
    with Memory.open(new_url("sqlite")) as here, Memory.open(new_url("sqlite")) as there:
        memo = here.save("one").node
        there.import_(stream_of(here))
        changed = there.save("two", memo_id=memo.id).node
        assert there.import_(stream_of(here)).nodes_unchanged == 1
        assert there.get(memo.id) == changed
        assert here.import_(stream_of(there)).nodes_updated == 1
        assert here.get(memo.id) == changed


def test_a_text_that_is_already_there_becomes_one_memo_and_its_relations_follow(memory, new_url):
    with Memory.open(new_url("sqlite")) as other:
        a, b = other.save("shared text").node.id, other.save("other text").node.id
        other.relate(a, b, tag="supports", weight=0.5)
        mine = memory.save("shared text").node.id
        imported = memory.import_(stream_of(other))
    assert (imported.nodes_created, imported.nodes_duplicate, imported.edges_created) == (1, 1, 1)
    assert memory.relations().edges[0].source_id == mine


def test_edges_may_come_before_their_ends(memory, new_url):
    with Memory.open(new_url("sqlite")) as other:
        fill(other)
        lines = [json.loads(line) for line in exported(other)]
    imported = memory.import_(lines_of(*reversed(lines)))
    assert (imported.nodes_created, imported.edges_created, imported.edges_skipped) == (30, 29, 0)


def test_a_faulty_line_is_rejected_with_its_number_and_the_others_are_stored(memory, new_url):
    with Memory.open(new_url("sqlite")) as other:
        fill(other)
        good = [json.loads(line) for line in exported(other)]
    new = {**good[0], "id": "new"}
    faults = [
        ({**new, "content": "changed"}, "content_hash"),
        ({**new, "namespace": "elsewhere"}, "outside the root"),
        ({**new, "kind": "dream"}, "kind"),
        ({**new, "surprise": 1}, "unknown fields"),
        ({key: value for key, value in new.items() if key != "version"}, "missing fields"),
        ({**new, "utility": "high"}, "utility"),
        ({**new, "pinned": 1}, "pinned"),
        ({"type": "dream", "id": "new"}, "type of record"),
        ({**good[-2], "weight": 2}, "weight"),
    ]
    imported = memory.import_(lines_of(*(fault for fault, _ in faults), *good))
    assert imported.rejected == len(faults)
    for number, (rejection, (_, message)) in enumerate(zip(imported.rejections, faults, strict=True), start=2):
        assert (rejection.line, rejection.code) == (number, "invalid_input")
        assert message in rejection.reason
    assert [each.id for each in imported.rejections[:-1]] == ["new"] * 8
    assert imported.rejections[-1].id.split()[1] == good[-2]["tag"]
    assert (imported.nodes_created, imported.edges_created) == (30, 29)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"not json",
        b"[1]",
        b'{"type":"node"}',
        b'{"type":"wherefrom","format":99}',
        b'{"a":' * 5000,
        b"\xff\xfe",
    ],
)
def test_files_that_are_no_export(sqlite_memory, content):
    with pytest.raises(InvalidInput):
        sqlite_memory.import_(io.BytesIO(content))


def test_an_import_cannot_reach_outside_its_root(url):
    with Memory.open(url, root="acme") as whole, Memory.open(url, root="acme/team") as team:
        outside = whole.save("outside").node
        line = json.loads(exported(whole)[0])
        imported = team.import_(lines_of({**line, "namespace": "acme/team", "version": 9}))
        assert (imported.nodes_created, imported.rejected) == (1, 0)
        assert whole.get(outside.id) == outside
        assert team.list().nodes[0].id != outside.id


def test_boundary_classes_hide_rows_and_their_relations(url, new_url):
    with Memory.open(url) as memory, Memory.open(url, allow=["tool:contact-lookup"]) as cleared:
        with Memory.open(new_url("sqlite")) as maker:
            a, b = maker.save("her number").node.id, maker.save("who she is").node.id
            maker.relate(a, b, tag="explains", weight=1)
            lines = [json.loads(line) for line in exported(maker)]
        cleared.import_(lines_of({**lines[0], "boundary_class": "pii"}, *lines[1:]))
        assert [node.id for node in memory.list().nodes] == [b]
        assert memory.relations().edges == ()
        assert len(exported(memory)) == 1
        assert [node.id for node in cleared.list().nodes] == [b, a]
        assert cleared.relations().edges[0].boundary_class == "pii"
        again = memory.save("her number")
        assert (again.status, again.node.id != a) == ("created", True)


def test_a_text_that_one_memo_gave_up_is_free_for_another(new_url):
    with Memory.open(new_url("sqlite")) as here, Memory.open(new_url("sqlite")) as there:
        a, z = here.save("old text").node.id, here.save("other").node.id
        there.import_(stream_of(here))
        here.save("new text", memo_id=a)
        c = here.save("old text").node.id
        here.relate(c, z, tag="supports", weight=1)
        imported = there.import_(stream_of(here))
        assert (imported.nodes_created, imported.nodes_updated, imported.nodes_duplicate) == (1, 1, 0)
        assert exported(there) == exported(here)
        again = there.import_(stream_of(here))
        assert again.nodes_created + again.nodes_updated + again.edges_created + again.edges_updated == 0


def test_texts_that_moved_on_along_a_row_of_memos_arrive_in_one_import(new_url):
    with Memory.open(new_url("sqlite")) as here, Memory.open(new_url("sqlite")) as there:
        ids = [here.save(f"text {number}").node.id for number in range(4)]
        there.import_(stream_of(here))
        for number in reversed(range(4)):
            here.save(f"text {number + 1}", memo_id=ids[number])
        assert there.import_(stream_of(here)).nodes_updated == 4
        assert exported(there) == exported(here)


def test_a_change_into_a_text_that_another_memo_has_is_counted(memory, new_url):
    with Memory.open(new_url("sqlite")) as other:
        memo = other.save("first").node.id
        memory.import_(stream_of(other))
        memory.save("second")
        other.save("second", memo_id=memo)
        assert memory.import_(stream_of(other)).nodes_refused == 1
    assert memory.get(memo).content == "first"


def test_a_setting_of_a_former_version_is_left_out(memory):
    setting = {"type": "setting", "namespace": "main", "name": "half_life_days", "value": "7"}
    before = exported(memory)
    imported = memory.import_(lines_of({**setting, "updated_at": "2026-02-01T00:00:00.000000Z"}))
    assert (imported.rejected, exported(memory)) == (0, before)


@pytest.mark.parametrize(
    "fault",
    [{"namespace": []}, {"namespace": {}}, {"utility": 10**400}, {"boundary_class": "secret"}, {"version": 2**31 - 1}],
)
def test_odd_values_in_a_file_are_refused(sqlite_memory, new_url, fault):
    with Memory.open(new_url("sqlite")) as other:
        other.save("text")
        line = json.loads(exported(other)[0])
    imported = sqlite_memory.import_(lines_of({**line, **fault}))
    assert (imported.nodes_created, [each.line for each in imported.rejections]) == (0, [2])


def test_a_file_whose_first_type_is_no_text_is_refused(sqlite_memory):
    with pytest.raises(InvalidInput):
        sqlite_memory.import_(io.BytesIO(b'{"type":[]}'))


def test_a_reference_servers_file_becomes_memos_and_relations(memory):
    imported = memory.import_(io.BytesIO(REFERENCE.encode()))
    assert (imported.nodes_created, imported.edges_created, imported.edges_skipped) == (3, 1, 1)
    memos = {node.title: node for node in memory.list().nodes}
    assert memos["Ada"].content == "Ada\n- wrote the first program\n- born 1815"
    assert memos["Ada"].metadata == {"entity_type": "person"}
    edge = memory.relations().edges[0]
    assert (edge.tag, edge.reason, edge.target_id) == ("worked_on", "Worked On", memos["Analytical Engine"].id)
    assert "日本の首都" in memos["東京"].content


def test_a_newer_reference_file_updates_the_same_memos(memory):
    memory.import_(io.BytesIO(REFERENCE.encode()))
    again = memory.import_(io.BytesIO(REFERENCE.encode()))
    assert (again.nodes_unchanged, again.edges_unchanged, again.edges_skipped) == (3, 1, 1)
    ada = next(node for node in memory.list().nodes if node.title == "Ada")
    for version, text in enumerate(("died 1852", "died in London"), start=2):
        later = memory.import_(io.BytesIO(REFERENCE.replace("born 1815", text).encode()))
        assert (later.nodes_updated, later.nodes_unchanged) == (1, 2)
        read = memory.get(ada.id)
        assert (read.version, read.created_at) == (version, ada.created_at)
        assert text in read.content
    assert len(memory.list().nodes) == 3
    memory.save("Ada, as I know her", memo_id=ada.id)
    assert memory.import_(io.BytesIO(REFERENCE.encode())).nodes_updated == 0


def test_a_backup_is_a_whole_copy_and_the_store_stays_in_use(memory, tmp_path, new_url):
    fill(memory)
    steps = []
    path = memory.backup(tmp_path / "copy", progress=lambda done, total: steps.append((done, total)))
    memory.save("after the backup")
    if memory.info().database == "sqlite":
        assert steps[-1][0] == steps[-1][1] > 0
        with Memory.open(path) as copy:
            assert len(exported(copy)) == len(exported(memory)) - 1
            assert copy.doctor().ok
    else:
        with Memory.open(new_url("sqlite")) as copy, path.open("rb") as file:
            assert copy.import_(file).nodes_created == 30
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(InvalidInput, match="already there"):
        memory.backup(path)
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".wherefrom")] == []


def test_a_failed_backup_leaves_the_store_usable(memory, tmp_path):
    for target in ("/no-such-folder/b", str(tmp_path / ("x" * 300)), "a\0b", "~no-such-user/b", "\udcff"):
        with pytest.raises((InvalidInput, StoreUnavailable)):
            memory.backup(target)
        memory.save(f"still works after {target!a}")
    assert memory.doctor().ok


def test_a_restored_backup_is_in_wal_mode_again(sqlite_memory, tmp_path, execute):
    sqlite_memory.save("text")
    path = sqlite_memory.backup(tmp_path / "copy.db")
    with Memory.open(path) as restored:
        restored.save("more")
        assert execute(str(path), "pragma journal_mode") == [("wal",)]
