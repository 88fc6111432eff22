"""What was made under the program's former name is found: variables, the default store, exports, backups, and no more."""

from __future__ import annotations

import gzip
import io
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from talking_for_tests import call, talk

from wherefrom import InvalidInput, Memory, config
from wherefrom.former_name import FORMER, NAME, former
from wherefrom.interfaces.cli.app import app

ROOT = Path(__file__).parent.parent
STORES = ROOT / "tests" / "net" / "stores"
# Where the old name may stand: what tells of it, what finds it, what was made under it, and tests of that.
ALLOWED = re.compile(
    r"CHANGELOG\.md|src/wherefrom/former_name\.py|src/wherefrom/.*/migrations/.*|tests/net/.*|tests/.*former.*\.py"
)
ENGLISH = {"bench/planted.py": "recollections"}


def test_no_other_file_has_the_former_name():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "src/wherefrom/former_name.py" in tracked
    for name in tracked:
        text = (ROOT / name).read_bytes().decode(errors="replace").lower()
        assert FORMER not in name.lower() or ALLOWED.fullmatch(name), name
        assert FORMER not in text.replace(ENGLISH.get(name, FORMER * 9), "") or ALLOWED.fullmatch(name), name


# --- variables --------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def unnoticed(monkeypatch):
    monkeypatch.setattr(config, "_noticed", set())


def test_a_former_variable_is_read_with_one_notice(caplog):
    environment = {f"{FORMER.upper()}_OWNER": "old", f"{FORMER.upper()}_POOL_SIZE": "3"}
    for _ in range(3):
        settings = config.load({}, environment)
        assert (settings.owner, settings.pool_size) == ("old", 3)
    assert caplog.record_tuples == [
        ("wherefrom", logging.WARNING, f"{FORMER.upper()}_{name} is read until 1.0; set WHEREFROM_{name} instead")
        for name in ("OWNER", "POOL_SIZE")
    ]


def test_the_present_variable_wins_and_the_call_before_both(caplog):
    environment = {f"{FORMER.upper()}_OWNER": "old", "WHEREFROM_OWNER": "new", f"{FORMER.upper()}_ROOT": "old"}
    settings = config.load({"root": "call"}, environment)
    assert (settings.owner, settings.root) == ("new", "call")
    assert config.load({}, {f"{FORMER.upper()}_PRIVACY": "shared", "WHEREFROM_PRIVACY": ""}).privacy == ""
    assert caplog.record_tuples == []


def test_a_malformed_former_variable_is_named_as_it_was_set():
    with pytest.raises(InvalidInput, match=f"{FORMER.upper()}_POOL_SIZE"):
        config.load({}, {f"{FORMER.upper()}_POOL_SIZE": "x"})


def test_every_setting_has_its_former_variable():
    for setting in config.SETTINGS:
        assert former(config.variable_of(setting.name)) == f"{FORMER.upper()}_{setting.name.upper()}"


def started(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", NAME, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_notice_reaches_standard_error_and_never_standard_output(tmp_path):
    given = {f"{FORMER.upper()}_DB": str(tmp_path / "memory.db")}
    Memory.open(tmp_path / "memory.db").close()
    process = started("list", "--json", **given)
    assert json.loads(process.stdout)["items"] == []
    assert process.stderr == f"{FORMER.upper()}_DB is read until 1.0; set WHEREFROM_DB instead\n"
    server = subprocess.run(
        [sys.executable, "-m", NAME, "mcp"], env={**os.environ, **given}, input="", capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert server.stdout == ""
    assert server.stderr.count("set WHEREFROM_DB instead") == 1


# --- the default store ------------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where a user's data are."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("WHEREFROM_PRIVACY")
    return tmp_path


def unpack(name, target):
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.write_bytes(gzip.decompress((STORES / f"{name}.gz").read_bytes()))
    return target


@pytest.fixture
def old_file(home):
    """A store that the old program left at its default place, with rows that are only in its log."""
    unpack("memory.db-wal", home / FORMER / "memory.db-wal")
    return unpack("memory.db", home / FORMER / "memory.db")


def test_the_former_default_file_is_used_where_it_lies(home, old_file):
    with Memory.open() as memory:
        assert memory.info().location == str(old_file)
        assert len(memory.list().nodes) > 5
        memory.save("a new memo")
        note = memory.status().note
    assert note is not None
    assert str(old_file) in note
    assert "`wherefrom move` brings it over" in note
    assert not (home / NAME).exists()


def test_the_new_file_wins_and_says_nothing(home, old_file):
    (home / NAME).mkdir()
    Memory.open(home / NAME / "memory.db").close()
    with Memory.open() as memory:
        assert memory.info().location == str(home / NAME / "memory.db")
        assert memory.status().note is None
    assert old_file.exists()


def test_without_either_file_the_new_one_is_made(home):
    (home / FORMER).mkdir()
    with Memory.open() as memory:
        assert memory.info().location == str(home / NAME / "memory.db")
        assert memory.status().note is None
    assert list((home / FORMER).iterdir()) == []


def test_command_and_server_say_where_the_store_lies(old_file):
    from typer.testing import CliRunner

    shown = CliRunner().invoke(app, ["status"])
    assert shown.output.startswith(f"the store lies under the program's former name, in {old_file}; `wherefrom move`")
    assert "wherefrom move" in json.loads(CliRunner().invoke(app, ["status", "--json"]).output)["note"]

    async def conversation(client):
        return await call(client, "get_status")

    assert "wherefrom move" in talk(str(old_file), conversation)["note"]


def test_a_store_that_is_moved_while_it_is_opened_is_opened_where_it_is_then(home, old_file, monkeypatch):
    from wherefrom.api import opening
    from wherefrom.storage.move import move

    open_place, places = opening._opened, []

    def opened(url, settings, **how):
        if not places:
            move(old_file, home / NAME / "memory.db")
        places.append(url)
        return open_place(url, settings, **how)

    monkeypatch.setattr(opening, "_opened", opened)
    with Memory.open() as memory:
        assert memory.info().location == str(home / NAME / "memory.db")
        assert len(memory.list().nodes) > 5
    assert places == [str(old_file), str(home / NAME / "memory.db")]


# --- exports and backups ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_an_export_of_the_former_name_imports_and_is_written_with_the_present_one(url, dialect):
    lines = (STORES / f"export.{dialect}.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    assert json.loads(lines[0])["type"] == FORMER
    with Memory.open(url, privacy=None) as memory:
        imported = memory.import_(lines)
        assert imported.rejected == 0
        assert imported.nodes_created > 20
        again = memory.import_(lines)
        assert (again.nodes_created, again.rejected) == (0, 0)
        written = io.StringIO()
        memory.export(written)
    header = json.loads(written.getvalue().splitlines()[0])
    assert header["type"] == NAME
    assert header["format"] == json.loads(lines[0])["format"]


def test_rejected_lines_of_a_former_export_can_be_imported_again(sqlite_memory):
    header = (STORES / "export.sqlite.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[0]
    rejects = io.StringIO()
    assert sqlite_memory.import_([header, "no JSON\n"], rejects=rejects).rejected == 1
    assert sqlite_memory.import_(rejects.getvalue().splitlines(keepends=True)).rejected == 1


def test_a_header_of_a_third_name_is_refused(sqlite_memory):
    with pytest.raises(InvalidInput, match="header"):
        sqlite_memory.import_(['{"type": "another", "format": 1}\n'])


def test_backups_of_the_former_name_are_read(home, url):
    with Memory.open(unpack("backup.db", home / "backup.db")) as memory:
        assert len(memory.list().nodes) > 5
        memory.embed()
        assert memory.doctor().ok
    with Memory.open(url) as memory:
        lines = unpack("backup.postgres.jsonl", home / "backup.jsonl")
        assert memory.import_(lines).rejected == 0
