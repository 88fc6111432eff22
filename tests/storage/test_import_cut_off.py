"""An import that is cut off, wherever, leaves nothing undone once the same import has run again."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from import_for_tests import exported, node, stream

from wherefrom import Memory

NODES = 600
OLD, CHANGED, ENDED, HEIR = "old", "changed", "ended", f"n{NODES - 1}"
# Runs the command, and sends itself a signal between two batches: while they are stored, or while they are linked.
PROGRAM = """
import os
import sys
from wherefrom.__main__ import main
from wherefrom.storage.transfer import load, reading
reading._MAX_BATCH_RECORDS = 50
database, file, stage, number = sys.argv[1:]
read, linking = load._Steps.read, load._Steps.linking
def reading_on(self, position):
    read(self, position)
    if stage == "storing" and position > self._size // 2:
        os.kill(os.getpid(), int(number))
def linking_on(self, total):
    linked, left = linking(self, total), [4]
    def on(number_of_nodes):
        linked(number_of_nodes)
        left[0] -= 1
        if stage == "linking" and not left[0]:
            os.kill(os.getpid(), int(number))
    return on
load._Steps.read, load._Steps.linking = reading_on, linking_on
sys.argv = ["wherefrom", "import", file, "--db", database]
main()
"""


def name(number):
    return f"Quay{number % NODES} Ledger"


def records():
    """Memos that name ones before and after them; a change of one that is there, and an end by one that comes last."""
    new = [
        node(f"n{number}", f"After {name(number * 7 + 1)} came {name(number + 3)}.", title=name(number))
        for number in range(NODES)
    ]
    later = {"version": 2, "updated_at": "2026-01-02T00:00:00.000000Z"}
    changed = node(CHANGED, f"It tells of {name(5)} and of {name(NODES - 5)}.", title="Harbour Register", **later)
    ended = node(ENDED, "Boats are counted by hand.", superseded_by=HEIR, valid_to="2026-01-02T00:00:00.000000Z")
    return [ended, changed, *new]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(stream(*records()).getvalue())
    return path


def prepare(memory):
    """Store what is there before the import: a text that names two memos of the file, and one that the file changes."""
    old = f"See {name(2)}, {name(NODES - 2)} and the Harbour Register."
    memory.import_(stream(node(OLD, old), node(CHANGED, f"It tells of {name(1)}.", title="Quay Register")))


def links(memory):
    """The mentions, and which node follows which."""
    lines = exported(memory)
    mentions = {(line["source_id"], line["target_id"]) for line in lines if line.get("tag") == "mentions"}
    return mentions, {line["id"]: line["superseded_by"] for line in lines if line.get("superseded_by")}


def cut_off(database, file, stage, number):
    command = [sys.executable, "-c", PROGRAM, str(database), str(file), stage, str(int(number))]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def pending(memory):
    return next(check for check in memory.doctor().checks if check.name == "pending work")


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("stage", ["storing", "linking"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_same_import_again_leaves_what_one_that_ends_leaves(url, new_url, file, number, stage, is_first):
    dialect = "postgres" if url.startswith("postgres") else "sqlite"
    with Memory.open(new_url(dialect)) as whole, Memory.open(url) as memory:
        for each in (whole, memory) if not is_first else ():
            prepare(each)
        whole.import_(file)
        assert links(whole)[1] == {ENDED: HEIR}

        assert cut_off(url, file, stage, number).returncode == (-9 if number == signal.SIGKILL else 130)
        assert 0 < len(links(memory)[0]) < len(links(whole)[0]) or stage == "storing"
        assert "wait for their mentions" in pending(memory).detail and not pending(memory).ok

        again = memory.import_(file)
        assert again.nodes_unchanged > 200
        assert links(memory) == links(whole)
        assert pending(memory).ok
        assert memory.import_(file).nodes_unchanged == len(records())
        assert links(memory) == links(whole)


def test_reindexing_completes_an_import_that_was_cut_off(url, file):
    cut_off(url, file, "storing", signal.SIGKILL)
    with Memory.open(url) as memory:
        assert not pending(memory).ok
        memory.reindex()
        assert pending(memory).ok
        stored = {line["id"] for line in exported(memory) if line["type"] == "node"}
        wanted = {(f"n{number}", f"n{(number + 3) % NODES}") for number in range(NODES)}
        assert {(source, target) for source, target in wanted if {source, target} <= stored} <= links(memory)[0]


def test_ctrl_c_says_that_what_is_stored_is_whole_and_how_to_go_on(tmp_path, file):
    stopped = cut_off(tmp_path / "m.db", file, "storing", signal.SIGINT)
    assert stopped.returncode == 130
    assert stopped.stderr == "stopped: what was stored until now is whole; the same command again goes on\n"


def test_an_import_of_which_every_line_is_refused_ends_with_2(tmp_path):
    (tmp_path / "bad.jsonl").write_bytes(stream({"type": "node", "content": "no more fields"}).getvalue())
    (tmp_path / "one.jsonl").write_bytes(stream(node("one", "A whole line."), {"type": "node"}).getvalue())
    codes = [imported(tmp_path, name).returncode for name in ("bad.jsonl", "one.jsonl", "one.jsonl")]
    assert codes == [2, 0, 0], "one line is stored, and then it is here already"


def imported(folder, name):
    command = [sys.executable, "-m", "wherefrom", "import", str(folder / name), "--db", str(folder / "m.db")]
    return subprocess.run(command, capture_output=True, text=True, check=False)
