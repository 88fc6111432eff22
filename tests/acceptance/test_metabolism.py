"""Runs of metabolism: one at a time, cut off anywhere and completed later, while others go on writing."""

from __future__ import annotations

import functools
import io
import json
import random
import shutil
import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from forking_for_tests import wherefrom_command
from receipts_for_tests import exported, fill, nodes_of, opened_at, payloads, sentence
from talking_for_tests import Clock

from wherefrom import Conflict, Memory, StoreBusy
from wherefrom.metabolism import adaptive_batch, apply, engine

KILLS = {"sqlite": 8, "postgres": 3}
# Small batches: more places to be killed at.
MOST, LINKS = 2, 5
APPLY = f"""
import sys
from datetime import datetime
from wherefrom import Memory
from wherefrom.metabolism import adaptive_batch, apply
url, moment, stops = sys.argv[1], datetime.fromisoformat(sys.argv[2]), sys.argv[3:]
adaptive_batch._MAX_ROWS, apply._MAX_EDGES_PER_BATCH = {MOST}, {LINKS}
def progress(done, total):
    print(done, flush=True)
    if stops:
        sys.stdin.readline()
with Memory.open(url, clock=lambda: moment) as memory:
    memory.metabolize("a" if stops else None, apply=True, progress=progress)
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
def copy(filled, request, tmp_path):
    """Makes copies of the store."""

    def make():
        if filled.url.startswith("postgresql"):
            return request.getfixturevalue("_postgres")(name_of(filled.url))
        return str(shutil.copy(filled.url, tmp_path / f"{uuid.uuid4().hex}.db"))

    return make


@pytest.fixture
def url(copy):
    """A copy of its own for each test."""
    return copy()


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


@contextmanager
def small_batches():
    """Batches as the processes have them that are killed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adaptive_batch, "_MAX_ROWS", MOST)
        patch.setattr(apply, "_MAX_EDGES_PER_BATCH", LINKS)
        yield


@contextmanager
def applying_process(url, moment, *stops):
    """A process that applies a plan and prints a line after each batch; killed in the end if it is not done."""
    command = [*wherefrom_command(), "-c", APPLY, url, moment.isoformat(), *stops]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()
            if not process.stdout.closed:
                process.stdout.read()  # until it is dead


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


def kill(url, filled, chance):
    """Kill a process while it applies a plan; after which batch, and how much later."""
    after, pause = chance.randint(1, filled.batches - 1), chance.uniform(0, 0.004)
    with applying_process(url, filled.moment) as process:
        for _ in range(after):
            process.stdout.readline()
        time.sleep(pause)
    return f"killed {pause} s after batch {after} of {filled.batches}"


@pytest.mark.slow
def test_a_run_that_is_killed_anywhere_loses_nothing_and_is_completed(filled, copy, execute):
    for number in range(KILLS["postgres" if filled.url.startswith("postgresql") else "sqlite"]):
        url = copy()
        said = kill(url, filled, random.Random())
        with opened_at(url, filled.moment + timedelta(minutes=3)) as memory:
            live = nodes_of(exported(memory))
            gone = {row[0] for row in execute(url, "select node_id from retired where kind = 'node'")}
            assert live | gone >= nodes_of(filled.before), said
            assert not live & gone, said
            assert memory.doctor().ok, said
            ((run_id, state),) = runs(execute, url)
            if number % 3:  # else what was done so far is brought back
                done = memory.metabolize(apply=True)
                assert exported(memory) == filled.after, said
                if state == "running":
                    assert (done.run_id, done.resumed) == (run_id, True), said
                else:  # it had ended, and the process was on its way out
                    assert done.nodes_removed + done.links_removed == 0, said
                assert memory.doctor().ok, said
            assert memory.restore(run_id=run_id).skipped == {}, said
            assert exported(memory) == filled.before, said
            assert memory.doctor().ok, said


def test_batches_of_any_size_come_to_the_same(filled, memory):
    done = memory.metabolize(apply=True)
    assert (done.skipped, done.resumed, done.state) == (0, False, "applied")
    assert exported(memory) == filled.after
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned, again.nodes_removed, again.links_removed) == ((), 0, 0, 0)
    assert exported(memory) == filled.after


# --- one at a time ----------------------------------------------------------------------------------------------------


def test_never_two_at_once_where_one_is_inside_the_other(filled, url, clock):
    with Memory.open(url, clock=clock) as memory:
        for place in ("a", "a/deep", "ab", "b"):
            memory.delete(memory.save(f"about {place}", namespace=place, entities=["Quartz Hall"]).node.id)
    clock.go_on(days=4)
    stopping = applying_process(url, clock.now, "stop at each batch")
    with stopping as process, Memory.open(url, clock=clock) as memory:
        assert process.stdout.readline() == "2\n"
        for place in (None, "a", "a/deep"):
            with pytest.raises(StoreBusy, match="'main/a' that began at 2026-") as busy:
                memory.metabolize(place, apply=True)
            assert (clock.now + timedelta(minutes=2)).strftime("after %Y-%m-%dT%H:%M:%S") in busy.value.hint
        with Memory.open(url, root="main/a/deep", clock=clock) as inside, pytest.raises(StoreBusy):
            inside.metabolize(apply=True)
        for place in ("ab", "b"):
            assert memory.metabolize(place, apply=True).nodes_removed == 1, "beside it"
        with Memory.open(url, owner="somebody else", clock=clock) as other:
            assert other.metabolize(apply=True).state == "applied"
        assert len(memory.metabolize().removed) > 0, "a plan may be made at any time"
        process.stdin.write("go on\n" * 9)
        process.communicate()
        assert process.returncode == 0
        assert memory.metabolize(apply=True).resumed is False


def test_of_many_that_start_at_once_one_runs(filled, url):
    def run(_):
        with opened_at(url, filled.moment) as memory:
            try:
                return memory.metabolize(apply=True)
            except StoreBusy:
                return None

    with ThreadPoolExecutor(6) as pool:
        plans = [plan for plan in pool.map(run, range(6)) if plan is not None]
    assert sum(plan.nodes_removed for plan in plans) == max(len(plan.removed) for plan in plans) > 0
    assert not any(plan.resumed or plan.skipped for plan in plans)
    with opened_at(url, filled.moment) as memory:
        assert exported(memory) == filled.after


def test_a_run_whose_lease_is_lost_stops_and_leaves_the_other_alone(filled, url, clock, memory, execute):
    """A process that slept, say: by the time it goes on, another one has taken its run over."""
    taken, go_on = threading.Event(), threading.Event()

    def wait():
        taken.set()
        go_on.wait(60)

    def take_over():
        with Memory.open(url, clock=clock) as other:
            return other.metabolize(apply=True, progress=at_first(wait))

    with ThreadPoolExecutor(1) as pool:

        def lose():
            clock.go_on(minutes=3)
            others.append(pool.submit(take_over))
            assert taken.wait(60)

        others = []
        with pytest.raises(Conflict, match="taken over"):
            memory.metabolize(apply=True, progress=at_first(lose))
        go_on.set()
        done = others[0].result(60)
    assert (done.state, done.resumed) == ("applied", True)
    assert runs(execute, url) == [(done.run_id, "applied")]
    assert exported(memory) == filled.after


def test_a_run_that_was_completed_by_another_stays_completed(filled, url, clock, memory, execute):
    def complete():
        clock.go_on(minutes=3)
        with Memory.open(url, clock=clock) as other:
            other.metabolize(apply=True)

    with pytest.raises(Conflict, match="taken over"):
        memory.metabolize(apply=True, progress=at_first(complete))
    assert [state for _, state in runs(execute, url)] == ["applied"]
    assert memory.metabolize(apply=True).resumed is False
    assert exported(memory) == filled.after


# --- cut off and completed --------------------------------------------------------------------------------------------


def test_an_interrupted_run_is_given_back_at_once_and_completed(filled, memory, url, execute):
    cut_off(memory)
    ((run_id, state),) = runs(execute, url)
    assert state == "running"
    assert exported(memory) not in (filled.before, filled.after)
    done = memory.metabolize(apply=True)
    assert (done.run_id, done.resumed, done.state) == (run_id, True, "applied")
    assert exported(memory) == filled.after
    assert memory.metabolize(apply=True).resumed is False
    assert len(memory.restore(run_id=run_id).node_ids) == len(nodes_of(filled.before)) - len(nodes_of(filled.after))
    assert exported(memory) == filled.before


def test_a_run_that_goes_on_chooses_as_the_first_plan_did(new_url, monkeypatch):
    """Of two near-copies of each other the thinner one goes, also if the other has lost its relation since."""
    monkeypatch.setattr(adaptive_batch, "_MAX_ROWS", 1)
    monkeypatch.setattr(
        engine.application,
        "PlanApplication",
        functools.partial(apply.PlanApplication, batch=adaptive_batch.AdaptiveBatch(1)),
    )
    url, clock = new_url("sqlite"), Clock()
    with Memory.open(url, clock=clock) as memory:
        goes, thicker, thinner, unique, stays, other = (
            memory.save(text).node.id
            for text in (
                f"{sentence(1)}!",  # nearer than with a filler, so that it goes first
                *(sentence(*topic) for topic in ((50, "actually"), (50, "really"), (77,), (1,), (2,))),
            )
        )
        memory.relate(goes, thicker, tag="like", weight=0.09)
        memory.relate(thinner, unique, tag="like", weight=0.05)
        memory.relate(stays, other, tag="then", weight=0.9)
        clock.go_on(days=4)
        assert [weak.node.id for weak in memory.metabolize().removed] == [goes, thinner]
        cut_off(memory)
        assert nodes_of(exported(memory)) == {thicker, thinner, unique, stays, other}
        assert memory.metabolize(apply=True).resumed
        assert nodes_of(exported(memory)) == {thicker, unique, stays, other}


def test_other_arguments_do_not_go_on_with_it(filled, memory, url, execute):
    cut_off(memory)
    (first,) = runs(execute, url)
    other = memory.metabolize(apply=True, mdl_benefit=0.1)
    assert (other.resumed, other.run_id == first[0]) == (False, False)
    assert sorted(runs(execute, url)) == sorted([(first[0], "stopped"), (other.run_id, "applied")])
    for run_id in (other.run_id, first[0]):
        memory.restore(run_id=run_id)
    assert exported(memory) == filled.before
    cut_off(memory, protection_hours=1)
    assert memory.metabolize(apply=True).resumed is False, "nor none at all"


def test_from_above_or_below_it_is_another_run(filled, memory, clock, url, execute):
    memory.delete(memory.save("about it", namespace="a", entities=["Quartz Hall"]).node.id)
    clock.go_on(days=4)
    cut_off(memory)
    below = memory.metabolize("a", apply=True)
    assert (below.resumed, below.nodes_removed) == (False, 1)
    above = memory.metabolize(apply=True)
    assert above.resumed is False
    states = dict(runs(execute, url))
    assert (states.pop(below.run_id), states.pop(above.run_id)) == ("applied", "applied")
    assert set(states.values()) == {"stopped"}
    assert exported(memory) == filled.after


@pytest.mark.parametrize(("hours", "resumed"), [(23, True), (25, False)])
def test_a_run_can_be_completed_for_a_day(filled, memory, clock, hours, resumed):
    cut_off(memory)
    clock.go_on(hours=hours)
    assert memory.metabolize(apply=True).resumed is resumed
    assert exported(memory) == filled.after


# --- what happens meanwhile -------------------------------------------------------------------------------------------


def pin(memory, node_id):
    """As somebody else's export has it."""
    stream = io.StringIO()
    memory.export(stream)
    header, *lines = map(json.loads, stream.getvalue().splitlines())
    (line,) = (each for each in lines if each.get("id") == node_id)
    pinned = {**line, "pinned": True, "version": line["version"] + 1}
    memory.import_(io.BytesIO(f"{json.dumps(header)}\n{json.dumps(pinned)}\n".encode()))
    assert memory.get(node_id).pinned


CHANGES = {
    "new text": lambda memory, copy, _: memory.save("something else by now", memo_id=copy),
    "a strong relation": lambda memory, copy, near: memory.relate(copy, near, tag="is", weight=1),
    "a relation that is observed again": lambda memory, copy, _: memory.relate(
        *key_of(memory, copy), tag="then", weight=0.8
    ),
    "pinned": lambda memory, copy, _: pin(memory, copy),
    "its neighbour was deleted": lambda memory, _, near: memory.delete(near),
    "its neighbour says something else": lambda memory, _, near: memory.save("no longer near", memo_id=near),
}


def key_of(memory, copy):
    (edge,) = memory.relations(source_id=copy, tag="then").edges
    return edge.source_id, edge.target_id


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_meanwhile_is_skipped_and_counted(filled, memory, change):
    copy, near = filled.ids["copies"][5], filled.ids["strong"][5]
    plan = memory.metabolize()
    assert [weak.neighbour.id for weak in plan.removed if weak.node.id == copy] == [near]
    done = memory.metabolize(apply=True, progress=at_first(lambda: CHANGES[change](memory, copy, near)))
    assert memory.get(copy).id == copy
    assert done.skipped > 0
    kept = {weak.node.id for weak in plan.removed} & nodes_of(exported(memory))
    # The other end of a relation that is thick again stays, too.
    expected = {copy, key_of(memory, copy)[1]} if "observed" in change else {copy}
    assert kept == expected
    assert done.nodes_removed == len(plan.removed) - len(expected)
    assert memory.doctor().ok


def test_a_deleted_node_is_skipped_and_does_not_come_back(filled, memory):
    copy = filled.ids["copies"][5]
    done = memory.metabolize(apply=True, progress=at_first(lambda: memory.delete(copy)))
    assert done.skipped == 1
    memory.restore(run_id=done.run_id)
    assert copy not in nodes_of(exported(memory))
    assert nodes_of(exported(memory)) == nodes_of(filled.before) - {copy}


def test_others_go_on_writing_while_a_plan_is_applied(filled, url):
    saved, written, done = [], threading.Event(), threading.Event()

    def write():
        with opened_at(url, filled.moment) as writer:
            while not done.is_set() or len(saved) < 5:
                saved.append(writer.save(f"written meanwhile, number {len(saved)}").node.id)
                if len(saved) > 1:
                    writer.relate(*saved[-2:], tag="then", weight=1)
                written.set()

    def wait_for_a_save(*_):
        """Between two batches: if the plan still held a lock, nobody could write."""
        written.clear()
        assert written.wait(60)

    with ThreadPoolExecutor(1) as pool, opened_at(url, filled.moment) as memory, small_batches():
        writing = pool.submit(write)
        try:
            memory.metabolize(apply=True, progress=wait_for_a_save)
        finally:
            done.set()
        writing.result(60)
        lines = exported(memory)
        assert nodes_of(lines) == nodes_of(filled.after) | set(saved)
        assert len(lines) == len(filled.after) + 2 * len(saved) - 1
        assert memory.doctor().ok


# --- what is said about it --------------------------------------------------------------------------------------------


def test_events_tell_each_batch_with_reasons_and_figures(filled, memory, url, execute):
    done = memory.metabolize(apply=True)
    *batches, last = payloads(execute, url, "metabolism")
    assert {each["run_id"] for each in (*batches, last)} == {done.run_id}
    counts = {"nodes": done.nodes_removed, "links": done.links_removed, "skipped": 0, "purged": 0}
    assert last == {"run_id": done.run_id, "state": "applied", **counts}
    assert sum(each["links"] for each in batches) == done.links_removed
    told = {each["id"]: each for batch in batches for each in batch.get("nodes", ())}
    assert told.keys() == {weak.node.id for weak in done.removed}
    for weak in done.removed:
        figures = told[weak.node.id]
        assert figures["rule"] == weak.rule
        if weak.rule == "restorable":
            assert figures["neighbour_id"] == weak.neighbour.id
            assert figures["difficulty"] == pytest.approx(weak.difficulty)
            assert figures["thickness"] == pytest.approx(weak.thickness)
    assert {rule for each in batches for rule in each.get("rules", ())} == {"exclusive", "thin"}
    assert not any(sentence(5) in json.dumps(each) for each in batches), "no text"


def test_events_tell_what_came_back_and_what_was_reinforced(filled, memory, url, execute):
    done = memory.metabolize(apply=True)
    copy = filled.ids["copies"][5]
    memory.restore(copy)
    memory.restore(run_id=done.run_id)
    one, run = payloads(execute, url, "restore")
    assert (one["node_id"], one["nodes"], one["skipped"]) == (copy, 1, 0)
    assert (run["run_id"], run["nodes"]) == (done.run_id, done.nodes_removed - 1)
    assert one["links"] + run["links"] == done.links_removed
    source, target = key_of(memory, copy)
    before = memory.reinforce(source, target, tag="then").before
    memory.reinforce(source, target, tag="then", weaken=True)
    *_, up, down = payloads(execute, url, "reinforce")
    assert (up["source_memo_id"], up["target_memo_id"], up["tag"]) == (source, target, "then")
    assert up["weight"][0] == before.weight < up["weight"][1] == down["weight"][0]
    assert down["confidence"][0] == up["confidence"][1] > down["confidence"][1]
