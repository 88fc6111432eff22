"""Many processes on one database: nothing is lost, nothing fails, and a kill leaves it whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from recollect import Memory

SAVE_MANY = """
import sys
from recollect import Memory
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


def writer(url, name, count):
    command = [sys.executable, "-c", SAVE_MANY, url, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def everything(memory):
    nodes, cursor = [], None
    while True:
        page = memory.list(limit=100, cursor=cursor)
        nodes += page.nodes
        cursor = page.next_cursor
        if cursor is None:
            return nodes


def test_eight_processes_write_and_nothing_is_lost(url):
    processes = [writer(url, f"process {number}", 200) for number in range(8)]
    acknowledged = set()
    for process in processes:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        acknowledged |= set(out.split())
    with Memory.open(url) as memory:
        assert len(acknowledged) == 1600
        assert {node.id for node in everything(memory)} == acknowledged
        assert memory.info().sizes["edges"] == 8 * 199
        assert memory.doctor().ok


def test_the_same_text_from_many_processes_is_one_memo(url):
    processes = [writer(url, "the same", 40) for _ in range(6)]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    with Memory.open(url) as memory:
        assert len(everything(memory)) == 40


@pytest.mark.parametrize("after", [1, 37, 120])
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
            for number in range(25):
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
    assert len(everything(memory)) == 200


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
