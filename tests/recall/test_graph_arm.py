"""The graph arm: where walks start, what they reach, and what becomes of the order."""

from __future__ import annotations

import pytest
from recall_for_tests import Compass, policy, texts
from talking_for_tests import Clock

from wherefrom import Memory
from wherefrom.recall import graph_arm
from wherefrom.recall.fuse import Scored
from wherefrom.recall.graph_arm import masses
from wherefrom.storage.candidates import SHARED_NAME, WeightedEdge


def walked(*given, **more):
    """How likely a walk comes past each node."""
    return {node_id: passed for node_id, (passed, _) in graph_arm.walked(*given, **more).items()}


def scored(**scores):
    return [Scored(name, score) for name, score in scores.items()]


def test_walks_start_at_the_best_by_their_share():
    """Cubes of 1 and 1/2 are 1 and 1/8: shares of 8/9 and 1/9."""
    assert masses(scored(a=1.0, b=0.5), {}, sharpness=3.0) == pytest.approx({"a": 8 / 9, "b": 1 / 9})
    assert masses(scored(a=1.0, b=0.5), {}, sharpness=0.0) == pytest.approx({"a": 0.5, "b": 0.5})
    assert masses([], {}, sharpness=3.0) == {}
    assert masses(scored(a=0.0), {}, sharpness=3.0) == {"a": 0.0}


def test_half_of_the_walks_start_at_what_the_question_names():
    start = masses(scored(a=1.0, b=1.0), {"b": 1.0, "c": 3.0}, sharpness=1.0)
    assert start == pytest.approx({"a": 0.5, "b": 0.5 + 0.25, "c": 0.75})
    assert sum(start.values()) == pytest.approx(2.0)


def test_a_walk_along_a_path():
    links = [WeightedEdge("a", "b", "supports", 1.0), WeightedEdge("b", "c", "supports", 1.0)]
    reached = walked({"a": 1.0}, links, damping=0.5)
    assert reached == pytest.approx({"a": 1.0, "b": 24 / 49, "c": 7 / 49}, abs=1e-6)


def test_what_everyone_mentions_says_little():
    """Four mentions of one thing count 1/√4 each, as relations of that strength would."""
    names = ("a", "b", "c", "d")
    mentioned = walked({"a": 1.0}, [WeightedEdge(name, "it", "mentions", 1.0) for name in names], damping=0.7)
    related = walked({"a": 1.0}, [WeightedEdge(name, "it", "supports", 0.5) for name in names], damping=0.7)
    assert mentioned == pytest.approx(related)


def test_texts_with_the_same_name_are_neighbours():
    """Without other edges all of the half that goes on is shared out to the two others."""
    named = [WeightedEdge(text, "ada lovelace", SHARED_NAME, 1.0) for text in ("a", "b", "c")]
    reached = walked({"a": 1.0}, named, damping=0.5, names=0.1)
    assert set(reached) == {"a", "b", "c"}
    # x_b = x_c = (x_a + x_c)/4 = x_a/3 and x_a = 1 + (x_b + x_c)/4; of each, 1/8 would come back by the same name.
    assert reached == pytest.approx({"a": 1.0, "b": 1 / 3, "c": 1 / 3}, abs=1e-6)


def test_a_part_of_the_walks_goes_by_names_where_there_are_edges():
    """From a, 0.9 of what goes on to b by the edge, 0.1 to c by the name; both lead back alone."""
    near = [WeightedEdge("a", "b", "supports", 1.0), *(WeightedEdge(text, "n m", SHARED_NAME, 1.0) for text in "ac")]
    reached = walked({"a": 1.0}, near, damping=0.5, names=0.1)
    # x_a = 1 + x_b/2 + x_c/2, x_b = 0.45·x_a, x_c = 0.05·x_a; returns: a 0.45/2 + 0.05/2, b 0.45/2, c 0.05/2.
    assert reached["b"] / reached["c"] == pytest.approx((0.45 * (1 - 0.225)) / (0.05 * (1 - 0.025)), abs=1e-6)
    assert reached["b"] == pytest.approx(0.45 * (1 - 0.225) / (1 - 0.25), abs=1e-6)


def test_only_mentions_are_weakened_by_their_number():
    links = [WeightedEdge("a", "it", "mentions", 1.0), WeightedEdge("b", "it", "supports", 1.0)]
    assert walked({"a": 1.0}, links, damping=0.5)["b"] == pytest.approx(7 / 49, abs=1e-6)


def test_what_no_walk_reaches_is_not_there():
    assert walked({"a": 1.0}, [WeightedEdge("b", "c", "supports", 1.0)], damping=0.5) == {"a": 1.0}
    assert walked({}, [], damping=0.5) == {}


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "memory.db", embedder=Compass(), clock=Clock()) as opened:
        yield opened


def fill(memory, **second):
    """A question about Ada finds the first passage; only that leads to the second, which shares nothing with it."""
    first = memory.save("Ada worked at Blackwood Foundry. north").node
    other = memory.save("It stands beside the river Lune. south", title="Blackwood Foundry", **second).node
    memory.save("Nothing to do with it. west")
    return first, other


QUESTION = "Where did Ada work? north"


def found(memory, *, graph, **options):
    return set(texts(memory.activate(QUESTION, graph=graph, **options)))


def test_a_question_of_two_hops_finds_the_second_passage_only_along_the_graph(memory):
    first, second = fill(memory)
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
    assert found(memory, graph=False) == {first.content}
    assert found(memory, graph=True) == {first.content, second.content}
    context = memory.activate(QUESTION)
    reached = {item.node.id: item.breakdown for item in context.items}
    assert reached[first.id].graph == pytest.approx(reached[first.id].factors.g)
    assert 0 < reached[second.id].graph < reached[second.id].factors.g
    assert context.parameters["arms"] == ["text", "vectors", "graph"]


def test_a_search_follows_the_graph_if_it_is_told_to(memory):
    first, second = fill(memory)
    assert [hit.node.id for hit in memory.search(QUESTION).hits] == [first.id]
    assert [hit.node.id for hit in memory.search(QUESTION, graph=True).hits] == [first.id, second.id]


@pytest.mark.parametrize(
    ("tag", "is_followed"),
    [("supports", True), ("mentions", True), ("uses", True)]
    + [(tag, False) for tag in ("contradicts", "conflicts", "refutes", "supersedes")],
)
def test_what_contradicts_or_replaces_leads_nowhere(memory, tag, is_followed):
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
    first = memory.save("Ada worked here. north").node
    second = memory.save("Behind it is a garden. south").node
    memory.relate(first.id, second.id, tag=tag, weight=1.0)
    assert found(memory, graph=True) == {first.content} | ({second.content} if is_followed else set())


def test_reached_nodes_are_in_the_namespace_that_is_asked(memory):
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
    first, second = fill(memory, namespace="elsewhere")
    assert second.content in found(memory, graph=True)
    with_other = memory.save(first.content, namespace="here").node
    assert memory.relations(source_id=with_other.id, tag="mentions").edges
    assert found(memory, graph=True, namespace="here") == {first.content}


def test_reached_nodes_are_of_the_scopes_and_have_the_metadata_that_are_asked(memory):
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
    memory.save("Ada worked at Blackwood Foundry. north", scope="project", metadata={"kept": True})
    second = memory.save(
        "By the river. south", title="Blackwood Foundry", scope="session", metadata={"kept": False}
    ).node
    assert second.content in found(memory, graph=True)
    assert second.content not in found(memory, graph=True, scope=["project"])
    assert second.content in found(memory, graph=True, scope=["project", "session"])
    assert second.content not in found(memory, graph=True, metadata={"kept": True})


def test_reached_nodes_are_of_classes_that_the_access_may_see(tmp_path):
    options = {"embedder": Compass(), "clock": Clock()}
    with Memory.open(tmp_path / "memory.db", allow=["answer:task", "tool:contact-lookup"], **options) as all_of_it:
        all_of_it.apply_policy(policy({"rerank": {"threshold": 0.0}}))
        first, second = fill(all_of_it, boundary_class="pii")
        assert found(all_of_it, graph=True) == {first.content, second.content}
        assert found(all_of_it, graph=True, allow=["answer:task"]) == {first.content}
        with Memory.open(tmp_path / "memory.db", **options) as part:
            assert found(part, graph=True) == {first.content}
            assert [hit.node.id for hit in part.search(QUESTION, graph=True).hits] == [first.id]


def test_no_walk_goes_through_what_the_access_may_not_see(tmp_path):
    with Memory.open(
        tmp_path / "memory.db", embedder=Compass(), allow=["answer:task", "tool:contact-lookup"]
    ) as memory:
        memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
        first = memory.save("Ada worked here. north").node
        middle = memory.save("A person. south", boundary_class="pii").node
        last = memory.save("Behind it is a garden. west").node
        memory.relate(first.id, middle.id, tag="knows", weight=1.0)
        memory.relate(middle.id, last.id, tag="owns", weight=1.0)
        assert last.content in found(memory, graph=True)
        assert found(memory, graph=True, allow=["answer:task"]) == {first.content}


def test_reached_nodes_have_not_expired(tmp_path):
    clock = Clock()
    with Memory.open(tmp_path / "memory.db", embedder=Compass(), clock=clock) as memory:
        memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
        first, second = fill(memory, scope="session")
        assert second.content in found(memory, graph=True)
        clock.go_on(days=8)
        assert found(memory, graph=True) == {first.content}


def test_what_the_question_names_leads_on_without_any_candidate(memory):
    """No word and no direction is shared with the passage; it mentions what the question names."""
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
    fill(memory)
    named = memory.activate("blackwood foundry up", graph=True)
    assert "Ada worked at Blackwood Foundry. north" in texts(named)


def test_forbidden_edges_do_not_take_the_places_of_others(tmp_path):
    """A node with more edges than are followed, most of them unseen: those that may be seen are followed."""
    with Memory.open(
        tmp_path / "memory.db", embedder=Compass(), allow=["answer:task", "tool:contact-lookup"]
    ) as memory:
        memory.apply_policy(policy({"rerank": {"threshold": 0.0}}))
        first = memory.save("Ada worked here. north").node
        for number in range(60):
            person = memory.save(f"Person number {number}. south", boundary_class="pii").node
            memory.relate(first.id, person.id, tag="knows", weight=1.0)
        last = memory.save("Behind it is a garden. west").node
        memory.relate(first.id, last.id, tag="beside", weight=1.0)
        assert found(memory, graph=True, allow=["answer:task"]) == {first.content, last.content}


def test_the_order_is_by_the_sum_of_score_and_graph(memory):
    """Every score is the item's own S·g, as it is without the walk; the graph's share counts beside it."""
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}, "diversity": {"mmr_lambda": 1.0}}))
    nodes = [memory.save(f"deploy {'north ' * (5 - at)}{'east ' * at}x{at}").node for at in range(5)]
    memory.relate(nodes[0].id, nodes[4].id, tag="supports", weight=1.0)
    plain, walked_to = (memory.activate("deploy north", graph=each).items for each in (False, True))
    assert plain[-1].node.id == nodes[4].id
    assert [item.node.id for item in walked_to].index(nodes[4].id) < 4
    assert {item.node.id: item.score for item in walked_to} == pytest.approx(
        {item.node.id: item.score for item in plain}
    )
    sums = [item.score + 4.0 * item.breakdown.graph for item in walked_to]
    assert sums == sorted(sums, reverse=True)
    for item in walked_to:
        assert item.score == pytest.approx(item.breakdown.fit * item.breakdown.factors.g)
    hits = memory.search("deploy north", graph=True).hits
    sums = [hit.score + 4.0 * hit.graph for hit in hits]
    assert sums == sorted(sums, reverse=True)


def test_the_graph_keeps_what_the_score_would_not(memory):
    """A node that only the walk reaches has no score of its own; its share of the graph has a threshold of its own."""
    first, second = fill(memory)
    assert found(memory, graph=True) == {first.content, second.content}
    memory.apply_policy(policy({"graph": {"threshold": 0.99}}))
    assert found(memory, graph=True) == {first.content}
    memory.apply_policy(policy({"graph": {"threshold": None}}, version="1.0.2"))
    assert found(memory, graph=True) == {first.content}


def test_a_start_that_leads_nowhere_gains_nothing(memory):
    """The threshold of the graph is for what walks bring: one relation does not let all candidates pass."""
    links = [WeightedEdge("a", "b", "supports", 1.0)]
    reached = graph_arm.walked({"a": 0.5, "c": 0.5}, links, damping=0.5)
    assert reached["c"][1] == 0.0
    assert reached["b"][1] == reached["b"][0] > 0
    nodes = [memory.save(f"deploy {'north ' * (5 - at)}{'east ' * at}x{at}").node for at in range(5)]
    memory.relate(nodes[0].id, nodes[1].id, tag="supports", weight=1.0)
    memory.apply_policy(policy({"rerank": {"threshold": 0.95}}))
    assert {item.node.id for item in memory.activate("deploy north").items} <= {nodes[0].id, nodes[1].id}
