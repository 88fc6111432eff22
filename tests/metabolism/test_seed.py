"""The seed's own check, and what a run must leave so that the next one finds nothing; on both databases."""

from __future__ import annotations

import math

import pytest
from metabolism_for_tests import Graph, Placed, fates, kept_edges, kept_nodes, pruned, removed, says

HUB = "main.huba"


def nothing_more(memory, **given):
    again = memory.metabolize(apply=True, **given)
    return (removed(again), again.pruned, again.skipped) == ({}, 0, 0)


def test_of_nodes_with_relations_of_0_0025_only_those_with_a_near_neighbour_go(graph, memory):
    """§3.2 of the seed: weight and confidence 0.05, and MDL decides by similarity."""
    thin = {"weight": 0.05, "aged": 5}
    graph.weak("copy", says("Amber", 1), to=HUB, **thin)
    graph.weak("singular", "Quartz is another matter altogether.", to=HUB, **thin)
    graph.node("entity", "Jade", kind="entity")
    graph.edge("original", "main.hubb", "hint", weight=0.05, confidence=0.05, days=5)
    graph.put(memory)
    for name in ("copy", "singular"):
        memory.reinforce(name, HUB, tag="related", weaken=True)
    plan = memory.metabolize(apply=True)
    assert removed(plan) == {"copy": "restorable", "entity": "orphan"}
    assert set(pruned(plan)) == {("original", "main.hubb", "hint")}
    assert kept_nodes(memory) == {HUB, "main.hubb", "original", "singular"}
    assert nothing_more(memory)


def test_orphans_and_weak_nodes_are_two_questions(graph, memory):
    """The seed's correction: without any relation no MDL, with thin ones only MDL."""
    graph.node("alone", "Jade", kind="entity")
    graph.weak("linked", "Opal", to=HUB, kind="entity")
    graph.put(memory)
    assert fates(memory.metabolize()) == {"alone": "orphan", "linked": "unique"}


def test_a_protected_orphan_stays_until_its_time_is_over(graph, memory, clock):
    graph.node("alone", "Jade", kind="entity", days=2.99)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"alone": "young"}
    clock.go_on(hours=1)
    assert removed(memory.metabolize()) == {"alone": "orphan"}


def test_in_a_chain_of_copies_what_goes_is_near_to_what_stays(open_memory):
    """Each is near to the next and to nobody else: 20 degrees apart, with 0.06 between two and 0.23 between three."""
    said = ["really often", "actually people", "basically along", "indeed of", "really beach", "actually when"]
    apart = {name: 1 - math.cos(math.radians(20 * at)) for at, name in enumerate(said)}
    memory = open_memory(embedder=Placed(**apart))
    graph = Graph()
    hub, _ = graph.hubs()
    names = [graph.weak(f"n{at}", says("Coral", 1 << at), to=hub) for at in range(len(said))]
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    left = set(names) & kept_nodes(memory)
    assert 2 <= len(left) <= 4
    for each in plan.removed:
        assert each.neighbour.id in left
        assert abs(names.index(each.neighbour.id) - names.index(each.node.id)) == 1
    assert nothing_more(memory)


def test_a_memo_that_is_pinned_when_it_is_saved_stays(memory, clock):
    kept = memory.save(says("Amber", 1), pinned=True).node.id
    gone = memory.save(says("Amber", 2)).node.id
    clock.go_on(days=10)
    assert fates(memory.metabolize(orphans="all")) == {kept: "pinned", gone: "orphan"}
    assert fates(memory.metabolize()) == {kept: "pinned", gone: "restorable"}


@pytest.mark.parametrize("orphans", ["entities", "all"])
def test_an_entity_that_stands_for_another_is_no_orphan_when_it_is_left_over(graph, memory, orphans):
    """It was planned to go, and skipped, by every later run."""
    for name, number, weight in (("entity", 1, 0.05), ("other", 2, 0.04)):
        graph.node(name, says("Coral", number), kind="entity")
        graph.edge("copy", name, "mentions", weight=weight, days=10)
    graph.node("copy", says("Amber", 1))
    graph.put(memory)
    plan = memory.metabolize(apply=True, orphans=orphans)
    assert fates(plan) == {"copy": "restorable", "other": "restorable", "entity": "stands_in"}
    assert nothing_more(memory, orphans=orphans)


def test_one_that_stands_for_others_does_not_go_as_an_orphan_later(memory, clock):
    for number in range(4):
        memory.save(says("Coral", number))
    clock.go_on(days=10)
    assert len(memory.metabolize(apply=True).removed) == 3
    plan = memory.metabolize(apply=True, orphans="all")
    assert (plan.removed, plan.spared, plan.skipped) == ((), {"stands_in": 1}, 0)


def test_with_orphans_all_one_without_a_vector_keeps_its_last_relation_too(graph, memory):
    """It was an orphan after the first run, and the second one removed it untested."""
    graph.node("page", "https://example.org/amber", kind="page")
    graph.weak("copy", says("Amber", 1), to="page")
    graph.put(memory)
    plan = memory.metabolize(apply=True, orphans="all")
    assert fates(plan) == {"page": "no_vector", "copy": "restorable"}
    assert ("original", "page", "related") in kept_edges(memory), "what stands for the copy has taken it over"
    assert nothing_more(memory, orphans="all")


def test_the_clock_of_a_namespace_does_not_run_backwards(memory):
    """A run that lets the newest relation go leaves what it was measured by."""
    graph = Graph()
    for name, number in (("kept", 1), ("copy", 2), ("other", 3)):
        graph.node(name, says("Amber", number))
    graph.node("alone", "Quartz is another matter altogether.", namespace="main/a")
    graph.edge("copy", "alone", weight=0.001)
    graph.edge("kept", "alone", weight=0.02, days=1)
    graph.edge("alone", "kept", weight=0.02, days=10)
    graph.edge("alone", "other", weight=0.001, days=10)
    graph.put(memory)
    assert "copy" in removed(memory.metabolize(apply=True))
    assert nothing_more(memory)


def test_many_conflicts_are_settled_in_one_run(graph, memory):
    """The winner of a spelling may itself lose to another target, in another batch."""
    for number in range(20):
        name = graph.strong(f"s{number:02}", to=HUB)
        graph.edge(name, "original", "lives_in", weight=0.5, days=10)
        graph.edge(name, "main.hubb", "lives_in", weight=0.9, days=10)
    for number in range(20):
        graph.edge(f"s{number:02}", "original", "lives-in", weight=0.4, days=10)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert (plan.pruned, plan.links_removed, plan.skipped) == (40, 40, 0)
    assert len([edge for edge in kept_edges(memory) if edge[2].startswith("lives")]) == 20
    assert nothing_more(memory)
