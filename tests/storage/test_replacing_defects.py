"""Known defects of statements that replace others, each as a test of what should be. One that is mended makes its test
fail as unexpectedly passed: take its mark away then, and the exception for it in tests/test_time_machine.py.
"""

from __future__ import annotations

import contextlib
import io

import pytest

from wherefrom import Conflict


@pytest.fixture
def days(open_memory, clock):
    """A memory without an embedder, and what lets a day go by."""
    return open_memory(), lambda: clock.go_on(days=1)


def held(memory, **given):
    return {node.content for node in memory.list(limit=100, **given).nodes}


def known_defect(reason):
    return pytest.mark.xfail(reason=reason, strict=True, raises=(AssertionError, Conflict))


@known_defect("UNIQUE constraint failed: nodes_in_slot: the heir is the older node, and what follows it is the answer")
def test_a_text_that_was_known_becomes_the_answer_of_a_slot(days):
    memory, next_day = days
    memory.save("Berlin")
    next_day()
    memory.save("Hamburg", slot="city")
    next_day()
    memory.save("Berlin", slot="city")
    assert held(memory) == {"Berlin"}


@known_defect("it begins when it was observed, before the current answer, and so becomes history at once")
def test_a_memo_that_is_changed_becomes_the_answer_of_a_slot(days):
    memory, next_day = days
    memo = memory.save("Berlin").node.id
    next_day()
    memory.save("Hamburg", slot="city")
    next_day()
    memory.save("Berlin-Mitte", memo_id=memo, slot="city")
    assert held(memory) == {"Berlin-Mitte"}


@known_defect("the one node with the text moves to the other slot, and the first slot has no answer")
def test_two_slots_may_have_the_same_answer(days):
    memory, next_day = days
    memory.save("Berlin", slot="city")
    next_day()
    memory.save("Berlin", slot="capital")
    assert {node.slot for node in memory.list().nodes} == {"city", "capital"}


@known_defect("valid_to is dropped without a word if the text is known")
def test_a_text_that_is_said_again_takes_the_end_that_is_stated(days):
    memory, next_day = days
    memory.save("the road is closed")
    next_day()
    assert memory.save("the road is closed", valid_to="2026-06").node.valid_to == "2026-07-01T00:00:00.000000Z"


@known_defect("what it replaces ends when it was observed, and not when it begins to hold")
def test_a_known_text_with_a_beginning_ends_others_when_it_begins(days, clock):
    memory, next_day = days
    old = memory.save("old").node.id
    clock.go_on(days=5)
    memory.save("new", valid_from="2026-01-03")
    next_day()
    memory.save("new", supersedes=[old])
    assert held(memory, as_of="2026-01-04") == {"new"}


@known_defect("red ends when green was first said, before red began: it never held")
def test_what_is_said_again_replaces_from_then_on(days):
    memory, next_day = days
    memory.save("green")
    next_day()
    red = memory.save("red").node
    next_day()
    memory.save("green", supersedes=[red.id])
    assert "red" in held(memory, as_of=red.observed_at)


@known_defect("UNIQUE constraint failed: nodes_same_text: both reds have the same end and the same heir")
def test_a_statement_replaces_the_same_text_twice(days):
    memory, next_day = days
    red = memory.save("red").node.id
    next_day()
    memory.save("green", supersedes=[red])
    next_day()
    again = memory.save("red").node.id
    next_day()
    memory.save("green", supersedes=[again])
    assert held(memory) == {"green"}


@known_defect("UNIQUE constraint failed: nodes_same_text: the note is stored once more, with the same end and heir")
def test_an_old_note_that_was_replaced_may_be_put_into_the_slot(days, clock):
    memory, _ = days
    clock.go_on(days=90)
    old = memory.save("Berlin", observed_at="2026-01-10").node.id
    memory.save("Hamburg", slot="city", observed_at="2026-02-10", supersedes=[old])
    memory.save("Berlin", slot="city", observed_at="2026-01-10")
    assert held(memory) == {"Hamburg"}


@known_defect("it is stored as a new statement, which holds beside the one that replaced it")
def test_old_notes_that_were_replaced_may_be_saved_once_more(days, clock):
    memory, _ = days
    clock.go_on(days=90)
    for _ in range(2):
        old = memory.save("Berlin", observed_at="2026-01-10").node.id
    memory.save("Hamburg", observed_at="2026-02-10", supersedes=[old])
    memory.save("Berlin", observed_at="2026-01-10")
    assert held(memory) == {"Hamburg"}


@known_defect("relate refuses that each replaces the other, save does not: neither holds")
def test_of_two_that_replace_each_other_by_saves_one_holds(days):
    memory, next_day = days
    first = memory.save("first").node.id
    next_day()
    second = memory.save("second", supersedes=[first]).node.id
    next_day()
    with contextlib.suppress(Conflict):
        memory.save("first", memo_id=first, supersedes=[second])
    assert len(held(memory)) == 1


@known_defect("its first period is overwritten when the relation is stated again")
def test_a_relation_that_holds_again_is_remembered_for_its_first_period(days, clock):
    memory, next_day = days
    task, todo, done = (memory.save(text).node.id for text in ("task", "to do", "done"))
    memory.relate(task, todo, tag="status", weight=1.0)
    first = clock.now.isoformat()
    for state in (done, todo):
        next_day()
        memory.relate(task, state, tag="status", weight=1.0)
    assert [edge.target_id for edge in memory.relations(tag="status", as_of=first).edges] == [todo]


@known_defect("it holds again from its beginning on, also while the other held")
def test_a_statement_that_holds_again_leaves_the_time_of_the_other_alone(days, clock):
    memory, next_day = days
    first = memory.save("Berlin", slot="city").node.id
    next_day()
    second = memory.save("Hamburg", slot="city").node
    next_day()
    memory.feedback(second.id, signal="outdated")
    next_day()
    memory.unrelate(second.id, first, tag="supersedes")
    assert held(memory, as_of=second.observed_at) == {"Hamburg"}


@known_defect("ended statements take the places of candidates, and only 8 generations of heirs are followed")
@pytest.mark.parametrize("verb", ["search", "activate"])
def test_a_statement_with_a_long_history_is_found(days, verb):
    memory, next_day = days
    for number in range(120):
        memory.save(f"The build number of Kestrel is {number}.", slot="kestrel/build")
        next_day()
    answer = getattr(memory, verb)("What is the build number of Kestrel?")
    found = answer.hits if verb == "search" else answer.items
    assert [item.node.content for item in found] == ["The build number of Kestrel is 119."]


@known_defect("ended statements take the places of candidates")
def test_a_memo_is_found_beside_the_long_history_of_another(days):
    memory, next_day = days
    memory.save("The build number of Kestrel is printed on its box, in the lower left corner, in small letters.")
    for number in range(120):
        memory.save(f"The build number of Kestrel is {number}.", slot="kestrel/build")
        next_day()
    found = [hit.node.content for hit in memory.search("What is the build number of Kestrel?", limit=5).hits]
    assert any("printed on its box" in text for text in found)


@known_defect("outdated says nothing of a statement that begins later, and it begins")
def test_what_is_outdated_before_it_begins_never_holds(days, clock):
    memory, next_day = days
    planned = memory.save("the move is in June", valid_from="2026-06").node.id
    next_day()
    memory.feedback(planned, signal="outdated")
    clock.go_on(days=200)
    assert held(memory) == set()


@known_defect("UNIQUE constraint failed: nodes_in_slot: the whole import is refused, in words of the database")
def test_an_import_into_a_slot_that_is_taken(days):
    memory, _next_day = days
    memory.save("Berlin", slot="city")
    memory.export(stream := io.StringIO())
    memory.delete(memory.list().nodes[0].id)
    memory.save("Hamburg", slot="city")
    memory.import_(io.BytesIO(stream.getvalue().encode()))
    assert len(held(memory, include=["replaced"])) == 2


def test_a_namespace_renamed_into_one_with_the_same_slot_is_refused_in_words_of_the_program(days):
    memory, _ = days
    memory.save("Berlin", slot="city", namespace="one")
    memory.save("Hamburg", slot="city", namespace="other")
    with pytest.raises(Conflict) as refused:
        memory.rename_namespace("one", "other")
    if "constraint" in str(refused.value):
        pytest.xfail("the message is the database's: UNIQUE constraint failed")
