"""What one access asked, judged or planned, another that sees less does not hear of."""

from __future__ import annotations

import json

import pytest
from talking_for_tests import call, refusal, talk

from wherefrom import Conflict, Memory, NotFound
from wherefrom.model.access import Access

LOOKUP = ("answer:task", "tool:contact-lookup")
NOWHERE = "01900000-0000-7000-8000-000000000000"
QUESTION = "the bridge that Mira asked about in confidence"


def same_refusal(verb, hidden, *arguments, **named):
    """That what is hidden is refused in the very words in which what is missing is."""
    with pytest.raises(NotFound) as refused:
        verb(hidden, *arguments, **named)
    with pytest.raises(NotFound) as missing:
        verb(NOWHERE, *arguments, **named)
    assert refused.value.code == missing.value.code
    assert str(refused.value).replace(hidden, NOWHERE) == str(missing.value)


def test_a_context_of_a_wider_access_is_not_there_for_a_narrower_one(open_memory, url, execute):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    seen = narrow.save("The bridge is open.").node
    wide.save("The bridge belongs to Mira.", boundary_class="pii")
    context = wide.activate(QUESTION)
    assert wide.context(context.id).question == open_memory(allow=LOOKUP).context(context.id).question == QUESTION
    same_refusal(narrow.context, context.id)
    with pytest.raises(NotFound):
        narrow.feedback(seen.id, "helpful", active_context_id=context.id)
    wide.feedback(seen.id, "helpful", active_context_id=context.id)
    assert not any("Mira" in payload for (payload,) in execute(url, "select payload from events"))
    tables = [shape.name for shape in narrow.query_graph("select 1", include_schema=True).schema]
    for table in tables:
        rows = narrow.query_graph(f"select * from {table}").rows
        assert "Mira" not in json.dumps(rows, default=str)


def test_a_context_of_a_narrower_access_is_shown_to_a_wider_one(open_memory):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    narrow.save("The bridge is open.")
    context = narrow.activate("bridge")
    assert wide.context(context.id).question == narrow.context(context.id).question == "bridge"
    fewer = narrow.activate("bridge again", allow=[])
    assert narrow.context(fewer.id).question == "bridge again"


def test_a_context_is_hidden_from_whom_a_policy_below_hides_something(open_memory):
    memory, trusted = open_memory(), open_memory(allow=("answer:task", "vault"))
    memory.apply_policy("version: 2.0.0\nboundary_classes: {internal: {allow: [vault]}}", namespace="quiet")
    trusted.save("The bridge is open.", namespace="quiet")
    context = trusted.activate("bridge")
    assert len(context.items) == len(trusted.context(context.id).items) == 1
    same_refusal(memory.context, context.id)
    assert trusted.context(memory.activate("bridge").id).question == "bridge"


@pytest.mark.parametrize(
    ("maker", "reader", "covered"),
    [
        ({}, {}, True),
        ({"classes": ("public",)}, {}, True),
        ({"classes": ("public", "pii")}, {}, False),
        ({"root": "main/a"}, {}, True),
        ({"root": "main"}, {"root": "main/a"}, False),
        ({"tags": ("t",), "classes": ("public", "pii")}, {"tags": ("t", "u")}, True),
        ({"tags": ("t", "u"), "classes": ("public", "pii")}, {"tags": ("t",)}, False),
        ({"tags": ("t",), "root": "main"}, {"tags": ("t",), "root": "main/a"}, False),
        ({"owner": "other"}, {}, False),
        ({"hidden": ("internal main/a/",)}, {}, True),
        ({}, {"hidden": ("internal main/a/",)}, False),
        ({"hidden": ("internal main/a/",)}, {"hidden": ("internal main/a/b/",)}, True),
        ({"hidden": ("internal main/a/b/",)}, {"hidden": ("internal main/a/",)}, False),
        ({"root": "main/b"}, {"hidden": ("internal main/a/",)}, True),
        ({"root": "main/a/b"}, {"hidden": ("internal main/a/",)}, False),
        ({"classes": ("public",)}, {"hidden": ("internal main/a/",)}, True),
    ],
)
def test_one_access_covers_another_if_it_sees_all_that_the_other_sees(maker, reader, covered):
    plain = {"owner": "local", "root": "main", "namespace": "main", "classes": ("public", "internal")}
    assert Access(**{**plain, **reader}).covers(Access(**{**plain, **maker})) is covered


def test_a_request_id_counts_once_in_its_root_and_says_nothing_to_others(open_memory):
    above, below, other = open_memory(), open_memory(root="main/a"), open_memory(root="main/b")
    stranger = open_memory(owner="somebody else")
    for memory in (above, below, other, stranger):
        node = memory.save(f"The bridge of {memory.root_namespace}.").node
        assert memory.feedback(node.id, "helpful", request_id="r1").status == "recorded"
        assert memory.feedback(node.id, "helpful", request_id="r1").status == "repeated"
        with pytest.raises(Conflict):
            memory.feedback(node.id, "harmful", request_id="r1")
    inside = below.list().nodes[0]
    assert above.feedback(inside.id, "helpful", request_id="r2").status == "recorded"
    assert below.feedback(inside.id, "harmful", request_id="r2").status == "recorded"


def test_a_judgement_from_before_roots_were_kept_still_counts_once(open_memory, url, execute):
    memory = open_memory()
    first, second = (memory.save(text).node for text in ("one", "two"))
    memory.feedback(first.id, "helpful", request_id="r1")
    execute(url, "update feedback set root = ''")
    assert memory.feedback(first.id, "helpful", request_id="r1").status == "repeated"
    assert memory.feedback(second.id, "helpful", request_id="r1").status == "recorded"


def test_judgements_come_back_with_their_root(open_memory, clock):
    memory = open_memory()
    memory.apply_policy("version: 1.1.0\nkeep_expired_days: 1")
    node = memory.save("soon over", scope="session").node
    memory.feedback(node.id, "helpful", request_id="r1")
    clock.go_on(days=30)
    run = memory.sweep().run_id
    clock.go_on(days=-30)
    assert memory.restore(run_id=run).node_ids == (node.id,)
    assert memory.feedback(node.id, "helpful", request_id="r1").status == "repeated"


def test_a_run_of_which_nothing_may_be_seen_is_not_there(open_memory, clock):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    wide.apply_policy("version: 1.1.0\nkeep_expired_days: 1")
    node = wide.save("Mira lives here.", boundary_class="pii", scope="session").node
    clock.go_on(days=30)
    run = wide.sweep().run_id
    clock.go_on(days=-30)
    same_refusal(lambda run_id: narrow.restore(run_id=run_id), run)
    assert wide.restore(run_id=run).node_ids == (node.id,)


def test_a_plan_about_a_hidden_memo_is_not_there_even_without_links(open_memory, clock):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    node = wide.save("Mira lives here.", boundary_class="pii").node
    plan = wide.find_insight(node.id)
    assert plan.accepted == ()
    for verb in (narrow.apply_insight, narrow.undo_insight):
        same_refusal(verb, plan.id)
    clock.go_on(days=2)
    same_refusal(narrow.apply_insight, plan.id)


def test_over_mcp_a_hidden_context_and_plan_are_not_found(url):
    with Memory.open(url, allow=LOOKUP) as wide:
        node = wide.save("Mira lives at the bridge.", boundary_class="pii").node
        context, plan = wide.activate(QUESTION), wide.find_insight(node.id)

    async def conversation(client):
        assert (await refusal(client, "memory_activate", active_context_id=context.id))["code"] == "not_found"
        assert (await refusal(client, "find_insight", apply_plan_id=plan.id))["code"] == "not_found"
        mine = await call(client, "memory_activate", query="bridge")
        assert (await call(client, "memory_activate", active_context_id=mine["active_context_id"]))["items"] == []

    talk(url, conversation)


def test_a_run_of_hidden_nodes_cannot_be_told_from_an_unknown_one(open_memory, clock):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    wide.apply_policy("version: 1.1.0\nkeep_expired_days: 1")
    wide.save("Mira lives here.", boundary_class="pii", scope="session")
    clock.go_on(days=30)
    swept, emptied = wide.sweep().run_id, wide.metabolize(apply=True).run_id
    for run in (swept, emptied):
        assert wide.history(run[-8:]).about.kind == "run"
        for verb in (narrow.history, lambda run_id: narrow.restore(run_id=run_id)):
            same_refusal(verb, run)
            with pytest.raises(NotFound) as refused:
                verb(run[-8:])
            assert run not in str(refused.value)
    own = narrow.save("The gate is open.", scope="session").node.id
    clock.go_on(days=30)
    run = narrow.sweep().run_id
    assert narrow.history(run[-8:]).items[0].node_id == own
    mine = narrow.metabolize(apply=True).run_id
    assert narrow.history(mine[-8:]).about.id == mine


def test_a_plan_of_a_hidden_node_that_was_let_go_is_not_there(open_memory):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    node = wide.save("Mira lives here.", boundary_class="pii").node
    plan = wide.find_insight(node.id)
    wide.delete(node.id)
    same_refusal(narrow.history, plan.id)
    same_refusal(narrow.insight_plan, plan.id)
    with pytest.raises(NotFound) as refused:
        narrow.history(plan.id[-8:])
    assert plan.id not in str(refused.value)
    assert wide.insight_plan(plan.id).id == plan.id


def test_a_plan_of_a_narrower_access_stays_when_a_node_of_it_is_gone(open_memory):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    node = narrow.save("The gate is open.").node
    plan = narrow.find_insight(node.id)
    narrow.delete(node.id)
    assert wide.insight_plan(plan.id).id == plan.id


def test_a_deletion_counts_only_the_relations_that_the_access_sees(open_memory):
    wide, narrow = open_memory(allow=LOOKUP), open_memory()
    node, seen = (wide.save(text).node.id for text in ("The gate.", "The moat."))
    hidden = wide.save("Mira lives here.", boundary_class="pii").node.id
    for other in (seen, hidden):
        wide.relate(node, other, tag="near", weight=0.5)
    assert wide.delete(node, dry_run=True).edges_deleted == 2
    assert narrow.delete(node, dry_run=True).edges_deleted == 1
    assert narrow.delete(node).edges_deleted == 1
