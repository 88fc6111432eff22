"""Turns of conversations in recall: what follows what, and who says it."""

from __future__ import annotations

from itertools import pairwise

import pytest

from wherefrom.storage.candidates import WeightedEdge, turns_around


@pytest.fixture
def talk(timed, clock):
    """Saves a turn, each a minute after the one before."""

    def say(text, speaker="Anna", session="monday", **given):
        clock.go_on(minutes=1)
        return timed.save(text, speaker=speaker, session=session, **given)

    return say


def edges_at(memory, *ids, limit=100):
    view = memory.view
    return view.store.database.read(lambda tx: turns_around(tx, view.access, ids, limit=limit))


def found_ids(memory, question, **given):
    return {hit.node.id for hit in memory.search(question, **given).hits}


def test_turns_follow_each_other_by_their_times(timed, talk):
    late = talk("Third.", observed_at="2025-12-03T10:02:00Z").node
    early = talk("First.", observed_at="2025-12-03T10:00:00Z").node
    middle = talk("Second.", observed_at="2025-12-03T10:01:00Z").node
    tied = talk("Second, too.", observed_at="2025-12-03T10:01:00Z").node
    talk("Elsewhere.", session="friday", observed_at="2025-12-03T10:01:30Z")
    talk("In another room.", namespace="room", observed_at="2025-12-03T10:01:30Z")
    loose = timed.save("Not said.").node
    assert edges_at(timed, middle.id, loose.id) == [
        WeightedEdge(middle.id, early.id, "follows", 1.0),
        WeightedEdge(tied.id, middle.id, "follows", 1.0),
    ]
    chain = [late.id, tied.id, middle.id, early.id]
    every = edges_at(timed, *chain)
    assert {(edge.source_id, edge.target_id) for edge in every} == set(pairwise(chain))
    assert len(every) == 3
    assert len(edges_at(timed, *chain, limit=2)) == 2
    assert edges_at(timed) == []


def test_a_turn_that_an_access_does_not_see_is_passed_over(open_memory, clock):
    careful, memory = open_memory(allow=["answer:task", "tool:contact-lookup"]), open_memory()
    turns = []
    for text, boundary_class in [("One.", None), ("Two.", "pii"), ("Three.", None)]:
        clock.go_on(minutes=1)
        turns.append(careful.save(text, session="1", boundary_class=boundary_class).node.id)
    assert edges_at(careful, turns[2]) == [WeightedEdge(turns[2], turns[1], "follows", 1.0)]
    assert edges_at(memory, turns[2]) == [WeightedEdge(turns[2], turns[0], "follows", 1.0)]


def test_what_was_said_before_and_after_is_reached(timed, talk):
    before = talk("How about a trip to the lake on Sunday?", "Ben").node
    answer = talk("Marvellous, I shall bring the canoe.").node
    after = talk("Then it is settled.", "Ben").node
    for number in range(30):
        timed.save(f"Invoice number {number} was paid.")
    found = found_ids(timed, "canoe", graph=True)
    assert found >= {before.id, answer.id, after.id}
    assert found_ids(timed, "canoe", graph=False) & {before.id, after.id} == set()
    # A relation that says the same changes nothing.
    plain = [hit.node.id for hit in timed.search("canoe", graph=True).hits]
    scores = [hit.scores for hit in timed.search("canoe", graph=True).hits]
    timed.relate(answer.id, before.id, tag="follows", weight=1.0)
    assert [hit.node.id for hit in timed.search("canoe", graph=True).hits] == plain
    assert [hit.scores for hit in timed.search("canoe", graph=True).hits] == scores


def test_the_named_speaker_comes_first(timed, talk):
    talk("I adopted a dog last week.", "Ben")
    anna = talk("I adopted a dog last week.", "Anna").node
    (first, *_) = timed.search("Which animal did Anna adopt?").hits
    assert (first.node.id, first.scores.speaker) == (anna.id, 1.0)
    assert first.scores.session == 1.0
    assert 0 <= first.score <= 1
