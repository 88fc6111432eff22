"""Upkeep by itself: when it looks, what it proposes and applies, that a run is undone as one, and that it is in nobody's
way.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from metabolism_for_tests import Graph, Placed, exported, says
from rich.console import Console

from wherefrom import Conflict, Memory, NotFound, Store, StoreBusy, config
from wherefrom.api import upkeep_runs as engine
from wherefrom.api import upkeep_watch as watching
from wherefrom.api.upkeep_runs import UpkeepRunEngine, lease_name
from wherefrom.engine.pace import Pace
from wherefrom.engine.schedule import Schedule
from wherefrom.interfaces.cli.render_history import history_lines
from wherefrom.interfaces.cli.render_stored_plans import plans_lines
from wherefrom.interfaces.cli.render_upkeep import upkeep_lines
from wherefrom.interfaces.mcp.tools import answer
from wherefrom.model import cancellation
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import Cancelled
from wherefrom.model.jobs import Job
from wherefrom.model.upkeep import change_words, waiting_words
from wherefrom.storage import jobs
from wherefrom.storage.insight import PROPOSED_FOR

POLICY = "version: 1.0.0\nupkeep:\n  mode: {}\n"


@pytest.fixture(autouse=True)
def without_rests(monkeypatch):
    """Work by itself is done in one piece and without rests, as by hand."""
    monkeypatch.setattr(engine, "Pace", lambda **given: Pace(**{**given, "share": 1.0, "seconds": math.inf}))


@pytest.fixture
def embedder_of_opened():
    return Placed()


@pytest.fixture
def graph():
    """Two strong nodes, one that says something of amber and is strong, and three weak copies of it; and four notes of
    jet that nobody has linked.
    """
    made = Graph()
    one, _ = made.hubs()
    made.strong("original", says("Amber"), to=one)
    for number in range(1, 4):
        made.weak(f"copy{number}", says("Amber", number), to=one)
    for number in range(4):
        made.node(f"jet{number}", says("Jet", number * 7), days=2)
    return made


@pytest.fixture
def memory(open_memory, graph):
    opened = open_memory()
    graph.put(opened)
    return opened


def newest(memory):
    return memory.upkeep().runs[0]


def due(memory):
    return UpkeepRunEngine(memory.view).due()


def job_of(memory):
    """A schedule of this memory's upkeep alone, as `wherefrom mcp` has it."""
    return Schedule(memory.view.store, (), further=watching.RootWatch(memory.view).jobs)


def run_all(memory, clock):
    """Do all that is due, in as many pieces as it takes."""
    while due(memory):
        assert job_of(memory).run_due() == (lease_name(memory.view.access),)
        clock.go_on(seconds=5)


# --- proposed, applied, undone ----------------------------------------------------------------------------------------


def test_the_first_run_only_proposes_the_next_applies_and_undo_is_exact_and_repeatable(memory):
    before = exported(memory)
    first = memory.run_upkeep("apply")
    assert exported(memory) == before
    (run,) = first.runs
    assert (run.state, run.note) == ("proposed", engine._FIRST_ONLY_PROPOSES)
    assert run.relations > 0
    assert run.removals > 0
    assert first.waiting == waiting_words(run.relations, run.removals)
    assert memory.status().upkeep == first.waiting
    links = [link for plan_id in run.plan_ids for link in memory.insight_plan(plan_id).accepted]
    done = memory.run_upkeep("apply")
    (applied,) = done.runs
    assert (applied.id, applied.state, done.waiting) == (run.id, "applied", None)
    # What was promised was done; relations of the copies that go with it were none of it.
    assert (applied.relations, applied.removals, applied.note) == (run.relations, run.removals, None)
    assert len(links) > run.relations
    assert len(applied.metabolism_ids) == 1
    assert {"copy1", "copy2", "copy3"}.isdisjoint(node.id for node in memory.list(limit=100).nodes)
    assert memory.status().upkeep is None
    for _ in range(2):
        (undone,) = memory.undo_upkeep(run.id[-8:]).runs
        assert undone.state == "undone"
        assert exported(memory) == before
    told = [item.text for item in memory.history(topic=["upkeep"]).items]
    assert [f"upkeep {run.id[-8:]}" in text for text in told] == [True] * 3
    assert "was undone" in told[0]
    assert first.waiting in told[2]
    assert memory.history(run.id[-8:]).about.kind == "upkeep"
    # Its relations are not proposed again: their ends are no longer new. Nodes that came back are spared.
    assert memory.run_upkeep("propose").runs[0].relations == 0


def counts(memory):
    """How many relations and removals wait, which all that say it say alike."""
    run, said = newest(memory), memory.upkeep().waiting
    assert memory.status().upkeep == memory.activate("Jet").upkeep == said == waiting_words(run.relations, run.removals)
    return run.relations, run.removals


COPIES = {"copy1", "copy2", "copy3"}


def among(plan, *, gone=frozenset()):
    """The numbers of the relations of a plan that wait: those that nobody decided about and of which no end goes."""
    links = (link for link in plan.accepted if COPIES.union(gone).isdisjoint((link.source_id, link.target_id)))
    return [link.number for link in links if link.state == "open"]


def test_what_is_decided_goes_or_comes_back_is_counted_at_once(memory):
    (run,) = memory.run_upkeep("propose").runs
    relations, removals = counts(memory)
    plan = max(map(memory.insight_plan, run.plan_ids), key=lambda plan: len(among(plan)))
    one, other, *_ = among(plan)
    assert (relations > 2, removals) == (True, 3), "three copies"
    memory.decline_insight(plan.id, only=[one])
    assert counts(memory) == (relations - 1, removals)
    memory.apply_insight(plan.id, only=[other])
    assert counts(memory) == (relations - 2, removals)
    memory.undo_insight(plan.id, only=[one])  # what was declined may be made again
    assert counts(memory) == (relations - 1, removals)
    asked = memory.forget(ids=["jet3"])
    done = memory.forget(ids=["jet3"], apply=True, plan=asked.plan)
    assert counts(memory)[0] < relations - 1
    memory.restore(run_id=done.run_id)
    assert counts(memory) == (relations - 1, removals)
    memory.delete("copy1")
    assert counts(memory) == (relations - 1, removals - 1)
    waiting = memory.plans(kind="metabolism").items[0].id
    memory.metabolize(apply_plan_id=waiting)
    assert counts(memory) == (relations - 1, 0), "applied by hand"
    for plan_id in run.plan_ids:
        memory.apply_insight(plan_id)
    assert memory.upkeep().waiting is None


@pytest.mark.parametrize("only", [(), [1]])
@pytest.mark.parametrize("decide", ["decline_insight", "apply_insight"])
def test_undoing_a_plan_that_was_decided_in_part_leaves_its_other_relations_waiting(memory, decide, only):
    plan_id = memory.run_upkeep("propose").runs[0].plan_ids[0]
    before = counts(memory)
    getattr(memory, decide)(plan_id, only=[1])
    assert counts(memory)[0] == before[0] - 1
    assert memory.undo_insight(plan_id, only=only).state == "proposed"
    assert counts(memory) == before
    memory.run_upkeep("apply")
    assert "open" not in {link.state for link in memory.insight_plan(plan_id).accepted}


def test_undoing_a_plan_that_was_declined_as_a_whole_lets_it_wait_again(memory):
    plan_id = memory.run_upkeep("propose").runs[0].plan_ids[0]
    before = counts(memory)
    memory.decline_insight(plan_id)
    memory.undo_insight(plan_id)
    assert counts(memory) == before


def test_a_look_again_adds_to_the_run_that_waits(memory):
    first = newest(memory) if memory.upkeep().runs else memory.run_upkeep("propose").runs[0]
    memory.save(says("Jet", 61))
    second = memory.run_upkeep("propose").runs[0]
    assert (second.id, second.judged) == (first.id, first.judged + 1)
    assert second.relations > first.relations
    assert second.plan_ids[: len(first.plan_ids)] == first.plan_ids


def test_plans_that_are_past_are_looked_for_again(memory, clock):
    first = memory.run_upkeep("propose").runs[0]
    proposed = [len(memory.insight_plan(plan_id).accepted) for plan_id in first.plan_ids]
    clock.go_on(days=PROPOSED_FOR.days, seconds=1)
    assert newest(memory).relations == 0
    assert "insight" in due(memory)
    again = memory.run_upkeep("propose").runs[0]
    assert [len(memory.insight_plan(plan_id).accepted) for plan_id in again.plan_ids] == proposed
    assert not set(again.plan_ids) & set(first.plan_ids)


def test_a_run_that_was_not_applied_is_not_undone_and_an_unknown_one_is_not_found(memory):
    run = memory.run_upkeep("propose").runs[0]
    with pytest.raises(Conflict, match="was not applied"):
        memory.undo_upkeep(run.id)
    with pytest.raises(NotFound):
        memory.undo_upkeep("01900000-0000-7000-8000-000000000000")


def test_a_run_says_that_a_node_stayed_which_was_to_go(memory):
    run = memory.run_upkeep("propose").runs[0]
    going = memory.metabolize("/").removed
    kept = going[0].node.id
    memory.save(memory.get(kept).content + " It is more.", memo_id=kept)
    applied = memory.run_upkeep("apply").runs[0]
    assert memory.get(kept).id == kept
    assert "left out: 1 removal, since what they concern was changed" in applied.note
    assert applied.id == run.id


def test_what_somebody_undid_by_hand_does_not_stop_the_rest(memory):
    memory.run_upkeep("propose")
    run = memory.run_upkeep("apply").runs[0]
    memory.undo_insight(run.plan_ids[0])
    memory.restore(run_id=run.metabolism_ids[0])
    assert memory.undo_upkeep(run.id).runs[0].state == "undone"


def test_undo_names_what_it_could_not_take_back(memory):
    memory.run_upkeep("propose")
    run = memory.run_upkeep("apply").runs[0]
    links = [link for plan_id in run.plan_ids for link in memory.insight_plan(plan_id).accepted if link.state == "made"]
    changed = links[0]
    memory.relate(changed.source_id, changed.target_id, tag=changed.tag, weight=0.9, reason="It is so.")
    memory.save(says("Amber", 1))
    note = memory.undo_upkeep(run.id).runs[0].note
    ends = f"{changed.source_id[-8:]} -{changed.tag}-> {changed.target_id[-8:]}"
    assert note.startswith(f"2 could not be taken back: relation {ends}: it was changed since; copy1: ")


def test_a_run_that_was_undone_says_how_its_relations_are_made_again(memory):
    memory.run_upkeep("propose")
    run = memory.run_upkeep("apply").runs[0]
    lines = [str(line) for line in upkeep_lines(memory.undo_upkeep(run.id))]
    made = [
        f"  to make its relations again: wherefrom insight --apply-plan {plan_id[-8:]} ({change_words(number, 0)})"
        for plan_id, number in zip(run.plan_ids, run.plan_relations, strict=True)
    ]
    assert (len(made), sum(run.plan_relations)) == (2, run.relations)
    assert lines[-3:] == [*made, "  what came back is spared for 30 days"]
    assert memory.apply_insight(run.plan_ids[0]).written > 0


def commands(lines):
    return [str(line).split(": wherefrom ")[-1].split() for line in lines if ": wherefrom " in str(line)]


def test_a_run_that_was_applied_says_where_to_see_what_went(memory):
    """By name: in the history of its run of metabolism, and in the plan that that carried out."""
    memory.run_upkeep("propose")
    memory.run_upkeep("apply")
    done = memory.run_upkeep("apply")  # which finds nothing
    lines = [str(line) for line in upkeep_lines(done)]
    assert [line.split()[1] for line in lines if " judged, " in line] == ["applied"]
    run = next(run for run in done.runs if run.removals)
    assert ["history", run.metabolism_ids[0][-8:]] in commands(lines)
    went = [item.text for item in memory.history(run.metabolism_ids[0][-8:]).items]
    assert sum(text.startswith("let go ") and "amber" in text.lower() for text in went) == 3
    plan = next(plan for plan in memory.plans(kind="metabolism").items if plan.state == "applied")
    table = printed(plans_lines(memory.plans(plan.id)))
    assert "the nearest says nearly the same" in table
    assert "amber" in table.lower()
    assert "copy1" not in table
    told = memory.history(run.id[-8:])
    assert f"what went is in the history of run {run.metabolism_ids[0][-8:]}" in told.about.text
    assert "(undo_run_id)" in told.about.text
    first = str(next(iter(history_lines(told))))
    assert f"to see what went: wherefrom history {run.metabolism_ids[0][-8:]}; " in first
    assert first.endswith(f"to take all of it back: wherefrom upkeep undo {run.id[-8:]}")


def printed(lines):
    console = Console(file=StringIO(), width=200)
    for line in lines:
        console.print(line)
    return console.file.getvalue()


def test_who_may_not_run_it_is_not_told_how(memory):
    memory.run_upkeep("propose")
    waits = memory.upkeep().waiting
    assert printed(upkeep_lines(memory.upkeep())).splitlines()[1] == f"{waits}; to do it: wherefrom upkeep run --apply"
    for role in ("read", "write"):
        told = memory.view.store.memory(role=role).upkeep()
        assert printed(upkeep_lines(told)).splitlines()[1] == waits


def test_others_see_nothing_of_a_run_and_readers_are_told_nothing(memory, open_memory):
    memory.run_upkeep("propose")
    store = memory.view.store
    assert store.memory(role="read").status().upkeep is None
    assert store.memory(root="main/team").upkeep().runs == ()
    assert store.memory(owner="another").upkeep().runs == ()
    assert open_memory(allow=("answer:task", "tool:contact-lookup")).upkeep().runs == ()


# --- what is said -----------------------------------------------------------------------------------------------------


def test_an_answer_says_in_one_line_what_waits_and_nothing_if_nothing_does(memory):
    for tool, given in (("memory_activate", {"query": "amber"}), ("get_status", {})):
        assert "upkeep" not in answer(memory, tool, given)
    memory.run_upkeep("propose")
    for tool, given in (("memory_activate", {"query": "amber"}), ("get_status", {})):
        said = f"{memory.upkeep().waiting}; tell the user: `wherefrom upkeep`"
        assert answer(memory, tool, given)["upkeep"] == said
    lean = answer(memory, "upkeep", {})
    assert (lean["mode"], lean["waiting"]) == ("propose", memory.upkeep().waiting)
    assert answer(memory, "upkeep", {"run": "apply"})["runs"][0]["state"] == "applied"
    assert answer(memory, "upkeep", {"undo_run_id": newest(memory).id})["runs"][0]["state"] == "undone"


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((4, 2), "4 relations and 2 removals wait"),
        ((1, 0), "1 relation waits"),
        ((0, 1), "1 removal waits"),
        ((1, 1), "1 relation and 1 removal wait"),
        ((0, 0), None),
    ],
)
def test_what_waits_in_words(counts, words):
    assert waiting_words(*counts) == words


# --- by itself --------------------------------------------------------------------------------------------------------


def test_it_looks_after_a_quiet_while_or_many_saves_and_for_removals_once_a_day(open_memory, clock):
    memory = open_memory()
    assert due(memory) == frozenset()
    memory.save(says("Jet"))
    assert due(memory) == frozenset()
    clock.go_on(seconds=60)
    assert due(memory) == {"insight", "metabolism"}
    run_all(memory, clock)
    assert newest(memory).judged == 1
    for number in range(20):
        memory.save(says(f"Topic{number}", number))
    assert due(memory) == {"insight"}
    run_all(memory, clock)
    clock.go_on(days=1)
    assert due(memory) == {"metabolism"}
    run_all(memory, clock)
    clock.go_on(days=1)
    assert due(memory) == frozenset(), "nothing has changed since"


def test_mode_off_does_nothing_and_apply_begins_with_the_second_run(memory, clock):
    before = exported(memory)
    memory.apply_policy(POLICY.format("off"))
    assert due(memory) == frozenset()
    assert job_of(memory).run_due() == ()
    assert memory.upkeep().runs == ()
    memory.apply_policy(POLICY.format("apply").replace("1.0.0", "1.0.1"))
    clock.go_on(seconds=60)
    run_all(memory, clock)
    assert newest(memory).state == "proposed"
    assert exported(memory) == before
    memory.save(says("Jet", 77))
    clock.go_on(days=1)
    with_jet = exported(memory)
    run_all(memory, clock)
    assert newest(memory).state == "applied"
    assert exported(memory) != with_jet
    memory.undo_upkeep(newest(memory).id)
    assert exported(memory) == with_jet
    # Whoever undid it has said no: it proposes, until one is applied by hand.
    for number in (88, 91):
        memory.save(says("Jet", number))
        clock.go_on(days=1)
        run_all(memory, clock)
        assert (newest(memory).state, newest(memory).relations > 0) == ("proposed", True)
    assert memory.run_upkeep("apply").runs[0].state == "applied"


def test_after_an_undo_of_any_run_nothing_is_applied_by_itself_until_one_is_by_hand(memory, clock):
    memory.apply_policy(POLICY.format("apply"))
    clock.go_on(seconds=60)
    run_all(memory, clock)
    applied = []
    for number in (61, 77):
        memory.save(says("Jet", number))
        clock.go_on(days=1)
        run_all(memory, clock)
        applied.append(newest(memory).id)
        assert newest(memory).state == "applied"
    assert applied[0] != applied[1]
    assert first_line(memory).endswith("it does by itself what it finds, from the second run on")
    memory.undo_upkeep(applied[0])
    clock.go_on(seconds=1)
    assert first_line(memory).endswith("but a run was taken back: it only proposes until one is applied by hand")
    for number in (88, 91):
        memory.save(says("Jet", number))
        clock.go_on(days=1)
        run_all(memory, clock)
        assert newest(memory).state == "proposed"
    assert memory.run_upkeep("apply").runs[0].state == "applied"
    assert not memory.upkeep().taken_back
    memory.save(says("Jet", 95))
    clock.go_on(days=1)
    run_all(memory, clock)
    assert newest(memory).state == "applied"


def first_line(memory):
    return next(str(line) for line in upkeep_lines(memory.upkeep()))


def test_what_was_made_by_hand_before_a_run_is_none_of_it_and_stays_when_it_is_undone(memory):
    (run,) = memory.run_upkeep("propose").runs
    plan = max(map(memory.insight_plan, run.plan_ids), key=lambda plan: len(among(plan)))
    one = among(plan)[0]
    memory.apply_insight(plan.id, only=[one])
    before = exported(memory)
    applied = memory.run_upkeep("apply").runs[0]
    assert (applied.relations, applied.note) == (run.relations - 1, None)
    undone = memory.undo_upkeep(applied.id).runs[0]
    assert (undone.state, undone.note) == ("undone", None)
    assert exported(memory) == before
    assert {link.number for link in memory.insight_plan(plan.id).accepted if link.state == "made"} == {one}


def test_work_by_itself_is_done_in_pieces_and_told_and_applied_when_it_is_whole(memory, clock, monkeypatch):
    monkeypatch.setattr(engine, "Pace", lambda **given: Pace(seconds=1e-9))
    monkeypatch.setattr(engine, "_FIRST_PIECE", 4)
    memory.apply_policy(POLICY.format("apply"))
    upkeep = UpkeepRunEngine(memory.view)

    def pieces():
        while due(memory):
            upkeep.run_due()
            yield newest(memory)

    before = exported(memory)
    first = list(pieces())
    assert (first[1].judged, first[-1].judged) == (4, len(memory.list(limit=100).nodes))
    assert [run.ended_at is None for run in first] == [True] * (len(first) - 1) + [False]
    assert exported(memory) == before
    assert len(memory.history(topic=["upkeep"]).items) == 1
    memory.save(says("Jet", 61))
    clock.go_on(seconds=61)
    before = exported(memory)
    assert [run.state for run in pieces()] == ["applied"]
    memory.undo_upkeep(first[0].id)
    assert exported(memory) == before


def test_a_store_that_may_only_be_read_and_a_reader_run_nothing(new_url, clock):
    url = new_url("sqlite")
    with Memory.open(url, embedder="none", clock=clock) as memory:
        memory.save("something")
        clock.go_on(seconds=60)
        assert due(memory)
        assert UpkeepRunEngine(memory.view.store.memory(role="write").view).due() == frozenset()
    with Store.from_settings(config.load({"db": url}), embedder="none", clock=clock, only_to_read=True) as store:
        assert UpkeepRunEngine(store.memory().view).due() == frozenset()
        schedule = watching.start_for(store.memory())
        assert "wherefrom-upkeep" not in {thread.name for thread in threading.enumerate()}
        schedule.close()


def test_insight_looks_no_further_while_much_waits(memory):
    memory.apply_policy("version: 1.0.0\nupkeep: {most_waiting: 1}\n")
    memory.run_upkeep("propose")
    memory.save(says("Jet", 61))
    judged = newest(memory).judged
    assert newest(memory).relations >= 1
    assert memory.run_upkeep("propose").runs[0].judged == judged


def test_a_service_looks_after_all_owners_and_roots(url, clock, monkeypatch):
    for name in ("_SECONDS_BETWEEN_LOOKS", "_SECONDS_BETWEEN_PIECES"):
        monkeypatch.setattr(watching, name, 0.0)
    monkeypatch.setattr(UpkeepRunEngine, "share", 1.0)
    with Store.open(url, embedder=Placed(), clock=clock) as store:
        places = [("anna", "main"), ("anna", "team"), ("二", "main")]
        for owner, root in places:
            store.memory(owner=owner, root=root).save(says("Jet"), namespace="deep/below")
        store.memory(owner="off").apply_policy(POLICY.format("off"))
        store.memory(owner="off").save(says("Jet"))
        watch = watching.StoreWatch(store)
        clock.go_on(seconds=60)
        plan = Schedule(store, (), further=watch.jobs)
        names = {lease_name(store.memory(owner=owner, root=root).view.access) for owner, root in places}
        for _ in range(2):  # metabolism, then insight
            assert set(plan.run_due()) == names
        assert plan.run_due() == ()
        for owner, root in places:
            assert store.memory(owner=owner, root=root).upkeep().runs[0].judged == 1
        assert store.memory(owner="off").upkeep().runs == ()
        store.memory(owner="anna").save(says("Amber"))
        clock.go_on(seconds=60)
        assert plan.run_due() == (lease_name(store.memory(owner="anna").view.access),)


def test_two_processes_do_each_piece_once(clock, open_memory, graph, monkeypatch):
    monkeypatch.setattr(watching, "_SECONDS_BETWEEN_LOOKS", 0.0)
    graph.put(open_memory())
    clock.go_on(seconds=60)
    memories, meet = [open_memory() for _ in range(4)], threading.Barrier(4)

    def run(memory):
        plan = job_of(memory)
        meet.wait()
        return plan.run_due()

    for _ in range(2):  # metabolism, then insight
        with ThreadPoolExecutor(4) as threads:
            done = list(threads.map(run, memories))
        assert sorted(map(len, done)) == [0, 0, 0, 1]
        clock.go_on(seconds=5)
    run = newest(memories[0])
    assert run.judged == len(graph.nodes)
    stored = memories[0].history(topic=["plan"], limit=100).items
    assert len(stored) == len(run.plan_ids)


def test_by_hand_it_waits_a_moment_for_its_turn_and_is_refused_after_that(memory, clock, monkeypatch):
    monkeypatch.setattr(engine, "_PATIENCE_SECONDS", 0.3)
    store, name = memory.view.store, lease_name(memory.view.access)
    other = jobs.Lease(name, "another process")
    assert store.database.write(lambda tx: jobs.claim(tx, Job(name, 60, dict), other, clock()))
    for call in (lambda: memory.run_upkeep("propose"), lambda: memory.undo_upkeep("x")):
        with pytest.raises(StoreBusy, match="under way"):
            call()
    clock.go_on(seconds=jobs.LEASE.total_seconds())
    assert memory.run_upkeep("propose").runs


def test_calls_go_on_while_it_looks_and_applies(memory, monkeypatch):
    """Whenever a run rests it holds no lock: a save by another thread ends before the run goes on."""
    saved = []

    def rest(self, at_most=0.0):
        number = len(saved)
        with ThreadPoolExecutor(1) as other:
            saved.append(other.submit(memory.save, f"Call {number} {says('Onyx')}").result(20))
        return 1.0

    memory.run_upkeep("propose")
    monkeypatch.setattr(Pace, "rest", rest)
    memory.save(says("Jet", 61))
    memory.run_upkeep("apply")
    applied = len(saved)
    assert applied >= 2
    memory.undo_upkeep(newest(memory).id)
    assert len(saved) > applied


# --- cut off ----------------------------------------------------------------------------------------------------------


def test_a_look_that_is_cut_off_goes_on_where_it_was(memory, monkeypatch):
    rests = iter([1.0])  # after metabolism

    with monkeypatch.context() as patched:
        patched.setattr(Pace, "rest", lambda *_: next(rests))
        with pytest.raises(StopIteration):
            memory.run_upkeep("propose")
    cut = newest(memory)
    assert (cut.state, cut.judged, cut.ended_at) == ("proposed", engine._FIRST_PIECE, None)
    whole = memory.run_upkeep("propose").runs[0]
    assert (whole.id, whole.judged) == (cut.id, len(memory.list(limit=100).nodes))


@pytest.mark.parametrize("rests", [0, 1, 2])
def test_a_run_that_is_cut_off_while_it_is_applied_is_completed_and_undone_as_one(memory, monkeypatch, rests):
    before = exported(memory)
    memory.run_upkeep("propose")
    left = [None] * rests

    def stop(self, at_most=0.0):
        if not left:
            raise KeyboardInterrupt
        left.pop()

    with monkeypatch.context() as patched:
        patched.setattr(Pace, "rest", stop)
        with pytest.raises(KeyboardInterrupt):
            memory.run_upkeep("apply")
    cut = newest(memory)
    assert cut.state == "applying"
    assert due(memory) == {"finish"}
    with pytest.raises(Conflict, match="cut off"):
        memory.undo_upkeep(cut.id)
    job_of(memory).run_due()
    memory.run_upkeep("propose")
    done = next(run for run in memory.upkeep().runs if run.id == cut.id)
    assert (done.state, len(done.metabolism_ids)) == ("applied", 1)
    memory.undo_upkeep(cut.id)
    assert exported(memory) == before


KILLED = """
import os, signal, sys
from datetime import datetime
from metabolism_for_tests import Placed
from wherefrom import Memory
from wherefrom.engine.pace import Pace
url, moment, left = sys.argv[1], datetime.fromisoformat(sys.argv[2]), [None] * int(sys.argv[3])
def rest(self, at_most=0.0):
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left.pop()
    return 1.0
Pace.rest = rest
with Memory.open(url, clock=lambda: moment, embedder=Placed()) as memory:
    memory.run_upkeep("apply")
"""


@pytest.mark.slow
@pytest.mark.parametrize("rests", [0, 2])
def test_a_run_that_is_killed_leaves_nothing_half_done(memory, url, clock, monkeypatch, rests):
    before = exported(memory)
    memory.run_upkeep("propose")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    command = [sys.executable, "-c", KILLED, url, clock().isoformat(), str(rests)]
    killed = subprocess.run(command, check=False, env=environment)
    assert killed.returncode < 0
    assert newest(memory).state == "applying"
    monkeypatch.setattr(engine, "_PATIENCE_SECONDS", 0.0)
    with pytest.raises(StoreBusy):
        memory.run_upkeep("propose")
    clock.go_on(seconds=timedelta(minutes=3).total_seconds())
    assert job_of(memory).run_due()
    (run,) = [run for run in memory.upkeep().runs if run.metabolism_ids]
    assert run.state == "applied"
    assert memory.doctor().ok
    memory.undo_upkeep(run.id)
    assert exported(memory) == before


# --- its pace ---------------------------------------------------------------------------------------------------------


def test_a_rest_ends_at_once_when_the_process_does():
    call, pace = Cancellation(), Pace(share=1e-9)
    sum(range(100_000))
    threading.Timer(0.05, call.cancel).start()
    with cancellation.running(call), pytest.raises(Cancelled):
        pace.rest()


def test_it_works_for_its_share_of_the_time():
    pace = Pace(share=0.5, seconds=1e-6)
    sum(range(300_000))
    assert not pace.is_over
    owed = pace.rest(at_most=0.0)
    assert owed > 0
    assert pace.is_over
    assert pace._owed == pytest.approx(owed)
    pace.rest()
    assert pace._owed == pytest.approx(0.0, abs=owed)
