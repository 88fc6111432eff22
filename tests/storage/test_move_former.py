"""`wherefrom move`: a store of the former name comes over with its log, or stays whole where it is."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import apsw
import pytest
from forking_for_tests import wherefrom_command
from typer.testing import CliRunner

from wherefrom import Conflict, Memory, NotFound, StoreBusy, StoreError, StoreUnavailable
from wherefrom.former_name import FORMER, NAME
from wherefrom.interfaces.cli.app import app
from wherefrom.storage import move as moving
from wherefrom.storage.move import move

STORES = Path(__file__).parent.parent / "net" / "stores"
# Dies before the n-th thing that it does to files below a folder; other file systems, if asked for, are pretended.
DYING = """
import errno, os, signal, sys
from pathlib import Path
from wherefrom.storage.move import move
folder, last, across, source, target = sys.argv[1:]
left = int(last)
def watch(event, given):
    global left
    if event.startswith(("open", "os.")) and any(str(one).startswith(folder) for one in given):
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
rename = Path.rename
def refusing(self, to):
    if self.parent != Path(to).parent:
        raise OSError(errno.EXDEV, "another file system")
    return rename(self, to)
if across == "across":
    Path.rename = refusing
sys.addaudithook(watch)
move(Path(source), Path(target))
"""


def unpack(name, target):
    target.write_bytes(gzip.decompress((STORES / f"{name}.gz").read_bytes()))


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The former and the new default place; the store at the former one has rows that are only in its log."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    return laid(tmp_path)


def laid(folder):
    source, target = folder / FORMER / "memory.db", folder / NAME / "memory.db"
    source.parent.mkdir(mode=0o700)
    unpack("memory.db", source)
    unpack("memory.db-wal", Path(f"{source}-wal"))
    source.chmod(0o600)
    return source, target


def content(path):
    """All rows of a store, and whether it is whole."""
    connection = apsw.Connection(str(path))
    tables = [name for (name,) in connection.execute("select name from sqlite_schema where type = 'table'")]
    digest = hashlib.sha256()
    for name in sorted(name for name in tables if "fts" not in name and not name.startswith("sqlite")):
        for row in sorted(map(repr, connection.execute(f'select * from "{name}"'))):
            digest.update(row.encode())
    contexts = connection.execute("select count(*) from active_contexts").fetchone()
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()
    return digest.hexdigest(), contexts


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    source, _ = laid(tmp_path_factory.mktemp("whole"))
    found = content(source)
    assert found[1] == (1,), "it is in the log alone"
    return found


def test_a_store_comes_over_with_its_log(places, whole):
    source, target = places
    moved = move(source, target)
    assert (moved.source, moved.target, moved.moved) == (str(source), str(target), True)
    assert not source.parent.exists()
    assert [path.name for path in target.parent.iterdir()] == ["memory.db"], "all of it is in the file"
    assert target.stat().st_mode & 0o777 == 0o600
    assert target.parent.stat().st_mode & 0o777 == 0o700
    assert content(target) == whole
    with Memory.open() as memory:
        assert memory.info().location == str(target)
        assert memory.status().note is None
        memory.embed()
        assert memory.doctor().ok


def test_doing_it_again_changes_nothing(places, whole):
    source, target = places
    move(source, target)
    assert move(source, target).moved is False
    assert content(target) == whole


def test_without_a_store_there_is_nothing_to_move(tmp_path):
    with pytest.raises(NotFound):
        move(tmp_path / FORMER / "memory.db", tmp_path / NAME / "memory.db")
    assert list(tmp_path.iterdir()) == []


def test_another_store_is_never_overwritten(places, whole):
    source, target = places
    target.parent.mkdir()
    Memory.open(target).close()
    before = target.read_bytes()
    with pytest.raises(Conflict, match="already") as raised:
        move(source, target)
    assert raised.value.hint
    assert target.read_bytes() == before
    assert content(source) == whole


def test_a_store_that_another_process_has_open_stays(places, whole):
    source, target = places
    other = subprocess.Popen(
        [*wherefrom_command(), "-c", "import sys; from wherefrom import Memory\n"
         "with Memory.open(sys.argv[1]) as memory:\n memory.list(); print('open', flush=True); input()", str(source)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with other:
        assert other.stdout.readline() == "open\n"
        with pytest.raises(StoreBusy, match="another process"):
            move(source, target)
        assert not target.parent.exists()
        other.communicate("\n")
    assert other.returncode == 0
    move(source, target)
    assert content(target)[1] == (1,)


def test_who_waits_for_the_lock_does_not_write_to_the_moved_file(places):
    """It opened the file under its old name: with a log beside that name two logs would belong to one file."""
    source, target = places
    waiting = "import sys; from wherefrom import Memory\nprint('waits', flush=True)\nMemory.open(sys.argv[1])"
    with moving._alone(source):
        other = subprocess.Popen(
            [*wherefrom_command(), "-c", waiting, str(source)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert other.stdout.readline() == "waits\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(2)
        target.parent.mkdir()
        source.rename(target)
        before = target.read_bytes()
    _, error = other.communicate(timeout=60)
    assert "StoreUnavailable" in error, error
    assert target.read_bytes() == before
    assert not Path(f"{source}-wal").exists()


def test_a_damaged_store_stays(places):
    source, target = places
    move(source, target)
    source.parent.mkdir()
    data = bytearray(target.read_bytes())
    target.unlink()
    for page in range(3, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    source.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        move(source, target)
    assert source.read_bytes() == data
    assert not target.exists()


@pytest.mark.parametrize("content", [b"no database at all, just some text " * 40, None])
def test_what_is_no_store_stays(tmp_path, content):
    source, target = tmp_path / FORMER / "memory.db", tmp_path / NAME / "memory.db"
    source.parent.mkdir()
    if content is None:
        connection = sqlite3.connect(source)
        connection.execute("create table somebody_elses (a)")
        connection.close()
    else:
        source.write_bytes(content)
    with pytest.raises(StoreUnavailable):
        move(source, target)
    assert source.exists()
    assert not target.exists()


def test_the_cache_comes_along_and_files_of_others_stay(places):
    source, target = places
    Path(f"{source}-vectors").write_bytes(b"cache")
    (source.parent / "notes.txt").write_text("mine")
    move(source, target)
    assert Path(f"{target}-vectors").read_bytes() == b"cache"
    assert [path.name for path in source.parent.iterdir()] == ["notes.txt"]


def test_a_link_moves_and_the_file_that_it_leads_to_stays(places, whole, tmp_path):
    source, target = places
    kept = tmp_path / "kept.db"
    source.rename(kept)
    Path(f"{source}-wal").rename(f"{kept}-wal")
    source.symlink_to(kept)
    assert move(source, target).moved
    assert target.is_symlink()
    assert not source.parent.exists()
    assert content(target) == whole
    source.parent.mkdir()
    source.symlink_to(kept)  # as if it had been cut off before the old link went
    assert move(source, target).moved
    assert not os.path.lexists(source)


def test_a_folder_that_is_a_link_to_the_other_is_left_alone(places, whole):
    source, target = places
    target.parent.symlink_to(source.parent)
    assert move(source, target).moved is False
    assert content(source) == whole


@pytest.mark.slow
@pytest.mark.parametrize("across", ["within", "across"])
def test_a_kill_at_any_step_leaves_a_whole_store_and_a_repeat_completes_it(tmp_path, whole, across, monkeypatch):
    died = 0
    for last in range(100):
        folder = tmp_path / str(last)
        folder.mkdir()
        source, target = laid(folder)
        process = subprocess.run(
            [*wherefrom_command(), "-c", DYING, str(folder), str(last), across, str(source), str(target)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.stderr
        died += 1
        there = [path for path in (source, target) if path.exists()]
        if len(there) == 2:
            assert source.read_bytes() == target.read_bytes()
        monkeypatch.setenv("XDG_DATA_HOME", str(folder))
        with Memory.open() as memory:  # and is used, before it is moved again
            assert len(memory.list().nodes) > 5
            memory.save("used meanwhile")
        move(source, target)
        assert not source.exists()
        with Memory.open() as memory:
            assert memory.info().location == str(target)
            assert memory.search("used meanwhile").hits[0].node.content == "used meanwhile"
            memory.embed()
            assert memory.doctor().ok
        assert not [path for path in target.parent.iterdir() if "mov" in path.name]
    assert died >= (4 if across == "within" else 8)
    assert content(target) == whole


def test_a_copy_that_was_left_at_the_old_place_and_used_there_is_not_removed(places, whole):
    """Cut off after the copy was in its place; then somebody wrote to the old file by its name."""
    source, target = places
    with moving._alone(source) as file:
        target.parent.mkdir()
        moving._copy(file, source, target)
        source.write_bytes(target.read_bytes())
        Path(f"{target}-moved-from").write_text(json.dumps([moving._state(source), target.stat().st_ino]))
    connection = sqlite3.connect(source)
    connection.execute("create table written_since (a)")
    connection.close()
    with pytest.raises(Conflict):
        move(source, target)
    assert content(target) == whole


def test_a_store_that_was_made_at_the_new_place_meanwhile_is_not_taken_for_the_copy(places, whole):
    """Cut off before the copy had its name; then somebody made another store there."""
    source, target = places
    target.parent.mkdir()
    Path(f"{target}-moving").write_bytes(source.read_bytes())
    note = [moving._state(source), Path(f"{target}-moving").stat().st_ino]
    with Memory.open(target) as memory:
        memory.save("something else")
    with moving._alone(source):
        note[0] = moving._state(source)
    Path(f"{target}-moved-from").write_text(json.dumps(note))
    with pytest.raises(Conflict):
        move(source, target)
    assert content(source) == whole


def test_the_command(places):
    source, target = places
    run = CliRunner().invoke
    assert run(app, ["move"]).output == f"moved {source} to {target}\n"
    assert json.loads(run(app, ["move", "--json"]).output) == {
        "source": str(source),
        "target": str(target),
        "moved": False,
    }
    assert run(app, ["move"]).output == f"the store is at {target} already\n"


@pytest.mark.parametrize("variable", ["WHEREFROM_DB", f"{FORMER.upper()}_DB"])
def test_a_variable_that_names_the_old_place_is_told(places, monkeypatch, variable):
    source, target = places
    for value in (str(source), f"sqlite:///{source}"):
        monkeypatch.setenv(variable, value)
        refused = CliRunner().invoke(app, ["move"])
        assert refused.exit_code == 4
        assert "names" in refused.output
    assert source.exists()
    assert not target.exists()
