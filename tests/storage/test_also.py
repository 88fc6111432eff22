"""Further roots that an access may read: every query sees them, none sees beside them, nothing is written there."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime

import pytest
from also_for_tests import CLASSES, NOW, access_of, link, node_of, put, read, view
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wherefrom import BoundaryDenied, NotFound
from wherefrom.embedding.port import vectors_of
from wherefrom.explore.views import all_rendered
from wherefrom.model.results import ActiveContext
from wherefrom.storage import (
    candidates,
    contexts,
    edges,
    embeddings,
    insight,
    mentions,
    metabolism,
    namespaces,
    node_saving,
    nodes,
    tasks,
)
from wherefrom.storage.agent.port import Budget, Statement
from wherefrom.storage.candidates import UtilityStatistics, edges_around
from wherefrom.storage.port import SearchRequest, Times
from wherefrom.storage.text_index import TextSearch
from wherefrom.text.check import content_hash

BUDGET = Budget(rows=200, timeout_ms=2_000, steps=50_000_000, answer_bytes=1_000_000)
PLACES = (
    "me", "me/x", "me2", "team", "team/a", "team/ab", "team/a/b", "teams", "tea", "Team", "TEAM/a", "team%", "team_",
    "te_m", "tëam", "チーム", "team'x", 'team"', "other", "x/team",
)  # fmt: skip
NAMESPACES = st.sampled_from(PLACES)


def select(reader, access, sql, *, ours=False):
    answered = reader.answer(access, Statement(sql, BUDGET, NOW, ours=ours))
    return [row[0] for row in answered.rows]


@pytest.fixture
def reader(memory):
    opened = memory.view.store.database.reader(all_rendered())
    yield opened
    opened.close()


@pytest.fixture
def filled(memory):
    """A node of each class in each place."""
    new = [node_of(place, f"a bridge in {place} {name}", boundary_class=name) for place in PLACES for name in CLASSES]
    put(memory, *new)
    put(memory, node_of("team", "somebody else's bridge", id="stranger"), owner="stranger")
    return new


def expected(filled, access):
    return {node.id for node in filled if access.sees(node.namespace, node.boundary_class)}


def test_sql_sees_what_the_access_says(memory, reader, filled):
    search = TextSearch()

    @settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        root=NAMESPACES,
        also=st.lists(NAMESPACES, max_size=4),
        classes=st.sampled_from([CLASSES[:1], CLASSES[:2], CLASSES]),
        hidden=st.lists(st.tuples(st.sampled_from(CLASSES), NAMESPACES).map(lambda each: f"{each[0]} {each[1]}/")),
    )
    def check(root, also, classes, hidden):
        access = access_of(root, also, classes=classes, hidden=tuple(hidden))
        wanted = expected(filled, access)

        def look(tx):
            listed = {
                node.id
                for node in nodes.page(tx, access, kinds=["memo"], where={"now": NOW}, limit=100, cursor=None).nodes
            }
            got = {ref.id for ref in nodes.refs(tx, access, [node.id for node in filled])}
            question = SearchRequest("bridge", None, None, ("memo",))
            found = {node_id for node_id, _ in search.send_best(tx, access, question, limit=100)().scored}
            return listed, got, found, set(nodes.by_ids(tx, access, [node.id for node in filled]))

        assert all(found == wanted for found in read(memory, look))
        assert set(select(reader, access, "select id from memos", ours=True)) == wanted

    check()
    access = access_of("me", ["team", "team'x", "チーム"])
    assert set(select(reader, access, "select id from memos")) == expected(filled, access)


def test_a_hundred_further_roots(memory, reader):
    new = put(memory, *(node_of(f"p{number}/x", "a bridge") for number in range(110)))
    access = access_of("me", [f"p{number}" for number in range(100)], hidden=("internal p7/",))
    wanted = expected(new, access)
    assert len(wanted) == 99
    listed = read(memory, lambda tx: nodes.page(tx, access, kinds=["memo"], where={"now": NOW}, limit=100, cursor=None))
    assert {node.id for node in listed.nodes} == wanted
    assert set(select(reader, access, "select id from memos")) == wanted


def test_vectors_of_further_roots_are_searched(memory):
    places = ("me", "team", "team/a", "teams", "other", "tea", "team/a/b")
    for place in places:
        view(memory, access_of(place)).save(f"the bridge of {place}")
    model = read(memory, embeddings.active)
    vector = vectors_of(memory.view.store.embedder, ["bridge"])[0]
    question = SearchRequest("bridge", vector, model, ("memo",), times=Times(NOW))

    def nearest(access):
        vectors = memory.view.store.database.vectors
        return read(memory, lambda tx: candidates.nearest(tx, access, question, vectors=vectors, limit=20))

    # Statement with and without, in either order, as the index remembers who sees what.
    for also, hidden, count in (
        (["team"], (), 4),
        ([], (), 1),
        (["team/a"], (), 3),
        (["team"], ("internal team/a/",), 2),
        (["team"], (), 4),
        (["teams"], (), 2),
    ):
        found = nearest(access_of("me", also, hidden=hidden))
        assert (len(found.ids), found.searched) == (count, count)


def test_edges_are_seen_when_both_ends_are(memory, reader):
    mine, team, teams, deep = put(
        memory,
        *(
            node_of(place, f"a bridge in {place}", title=f"Bridge {place}")
            for place in ("me", "team", "teams", "team/a")
        ),
    )
    for source, target in itertools.permutations((mine, team, teams, deep), 2):
        link(memory, source, target)
    access = access_of("me", ["team"])
    among = {(a.id, b.id) for a, b in itertools.permutations((mine, team, deep), 2)}
    none = dict.fromkeys(("source_id", "target_id", "tag", "since"))

    def look(tx):
        def measure(tx, some):
            return metabolism.measured(tx, some, None)

        listed = edges.page(tx, access, none, within=None, limit=50, cursor=None, measure=measure)
        walked = edges.walk(
            tx, access, mine.id, depth=3, direction="both", tag=None, limit=50, cursor=None, measure=measure
        )
        near = edges_around(tx, access, [mine.id, team.id], per_node=10, limit=50)
        return listed, walked, near

    listed, walked, near = read(memory, look)
    for found in (listed, walked):
        assert {(edge.source_id, edge.target_id) for edge in found.edges} == among
        assert {ref.id for ref in found.nodes} == {mine.id, team.id, deep.id}
    assert {teams.id} & {end for each in near for end in (each.source_id, each.target_id)} == set()
    assert len(select(reader, access, "select id from edges")) == len(among)
    hidden = access_of("me", ["team"], hidden=("internal team/a/",))
    assert len(select(reader, hidden, "select id from edges")) == 2
    assert len(select(reader, access_of("me"), "select id from edges")) == 0


def test_names_and_namespaces_of_further_roots(memory):
    put(memory, *(node_of(place, f"text in {place}", title=f"Bridge {place}") for place in ("me", "team/a", "teams")))
    access = access_of("me", ["team"])
    asked = read(memory, lambda tx: mentions.asked(tx, access, "bridge team/a and bridge teams"))
    assert len(asked) == 1
    page = read(memory, lambda tx: namespaces.page(tx, access, "me", depth=1, limit=10, cursor=None))
    assert [(each.namespace, each.nodes) for each in page.items] == [("me", 1), ("team", 1), ("team/a", 1)]
    page = read(memory, lambda tx: namespaces.page(tx, access, "team/a", depth=1, limit=10, cursor=None))
    assert [(each.namespace, each.nodes) for each in page.items] == [("team/a", 1)]
    above = access_of("team/a", ["team"])
    page = read(memory, lambda tx: namespaces.page(tx, above, "team/a", depth=0, limit=10, cursor=None))
    assert [(each.namespace, each.nodes) for each in page.items] == [("team", 1), ("team/a", 1)]


def test_personal_data_in_a_further_root_are_taken_out(memory):
    whole = "write to mira@example.org about the bridge"
    (node,) = put(memory, node_of("team", whole, boundary_class="pii", shared_class="internal"))
    access = access_of("me", ["team"])
    assert "mira" not in read(memory, lambda tx: nodes.read(tx, access, node.id)).content
    hidden = access_of("me", ["team"], hidden=("internal team/",))
    with pytest.raises(NotFound):
        read(memory, lambda tx: nodes.read(tx, hidden, node.id))


def test_what_is_counted(memory):
    put(memory, *(node_of(place, f"a bridge in {place}", utility=1.0) for place in ("me", "team", "teams")))
    question = SearchRequest("bridge", None, None, ("memo",), times=Times(NOW))
    utilities = UtilityStatistics()

    def count(access):
        return read(memory, lambda tx: utilities.count(tx, access, question))

    assert [count(access_of("me", also)) for also in ([], ["team"], ["team", "teams"])] == [1, 2, 3]


def test_a_change_sees_the_root_alone(memory):
    mine, team = put(memory, node_of("me", "my bridge"), node_of("team", "our bridge"))
    edge = link(memory, mine, team)
    access = access_of("me", ["team"])
    write = memory.view.store.database.write
    with pytest.raises(BoundaryDenied, match=f"memo {team.id} is in 'team', which this access may only read"):
        write(lambda tx: nodes.get(tx, access, team.id))
    with pytest.raises(BoundaryDenied, match="may only read"):
        write(lambda tx: edges.delete(tx, access, (mine.id, team.id, edge.tag)))
    with pytest.raises(BoundaryDenied):
        write(lambda tx: node_saving.create(tx, access, node_of("team", "new"), None))
    with pytest.raises(BoundaryDenied, match="may only read 'team'"):
        write(lambda tx: node_saving.create(tx, access.narrowed("team"), node_of("team", "new"), None))
    with pytest.raises(BoundaryDenied, match="may only read 'team'"):
        write(lambda tx: node_saving.delete(tx, access.narrowed("team"), team.id, now=NOW))
    ids = [mine.id, team.id]
    assert list(write(lambda tx: nodes.by_ids(tx, access, ids))) == [mine.id]
    assert list(write(lambda tx: nodes.read_by_ids(tx, access, ids))) == [mine.id]
    assert set(read(memory, lambda tx: nodes.by_ids(tx, access, ids))) == set(ids)
    with pytest.raises(NotFound):
        write(lambda tx: nodes.get(tx, access, "nowhere"))


def test_what_is_about_the_root_leaves_further_roots_out(memory):
    put(memory, node_of("me", "my bridge"), node_of("team", "our bridge"))
    access = access_of("me", ["team"], hidden=("internal team/x/",))

    def look(tx):
        found, total = insight.new_nodes(tx, access, after=0, upto=99, now=NOW, limit=9)
        return (
            total,
            [node.namespace for _, node in found],
            metabolism.namespaces(tx, access),
            tasks.status(tx, access, None, now=datetime.fromisoformat(NOW)).tasks_by_status,
        )

    assert read(memory, look) == (1, ["me"], {"me": 1}, {})
    assert insight.sight(access) == insight.sight(access_of("me"))


def test_a_context_belongs_to_those_who_see_all_that_its_maker_saw(memory):
    put(memory, node_of("me", "my bridge"), node_of("team", "our bridge"))
    wide, alone, further = access_of("me", ["team"]), access_of("me"), access_of("me", ["team/a"])
    times = {"created_at": NOW, "expires_at": "2027"}
    context = ActiveContext("c1", "bridge", (), "0", {}, items=(), tokens=0, **times)
    inside = wide.narrowed("team/x")

    def make(access, made):
        memory.view.store.database.write(lambda tx: contexts.save(tx, access, made, namespace=access.root))

    make(wide, context)
    make(inside, replace(context, id="c2"))

    def get(access, context_id="c1"):
        return read(memory, lambda tx: contexts.get(tx, access, context_id, now=NOW))

    assert get(wide).question == get(wide, "c2").question == "bridge"
    assert get(access_of("me", ["team/x"]), "c2").question == "bridge"
    for access in (alone, further, access_of("team"), access_of("team", ["me/x"])):
        for made in ("c1", "c2"):
            with pytest.raises(NotFound):
                get(access, made)


def test_statements_are_what_they_were_without_further_roots():
    from wherefrom.storage.sql import Statements, scope_parameters
    from wherefrom.storage.sqlite import DIALECT

    reading, writing = Statements(DIALECT), Statements(DIALECT, writing=True)
    plain, also = scope_parameters(access_of("me")), scope_parameters(access_of("me", ["team"]))
    some = {"id": content_hash("x")}
    assert "also" not in plain
    assert reading.sql("node_get", {**plain, **some}) == writing.sql("node_get", {**also, **some})
    assert ":also" in reading.sql("node_get", {**also, **some})
