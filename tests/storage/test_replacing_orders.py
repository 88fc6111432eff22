"""Statements that replace others in unusual orders: said again, dated back, in long chains. Each was a defect once."""

from __future__ import annotations

import contextlib
import io
from itertools import permutations

import pytest

from wherefrom import Conflict

LATE_NOTES = {
    "Bonn": {"observed_at": "2026-01-04"},
    "Berlin": {"observed_at": "2026-01-10", "valid_from": "2026-01-03"},
}


@pytest.fixture
def days(open_memory, clock):
    """A memory without an embedder, and what lets a day go by."""
    return open_memory(), lambda: clock.go_on(days=1)


def held(memory, **given):
    return {node.content for node in memory.list(limit=100, **given).nodes}


def test_a_text_that_was_known_becomes_the_answer_of_a_slot(days):
    memory, next_day = days
    memory.save("Berlin")
    next_day()
    memory.save("Hamburg", slot="city")
    next_day()
    memory.save("Berlin", slot="city")
    assert held(memory) == {"Berlin"}


def test_a_memo_that_is_changed_becomes_the_answer_of_a_slot(days):
    memory, next_day = days
    memo = memory.save("Berlin").node.id
    next_day()
    memory.save("Hamburg", slot="city")
    next_day()
    memory.save("Berlin-Mitte", memo_id=memo, slot="city")
    assert held(memory) == {"Berlin-Mitte"}


def test_two_slots_may_have_the_same_answer(days):
    memory, next_day = days
    memory.save("Berlin", slot="city")
    next_day()
    memory.save("Berlin", slot="capital")
    assert {node.slot for node in memory.list().nodes} == {"city", "capital"}


def test_a_text_that_is_said_again_takes_the_end_that_is_stated(days):
    memory, next_day = days
    memory.save("the road is closed")
    next_day()
    assert memory.save("the road is closed", valid_to="2026-06").node.valid_to == "2026-07-01T00:00:00.000000Z"


def test_a_known_text_with_a_beginning_ends_others_when_it_begins(days, clock):
    memory, next_day = days
    old = memory.save("old").node.id
    clock.go_on(days=5)
    memory.save("new", valid_from="2026-01-03")
    next_day()
    memory.save("new", supersedes=[old])
    assert held(memory, as_of="2026-01-04") == {"new"}


def test_what_is_said_again_replaces_from_then_on(days):
    memory, next_day = days
    memory.save("green")
    next_day()
    red = memory.save("red").node
    next_day()
    memory.save("green", supersedes=[red.id])
    assert "red" in held(memory, as_of=red.observed_at)


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


def test_an_old_note_that_was_replaced_may_be_put_into_the_slot(days, clock):
    memory, _ = days
    clock.go_on(days=90)
    old = memory.save("Berlin", observed_at="2026-01-10").node.id
    memory.save("Hamburg", slot="city", observed_at="2026-02-10", supersedes=[old])
    memory.save("Berlin", slot="city", observed_at="2026-01-10")
    assert held(memory) == {"Hamburg"}


def test_old_notes_that_were_replaced_may_be_saved_once_more(days, clock):
    memory, _ = days
    clock.go_on(days=90)
    for _ in range(2):
        old = memory.save("Berlin", observed_at="2026-01-10").node.id
    memory.save("Hamburg", observed_at="2026-02-10", supersedes=[old])
    memory.save("Berlin", observed_at="2026-01-10")
    assert held(memory) == {"Hamburg"}


def test_of_two_that_replace_each_other_by_saves_one_holds(days):
    memory, next_day = days
    first = memory.save("first").node.id
    next_day()
    second = memory.save("second", supersedes=[first]).node.id
    next_day()
    with contextlib.suppress(Conflict):
        memory.save("first", memo_id=first, supersedes=[second])
    assert len(held(memory)) == 1


def test_a_relation_that_holds_again_has_its_last_period_alone(days, clock):
    memory, next_day = days
    task, todo, done = (memory.save(text).node.id for text in ("task", "to do", "done"))
    memory.relate(task, todo, tag="status", weight=1.0)
    first = clock.now.isoformat()
    for state in (done, todo):
        next_day()
        memory.relate(task, state, tag="status", weight=1.0)
    assert [edge.target_id for edge in memory.relations(tag="status").edges] == [todo]
    # A relation has one period: stated again, it holds from then on.
    assert not memory.relations(tag="status", as_of=first).edges


def test_a_statement_that_holds_again_is_as_if_it_had_never_ended(days, clock):
    memory, next_day = days
    first = memory.save("Berlin", slot="city").node.id
    next_day()
    second = memory.save("Hamburg", slot="city").node
    next_day()
    memory.feedback(second.id, signal="outdated")
    next_day()
    memory.unrelate(second.id, first, tag="supersedes")
    # That it ended is undone, as if it had never been said.
    assert held(memory, as_of=second.observed_at) == {"Berlin", "Hamburg"}
    assert held(memory) == {"Berlin"}


@pytest.mark.parametrize("verb", ["search", "activate"])
def test_a_statement_with_a_long_history_is_found(days, verb):
    memory, next_day = days
    for number in range(120):
        memory.save(f"The build number of Kestrel is {number}.", slot="kestrel/build")
        next_day()
    answer = getattr(memory, verb)("What is the build number of Kestrel?")
    found = answer.hits if verb == "search" else answer.items
    assert [item.node.content for item in found] == ["The build number of Kestrel is 119."]


def test_a_memo_is_found_beside_the_long_history_of_another(days):
    memory, next_day = days
    memory.save("The build number of Kestrel is printed on its box, in the lower left corner, in small letters.")
    for number in range(120):
        memory.save(f"The build number of Kestrel is {number}.", slot="kestrel/build")
        next_day()
    found = [hit.node.content for hit in memory.search("What is the build number of Kestrel?", limit=5).hits]
    assert any("printed on its box" in text for text in found)


def test_what_is_outdated_before_it_begins_never_holds(days, clock):
    memory, next_day = days
    planned = memory.save("the move is in June", valid_from="2026-06").node.id
    next_day()
    memory.feedback(planned, signal="outdated")
    clock.go_on(days=200)
    assert held(memory) == set()


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
    assert "have a statement in both" in str(refused.value)


def test_what_was_until_a_year_leaves_what_holds_since_a_later_one(days):
    memory, _ = days
    memory.save("Berlin", slot="city", valid_from="2024")
    memory.save("Bonn", slot="city", observed_at="2023-05", valid_to="2023")
    assert held(memory) == {"Berlin"}


@pytest.mark.parametrize("order", list(permutations(LATE_NOTES)))
def test_a_late_note_does_not_end_what_was_said_after_it(days, clock, order):
    memory, _ = days
    clock.go_on(days=20)
    for text in order:
        memory.save(text, slot="city", **LATE_NOTES[text])
    assert held(memory) == {"Berlin"}


def test_a_statement_that_becomes_history_does_not_empty_its_slot(days, clock):
    memory, _ = days
    clock.go_on(days=20)
    memory.save("Bonn", slot="city", observed_at="2026-01-06", valid_from="2026-01-05")
    memory.save("Berlin", slot="city", observed_at="2026-01-07")
    memory.save("Hamburg", slot="city", observed_at="2026-01-10", valid_from="2026-01-03")
    assert held(memory) == {"Berlin"}
    assert held(memory, as_of="2026-01-04") == {"Hamburg"}


def test_what_was_outdated_before_it_began_ends_nothing_in_its_slot(days, clock):
    memory, next_day = days
    planned = memory.save("Hamburg", slot="city", valid_from="2026-06").node.id
    next_day()
    memory.feedback(planned, signal="outdated")
    next_day()
    memory.save("Berlin", slot="city")
    clock.go_on(days=200)
    assert held(memory) == {"Berlin"}


def test_an_outdated_memo_that_gets_a_slot_does_not_empty_it(days):
    memory, next_day = days
    outdated = memory.save("Bonn").node.id
    memory.save("Berlin", slot="city")
    next_day()
    memory.feedback(outdated, signal="outdated")
    next_day()
    memory.save("Bonn", memo_id=outdated, slot="city")
    assert held(memory) == {"Berlin"}


def test_the_last_of_a_line_is_not_replaced_by_its_first(days, clock):
    memory, _ = days
    clock.go_on(days=20)
    first = memory.save("first", observed_at="2026-01-05").node.id
    second = memory.save("second", observed_at="2026-01-07", supersedes=[first]).node.id
    third = memory.save("third", observed_at="2026-01-09", supersedes=[second]).node.id
    with pytest.raises(Conflict):
        memory.save("first", observed_at="2026-01-06", supersedes=[third])
    assert held(memory) == {"third"}


def test_a_statement_does_not_hold_again_beside_what_is_planned_for_its_slot(days):
    memory, _ = days
    today = memory.save("Berlin", slot="city").node.id
    planned = memory.save("Hamburg", slot="city", valid_from="2026-06").node.id
    with pytest.raises(Conflict, match="in the slot"):
        memory.unrelate(planned, today, tag="supersedes")


def test_what_was_replaced_keeps_its_heir_when_it_gets_a_slot(days, clock):
    memory, _ = days
    clock.go_on(days=90)
    old = memory.save("Bonn", observed_at="2026-01-05").node.id
    heir = memory.save("Berlin", observed_at="2026-02-05", supersedes=[old]).node.id
    memory.save("Hamburg", slot="city", observed_at="2026-03-05")
    assert memory.save("Bonn", slot="city", observed_at="2026-01-05").node.superseded_by == heir


def test_a_beginning_that_is_stated_later_ends_the_one_before_in_the_slot(days, clock):
    memory, _ = days
    clock.go_on(days=20)
    memory.save("Bonn", slot="city", observed_at="2026-01-05")
    memory.save("Berlin", slot="city", observed_at="2026-01-10")
    memory.save("Berlin", valid_from="2026-01-07")
    assert held(memory, as_of="2026-01-08") == {"Berlin"}


def test_an_earlier_beginning_of_what_holds_does_not_empty_its_slot(days, clock):
    memory, _ = days
    clock.go_on(days=20)
    memory.save("Bonn", slot="city", valid_from="2026-01-05")
    memory.save("Berlin", slot="city", valid_from="2026-01-10")
    memory.save("Berlin", slot="city", valid_from="2026-01-03")
    assert held(memory) == {"Berlin"}
