"""A stored plan lets go exactly what it showed: what changed meanwhile stays and is named, and all of it comes back."""

from __future__ import annotations

import pytest
from metabolism_for_tests import exported, removed, says

from wherefrom import Conflict, Gone, InvalidInput, NotFound


@pytest.fixture
def filled(memory, graph):
    """Three copies, an entity without relations, a thin relation and two that exclude each other."""
    graph.weak("copy1", says("Amber", 1), to="main.huba")
    graph.weak("copy2", says("Amber", 2), to="main.huba")
    graph.weak("copy3", says("Amber", 3), to="main.hubb")
    graph.node("name", "Hoshi", kind="entity")
    graph.strong("bed", "Bed has a text of its own.", to="main.huba")
    graph.edge("bed", "main.hubb", "related", weight=0.01, days=10)
    graph.edge("bed", "main.huba", "status", weight=0.9, days=8)
    graph.edge("bed", "main.hubb", "status", weight=0.4, days=8)
    graph.put(memory)
    return memory


def test_exactly_what_was_shown_goes_whatever_came_since(filled, graph):
    plan = filled.metabolize()
    assert plan.plan_id and set(removed(plan)) == {"copy1", "copy2", "copy3", "name"} and plan.pruned == 2
    filled.save("Quartz is a new thing.", pinned=True)
    filled.save("Hoshi the second", title="later")
    run = filled.metabolize(apply_plan_id=plan.plan_id)
    assert (run.state, run.plan_id, run.skipped, run.stayed) == ("applied", plan.plan_id, 0, {})
    assert removed(run) == removed(plan)
    assert (run.nodes_removed, run.links_removed) == (4, 5)
    with pytest.raises(Conflict):
        filled.metabolize(apply_plan_id=plan.plan_id)
    assert len(filled.restore(run_id=run.run_id).node_ids) == 4


def test_what_changed_meanwhile_stays_and_is_named(filled, clock):
    plan = filled.metabolize()
    clock.go_on(hours=1)
    filled.save("Amber is yellow.", memo_id="copy1")
    filled.relate("copy2", "main.huba", tag="explains", weight=1)
    filled.delete("copy3")
    filled.relate("bed", "main.hubb", tag="related", weight=1)
    run = filled.metabolize(apply_plan_id=plan.plan_id)
    assert set(run.stayed) == {"copy1", "copy2", "bed related main.hubb"}
    assert run.stayed["copy2"] == "it has relations that are not thin"
    assert (run.nodes_removed, run.skipped) == (1, 4), "the name; what is deleted is counted, too"
    assert filled.get("copy1").content == "Amber is yellow."


def test_another_that_could_go_by_now_does_not(filled, graph, later):
    plan = filled.metabolize()
    with later():
        graph.nodes.clear()
        graph.edges.clear()
        graph.weak("copy4", says("Amber", 4), to="main.huba")
        graph.put(filled)
    run = filled.metabolize(apply_plan_id=plan.plan_id)
    assert "copy4" not in removed(run) and filled.get("copy4")
    assert "copy4" in removed(filled.metabolize())


def test_what_a_person_keeps_stays_with_its_relations(filled):
    plan = filled.metabolize()
    run = filled.metabolize(apply_plan_id=plan.plan_id, keep=["copy2", "bed"])
    assert run.nodes_removed == 3 and filled.get("copy2")
    assert run.stayed == {"copy2": "left out, as asked", "bed": "left out, as asked"}
    assert {(edge.target_id, edge.tag) for edge in filled.relations(source_id="bed").edges} == {
        ("main.huba", "related"), ("main.hubb", "related"), ("main.huba", "status"), ("main.hubb", "status"),
    }  # fmt: skip
    other = filled.metabolize()
    with pytest.raises(NotFound):
        filled.metabolize(apply_plan_id=other.plan_id, keep=["original"])
    with pytest.raises(InvalidInput):
        filled.metabolize(keep=["copy2"])
    with pytest.raises(InvalidInput):
        filled.metabolize(apply_plan_id=other.plan_id, mdl_benefit=0.5)


def test_undone_after_undone_the_memory_is_as_before(filled, clock):
    before = exported(filled)
    gone = []
    for _ in range(3):
        plan = filled.metabolize()
        run = filled.metabolize(apply_plan_id=plan.plan_id)
        gone.append((set(removed(run)), run.links_removed))
        filled.restore(run_id=run.run_id)
        assert exported(filled) == before
        # What was brought back is spared for as long as receipts are kept.
        assert not removed(filled.metabolize())
        clock.go_on(days=31)
        filled.sweep()
    assert gone[0] == gone[1] == gone[2] and gone[0][1] == 5


def test_the_relations_that_came_back_go_again_by_the_next_plan(filled):
    before = exported(filled)
    for _ in range(2):
        run = filled.metabolize(apply_plan_id=filled.metabolize().plan_id)
        assert run.links_removed >= 2
        filled.restore(run_id=run.run_id)
        assert exported(filled) == before


def test_a_plan_is_kept_for_two_weeks_and_is_theirs_who_see_the_same(filled, open_memory, clock):
    plan = filled.metabolize()
    for other in (open_memory(root="main/a"), open_memory(allow=("answer:task", "tool:contact-lookup"))):
        with pytest.raises(NotFound):
            other.metabolize(apply_plan_id=plan.plan_id)
    clock.go_on(days=14, seconds=1)
    with pytest.raises(Gone):
        filled.metabolize(apply_plan_id=plan.plan_id)


def test_an_interrupted_run_of_a_plan_is_completed_and_counts_nothing_twice(filled, monkeypatch):
    from wherefrom.metabolism.apply import PlanApplication

    plan, prune = filled.metabolize(), PlanApplication._prune

    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(PlanApplication, "_prune", stop)
    with pytest.raises(KeyboardInterrupt):
        filled.metabolize(apply_plan_id=plan.plan_id)
    monkeypatch.setattr(PlanApplication, "_prune", prune)
    run = filled.metabolize(apply_plan_id=plan.plan_id)
    assert (run.resumed, run.skipped, run.stayed, run.links_removed) == (True, 0, {}, 1)


def test_nothing_to_let_go_is_no_plan(memory):
    assert memory.metabolize().plan_id is None
