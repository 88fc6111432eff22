"""`@1` and so on: the hits of the list that was printed last in a terminal."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
import time

import pytest
from forking_for_tests import wherefrom_command

from wherefrom import InvalidInput, Memory, NewClaim, NewFragment, NewPage
from wherefrom.interfaces.cli import last_list
from wherefrom.model.results import Page


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where the lists of this test's terminals are."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "wherefrom" / "lists"


@pytest.fixture
def memos(tmp_path):
    with Memory.open(tmp_path / "m.db") as memory:
        memory.add_evidence(claims=[NewClaim("The bridge is old.")])
        ids = [memory.save(f"The {name} opens at nine.", title=name).node.id for name in ("Bridge", "Ferry", "Market")]
        memory.relate(ids[2], ids[0], tag="near", weight=1)
    return ids


@pytest.fixture
def terminal(tmp_path, home):
    """Runs lines of a shell. Its commands are of one session, with all others that are not started anew."""

    def run(*lines, anew=False, **environment):
        command = shlex.join((sys.executable, "-m", "wherefrom") if anew else wherefrom_command())
        script = "\n".join(line.replace("wherefrom", command, 1) for line in lines)
        process = subprocess.run(
            ["/bin/sh", "-c", script],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            start_new_session=True,
            env={**os.environ, "WHEREFROM_DB": str(tmp_path / "m.db"), **environment},
        )
        assert "Traceback" not in process.stderr
        return process

    return run


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("list", 2),
        ("search ferry --limit 1", 1),
        ("activate ferry --limit 1", 1),
        ("similar ferry --target memos --top-k 1 --min-similarity 0", 1),
        ("relations", 2),
        ("walk Bridge", 2),
    ],
)
def test_a_place_of_the_last_list_is_an_id(terminal, memos, line, first):
    done = terminal(f"wherefrom {line} | head -n 1", "wherefrom get @1 --json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.split("\n", 1)[1])["id"] == memos[first]


def test_a_claim_and_a_fragment_to_add_evidence_to_may_be_places(terminal, tmp_path):
    with Memory.open(tmp_path / "m.db") as memory:
        page, fragments = NewPage("https://example.org/a"), [NewFragment("It was built in 1890.")]
        added = memory.add_evidence(page, fragments=fragments, claims=[NewClaim("The bridge is old.")])
        memory.relate(added.fragments[0].id, added.claims[0].id, tag="near", weight=1)
    add = "wherefrom evidence add --supports --json"
    claim = added.claims[0].id
    done = terminal("wherefrom relations --tag near > /dev/null", f"{add} --claim-id @2 --fragment @1")
    assert done.returncode == 0, done.stderr
    assert [found["id"] for found in json.loads(done.stdout)["claims"]] == [claim]
    done = terminal("wherefrom relations --tag near > /dev/null", f"{add} --claim-id @2 --fragment @9")
    assert "@9 is beyond the last list" in done.stderr
    with Memory.open(tmp_path / "m.db") as memory:
        assert [item.node.id for item in memory.claim_evidence(claim).evidence] == [added.fragments[0].id]


def test_several_places_may_be_named(terminal, memos):
    done = terminal("wherefrom list --kind memo > /dev/null", "wherefrom relate @1 @2 --tag x --weight 1 --json")
    edge = json.loads(done.stdout)["relation"]
    assert (edge["source_id"], edge["target_id"]) == (memos[2], memos[1])


def test_what_is_no_list_and_what_programs_read_leave_it_alone(terminal, memos):
    done = terminal(
        "wherefrom list --kind memo > /dev/null",
        "wherefrom list --kind claim --json > /dev/null",
        "wherefrom status > /dev/null",
        "wherefrom get @3 > /dev/null",
        "wherefrom get @1 --json",
    )
    assert json.loads(done.stdout)["id"] == memos[2]


@pytest.mark.parametrize(
    ("before", "place", "says"),
    [
        ("true", "@1", "there is no list to which @1 could refer"),
        ("wherefrom list --kind memo > /dev/null", "@4", "@4 is beyond the last list: it has 3"),
        ("wherefrom list > /dev/null; wherefrom list -n empty > /dev/null", "@1", "there is no list"),
    ],
)
def test_a_place_that_is_none_is_refused(terminal, memos, before, place, says):
    done = terminal(*before.split("; "), f"wherefrom delete {place}")
    assert done.returncode == 2
    assert done.stderr.startswith(f"invalid_input: {says}")


def test_each_terminal_has_its_own_list(terminal, memos):
    own = terminal("wherefrom list --kind memo > /dev/null", "wherefrom get @1 --json", anew=True)
    assert json.loads(own.stdout)["id"] == memos[2]
    assert "there is no list" in terminal("wherefrom get @1", anew=True).stderr


@pytest.mark.parametrize("given", ["@0", "@", "@100", "@01", "@x", "1", "@1 "])
def test_only_places_are_looked_up(home, given):
    last_list.remember(Page((), None))
    assert last_list.meant_by(given) == given


def test_the_file_holds_ids_for_this_user_alone(terminal, memos, home):
    terminal("wherefrom list", "wherefrom search ferry")
    (file,) = home.iterdir()
    assert set(file.read_text().split()) <= set(memos)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_old_lists_are_dropped(terminal, memos, home):
    home.mkdir(parents=True)
    long_ago = time.time() - 13 * 3600
    for number in range(60):
        (home / f"s{number}").write_text(memos[0])
    os.utime(home / "s59", (long_ago, long_ago))
    terminal("wherefrom list")
    kept = {file.name for file in home.iterdir()}
    assert len(kept) == 50
    assert "s59" not in kept


def test_a_list_of_long_ago_is_not_meant(home, memos):
    home.mkdir(parents=True)
    file = home / str(os.getsid(0))
    file.write_text(memos[0])
    assert last_list.meant_by("@1") == memos[0]
    long_ago = time.time() - 13 * 3600
    os.utime(file, (long_ago, long_ago))
    with pytest.raises(InvalidInput):
        last_list.meant_by("@1")


@pytest.mark.parametrize("text", ["\x00\x1b", "'; drop table nodes; --\n", "", "\xff"])
def test_a_file_that_something_else_wrote_is_no_list(home, text):
    home.mkdir(parents=True)
    (home / str(os.getsid(0))).write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidInput):
        last_list.meant_by("@1")


@pytest.mark.parametrize(
    "environment",
    [{"XDG_STATE_HOME": "/proc/nowhere"}, {"XDG_STATE_HOME": "/dev/null"}, {"XDG_STATE_HOME": "", "HOME": "/proc"}],
)
def test_a_home_that_cannot_be_written_breaks_no_command(terminal, memos, environment):
    done = terminal("wherefrom list --kind memo > /dev/null", "wherefrom get @1", **environment)
    assert done.stderr.startswith("invalid_input: there is no list")


def test_a_list_holds_no_more_than_can_be_named(home, tmp_path):
    with Memory.open(tmp_path / "m.db", embedder="none") as memory:
        for number in range(100):
            memory.save(f"text {number}")
        last_list.remember(memory.list(limit=100))
    (file,) = home.iterdir()
    assert len(file.read_text().split()) == 99
