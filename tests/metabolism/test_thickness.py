"""Thickness = weight × confidence × exp(−λΔt), what it prunes, and the settings that it goes by; on both databases."""

from __future__ import annotations

import json

import pytest
from metabolism_for_tests import Graph, fates, kept_edges, pruned, removed, says

from wherefrom import InvalidInput
from wherefrom.model.metabolism import EVIDENCE_TAGS


def joined(memory, *, newest=0.0, **edge):
    """Two strong nodes with one more edge between them, of which the test is."""
    graph = Graph()
    one, other = graph.hubs(days=newest)
    graph.edge(one, other, **{"tag": "seen", **edge})
    graph.put(memory)
    return one, other, edge.get("tag", "seen")


def policy(**metabolism):
    return json.dumps({"version": "1.0.1", "metabolism": metabolism})


# --- the formula: facts.md §1.3 and its oracles -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "threshold", "thickness"), [(30, 0.6, 0.5), (90, 0.2, 0.125), (60, 0.3, 0.25), (300, 0.1, 2.0**-10)]
)
def test_thickness_halves_with_every_half_life(memory, days, threshold, thickness):
    edge = joined(memory, days=days)
    plan = memory.metabolize(prune_threshold=threshold)
    assert pruned(plan) == {edge: "thin"}
    assert plan.thinnest[0].thickness == pytest.approx(thickness, abs=1e-9)
    assert memory.metabolize(prune_threshold=thickness * 0.99).pruned == 0


@pytest.mark.parametrize(("threshold", "days"), [(0.1, 99.66), (0.3, 52.11)])
def test_full_weight_falls_below_the_threshold_after_so_many_days_and_not_before(memory, threshold, days):
    joined(memory, days=days - 0.01, tag="before")
    edge = joined(memory, days=days + 0.01, tag="after")
    assert set(pruned(memory.metabolize(prune_threshold=threshold))) == {edge}


def test_what_weighs_less_to_begin_with_is_thin_sooner(memory):
    joined(memory, days=29, weight=0.2, tag="before")
    edge = joined(memory, days=31, weight=0.2, tag="after")
    assert set(pruned(memory.metabolize())) == {edge}


def test_a_twentieth_of_weight_and_of_confidence_is_0_0025_at_age_0(memory):
    edge = joined(memory, weight=0.05, confidence=0.05)
    plan = memory.metabolize(protection_hours=0)
    assert set(pruned(plan)) == {edge}
    assert plan.thinnest[0].thickness == pytest.approx(0.0025, abs=1e-12)


def test_weight_and_confidence_count_alike(memory):
    joined(memory, weight=0.2, confidence=0.9, days=5, tag="one")
    joined(memory, weight=0.9, confidence=0.2, days=5, tag="other")
    first, second = memory.metabolize(prune_threshold=0.2).thinnest
    assert first.thickness == pytest.approx(second.thickness, abs=1e-12)


def test_the_histogram_counts_every_relation_at_its_thickness(memory):
    graph = Graph()
    one, other = graph.hubs()
    for number, days in enumerate((29, 29, 91)):
        graph.edge(one, other, f"seen{number}", days=days)
    graph.put(memory)
    figures = memory.metabolize(figures=True).thickness
    assert figures.cut == 0.1
    assert {place: count for place, count in enumerate(figures.counts) if count} == {49: 1, 25: 2, 6: 1}
    assert memory.metabolize().thickness is None


# --- relative time ----------------------------------------------------------------------------------------------------


def test_a_quiet_namespace_does_not_forget(memory):
    """Δt counts back from the newest relation of the namespace, not from now."""
    joined(memory, newest=3000, days=3010)
    assert memory.metabolize().pruned == 0
    assert memory.metabolize(prune_threshold=0.9, mdl_benefit=0).thinnest[0].thickness == pytest.approx(2 ** (-1 / 3))


def test_a_busy_namespace_does_not_age_its_sibling(memory):
    graph = Graph()
    for namespace, newest in (("main/quiet", 3000), ("main/busy", 0), ("main", 0), ("main/quiet/below", 0)):
        one, other = graph.hubs(namespace, days=newest)
        graph.edge(one, other, "seen", days=3010)
    graph.put(memory)
    gone = {source for source, _, _ in pruned(memory.metabolize())}
    assert gone == {"main.busy.huba", "main.huba", "main.quiet.below.huba"}


def test_a_relation_ages_with_the_namespace_of_its_source(memory):
    graph = Graph()
    quiet, _ = graph.hubs("main/quiet", days=3000)
    busy, _ = graph.hubs("main/busy")
    graph.edge(quiet, busy, "seen", days=3010)
    graph.edge(busy, quiet, "seen", days=3010)
    graph.put(memory)
    assert set(pruned(memory.metabolize())) == {(busy, quiet, "seen")}


def test_what_is_newer_than_now_does_not_make_thicker_than_full(memory, later):
    with later():
        joined(memory, newest=-5, days=-5)
    assert memory.metabolize(figures=True).thickness.counts[-1] == 2


def test_what_is_dated_later_than_now_does_not_age_the_others(memory, later):
    with later():
        joined(memory, newest=-3000, days=10)
    assert memory.metabolize().pruned == 0


# --- pruning ----------------------------------------------------------------------------------------------------------


def test_pruning_is_strictly_below_the_threshold(memory):
    """Open point 9: prune is <."""
    joined(memory, weight=0.25, tag="at")
    edge = joined(memory, weight=0.2499, tag="below")
    plan = memory.metabolize(prune_threshold=0.25, protection_hours=0)
    assert set(pruned(plan)) == {edge}


def test_a_dry_run_removes_nothing_and_an_applied_one_what_it_said(memory):
    edge = joined(memory, days=200)
    before = kept_edges(memory)
    assert memory.metabolize().state == "planned"
    assert kept_edges(memory) == before
    plan = memory.metabolize(apply=True)
    assert (plan.state, plan.pruned, plan.links_removed) == ("applied", 1, 1)
    assert before - kept_edges(memory) == {edge}


def test_parallel_relations_of_a_pair_are_judged_each_by_itself(memory):
    """Open point 7: a relation is named by its tag, too."""
    edge = joined(memory, weight=0.01, days=5, tag="thin")
    joined(memory, weight=0.5, days=5, tag="thick")
    assert set(pruned(memory.metabolize())) == {edge}
    memory.reinforce(*edge[:2], tag="thick")
    assert {each.tag: each.confidence for each in memory.relations().edges}["thin"] == 1.0


@pytest.mark.parametrize("tag", EVIDENCE_TAGS)
def test_evidence_neither_decays_nor_is_pruned(memory, tag):
    graph = Graph()
    one, other = graph.hubs()
    graph.edge(one, other, tag, weight=0.01, days=3000)
    graph.weak("solid", says("Amber"), to=one, tag=tag, weight=0.2, aged=3000)
    graph.strong("original", says("Amber", 1), to=one)
    graph.put(memory)
    plan = memory.metabolize()
    assert (plan.pruned, fates(plan)) == (0, {}), "of 0.2 it is 0.2 still: the node is not weak"
    assert memory.metabolize(prune_threshold=1.0, mdl_benefit=0).thinnest == ()


def test_relations_that_the_program_makes_are_not_thin_from_the_start(memory, clock):
    """Open point 6: mentions and links of insight have a weight and a time of their own."""
    memory.save(says("Amber"), entities=["Baltic Sea"])
    memory.save("The Baltic Sea is shallow.", link=True)
    assert memory.metabolize(protection_hours=0).pruned == 0
    assert len(kept_edges(memory)) >= 2


# --- protection -------------------------------------------------------------------------------------------------------


def test_what_is_younger_than_the_protection_stays(memory):
    edge = joined(memory, weight=0.01, days=3.01, tag="old")
    joined(memory, weight=0.01, days=2.99, tag="young")
    assert set(pruned(memory.metabolize())) == {edge}


def test_fractions_of_protection_hours_count_for_relations_and_nodes_alike(memory):
    """Open point 9: nothing is cut to whole hours."""
    graph = Graph()
    one, other = graph.hubs()
    for minutes in (20, 40):
        days = minutes / 1440
        graph.edge(one, other, f"m{minutes}", weight=0.01, days=days)
        graph.node(f"entity{minutes}", kind="entity", days=days)
    graph.put(memory)
    plan = memory.metabolize(protection_hours=0.5)
    assert set(pruned(plan)) == {(one, other, "m40")}
    assert fates(plan) == {"entity40": "orphan", "entity20": "young"}
    assert plan.spared == {"young": 1}


def test_protection_goes_by_the_wall_clock(memory, clock):
    """Also where nothing happened for years."""
    joined(memory, newest=0, weight=0.01)
    assert memory.metabolize().pruned == 0
    clock.go_on(days=3.1)
    assert memory.metabolize().pruned == 1


# --- 0 is 0 -----------------------------------------------------------------------------------------------------------


def test_a_half_life_of_0_means_that_nothing_decays(memory):
    joined(memory, days=30_000)
    assert memory.metabolize(half_life_days=0).pruned == 0
    assert memory.metabolize().pruned == 1


def test_a_threshold_of_0_prunes_nothing(memory):
    joined(memory, weight=0.0, days=30)
    joined(memory, days=30_000, tag="vanished")
    assert memory.metabolize(prune_threshold=0).pruned == 0
    assert memory.metabolize().pruned == 2


def test_a_protection_of_0_protects_nothing(memory):
    joined(memory, weight=0.01)
    assert memory.metabolize(protection_hours=0).pruned == 1
    assert memory.metabolize().pruned == 0


@pytest.mark.parametrize("nothing", [{"mdl_neighbours": 0}, {"mdl_benefit": 0}])
def test_no_neighbours_or_no_benefit_lets_no_node_go_by_mdl(memory, nothing):
    graph = Graph()
    one, _ = graph.hubs()
    graph.strong("original", says("Amber"), to=one)
    graph.weak("copy", says("Amber", 1), to=one)
    graph.node("entity", kind="entity")
    graph.put(memory)
    assert removed(memory.metabolize()) == {"copy": "restorable", "entity": "orphan"}
    assert fates(memory.metabolize(**nothing)) == {"copy": "unique", "entity": "orphan"}


# --- settings ---------------------------------------------------------------------------------------------------------


def test_each_namespace_has_the_settings_of_its_policy(memory):
    graph = Graph()
    for namespace in ("main/a", "main/a/below", "main/b"):
        one, other = graph.hubs(namespace)
        graph.edge(one, other, "seen", days=30)
    graph.put(memory)
    memory.apply_policy(policy(half_life_days=5), namespace="/a")
    memory.apply_policy(policy(prune_threshold=0.001), namespace="/a/below")
    plan = memory.metabolize()
    assert set(pruned(plan)) == {("main.a.huba", "main.a.hubb", "seen")}
    shown = {name: (each["half_life_days"], each["prune_threshold"]) for name, each in plan.settings.items()}
    assert shown == {"main": (30, 0.1), "main/a": (5, 0.1), "main/a/below": (5, 0.001), "main/b": (30, 0.1)}


def test_what_a_call_says_goes_before_the_policy_and_0_is_said_too(memory):
    joined(memory, days=30)
    memory.apply_policy(policy(half_life_days=1))
    assert memory.metabolize().pruned == 1
    assert memory.metabolize(half_life_days=30).pruned == 0
    assert memory.metabolize(half_life_days=0).pruned == 0
    memory.apply_policy(json.dumps({"version": "1.0.2", "metabolism": {"half_life_days": 0}}))
    assert memory.metabolize().pruned == 0
    assert memory.metabolize(half_life_days=1).pruned == 1


@pytest.mark.parametrize("copied", [False, True])
def test_a_relation_between_namespaces_is_thin_only_if_it_is_for_both(memory, copied):
    """Else a second run would find the other end orphaned."""
    memory.apply_policy(policy(prune_threshold=0.5), namespace="/strict")
    graph = Graph()
    one, _ = graph.hubs("main/strict")
    graph.node("entity", "Jade", kind="entity", namespace="main/lax")
    graph.strong("original", says("Amber"), to=one, namespace="main/strict")
    if copied:
        graph.node("copy", says("Amber", 1), namespace="main/strict")
    graph.edge("copy" if copied else "original", "entity", "mentions", weight=0.4, days=4)
    graph.put(memory)
    memory.metabolize(apply=True)
    again = memory.metabolize(apply=True)
    assert (removed(again), again.pruned) == ({}, 0)


def test_a_run_of_a_namespace_leaves_the_others_alone(memory):
    graph = Graph()
    for namespace in ("main/a", "main/a/below", "main/b"):
        one, other = graph.hubs(namespace)
        graph.edge(one, other, "seen", days=300)
    graph.put(memory)
    plan = memory.metabolize("/a", apply=True)
    assert (plan.root_namespace, set(plan.settings)) == ("main/a", {"main/a", "main/a/below"})
    assert {source for source, _, tag in kept_edges(memory) if tag == "seen"} == {"main.b.huba"}


@pytest.mark.parametrize(
    "wrong",
    [{"half_life_days": -1}, {"prune_threshold": 1.1}, {"protection_hours": float("nan")}, {"mdl_neighbours": 1.5},
     {"mdl_neighbours": 101}, {"mdl_benefit": -0.1}, {"orphans": "memos"}, {"prune_threshold": True}],
)  # fmt: skip
def test_settings_out_of_range_are_refused(memory, wrong):
    with pytest.raises(InvalidInput):
        memory.metabolize(**wrong)
