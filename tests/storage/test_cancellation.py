"""A call that is cancelled, or whose time is up: it ends at once, wherever it is, and leaves nothing half-written."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from embedders_for_tests import Numbered

from wherefrom import Cancelled, Memory, StoreBusy, TimedOut
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.slots import Slots
from wherefrom.storage import locks
from wherefrom.storage.sql import scope_parameters

# A statement of this test takes minutes; it is over much sooner, also on a machine that is at work.
SOON_S = 5.0


def slow_statement(tx):
    """Run a statement that takes minutes."""
    if tx.dialect.name == "sqlite":
        sql = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n where i < 0"
    else:
        sql = "select count(pg_sleep(600))"
    return tx._connection.execute(sql).fetchall()


@contextmanager
def ended_soon(error=Cancelled):
    began = time.monotonic()
    with pytest.raises(error) as raised:
        yield raised
    assert type(raised.value) is error
    assert raised.value.hint
    assert time.monotonic() - began < SOON_S


@contextmanager
def cancelled_when(event):
    """Runs the block in a call that is cancelled by another thread soon after an event."""
    call = Cancellation()

    def cancel():
        event.wait(SOON_S)
        time.sleep(0.02)  # it has begun to wait
        call.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        with cancellation.running(call):
            yield call
    finally:
        thread.join()


@pytest.fixture
def database(memory):
    return memory.view.store.database


@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_cancelled_call_ends_at_its_statement_and_the_connection_is_used_again(memory, database, verb):
    begun = threading.Event()

    def work(tx):
        begun.set()
        slow_statement(tx)

    for _ in range(3):
        begun.clear()
        with ended_soon(), cancelled_when(begun):
            getattr(database, verb)(work)
    assert memory.save("It goes on.").node.content == "It goes on."
    idle = database._idle.qsize() if database.name == "sqlite" else len(database._pool._idle)
    assert idle == 1


@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_call_that_is_cancelled_while_a_stream_of_rows_is_open_leaves_no_transaction_behind(memory, database, verb):
    # While one statement is active, SQLite interrupts all further ones, the rollback too.
    begun = threading.Event()
    for number in range(3):
        memory.save(f"memo number {number}")

    def work(tx):
        if verb == "write":
            tx.run("event_insert", _row)
        rows = tx.stream("node_hashes", scope_parameters(memory.view.access))
        next(rows)
        begun.set()
        slow_statement(tx)

    with ended_soon(), cancelled_when(begun):
        getattr(database, verb)(work)
    assert memory.save("It goes on.").node.content == "It goes on."
    assert database.read(lambda tx: tx.number("event_total", {"owner": "new"})) == 0


def test_a_call_whose_time_is_up_says_so(database):
    with ended_soon(TimedOut) as raised, cancellation.running(Cancellation(timeout_s=0.05)):
        database.read(slow_statement)
    assert raised.value.code == "timed_out"
    assert "0.05 s" in raised.value.message


def test_what_a_call_has_committed_stays_when_it_is_cancelled_afterwards(memory):
    call = Cancellation(timeout_s=600)
    with cancellation.running(call):
        memory.save("in time")
        call.cancel()
    assert [node.content for node in memory.list().nodes] == ["in time"]


def test_a_cancelled_write_is_rolled_back_whole(memory, database):
    begun = threading.Event()

    def work(tx):
        locks.share(tx, "new")
        tx.run("event_insert", _row)
        begun.set()
        slow_statement(tx)

    with ended_soon(), cancelled_when(begun):
        database.write(work)
    assert database.read(lambda tx: tx.number("event_total", {"owner": "new"})) == 0


_row = {
    "owner": "new", "at": "2026-01-01T00:00:00Z", "topic": "task", "namespace": "main", "payload": "{}",
    "request_id": None, "trace_id": None, "boundary_class": None,
}  # fmt: skip


def test_a_write_that_is_cancelled_between_its_last_statement_and_its_commit_is_rolled_back(database):
    call = Cancellation()

    def work(tx):
        tx.run("event_insert", _row)
        call.cancel()

    with ended_soon(), cancellation.running(call):
        database.write(work)
    assert database.read(lambda tx: tx.number("event_total", {"owner": "new"})) == 0


def test_a_write_that_is_cancelled_while_its_last_statement_waits_is_rolled_back(memory, database):
    """Nobody reads what that statement returns, so PostgreSQL gets it together with the commit."""
    if database.name == "sqlite":  # its writers wait before their first statement
        return
    (one, two) = (memory.save(text).node.id for text in ("the first of two", "the other one"))
    memory.relate(one, two, tag="supports", weight=0.5)
    held, release = threading.Event(), threading.Event()

    def hold(tx):
        owned = "select 1 from edges where owner_id = %s for update"
        assert tx._connection.execute(owned, (memory.view.access.owner,)).fetchall()
        held.set()
        release.wait(4 * SOON_S)

    with ThreadPoolExecutor(1) as other:
        holding = other.submit(database.write, hold)
        held.wait(SOON_S)
        try:
            with ended_soon(), cancelled_when(held):
                memory.unrelate(one, two, tag="supports")
        finally:
            release.set()
        holding.result()
    assert len(memory.relations(source_id=one).edges) == 1
    assert len(database._pool._idle) == 2
    memory.unrelate(one, two, tag="supports")


def test_no_statement_begins_in_a_call_that_was_cancelled(database):
    call, runs = Cancellation(), []

    def work(tx):
        call.cancel()
        runs.append(1)
        tx.number("event_total", {"owner": "new"})
        runs.append(2)

    with ended_soon(), cancellation.running(call):
        database.read(work)
    with ended_soon(), cancellation.running(call):
        database.read(lambda tx: runs.append(3))
    assert runs == [1]


def test_a_stop_that_came_between_two_statements_is_repeated(database):
    # SQLite forgets an interrupt when no statement runs, and PostgreSQL drops a request that comes between two.
    call, begun = Cancellation(), threading.Event()

    def work(tx):
        connection = tx._connection
        call.cancelled = True
        call._stop()  # nothing runs yet
        begun.set()
        if tx.dialect.name == "sqlite":
            assert connection.execute("select 1").fetchall() == [(1,)]
        slow_statement(tx)

    def cancel():
        begun.wait(SOON_S)
        call.cancel()

    with ThreadPoolExecutor(1) as other, ended_soon(), cancellation.running(call):
        other.submit(cancel)
        database.read(work)


def test_a_writer_that_waits_for_another_one_ends_when_its_call_is_cancelled(database):
    held, release = threading.Event(), threading.Event()

    def hold(tx):
        locks.be_alone(tx, "local")
        tx.run("event_insert", _row)
        held.set()
        release.wait(4 * SOON_S)

    def wait(tx):
        locks.be_alone(tx, "local")

    with ThreadPoolExecutor(1) as other:
        holding = other.submit(database.write, hold)
        held.wait(SOON_S)
        with ended_soon(), cancelled_when(held):
            database.write(wait)
        release.set()
        holding.result()
    assert database.write(lambda tx: 7) == 7


def test_a_writer_that_waits_for_another_process_ends_when_its_call_is_cancelled(new_url):
    url, held = new_url("sqlite"), threading.Event()
    with Memory.open(url) as first, Memory.open(url) as second:

        def hold(tx):
            held.set()
            with ended_soon(), cancelled_when(held):
                second.view.store.database.write(lambda tx: None)

        first.view.store.database.write(hold)
        second.save("afterwards")


class SlowEmbedder(Numbered):
    """Makes no vector before it is told to."""

    instant = False

    def __init__(self, begun):
        super().__init__()
        self._begun, self.until = begun, lambda: True

    def embed(self, texts):
        self._begun.set()
        while not self.until():
            time.sleep(0.001)
        return super().embed(texts)


def test_embedding_that_is_cancelled_gives_its_lease_back(url):
    begun = threading.Event()
    with Memory.open(url, embedder="none") as plain:
        for number in range(3):
            plain.save(f"memo number {number}")
    embedder = SlowEmbedder(begun)
    with Memory.open(url, embedder=embedder) as memory:
        with ended_soon(), cancelled_when(begun) as call:
            embedder.until = lambda: call.cancelled
            memory.embed()
        embedder.until = lambda: True
        assert memory.embed() == 3


def test_slots_are_given_first_come_first_served():
    slots, order, begun = Slots(), [], []
    assert slots.acquire(1)

    def take(number):
        begun.append(number)
        assert slots.acquire(10)
        order.append(number)
        slots.release()

    threads = []
    for number in range(20):
        threads.append(threading.Thread(target=take, args=(number,)))
        threads[-1].start()
        while len(slots._waiting) <= number:
            time.sleep(0.001)
    slots.release()
    for thread in threads:
        thread.join()
    assert order == begun == list(range(20))
    assert slots.acquire(0)


def test_a_slot_that_was_given_up_goes_to_the_next():
    slots = Slots()
    assert slots.acquire(1)
    assert not slots.acquire(0.01)
    call = Cancellation(timeout_s=0.01)
    with pytest.raises(TimedOut), cancellation.running(call):
        slots.acquire(10)
    slots.release()
    assert slots.acquire(0)


def test_slots_are_never_lost_where_calls_are_cancelled_at_random():
    slots, holders, most = Slots(2), [], []

    def work(number):
        for round_ in range(200):
            call = Cancellation()
            with cancellation.running(call):
                if (number + round_) % 3 == 0:
                    threading.Thread(target=call.cancel).start()
                try:
                    if not slots.acquire(5):
                        continue
                except Cancelled:
                    continue
                holders.append(number)
                most.append(len(holders))
                holders.remove(number)
                slots.release()

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    assert max(most) <= 2
    assert slots.acquire(0)
    assert slots.acquire(0)
    assert not slots.acquire(0)


def test_a_write_inside_a_write_of_the_same_thread_is_refused_at_once(new_url):
    with Memory.open(new_url("sqlite")) as memory:
        database, began = memory.view.store.database, time.monotonic()
        with pytest.raises(StoreBusy, match="other writers kept the database locked"):
            database.write(lambda tx: database.write(lambda tx: None))
        assert time.monotonic() - began < SOON_S
        memory.save("it goes on")


def test_writers_of_one_process_wait_no_longer_than_the_busy_timeout(new_url, monkeypatch):
    monkeypatch.setenv("WHEREFROM_BUSY_TIMEOUT_MS", "200")
    with Memory.open(new_url("sqlite")) as memory:
        database = memory.view.store.database

        def hold(tx):
            began = time.monotonic()
            with ThreadPoolExecutor(1) as other:
                error = other.submit(database.write, lambda tx: None).exception()
            return error, time.monotonic() - began

        error, lasted = database.write(hold)
        assert isinstance(error, StoreBusy)
        assert error.message == "other writers kept the database locked"
        assert 0.2 <= lasted < SOON_S
