"""Statements that take the place of others: by name, by a slot, by a relation; and what held or was known at a time."""

from __future__ import annotations

import pytest

from wherefrom import Memory
from wherefrom.model.errors import Conflict, InvalidInput, NotFound

OLD, NEW = "Anna lives in Hamburg.", "Anna lives in Munich."
SLOT = "people/anna/city"
QUESTION = "Where does Anna live?"


def texts(found):
    """The texts of a list, a search or a context, in their order."""
    hits = getattr(found, "hits", None) or getattr(found, "items", None) or ()
    return [node.content for node in getattr(found, "nodes", None) or [hit.node for hit in hits]]


def asked(memory, **times):
    """What list, search and activate say at a time: all three must say the same."""
    said = [texts(memory.list(**times)), texts(memory.search("Anna", **times)), texts(memory.activate("Anna", **times))]
    assert sorted(said[0]) == sorted(said[1]) == sorted(said[2]), said
    return sorted(said[0])


@pytest.mark.parametrize("way", ["supersedes", "slot", "relation"])
def test_what_was_replaced_is_history(timed, clock, way):
    memory = timed
    old = memory.save(OLD, slot=SLOT if way == "slot" else None).node
    clock.go_on(days=30)
    given = {"supersedes": [old.id]} if way == "supersedes" else {"slot": SLOT} if way == "slot" else {}
    saved = memory.save(NEW, **given)
    if way == "relation":
        memory.relate(saved.node.id, old.id, tag="supersedes", weight=1.0)
    else:
        assert saved.replaced == (old.id,)
    ended = memory.get(old.id)
    assert (ended.superseded_by, ended.valid_to) == (saved.node.id, saved.node.observed_at)
    assert asked(memory) == [NEW]
    (hit,) = memory.search(QUESTION).hits
    assert (hit.replaces, hit.held_until) == ((old.id,), ended.valid_to)
    assert [(edge.tag, edge.target_id) for edge in memory.relations(source_id=saved.node.id).edges] == [
        ("supersedes", old.id)
    ]
    assert sorted(texts(memory.list(include=["replaced"]))) == [OLD, NEW]


def test_a_question_about_the_old_value_leads_to_the_new_one(memory):
    old = memory.save("The staging server is called Birch.").node
    new = memory.save("Staging moved to Alder.", supersedes=[old.id]).node
    (hit,) = memory.search("Birch").hits
    assert (hit.node.id, hit.scores.found_through) == (new.id, old.id)
    assert [item.node.id for item in memory.activate("Birch").items] == [new.id]


def test_what_held_at_a_time(memory):
    first = memory.save(OLD, slot=SLOT, observed_at="2024-01-10").node
    memory.save(NEW, slot=SLOT, valid_from="2025-03")
    assert memory.get(first.id).valid_to == "2025-03-01T00:00:00.000000Z"
    assert asked(memory, as_of="2024-01-09") == []
    for moment in ("2024", "2024-01-10", "2025-02-28T23:59:59Z"):
        assert asked(memory, as_of=moment) == [OLD]
    for moment in ("2025", "2025-03", "2025-03-01T00:00:00Z"):
        assert asked(memory, as_of=moment) == [NEW]
    assert asked(memory, until="2024") == []  # what was observed then holds no longer
    assert asked(memory, since="2024-02") == [NEW]


def test_a_statement_about_the_future_holds_from_then_on(memory):
    memory.save(OLD, slot=SLOT)
    memory.save(NEW, slot=SLOT, valid_from="2999-01")
    assert asked(memory) == [OLD]
    assert asked(memory, as_of="2999-01") == [NEW]


def test_what_is_added_to_the_past_of_a_slot_does_not_hold(memory):
    now = memory.save(NEW, slot=SLOT, valid_from="2025").node
    past = memory.save("Anna lived in Bonn.", slot=SLOT, valid_from="2020").node
    assert (past.superseded_by, past.valid_to) == (now.id, now.valid_from)
    assert asked(memory) == [NEW]
    assert asked(memory, as_of="2022") == ["Anna lived in Bonn."]
    between = memory.save(OLD, slot=SLOT, valid_from="2023")
    assert between.replaced == (past.id,)
    assert memory.get(past.id).valid_to == between.node.valid_from
    assert asked(memory, as_of="2024") == [OLD]
    assert asked(memory, as_of="2022") == ["Anna lived in Bonn."]


def test_old_notes_may_come_in_any_order(memory):
    memory.save(NEW, slot=SLOT, observed_at="2026-03-01")
    memory.save(OLD, slot=SLOT, observed_at="2025-03-01")
    assert asked(memory) == [NEW]
    assert asked(memory, as_of="2025-06") == [OLD]


def test_a_value_may_come_back(memory):
    memory.save(OLD, slot=SLOT, observed_at="2024-01-01")
    memory.save(NEW, slot=SLOT, observed_at="2025-01-01")
    again = memory.save(OLD, slot=SLOT, observed_at="2026-01-01")
    assert again.status == "created"
    assert asked(memory) == [OLD]
    assert [asked(memory, as_of=year) for year in ("2024-06", "2025-06", "2026-01")] == [[OLD], [NEW], [OLD]]


def test_saving_the_same_text_again_with_supersedes_follows_the_hint(memory):
    old = memory.save(OLD).node
    new = memory.save(NEW).node
    again = memory.save(NEW, supersedes=[old.id])
    assert (again.status, again.node.id, again.replaced) == ("duplicate", new.id, (old.id,))
    assert asked(memory) == [NEW]
    assert memory.save(NEW, supersedes=[old.id]).replaced == ()


def test_slots_of_two_namespaces_and_what_is_hidden_are_apart(url):
    with Memory.open(url, root="team") as one, Memory.open(url, root="other") as two:
        one.save(OLD, slot=SLOT)
        two.save(NEW, slot=SLOT)
        assert (asked(one), asked(two)) == ([OLD], [NEW])
        one.save(NEW, slot=SLOT, namespace="/deeper")
        assert sorted(texts(one.list(namespace="/"))) == [OLD, NEW]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"valid_from": "2026-03", "valid_to": "2026-02"}, "before valid_from"),
        ({"observed_at": "2999"}, "in the future"),
        ({"valid_from": "March"}, "is not a date"),
        ({"valid_from": "2026-13"}, "is not a date"),
        ({"slot": "a//b"}, "is not a path"),
        ({"slot": "x" * 129}, "at most 128"),
        ({"slot": "key/sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"}, "secret"),
    ],
)
def test_times_and_slots_are_checked(memory, given, words):
    with pytest.raises(InvalidInput, match=words):
        memory.save(NEW, **given)
    assert not memory.list(include=["replaced", "expired"]).nodes


def test_nothing_is_written_if_one_of_them_cannot_be_replaced(memory):
    old = memory.save(OLD).node
    with pytest.raises(NotFound):
        memory.save(NEW, supersedes=[old.id, "0192f3a0-7c1e-7d3a-8000-000000000000"])
    assert (asked(memory), memory.get(old.id)) == ([OLD], old)
    with pytest.raises(InvalidInput, match="itself"):
        memory.save(NEW, memo_id=old.id, supersedes=[old.id])
    entity = memory.save("Meets Ben.", entities=["Ben"])
    (link,) = memory.relations(source_id=entity.node.id).edges
    with pytest.raises(InvalidInput, match="is a entity"):
        memory.save(NEW, supersedes=[link.target_id])


def test_neither_of_two_can_take_the_place_of_the_other_twice(memory):
    old = memory.save(OLD).node
    new = memory.save(NEW, supersedes=[old.id]).node
    with pytest.raises(Conflict, match="took the place"):
        memory.relate(old.id, new.id, tag="supersedes", weight=1.0)
    memory.unrelate(new.id, old.id, tag="supersedes")
    assert asked(memory) == [OLD, NEW]
    assert memory.get(old.id).valid_to is None


def test_an_outdated_statement_holds_no_longer(timed, clock):
    memory = timed
    old = memory.save(OLD).node
    clock.go_on(days=1)
    judged = memory.feedback(old.id, "outdated").node
    assert asked(memory) == []
    assert asked(memory, as_of=old.created_at) == [OLD]
    clock.go_on(days=1)
    assert memory.feedback(old.id, "outdated").node.valid_to == judged.valid_to


def test_what_the_memory_said_at_a_time(timed, clock):
    memory = timed
    moments = [clock()]
    clock.go_on(days=1)
    old = memory.save(OLD, title="City").node
    moments.append(clock())
    clock.go_on(days=1)
    memory.save("Anna lives in Berlin.", memo_id=old.id)
    moments.append(clock())
    clock.go_on(days=1)
    memory.save(NEW, supersedes=[old.id], valid_from="2020")
    moments.append(clock())
    said = [asked(memory, known_at=moment.isoformat()) for moment in moments]
    assert said == [[], [OLD], ["Anna lives in Berlin."], [NEW]]
    assert asked(memory) == [NEW]
    (hit,) = memory.search("Hamburg", known_at=moments[1].isoformat()).hits
    assert (hit.node.content, hit.node.title) == (OLD, "City")
    assert not memory.search("Berlin", known_at=moments[1].isoformat()).hits
    clock.go_on(days=1)
    memory.delete(old.id)
    assert "1 deleted or let go" in memory.search("Anna", known_at=moments[1].isoformat()).degraded[0]


def test_versions_are_bounded_and_the_answer_says_what_is_missing(timed, clock, monkeypatch):
    monkeypatch.setattr("wherefrom.model.limits.VERSIONS", 2)
    memory = timed
    node = memory.save("Anna has 0 cats.").node
    first = clock()
    for number in range(1, 5):
        clock.go_on(days=1)
        memory.save(f"Anna has {number} cats.", memo_id=node.id)
    found = memory.search("Anna cats", known_at=first.isoformat())
    assert (found.hits, found.degraded) == ((), ("1 changed since then and not known as they were",))
    clock.go_on(days=-1)
    assert texts(memory.search("Anna cats", known_at=clock().isoformat())) == ["Anna has 3 cats."]


def test_an_exclusive_relation_ends_the_one_before(timed, clock):
    memory = timed
    memory.apply_policy("version: 1.0.1\nmetabolism:\n  exclusive: [lives_in]\n", approver="me")
    anna, hamburg, munich = (memory.save(name).node.id for name in ("Anna", "Hamburg", "Munich"))
    memory.relate(anna, hamburg, tag="lives_in", weight=1.0)
    before = clock()
    clock.go_on(days=1)
    related = memory.relate(anna, munich, tag="lives_in", weight=1.0)
    assert related.replaced == (hamburg,)
    assert [edge.target_id for edge in memory.relations(source_id=anna).edges] == [munich]
    assert [edge.target_id for edge in memory.relations(source_id=anna, as_of=before.isoformat()).edges] == [hamburg]
    assert [edge.target_id for edge in memory.walk(anna).edges] == [munich]
    clock.go_on(days=1)
    memory.relate(anna, hamburg, tag="lives_in", weight=1.0)
    assert [edge.target_id for edge in memory.relations(source_id=anna).edges] == [hamburg]


def test_filters_hold_for_what_was_known_at_a_time(timed, clock):
    memory = timed
    node = memory.save("Anna has a red bicycle.", scope="project", metadata={"place": "north"}).node
    then = clock()
    clock.go_on(days=1)
    memory.save("Anna has a blue bicycle.", memo_id=node.id)
    known = {"known_at": then.isoformat()}
    assert texts(memory.search("bicycle", **known)) == ["Anna has a red bicycle."]
    assert texts(memory.search("bicycle", scope=["project"], metadata={"place": "north"}, **known))
    assert not memory.search("bicycle", scope=["session"], **known).hits
    assert not memory.search("bicycle", metadata={"place": "south"}, **known).hits


def test_what_was_learnt_later_is_not_shown_of_a_time(timed, clock):
    memory = timed
    old, new = memory.save("Anna has a cat.").node, memory.save("Anna has a dog.").node
    then = clock()
    clock.go_on(days=1)
    memory.relate(new.id, old.id, tag="supersedes", weight=1.0)
    hits = memory.search("Anna", known_at=then.isoformat()).hits
    assert {(hit.node.id, hit.replaces, hit.held_until) for hit in hits} == {(old.id, (), None), (new.id, (), None)}


def test_what_holds_no_longer_replaces_nothing(memory):
    old, new = memory.save(OLD).node.id, memory.save(NEW).node.id
    memory.feedback(new, "outdated")
    with pytest.raises(Conflict, match="holds no longer"):
        memory.relate(new, old, tag="supersedes", weight=1.0)
    assert asked(memory) == [OLD]


def test_a_statement_that_a_second_one_supersedes_stays_history(memory):
    old = memory.save(OLD).node.id
    first, second = (memory.save(text, supersedes=[old]).node.id for text in (NEW, "Anna lives in Rome."))
    memory.unrelate(first, old, tag="supersedes")
    assert memory.get(old).superseded_by == second
    assert OLD not in asked(memory)
    memory.unrelate(second, old, tag="supersedes")
    assert OLD in asked(memory)


@pytest.mark.parametrize("slot", ["people/anna@example.org/city", "k/AKIAQYLPMN5HHHFPZAM2"])
def test_a_slot_holds_no_personal_data_and_no_secret(memory, slot):
    with pytest.raises(InvalidInput, match=r"personal data|secret"):
        memory.save(NEW, slot=slot)


def test_an_heir_that_one_may_not_see_is_not_named(url):
    with Memory.open(url, root="main") as all_of_it, Memory.open(url, root="main/team") as team:
        old = team.save(OLD).node.id
        heir = all_of_it.save(NEW, namespace="/main", supersedes=[old]).node
        assert all_of_it.get(old).superseded_by == heir.id
        assert team.get(old).superseded_by is None
        assert [node.superseded_by for node in team.list(include=["replaced"]).nodes] == [None]
