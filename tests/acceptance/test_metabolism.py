"""Runs of metabolism: one at a time, cut off anywhere and completed later, while others go on writing."""

from __future__ import annotations

import functools
import io
import json
import random
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from receipts_for_tests import exported, fill, nodes_of, opened_at, payloads, sentence
from talking_for_tests import Clock

from recollect import Conflict, Memory, StoreBusy
from recollect.metabolism import applying

KILLS = {"sqlite": 8, "postgres": 3}
# Small batches: more places to be killed at.
MOST, LINKS = 3, 5
APPLY = f"""
import functools, sys
from datetime import datetime
from recollect import Memory
from recollect.metabolism import applying
url, moment, stops = sys.argv[1], datetime.fromisoformat(sys.argv[2]), sys.argv[3:]
applying._MOST, applying._LINKS = {MOST}, {LINKS}
applying.Applying = functools.partial(applying.Applying, size=1)
def progress(done, total):
    print(done, flush=True)
    if stops:
        sys.stdin.readline()
with Memory.open(url, clock=lambda: moment) as memory:
    memory.metabolize("main/a" if stops else None, apply=True, progress=progress)
"""


@dataclass(frozen=True)
class Filled:
    """A store to copy, what it holds before and after a run, and of how many small batches that run is."""

    url: str
    moment: datetime
    ids: dict[str, list[str]]
    before: list[str]
    after: list[str]
    batches: int


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    """Of each dialect one."""
    if request.param == "sqlite":
        store = request.getfixturevalue("sqlite_store")
        folder = tmp_path_factory.mktemp("filled")
        url, copy = (str(shutil.copy(store, folder / name)) for name in ("memory.db", "copy.db"))
    else:
        database, store = request.getfixturevalue("postgres_database"), request.getfixturevalue("postgres_store")
        url = database(store)
    clock = Clock()
    with Memory.open(url, clock=clock) as memory:
        ids = fill(memory, clock)
        before = exported(memory)
    if request.param == "sqlite":
        shutil.copy(url, copy)
    else:
        copy = database(name_of(url))
    steps = []
    with opened_at(copy, clock.now) as memory, small_batches():
        memory.metabolize(apply=True, progress=lambda *step: steps.append(step))
        return Filled(url, clock.now, ids, before, exported(memory), len(steps))


@pytest.fixture
def url(filled, request, tmp_path):
    """A copy of its own for each test."""
    if filled.url.startswith("postgresql"):
        return request.getfixturevalue("_postgres")(name_of(filled.url))
    return str(shutil.copy(filled.url, tmp_path / "memory.db"))


@pytest.fixture
def clock(filled):
    still = Clock()
    still.now = filled.moment
    return still


@pytest.fixture
def memory(url, clock):
    with Memory.open(url, clock=clock) as opened:
        yield opened


def name_of(url):
    return url.partition("?")[0].rpartition("/")[2]


def small_batches():
    """Batches as the processes have them that are killed."""
    patch = pytest.MonkeyPatch()
    patch.setattr(applying, "_MOST", MOST)
    patch.setattr(applying, "_LINKS", LINKS)
    patch.setattr(applying, "Applying", functools.partial(applying.Applying, size=1))
    return _undone(patch)


class _undone:  # noqa: N801
    def __init__(self, patch):
        self.patch = patch

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.patch.undo()


def start(url, moment, *stops):
    command = [sys.executable, "-c", APPLY, url, moment.isoformat(), *stops]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def at_first(work):
    """A progress that does something once, after the first batch."""
    left = [work]

    def progress(*_):
        if left:
            left.pop()()

    return progress


def interrupt():
    raise KeyboardInterrupt


def cut_off(memory, **given):
    """A run that is interrupted after its first batch."""
    with pytest.raises(KeyboardInterrupt):
        memory.metabolize(apply=True, progress=at_first(interrupt), **given)


def runs(execute, url):
    return execute(url, "select id, state from metabolism_runs order by started_at, id")


# --- killed -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(max(KILLS.values())))
def test_a_run_that_is_killed_anywhere_loses_nothing_and_is_completed(filled, url, execute, number):
    dialect = "postgres" if url.startswith("postgresql") else "sqlite"
    if number >= KILLS[dialect]:
        pytest.skip("enough kills of this database")
    chance = random.Random()  # noqa: S311
    after, pause = chance.randint(1, filled.batches - 1), chance.uniform(0, 0.004)
    said = f"killed {pause} s after batch {after} of {filled.batches}"
    with start(url, filled.moment) as process:
        for _ in range(after):
            process.stdout.readline()
        time.sleep(pause)
        process.kill()
        process.communicate()
    with opened_at(url, filled.moment + timedelta(minutes=3)) as memory:
        live = nodes_of(exported(memory))
        gone = {row[0] for row in execute(url, "select node_id from retired where kind = 'node'")}
        assert live | gone >= nodes_of(filled.before), said
        assert not live & gone, said
        assert memory.doctor().ok, said
        ((run_id, state),) = runs(execute, url)
        if number % 2:
            memory.restore(run_id=run_id)
            assert exported(memory) == filled.before, said
        done = memory.metabolize(apply=True)
        assert (done.run_id, done.resumed) == (run_id, state == "running"), said
        assert exported(memory) == filled.after, said
        assert memory.doctor().ok, said
        restored = memory.restore(run_id=run_id)
        assert restored.skipped == {}, said
        assert exported(memory) == filled.before, said
        assert memory.doctor().ok, said


def test_batches_of_any_size_come_to_the_same(filled, memory):
    done = memory.metabolize(apply=True)
    assert (done.skipped, done.resumed, done.state) == (0, False, "applied")
    assert exported(memory) == filled.after
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned, again.nodes_removed, again.links_removed) == ((), 0, 0, 0)
    assert exported(memory) == filled.after
