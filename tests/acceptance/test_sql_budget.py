"""Statements that are long within one row: they end in time, stop when cancelled, and take little memory."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from attacks_for_tests import forget_peak, peak_kib
from long_rows_for_tests import shapes
from talking_for_tests import talk

from wherefrom import Cancelled, Memory, StoreBusy, StoreUnavailable, TimedOut
from wherefrom.explore import sql as explore_sql
from wherefrom.model import cancellation
from wherefrom.model.cancellation import CURRENT, Cancellation
from wherefrom.model.evidence import Rendered
from wherefrom.storage.agent.sqlite import _NOTHING

pytestmark = pytest.mark.slow

PAST_MS = 500
BUSY_MS = 1_000  # when other tests use the other core
ATTEMPTS = 3  # for one that waited for a core all the same
TIMEOUT_MS = 30
GROWTH_KIB = 100 * 1024
SMOKE, WHOLE = 10, 540


def dialect_of(memory):
    return "postgres" if memory.info().database == "postgres" else "sqlite"


def many_likes(dialect):
    """One row of many operations, each of which takes a tenth of a second."""
    count = 300 if dialect == "sqlite" else 130
    terms = [f"case when s like p || '{at}' then 1 else 0 end" for at in range(count)]
    while len(terms) > 1:
        terms = [f"({' + '.join(terms[at : at + 12])})" for at in range(0, len(terms), 12)]
    steps = ["x0 as materialized (select cast('aaaaaaaaaa' as text) as s)"]
    steps += [f"x{n + 1} as materialized (select s || s as s from x{n})" for n in range(13)]
    pattern = f"select cast('%{'a' * 240}b' as text) as p"
    return f"with {', '.join(steps)} select {terms[0]} from x13, ({pattern}) as y"


def measured(memory, sql, *, timeout_ms=TIMEOUT_MS, **options):
    held = forget_peak()
    begun = time.perf_counter()
    result = memory.query_graph(sql, timeout_ms=timeout_ms, max_vm_steps=50_000_000, **options)
    taken_ms = (time.perf_counter() - begun) * 1000
    assert peak_kib() - held < GROWTH_KIB
    assert memory.query_graph("select 1", timeout_ms=2_000).rows == ((1,),)
    return result, taken_ms


def check_shapes(memory, dialect, first, last):
    assert memory.query_graph("select 1", timeout_ms=2_000).ok
    late, ends = [], Counter()
    for name, sql in list(shapes(dialect, last))[first:]:
        for _ in range(ATTEMPTS):
            result, taken_ms = measured(memory, sql)
            if taken_ms <= TIMEOUT_MS + PAST_MS + BUSY_MS:
                break
        else:
            late.append((round(taken_ms), name, result.error))
        ends["interrupted" if "interrupted" in str(result.error) else "answered" if result.ok else result.error] += 1
    assert not late
    # Else the shapes would test what is refused, not what runs.
    assert ends["interrupted"] + ends["answered"] > (last - first) * 0.5, ends


def test_a_long_row_ends_in_time(memory):
    check_shapes(memory, dialect_of(memory), 0, SMOKE)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(4))
def test_every_long_row_ends_in_time(memory, part):
    each = WHOLE // 4
    check_shapes(memory, dialect_of(memory), part * each, (part + 1) * each)


def test_many_likes_in_one_row_took_minutes(memory):
    sql = many_likes(dialect_of(memory))
    memory.query_graph("select 1", timeout_ms=2_000)
    result, taken_ms = measured(memory, sql, timeout_ms=300)
    assert result.error == "interrupted (timeout)"
    assert taken_ms < 300 + PAST_MS + BUSY_MS


@pytest.mark.parametrize("is_view", [False, True])
@pytest.mark.parametrize(("timeout_s", "error"), [(None, Cancelled), (0.2, TimedOut)])
def test_a_call_that_is_stopped_is_no_answer_and_stops_at_once(memory, monkeypatch, timeout_s, error, is_view):
    many = many_likes(dialect_of(memory))
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n where i < 0"
    monkeypatch.setattr(explore_sql, "render", lambda name, **_: Rendered(endless))
    memory.query_graph("select 1", timeout_ms=2_000)
    running = Cancellation(timeout_s)
    if timeout_s is None:
        threading.Timer(0.2, running.cancel).start()
    begun = time.perf_counter()
    with cancellation.running(running), pytest.raises(error) as raised:
        memory.query_view("v_contradictions") if is_view else memory.query_graph(many, timeout_ms=2_000)
    assert type(raised.value) is error
    assert (time.perf_counter() - begun) * 1000 < 200 + PAST_MS + BUSY_MS
    assert memory.query_graph("select 1", timeout_ms=2_000).ok


def test_nothing_begins_in_a_call_that_is_cancelled(memory):
    running = Cancellation()
    running.cancel()
    CURRENT.set(running)
    try:
        with pytest.raises(Cancelled):
            memory.query_graph("select 1")
    finally:
        CURRENT.set(None)
    assert memory.query_view("v_contradictions").ok


def test_a_client_cancels_and_the_server_ends_with_its_input(url):
    """The server went on for 24 seconds after the end of its input."""
    dialect = "postgres" if url.startswith("postgresql") else "sqlite"

    async def conversation(client):
        await client.call_tool("query_graph", {"sql": "select 1"})
        arguments = {"sql": many_likes(dialect), "options": {"timeout_ms": 2_000}}
        slow = asyncio.create_task(client.call_tool("query_graph", arguments))
        await asyncio.sleep(0.3)
        slow.cancel()
        with suppress(asyncio.CancelledError):
            await slow
        begun = time.perf_counter()
        assert not (await client.call_tool("query_graph", {"sql": "select 1"})).is_error
        assert (time.perf_counter() - begun) * 1000 < PAST_MS + BUSY_MS
        return time.perf_counter()

    ended = talk(url, conversation)
    assert time.perf_counter() - ended < 3


def test_a_wide_answer_takes_little_memory(memory):
    """PostgreSQL's rows arrived twenty at a time: of 100 columns of 100 kB that was 339 MB."""
    steps = ["x0 as materialized (select cast('漢aaaaaaaa' as text) as s)"]
    steps += [f"x{n + 1} as materialized (select s || s as s from x{n})" for n in range(13)]
    columns = 30 if dialect_of(memory) == "postgres" else 1
    numbers = "n(i) as (select 1 union all select i + 1 from n where i < 200)"
    sql = f"with recursive {', '.join(steps)}, {numbers} select {', '.join(['s'] * columns)} from x13, n"
    result, _ = measured(memory, sql, timeout_ms=2_000, limit=200)
    assert result.ok, result.error
    assert result.truncated
    assert 0 < len(result.rows) < 200


def test_a_row_that_is_too_big_is_not_kept(memory):
    """One character beyond the basic plane makes a text four times as large in Python: 121 MB for one row."""
    steps = ["x0 as materialized (select cast('aaaaaaaa' as text) as s)"]
    steps += [f"x{n + 1} as materialized (select s || s as s from x{n})" for n in range(13)]
    last = "x as materialized (select s || '😀' as s from x13)"
    sql = f"with {', '.join(steps)}, {last} select {', '.join(['s'] * 100)} from x"
    result, _ = measured(memory, sql, timeout_ms=2_000)
    assert not result.ok


@pytest.mark.parametrize(
    "sql",
    [
        "select (x % y) + (x % y) from (select cast('1e131000' as numeric) - 1 as x, cast('1e65000' as numeric) as y) as c",
        "select mod(sum(x), 7) from (select cast('1e131' || '000' as numeric) as x) as c",
        "select cast('[1e131000, 1e131000]' as jsonb)",
        "select cast('[1e131' || '000]' as jsonb) ->> 0",
        "select cast(cast('{\"a\": 1E+131000}' as json) as text)",
        "select date_trunc('day', now(), '<A' || 1 || '>1')",
        "select cast('2020-01-01 12:00 q' || 'abc5' as timestamptz)",
        "select greatest(" + ", ".join(["1"] * 101) + ")",
        "select substring('abc')",
    ],
)
def test_numbers_zones_and_lists_that_grow_are_refused(new_url, sql):
    with Memory.open(new_url("postgres")) as memory:
        result, _ = measured(memory, sql)
        assert result.error
        assert "unexpected" not in result.error


def test_ordinary_numbers_json_and_times_are_not(new_url):
    sql = """
        select cast('1e30' as numeric) * 2, cast('{"hash": "7e123456", "n": 1.5e3}' as jsonb) ->> 'hash',
            cast('2026-01-02T03:04:05Z' as timestamptz) > cast('2026-01-01' as date), date '2026-01-01' + interval '1 day',
            cast(created_at as timestamptz) <= now(), date_trunc('day', now(), 'UTC') <= now(), greatest(1, 2.5, 3)
        from memos
    """
    with Memory.open(new_url("postgres")) as memory:
        memory.save("one")
        result = memory.query_graph(sql, timeout_ms=2_000)
        assert result.ok, result.error
        assert result.rows[0][1] == "7e123456"


def test_a_call_that_waits_for_others_can_be_cancelled(memory):
    many = many_likes(dialect_of(memory))
    threads = [
        threading.Thread(target=memory.query_graph, args=(many,), kwargs={"timeout_ms": 2_000}) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    running = Cancellation()
    CURRENT.set(running)
    try:
        threading.Timer(0.1, running.cancel).start()
        begun = time.perf_counter()
        with pytest.raises((Cancelled, StoreBusy)):
            memory.query_graph("select 1", timeout_ms=2_000)
        assert (time.perf_counter() - begun) * 1000 < 100 + PAST_MS + BUSY_MS
    finally:
        CURRENT.set(None)
        for thread in threads:
            thread.join()


def test_an_error_repeats_little_of_a_statement(memory):
    for sql in (
        f"select {'x' * 15_000} from claims",
        f"select * from claims where {'y' * 15_000}",
        f"selec {'z' * 15_000}",
    ):
        result = memory.query_graph(sql)
        assert result.error
        assert len(result.error) + len(result.hint or "") < 2_000


@pytest.mark.parametrize("rest", ["/* a */ select 2", "; /* */ delete from nodes", "-- a\nselect 2", "/* a */ */"])
def test_nothing_but_comments_may_follow_a_statement(rest):
    assert _NOTHING.fullmatch(rest) is None


@pytest.mark.parametrize("rest", ["", " ;; ", "/* a */ ; -- b", "/* never ended", "-- a\n /* b */\n"])
def test_comments_may_follow_a_statement(rest):
    assert _NOTHING.fullmatch(rest)


# --- the processes that statements on SQLite run in -------------------------------------------------------------------


def workers(parent):
    """The processes below one, by the system's table."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            above = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if above == parent and b"sqlite_worker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def test_processes_are_few_and_end_with_the_memory(sqlite_store):
    before = set(workers(os.getpid()))
    with Memory.open(sqlite_store) as memory:
        threads = [threading.Thread(target=memory.query_graph, args=("select 1",)) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0 < len(set(workers(os.getpid())) - before) <= 2
    assert not set(workers(os.getpid())) - before


def test_a_process_that_dies_is_replaced(sqlite_store):
    before = set(workers(os.getpid()))
    with Memory.open(sqlite_store) as memory:
        assert memory.query_graph("select 1", timeout_ms=2_000).ok
        for worker in set(workers(os.getpid())) - before:
            os.kill(worker, signal.SIGKILL)
        memory.query_graph("select 1", timeout_ms=2_000)  # it may be the one that finds it dead
        assert memory.query_graph("select 1", timeout_ms=2_000).ok


def test_a_file_that_has_gone_is_no_timeout(sqlite_store, tmp_path):
    path = Path(shutil.copy(sqlite_store, tmp_path / "memory.db"))
    with Memory.open(path) as memory:
        path.rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreUnavailable, match="cannot open the database"):
            memory.query_graph("select 1", timeout_ms=2_000)


def test_no_process_outlives_a_server_that_is_killed(sqlite_store, tmp_path):
    """Even if it is in the middle of a row that takes minutes."""
    program = (
        "import sys, threading, time; from wherefrom import Memory\n"
        "memory = Memory.open(sys.argv[1]); memory.query_graph('select 1', timeout_ms=2000)\n"
        "threading.Thread(target=memory.query_graph, args=(sys.stdin.read(),), kwargs={'timeout_ms': 500}).start()\n"
        "time.sleep(0.2); print('running', flush=True); time.sleep(60)\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program, str(sqlite_store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with server:
        server.stdin.write(many_likes("sqlite"))
        server.stdin.close()
        assert server.stdout.readline() == "running\n"
        below = workers(server.pid)
        assert below
        server.kill()
    deadline = time.monotonic() + 10
    while any(
        Path(f"/proc/{pid}/cmdline").exists() and b"sqlite_worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
        for pid in below
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
