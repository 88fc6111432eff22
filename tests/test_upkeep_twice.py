"""Upkeep that looks twice: no relation is proposed, and none counted, a second time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from metabolism_for_tests import Placed, says

from wherefrom.storage import upkeep_counts, upkeep_runs
from wherefrom.storage.insight import Seen


@pytest.fixture
def embedder_of_opened():
    return Placed()


@pytest.fixture
def memory(open_memory):
    opened = open_memory()
    save_about(opened, "Opal")
    return opened


def save_about(memory, word):
    """Save more notes than one piece of work judges, in groups that are worth relating."""
    for number in range(14):
        memory.save(says(f"{word}{number % 4}", number))


def pairs_of(memory, run):
    """The pairs of all plans of a run, each as often as it is proposed."""
    links = [link for plan_id in run.plan_ids for link in memory.insight_plan(plan_id).accepted]
    return [frozenset((link.source_id, link.target_id)) for link in links]


def test_a_look_at_what_did_not_change_proposes_nothing_twice(memory):
    first = memory.run_upkeep("propose").runs[0]
    assert first.judged == 14
    assert len(pairs_of(memory, first)) == len({*pairs_of(memory, first)}) == first.relations > 12
    again = memory.run_upkeep("propose").runs[0]
    assert (again.judged, again.relations, again.plan_ids) == (14, first.relations, first.plan_ids)


def test_when_the_memory_has_grown_what_waits_is_not_proposed_again(memory):
    first = memory.run_upkeep("propose").runs[0]
    save_about(memory, "Beryl")
    grown = memory.run_upkeep("propose").runs[0]
    assert grown.judged == 28
    assert len(pairs_of(memory, grown)) == len({*pairs_of(memory, grown)}) == grown.relations > first.relations


def test_a_pair_that_two_plans_of_a_run_have_is_counted_once_and_is_not_left_out(memory, monkeypatch):
    """As runs of former versions have it."""
    monkeypatch.setattr(upkeep_counts, "waiting_edges", lambda tx, access, run: [])
    memory.run_upkeep("propose")
    view = memory.view

    def rewind(tx):
        (run,) = upkeep_runs.newest(tx, view.access)
        upkeep_runs.put(tx, view.access, replace(run, seen=Seen()), moment=view.store.clock())

    view.store.database.write(rewind)
    again = memory.run_upkeep("propose").runs[0]
    pairs = pairs_of(memory, again)
    assert len(pairs) > len({*pairs}) == again.relations
    done = memory.run_upkeep("apply").runs[0]
    assert (done.relations, done.note) == (again.relations, None)


def test_what_was_related_by_hand_meanwhile_is_said_to_be_so(memory):
    run = memory.run_upkeep("propose").runs[0]
    link = memory.insight_plan(run.plan_ids[0]).accepted[0]
    memory.relate(link.source_id, link.target_id, tag="beside", weight=1.0, reason="It is.")
    done = memory.run_upkeep("apply").runs[0]
    assert (done.relations, done.note) == (run.relations - 1, "left out: 1 relation, whose ends are related already")


def test_a_first_run_that_finds_nothing_asks_for_no_look(open_memory):
    (run,) = open_memory().run_upkeep("apply").runs
    assert (run.relations, run.removals, run.note) == (0, 0, None)
