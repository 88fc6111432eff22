"""Locks of an owner on PostgreSQL: who waits for whom, and what the one that waited sees."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from wherefrom import Memory
from wherefrom.storage import embeddings, insight, locks

WAIT_S = 20


@pytest.fixture
def database(new_url):
    with Memory.open(new_url("postgres")) as memory:
        yield memory.view.store.database


@pytest.fixture
def threads():
    with ThreadPoolExecutor(8) as pool:
        yield pool


class Held:
    """A transaction that has taken a lock and goes on when it is told to."""

    def __init__(self, threads, database, lock, then=lambda tx: None):
        self.locked, self.go_on = threading.Event(), threading.Event()
        self.runs = 0

        def work(tx):
            self.runs += 1
            lock(tx)
            self.locked.set()
            assert self.go_on.wait(WAIT_S)
            return then(tx)

        self._done = threads.submit(database.write, work)
        assert self.locked.wait(WAIT_S)

    def end(self):
        self.go_on.set()
        return self._done.result(WAIT_S)


def event(tx, owner):
    row = {"owner": owner, "at": "", "topic": "t", "namespace": "n", "payload": "{}"}
    tx.run("event_insert", {**row, "request_id": None, "trace_id": None})


def events(tx, owner):
    return tx.row("event_total", {"owner": owner})[0]


def waits(done):
    time.sleep(0.2)
    return not done.done()


def share(owner):
    return lambda tx: locks.share(tx, owner)


def be_alone(owner):
    return lambda tx: locks.be_alone(tx, owner)


@pytest.mark.parametrize("is_new", [True, False])
def test_whoever_waited_to_be_alone_sees_what_was_written_meanwhile(database, threads, is_new):
    """Its snapshot would be from before the wait."""
    if not is_new:
        database.write(share("a"))
    writer = Held(threads, database, share("a"), lambda tx: event(tx, "a"))
    runs = []

    def alone(tx):
        runs.append(1)
        locks.be_alone(tx, "a")
        return events(tx, "a")

    waiting = threads.submit(database.write, alone)
    assert waits(waiting)
    writer.end()
    assert waiting.result(WAIT_S) == 1
    assert len(runs) == 1


@pytest.mark.parametrize("is_new", [True, False])
def test_whoever_waited_for_one_that_was_alone_is_run_again(database, threads, is_new):
    if not is_new:
        database.write(share("a"))
    alone = Held(threads, database, be_alone("a"), lambda tx: event(tx, "a"))
    runs = []

    def writer(tx):
        runs.append(events(tx, "a"))  # a lock may come late
        locks.share(tx, "a")
        return events(tx, "a")

    waiting = threads.submit(database.write, writer)
    assert waits(waiting)
    alone.end()
    assert waiting.result(WAIT_S) == 1
    assert runs[0] == 0
    assert runs[-1] == 1


def test_writers_of_one_owner_do_not_wait_for_each_other_and_other_owners_for_nobody(database, threads):
    for owner in "ab":
        database.write(share(owner))
    held = [Held(threads, database, lock) for lock in (share("a"), share("a"), be_alone("b"))]
    database.write(share("a"))
    database.write(share("c"))
    database.write(be_alone("d"))
    for one in held:
        one.end()


def test_the_first_writers_of_an_owner_come_at_once(database, threads):
    def writer(tx):
        locks.share(tx, "new")
        event(tx, "new")

    for done in [threads.submit(database.write, writer) for _ in range(8)]:
        done.result(WAIT_S)
    assert database.read(lambda tx: events(tx, "new")) == 8


@pytest.mark.parametrize("is_new", [True, False])
def test_whoever_is_alone_with_all_owners_waits_for_those_that_come_into_being(database, threads, is_new):
    if not is_new:
        database.write(share("a"))
    writer = Held(threads, database, share("a"), lambda tx: event(tx, "a"))

    def alone(tx):
        locks.be_alone_with_all(tx)
        return events(tx, "a")

    waiting = threads.submit(database.write, alone)
    assert waits(waiting)
    writer.end()
    assert waiting.result(WAIT_S) == 1


@pytest.mark.parametrize("owner", ["a", "new"])
def test_whoever_waited_for_one_that_was_alone_with_all_is_run_again(database, threads, owner):
    database.write(share("a"))
    alone = Held(threads, database, locks.be_alone_with_all, lambda tx: event(tx, owner))

    def writer(tx):
        before = events(tx, owner)
        locks.share(tx, owner)
        return before

    waiting = threads.submit(database.write, writer)
    assert waits(waiting)
    alone.end()
    assert waiting.result(WAIT_S) == 1


def test_a_memo_saved_during_a_change_of_the_model_waits_for_its_vector(database, threads):
    """Its writer read the old model before; the change made its list of what has no vector before."""
    with Memory.open(database._url) as memory:
        memory.save("the first memo, whose model is the active one")
    model = database.read(embeddings.active)
    assert model is not None
    writer = Held(threads, database, share("local"), lambda tx: event(tx, "local"))
    waiting = threads.submit(database.write, lambda tx: embeddings._switch(tx, model))
    assert waits(waiting)
    writer.end()
    assert waiting.result(WAIT_S) is None


def test_an_owner_whose_writers_overlap_does_not_keep_one_from_being_alone(database, threads):
    database.write(share("a"))
    ended = threading.Event()

    def write_on():
        while not ended.is_set():
            database.write(lambda tx: (locks.share(tx, "a"), time.sleep(0.02)))

    writers = [threads.submit(write_on) for _ in range(4)]
    try:
        for _ in range(5):
            threads.submit(database.write, be_alone("a")).result(WAIT_S)
    finally:
        ended.set()
    for writer in writers:
        writer.result(WAIT_S)


def test_an_impatient_one_is_told_that_others_write(database, threads):
    with Memory.open(database._url) as memory:
        access = memory.view.access
    database.write(share(access.owner))
    writer = Held(threads, database, share(access.owner))
    with pytest.raises(Exception, match="not done yet"):
        database.write(lambda tx: insight.settled(tx, access))
    writer.end()
