"""The command line, as a person or a script uses it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shlex
import subprocess
import sys
from functools import partial

import pytest
from forking_for_tests import wherefrom_command

from wherefrom import Memory


@pytest.fixture
def wherefrom(url):
    """Runs a command on a database of its own."""

    def run(*arguments, stdin=None, code=0, database=True, anew=False):
        extra = ["--db", url] if database else []
        start = (sys.executable, "-m", "wherefrom") if anew else wherefrom_command()
        process = subprocess.run(
            [*start, *arguments, *extra],
            input=stdin,
            capture_output=True,
            timeout=60,
            check=False,
        )
        out, err = process.stdout.decode(), process.stderr.decode()
        assert process.returncode == code, (process.returncode, out, err)
        assert "Traceback" not in err, err
        return out if code == 0 else err

    return run


def test_a_command_imports_only_what_it_needs(tmp_path):
    code = (
        "import sys\nfrom wherefrom.__main__ import main\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules, file=sys.stderr)"
    )

    def imported(*arguments):
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(done.stderr.split())

    assert not imported("--version") & {"typer", "rich", "wherefrom.api"}
    assert not imported("--help") & {"mcp", "numpy", "rich", "pydantic", "wherefrom.storage", "wherefrom.engine.view"}
    Memory.open(tmp_path / "m.db").close()
    listed = imported("list", "--db", str(tmp_path / "m.db"))
    assert "wherefrom.api.memos" in listed
    assert not listed & {"mcp", "numpy", "wherefrom.api.upkeep", "wherefrom.evidence.documents.add"}


@pytest.mark.parametrize(
    ("url", "anew"),
    [
        ("sqlite", False),
        pytest.param("postgres", False, marks=pytest.mark.slow),
        pytest.param("sqlite", True, marks=pytest.mark.long),  # once with all that each command imports itself
    ],
    indirect=["url"],
)
def test_a_day_in_the_life(wherefrom, anew, tmp_path):
    wherefrom = partial(wherefrom, anew=anew)
    a = json.loads(wherefrom("save", "first memo", "--title", "A", "--metadata", '{"k": 1}', "--json"))["memo"]["id"]
    b = json.loads(wherefrom("save", "-", "--namespace", "sub", "--json", stdin="zweite 日本語\n".encode()))["memo"][
        "id"
    ]
    assert "already there" in wherefrom("save", "first memo")
    assert json.loads(wherefrom("get", b, "--json"))["content"] == "zweite 日本語\n"
    assert "first memo" in wherefrom("get", a)
    wherefrom("relate", a, b, "--tag", "supports", "--weight", "0.75", "--reason", "because")
    assert json.loads(wherefrom("relations", "--json"))["edges"][0]["weight"] == 0.75
    assert "supports" in wherefrom("walk", a)
    assert [item["id"] for item in json.loads(wherefrom("list", "--json"))["items"]] == [b, a]
    assert "main/sub" in wherefrom("namespaces")
    assert a[-8:] in wherefrom("search", "what was the first?")
    assert json.loads(wherefrom("search", "日本", "--json"))["items"][0]["id"] == b
    assert wherefrom("reindex") == "2 texts indexed\n"
    wherefrom("rename", "sub", "moved")
    assert json.loads(wherefrom("get", b, "--json"))["namespace"] == "main/moved"
    wherefrom("export", str(tmp_path / "out.jsonl"))
    wherefrom("unrelate", a, b, "--tag", "supports")
    assert "and 0 relations" in wherefrom("delete", a)
    assert "1 node created" in wherefrom("import", str(tmp_path / "out.jsonl"))
    wherefrom("backup", str(tmp_path / "copy"))
    assert json.loads(wherefrom("doctor", "--json"))["info"]["sizes"]["memos"] == 2
    assert "schema" in wherefrom("info")
    assert len(wherefrom("export").splitlines()) == 4


@pytest.mark.slow
@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_commands_that_start_anew_import_all_that_they_need(wherefrom, tmp_path):
    wherefrom("save", "first memo", anew=True)
    assert "first memo" in wherefrom("search", "what was the first?", anew=True)
    wherefrom("export", str(tmp_path / "out.jsonl"), anew=True)
    assert "schema" in wherefrom("info", anew=True)


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["get", "01900000-0000-7000-8000-000000000000"], 3, "not_found"),
        (["get", "no id!"], 3, "not_found"),
        (["get", " "], 2, "invalid_input"),
        (["save", ""], 2, "invalid_input"),
        (["save", "x", "--metadata", "{"], 2, "invalid_input"),
        (["save", "x", "--namespace", "../x"], 2, "invalid_namespace"),
        (["list", "--limit", "0"], 2, "invalid_input"),
        (["relate", "a", "b", "--tag", "x", "--weight", "nan"], 2, "invalid_input"),
        (["walk", "a", "--direction", "up"], 2, "invalid_input"),
        (["import", "no-such-file"], 2, "invalid_input"),
        (["rename", "a", "b"], 3, "not_found"),
        (["export", "/no-such-folder/x"], 5, "store_unavailable"),
        (["backup", "/no-such-folder/x"], 5, "store_unavailable"),
    ],
)
@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True)
def test_errors_have_codes_for_scripts_and_hints_for_people(wherefrom, arguments, code, error):
    assert wherefrom(*arguments, code=code).startswith(f"{error}: ")
    assert json.loads(wherefrom(*arguments, "--json", code=code))["error"]["code"] == error


def test_an_unreachable_database_is_exit_code_5(wherefrom):
    assert "store_unavailable" in wherefrom("list", "--db", "/no-such-folder/x.db", code=5, database=False)


def test_stored_text_cannot_reach_the_terminal_as_commands(wherefrom, url):
    with Memory.open(url) as memory:
        memo = memory.save("\x1b]0;owned\x07\x1b[31mred [bold]not markup[/bold] \u202e", title="\x1b[2J").node.id
    for out in (wherefrom("list"), wherefrom("get", memo)):
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "\u202e" not in out
    assert "[bold]not markup[/bold]" in wherefrom("get", memo)


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    db = tmp_path / "m.db"
    with Memory.open(db) as memory:
        for number in range(10):
            memory.save(f"{number} " + "x" * 30_000)
    command = f"{sys.executable} -m wherefrom export --db {db} | head -n 1"
    process = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=True)
    assert process.stdout.startswith('{"type":"wherefrom"')
    assert process.stderr == ""


@pytest.mark.parametrize("command", ["export", "list --json", "list"])
def test_a_full_disk_is_said(tmp_path, command):
    db = tmp_path / "m.db"
    with Memory.open(db) as memory:
        memory.save("x" * 1000)
    line = f"{shlex.join(wherefrom_command())} {command} --db {db} > /dev/full"
    process = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 5
    assert "store_unavailable" in process.stderr
    assert "cannot write the output" in process.stderr
    assert "Traceback" not in process.stderr


def test_output_is_utf_8_whatever_the_locale(tmp_path):
    db = tmp_path / "m.db"
    with Memory.open(db) as memory:
        memory.save("日本語")
    for command in ("list", "export"):
        process = subprocess.run(
            [sys.executable, "-m", "wherefrom", command, "--db", str(db)],
            capture_output=True,
            timeout=60,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        )
        assert "日本語" in process.stdout.decode("utf-8")


def test_exports_are_private(tmp_path):
    db = tmp_path / "m.db"
    Memory.open(db).close()
    out = tmp_path / "out.jsonl"
    subprocess.run([*wherefrom_command(), "export", str(out), "--db", str(db)], check=True, capture_output=True)
    assert out.stat().st_mode & 0o077 == 0


def test_the_version_is_told():
    process = subprocess.run(
        [sys.executable, "-m", "wherefrom", "--version"], capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == importlib.metadata.version("wherefrom")


def test_the_demo_runs_from_start_to_end(tmp_path):
    process = subprocess.run(
        [*wherefrom_command(), "demo", "--keep", str(tmp_path / "demo.db")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert " setup claude-code " in process.stdout
    assert process.stdout.splitlines()[-1].strip() == "make serve"
    assert "FAILED" not in process.stdout
    assert "チームで共有" in process.stdout
    assert " is applied: " in process.stdout


def test_distribute_makes_no_file_where_there_is_none(tmp_path):
    file = tmp_path / "none.db"
    process = subprocess.run(
        [sys.executable, "-m", "wherefrom", "distribute", "--db", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, "there is no memory at" in process.stderr) == (5, True)
    assert list(tmp_path.iterdir()) == []


def test_help_names_every_command():
    process = subprocess.run([sys.executable, "-m", "wherefrom", "--help"], capture_output=True, text=True, check=True)
    for name in (
        "save",
        "get",
        "list",
        "delete",
        "relate",
        "relations",
        "walk",
        "path",
        "unrelate",
        "namespaces",
        "rename",
        "export",
        "import",
        "backup",
        "info",
        "doctor",
        "demo",
        "mcp",
    ):
        assert f" {name} " in process.stdout, name
