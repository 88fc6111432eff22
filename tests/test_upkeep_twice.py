"""Upkeep that looks twice, and what happens meanwhile: no relation is proposed, and none counted, a second time, and
none that is not to be made.
"""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import pytest
from metabolism_for_tests import Placed, says

from wherefrom.model.upkeep import change_words, waiting_words
from wherefrom.storage import upkeep_counts, upkeep_runs
from wherefrom.storage.insight import Seen
from wherefrom.storage.sql import scope_parameters


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


def newest(memory):
    return memory.upkeep().runs[0]


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


def test_what_was_related_by_hand_meanwhile_waits_no_longer_until_that_is_deleted(memory):
    run = memory.run_upkeep("propose").runs[0]
    link = memory.insight_plan(run.plan_ids[0]).accepted[0]
    ends = link.target_id, link.source_id
    memory.relate(*ends, tag="beside", weight=1.0, reason="It is.")
    assert memory.upkeep().waiting == waiting_words(run.relations - 1, 0)
    memory.unrelate(*ends, tag="beside")
    assert memory.upkeep().waiting == waiting_words(run.relations, 0)
    memory.relate(*ends, tag="beside", weight=1.0)
    memory.export(exported := StringIO())
    memory.unrelate(*ends, tag="beside")
    memory.import_(exported.getvalue().splitlines())
    assert newest(memory).relations == run.relations - 1
    memory.unrelate(*ends, tag="beside")
    memory.find_insight(link.source_id, apply=True)
    assert newest(memory).relations < run.relations
    memory.relate(*ends, tag="beside", weight=1.0, reason="It is.")
    promised = newest(memory).relations
    done = memory.run_upkeep("apply").runs[0]
    assert (done.relations, done.note.endswith("whose ends are related already")) == (promised, True)


def test_a_relation_of_what_was_replaced_waits_no_longer(memory):
    run = memory.run_upkeep("propose").runs[0]
    first, second = memory.insight_plan(run.plan_ids[0]).accepted[:2]
    memory.feedback(first.source_id, "duplicate", duplicate_of=first.target_id)
    assert newest(memory).relations < run.relations
    before = newest(memory).relations
    gone = next(end for end in (second.target_id, second.source_id) if end not in (first.source_id, first.target_id))
    memory.save("Another statement altogether.", supersedes=[gone])
    assert newest(memory).relations < before
    assert memory.run_upkeep("apply").runs[0].note.endswith("of which an end went or was changed")


def test_a_relation_of_texts_that_were_rewritten_is_not_made_and_does_not_wait(memory):
    """However it is asked for; a judgement of a node, or the same text again, changes nothing."""
    run = memory.run_upkeep("propose").runs[0]
    plan = memory.insight_plan(run.plan_ids[0])
    link = plan.accepted[0]
    memory.feedback(link.source_id, "helpful")
    memory.save(memory.get(link.source_id).content, memo_id=link.source_id, title="Another title")
    assert newest(memory).relations == run.relations
    before = memory.get(link.source_id)
    memory.save("Something wholly other.", memo_id=link.source_id)
    waiting = newest(memory).relations
    assert waiting < run.relations
    state = {found.number: (found.state, found.note) for found in memory.insight_plan(plan.id).accepted}[link.number]
    assert state == ("left_out", "a text has changed since it was judged")
    memory.restore(link.source_id, version=before.version)
    assert newest(memory).relations == run.relations
    memory.save("Something wholly other.", memo_id=link.source_id)
    done = memory.run_upkeep("apply").runs[0]
    left = run.relations - waiting
    assert done.relations == waiting
    assert done.note == f"left out: {change_words(left, 0)}, of which an end went or was changed"
    made = [
        found for found in memory.relations(limit=100).edges if link.source_id in (found.source_id, found.target_id)
    ]
    assert made == []


def test_all_relations_of_a_plan_whose_texts_were_rewritten_are_left_out(memory):
    run = memory.run_upkeep("propose").runs[0]
    for number, node in enumerate(memory.list(limit=100).nodes):
        memory.save(f"Number {number}.", memo_id=node.id)
    assert memory.upkeep().waiting is None
    plan = memory.apply_insight(run.plan_ids[0])
    assert (plan.written, {link.state for link in plan.accepted}) == (0, {"left_out"})
    assert memory.relations(limit=100).edges == ()


def test_a_plan_of_a_former_version_is_made_as_it_is(memory):
    run = memory.run_upkeep("propose").runs[0]
    view, plan_id = memory.view, run.plan_ids[0]

    def forget_texts(tx):
        row = tx.row("insight_plan_get", {**scope_parameters(view.access), "id": plan_id})
        content = {name: value for name, value in json.loads(row[3]).items() if name != "texts"}
        given = {"state": "proposed", "expected": "proposed", "former": row[3], "content": json.dumps(content)}
        times = {"applied_at": None, "undone_at": None}
        assert tx.count("insight_plan_mark", {"owner": view.access.owner, "id": plan_id, **given, **times})

    view.store.database.write(forget_texts)
    for number, node in enumerate(memory.list(limit=100).nodes):
        memory.save(f"Number {number}.", memo_id=node.id)
    assert memory.apply_insight(plan_id).written > 0


def test_a_first_run_that_finds_nothing_asks_for_no_look(open_memory):
    (run,) = open_memory().run_upkeep("apply").runs
    assert (run.relations, run.removals, run.note) == (0, 0, None)
