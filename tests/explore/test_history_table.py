"""The table `history` of agents' SQL: what it has, and that it tells nobody of what is hidden from him."""

from __future__ import annotations

import json

import pytest
from receipts_for_tests import fill

from wherefrom import Memory

LOOKUP = ("answer:task", "tool:contact-lookup")
BUDGET = {"limit": 200, "timeout_ms": 2000, "max_vm_steps": 50_000_000}


def rows(memory, sql="select * from history"):
    found = memory.query_graph(sql, **BUDGET)
    assert found.ok, (found.error, sql)
    return list(found.rows)


def test_events_are_rows(memory):
    node = memory.save("Releases go out on Friday.", request_id="r1", trace_id="t1").node
    other = memory.save("Mira signs off.").node
    memory.relate(node.id, other.id, tag="explains", weight=0.5)
    memory.search("release")
    memory.history()
    columns = "topic, node_id, other_id, part_of, namespace, request_id, trace_id"
    assert rows(memory, f"select {columns} from history order by id") == [
        ("ingest", node.id, None, None, "main", "r1", "t1"),
        ("ingest", other.id, None, None, "main", None, None),
        ("integrate", node.id, other.id, None, "main", None, None),
        ("search", None, None, None, "main", None, None),
    ]
    assert rows(memory, "select payload ->> 'tag' from history where topic = 'integrate'") == [("explains",)]
    per_node = "select h.topic, m.content from history h join memos m on m.id = h.node_id where h.other_id is null"
    assert rows(memory, f"{per_node} order by h.at, h.id") == [
        ("ingest", "Releases go out on Friday."),
        ("ingest", "Mira signs off."),
    ]


@pytest.fixture
def hidden(open_memory):
    """Accesses, each with ids of which its history may not tell."""
    keeper = open_memory(allow=LOOKUP)
    inside, outside = keeper.save("inside", namespace="a").node, keeper.save("outside", namespace="b").node
    private = keeper.save("Mira's number", namespace="a", boundary_class="pii").node
    gone = keeper.save("Mira's other number", namespace="a", boundary_class="pii").node
    keeper.relate(inside.id, outside.id, tag="explains", weight=0.5)
    keeper.relate(inside.id, private.id, tag="explains", weight=0.5)
    keeper.feedback(private.id, "helpful")
    keeper.delete(gone.id)
    keeper.rename_namespace("b", "c")
    keeper.save("raised", namespace="a")
    raised = keeper.save("raised", namespace="a", boundary_class="pii").node
    private_ids = (private.id, gone.id, raised.id)
    stranger = open_memory(owner="other")
    own = stranger.save("mine").node
    return (
        (open_memory(root="main/a"), (outside.id, *private_ids, own.id, "main/b", "main/c")),
        (open_memory(), (*private_ids, own.id)),
        (stranger, (inside.id, outside.id, *private_ids)),
        (keeper, (own.id,)),
    )


ATTACKS = (
    "select * from history",
    "select count(*), min(node_id), max(other_id), min(payload || '') from history",
    "select node_id, count(*) from history group by node_id",
    "select h.* from history h left join memos m on m.id = h.node_id where m.id is null",
    "with history as (select * from history) select * from history",
    "select * from history union all select * from history",
    "select (select payload from history i where i.id = h.id) from history h",
    "select * from history where topic in ('sweep', 'restore') or boundary_class is null",
    "select * from history where owner_id <> 'local'",
    "select other_namespace from history",
    "select * from history h where h.payload ->> 'memo_id' is not null",
    "select * from events",
    "select * from main.events",
    "select * from public.events",
    "select count(*) from events",
    "with events as (select * from events) select count(*) from events",
    "select 1 / (case when node_id = '{id}' then 0 else 1 end) from history",
    "select cast(payload ->> 'memo_id' as integer) / 0 from history where node_id = '{id}'",
    "select count(*) from history where node_id = '{id}' or other_id = '{id}' or payload || '' like '%{id}%'",
)


def test_no_statement_tells_of_what_is_hidden(hidden, subtests):
    for attack in ATTACKS:
        with subtests.test(attack):
            check_that_it_tells_nothing(hidden, attack)


def check_that_it_tells_nothing(hidden, attack):
    for memory, ids in hidden:
        for secret in ids:
            found = memory.query_graph(attack.format(id=secret), **BUDGET)
            told = json.dumps([found.rows, found.error], default=str)
            assert secret not in told.replace(attack.format(id=secret), ""), (attack, secret)
            if found.ok and "{id}" in attack:
                assert all(value in (0, 1) for row in found.rows for value in row), (attack, found.rows)
                assert attack.startswith("select 1 /") or not any(value for row in found.rows for value in row), attack
            if "events" in attack:
                assert not found.ok, attack


def test_what_a_policy_hides_below_is_not_counted(open_memory):
    memory, trusted = open_memory(), open_memory(allow=("answer:task", "vault"))
    memory.apply_policy("version: 2.0.0\nboundary_classes: {internal: {allow: [vault]}}", namespace="quiet")
    trusted.save("The bridge is open.", namespace="quiet")
    trusted.save("The gate is open.", namespace="loud")
    trusted.activate("bridge")
    assert [topic for (topic,) in rows(trusted, "select topic from history order by id")] == [
        "policy",
        "ingest",
        "ingest",
        "activate",
    ]
    assert rows(memory, "select topic, namespace from history") == [("ingest", "main/loud")]


def test_events_of_many_nodes_are_not_among_them(url, clock):
    with Memory.open(url, clock=clock) as memory:
        fill(memory, clock)
        run = memory.metabolize(apply=True)
        memory.restore(run_id=run.run_id)
        let_go = rows(memory, f"select node_id from history where topic = 'retire' and part_of = '{run.run_id}'")
        assert {node_id for (node_id,) in let_go} == {verdict.node.id for verdict in run.removed}
        assert rows(memory, "select count(*) from history where topic in ('restore', 'sweep')") == [(0,)]
        assert rows(memory, "select count(*) from history where topic = 'metabolism'") == [(1,)]
        assert not any("neighbour" in str(payload) for (payload,) in rows(memory, "select payload from history"))
