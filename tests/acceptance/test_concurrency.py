"""Many processes on one database: nothing is lost, nothing fails, and a kill leaves it whole."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from datetime import datetime, timedelta

import pytest
from forking_for_tests import wherefrom_command

from wherefrom import Memory, StoreUnavailable

SAVE_MANY = """
import sys
from wherefrom import Memory, StoreUnavailable
url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory.open(url) as memory:
    last = None
    for number in range(count):
        memo = memory.save(f"{name} memo {number}").node.id
        if last:
            memory.relate(last, memo, tag="next", weight=1)
        last = memo
        print(memo, flush=True)
"""


@pytest.fixture
def url(empty_url):
    """Of a database that was never opened: the first processes to come also make its tables."""
    return empty_url


def writer(url, name, count):
    command = [*wherefrom_command(), "-c", SAVE_MANY, url, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def everything(memory):
    nodes, cursor = [], None
    while True:
        page = memory.list(limit=100, cursor=cursor)
        nodes += page.nodes
        cursor = page.next_cursor
        if cursor is None:
            return nodes


@pytest.mark.slow
@pytest.mark.parametrize("each", [15, pytest.param(200, marks=pytest.mark.long)])
def test_eight_processes_write_and_nothing_is_lost(url, each):
    if url.startswith("postgres"):
        # The servers of tests never analyze their tables, so that looking for near statements is slow.
        each = min(each, 40)
    processes = [writer(url, f"process {number}", each) for number in range(8)]
    acknowledged = set()
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        acknowledged |= set(out.split())
    with Memory.open(url) as memory:
        assert len(acknowledged) == 8 * each
        assert {node.id for node in everything(memory)} == acknowledged
        assert memory.info().sizes["edges"] == 8 * (each - 1)
        assert memory.doctor().ok


@pytest.mark.slow
def test_the_same_text_from_many_processes_is_one_memo(url):
    processes = [writer(url, "the same", 20) for _ in range(6)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    with Memory.open(url) as memory:
        assert len(everything(memory)) == 20


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 37, pytest.param(120, marks=pytest.mark.long)])
def test_a_killed_process_loses_no_acknowledged_save(url, after):
    process = writer(url, "doomed", 100_000)
    acknowledged = [process.stdout.readline().strip() for _ in range(after)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += process.stdout.read().split("\n")[:-1]
    process.wait(30)
    process.stdout.close()
    process.stderr.close()
    with Memory.open(url) as memory:
        assert memory.doctor().ok
        stored = {node.id for node in everything(memory)}
        # At most the save that was under way when the signal came is there without its acknowledgement.
        assert set(acknowledged) <= stored
        assert len(stored) <= len(acknowledged) + 1
        assert memory.save("life goes on").status == "created"


def test_threads_of_one_process_share_a_memory(memory):
    errors = []

    def work(name):
        try:
            for number in range(10):
                memo = memory.save(f"{name} {number}").node
                assert memory.get(memo.id) == memo
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"thread {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(everything(memory)) == 80


def test_concurrent_updates_of_one_memo_lose_no_key(memory):
    """Reading and writing in one transaction: two merges of metadata must not overwrite each other."""
    memo = memory.save("shared").node.id

    def work(key):
        for number in range(10):
            memory.save("shared", memo_id=memo, metadata={f"{key}{number}": number})

    threads = [threading.Thread(target=work, args=(key,)) for key in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    final = memory.get(memo)
    assert len(final.metadata) == 60
    assert final.version == 61


def run_threads(*works):
    """Run each work in a thread of its own, and raise what any of them raised."""
    errors = []

    def guarded(work):
        try:
            work()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.slow
def test_relating_while_renaming_leaves_no_stale_edge(memory):
    """On PostgreSQL each reads what the other writes: without a lock both would commit."""
    ids = [memory.save(f"memo {number}", namespace="a").node.id for number in range(6)]

    def relate(first):
        for number in range(40):
            memory.relate(ids[first], ids[number % 6], tag=f"t{first}_{number}", weight=1)

    def rename():
        for _ in range(10):
            memory.rename_namespace("a", "b")
            memory.rename_namespace("b", "a")

    run_threads(rename, *(lambda first=first: relate(first) for first in range(3)))
    assert memory.info().sizes["edges"] == 120
    assert memory.doctor().ok


def test_a_follower_misses_nothing(memory):
    """As docs/how-to/relations.md says: ask again from a minute before the last change seen."""
    a, b = memory.save("a").node.id, memory.save("b").node.id
    seen = {}
    done = threading.Event()

    def follow():
        since = "2000-01-01T00:00:00Z"
        while True:
            last_round = done.is_set()
            cursor = None
            while True:
                page = memory.relations(since=since, limit=500, cursor=cursor)
                seen.update({edge.tag: edge.updated_at for edge in page.edges})
                cursor = page.next_cursor
                if cursor is None:
                    break
            if last_round:
                return
            if seen:
                newest = datetime.fromisoformat(max(seen.values()))
                since = (newest - timedelta(minutes=1)).isoformat()

    def write(name):
        for number in range(50):
            memory.relate(a, b, tag=f"{name}{number}", weight=1)

    def write_all():
        try:
            run_threads(*(lambda name=name: write(name) for name in "uvwx"))
        finally:
            done.set()

    run_threads(follow, write_all)
    assert len(seen) == 200


def test_on_sqlite_changes_are_committed_in_the_order_of_their_times(sqlite_memory):
    a, b = sqlite_memory.save("a").node.id, sqlite_memory.save("b").node.id

    def write(name):
        for number in range(40):
            sqlite_memory.relate(a, b, tag=f"{name}{number}", weight=1)

    run_threads(*(lambda name=name: write(name) for name in "uvwx"))
    times = [edge.updated_at for edge in sqlite_memory.relations(limit=500).edges]
    assert times == sorted(times, reverse=True)


@pytest.mark.slow
def test_many_threads_changing_one_memo_all_succeed(memory):
    memo = memory.save("shared").node.id

    def work(name):
        for number in range(6):
            memory.save("shared", memo_id=memo, metadata={"last": f"{name}{number}"})

    run_threads(*(lambda name=name: work(name) for name in "abcdefghijklmnop"))
    assert memory.get(memo).version == 1 + 16 * 6


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_memory_is_refused_not_shared(memory):
    memory.save("before")
    child = os.fork()
    if child == 0:
        try:
            memory.save("from the child")
        except StoreUnavailable:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert memory.save("after").status == "created"


def test_a_connection_that_the_server_dropped_is_replaced(new_url, execute):
    url = new_url("postgres")
    with Memory.open(url) as memory:
        memory.save("one")
        database = url.split("/")[3].split("?")[0]
        execute(
            url,
            "select pg_terminate_backend(pid) from pg_stat_activity"
            f" where datname = '{database}' and pid <> pg_backend_pid()",
        )
        assert memory.save("two").status == "created"
