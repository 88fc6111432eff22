"""Statements that take each other's place in many processes at once, and in processes that are killed: of each slot one
holds, and nothing that was said is lost.
"""

from __future__ import annotations

import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest
from forking_for_tests import wherefrom_command

from wherefrom import Conflict, Memory

# Saves into some slots in turn, every third time by naming what it replaces; prints each id once it is saved.
REPLACING = """
import sys
from wherefrom import Memory
url, name, times, slots = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
with Memory.open(url, embedder="none") as memory:
    memory.list()
    print("ready", flush=True)
    sys.stdin.readline()
    last = None
    for number in range(times):
        slot = slots[number % len(slots)]
        if number % 3 == 2 and len(slots) > 1:
            given = {"supersedes": [] if last is None else [last]}
        else:
            given = {"slot": slot}
        saved = memory.save(f"{slot} is {name} {number}", **given)
        last = saved.node.id if "supersedes" in given else last
        print(saved.node.id, flush=True)
"""


def start(started, url, name, times, *slots):
    command = [*started, "-c", REPLACING, url, name, str(times), *slots]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def let_go(process):
    process.stdin.write("\n")
    process.stdin.flush()


def all_of(memory):
    found, cursor = [], None
    while True:
        page = memory.list(include=["replaced"], limit=100, cursor=cursor)
        found += page.nodes
        cursor = page.next_cursor
        if cursor is None:
            return {node.id: node for node in found}


def superseding(memory):
    found, cursor = set(), None
    while True:
        page = memory.relations(tag="supersedes", limit=500, cursor=cursor)
        found |= {(edge.source_id, edge.target_id) for edge in page.edges}
        cursor = page.next_cursor
        if cursor is None:
            return found


def check_whole(memory):
    """Each slot has one statement that holds; what has ended has an heir, and the relation that says so."""
    nodes, pairs = all_of(memory), superseding(memory)
    for node in nodes.values():
        assert (node.valid_to is None) == (node.superseded_by is None)
        assert node.superseded_by is None or (node.superseded_by, node.id) in pairs
        assert node.superseded_by is None or node.superseded_by in nodes
    for slot in {node.slot for node in nodes.values()} - {None}:
        said = sorted((node for node in nodes.values() if node.slot == slot), key=lambda node: node.holds_from)
        assert [node.valid_to is None for node in said] == [False] * (len(said) - 1) + [True]
        # One ends where the next begins.
        assert [node.valid_to for node in said[:-1]] == [node.holds_from for node in said[1:]]
        assert [node.superseded_by for node in said[:-1]] == [node.id for node in said[1:]]
    assert memory.doctor().ok
    return nodes


def crowd(url, processes, times):
    started = [start(wherefrom_command(), url, f"process{number}", times, "city") for number in range(processes)]
    try:
        for process in started:
            assert process.stdout.readline() == "ready\n"
        for process in started:
            let_go(process)
        said = [process.communicate()[0].split() for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    assert [process.returncode for process in started] == [0] * processes
    assert [len(ids) for ids in said] == [times] * processes
    with Memory.open(url, embedder="none") as memory:
        nodes = check_whole(memory)
        assert {node_id for ids in said for node_id in ids} == nodes.keys()
        assert len(memory.list(limit=100).nodes) == 1
        for before, after in pairwise(sorted(nodes.values(), key=lambda node: node.holds_from)):
            assert before.superseded_by == after.id
        # Of those in the middle, each was the one that held in its time.
        for node in random.Random(7).sample(sorted(nodes.values(), key=lambda node: node.id), 5):
            assert [held.id for held in memory.list(as_of=node.holds_from).nodes] == [node.id]


def test_three_processes_replace_one_statement_at_once(url):
    crowd(url, 3, 6)


@pytest.mark.slow
def test_eight_processes_replace_one_statement_at_once(url):
    crowd(url, 8, 10)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [3, pytest.param(8, marks=pytest.mark.long)])
def test_processes_that_are_killed_while_they_replace_leave_whole_slots(url, rounds):
    chance = random.Random(7)
    acknowledged = set()
    for round_number in range(rounds):
        with start(wherefrom_command(), url, f"round{round_number}", 10_000, "city", "team/lead", "port") as process:
            assert process.stdout.readline() == "ready\n"
            let_go(process)
            for _ in range(chance.randint(1, 40)):
                acknowledged.add(process.stdout.readline().strip())
            process.kill()
            acknowledged |= {line.strip() for line in process.stdout if line.endswith("\n")}
            process.wait()
        with Memory.open(url, embedder="none") as memory:
            nodes = check_whole(memory)
            assert acknowledged <= nodes.keys()


def test_of_two_that_supersede_each_other_at_once_one_holds(url):
    """Whichever comes first counts, and the other is refused."""
    with Memory.open(url, embedder="none") as memory:
        for turn in range(5):
            ids = [memory.save(f"turn {turn}: {name}").node.id for name in ("one", "other")]
            together = Barrier(2)

            def supersede(heir, old, together=together):
                together.wait()
                try:
                    memory.relate(heir, old, tag="supersedes", weight=1.0)
                except Conflict:
                    return False
                return True

            with ThreadPoolExecutor(2) as pool:
                done = list(pool.map(supersede, ids, reversed(ids)))
            held = [node.id for node in memory.list(limit=100).nodes if node.id in ids]
            assert len(held) == 1
            assert sorted(done) == [False, True]


def test_of_two_that_supersede_a_third_at_once_one_is_its_heir(url):
    with Memory.open(url, embedder="none") as memory:
        for turn in range(5):
            old, *heirs = [memory.save(f"turn {turn}: {name}").node.id for name in ("old", "one", "other")]
            together = Barrier(2)

            def supersede(heir, old=old, together=together):
                together.wait()
                return memory.relate(heir, old, tag="supersedes", weight=1.0)

            with ThreadPoolExecutor(2) as pool:
                list(pool.map(supersede, heirs))
            ended = memory.get(old)
            assert ended.superseded_by in heirs
            # Its first version and the one that ended it: it was ended once.
            assert ended.version == 2
