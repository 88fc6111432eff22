"""Reinforcement: what proves right gets thicker, what does not gets thinner; by itself, by feedback, by seeing again."""

from __future__ import annotations

import json

import pytest
from metabolism_for_tests import says

from wherefrom import Conflict, InvalidInput, NewClaim, NewEvidence, NewFragment, NewPage, NotFound
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import EVIDENCE_TAGS


@pytest.fixture
def ids(memory):
    return [memory.save(says(topic)).node.id for topic in ("Amber", "Coral", "Jade", "Slate")]


def edge_of(memory, source, target, tag="related"):
    return next(
        each for each in memory.relations(source_id=source).edges if (each.target_id, each.tag) == (target, tag)
    )


def figures(edge):
    return pytest.approx((edge.confidence, edge.weight))


def events(execute, store, owner):
    rows = execute(store, f"select payload from events where owner_id = '{owner}' and topic = 'reinforce' order by seq")
    return [json.loads(payload) for (payload,) in rows]


# --- the verb ---------------------------------------------------------------------------------------------------------


def test_strengthening_adds_0_2_to_confidence_and_0_1_to_weight_and_is_an_observation(memory, ids, clock):
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    for _ in range(2):
        memory.reinforce(ids[0], ids[1], tag="related", weaken=True)
    clock.go_on(days=10)
    done = memory.reinforce(ids[0], ids[1], tag="related")
    assert figures(done.before) == (0.4, 0.5)
    assert figures(done.edge) == (0.6, 0.6)
    assert (done.edge.observed_at, done.edge.version) == (timestamp(clock()), done.before.version + 1)
    assert edge_of(memory, ids[0], ids[1]) == done.edge


def test_strengthening_ends_at_1(memory, ids):
    memory.relate(ids[0], ids[1], tag="related", weight=0.95)
    done = memory.reinforce(ids[0], ids[1], tag="related")
    assert figures(done.edge) == (1.0, 1.0)
    again = memory.reinforce(ids[0], ids[1], tag="related")
    assert again.edge == again.before, "nothing changed at the same time"


def test_weakening_takes_0_3_from_confidence_ends_at_0_and_is_no_observation(memory, ids, clock):
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    seen = edge_of(memory, ids[0], ids[1]).observed_at
    clock.go_on(days=10)
    for expected in (0.7, 0.4, 0.1, 0.0, 0.0):
        done = memory.reinforce(ids[0], ids[1], tag="related", weaken=True)
        assert figures(done.edge) == (expected, 0.5)
        assert done.edge.observed_at == seen


def test_one_direction_and_one_tag_are_meant(memory, ids):
    """Open point 7: parallel relations of a pair are left alone."""
    for source, target, tag in ((0, 1, "related"), (1, 0, "related"), (0, 1, "other")):
        memory.relate(ids[source], ids[target], tag=tag, weight=0.5)
    memory.reinforce(ids[0], ids[1], tag="related", weaken=True)
    assert figures(edge_of(memory, ids[0], ids[1])) == (0.7, 0.5)
    assert figures(edge_of(memory, ids[1], ids[0])) == (1.0, 0.5)
    assert figures(edge_of(memory, ids[0], ids[1], "other")) == (1.0, 0.5)


def test_a_weakened_relation_is_pruned_and_a_strengthened_one_is_not(memory, ids, clock):
    memory.relate(ids[0], ids[1], tag="kept", weight=0.9)
    memory.relate(ids[0], ids[1], tag="right", weight=0.4)
    memory.relate(ids[0], ids[1], tag="wrong", weight=0.4)
    for _ in range(3):
        memory.reinforce(ids[0], ids[1], tag="wrong", weaken=True)
        memory.reinforce(ids[0], ids[1], tag="right")
    clock.go_on(days=60)
    memory.relate(ids[2], ids[3], tag="kept", weight=1.0)
    assert [each.tag for each in memory.metabolize().thinnest] == ["wrong"]


@pytest.mark.parametrize("tag", EVIDENCE_TAGS)
def test_evidence_is_not_reinforced(memory, ids, tag):
    memory.relate(ids[0], ids[1], tag=tag, weight=0.5)
    with pytest.raises(InvalidInput):
        memory.reinforce(ids[0], ids[1], tag=tag)


def test_what_is_not_there_cannot_be_reinforced(memory, ids):
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    for key in ((ids[1], ids[0], "related"), (ids[0], ids[1], "other"), (ids[0], "nobody", "related")):
        with pytest.raises(NotFound):
            memory.reinforce(*key[:2], tag=key[2])
    with pytest.raises(NotFound):
        memory.reinforce(ids[0], ids[1], tag="related", namespace="elsewhere")


# --- by feedback ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signal", "expected"),
    [("helpful", (1.0, 0.6)), ("harmful", (0.7, 0.5)), ("outdated", (0.7, 0.5)), ("duplicate", (0.7, 0.5)),
     ("completed", (1.0, 0.5))],
)  # fmt: skip
def test_feedback_reinforces_the_relations_of_a_memo(memory, ids, signal, expected):
    """Open point 8: reinforcement is wired to what callers say."""
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    memory.relate(ids[2], ids[0], tag="related", weight=0.5)
    memory.relate(ids[1], ids[2], tag="related", weight=0.5)
    done = memory.feedback(ids[0], signal=signal)
    assert done.links == (0 if signal == "completed" else 2)
    assert figures(edge_of(memory, ids[0], ids[1])) == expected
    assert figures(edge_of(memory, ids[2], ids[0])) == expected
    assert figures(edge_of(memory, ids[1], ids[2])) == (1.0, 0.5), "not a relation of that memo"


def test_in_a_context_only_relations_to_its_other_items_are_reinforced(memory):
    first, second, third = (
        memory.save(text).node.id
        for text in ("Amber lies on the beach.", "Amber lies on the shore.", "Granite is mined in the north.")
    )
    memory.relate(first, second, tag="related", weight=0.5)
    memory.relate(first, third, tag="related", weight=0.5)
    context = memory.activate("Amber lies on the beach.", graph=False)
    named = {item.node.id for item in context.items}
    assert {first, second} <= named
    assert third not in named
    done = memory.feedback(first, signal="helpful", active_context_id=context.id)
    assert done.links == 1
    assert figures(edge_of(memory, first, second)) == (1.0, 0.6)
    assert figures(edge_of(memory, first, third)) == (1.0, 0.5)


def test_the_same_request_counts_once(memory, ids, execute, store, owner):
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    for _ in range(3):
        memory.feedback(ids[0], signal="harmful", request_id="again")
    assert figures(edge_of(memory, ids[0], ids[1])) == (0.7, 0.5)
    assert [each["weaken"] for each in events(execute, store, owner)] == [True]


def test_feedback_leaves_evidence_and_what_a_person_judged_alone(memory):
    added = memory.add_evidence(
        NewPage("https://example.org/amber"),
        fragments=[NewFragment(says("Coral"))],
        claims=[NewClaim(says("Amber"), evidence=[NewEvidence("supports", fragment=0, confidence=0.8)])],
    )
    claim, fragment = added.claims[0].id, added.fragments[0].id
    memo = memory.save(says("Jade")).node.id
    memory.relate(memo, claim, tag="about", weight=0.5)
    memory.correct_edge(fragment, claim, relation="refutes", reason="read again")
    before = edge_of(memory, fragment, claim, "refutes")
    assert before.judge == "human"
    assert memory.feedback(claim, signal="helpful").links == 1
    assert edge_of(memory, fragment, claim, "refutes") == before
    assert figures(edge_of(memory, memo, claim, "about")) == (1.0, 0.6)
    with pytest.raises((Conflict, InvalidInput)):
        memory.reinforce(fragment, claim, tag="refutes")


# --- by seeing again --------------------------------------------------------------------------------------------------


def test_a_relation_that_is_made_again_is_surer_and_seen_now(memory, ids, clock):
    memory.relate(ids[0], ids[1], tag="related", weight=0.5)
    memory.reinforce(ids[0], ids[1], tag="related", weaken=True)
    clock.go_on(days=10)
    edge = memory.relate(ids[0], ids[1], tag="related", weight=0.5).edge
    assert figures(edge) == (0.9, 0.5)
    assert edge.observed_at == timestamp(clock())
    assert figures(memory.relate(ids[0], ids[1], tag="related", weight=0.3).edge) == (1.0, 0.3), "as the caller says"


def test_the_same_text_saved_again_sees_its_mentions_again(memory, clock):
    saved = memory.save(says("Amber"), entities=["Baltic Sea"]).node
    other = memory.save(says("Coral"), entities=["Red Sea"]).node
    (mention,) = memory.relations(source_id=saved.id).edges
    (untouched,) = memory.relations(source_id=other.id).edges
    memory.reinforce(mention.source_id, mention.target_id, tag=mention.tag, weaken=True)
    clock.go_on(days=10)
    assert memory.save(says("Amber")).status == "duplicate"
    (again,) = memory.relations(source_id=saved.id).edges
    assert again.observed_at == timestamp(clock())
    assert again.confidence == pytest.approx(mention.confidence - 0.3 + 0.2)
    assert again.weight == pytest.approx(min(1.0, mention.weight + 0.1))
    assert memory.relations(source_id=other.id).edges == (untouched,)
