"""A SQLite file that one may read and not write: reading works in full, writing says why it does not."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from raw_client_for_tests import RawClient, tool_call
from talking_for_tests import answer_in_message

from wherefrom import Memory, StoreUnavailable
from wherefrom.storage.sqlite import may_only_be_read
from wherefrom.storage.sqlite_read_only import ReadOnlySqliteDatabase

KILLED = (
    "import os, sys; from wherefrom import Memory; memory = Memory.open(sys.argv[1]);"
    "memory.save('left in the log'); os._exit(0)"
)
_DROP_FROM_BOUNDING_SET = 24
_OVERRIDE, _READ_SEARCH = 1, 2


def obey_permissions():
    """Let permission bits bind the process that starts, even if it is root."""
    if os.geteuid() == 0:
        system = ctypes.CDLL(None)
        for capability in (_OVERRIDE, _READ_SEARCH):
            system.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


def run(*command, check=True):
    """A command of its own that permission bits bind."""
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=check, preexec_fn=obey_permissions)


def wherefrom(url, *arguments, check=True):
    return run(sys.executable, "-m", "wherefrom", *arguments, "--db", str(url), check=check)


@pytest.fixture(scope="module", autouse=True)
def _permissions_bind(tmp_path_factory):
    file = tmp_path_factory.mktemp("bits") / "file"
    file.touch(mode=0o444)
    done = run(sys.executable, "-c", f"import os; print(os.access({str(file)!r}, os.W_OK))")
    if done.stdout != "False\n":
        pytest.skip("permission bits do not bind this user, and that cannot be changed here")


@contextmanager
def kept_from_writing(folder, mode=0o555):
    """A folder, and the files in it, that may only be read."""
    files = list(folder.iterdir())
    for file in files:
        file.chmod(0o444)
    folder.chmod(mode)
    try:
        yield
    finally:
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.chmod(0o644)


@pytest.fixture
def folder(tmp_path, sqlite_store):
    """A folder with a memory of three memos, one of them linked."""
    made = tmp_path / "store"
    made.mkdir()
    shutil.copy(sqlite_store, made / "m.db")
    with Memory.open(made / "m.db") as memory:
        first = memory.save("The bridge over the river is open.", title="Bridge").node
        second = memory.save("The ferry does not run in winter.").node
        memory.save("Bread needs flour.")
        memory.relate(first.id, second.id, tag="replaces", weight=0.5)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    "mode",
    [pytest.param(0o555, id="folder closed"), pytest.param(0o755, id="folder open", marks=pytest.mark.long)],
)
def test_everything_that_reads_works_and_leaves_no_file_behind(folder, mode):
    url = folder / "m.db"
    with kept_from_writing(folder, mode):
        before = sorted(folder.iterdir())
        found = json.loads(wherefrom(url, "search", "is the bridge open?", "--json").stdout)
        assert found["items"][0]["title"] == "Bridge"
        assert found["arms"] == ["text", "vectors"]
        assert len(json.loads(wherefrom(url, "list", "--json").stdout)["items"]) == 3
        rows = json.loads(wherefrom(url, "sql", "select count(*) as n from memos", "--json").stdout)
        assert rows["rows"] == [{"n": 3}] or rows["rows"] == [[3]]
        assert json.loads(wherefrom(url, "walk", found["items"][0]["id"], "--json").stdout)["edges"]
        assert "healthy" not in wherefrom(url, "doctor", check=False).stderr
        assert wherefrom(url, "export", "-").stdout.count("\n") > 3
        assert sorted(folder.iterdir()) == before


def test_over_mcp_it_reads_recalls_without_keeping_and_refuses_to_save(folder):
    with kept_from_writing(folder), RawClient(folder / "m.db", before=obey_permissions) as client:
        client.send(tool_call(1, "memory_activate", query="is the bridge open?"))
        recalled = answer_in_message(client.answer())
        assert recalled["items"][0]["title"] == "Bridge"
        assert any("not kept" in why for why in recalled["degraded"])
        client.send(tool_call(2, "memory_activate", active_context_id=recalled["active_context_id"]))
        assert refused(client.answer()) == "not_found"
        client.send(tool_call(3, "memory_save", content="new"))
        answer = client.answer()
        assert refused(answer) == "store_unavailable"
        error = json.loads(answer["result"]["content"][0]["text"])["error"]
        assert "may only be read" in error["message"]
        assert "right to write" in error["hint"]
        client.send(tool_call(4, "memory_feedback", memo_id=recalled["items"][0]["id"], signal="helpful"))
        assert refused(client.answer()) == "store_unavailable"
        client.send(tool_call(5, "metabolize"))
        assert answer_in_message(client.answer())["state"] == "planned"
        assert client.hang_up() == []
        assert client.wait() == 0
        assert client.stderr == b""


def refused(answer):
    return json.loads(answer["result"]["content"][0]["text"])["error"]["code"]


def test_a_reader_sees_what_a_writer_adds_before_and_after_it_has_closed(folder):
    """First through the writer's own -wal file, then in the file itself, then through a new -wal."""
    url = folder / "m.db"
    reader = ReadOnlySqliteDatabase(url, busy_timeout_ms=1000)

    def count():
        return reader.read(lambda tx: tx.row("event_total", {"owner": "local"}))[0]

    known = count()
    for _ in range(3):
        with Memory.open(url) as writer:
            for _ in range(5):
                writer.save(f"memo {known}")
                assert count() > known
                known = count()
        assert not Path(f"{url}-wal").exists()
        assert count() == known
    reader.close()


def test_a_read_during_which_somebody_wrote_is_done_again(folder):
    url = folder / "m.db"
    reader = ReadOnlySqliteDatabase(url, busy_timeout_ms=1000)
    times = []

    def look(tx):
        first = tx.row("event_total", {"owner": "local"})
        if not times:
            with Memory.open(url) as writer:
                writer.save("meanwhile")
        times.append(first)
        return first

    before = reader.read(lambda tx: tx.row("event_total", {"owner": "local"}))
    assert reader.read(look) > before
    assert len(times) == 2
    reader.close()


def test_what_waits_in_the_wal_file_is_read_too(folder):
    """A writer that was killed leaves it; the reader may not put it into the file."""
    url = folder / "m.db"
    run(sys.executable, "-c", KILLED, str(url))
    assert Path(f"{url}-wal").stat().st_size
    with kept_from_writing(folder):
        listed = json.loads(wherefrom(url, "list", "--json").stdout)["items"]
        assert listed[0]["content"] == "left in the log"
        rows = wherefrom(url, "sql", "select content from memos where content like 'left%'").stdout
        assert "left in the log" in rows


def test_what_waits_in_a_wal_file_that_cannot_be_read_is_not_passed_over(folder):
    url = folder / "m.db"
    run(sys.executable, "-c", KILLED, str(url))
    Path(f"{url}-shm").unlink()
    with kept_from_writing(folder):
        done = wherefrom(url, "list", check=False)
        assert done.returncode == 5
        assert "store_unavailable" in done.stderr
        assert "hint: open it once as a user who may write" in done.stderr


def test_a_file_that_may_be_written_in_a_folder_that_may_not_is_read(folder):
    url = folder / "m.db"
    folder.chmod(0o555)
    try:
        assert "3" in wherefrom(url, "sql", "select count(*) from memos").stdout
        assert wherefrom(url, "save", "x", check=False).returncode == 5
    finally:
        folder.chmod(0o755)


def test_a_backup_which_has_no_wal_mode_is_read(folder, tmp_path):
    target = tmp_path / "backup"
    target.mkdir()
    with Memory.open(folder / "m.db") as memory:
        memory.backup(target / "b.db")
    with kept_from_writing(target):
        assert len(json.loads(wherefrom(target / "b.db", "list", "--json").stdout)["items"]) == 3


def test_a_file_of_an_older_version_that_may_only_be_read_is_refused_with_a_hint(folder):
    connection = apsw.Connection(str(folder / "m.db"))
    connection.execute("delete from schema_migrations where version = (select max(version) from schema_migrations)")
    connection.close()
    with pytest.raises(StoreUnavailable, match="open it once"):
        ReadOnlySqliteDatabase(folder / "m.db", busy_timeout_ms=1000)


def test_another_program_s_file_and_an_unreadable_one_are_refused(tmp_path):
    (tmp_path / "text.db").write_bytes(b"not a database " * 100)
    with kept_from_writing(tmp_path):
        assert wherefrom(tmp_path / "text.db", "list", check=False).returncode == 5
        (tmp_path / "text.db").chmod(0o000)
        done = wherefrom(tmp_path / "text.db", "list", check=False)
        assert done.returncode == 5
        assert "Traceback" not in done.stderr


def test_what_may_be_written_is_opened_for_writing(folder):
    assert not may_only_be_read(folder / "m.db")
    assert not may_only_be_read(folder / "missing.db")
