"""A view that may read further roots: it finds what is there, and no verb changes a row of it."""

from __future__ import annotations

import io

import pytest

from wherefrom import NewClaim, NewEvidence, NewFragment, NewPage, Store, WherefromError

TEXT = "The harbour master keeps the tide tables in the blue cabinet."


@pytest.fixture
def store(url):
    with Store.open(url) as opened:
        yield opened


@pytest.fixture
def team(store):
    """What a team has written, with one of each kind of thing; the ids by name."""
    memory = store.memory(owner="mika", root="team")
    first = memory.save(TEXT, title="Tide tables").node
    second = memory.save("The blue cabinet is locked at night.", title="Blue cabinet").node
    memory.relate(first.id, second.id, tag="explains", weight=0.8)
    task = memory.create_task("Where are the tables?")
    added = memory.add_evidence(
        NewPage("https://example.org/harbour", "Harbour"),
        fragments=[NewFragment("The tables are kept in a cabinet.")],
        claims=[NewClaim("The tables are in the cabinet.", evidence=[NewEvidence("supports", fragment=0)])],
        task_id=task.id,
    )
    plan = memory.find_insight()
    ids = {"first": first.id, "second": second.id, "task": task.id, "plan": plan.id}
    return {**ids, "claim": added.claims[0].id, "fragment": added.fragments[0].id}


@pytest.fixture
def mine(store):
    """A view that writes in its own root and reads the team's."""
    memory = store.memory(owner="mika", root="mine", also=["team"])
    memory.save("I put the tide tables back yesterday.", title="Tables put back")
    return memory


def exported(store) -> list[str]:
    target = io.StringIO()
    store.memory(owner="mika", root="team").export(target)
    return target.getvalue().splitlines()[1:]


WRITES = {
    "save": lambda m, t: m.save("Changed.", memo_id=t["first"]),
    "save there": lambda m, t: m.save("New.", namespace="team"),
    "delete": lambda m, t: m.delete(t["first"]),
    "relate": lambda m, t: m.relate(t["second"], t["first"], tag="conflicts", weight=0.5),
    "relate out": lambda m, t: m.relate(own(m), t["first"], tag="supports", weight=0.5),
    "relate in": lambda m, t: m.relate(t["first"], own(m), tag="supports", weight=0.5),
    "unrelate": lambda m, t: m.unrelate(t["first"], t["second"], tag="explains"),
    "reinforce": lambda m, t: m.reinforce(t["first"], t["second"], tag="explains"),
    "feedback": lambda m, t: m.feedback(t["first"], "harmful"),
    "feedback in a context": lambda m, t: m.feedback(
        t["first"], "outdated", active_context_id=m.activate("tide tables").id
    ),
    "duplicate": lambda m, t: m.feedback(t["first"], "duplicate", duplicate_of=own(m)),
    "duplicate of it": lambda m, t: m.feedback(own(m), "duplicate", duplicate_of=t["first"]),
    "update task": lambda m, t: m.update_task(t["task"], status="cancelled"),
    "add to task": lambda m, t: m.add_evidence(claims=[NewClaim("No.")], task_id=t["task"]),
    "add to claim": lambda m, t: m.add_evidence(
        NewPage("https://example.net/x"),
        fragments=[NewFragment("They are not.")],
        claims=[NewClaim(claim_id=t["claim"], evidence=[NewEvidence("refutes", fragment=0)])],
    ),
    "correct": lambda m, t: m.correct_edge(t["fragment"], t["claim"], relation="refutes", reason="no"),
    "reject": lambda m, t: m.reject_claim(t["claim"], reason="no"),
    "insight": lambda m, t: m.find_insight(t["first"]),
    "insight there": lambda m, t: m.find_insight(namespace="team"),
    "apply": lambda m, t: m.apply_insight(t["plan"]),
    "undo": lambda m, t: m.undo_insight(t["plan"]),
    "metabolize": lambda m, t: m.metabolize("team", apply=True, protection_hours=0, orphans="all"),
    "policy": lambda m, t: m.apply_policy("version: 9.0.0\n", namespace="team"),
    "reclassify": lambda m, t: m.reclassify("team"),
    "rename": lambda m, t: m.rename_namespace("team", "mine/team"),
}


def own(memory) -> str:
    return memory.list(namespace="/").nodes[0].id


def test_no_verb_changes_what_may_only_be_read(store, team, mine, subtests):
    before = exported(store)
    for verb, write in WRITES.items():
        with subtests.test(verb):
            with pytest.raises(WherefromError):
                write(mine, team)
            assert exported(store) == before


def test_what_keeps_a_root_in_order_leaves_the_others_alone(store, team, mine):
    before = exported(store)
    mine.metabolize(apply=True, protection_hours=0, orphans="all")
    mine.sweep()
    mine.reindex()
    mine.find_insight(apply=True)
    mine.reclassify()
    assert exported(store) == before


def test_what_may_be_read_is_found(team, mine):
    assert mine.get(team["first"]).content == TEXT
    assert team["first"] in {hit.node.id for hit in mine.search("tide tables").hits}
    assert team["first"] in {item.node.id for item in mine.activate("Where are the tide tables?").items}
    assert {node.namespace for node in mine.list().nodes} == {"mine", "team"}
    assert "explains" in {edge.tag for edge in mine.relations(source_id=team["first"]).edges}
    rows = mine.query_graph("select title from memos order by title").rows
    assert rows == (("Blue cabinet",), ("Tables put back",), ("Tide tables",))


def test_another_owner_sees_nothing_of_it(store, team):
    other = store.memory(owner="kenji", root="mine", also=["team"])
    assert not other.list().nodes
    assert not other.search("tide tables").hits
    assert other.query_graph("select count(*) from memos").rows == ((0,),)
