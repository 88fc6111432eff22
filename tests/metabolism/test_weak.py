"""Nodes with thin relations only, and orphans: which of them go, and what is restored from what; on both databases."""

from __future__ import annotations

import pytest
from metabolism_for_tests import Graph, Placed, ago, fates, kept_edges, kept_nodes, pruned, removed, says

from wherefrom import Memory

HUB = "main.huba"


def test_a_weak_node_that_a_strong_one_says_again_goes_in_one_run(graph, memory):
    """Open point 4: weak is judged before pruning, so that there is anything to judge."""
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert removed(plan) == {"copy": "restorable"}
    assert kept_nodes(memory) == {HUB, "main.hubb", "original"}
    (weak,) = plan.removed
    assert (weak.links, weak.difficulty, weak.neighbour.id) == (1, pytest.approx(0, abs=1e-6), "original")
    assert weak.thickness == pytest.approx(0.05 * 2 ** (-1 / 3))


def test_its_relations_go_with_it_however_young_they_are(graph, memory):
    graph.weak("copy", says("Amber", 1), to=HUB, aged=0.1)
    graph.edge("original", "copy", "thin", weight=0.02, days=50)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert (plan.nodes_removed, plan.links_removed, plan.pruned) == (1, 2, 0)
    assert not [edge for edge in kept_edges(memory) if "copy" in edge]


@pytest.mark.parametrize(("weight", "rules"), [(0.1, {"copy": "restorable"}), (0.1001, {})])
def test_weak_is_at_or_below_the_threshold(graph, memory, weight, rules):
    """Open point 9: weak is ≤, while pruning is <."""
    graph.weak("copy", says("Amber", 1), to=HUB, weight=weight, aged=0)
    graph.put(memory)
    assert fates(memory.metabolize()) == rules


def test_one_relation_above_the_threshold_in_either_direction_is_enough(graph, memory):
    graph.weak("out", says("Amber", 1), to=HUB)
    graph.edge("out", "original", "also", weight=0.5, days=1)
    graph.weak("into", says("Amber", 2), to=HUB)
    graph.edge("original", "into", "also", weight=0.5, days=1)
    graph.put(memory)
    assert fates(memory.metabolize()) == {}


def test_weak_goes_by_what_is_left_after_decay(graph, memory):
    graph.weak("faded", says("Amber", 1), to=HUB, weight=1.0, aged=100)
    graph.weak("fresh", says("Amber", 2), to=HUB, weight=1.0, aged=99)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"faded": "restorable"}


def test_young_weak_nodes_are_spared(graph, memory, clock):
    graph.weak("copy", says("Amber", 1), to=HUB, days=2.9, aged=2.9)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "young"}
    clock.go_on(hours=3)
    assert fates(memory.metabolize()) == {"copy": "restorable"}


def test_every_node_has_a_time_so_every_node_can_be_weak(memory, clock):
    """Open point 3: memos and claims as callers save them."""
    for kind in (None, "fact"):
        one, other = (memory.save(says("Amber", number), claim_kind=kind).node.id for number in (0, 1))
        memory.relate(one, other, tag="related", weight=0.01)
    assert memory.metabolize().spared == {"young": 4}
    clock.go_on(days=4)
    plan = memory.metabolize()
    assert (len(plan.removed), plan.spared) == (2, {"stands_in": 2})


@pytest.mark.parametrize("kind", ["memo", "claim", "fragment", "entity"])
def test_every_kind_that_has_a_text_has_a_vector_to_be_judged_by(graph, memory, kind):
    """Open point 2."""
    given = {"kind": kind, "claim_kind": "fact" if kind == "claim" else None}
    graph.strong("known", says("Coral"), to=HUB, **given)
    graph.weak("copy", says("Coral", 1), to=HUB, **given)
    graph.weak("alone", says("Jade"), to=HUB, **given)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "restorable", "alone": "unique"}


# --- difficulty -------------------------------------------------------------------------------------------------------


def test_difficulty_is_one_minus_the_similarity_and_not_the_similarity(open_memory):
    """Open point 1: what is near is easy to restore."""
    apart = {"basically": 0.05, "indeed": 0.0999, "really": 0.1001, "actually": 0.5}
    memory = open_memory(embedder=Placed(**apart))
    graph = Graph()
    hub, _ = graph.hubs()
    for number, (topic, difficulty) in enumerate(zip(("Amber", "Coral", "Jade", "Slate"), apart.values(), strict=True)):
        graph.strong(f"original{number}", says(topic), to=hub)
        graph.weak(f"weak{difficulty}", says(topic, 4 << number), to=hub)
    graph.weak("stranger", "Quartz is another matter altogether.", to=hub)
    graph.put(memory)
    plan = memory.metabolize(figures=True)
    rules = {"weak0.05": "restorable", "weak0.0999": "restorable", "weak0.1001": "unique", "weak0.5": "unique"}
    assert fates(plan) == {**rules, "stranger": "unique"}
    shown = {each.node.id: each.difficulty for each in (*plan.removed, *plan.examples)}
    assert [shown[name] for name in rules] == pytest.approx([*apart.values()], abs=2e-6)
    counts = {place: count for place, count in enumerate(plan.difficulty.counts) if count and place < 26}
    assert (counts.pop(2, 0) + counts.pop(1, 0), counts, plan.difficulty.cut) == (1, {4: 1, 5: 1, 25: 1}, 0.1)


@pytest.mark.parametrize(
    ("benefit", "rule"), [(0.0501, "restorable"), (0.0499, "unique"), (0, "unique"), (1, "restorable")]
)
def test_it_goes_if_the_benefit_is_above_the_difficulty(graph, open_memory, benefit, rule):
    memory = open_memory(embedder=Placed(basically=0.05))
    graph.weak("copy", says("Amber", 4), to=HUB)
    graph.put(memory)
    plan = memory.metabolize(mdl_benefit=benefit)
    (weak,) = (*plan.removed, *plan.examples)
    assert (weak.rule, weak.difficulty) == (rule, pytest.approx(0.05, abs=2e-6))


def test_the_weakest_are_shown_whatever_becomes_of_them(graph, memory):
    for number in range(12):
        graph.weak(f"w{number:02}", f"Thing{number} is unlike the rest.", to=HUB, weight=0.09 - number / 200)
    graph.put(memory)
    plan = memory.metabolize()
    assert [each.node.id for each in plan.weakest] == [f"w{number:02}" for number in range(11, 1, -1)]
    assert plan.spared == {"unique": 12}


# --- mutual duplicates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 5, 100])
def test_of_weak_duplicates_exactly_one_stays_and_stands_for_the_others(memory, size):
    graph = Graph()
    hub, _ = graph.hubs()
    names = [graph.weak(f"n{number:03}", says("Coral", number), to=hub) for number in range(size)]
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    (left,) = set(names) & kept_nodes(memory)
    assert {each.neighbour.id for each in plan.removed} == {left}
    assert (plan.nodes_removed, plan.spared) == (size - 1, {"stands_in": 1})
    again = memory.metabolize(apply=True)
    assert (again.removed, again.spared) == ((), {"stands_in": 1})


def test_duplicates_that_were_never_linked_do_not_lose_both_either(memory, clock):
    ids = {memory.save(says("Coral", number)).node.id for number in range(5)}
    clock.go_on(days=10)
    memory.metabolize(apply=True)
    assert len(ids & kept_nodes(memory)) == 1


def test_one_that_others_were_let_go_for_stays_when_a_strong_copy_comes_later(memory, graph):
    graph.weak("n1", says("Coral", 1), to=HUB)
    graph.weak("n2", says("Coral", 2), to=HUB)
    graph.put(memory)
    assert removed(memory.metabolize(apply=True)) == {"n1": "restorable"}
    later = Graph()
    later.strong("strong", says("Coral", 3), to=HUB)
    later.put(memory)
    assert fates(memory.metabolize()) == {"n2": "stands_in"}


# --- what is not restorable -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("detail", "said", "instead"),
    [
        ("number", "Amber lay there for 12 days.", "Amber lay there for 13 days."),
        ("date", "Amber is best found in May.", "Amber is best found in June."),
        ("negation", "Amber is found here.", "Amber is not found here."),
        ("name", "Amber was found here by Anna.", "Amber was found here by Berta."),
    ],
)
def test_what_differs_in_a_fact_is_not_restorable(memory, detail, said, instead):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", said, to=hub)
    graph.weak("changed", instead, to=hub)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert plan.nodes_removed == 0
    (weak,) = plan.examples
    assert (weak.rule, weak.detail, weak.neighbour.id) == ("differs", detail, "original")


@pytest.mark.parametrize(
    ("detail", "mine", "theirs", "rule"),
    [
        ("metadata", {"metadata": {"a": 1}}, {}, "differs"),
        ("metadata", {"metadata": {"a": 1}}, {"metadata": {"a": 2}}, "differs"),
        (None, {"metadata": {"a": 1}}, {"metadata": {"a": 1, "b": 2}}, "restorable"),
        (None, {}, {"metadata": {"b": 2}}, "restorable"),
        ("date", {"valid_from": ago(days=9)}, {}, "differs"),
        ("date", {"valid_to": ago(days=-9)}, {"valid_to": ago(days=-8)}, "differs"),
        (None, {"valid_from": ago(days=9)}, {"valid_from": ago(days=9)}, "restorable"),
        (None, {"provenance": {"url": "https://example.org/1"}}, {}, "restorable"),
        ("source", {"provenance": {"url": "https://a.org"}}, {"provenance": {"url": "https://b.org"}}, "differs"),
        ("source", {"provenance": {"doi": "10.1/1"}}, {"provenance": {"doi": "10.1/2"}}, "differs"),
        (None, {"provenance": {"actor": "me"}}, {"provenance": {"url": "https://example.org/1"}}, "restorable"),
        ("name", {"speaker": "Anna"}, {}, "differs"),
        ("name", {"speaker": "Anna"}, {"speaker": "Ben"}, "differs"),
        (None, {"speaker": "Anna"}, {"speaker": "Anna"}, "restorable"),
        ("date", {"session": "monday"}, {}, "differs"),
        ("date", {"session": "monday"}, {"session": "friday"}, "differs"),
        (None, {"session": "monday"}, {"session": "monday"}, "restorable"),
    ],
)
def test_what_it_says_besides_its_text_must_stand_in_the_other_too(memory, detail, mine, theirs, rule):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", says("Amber"), to=hub, **theirs)
    graph.weak("copy", says("Amber", 1), to=hub, **mine)
    graph.put(memory)
    plan = memory.metabolize()
    (weak,) = (*plan.removed, *plan.examples)
    assert (weak.rule, weak.detail) == (rule, detail)


def test_the_same_words_said_again_in_a_session_are_not_restorable(memory):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("first", says("Amber"), to=hub, session="monday", days=200)
    graph.weak("again", says("Amber"), to=hub, session="monday", days=199)
    graph.put(memory)
    (weak,) = memory.metabolize().examples
    assert (weak.rule, weak.detail) == ("differs", "date")


@pytest.mark.parametrize("tag", ["contradicts", "supersedes", "refutes", "conflicts"])
@pytest.mark.parametrize("ends", [("copy", "original"), ("original", "copy")])
def test_what_is_in_dispute_is_not_restorable(graph, memory, tag, ends):
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.edge(*ends, tag, weight=0.05)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "disputed"}


def test_without_a_vector_nothing_goes_by_mdl(graph, open_memory):
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.node("entity", kind="entity")
    memory = open_memory(embedder="none")
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "no_vector", "entity": "orphan"}


def test_a_store_without_any_vectors_says_that_nothing_could_be_judged(url, clock):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.weak("copy", says("Amber", 1), to=hub)
    with Memory.open(url, clock=clock, embedder="none") as memory:
        graph.put(memory)
        plan = memory.metabolize()
        assert (fates(plan), len(plan.degraded)) == ({"copy": "no_vector"}, 1)


def test_one_without_a_vector_stays_though_others_have_theirs(graph, open_memory, store, owner, execute):
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.weak("bare", says("Amber", 2), to=HUB)
    memory = open_memory()
    graph.put(memory)
    where = f"owner_id = '{owner}' and node_seq = (select seq from nodes where owner_id = '{owner}' and id = 'bare')"
    execute(store, f"delete from embeddings where {where}")
    assert fates(memory.metabolize()) == {"copy": "restorable", "bare": "no_vector"}


# --- who may stand for another ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"namespace": "main/elsewhere"},
        {"kind": "claim", "claim_kind": "fact"},
        {"boundary_class": "internal"},
        {"expires_at": ago(days=-30)},
        {"superseded_by": HUB},
        {"expires_at": ago(days=1)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_stands_in_is_alive_and_of_the_same_place_kind_class_and_lifetime(memory, other):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", says("Amber"), to=hub, **{"boundary_class": "public", **other})
    graph.weak("copy", says("Amber", 1), to=hub, boundary_class="public")
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "unique"}


def test_a_rejected_claim_does_not_stand_in(memory):
    graph = Graph()
    hub, _ = graph.hubs()
    claim = {"kind": "claim", "claim_kind": "fact"}
    graph.strong("original", says("Amber"), to=hub, rejected_at=ago(days=1), **claim)
    graph.weak("copy", says("Amber", 1), to=hub, **claim)
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "unique"}


@pytest.mark.parametrize("kinds", [("fact", "preference"), ("preference", "task")])
def test_claims_of_different_kinds_do_not_stand_for_each_other(memory, kinds):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", says("Amber"), to=hub, kind="claim", claim_kind=kinds[0])
    graph.weak("copy", says("Amber", 1), to=hub, kind="claim", claim_kind=kinds[1])
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "unique"}


def test_what_lives_longer_may_stand_in(memory):
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", says("Amber"), to=hub, expires_at=ago(days=-60))
    graph.weak("copy", says("Amber", 1), to=hub, expires_at=ago(days=-30))
    graph.put(memory)
    assert fates(memory.metabolize()) == {"copy": "restorable"}


# --- what is spared keeps its thickest relation -----------------------------------------------------------------------


def test_one_that_is_spared_keeps_its_thickest_relation(graph, memory):
    graph.weak("alone", "Quartz is another matter altogether.", to=HUB, weight=0.05)
    graph.edge("alone", "original", "also", weight=0.04, days=10)
    graph.edge("original", "alone", "back", weight=0.03, days=10)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert set(pruned(plan)) == {("alone", "original", "also"), ("original", "alone", "back")}
    assert ("alone", HUB, "related") in kept_edges(memory)
    again = memory.metabolize(apply=True)
    assert (again.pruned, again.nodes_removed, again.spared) == (0, 0, {"unique": 1})


def test_a_node_that_is_not_weak_has_no_thin_relation_to_keep(graph, memory):
    graph.edge("original", "main.hubb", "also", weight=0.04, days=10)
    graph.put(memory)
    assert set(pruned(memory.metabolize())) == {("original", "main.hubb", "also")}


# --- orphans ----------------------------------------------------------------------------------------------------------


def test_orphaned_entities_go_without_mdl_and_others_are_judged(graph, memory):
    """The seed's rule holds for entities; open point 10: a singular memo or claim is protected."""
    graph.node("entity", "Jade", kind="entity")
    graph.node("memo", "Quartz is another matter altogether.")
    graph.node("claim", "Slate is another matter altogether.", kind="claim", claim_kind="fact")
    graph.node("copy", says("Amber", 1))
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert removed(plan) == {"entity": "orphan", "copy": "restorable"}
    assert fates(plan)["memo"] == fates(plan)["claim"] == "unique"
    assert {each.thickness for each in plan.removed} == {None}


def test_orphans_all_is_the_seeds_rule(graph, memory):
    graph.node("entity", "Jade", kind="entity")
    graph.node("memo", "Quartz is another matter altogether.")
    graph.node("claim", "Slate is another matter altogether.", kind="claim", claim_kind="fact")
    graph.node("young", "Marble is another matter altogether.", days=1)
    graph.weak("alone", "Chalk is another matter altogether.", to=HUB)
    graph.put(memory)
    plan = memory.metabolize(orphans="all", apply=True)
    assert removed(plan) == dict.fromkeys(("entity", "memo", "claim"), "orphan")
    assert {name: fates(plan)[name] for name in ("young", "alone")} == {"young": "young", "alone": "unique"}
    assert memory.metabolize(orphans="all", apply=True).nodes_removed == 0


def test_an_entity_that_is_linked_is_no_orphan(graph, memory):
    graph.weak("entity", "Jade", to=HUB, kind="entity")
    graph.put(memory)
    assert fates(memory.metabolize()) == {"entity": "unique"}


def test_an_entity_whose_last_relation_is_taken_over_stays(graph, memory):
    """Else a second run would find it orphaned."""
    graph.node("entity", "Jade", kind="entity")
    graph.weak("copy", says("Amber", 1), to="entity", tag="mentions")
    graph.put(memory)
    assert removed(memory.metabolize(apply=True)) == {"copy": "restorable"}
    assert ("original", "entity", "mentions") in kept_edges(memory)
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned) == ((), 0)


def test_with_orphans_all_the_last_relation_of_one_that_stays_stays_too(graph, memory):
    graph.node("alone", "Quartz is another matter altogether.")
    graph.weak("copy", says("Amber", 1), to="alone")
    graph.put(memory)
    plan = memory.metabolize(orphans="all", apply=True)
    assert fates(plan) == {"alone": "unique", "copy": "restorable"}
    assert ("original", "alone", "related") in kept_edges(memory), "what stands for the copy has taken it over"
    assert memory.metabolize(orphans="all", apply=True).removed == ()


def test_pages_and_their_fragments_are_no_orphans(graph, memory):
    page = graph.node("page", "https://example.org/amber", kind="page")
    graph.node("fragment", says("Jade"), kind="fragment", page_id=page, position=0)
    graph.node("bare", "https://example.org/empty", kind="page")
    graph.put(memory)
    assert fates(memory.metabolize()) == {}
    assert removed(memory.metabolize(orphans="all")) == {"bare": "orphan"}
