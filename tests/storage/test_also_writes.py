"""No verb changes anything in a further root, whatever it is asked and by whichever path."""

from __future__ import annotations

import io
from contextlib import suppress

import pytest
from also_for_tests import access_of, link, view

from wherefrom import Memory, WherefromError

TABLES = {
    "nodes": "namespace", "edges": "source_namespace", "tasks": "namespace", "policies": "namespace",
    "retired": "namespace", "metabolism_runs": "namespace",
    "insight_plans": "namespace", "insight_seen": "namespace", "insight_gates": "namespace",
    "active_contexts": "namespace",
}  # fmt: skip
OF_NODES = ("embeddings", "pending_embeddings")
BY_ID = {
    "feedback": "node_id",
    "corrections": "claim_id",
    "names": "node_id",
    "names_in_texts": "node_id",
    "queries": "task_id",
}


def state(url, execute, owner="local"):
    """All rows that belong to `team`."""
    inside = "({0} = 'team' or {0} like 'team/%')"
    found = {}
    for table, column in TABLES.items():
        found[table] = execute(url, f"select * from {table} where {inside.format(column)} order by 1, 2, 3")
    nodes = f"select seq from nodes where {inside.format('namespace')}"
    for table in OF_NODES:
        found[table] = execute(url, f"select * from {table} where node_seq in ({nodes}) order by node_seq")
    ids = nodes.replace("seq", "id", 1)
    owned = f"select id from tasks where {inside.format('namespace')}"
    for table, column in BY_ID.items():
        held = owned if table == "queries" else ids
        found[table] = execute(url, f"select * from {table} where {column} in ({held}) order by 1, 2, 3")
    found["edges into it"] = execute(url, f"select * from edges where {inside.format('target_namespace')} order by seq")
    return {name: [tuple(map(str, row)) for row in rows] for name, rows in found.items()}


@pytest.fixture
def team(url):
    """A memory of the team, with a bit of everything."""
    with Memory.open(url, root="team") as memory:
        memory.save("The Tower Bridge is closed.", title="Tower Bridge")
        memory.save("We meet at the Tower Bridge.", namespace="x", scope="session")
        memory.save("The bridge is a drawbridge.", claim_kind="fact")
        memory.create_task("Is the bridge open?")
        yield memory


def test_no_verb_writes_in_a_further_root(url, team, execute):
    first, second = team.list(kind="memo").nodes
    (claim,) = team.list(kind="claim").nodes
    (task,) = team.status().tasks
    mine = view(team, access_of("me", ["team"]))
    own = mine.save("My bridge is the Tower Bridge.").node
    link(team, own, first, "about")
    link(team, first, second, "about")
    before = state(url, execute)
    assert mine.get(first.id).id == first.id
    assert not any(edge.tag == "mentions" for edge in mine.relations(source_id=own.id).edges)
    held = io.BytesIO()
    out = io.StringIO()
    mine.export(out)
    assert "Tower Bridge is closed" not in out.getvalue()
    out = io.StringIO()
    team.export(out)
    held.write(out.getvalue().replace("closed", "sold").encode())
    held.seek(0)
    tried = [
        lambda: mine.save("changed", memo_id=first.id),
        lambda: mine.save("changed", memo_id=first.id, namespace="team"),
        lambda: mine.save("new", namespace="team"),
        lambda: mine.save("new", namespace="team/x"),
        lambda: mine.save("The Tower Bridge is closed.", namespace="team", title="Mine"),
        lambda: mine.delete(first.id),
        lambda: mine.delete(first.id, namespace="team"),
        lambda: mine.relate(own.id, first.id, tag="about", weight=0.3),
        lambda: mine.relate(first.id, second.id, tag="near", weight=1.0),
        lambda: mine.relate(first.id, second.id, tag="near", weight=1.0, namespace="team"),
        lambda: mine.unrelate(own.id, first.id, tag="about"),
        lambda: mine.unrelate(first.id, second.id, tag="about"),
        lambda: mine.unrelate(first.id, second.id, tag="about", namespace="team"),
        lambda: mine.reinforce(first.id, second.id, tag="about"),
        lambda: mine.reinforce(own.id, first.id, tag="about"),
        lambda: mine.feedback(first.id, "harmful"),
        lambda: mine.feedback(own.id, "duplicate", duplicate_of=first.id),
        lambda: mine.rename_namespace("team", "mine"),
        lambda: mine.rename_namespace("team", "me/team"),
        lambda: mine.rename_namespace("me", "team/x"),
        lambda: mine.reject_claim(claim.id, reason="no"),
        lambda: mine.restore_claim(claim.id, reason="no"),
        lambda: mine.correct_edge(own.id, claim.id, relation="refutes", reason="no"),
        lambda: mine.update_task(task.task.id, status="failed"),
        lambda: mine.create_task("more", namespace="team"),
        lambda: mine.apply_policy("version: 9.0.0", namespace="team"),
        lambda: mine.add_evidence(claims=["x"], namespace="team"),
        lambda: mine.restore(first.id),
    ]
    for verb in tried:
        with pytest.raises(WherefromError):
            verb()
    allowed = [
        lambda: mine.feedback(own.id, "helpful"),
        lambda: mine.save("My bridge is the Tower Bridge."),
        lambda: mine.save("The Tower Bridge is closed.", title="Tower Bridge", entities=["Tower Bridge"], link=True),
        mine.sweep,
        mine.reindex,
        mine.embed,
        lambda: mine.metabolize(apply=True),
        lambda: mine.find_insight(),
        lambda: mine.activate("Tower Bridge"),
        lambda: mine.reclassify(),
        lambda: mine.import_(held),
        mine.doctor,
        mine.info,
    ]
    for verb in allowed:
        verb()
    with suppress(WherefromError):  # about a node that it may only read
        mine.apply_insight(mine.find_insight(first.id).id)
    inside = view(team, access_of("me", ["team"]).narrowed("team"))
    for verb in (inside.sweep, inside.reindex, lambda: inside.metabolize(apply=True), lambda: inside.delete(first.id)):
        with suppress(WherefromError):
            verb()
    after = state(url, execute)
    assert {name: rows for name, rows in after.items() if rows != before[name]} == {}
