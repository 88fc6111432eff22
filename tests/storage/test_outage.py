"""A PostgreSQL server that is stopped, restarted, killed, mute or full: what callers are told, and when they go on."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import psycopg
import pytest
from postgres_for_tests import own_server
from talking_for_tests import call, refusal, talk

from wherefrom import Memory, StoreBusy, StoreUnavailable, TimedOut
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.storage import locks

pytestmark = pytest.mark.slow

CONNECT_S = 2
BUSY_S = 3
# What a call may take longer than the timeout on a machine that is at work.
LATE_S = 1.5
MAX_CONNECTIONS = 16
SETTINGS = {"WHEREFROM_CONNECT_TIMEOUT_MS": str(CONNECT_S * 1000), "WHEREFROM_BUSY_TIMEOUT_MS": str(BUSY_S * 1000)}
VERBS = {
    "save": lambda memory: memory.save(f"written at {time.time_ns()}"),
    "search": lambda memory: memory.search("written"),
    "query_graph": lambda memory: memory.query_graph("select count(*) from memos"),
    "query_view": lambda memory: memory.query_view("v_contradictions"),
    "vector_search": lambda memory: memory.vector_search("written", target="memos"),
    "metabolize": lambda memory: memory.metabolize(),
}


@pytest.fixture(scope="module")
def started():
    with own_server(max_connections=MAX_CONNECTIONS) as server:
        yield server


@pytest.fixture
def server(started, monkeypatch):
    """The server, running; callers wait for it for a short time."""
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    started.start()
    return started


@pytest.fixture
def memory(server):
    with Memory.open(server.url) as opened:
        yield opened


@pytest.fixture
def patient_memory(server, monkeypatch):
    """One that waits for a server that recovers, which takes some seconds where other tests are at work."""
    monkeypatch.setenv("WHEREFROM_CONNECT_TIMEOUT_MS", "20000")
    with Memory.open(server.url) as opened:
        yield opened


@contextmanager
def unavailable():
    """Something that fails with `store_unavailable` within the connect timeout."""
    began = time.monotonic()
    with pytest.raises(StoreUnavailable) as raised:
        yield
    assert time.monotonic() - began < CONNECT_S + LATE_S
    assert raised.value.hint


def kill_backends(server):
    """Kill what is in a transaction with SIGKILL; the server ends all connections and recovers."""
    pids = server.execute("select pid from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()")
    assert pids
    for (pid,) in pids:
        os.kill(pid, signal.SIGKILL)


def end_backends(server):
    """End what is in a transaction the polite way."""
    server.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
        " where xact_start is not null and pid <> pg_backend_pid()"
    )


def busy_connections(memory, count):
    """Make the memory keep so many connections."""
    meet = threading.Barrier(count)
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(lambda _: memory.view.store.database.read(lambda tx: tx and meet.wait()), range(count)))


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_says_that_the_server_is_away_and_works_at_once_when_it_is_back(server, memory, verb):
    use = VERBS[verb]
    use(memory)
    busy_connections(memory, 4)
    server.restart()
    use(memory)
    server.stop()
    with unavailable():
        use(memory)
    with unavailable():
        use(memory)
    server.start()
    use(memory)


def test_the_first_open_of_a_server_that_is_away(server):
    server.stop()
    with unavailable():
        Memory.open(server.url)
    server.start()
    with Memory.open(server.url) as memory:
        memory.save("it came back")


def test_the_first_sql_of_a_memory_while_the_server_is_away(server, memory):
    server.stop()
    with unavailable():
        memory.query_graph("select 1")
    server.start()
    assert memory.query_graph("select 1 as one").rows == ((1,),)


def test_a_server_that_accepts_and_never_answers():
    with socket.create_server(("127.0.0.1", 0)) as mute, pytest.MonkeyPatch.context() as environment:
        for name, value in SETTINGS.items():
            environment.setenv(name, value)
        with unavailable():
            Memory.open(f"postgresql://nobody@127.0.0.1:{mute.getsockname()[1]}/none")


def test_many_threads_wait_for_a_mute_server_together(server, monkeypatch):
    monkeypatch.setenv("WHEREFROM_POOL_SIZE", "1")
    with socket.create_server(("127.0.0.1", 0)) as mute, Memory.open(server.url) as memory:
        memory.view.store.database._pool.drop_idle()
        memory.view.store.database._pool._url = f"postgresql://nobody@127.0.0.1:{mute.getsockname()[1]}/none"
        began = time.monotonic()
        with ThreadPoolExecutor(3) as threads:
            calls = [threads.submit(memory.list) for _ in range(3)]
            assert {type(done.exception()) for done in calls} == {StoreUnavailable}
        assert time.monotonic() - began < CONNECT_S + LATE_S


def test_a_server_that_is_about_to_stop_is_waited_for_and_then_reported(server):
    with ExitStack() as held:
        held.enter_context(psycopg.connect(server.url))
        server.stop("smart", wait=False)
        while server.is_up():
            time.sleep(0.01)
        began = time.monotonic()
        with unavailable():
            Memory.open(server.url)
        assert time.monotonic() - began > CONNECT_S / 2


def test_a_write_whose_server_is_killed_before_the_commit_is_done_once(server, patient_memory):
    memory, runs = patient_memory, []

    def work(tx):
        locks.share(tx, "local")
        runs.append(1)
        if len(runs) == 1:
            kill_backends(server)
            locks.be_alone(tx, "local")
        return len(runs)

    assert memory.view.store.database.write(work) == 2
    assert memory.save("the server recovered").node.content


@pytest.mark.parametrize("end", [kill_backends, end_backends])
def test_a_read_whose_server_is_killed_fails_and_the_next_one_works(server, memory, end):
    def work(tx):
        locks.share(tx, "local")  # its answer has come, so that the transaction has begun
        end(server)
        locks.share(tx, "local")

    with unavailable():
        memory.view.store.database.read(work)
    server.start()
    assert memory.list() is not None


def test_a_write_that_lost_its_connection_during_the_commit_is_not_run_again(server, memory):
    runs = []

    def work(tx):
        locks.share(tx, "local")
        runs.append(1)
        end_backends(server)

    with unavailable():
        memory.view.store.database.write(work)
    assert runs == [1]


def test_connections_that_are_all_in_use_by_this_process_are_busy_not_unavailable(server, monkeypatch):
    monkeypatch.setenv("WHEREFROM_POOL_SIZE", "1")
    monkeypatch.setenv("WHEREFROM_BUSY_TIMEOUT_MS", "100")
    with Memory.open(server.url) as memory:

        def work(tx):
            with ThreadPoolExecutor(1) as other:
                return other.submit(memory.list).exception()

        assert isinstance(memory.view.store.database.read(work), StoreBusy)
        assert memory.list() is not None


def test_a_server_without_a_free_connection_is_busy_until_one_is_free(server, memory):
    memory.view.store.database._pool.drop_idle()
    with ExitStack() as held:
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            while True:
                held.enter_context(psycopg.connect(server.url))
        with pytest.raises(StoreBusy, match="no connection free") as raised:
            memory.list()
        assert "max_connections" in raised.value.hint
        with ThreadPoolExecutor(1) as other:
            waiting = other.submit(memory.list)
            held.close()
            waiting.result()


def test_events_of_searches_are_written_when_the_server_is_back(server, memory):
    count = "select count(*) from events where topic = 'search'"
    memory.view.store.journal.write()
    (before,) = server.execute(count)[0]
    memory.search("before the outage")
    server.stop()
    memory.view.store.journal.write()
    server.start()
    memory.search("after the outage")
    memory.view.store.journal.write()
    assert server.execute(count) == [(before + 2,)]


def test_closing_a_memory_whose_server_is_away_takes_no_longer_than_the_connect_timeout(server):
    memory = Memory.open(server.url)
    memory.search("anything")
    server.stop()
    began = time.monotonic()
    memory.close()
    assert time.monotonic() - began < CONNECT_S + LATE_S


def test_an_agent_sees_the_outage_over_mcp_and_goes_on_after_it(server):
    server.stop()

    async def conversation(client):
        error = await refusal(client, "memory_save", text="not yet")
        assert error["code"] == "store_unavailable"
        assert not re.search("Traceback|psycopg", error["message"])
        server.start()
        await call(client, "memory_save", text="Now it is kept.")
        await call(client, "query_graph", sql="select count(*) from memos")
        server.restart()
        await call(client, "query_graph", sql="select count(*) from memos")
        await call(client, "memory_search", query="kept")
        server.stop()
        for tool, given in (("query_graph", {"sql": "select 1"}), ("memory_search", {"query": "kept"})):
            began = time.monotonic()
            assert (await refusal(client, tool, **given))["code"] == "store_unavailable"
            assert time.monotonic() - began < CONNECT_S + LATE_S

    talk(server.url, conversation, **SETTINGS)


def test_threads_at_work_are_told_of_an_outage_quickly_and_go_on_after_it(server, memory):
    kept, failures, longest = [], [], [0.0]
    phase, errors_of, over = ["before"], {}, threading.Event()

    def work(number):
        while not over.is_set():
            began, now = time.monotonic(), phase[0]
            try:
                kept.append(memory.save(f"thread {number} at {time.time_ns()}").node.id)
                memory.search("thread")
                if now == "after":
                    return
            except StoreUnavailable as error:
                errors_of.setdefault(now, []).append(error)
                time.sleep(0.01)
            except Exception as error:  # nothing else may come out of it
                failures.append(error)
                return
            finally:
                longest[0] = max(longest[0], time.monotonic() - began)

    with ThreadPoolExecutor(12) as threads:
        calls = [threads.submit(work, number) for number in range(12)]
        try:
            for _ in range(2):
                while len(kept) < 24:
                    time.sleep(0.01)
                phase[0] = "away"
                server.stop("immediate")
                told = len(errors_of.get("away", ()))
                until = time.monotonic() + CONNECT_S + LATE_S
                while len(errors_of.get("away", ())) < told + 24 and time.monotonic() < until:
                    time.sleep(0.01)
                assert len(errors_of["away"]) >= told + 24
                server.start()
                phase[0] = "before"
            phase[0] = "after"
            for call_ in calls:
                call_.result(timeout=20)
        finally:
            over.set()
    assert failures == []
    assert longest[0] < BUSY_S + CONNECT_S + 2 * LATE_S
    stored = {row[0] for row in server.execute("select id from nodes where kind = 'memo'")}
    assert set(kept) <= stored
    idle = [connection for _, connection in memory.view.store.database._pool._idle]
    assert idle
    assert all(connection.execute("select 1").fetchone() == (1,) for connection in idle)


def test_a_call_that_waits_for_a_server_that_starts_can_be_cancelled(server):
    with ExitStack() as held, Memory.open(server.url) as memory:
        memory.view.store.database._pool.drop_idle()
        held.enter_context(psycopg.connect(server.url))
        server.stop("smart", wait=False)
        while server.is_up():
            time.sleep(0.01)
        began = time.monotonic()
        with pytest.raises(TimedOut), cancellation.running(Cancellation(timeout_s=0.3)):
            memory.list()
        assert time.monotonic() - began < CONNECT_S
