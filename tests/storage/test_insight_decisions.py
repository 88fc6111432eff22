"""Conformance: of a plan some links are made and some declined, and all of that can be taken back exactly."""

from __future__ import annotations

import pytest
from embedders_for_tests import Numbered
from metabolism_for_tests import exported

from wherefrom import Conflict, InvalidInput

TEXTS = ("1 amber", "1 basalt", "1 chalcedony", "2 dolomite", "2 epidote", "2 feldspar")


@pytest.fixture
def embedder_of_opened():
    return Numbered()


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def plan(memory):
    for text in TEXTS:
        memory.save(text)
    return memory.find_insight()


def pairs(some):
    return {frozenset((each.source_id, each.target_id)) for each in some}


def states(plan):
    return [link.state for link in plan.accepted]


def test_some_links_are_made_by_number_or_by_their_ends_and_the_others_later(memory, plan):
    first, second, *others = plan.accepted
    done = memory.apply_insight(plan.id, only=[1, f"{second.target_id}:{second.source_id}"])
    assert (done.state, done.written, states(done)) == ("applied", 2, ["made", "made", *["open"] * 4])
    assert pairs(memory.relations().edges) == pairs([first, second])
    again = memory.apply_insight(plan.id, only="1, 3")
    assert (again.written, states(again)) == (3, [*["made"] * 3, *["open"] * 3])
    rest = memory.apply_insight(plan.id)
    assert (rest.written, states(rest)) == (6, ["made"] * 6)
    assert pairs(memory.relations().edges) == pairs(plan.accepted)
    assert pairs(others) <= pairs(memory.relations().edges)


def test_undoing_a_part_removes_exactly_its_links(memory, plan, clock):
    memory.apply_insight(plan.id, only=[2])
    clock.go_on(hours=1)
    memory.apply_insight(plan.id, only=[4, 5])
    by_hand = plan.accepted[0]
    memory.relate(by_hand.source_id, by_hand.target_id, tag=by_hand.tag, weight=0.5)
    done = memory.undo_insight(plan.id, only=[4])
    assert (done.state, done.written, states(done)) == ("applied", 2, ["open", "made", "open", "open", "made", "open"])
    done = memory.undo_insight(plan.id)
    assert (done.state, done.written, set(states(done))) == ("proposed", 0, {"open"})
    assert pairs(memory.relations().edges) == pairs([by_hand])


def test_what_was_declined_is_not_proposed_again_until_a_text_changes(memory, plan):
    declined = plan.accepted[0]
    done = memory.decline_insight(plan.id, only=[1], reason="the mines are far apart")
    assert (done.state, done.declined, states(done)) == ("applied", 1, ["declined", *["open"] * 5])
    assert done.accepted[0].note == "the mines are far apart"
    assert memory.relations().edges == ()
    for end in (declined.source_id, declined.target_id):
        found = memory.find_insight(end)
        assert pairs([declined]).isdisjoint(pairs((*found.accepted, *found.rejected)))
    rest = memory.apply_insight(plan.id)
    assert (rest.written, states(rest)) == (5, ["declined", *["made"] * 5])
    memory.save("1 amber of the Baltic", memo_id=declined.source_id)
    assert memory.insight_plan(plan.id).declined == 0, "another text is another matter"
    assert pairs([declined]) <= pairs(memory.find_insight(declined.source_id).accepted)


def test_declining_is_taken_back(memory, plan):
    memory.decline_insight(plan.id)
    assert memory.find_insight().judged == 0, "everything new was decided about"
    memory.undo_insight(plan.id, only=[1])
    done = memory.insight_plan(plan.id)
    assert (done.state, states(done)) == ("applied", ["open", *["declined"] * 5])
    one = plan.accepted[0]
    assert pairs(memory.find_insight(one.source_id).accepted) == pairs([one])
    assert states(memory.apply_insight(plan.id, only=[2]))[:3] == ["open", "made", "declined"], "named, it is wanted"
    with pytest.raises(Conflict):
        memory.decline_insight(plan.id, only=[2])
    done = memory.undo_insight(plan.id)
    assert (done.state, set(states(done))) == ("proposed", {"open"}), "nobody had decided about the first"
    assert memory.relations().edges == ()


def test_a_secret_in_the_reason_is_taken_out(memory, plan):
    done = memory.decline_insight(plan.id, only=[1], reason="password: hunter2hunter2 says no")
    assert "hunter2" not in (done.accepted[0].note or "")


@pytest.mark.parametrize("only", ([7], ["1:2"], [True], [1.5], ["x"], "0", [" , "]))
def test_what_a_plan_does_not_have_is_refused(memory, plan, only):
    with pytest.raises(InvalidInput):
        memory.apply_insight(plan.id, only=only)
    assert memory.insight_plan(plan.id).state == "proposed"


@pytest.mark.parametrize("parts", [((),), ([1, 3], ()), ([2], [5], [1, 2, 3])])
def test_applied_and_undone_any_number_of_times_the_memory_is_as_before(memory, plan, clock, parts):
    before = exported(memory)
    after = []
    for _ in range(3):
        for part in parts:
            clock.go_on(minutes=1)
            memory.apply_insight(plan.id, only=part)
        after.append(pairs(memory.relations().edges))
        assert memory.undo_insight(plan.id).written == 0
        assert exported(memory) == before
    assert after[0] == after[1] == after[2] != set()


def test_an_undone_plan_can_be_applied_again_for_two_weeks(memory, plan, clock):
    memory.apply_insight(plan.id)
    memory.undo_insight(plan.id)
    clock.go_on(days=14)
    assert memory.apply_insight(plan.id).written == 6
    memory.undo_insight(plan.id)
    clock.go_on(days=14, seconds=1)
    with pytest.raises(Conflict):
        memory.apply_insight(plan.id)
