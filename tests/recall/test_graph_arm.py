"""The graph arm: where walks start, what they reach, and what becomes of the order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_for_tests import Compass, policy, texts
from talking_for_tests import Clock

from wherefrom import Memory
from wherefrom.model.results import Scores
from wherefrom.recall.fuse import Scored
from wherefrom.recall.graph_arm import masses, mix, walked
from wherefrom.storage.candidates import WeightedEdge

NOTHING = Scores(None, None, None, None, 0.0, 0.0)


def scored(**scores):
    return [Scored(name, score, NOTHING) for name, score in scores.items()]


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


def test_only_mentions_are_weakened_by_their_number():
    links = [WeightedEdge("a", "it", "mentions", 1.0), WeightedEdge("b", "it", "supports", 1.0)]
    assert walked({"a": 1.0}, links, damping=0.5)["b"] == pytest.approx(7 / 49, abs=1e-6)


def test_what_no_walk_reaches_is_not_there():
    assert walked({"a": 1.0}, [WeightedEdge("b", "c", "supports", 1.0)], damping=0.5) == {"a": 1.0}
    assert walked({}, [], damping=0.5) == {}


def test_the_mix_by_hand():
    """(S / max S + 2·G) / 3 of scores of 0.8 and less; the best candidate has 1, wherever the walk went."""
    mixed = mix(scored(a=0.8, b=0.72, c=0.4, d=0.08), {"c": 0.3, "d": 0.45}, weight=2.0)
    assert mixed == pytest.approx({"a": 1.0, "b": 0.9 / 3, "c": 1.1 / 3, "d": 1.0 / 3})


def test_equal_scores_leave_the_best_first():
    """Fusion puts words before meaning where scores are equal; the walk leaves that be."""
    mixed = mix(scored(b=0.5, a=0.5), {"a": 1.0}, weight=0.5)
    assert mixed == pytest.approx({"b": 1.0, "a": 1.0})
    assert mix(scored(b=0.5, a=0.5), {}, weight=4.0) == pytest.approx({"b": 1.0, "a": 0.2})


def test_where_nothing_scores_the_walk_decides():
    assert mix(scored(a=0.0, b=0.0, c=0.0), {"c": 0.5}, weight=1.0) == {"a": 1.0, "b": 0.0, "c": 0.25}


candidates = st.lists(st.integers(0, 100), min_size=1, max_size=12).map(
    lambda scores: scored(**{f"n{at:02}": score / 100 for at, score in enumerate(scores)})
)
chances = st.dictionaries(st.sampled_from([f"n{at:02}" for at in range(12)]), st.floats(0, 1))


@given(candidates, chances, st.floats(0, 10))
def test_a_mix_is_a_share_and_the_best_candidate_has_all_of_it(found, reached, weight):
    mixed = mix(found, reached, weight=weight)
    assert mixed.keys() == {each.id for each in found}
    assert all(0 <= value <= 1 + 1e-9 for value in mixed.values())
    best = max(found, key=lambda each: each.score)
    assert mixed[best.id] == 1.0


@given(candidates, chances, st.floats(0, 10))
def test_what_is_not_reached_keeps_its_order(found, reached, weight):
    mixed = mix(found, reached, weight=weight)
    best = max(found, key=lambda each: each.score)
    left = [each for each in found if each is not best and each.id not in reached]
    values = [mixed[each.id] for each in sorted(left, key=lambda each: each.score)]
    assert values == sorted(values)


@given(candidates, chances, st.floats(0, 10), st.floats(0, 1))
def test_a_likelier_node_never_falls(found, reached, weight, chance):
    name = found[-1].id
    raised = {**reached, name: max(chance, reached.get(name, 0.0))}
    assert mix(found, raised, weight=weight)[name] >= mix(found, reached, weight=weight)[name]


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
    reached = {item.node.id: item.breakdown.graph for item in context.items}
    assert reached[first.id] == pytest.approx(1.0)
    assert 0 < reached[second.id] < 1
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


def test_scores_fall_in_the_order_of_the_mix(memory):
    """The scores S·g are handed out anew: the same ones as without the walk where it reaches nobody else."""
    memory.apply_policy(policy({"rerank": {"threshold": 0.0}, "diversity": {"mmr_lambda": 1.0}}))
    nodes = [memory.save(f"deploy {'north ' * (5 - at)}{'east ' * at}x{at}").node for at in range(5)]
    memory.relate(nodes[0].id, nodes[4].id, tag="supports", weight=1.0)
    plain, walked_to = (memory.activate("deploy north", graph=each).items for each in (False, True))
    assert plain[-1].node.id == nodes[4].id
    assert [item.node.id for item in walked_to].index(nodes[4].id) < 4
    assert walked_to[0].node.id == plain[0].node.id
    assert [item.score for item in walked_to] == pytest.approx([item.score for item in plain])
