"""Conformance: plans of links are kept, applied and undone the same on both databases."""

from __future__ import annotations

import json
from dataclasses import replace

import psycopg
import pytest
from embedders_for_tests import Numbered

from wherefrom import Conflict, Gone, InvalidInput, NotFound, StoreBusy

LOOKUP = ("answer:task", "tool:contact-lookup")
NOWHERE = "01900000-0000-7000-8000-000000000000"
# The digit says what a text is about: 1 is one topic, 2 another.
TEXTS = ("1 amber", "1 basalt", "1 cobalt", "2 dolomite", "2 ebony", "2 fir")


@pytest.fixture
def embedder_of_opened():
    return Numbered()


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def sql(url, execute):
    return lambda text: execute(url, text)


def save_all(memory, **given):
    return [memory.save(text, **given).node.id for text in TEXTS]


def pairs(some):
    return {frozenset((each.source_id, each.target_id)) for each in some}


def kin(ids):
    """The links within the two topics."""
    return {
        frozenset(pair) for half in (ids[:3], ids[3:]) for pair in ((half[0], half[1]), (half[0], half[2]), half[1:])
    }


def events(sql):
    return [
        json.loads(payload) for (payload,) in sql("select payload from events where topic = 'insight' order by seq")
    ]


# --- kept, applied, undone --------------------------------------------------------------------------------------------


def test_a_plan_links_nothing_until_it_is_applied_and_nothing_after_it_is_undone(memory, sql):
    ids = save_all(memory)
    plan = memory.find_insight()
    assert (plan.state, plan.judged, plan.remaining, plan.written) == ("proposed", 6, 0, 0)
    assert pairs(plan.accepted) == kin(ids)
    assert memory.relations().edges == ()
    assert events(sql) == []
    applied = memory.apply_insight(plan.id)
    assert (applied.state, applied.written, applied.applied_at is not None) == ("applied", 6, True)
    assert [replace(link, state="open") for link in applied.accepted] == [*plan.accepted]
    assert {link.state for link in applied.accepted} == {"made"}
    assert pairs(memory.relations().edges) == kin(ids)
    undone = memory.undo_insight(plan.id)
    assert (undone.state, undone.written, undone.undone_at is not None) == ("undone", 0, True)
    assert memory.relations().edges == ()
    expected = [("applied", 6), ("undone", 6)]
    assert [(each["state"], each["links"]) for each in events(sql)] == expected
    assert {each["plan_id"] for each in events(sql)} == {plan.id}


def test_the_links_are_marked_and_copy_what_links_copy(open_memory, sql):
    memory = open_memory(allow=LOOKUP)
    save_all(memory, namespace="a", claim_kind="fact", boundary_class="pii")
    plan = memory.apply_insight(memory.find_insight(namespace="a").id)
    assert plan.written == 6
    columns = "judge, source_namespace, target_namespace, source_kind, target_kind, boundary_class, tag"
    assert sql(f"select distinct {columns} from edges") == [
        ("insight", "main/a", "main/a", "claim", "claim", "pii", "related")
    ]
    for edge in memory.relations().edges:
        (link,) = (each for each in plan.accepted if pairs([each]) == pairs([edge]))
        assert (edge.weight, edge.reason, edge.tag) == (link.weight, link.reason, link.tag)
        assert (edge.source_id, edge.target_id) == (link.source_id, link.target_id)
    assert open_memory().relations().edges == (), "who may not see the ends does not see the links"


def test_links_between_classes_and_namespaces_are_of_the_stricter_class(open_memory, sql):
    memory = open_memory(allow=LOOKUP)
    memory.save("1 amber", namespace="a")
    memory.save("1 basalt", namespace="b", boundary_class="pii")
    memory.apply_insight(memory.find_insight().id)
    rows = sql("select source_namespace, target_namespace, boundary_class from edges")
    assert [(*sorted(row[:2]), row[2]) for row in rows] == [("main/a", "main/b", "pii")]


def test_applying_twice_changes_nothing_more(memory, sql):
    save_all(memory)
    plan = memory.find_insight()
    first = memory.apply_insight(plan.id)
    rows = sql("select * from edges order by source_id, target_id")
    assert memory.apply_insight(plan.id) == first
    assert sql("select * from edges order by source_id, target_id") == rows
    assert len(events(sql)) == 1
    memory.undo_insight(plan.id)
    assert memory.relations().edges == ()


def test_only_what_was_applied_can_be_undone(memory):
    save_all(memory)
    plan = memory.find_insight()
    with pytest.raises(Conflict):
        memory.undo_insight(plan.id)
    memory.apply_insight(plan.id)
    first = memory.undo_insight(plan.id)
    assert memory.undo_insight(plan.id) == first


def test_what_somebody_changed_since_stays(memory):
    save_all(memory)
    plan = memory.apply_insight(memory.find_insight().id)
    mine = plan.accepted[0]
    memory.relate(mine.source_id, mine.target_id, tag=mine.tag, weight=0.123, reason="I looked at both")
    undone = memory.undo_insight(plan.id)
    assert (undone.state, undone.written) == ("undone", 1)
    (left,) = memory.relations().edges
    assert (left.weight, left.reason, left.judge) == (0.123, "I looked at both", None)
    assert left.confidence == 1.0, "who links it by hand is sure of it"
    assert memory.undo_insight(plan.id).written == 1, "and it is told again"


def test_what_somebody_removed_since_is_no_error(memory):
    save_all(memory)
    plan = memory.apply_insight(memory.find_insight().id)
    gone = plan.accepted[0]
    memory.unrelate(gone.source_id, gone.target_id, tag=gone.tag)
    memory.undo_insight(plan.id)
    assert memory.relations().edges == ()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("tag", ["related", "supports"])
def test_a_link_that_somebody_made_meanwhile_is_left_alone(memory, turned, tag):
    save_all(memory)
    plan = memory.find_insight()
    taken = plan.accepted[0]
    ends = (taken.target_id, taken.source_id) if turned else (taken.source_id, taken.target_id)
    made = memory.relate(*ends, tag=tag, weight=0.9, reason="mine").edge
    assert memory.apply_insight(plan.id).written == 5
    kept = [edge for edge in memory.relations().edges if pairs([edge]) == pairs([taken])]
    assert kept == [made]
    memory.undo_insight(plan.id)
    assert memory.relations().edges == (made,)


def test_ends_that_were_deleted_meanwhile_are_left_out(memory):
    ids = save_all(memory)
    plan = memory.find_insight()
    memory.delete(ids[0])
    applied = memory.apply_insight(plan.id)
    assert applied.written == 4
    assert pairs(memory.relations().edges) == {pair for pair in kin(ids) if ids[0] not in pair}
    memory.delete(ids[5])
    memory.undo_insight(plan.id)
    assert memory.relations().edges == ()


def test_ends_that_were_replaced_or_expired_meanwhile_are_not_linked(memory, clock):
    ids = [memory.save(text, scope="session" if text == TEXTS[5] else None).node.id for text in TEXTS]
    clock.go_on(days=6, hours=20)
    plan = memory.find_insight()
    memory.feedback(ids[0], "duplicate", duplicate_of=ids[1])
    clock.go_on(hours=8)
    memory.apply_insight(plan.id)
    linked = {end for pair in pairs(memory.relations().edges) for end in pair}
    assert not linked & {ids[0], ids[5]}


def test_a_failed_apply_leaves_nothing(memory, sql, url):
    """The last thing that applying writes is refused by the database."""
    save_all(memory)
    plan = memory.find_insight()
    if url.startswith("postgresql"):
        sql("alter table events add constraint refused check (false) not valid")
    else:
        sql("create trigger no_events before insert on events begin select raise(abort, 'refused'); end")
    with pytest.raises(Exception, match="refused"):
        memory.apply_insight(plan.id)
    for table in ("edges", "insight_seen", "insight_gates"):
        assert sql(f"select count(*) from {table}")[0][0] == 0
    assert sql("select state from insight_plans") == [("proposed",)]
    postgresql = url.startswith("postgresql")
    sql("alter table events drop constraint refused" if postgresql else "drop trigger no_events")
    assert memory.apply_insight(plan.id).written == 6


# --- whose they are ---------------------------------------------------------------------------------------------------


def test_a_plan_of_another_owner_or_root_is_not_there(open_memory):
    memory = open_memory()
    save_all(memory, namespace="a")
    plan = memory.find_insight(namespace="a")
    for other in (open_memory(owner="other"), open_memory(root="main/b"), open_memory(root="main/ab")):
        for verb in (other.apply_insight, other.undo_insight):
            with pytest.raises(NotFound):
                verb(plan.id)
    for unknown in ("01900000-0000-7000-8000-000000000000",):
        with pytest.raises(NotFound):
            memory.apply_insight(unknown)
    for bad in ("", "no id!", None, 5):
        with pytest.raises(InvalidInput):
            memory.apply_insight(bad)
    assert open_memory(root="main/a").apply_insight(plan.id).written == 6


def test_a_plan_above_the_root_is_not_there(open_memory):
    above = open_memory()
    save_all(above, namespace="a")
    plan = above.find_insight()
    with pytest.raises(NotFound):
        open_memory(root="main/a").apply_insight(plan.id)


def test_a_plan_with_links_that_may_not_be_seen_is_neither_shown_applied_nor_undone(open_memory, sql):
    keeper, other = open_memory(allow=LOOKUP), open_memory()
    ids = [keeper.save(text, boundary_class="pii" if text == TEXTS[0] else None).node.id for text in TEXTS]
    plan = keeper.find_insight()
    assert pairs(plan.accepted) == kin(ids)
    for verb in (other.apply_insight, other.undo_insight):
        with pytest.raises(NotFound) as refused:
            verb(plan.id)
        with pytest.raises(NotFound) as missing:
            verb(NOWHERE)
        assert type(refused.value) is type(missing.value)
        assert str(refused.value).replace(plan.id, NOWHERE) == str(missing.value)
    assert keeper.relations().edges == ()
    keeper.apply_insight(plan.id)
    with pytest.raises(NotFound):
        other.undo_insight(plan.id)
    assert pairs(keeper.relations().edges) == kin(ids)
    assert [each["state"] for each in events(sql)] == ["applied"]
    keeper.undo_insight(plan.id)
    assert keeper.relations().edges == ()


def test_a_plan_is_kept_for_two_weeks_and_an_applied_one_for_a_year(memory, clock, sql):
    save_all(memory)
    applied, proposed = memory.find_insight(), memory.find_insight()
    memory.apply_insight(applied.id)
    clock.go_on(days=14)
    assert memory.undo_insight(applied.id).state == "undone"
    clock.go_on(seconds=1)
    for verb in (memory.apply_insight, memory.undo_insight):
        with pytest.raises(Gone):
            verb(proposed.id)
    memory.find_insight()
    assert sql("select count(*) from insight_plans")[0][0] == 2, "the next plan sweeps it"
    clock.go_on(days=366)
    memory.find_insight()
    assert sql("select count(*) from insight_plans")[0][0] == 1


# --- what is remembered -----------------------------------------------------------------------------------------------


def test_what_is_new_advances_only_when_a_plan_of_everything_is_applied(memory):
    ids = save_all(memory)
    for plan in (memory.find_insight(), memory.find_insight(ids[0]), memory.find_insight(query="1")):
        assert (plan.judged, plan.state) == (6 if "since" in plan.asked else 1, "proposed")
    memory.apply_insight(memory.find_insight(ids[0]).id)
    memory.apply_insight(memory.find_insight(query="1").id)
    part = memory.find_insight(limit=2)
    assert (part.judged, part.remaining) == (2, 4)
    memory.apply_insight(part.id)
    rest = memory.find_insight()
    assert [each.center_ids for each in rest.decisions] == [(node_id,) for node_id in ids[2:]]
    memory.apply_insight(rest.id)
    memory.apply_insight(memory.find_insight().id)
    assert memory.find_insight().judged == 0
    memory.undo_insight(rest.id)
    later = memory.save("1 garnet").node.id
    assert [each.center_ids for each in memory.find_insight().decisions] == [(later,)]


def test_an_older_plan_does_not_take_it_back(memory):
    save_all(memory)
    old = memory.find_insight(limit=2)
    memory.apply_insight(memory.find_insight().id)
    memory.apply_insight(old.id)
    assert memory.find_insight().judged == 0


def test_what_one_access_does_not_see_stays_new_for_another(open_memory):
    keeper, other = open_memory(allow=LOOKUP), open_memory()
    hidden = keeper.save("1 amber", boundary_class="pii").node.id
    keeper.save("1 basalt")
    other.apply_insight(other.find_insight().id)
    assert hidden in [each.center_ids[0] for each in keeper.find_insight().decisions]


def test_plans_and_what_is_remembered_move_with_a_namespace(open_memory, sql):
    memory = open_memory()
    save_all(memory, namespace="a/b")
    first = memory.find_insight(namespace="a")
    memory.apply_insight(first.id)
    waiting = memory.find_insight(namespace="a/b")
    memory.rename_namespace("a", "c")
    memory.apply_insight(waiting.id)
    assert memory.undo_insight(first.id).state == "undone"
    assert {row[0] for row in sql("select namespace from insight_plans")} == {"main/c", "main/c/b"}
    assert {row[0] for row in sql("select namespace from insight_seen")} == {"main/c", "main/c/b"}
    assert sql("select namespace from insight_gates") == [("main/c/b",)]
    assert memory.find_insight(namespace="c").judged == 0
    with pytest.raises(NotFound):
        open_memory(root="main/a").undo_insight(waiting.id)


def test_gates_of_a_namespace_learn_when_a_plan_is_applied(memory, sql):
    save_all(memory, namespace="a")
    plan = memory.find_insight(namespace="a")
    assert sql("select count(*) from insight_gates")[0][0] == 0
    memory.apply_insight(plan.id)
    ((namespace, state),) = sql("select namespace, state from insight_gates")
    kept = json.loads(state)
    judged = [each for each in plan.decisions if each.cycles[0].input_contract_ok]
    assert namespace == "main/a"
    assert kept["attention"] == [round(each.cycles[0].g0, 6) for each in judged]
    assert kept["decision"] == [round(min(link.figures.g for link in each.links), 6) for each in judged]


def test_no_text_is_kept_in_plans_or_events(memory, sql):
    memory.save("1 chrysoberyl", title="alexandrite")
    memory.save("1 basalt", title="chalcedony")
    for plan in (memory.find_insight(), memory.find_insight(query="1 tourmaline chrysoberyl")):
        assert plan.judged
        memory.apply_insight(plan.id)
    stored = sql("select asked, content from insight_plans") + sql(
        "select payload, topic from events where topic = 'insight'"
    )
    assert len(stored) == 4
    text = json.dumps([list(row) for row in stored])
    for word in ("chrysoberyl", "alexandrite", "basalt", "chalcedony", "tourmaline"):
        assert word not in text
    assert "1 tourmaline chrysoberyl" in plan.asked["query"], "only who asked is told"


def test_a_plan_reads_back_as_it_was_kept(memory):
    save_all(memory)
    plan = memory.find_insight()
    read = memory.apply_insight(plan.id)
    again = memory.undo_insight(plan.id)
    for other in (read, again):
        assert (other.id, other.asked, other.created_at, other.judged) == (
            plan.id,
            plan.asked,
            plan.created_at,
            plan.judged,
        )
        assert [replace(link, state="open") for link in other.accepted] == [*plan.accepted]
    assert (again.state, again.applied_at, again.written) == ("undone", read.applied_at, 0)


def test_what_is_new_is_not_asked_for_past_an_open_writer(memory, url):
    """Its node may get a lower seq than one that is there already, and would never be new."""
    if not url.startswith("postgresql"):
        pytest.skip("SQLite has one writer at a time")
    save_all(memory)
    with psycopg.connect(url) as other:
        other.execute("select 1 from owners where owner_id = 'local' for share")
        with pytest.raises(StoreBusy):
            memory.find_insight()
    assert memory.find_insight().judged


def test_a_plan_is_stored_without_the_words_of_the_texts(memory, sql):
    memory.save("Ayla Kaya is allergic to hazelnuts.")
    memory.save("A birthday dinner without hazelnuts for Ayla Kaya.")
    plan = memory.find_insight()
    (stored,) = sql("select content from insight_plans")
    assert "Ayla Kaya" in plan.accepted[0].reason
    assert "kaya" not in str(stored).casefold()
    assert memory.insight_plan(plan.id).accepted[0].reason == plan.accepted[0].reason, "they are read again"
    memory.apply_insight(plan.id)
    assert "Ayla Kaya" in memory.relations().edges[0].reason
