"""An import goes on after a bad line, says which it left out and why, and can split long memos."""

from __future__ import annotations

import io
import itertools
import json

import pytest
from import_for_tests import BAD, HEADER, LONG, TIME, edge, exported, node, stream
from talking_for_tests import wherefrom

from wherefrom import InvalidInput, StoreUnavailable


def lines(*records):
    return b"".join(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n" for record in records)


def bad_file():
    good = [node(f"good-{number}", f"good text {number}") for number in range(len(BAD) + 1)]
    mixed = [part for at, bad in enumerate(BAD) for part in (good[at], bad + b"\n")]
    return HEADER + lines(*mixed, good[-1])


def test_each_bad_line_is_rejected_and_all_others_are_stored(memory):
    imported = memory.import_(io.BytesIO(bad_file()))
    assert imported.nodes_created == len(BAD) + 1
    assert imported.rejected == len(imported.rejections) == len(BAD)
    assert [each.line for each in imported.rejections] == [3 + 2 * at for at in range(len(BAD))]
    for rejection, reason in zip(imported.rejections, BAD.values(), strict=True):
        assert reason in rejection.reason
    assert [each.id for each in imported.rejections][-3:] == ["surrogate", "long", "key"]
    assert imported.rejections[-1].code == "boundary_denied"


def test_of_two_lines_with_one_id_the_later_version_holds(memory):
    records = [node("n", "one"), node("n", "three", version=3), node("n", "two", version=2)]
    imported = memory.import_(stream(*records))
    assert (imported.nodes_created, imported.nodes_updated, imported.rejected) == (1, 1, 0)
    assert memory.get("n").content == "three"
    memory.import_(stream(node("n", "five", version=5), node("n", "four", version=4)))
    assert memory.get("n").content == "five"


def test_a_line_is_checked_as_if_it_were_alone(sqlite_memory):
    """What the line before has, too, is not checked again: texts and nulls that are the same, and nothing else."""
    given = [
        node("n1", "one", version=1, metadata={"n": 1}, confidence=1),
        node("n2", "two", version=True, metadata={"n": True}, confidence=1),
        node("n3", "three", version=1, metadata={"n": 1.0}, confidence=True),
        node("n4", "four", metadata={"n": 1.0}, claim_kind="fact"),
        node("n5", "four", metadata={"n": True}),
        node("n6", "six", created_at="2026-01-01"),
        node("n7", "seven", created_at="2026-01-01T00:00:00.000000Z", title="Seven"),
        node("n8", "eight", created_at="2026-01-01", title=None),
    ]
    done = sqlite_memory.import_(stream(*given))
    assert [rejection.id for rejection in done.rejections] == ["n2", "n3", "n4"]
    kept = {row["id"]: row for row in exported(sqlite_memory)}
    assert [kept[name]["metadata"]["n"] is True for name in ("n1", "n5")] == [False, True]
    assert {kept[name]["created_at"] for name in ("n6", "n7", "n8")} == {TIME}
    assert [kept[name]["title"] for name in ("n6", "n7", "n8")] == [None, "Seven", None]


def test_bad_lines_may_come_first_and_a_file_may_lack_its_last_line_break(memory):
    imported = memory.import_(io.BytesIO(b"\xff\nnot json\n" + HEADER + lines(node("n", "text")).rstrip()))
    assert (imported.nodes_created, [each.line for each in imported.rejections]) == (1, [1, 2])


def test_the_answer_names_the_first_thousand_and_counts_all(sqlite_memory, tmp_path):
    rejects = tmp_path / "rejects.jsonl"
    imported = sqlite_memory.import_(io.BytesIO(HEADER + b"x\n" * 1_500), rejects=rejects)
    assert (imported.rejected, len(imported.rejections)) == (1_500, 1_000)
    assert len(rejects.read_text().splitlines()) == 1_501


def test_the_report_tells_no_secret_of_a_line_that_names_itself_by_one(memory):
    rows = (
        {"type": "entity", "name": "Mika", "entityType": "person", "observations": ["likes tea"]},
        {"type": "relation", "from": "Mika", "to": "Nobody", "relationType": "password: hunter2!Xy9"},
        {"type": "relation", "from": "Mika", "to": "Nobody", "relationType": "mails joe@firma.de"},
    )
    imported = memory.import_(io.BytesIO("\n".join(map(json.dumps, rows)).encode()))
    assert imported.rejected == 2
    told = " ".join(f"{rejection.id} {rejection.reason}" for rejection in imported.rejections)
    assert "Mika" in told
    assert "hunter2" not in told
    assert "joe@" not in told


def test_a_file_of_rejects_can_be_mended_and_imported(memory, tmp_path):
    rejects = tmp_path / "rejects.jsonl"
    records = [
        node("a", "one"),
        node("b", "two", version="2"),
        edge("b", "a"),
        {**node("c", "x"), "content": "lone \ud800"},
    ]
    imported = memory.import_(lines(HEADER, *records).splitlines(), rejects=rejects)
    assert (imported.nodes_created, imported.rejected, imported.edges_skipped) == (1, 3, 1)
    header, *told = map(json.loads, rejects.read_text().splitlines())
    assert header["type"] == "wherefrom"
    assert [each["record"] for each in sorted(told, key=lambda each: each["line"])] == records[1:]
    assert {each["type"] for each in told} == {"rejected"}
    assert rejects.stat().st_mode & 0o077 == 0
    mended = rejects.read_text().replace('"version": "2"', '"version": 2')
    again = memory.import_(io.StringIO(mended))
    assert (again.nodes_created, again.edges_created, again.rejected) == (1, 1, 1)


def test_where_rejects_go(memory, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    good = lines(HEADER, node("a", "one"))
    with pytest.raises(InvalidInput, match="already there"):
        memory.import_(io.BytesIO(good), rejects=taken)
    with pytest.raises(StoreUnavailable):
        memory.import_(io.BytesIO(good), rejects=tmp_path / "no-folder" / "rejects")
    assert memory.list().nodes == ()
    unused = tmp_path / "unused"
    assert memory.import_(io.BytesIO(good), rejects=str(unused)).nodes_created == 1
    assert not unused.exists()
    sink = io.StringIO()
    memory.import_(io.BytesIO(HEADER + b"x\n"), rejects=sink)
    assert json.loads(sink.getvalue().splitlines()[1])["record"] == "x"


def test_a_path_a_file_and_lines_are_read(memory, tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_bytes(lines(HEADER, node("a", "one")))
    assert memory.import_(str(path)).nodes_created == 1
    assert memory.import_(path).nodes_unchanged == 1
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert memory.import_(binary).nodes_unchanged == 1
        assert memory.import_(text).nodes_unchanged == 1
    assert memory.import_(path.read_text().splitlines()).nodes_unchanged == 1
    assert memory.import_(line for line in path.read_bytes().splitlines(keepends=True)).nodes_unchanged == 1
    for source in (tmp_path / "missing.jsonl", tmp_path, "", "a\0b", 5, [5]):
        with pytest.raises(InvalidInput):
            memory.import_(source)


def test_long_memos_are_split_into_memos_that_continue_each_other(memory):
    records = [node("a", "short"), node("long", LONG, title="Minutes"), edge("a", "long")]
    imported = memory.import_(stream(*records), split=True)
    assert (imported.nodes_split, imported.rejected) == (1, 0)
    parts = sorted((each for each in memory.list().nodes if each.id != "a"), key=lambda each: each.title)
    assert [each.title for each in parts] == [f"Minutes ({number}/{len(parts)})" for number in range(1, len(parts) + 1)]
    assert "".join(each.content for each in parts) == LONG
    assert parts[0].id == "long"
    assert all(each.content.endswith(".\n") and len(each.content.encode()) <= 65_536 for each in parts)
    links = {(each.source_id, each.target_id) for each in memory.relations(tag="continues").edges}
    assert links == {(after.id, before.id) for before, after in itertools.pairwise(parts)}
    before = exported(memory)
    again = memory.import_(stream(*records), split=True)
    assert again.nodes_created + again.nodes_updated + again.edges_created + again.edges_updated == 0
    assert exported(memory) == before


@pytest.mark.parametrize("sentence", ["川は北へ流れ、雨は降らない。", "河水向北流，雨不下。", "강은 북쪽으로 흐른다. "])
def test_long_memos_without_spaces_are_split_after_a_sentence(sqlite_memory, sentence):
    text = "".join(sentence.strip()[:-1] + f"{number}" + sentence.strip()[-1] + " " for number in range(4_000))
    imported = sqlite_memory.import_(stream(node("long", text)), split=True)
    parts = sqlite_memory.list().nodes
    assert (imported.nodes_split, len(parts) > 1) == (1, True)
    assert all(part.content.rstrip().endswith(sentence.strip()[-1]) for part in parts)


def test_a_secret_is_taken_out_before_a_memo_is_split(sqlite_memory):
    hidden = "x " * 32_765 + "password: hunter2hunter2 " + "y " * 32_765
    imported = sqlite_memory.import_(stream(node("long", hidden)), split=True)
    assert (imported.nodes_split, imported.redacted) == (1, {"secret": 1})
    assert "hunter2" not in "".join(each["content"] for each in exported(sqlite_memory) if each["type"] == "node")


def test_personal_data_is_taken_out_before_a_memo_is_split(sqlite_memory):
    text = "word " * 13_104 + "call +81 90-1234-5678 now " + "word " * 10_000
    assert sqlite_memory.import_(stream(node("long", text)), split=True).nodes_split == 1
    stored = "".join(each["content"] for each in exported(sqlite_memory) if each["type"] == "node")
    assert "[phone]" in stored
    assert "1234" not in stored


def test_a_long_entity_of_a_reference_server_is_split_too(memory):
    line = {"type": "entity", "name": "Ada", "entityType": "person", "observations": LONG.splitlines()}
    assert memory.import_([json.dumps(line)]).rejections[0].id == "Ada"
    assert memory.import_([json.dumps(line)], split=True).nodes_split == 1
    assert memory.import_([json.dumps(line)], split=True).nodes_created == 0


def test_the_command_reports_lines_and_writes_rejects(tmp_path):
    file, rejects, url = tmp_path / "in.jsonl", tmp_path / "rejects.jsonl", str(tmp_path / "memory.db")
    file.write_bytes(bad_file())
    told = wherefrom(url, "import", str(file), "--rejects", str(rejects))
    assert "8 lines left out" in told
    assert "line 15 (long): content has" in told
    assert len(rejects.read_text().splitlines()) == len(BAD) + 1
    answer = json.loads(wherefrom(url, "import", str(file), "--split", "--json"))
    assert (answer["nodes_split"], answer["rejected"]) == (1, len(BAD) - 1)
    assert answer["rejections"][0] == {"line": 3, "id": None, "code": "invalid_input", "reason": "the line is not JSON"}
