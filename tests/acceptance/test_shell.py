"""The command line as people use it: help that helps, examples that run, completion, questions and progress on a
terminal, and a store that is not made by mistake.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from forking_for_tests import wherefrom_command
from import_for_tests import put
from talking_for_tests import on_terminal, run_command, wherefrom
from typer.main import get_command
from typer.testing import CliRunner

from wherefrom import Memory, NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.former_name import FORMER
from wherefrom.interfaces.cli import completion
from wherefrom.interfaces.cli.app import app, entry_of, groups

COMMANDS = get_command(app).commands
ALL = [
    f"{word} {below}".strip()
    for word, command in sorted(COMMANDS.items())
    for below in getattr(command, "commands", [""])
]
# The servers read their options by themselves.
SERVERS = ("mcp", "serve")
HELPFUL = [command for command in ALL if command not in SERVERS]
EXAMPLES = [
    example
    for commands in groups().values()
    for entry in commands.values()
    for example in re.findall(r"(?:.*\\\n)*.*\n", "".join(f"{line}\n" for line in entry.examples))
    # The one goes on until it is ended, the other needs several servers.
    if not example.startswith(("wherefrom serve", "wherefrom distribute"))
]


# --- help -------------------------------------------------------------------------------------------------------------


def test_every_command_is_in_one_group_and_has_examples():
    listed = [command for commands in groups().values() for command in commands]
    assert len(listed) == len(set(listed))
    assert set(ALL) | {"config"} == set(listed)
    for command in listed:
        entry = entry_of(command)
        assert entry.examples, command
        assert len(entry.about) <= 60, command
        assert all(len(line) <= 90 for line in entry.examples), command


def test_help_lists_the_groups_on_one_screen_line_each():
    process = subprocess.run(
        [sys.executable, "-m", "wherefrom", "-h"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80"},
    )
    lines = process.stdout.splitlines()
    assert [line[:-1] for line in lines if re.fullmatch(r"[A-Z][a-z ]+:", line)] == ["Options", *groups()]
    assert {line.split()[0] for line in lines if re.match("  [a-z]", line)} == set(COMMANDS)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("command", HELPFUL)
def test_the_help_of_a_command_ends_in_its_examples(command):
    for option in ("-h", "--help"):
        shown = CliRunner().invoke(app, [*command.split(), option], prog_name="wherefrom").stdout
        assert shown.startswith(f"Usage: wherefrom {command} ")
        assert shown.endswith("".join(f"    {line}\n" for line in entry_of(command).examples))


def test_a_command_outside_of_all_groups_is_still_listed(monkeypatch):
    here = {title: dict(commands) for title, commands in groups().items()}
    del here["Upkeep"]["sweep"]
    monkeypatch.setattr("wherefrom.interfaces.cli.app.groups", lambda: here)
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert re.search(r"Others:\n  sweep +Forget receipts", shown)


# --- examples ---------------------------------------------------------------------------------------------------------

FILES = {
    "notes/plan.md": "# Plan\n\nWe deploy on Friday.\n",
    "papers.bib": "@article{a, title={Soak tests}, year={2021}, url={https://example.org/soak}}\n",
    "policy.yaml": "version: 2.0.0\n",
    "judged.jsonl": "".join(
        json.dumps({"query": query, "relevant": ["4f20a9c1"]}) + "\n"
        for query in 12 * ("soak test", "six hours", "noon")
    ),
}


@pytest.fixture(scope="session")
def example_folder(tmp_path_factory):
    """A folder with the store and the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    with Memory.open(folder / "made.db", embedder="static") as memory:
        ids = {
            "4f20a9c1": memory.save("The soak test takes six hours.", title="Soak", namespace="team").node.id,
            "9be3d07a": memory.save("It must start by noon, or nobody waits for it.", namespace="team").node.id,
            "7d15c0ee": memory.create_task("Do soak tests find leaks?").id,
        }
        memory.relate(ids["4f20a9c1"], ids["9be3d07a"], tag="precedes", weight=0.8)
        added = memory.add_evidence(
            NewPage("https://example.org/leaks", title="Leaks"),
            fragments=[NewFragment("A soak test of six hours found four leaks.")],
            claims=[NewClaim("Soak tests find some leaks.", evidence=[NewEvidence("supports", fragment=0)])],
            task_id=ids["7d15c0ee"],
        )
        ids |= {"b07d6c55": added.page.id, "c3a98b20": added.fragments[0].id, "e1b2f4a6": added.claims[0].id}
        with (folder / "memory.jsonl").open("w") as stream:
            memory.export(stream)
    text = (folder / "memory.jsonl").read_text()
    for short, long in ids.items():
        text = text.replace(long, short)
    (folder / "memory.jsonl").write_text(text)
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    with Memory.open(folder / "memory.db", embedder="static") as memory:
        memory.import_(folder / "memory.jsonl")
        (folder / "context").write_text(memory.activate("soak test").id)
        (folder / "key").write_text(memory.create_key("example").key.id)
    (folder / "wherefrom").write_text(f'#!/bin/sh\nexec {shlex.join(wherefrom_command())} "$@"\n')
    (folder / "wherefrom").chmod(0o755)
    return folder


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: " ".join(example.split()))
def test_an_example_of_the_help_runs(example, example_folder, tmp_path):
    shutil.copytree(example_folder, tmp_path, dirs_exist_ok=True)
    if " export " in example:
        (tmp_path / "memory.jsonl").unlink()
    if " move" in example:
        (tmp_path / "data" / FORMER).mkdir(parents=True)
        (tmp_path / "memory.db").rename(tmp_path / "data" / FORMER / "memory.db")
    if "unset" in example:
        (tmp_path / "config.toml").write_text('namespace = "team"\n')
    for shown, made in (("5ac1d2e3", "context"), ("a61e0b94", "key")):
        example = example.replace(shown, (tmp_path / made).read_text())
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", example],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "XDG_DATA_HOME": str(tmp_path / "data"),
            "WHEREFROM_CONFIG": str(tmp_path / "config.toml"),
            **({} if example.split()[1] in ("move", "demo") else {"WHEREFROM_DB": str(tmp_path / "memory.db")}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


# --- completion -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bash_script():
    return wherefrom_output("completion", "bash")


def wherefrom_output(*arguments):
    command = [*wherefrom_command(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sa"], {"save"}),
        (
            ["re"],
            {
                "relate",
                "relations",
                "reinforce",
                "restore",
                "rename",
                "reject",
                "reindex",
                "reembed",
                "reclassify",
                "review",
            },
        ),
        ([""], set(COMMANDS)),
        (["--"], {"--version", "--help"}),
        (["save", "--cl"], {"--claim", "--class"}),
        (["save", "--claim", ""], {"fact", "preference", "task", "policy_hint"}),
        (["save", "--claim", "=", "fa"], {"fact"}),
        (["save", "--title", ""], set()),
        (["save", "text", "--pi"], {"--pin"}),
        (["task", ""], {"create", "update"}),
        (["task", "update", "--status", "comp"], {"completed"}),
        (["evidence", "add", "--re"], {"--refutes", "--reason"}),
        (["config", "set", "embed_k"], {"embed_key"}),
        (["view", "v_evidence_t"], {"v_evidence_timeline"}),
        (["privacy", ""], {"personal", "shared"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["mcp", "--na"], {"--namespace"}),
        (["serve", "--wo"], {"--workers"}),
        (["no-such-command", "--"], set()),
    ],
)
def test_bash_completes(bash_script, words, found):
    line = ["wherefrom", *words]
    asked = (
        f"{bash_script}\ncomplete -p wherefrom\nCOMP_WORDS=({shlex.join(line)}) COMP_CWORD={len(line) - 1}\n"
        '_wherefrom\nprintf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, timeout=60, check=True)
    first, *rest = done.stdout.split("\n")
    assert first == "complete -o default -F _wherefrom wherefrom"
    assert set(filter(None, rest)) == found
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_all_commands_and_options(shell):
    script = wherefrom_output("completion", shell)
    for name, completed in completion.everything().items():
        for option in completed.options:
            plain = [spelling.lstrip("-") for spelling in option.spellings]
            assert all(f"-l {word}" in script or f"-s {word}" in script or f"-{word}" in script for word in plain), name
        assert all(word in script for word in completed.words)
    if found := shutil.which(shell):
        subprocess.run([found, "-n"], input=script, text=True, timeout=60, check=True)


# --- a store that is not there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "list", "get abc", "search x", "activate x", "similar x", "relations", "walk abc", "path a b", "context abc", "namespaces",
        "status", "view", "view v_claim_origins", "sql 'select 1'", "boundary x", "policy", "privacy", "export", "info",
        "doctor", "backup copy",
    ],
)  # fmt: skip
def test_a_command_that_only_reads_makes_no_store(command, tmp_path):
    missing = tmp_path / "typo" / "memory.db"
    for db in (missing, f"sqlite:///{missing}") if command == "list" else (missing,):
        said = wherefrom(str(db), *shlex.split(command), code=5)
        assert said.startswith(f"store_unavailable: there is no memory at {missing}")
        assert "`wherefrom save` makes a new one" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["save text", "task create why", "sweep", "embed"])
def test_a_command_that_writes_makes_the_store(command, tmp_path):
    wherefrom(str(tmp_path / "memory.db"), *command.split())
    assert (tmp_path / "memory.db").exists()


def test_without_a_memory_reading_says_so_and_makes_nothing(tmp_path):
    place = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(
            [*wherefrom_command(), "search", "x"], capture_output=True, text=True, timeout=60, check=False, env=place
        )
        assert done.returncode == 5
        assert done.stderr.startswith(
            "store_unavailable: there is no memory yet\nhint: `wherefrom save` begins one in "
        )
        assert not list(tmp_path.iterdir())
    subprocess.run([*wherefrom_command(), "save", "x"], capture_output=True, timeout=60, check=True, env=place)
    subprocess.run([*wherefrom_command(), "search", "x"], capture_output=True, timeout=60, check=True, env=place)


def test_python_may_ask_for_a_store_that_is_there(tmp_path):
    from wherefrom import StoreUnavailable

    with pytest.raises(StoreUnavailable, match="there is no memory at"):
        Memory.open(tmp_path / "m.db", create=False)
    assert not list(tmp_path.iterdir())
    Memory.open(tmp_path / "m.db").close()
    Memory.open(tmp_path / "m.db", create=False).close()


# --- on a terminal ----------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(url):
    with Memory.open(url) as memory:
        first = memory.save("The soak test takes six hours.\x1b[2J", title="So\x1b[31mak").node.id
        memory.relate(first, memory.save("It must start by noon.").node.id, tag="explains", weight=0.8)
    return first


@pytest.mark.parametrize(("typed", "code", "is_there"), [("n\n", 1, True), ("\n", 1, True), ("y\n", 0, False)])
@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True)
def test_delete_asks_on_a_terminal(url, kept, typed, code, is_there):
    got, shown = on_terminal(*wherefrom_command(), "delete", kept, "--db", url, typed=typed)
    assert got == code, shown
    assert f"memo {kept[-8:]} in main, with 1 relation:" in shown
    assert "So␛[31mak" in shown
    assert "Delete it for good? [y/N]" in shown
    assert "\x1b[2J" not in shown
    with Memory.open(url) as memory:
        assert len(memory.list().nodes) == 1 + is_there


def test_delete_does_not_ask_where_nobody_answers(url, kept):
    with Memory.open(url) as memory:
        assert memory.delete(kept, dry_run=True).edges_deleted == 1
        other = memory.save("another").node.id
    assert "deleted" in wherefrom(url, "delete", other)
    code, shown = on_terminal(*wherefrom_command(), "delete", kept, "--yes", "--db", url)
    assert code == 0
    assert "Delete it" not in shown
    assert "deleted" in shown
    assert wherefrom(url, "delete", kept, code=3).startswith("not_found")


def test_work_that_takes_long_shows_how_far_it_is(tmp_path):
    db, folder = str(tmp_path / "memory.db"), tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# Note {number}\n\nSomething is said in note {number}.\n")
    with Memory.open(db, embedder="none") as memory:
        put(memory, [f"memo {number} of three hundred" for number in range(300)])
        with (tmp_path / "out.jsonl").open("w") as stream:
            memory.export(stream)
    for command, total in (
        (("embed",), "300/300"),
        (("reembed",), ""),
        (("add", str(folder)), "3/3"),
        (("import", str(tmp_path / "out.jsonl")), "50%"),
        (("metabolize",), "5/5"),
        (("doctor",), "5/5"),
    ):
        code, shown = on_terminal(*wherefrom_command(), *command, "--db", db)
        assert code == 0, shown
        assert total in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown), command
        quiet = run_command(db, *command)
        assert quiet.stderr == "", command


# --- evidence ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def known(url):
    """A task, and a fragment of a page without a year."""
    with Memory.open(url) as memory:
        task = memory.create_task("Do soak tests find leaks?").id
        added = memory.add_evidence(
            NewPage("https://example.org/leaks", title="Leeks"),
            fragments=[NewFragment("A soak test of six hours found four leaks.")],
        )
    return {"task": task, "page": added.page.id, "fragment": added.fragments[0].id}


def test_a_claim_and_its_evidence_come_from_the_shell(url, known):
    add = ("evidence", "add", "--task", known["task"], "--claim", "Soak tests find leaks.")
    said = wherefrom(
        url, *add, "--fragment", known["fragment"], "--supports", "--confidence", "0.8", "--quote", "four leaks"
    )
    claim = re.search(r"created claim (\S+)", said)[1]
    assert "confidence 0.64 ± 0.25: 1 for, 0 against" in said
    against = (
        "--page", "https://example.org/report", "--title", "Report", "--year", "2024",
        "--quote", "No leak was found.", "--refutes", "--reason", "It was watched for a day.",
    )  # fmt: skip
    said = wherefrom(url, "evidence", "add", "--claim-id", claim, *against)
    assert "created page" in said
    assert "created fragment" in said
    assert f"unchanged claim {claim}" in said
    assert "1 for, 1 against" in said
    value = json.loads(wherefrom(url, "evidence", "add", "--claim-id", claim, *against, "--json"))
    assert value["claims"][0]["posterior"]["refutes"] == 1
    with Memory.open(url) as memory:
        rows = memory.query_graph("select claim_text, task_id from claims").rows
        assert rows == (("Soak tests find leaks.", known["task"]),)
        judged = memory.query_graph("select relation, confidence, reason from edges order by relation").rows
        assert judged == (("refutes", 1.0, "It was watched for a day."), ("supports", 0.8, None))
        assert memory.query_graph("select title, year from pages where year is not null").rows == (("Report", 2024),)


UNCLEAR = (
    ("--claim x --fragment {fragment}", "what it says about the claim"),
    ("--claim x --fragment {fragment} --supports --refutes", "what it says about the claim"),
    ("--claim x --supports", "who says so"),
    ("--claim x --fragment {fragment} --page https://x.org --supports --quote x", "exclude each other"),
    ("--claim x --page https://x.org --supports", "nothing of the page is quoted"),
    ("--claim x --year 2020", "belong to a --page"),
    ("--claim x --fragment {fragment} --supports --quote nowhere", "does not stand in its fragment"),
    ("--claim x --claim-id y", "either a text or a claim_id"),
    ("", "either a text or a claim_id"),
    ("--claim x --page nowhere --supports --quote x", "page.url"),
    ("--claim x --fragment {fragment} --supports --confidence 2", "confidence"),
)


@pytest.mark.parametrize("url", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)], indirect=True)
def test_evidence_that_is_not_clear_is_refused_and_nothing_is_stored(url, known):
    for options, said in UNCLEAR:
        error = wherefrom(url, "evidence", "add", *options.format(**known).split(), code=2)
        assert error.startswith("invalid_input"), options
        assert said in error, options
    with Memory.open(url) as memory:
        assert memory.query_graph("select count(*) from claims").rows == ((0,),)


def test_a_claim_alone_goes_into_a_task(url, known):
    assert "created claim" in wherefrom(url, "evidence", "add", "--task", known["task"], "--claim", "It may be so.")


def test_a_page_is_corrected_from_the_shell(url, known):
    said = wherefrom(url, "page", "set", known["page"], "--year", "2021", "--title", "Leaks")
    assert said.splitlines() == ["changed: Leaks (2021)", "1 of its fragments and their claims follow it"]
    assert wherefrom(url, "page", "set", known["page"], "--year", "2021") == "unchanged: Leaks (2021)\n"
    assert json.loads(wherefrom(url, "page", "set", known["page"], "--no-year", "--json"))["year"] is None
    assert "is a fragment and no page" in wherefrom(url, "page", "set", known["fragment"], "--year", "1", code=2)
    assert "nothing to correct" in wherefrom(url, "page", "set", known["page"], code=2)


def test_the_docs_name_this_page():
    assert "command-line.md" in (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text(encoding="utf-8")
