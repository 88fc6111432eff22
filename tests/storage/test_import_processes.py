"""A large import is prepared by other processes, and gives what this process alone would give, whatever they do."""

from __future__ import annotations

import inspect
import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from import_for_tests import BAD, HEADER, LONG, edge, exported, node

from wherefrom import Cancelled, Memory, Trust
from wherefrom.model import cancellation
from wherefrom.storage.transfer import processes, reading

BLOCK = 40
NODES = 1_000
# Imports a file forever, with processes, and prints their ids once all of them have begun.
PROGRAM = """
import sys
import threading
from wherefrom import Memory
from wherefrom.storage.transfer import processes
processes.MIN_LINES = 1
start = processes._started
def started(preparer):
    team = start(preparer)
    print(*(process._process.pid for process in team), flush=True)
    return team
processes._started = started
while True:
    with Memory.open(sys.argv[1]) as memory:
        memory.import_(sys.argv[2])
"""


class Gauge:
    """An embedder of the caller's, which works in this process alone."""

    model_id = "gauge"
    instant = True
    sends = False
    portable = False
    trust = Trust()

    def __init__(self):
        self.texts = 0
        self.lock = threading.Lock()  # cannot be pickled

    def embed(self, texts):
        self.texts += len(texts)
        return np.array([[len(text), text.count("a") + 1.0] for text in texts], dtype=np.float32)

    def close(self):
        pass


@pytest.fixture
def file():
    """Memos in several scripts, entities that they name, a long memo, edges, and lines that cannot be stored."""
    texts = [
        "Ada Lovelace wrote note {}.",
        "第{}章は『源氏物語』について。",
        "call +49 170 1234567, note {}",
        "plain note {}",
    ]
    nodes = [node(f"n{number}", texts[number % len(texts)].format(number)) for number in range(NODES)]
    nodes[7] = node("late", "a later note", superseded_by="n900")
    nodes.append(node("ada", "Ada Lovelace", kind="entity", title="Ada Lovelace"))
    edges = [edge(f"n{number}", f"n{number + 1}", reason="one after the other") for number in range(20, NODES - 1, 3)]
    early = [edge("n950", "n951", tag="early"), edge("n1", "nobody")]
    good = [json.dumps(record).encode() + b"\n" for record in (*early, *nodes, *edges)]
    for place, bad in enumerate(BAD, start=1):
        good.insert(place * 90, bad + b"\n")
    return HEADER + b"".join(good) + json.dumps(node("long", LONG)).encode()


@pytest.fixture
def team(monkeypatch):
    """The processes of imports, each ready before the first block; an import of any size has them, in small blocks."""
    monkeypatch.setattr(processes, "MIN_LINES", 1)
    monkeypatch.setattr(processes, "_cores", lambda: 2)
    monkeypatch.setattr(reading, "_MAX_BATCH_RECORDS", BLOCK)
    monkeypatch.setattr(reading, "_MAX_FIRST_BATCH_RECORDS", BLOCK)
    start, found = processes._started, []

    def started(preparer):
        found.extend(new := start(preparer))
        deadline = time.monotonic() + 60
        while not all(process.is_ready() or process._has_failed for process in new) and time.monotonic() < deadline:
            time.sleep(0.01)
        return new

    monkeypatch.setattr(processes, "_started", started)
    yield found
    assert all(process._process.returncode is not None for process in found), "each has been waited for"


def imported(memory, file, **values):
    rejects = io.StringIO()
    answer = memory.import_(io.BytesIO(file), rejects=rejects, split=True, **values)
    return answer, rejects.getvalue(), exported(memory)


@pytest.fixture
def alone(new_url, request, file):
    """What an import by this process alone gives, in a store of the same dialect."""
    dialect = "postgres" if "postgres" in request.node.callspec.id else "sqlite"
    with Memory.open(new_url(dialect)) as memory:
        return imported(memory, file)


def without_now(records):
    """Records without the times at which an import found something itself, and mentions behind them in any order, in
    which PostgreSQL may find them.
    """
    timeless = [{**record, "created_at": "", "updated_at": "", "observed_at": ""} for record in records]
    found = [record for record in timeless if record.get("tag") == "mentions"]
    return [record for record in timeless if record not in found] + sorted(found, key=json.dumps)


def assert_same(given, expected):
    assert given[0] == expected[0]
    assert given[1] == expected[1]
    assert without_now(given[2]) == without_now(expected[2])


def test_processes_give_what_one_process_gives(memory, file, alone, team):
    before = os.times()
    assert_same(imported(memory, file), alone)
    assert len(team) == processes.PROCESSES
    assert os.times().children_user > before.children_user, "they have worked"
    assert "n400" in {hit.node.id for hit in memory.search("Ada Lovelace note 400").hits}
    assert all(check.ok for check in memory.doctor().checks)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_process_that_ends_by_itself_leaves_its_blocks_to_this_one(memory, file, alone, team, monkeypatch, after):
    sent, send = [], processes._Process.send

    def sending(self, lines):
        send(self, lines)
        sent.append(self)
        if len(sent) == 1 + after:
            self._process.kill()

    monkeypatch.setattr(processes._Process, "send", sending)
    assert_same(imported(memory, file), alone)
    assert sent.count(sent[after]) < len(sent), "the other one went on"


def test_all_processes_may_end(sqlite_memory, file, team, monkeypatch):
    send = processes._Process.send

    def sending(self, lines):
        send(self, lines)
        self._process.kill()

    monkeypatch.setattr(processes._Process, "send", sending)
    answer, _, _ = imported(sqlite_memory, file)
    assert answer.nodes_created > NODES
    assert answer.rejected == len(BAD)  # a long memo is split; one edge leads nowhere


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_an_import_does_without_processes_that_do_not_start(sqlite_memory, file, team, monkeypatch, program):
    monkeypatch.setattr(sys, "executable", program)
    assert imported(sqlite_memory, file)[0].nodes_created > NODES


class Refusing(Gauge):
    """Cannot be sent to another process, and says so in its own way."""

    portable = True

    def __reduce__(self):
        raise RuntimeError("not me")


def test_an_embedder_that_refuses_to_be_sent_works_here(tmp_path, file, team):
    embedder = Refusing()
    with Memory.open(tmp_path / "m.db", embedder=embedder) as memory:
        assert imported(memory, file)[0].nodes_created > NODES
    assert not team and embedder.texts > NODES


def test_one_core_or_a_few_lines_have_no_processes(sqlite_memory, file, team, monkeypatch):
    monkeypatch.setattr(processes, "_cores", lambda: 1)
    imported(sqlite_memory, file)
    monkeypatch.setattr(processes, "_cores", lambda: 2)
    monkeypatch.setattr(processes, "MIN_LINES", 10_000)
    imported(sqlite_memory, file)
    assert not team


def test_an_embedder_of_the_callers_works_here(tmp_path, file, team):
    embedder = Gauge()
    with Memory.open(tmp_path / "m.db", embedder=embedder) as memory:
        assert imported(memory, file)[0].nodes_created > NODES
        assert team and embedder.texts > NODES
        assert memory.embed() == 0, "all have their vectors"


def test_an_interrupt_leaves_whole_batches_and_no_process(sqlite_memory, file, alone_in_sqlite, team):
    def stop(done, _):
        if done > len(file) // 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sqlite_memory.import_(io.BytesIO(file), split=True, progress=stop)
    assert team and all(process._process.returncode is not None for process in team)
    some = len(exported(sqlite_memory))
    assert 0 < some < NODES
    imported(sqlite_memory, file)
    assert len(exported(sqlite_memory)) == len(alone_in_sqlite[2])


class Echo:
    """Prepares nothing."""

    def read(self, lines):
        return list(lines)

    prepare = embedded = read


@pytest.mark.parametrize("beside", [False, True])
def test_what_is_prepared_here_ends_with_whoever_takes_it(beside):
    """The thread and the file waited for the collector of garbage."""
    blocks = (reading.Block([], number) for number in range(9))
    with (
        pytest.raises(KeyboardInterrupt),
        processes.prepared_blocks(blocks, Echo(), lines=1, beside=beside) as ready,
    ):
        next(ready)
        raise KeyboardInterrupt
    assert inspect.getgeneratorstate(ready) == inspect.GEN_CLOSED


def test_an_interrupt_ends_the_thread_that_waits_for_a_process(memory, file, team):
    def stop(done, _):
        if done > len(file) // 3:
            for process in team:
                os.kill(process._process.pid, signal.SIGSTOP)  # it would never answer
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        memory.import_(io.BytesIO(file), split=True, progress=stop)
    assert team and raised.tb, "which keeps alive what is not closed"
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]


@pytest.fixture
def alone_in_sqlite(tmp_path, file):
    with Memory.open(tmp_path / "alone.db") as memory:
        return imported(memory, file)


def test_a_call_that_is_cancelled_does_not_wait_for_a_process(sqlite_memory, file, team, monkeypatch):
    receive, call = processes._Process.received, cancellation.Cancellation()

    def receiving(self):
        os.kill(self._process.pid, signal.SIGSTOP)  # it would never answer
        call.cancel()
        return receive(self)

    monkeypatch.setattr(processes._Process, "received", receiving)
    with cancellation.running(call), pytest.raises(Cancelled):
        sqlite_memory.import_(io.BytesIO(file), split=True)
    assert len(team) == processes.PROCESSES


def test_processes_end_with_the_one_that_is_killed(tmp_path, file):
    (tmp_path / "in.jsonl").write_bytes(file)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "m.db"), str(tmp_path / "in.jsonl")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as importing:
        pids = [int(pid) for pid in importing.stdout.readline().split()]
        importing.kill()
    assert len(pids) == processes.PROCESSES
    deadline = time.monotonic() + 30
    while (left := [pid for pid in pids if is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left
    with Memory.open(tmp_path / "m.db") as memory:
        imported(memory, file)  # what was cut off waits for its mentions
        assert all(check.ok for check in memory.doctor().checks)


def is_running(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    return False


def test_a_process_with_more_open_files_than_select_knows_imports(tmp_path, team, file):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, hard), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        with Memory.open(tmp_path / "m.db") as memory:
            assert imported(memory, file)[0].nodes_created > NODES // 2
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert team


def test_an_entry_of_the_path_that_is_no_text_is_passed_over(tmp_path, team, file, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, tmp_path])
    with Memory.open(tmp_path / "m.db") as memory:
        assert imported(memory, file)[0].nodes_created > NODES // 2
    assert len(team) == processes.PROCESSES


def test_a_frozen_program_does_not_start_itself(tmp_path, team, file, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with Memory.open(tmp_path / "m.db") as memory:
        assert imported(memory, file)[0].nodes_created > NODES // 2
    assert team == []
