"""What no rule of metabolism may touch, each named in the plan; and relations that exclude each other, as stored."""

from __future__ import annotations

import json

import pytest
from metabolism_for_tests import Graph, ago, fates, kept_edges, kept_nodes, pruned, put, removed, says

from wherefrom.model.evidence import Task
from wherefrom.model.metabolism import WHY_SPARED
from wherefrom.storage.transfer.records import line

HUB = "main.huba"
LOOKUP = ("answer:task", "tool:contact-lookup")


@pytest.fixture
def graph():
    """With two strong nodes, and strong ones of each kind that say something about amber."""
    made = Graph()
    one, _ = made.hubs()
    made.strong("original", says("Amber"), to=one)
    for kind in ("fact", "policy_hint"):
        made.strong(f"original.{kind}", says("Amber"), to=one, kind="claim", claim_kind=kind)
    return made


def spared_alone(memory, rule, *names, **given):
    """That these are spared by this rule, and nothing else is weak."""
    plan = memory.metabolize(apply=True, **given)
    assert fates(plan) == dict.fromkeys(names, rule)
    assert plan.spared == {rule: len(names)}
    assert set(names) <= kept_nodes(memory)


def task(status):
    return line("task", Task("task", "main", "Where is amber?", status, ago(days=200), ago(days=200)))


@pytest.mark.parametrize("orphan", [False, True])
@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("pinned", {"pinned": True}),
        ("policy_hint", {"kind": "claim", "claim_kind": "policy_hint"}),
        ("principle", {"kind": "claim", "claim_kind": "fact", "scope": "principle"}),
        ("ended", {"expires_at": ago(days=1)}),
        ("ended", {"kind": "claim", "claim_kind": "fact", "rejected_at": ago(days=1)}),
    ],
)
def test_pinned_hints_principles_and_what_has_ended_are_exempt(graph, memory, rule, given, orphan):
    if orphan:
        graph.node("copy", says("Amber", 1), **given)
    else:
        graph.weak("copy", says("Amber", 1), to=HUB, **given)
    graph.put(memory)
    spared_alone(memory, rule, "copy", orphans="all")


def test_every_rule_says_why():
    assert all(WHY_SPARED.values())
    assert {"pinned", "policy_hint", "principle", "task", "evidence", "ended", "young", "restored"} <= set(WHY_SPARED)


def test_of_several_rules_the_first_is_named(graph, memory):
    graph.weak("copy", says("Amber", 1), to=HUB, pinned=True, scope="principle", days=1)
    graph.put(memory)
    spared_alone(memory, "pinned", "copy")


@pytest.mark.parametrize(
    ("status", "rule"),
    [("created", "task"), ("exploring", "task"), ("paused", "task"), ("completed", "restorable"),
     ("failed", "restorable"), ("cancelled", "restorable")],
)  # fmt: skip
def test_everything_of_a_running_task_is_exempt(graph, memory, status, rule):
    graph.weak("copy", says("Amber", 1), to=HUB, task_id="task", kind="claim", claim_kind="fact")
    put(memory, [task(status), *graph.records()])
    assert fates(memory.metabolize()) == {"copy": rule}


def evidence(graph, *, weight=0.05, **claim):
    """A page with a fragment that supports a claim; all that is known of them is thin."""
    page = graph.node("page", "https://example.org/amber", kind="page")
    graph.node("fragment", says("Amber", 1), kind="fragment", page_id=page, position=0)
    graph.node("other", says("Amber", 2), kind="fragment")
    graph.strong("known", says("Amber", 3), to=HUB, kind="fragment")
    graph.node("claim", "Quartz is another matter altogether.", kind="claim", claim_kind="fact", **claim)
    graph.edge("fragment", "claim", "supports", weight=weight, page_id=page)
    graph.edge(page, HUB, weight=0.05, days=10)
    graph.edge("other", HUB, weight=0.05, days=10)


def test_pages_and_fragments_that_support_a_live_claim_are_exempt(graph, memory):
    evidence(graph)
    graph.put(memory)
    rules = {"page": "evidence", "fragment": "evidence", "claim": "unique", "other": "restorable"}
    plan = memory.metabolize()
    assert fates(plan) == rules
    assert plan.spared["evidence"] == 2


def test_what_supports_a_claim_that_no_longer_lives_is_not_exempt(graph, memory):
    evidence(graph, rejected_at=ago(days=1))
    graph.node("loose", says("Amber", 4), kind="fragment")
    graph.edge("loose", "claim", "supports", weight=0.05)
    graph.put(memory)
    rules = fates(memory.metabolize())
    assert rules == {
        "claim": "ended",
        "loose": "restorable",
        "other": "restorable",
        "fragment": "page",
        "page": "no_vector",
    }


def test_a_piece_of_a_page_stays_with_its_page(graph, memory):
    graph.node("page", "https://example.org/amber", kind="page")
    graph.strong("known", says("Amber", 3), to=HUB, kind="fragment")
    graph.weak("piece", says("Amber", 1), to=HUB, kind="fragment", page_id="page", position=0)
    graph.put(memory)
    spared_alone(memory, "page", "piece", orphans="all")


def test_evidence_of_a_running_task_is_exempt(graph, memory):
    evidence(graph, task_id="task", rejected_at=ago(days=1))
    put(memory, [task("exploring"), *graph.records()])
    rules = fates(memory.metabolize())
    assert {name: rules[name] for name in ("page", "fragment", "claim")} == dict.fromkeys(
        ("page", "fragment", "claim"), "task"
    )


def test_a_node_with_relations_that_the_access_may_not_see_is_not_its_to_judge_or_to_tell_of(graph, open_memory):
    graph.node("person", "Someone to call.", boundary_class="pii")
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.edge("copy", "person", "about", weight=0.05, days=10)
    graph.put(open_memory(allow=LOOKUP))
    plan = open_memory().metabolize(apply=True)
    assert (fates(plan), plan.spared) == ({}, {})
    assert "copy" in kept_nodes(open_memory())
    assert fates(open_memory(allow=LOOKUP).metabolize()) == {"copy": "restorable", "person": "unique"}


def test_a_thick_relation_that_the_access_may_not_see_counts_too(graph, open_memory):
    graph.node("person", "Someone to call.", boundary_class="pii")
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.edge("copy", "person", "about", days=1)
    graph.put(open_memory(allow=LOOKUP))
    assert fates(open_memory().metabolize()) == {}


def test_thin_relations_that_the_access_may_not_see_stay(graph, open_memory):
    graph.strong("person", "Someone to call.", to=HUB, boundary_class="pii")
    graph.edge("original", "person", "about", weight=0.01, days=10)
    graph.put(open_memory(allow=LOOKUP))
    assert open_memory().metabolize().pruned == 0
    assert open_memory(allow=LOOKUP).metabolize().pruned == 1


def test_what_was_brought_back_stays_until_its_mark_is_purged(graph, memory, clock):
    graph.weak("copy", says("Amber", 1), to=HUB)
    graph.put(memory)
    assert removed(memory.metabolize(apply=True)) == {"copy": "restorable"}
    memory.restore("copy")
    spared_alone(memory, "restored", "copy")
    clock.go_on(days=29)
    spared_alone(memory, "restored", "copy")
    clock.go_on(days=2)
    memory.sweep()
    assert removed(memory.metabolize()) == {"copy": "restorable"}


def test_one_that_another_names_as_its_heir_stays(graph, memory):
    graph.weak("heir", says("Amber", 1), to=HUB)
    graph.strong("superseded", says("Jade"), to=HUB, superseded_by="heir")
    graph.put(memory)
    spared_alone(memory, "stands_in", "heir")


# --- relations that exclude each other --------------------------------------------------------------------------------


def conflict(graph, *figures, tag="lives_in"):
    """Relations of one source with a tag of which it has one target: (weight, days) of each."""
    for number, (weight, days) in enumerate(figures):
        graph.strong(f"place{number}", to=HUB)
        graph.edge("original", f"place{number}", tag, weight=weight, days=days)


def test_of_an_exclusive_relation_the_thickest_stays(graph, memory):
    conflict(graph, (0.5, 10), (0.9, 10), (1.0, 90))
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    lost = {("original", "place0", "lives_in"), ("original", "place2", "lives_in")}
    assert pruned(plan) == dict.fromkeys(lost, "exclusive")
    (found,) = plan.conflicts
    assert (found.kept.target_id, plan.undecided, plan.links_removed) == ("place1", 0, 2)
    assert not lost & kept_edges(memory)
    assert memory.metabolize(apply=True).pruned == 0


@pytest.mark.parametrize("figures", [((0.5, 10), (0.5, 10)), ((0.5, 10), (0.5, 10.1)), ((0.9, 10), (0.5, 1))])
def test_ties_and_young_ones_are_undecided_listed_and_kept(graph, memory, figures):
    conflict(graph, *figures)
    graph.put(memory)
    before = kept_edges(memory)
    plan = memory.metabolize(apply=True)
    assert (plan.pruned, plan.undecided) == (0, 1)
    (found,) = plan.conflicts
    assert (found.kept, len(found.links), {ref.id for ref in plan.ends}) == (None, 2, {"original", "place0", "place1"})
    assert kept_edges(memory) == before


def test_two_relations_made_at_almost_the_same_time_are_a_tie(memory, clock):
    ids = [memory.save(says(topic)).node.id for topic in ("Amber", "Coral", "Jade")]
    for target in ids[1:]:
        memory.relate(ids[0], target, tag="status", weight=0.5)
        clock.go_on(seconds=7)
    clock.go_on(days=10)
    plan = memory.metabolize()
    assert (plan.pruned, plan.undecided) == (0, 1)


def test_spellings_of_one_relation_collapse(graph, memory):
    graph.edge("original", HUB, "knows_of", weight=0.5, days=10)
    graph.edge("original", HUB, "knows-of", weight=0.4, days=10)
    graph.edge("original", "main.hubb", "knows-of", weight=0.4, days=10)
    graph.put(memory)
    assert pruned(memory.metabolize(apply=True)) == {("original", HUB, "knows-of"): "duplicate"}


def test_other_tags_may_have_several_targets(graph, memory):
    conflict(graph, (0.5, 10), (0.9, 10), tag="likes")
    graph.put(memory)
    plan = memory.metabolize()
    assert (plan.pruned, plan.conflicts) == (0, ())


def test_which_tags_are_exclusive_is_for_the_policy_to_say(graph, memory):
    conflict(graph, (0.5, 10), (0.9, 10), tag="likes")
    graph.put(memory)
    memory.apply_policy(json.dumps({"version": "1.0.1", "metabolism": {"exclusive": ["Likes"]}}))
    assert set(pruned(memory.metabolize())) == {("original", "place0", "likes")}


def test_a_node_that_loses_its_last_relation_to_a_conflict_is_judged_in_the_same_run(graph, memory):
    graph.node("loser", says("Amber", 1))
    graph.edge("original", "loser", "status", weight=0.5, days=10)
    graph.edge("original", HUB, "status", weight=0.9, days=10)
    graph.put(memory)
    assert removed(memory.metabolize(apply=True)) == {"loser": "restorable"}
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned) == ((), 0)
