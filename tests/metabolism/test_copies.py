"""Copies with titles: they go as well as others, the right one stays, and what goes leaves it all that it had."""

from __future__ import annotations

from itertools import combinations

import pytest
from metabolism_for_tests import Graph, ago, exported, kept_edges, kept_nodes, put, removed, says

from wherefrom import Memory

HUB = "main.huba"
TITLE = "What the sea has left after storms"
BODY = "After the storms of the winter they walk along the shore and gather what the sea has left there, {} amber."


def node_of(memory, node_id):
    return memory.get(node_id)


@pytest.fixture
def graph():
    made = Graph()
    made.hubs()
    return made


@pytest.fixture
def static_memory(url, clock):
    """A memory with the model of the product."""
    with Memory.open(url, clock=clock) as opened:
        yield opened


# --- titled copies go ---------------------------------------------------------------------------------------------------


def test_of_titled_copies_that_mention_each_other_by_their_title_one_goes(static_memory, clock):
    """Each mentioned the other, with the weight 1 and for ever anew, so that none of them was ever weak."""
    memory = static_memory
    texts = [
        f"The pump in the cellar {word} every time that it rains for days." for word in ("starts", "really starts")
    ]
    ids = []
    for text in texts:
        ids.append(memory.save(text, title="Pump in the cellar").node.id)
        clock.go_on(hours=1)
    assert memory.relations().edges == (), "no mention between nodes of one title"
    clock.go_on(days=10)
    assert list(removed(memory.metabolize(apply=True))) == [ids[1]], "the older one stays"


def test_a_plan_ends_where_very_many_are_alike_by_their_title_alone(static_memory, clock):
    """Of the listed neighbours none was near by its body, so the same search was made again for ever."""
    words = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jade", "kelp", "larch")
    title = "What was said in the weekly call of the whole team on Monday morning"
    for one, other in combinations(words, 2):
        static_memory.save(f"{one} {other}", title=title)
    clock.go_on(days=10)
    assert static_memory.metabolize().removed == ()


def test_mentions_of_a_store_from_before_do_not_keep_copies(graph, memory):
    for name, number in (("one", 0), ("other", 1)):
        graph.node(name, says("Amber", number), title="Amber on the beach")
    for ends in (("one", "other"), ("other", "one")):
        graph.edge(*ends, "mentions", judge="names")
    graph.put(memory)
    plan = memory.metabolize(apply=True, orphans="all")
    assert len(removed(plan)) == 1, "and they are tested, though nothing else links them"
    assert memory.metabolize(apply=True, orphans="all").removed == ()


@pytest.mark.parametrize(
    ("edge", "is_kept"),
    [
        ({"tag": "mentions", "judge": "names"}, False),
        ({"tag": "related", "judge": "insight", "confidence": 0.5}, False),
        ({"tag": "related", "judge": "insight", "confidence": 0.7}, True),
        ({"tag": "mentions"}, True),
    ],
)
def test_what_a_program_guessed_and_nobody_used_keeps_no_copy(graph, memory, edge, is_kept):
    for name, number in (("one", 0), ("other", 1)):
        graph.node(name, says("Amber", number))
        graph.edge(name, HUB, **edge)
    graph.put(memory)
    assert len(memory.metabolize().removed) == (0 if is_kept else 1)


def test_of_an_old_note_and_its_new_copy_the_copy_goes_once_it_is_no_longer_protected(static_memory, clock):
    memory = static_memory
    old = memory.save("The pump in the cellar starts every time that it rains for days.").node.id
    clock.go_on(days=10)
    new = memory.save("The pump in the cellar really starts every time that it rains for days").node.id
    clock.go_on(hours=1)
    assert removed(memory.metabolize()) == {}
    clock.go_on(days=10)
    assert list(removed(memory.metabolize(apply=True))) == [new]
    assert memory.get(old)


@pytest.mark.parametrize(
    ("mine", "theirs", "detail"),
    [
        (None, TITLE, None),
        ("What the sea has left after the storms", TITLE, None),
        (f"{TITLE} 2024", f"{TITLE} 2025", "number"),
        (f"{TITLE} on Monday", f"{TITLE} on Friday", "date"),
        (f"{TITLE} by Mika", f"{TITLE} by Kenji", "name"),
        ("What the sea has not left after storms", TITLE, "negation"),
    ],
)
def test_bodies_are_compared_apart_from_titles(static_memory, mine, theirs, detail):
    memory = static_memory
    graph = Graph()
    hub, _ = graph.hubs()
    graph.strong("original", BODY.format(""), title=theirs, to=hub)
    graph.weak("copy", BODY.format("really "), title=mine, to=hub)
    graph.put(memory)
    (found,) = (*(plan := memory.metabolize()).removed, *plan.examples)
    assert (found.rule, found.detail) == (("restorable", None) if detail is None else ("differs", detail))


def test_short_bodies_under_one_long_title_are_not_taken_for_copies(static_memory, clock):
    memory = static_memory
    title = "Weekly report of the team that keeps the search index of the library"
    for text in ("Index rebuilt.", "Disk swapped."):
        memory.save(text, title=title)
    clock.go_on(days=10)
    assert memory.metabolize().removed == ()


# --- the right one stays ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "better",
    [
        {"title": "Amber on the beach"},
        {"utility": 0.2},
        {"provenance": {"url": "https://example.org"}},
        {"days": 201.0},
    ],
)
@pytest.mark.parametrize("name", ["a", "z"])
def test_of_two_copies_the_one_that_has_more_stays(graph, memory, better, name):
    graph.node(name, says("Amber"), **better)
    graph.node("m", says("Amber", 1), pinned=False)
    graph.put(memory)
    assert removed(memory.metabolize()) == {"m": "restorable"}


def test_title_counts_more_than_judgements_and_these_more_than_relations_and_age(graph, memory):
    graph.node("titled", says("Amber"), title="Amber on the beach", days=150)
    graph.node("judged", says("Amber", 1), utility=0.5, days=160)
    graph.weak("linked", says("Amber", 2), to=HUB, days=170)
    graph.node("old", says("Amber", 3), days=180)
    graph.put(memory)
    plan = memory.metabolize(apply=True)
    assert set(removed(plan)) == {"judged", "linked", "old"}
    assert {each.neighbour.id for each in plan.removed} == {"titled"}


def test_a_copy_with_thick_relations_goes_for_the_one_that_has_the_title(graph, memory):
    graph.strong("linked", says("Amber"), to=HUB)
    graph.node("titled", says("Amber", 1), title="Amber on the beach")
    graph.put(memory)
    before = exported(memory)
    plan = memory.metabolize(apply=True)
    assert removed(plan) == {"linked": "restorable"}
    assert kept_edges(memory) == {(HUB, "main.hubb", "related"), ("titled", HUB, "related")}
    assert memory.metabolize(apply=True).removed == ()
    memory.restore(run_id=plan.run_id)
    assert exported(memory) == before


@pytest.mark.parametrize("spared", [{"pinned": True}, {"scope": "principle"}, {"days": 1.0}])
def test_what_a_rule_spares_does_not_go_for_a_title(graph, memory, spared):
    graph.strong("linked", says("Amber"), to=HUB, **spared)
    graph.node("titled", says("Amber", 1), title="Amber on the beach")
    graph.put(memory)
    assert "linked" not in removed(memory.metabolize())


def test_one_that_says_less_stays_beside_one_that_says_more(graph, memory):
    graph.node("titled", says("Amber"), title="Amber on the beach")
    graph.node("longer", f"{says('Amber', 1)} They gather it there in baskets and sell what is left.")
    graph.put(memory)
    assert removed(memory.metabolize(apply=True)) == {}


# --- what goes leaves all that it had -----------------------------------------------------------------------------------


def estate():
    """Three copies of one note, with all that can move, and two nodes that they are related to."""
    made = Graph()
    made.hubs()
    source = {"url": "https://example.org/amber"}
    made.node("heir", says("Amber"), title="Amber on the beach", utility=1.0, judged_at=ago(days=100), days=300)
    made.node(
        "one",
        says("Amber", 1),
        title="Amber on the beach after storms",
        utility=0.2,
        provenance=source,
        judged_at=ago(days=90),
    )
    made.node(
        "two",
        says("Amber", 2),
        utility=0.4,
        aliases=("Amber on the beach after storms", "Baltic gold"),
        provenance=source,
    )
    for name in ("Opal", "Topaz", "Quartz"):
        made.node(name, f"{name} is another matter altogether.")
    made.edge("one", "Opal", "like", weight=0.05, days=9)
    made.edge("Topaz", "one", "like", weight=0.06, days=9, reason="both are yellow")
    made.edge("two", "Quartz", "like", weight=0.07, days=9)
    made.edge("one", "two", "like", weight=0.04, days=9)
    made.edge("heir", "Opal", "like", weight=0.01, days=9)
    return made


def test_names_utility_sources_and_relations_move_to_the_one_that_stays(memory):
    estate().put(memory)
    plan = memory.metabolize(apply=True)
    assert set(removed(plan)) == {"one", "two"}
    heir = node_of(memory, "heir")
    assert heir.aliases == ("Amber on the beach after storms", "Baltic gold")
    assert heir.provenance == {"url": "https://example.org/amber"}
    assert heir.utility == pytest.approx(1.6)
    assert (heir.judged_at, heir.version) == (ago(days=90), 1)
    mine = {edge for edge in kept_edges(memory) if "heir" in edge}
    assert mine == {("heir", "Opal", "like"), ("Topaz", "heir", "like"), ("heir", "Quartz", "like")}
    assert memory.relations(source_id="heir", target_id="Opal").edges[0].weight == 0.05, "the stronger of both"
    assert memory.search("Baltic gold").hits[0].node.id == "heir", "it is found by its new names"
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned) == ((), 0)


@pytest.mark.parametrize("order", [None, ("one", "two"), ("two", "one")])
def test_restored_as_a_run_or_one_by_one_all_is_as_it_was(memory, order):
    estate().put(memory)
    before = exported(memory)
    plan = memory.metabolize(apply=True)
    assert exported(memory) != before
    for node_id in order or ():
        assert memory.restore(node_id).node_ids == (node_id,)
    if order is None:
        memory.restore(run_id=plan.run_id)
    assert exported(memory) == before
    assert memory.search("Baltic gold").hits[0].node.id == "two"


def test_what_was_changed_meanwhile_stays_with_the_one_that_stood_in(memory, clock):
    """The rule: a value that is still as the run left it goes back, one that somebody has changed stays."""
    estate().put(memory)
    plan = memory.metabolize(apply=True)
    memory.reinforce("heir", "Quartz", tag="like")
    memory.feedback("heir", "helpful")
    useful = node_of(memory, "heir").utility
    memory.restore(run_id=plan.run_id)
    heir, edges = node_of(memory, "heir"), kept_edges(memory)
    assert (heir.aliases, heir.provenance, heir.utility) == ((), {}, useful)
    assert {("heir", "Quartz", "like"), ("two", "Quartz", "like")} <= edges
    assert ("Topaz", "one", "like") in edges
    assert ("heir", "Opal", "like") in edges


def test_copies_that_go_in_several_runs_come_back_apart(memory, later):
    made = estate()
    made.put(memory)
    first = memory.metabolize(apply=True)
    assert len(first.removed) == 2
    before = exported(memory)
    more = Graph()
    more.node("three", says("Amber", 3), title="Amber on the quiet beach", utility=0.3, days=9)
    with later():
        put(memory, more.records())
    second = memory.metabolize(apply=True)
    assert removed(second) == {"three": "restorable"}
    memory.restore(run_id=first.run_id)
    heir = node_of(memory, "heir")
    assert heir.aliases == ("Amber on the quiet beach",)
    assert heir.utility == pytest.approx(1.3)
    memory.restore(run_id=second.run_id)
    heir = node_of(memory, "heir")
    assert (heir.aliases, heir.utility, heir.provenance) == ((), 1.0, {})
    assert kept_nodes(memory) >= {"heir", "one", "two", "three"}
    assert len(before) < len(exported(memory))


def runs_once(memory):
    """The relations after a run that skips nothing, after which a second one has nothing to do, and that can be undone."""
    before = exported(memory)
    plan = memory.metabolize(apply=True)
    assert (len(plan.removed), plan.skipped) == (1, 0)
    after = kept_edges(memory)
    again = memory.metabolize(apply=True)
    assert (again.removed, again.pruned, again.skipped) == ((), 0, 0)
    memory.restore(run_id=plan.run_id)
    assert exported(memory) == before
    return after - {(HUB, "main.hubb", "related")}


@pytest.mark.parametrize("thickness", [0.03, 0.05])
def test_a_thin_relation_that_both_copies_have_is_not_pruned_and_replaced_at_once(graph, memory, thickness):
    """The one of the heir was listed as thin, and then skipped because another had taken its place."""
    for name, number in (("heir", 0), ("copy", 1)):
        graph.node(name, says("Amber", number), title="Amber" if name == "heir" else None)
        graph.edge(name, "Opal", weight=thickness if name == "heir" else 0.04, days=9)
    graph.node("Opal", "Opal is another matter altogether.")
    graph.put(memory)
    assert runs_once(memory) == {("heir", "Opal", "related")}


def test_of_a_tag_in_another_spelling_the_heir_keeps_its_own(graph, memory):
    for name, number, tag in (("heir", 0, "lives_in"), ("copy", 1, "lives-in")):
        graph.node(name, says("Amber", number), title="Amber" if name == "heir" else None)
        graph.edge(name, "Opal", tag, weight=0.05, days=9)
    graph.node("Opal", "Opal is another matter altogether.")
    graph.put(memory)
    assert runs_once(memory) == {("heir", "Opal", "lives_in")}


# --- what differs waits in review ---------------------------------------------------------------------------------------


def test_near_copies_that_differ_are_counted_and_listed_by_review(static_memory, clock):
    memory = static_memory
    texts = [f"The night train from the harbour leaves from platform {number} at the old station." for number in (4, 7)]
    ids = {memory.save(text, title=title).node.id for text, title in zip(texts, ("Night train", None), strict=True)}
    two = [memory.save(f"It opens at {hour} in the morning, also in winter.", title=f"Gate {hour}") for hour in (6, 7)]
    clock.go_on(days=10)
    assert len(two) == 2
    plan = memory.metabolize()
    assert (plan.removed, plan.differing) == ((), 1), "of two titles that differ, each is about its own"
    (pair,) = memory.review().pairs
    assert {pair.first.id, pair.second.id} == ids
    memory.settle(*ids, keep="both")
    assert (memory.metabolize().differing, memory.review().pairs) == (0, ())
