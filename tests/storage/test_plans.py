"""Plans of both engines are listed, read and compared the same on both databases."""

from __future__ import annotations

import pytest
from embedders_for_tests import Numbered

from wherefrom import InvalidInput, NotFound

TEXTS = ("1 amber", "1 basalt", "1 chalcedony", "2 dolomite", "2 epidote", "2 feldspar")
ALL = {"protection_hours": 0, "orphans": "all"}


@pytest.fixture
def embedder_of_opened():
    return Numbered()


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def ids(memory, clock):
    saved = [memory.save(text).node.id for text in TEXTS]
    clock.go_on(hours=1)
    return saved


def test_plans_and_runs_of_both_engines_are_listed_with_what_became_of_them(memory, ids, clock):
    proposed, applied = memory.find_insight(), memory.find_insight(ids[0])
    clock.go_on(minutes=1)
    memory.apply_insight(applied.id, only=[1])
    clock.go_on(minutes=1)
    waiting = memory.metabolize(**ALL)
    clock.go_on(minutes=1)
    run = memory.metabolize(apply=True, **ALL)
    memory.restore(run_id=run.run_id)
    listed = memory.plans().items
    assert [(plan.id, plan.kind, plan.state) for plan in listed[:2]] == [
        (run.plan_id, "metabolism", "undone"),
        (waiting.plan_id, "metabolism", "proposed"),
    ]
    assert listed[1].nodes == len(waiting.removed) == 4 and listed[0].run_id == run.run_id
    assert {(plan.id, plan.state, plan.links, plan.made) for plan in listed[2:]} == {
        (proposed.id, "proposed", 6, 0),
        (applied.id, "applied", 2, 1),
    }
    assert [plan.kind for plan in memory.plans(kind="insight", limit=1).items] == ["insight"]
    clock.go_on(days=15)
    assert {plan.state for plan in memory.plans().items} == {"applied", "undone"}


def test_two_plans_are_compared(memory, ids):
    first = memory.find_insight(ids[0])
    memory.save("1 garnet")
    second = memory.find_insight(ids[0])
    found = memory.plans(first.id[-8:], second.id)
    assert [plan.id for plan in found.items] == [first.id, second.id]
    only = [entry for entry in found.entries if entry.first is None]
    assert ["garnet" in entry.name for entry in only] == [True]
    assert found.same + len(found.entries) == 3
    few, many = memory.metabolize(protection_hours=0), memory.metabolize(**ALL)
    assert few.plan_id is None
    with pytest.raises(InvalidInput):
        memory.plans(first.id, many.plan_id)
    read = memory.plans(many.plan_id)
    assert {entry.ids for entry in read.entries} == {(each.node.id,) for each in many.removed}
    assert {entry.second for entry in read.entries} == {None}
    assert memory.plans(many.plan_id, many.plan_id).same == len(many.removed)


def test_who_may_not_see_a_plan_is_not_told_of_it(memory, open_memory, ids):
    made = memory.find_insight().id, memory.metabolize(**ALL).plan_id
    for other in (open_memory(root="main/a"), open_memory(owner="another")):
        assert other.plans().items == ()
        for plan_id in made:
            with pytest.raises(NotFound):
                other.plans(plan_id)


def test_a_run_is_told_of_by_its_plan_or_by_itself(memory, ids, url, execute):
    run = memory.metabolize(apply=True, **ALL)
    assert memory.plans(run.run_id[-8:]).items[0].id == run.plan_id
    assert memory.history(run.plan_id).about.state == "applied"
    execute(url, "delete from metabolism_plans")
    (listed,) = memory.plans().items
    assert (listed.id, listed.state, listed.nodes) == (run.run_id, "applied", run.nodes_removed)
