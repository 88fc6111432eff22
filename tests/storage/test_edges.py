"""Conformance: relations behave the same on both databases."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wherefrom import InvalidInput, Memory, NotFound, Store, config
from wherefrom.api.opening import open_database
from wherefrom.storage import edges


@pytest.fixture
def ids(memory):
    return [memory.save(f"memo {letter}", title=letter).node.id for letter in "abcde"]


def test_a_relation_is_read_back_exactly(memory, ids):
    related = memory.relate(ids[0], ids[1], tag="supports", weight=0.1 + 0.2, reason="それは 理由")
    assert related.status == "created"
    found = memory.relations()
    assert found.root_namespace == "main"
    assert found.edges == (related.edge,)
    assert found.edges[0].weight == 0.1 + 0.2
    assert [(ref.id, ref.title) for ref in found.nodes] == [(ids[0], "a"), (ids[1], "b")]


def test_saving_it_again_updates_and_raises_the_version_only_if_something_changed(memory, ids):
    first = memory.relate(ids[0], ids[1], tag="supports", weight=0.5, reason="because").edge
    same = memory.relate(ids[0], ids[1], tag="supports", weight=0.5)
    assert (same.status, same.edge.version, same.edge.reason) == ("unchanged", 1, "because")
    assert same.edge.updated_at == first.updated_at
    assert same.edge.observed_at > first.observed_at
    changed = memory.relate(ids[0], ids[1], tag="supports", weight=0.6)
    assert (changed.status, changed.edge.version, changed.edge.reason) == ("updated", 2, "because")
    cleared = memory.relate(ids[0], ids[1], tag="supports", weight=0.6, reason="")
    assert (cleared.edge.version, cleared.edge.reason) == (3, None)
    assert len(memory.relations().edges) == 1


def test_source_target_and_tag_make_a_relation(memory, ids):
    memory.relate(ids[0], ids[1], tag="supports", weight=0.5)
    memory.relate(ids[0], ids[1], tag="conflicts", weight=0.5)
    memory.relate(ids[1], ids[0], tag="supports", weight=0.5)
    assert len(memory.relations().edges) == 3
    assert len(memory.relations(source_id=ids[0]).edges) == 2
    assert len(memory.relations(target_id=ids[0]).edges) == 1
    assert len(memory.relations(tag="supports").edges) == 2
    assert len(memory.relations(source_id=ids[0], target_id=ids[1], tag="supports").edges) == 1


def test_a_missing_end_is_named_and_nothing_is_written(memory, ids):
    unknown = "01900000-0000-7000-8000-000000000000"
    with pytest.raises(NotFound, match="target memo"):
        memory.relate(ids[0], unknown, tag="supports", weight=0.5)
    with pytest.raises(NotFound, match="source memo"):
        memory.relate(unknown, ids[0], tag="supports", weight=0.5)
    assert memory.relations().edges == ()


def test_relations_may_cross_namespaces_and_belong_to_their_source(memory):
    a = memory.save("a", namespace="x").node.id
    b = memory.save("b", namespace="y").node.id
    edge = memory.relate(a, b, tag="supports", weight=1).edge
    assert (edge.source_namespace, edge.target_namespace) == ("main/x", "main/y")
    assert len(memory.relations(namespace="x").edges) == 1
    assert memory.relations(namespace="y").edges == ()
    with pytest.raises(NotFound):
        memory.relate(a, b, tag="explains", weight=1, namespace="y")


def test_deleting_a_relation_leaves_the_memos(memory, ids):
    memory.relate(ids[0], ids[1], tag="supports", weight=0.5)
    with pytest.raises(NotFound):
        memory.unrelate(ids[1], ids[0], tag="supports")
    with pytest.raises(NotFound):
        memory.unrelate(ids[0], ids[1], tag="supports", namespace="elsewhere")
    assert memory.unrelate(ids[0], ids[1], tag="supports").weight == 0.5
    assert memory.relations().edges == ()
    assert memory.get(ids[0]).title == "a"


def test_pages_of_relations_join_without_gap_or_overlap(memory, ids):
    made = [memory.relate(ids[0], ids[1], tag=f"t{number}", weight=1).edge for number in range(7)]
    for filters in ({}, {"source_id": ids[0]}, {"target_id": ids[1]}):
        listed, cursor = [], None
        while True:
            page = memory.relations(limit=3, cursor=cursor, **filters)
            listed += page.edges
            cursor = page.next_cursor
            if cursor is None:
                break
        assert listed == made[::-1]


def test_since_gives_what_changed_in_the_order_of_change(url):
    clock = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in range(100))
    with Memory.open(url) as opened:
        memory = Store(opened.view.store.database, clock=lambda: next(clock)).memory()
        a, b = (memory.save(text).node.id for text in "ab")
        for tag in ("t1", "t2", "t3"):
            memory.relate(a, b, tag=tag, weight=0.5)
        t2 = memory.relations(tag="t2").edges[0].created_at
        memory.relate(a, b, tag="t1", weight=0.9)
        memory.relate(a, b, tag="t3", weight=0.5)
        assert [edge.tag for edge in memory.relations(since=t2).edges] == ["t2", "t3", "t1"]
        first = memory.relations(since=t2, limit=2)
        second = memory.relations(since=t2, limit=2, cursor=first.next_cursor)
        assert [edge.tag for edge in first.edges + second.edges] == ["t2", "t3", "t1"]
        assert second.next_cursor is None
        assert memory.relations(since="2027-01-01").edges == ()
        with pytest.raises(InvalidInput):
            memory.relations(since=t2, cursor=memory.relations(limit=1).next_cursor)


def chain(memory, ids, *, tag="next", weight=1.0):
    for source, target in itertools.pairwise(ids):
        memory.relate(source, target, tag=tag, weight=weight)


def test_a_walk_goes_as_deep_as_asked_and_says_how_far_each_link_is(memory, ids):
    chain(memory, ids)
    found = memory.walk(ids[0], depth=2)
    assert [(edge.source_id, depth) for edge, depth in zip(found.edges, found.depths, strict=True)] == [
        (ids[0], 1),
        (ids[1], 2),
    ]
    assert {ref.id for ref in found.nodes} == set(ids[:3])
    assert len(memory.walk(ids[0], depth=10).edges) == 4


def test_a_walk_follows_its_direction(memory, ids):
    chain(memory, ids)
    assert memory.walk(ids[2], direction="forward", depth=1).edges[0].target_id == ids[3]
    assert memory.walk(ids[2], direction="backward", depth=1).edges[0].source_id == ids[1]
    assert len(memory.walk(ids[2], direction="both", depth=1).edges) == 2
    assert memory.walk(ids[4], direction="forward").edges == ()
    assert [ref.id for ref in memory.walk(ids[4], direction="forward").nodes] == [ids[4]]


def test_a_walk_follows_only_its_tag(memory, ids):
    chain(memory, ids[:3], tag="next")
    chain(memory, ids[2:], tag="other")
    assert len(memory.walk(ids[0], tag="next", depth=10).edges) == 2


def test_cycles_cannot_trap_a_walk(memory, ids):
    chain(memory, [*ids, ids[0]])
    memory.relate(ids[0], ids[0], tag="self", weight=1)
    for direction in ("forward", "backward", "both"):
        found = memory.walk(ids[0], depth=10, direction=direction)
        assert len(found.edges) == len(set(found.edges)) == 6


def test_a_limit_keeps_the_nearest_and_strongest_and_the_cursor_goes_on(memory, ids):
    for target, weight in zip(ids[1:], (0.1, 0.9, 0.5, 0.7), strict=True):
        memory.relate(ids[0], target, tag="near", weight=weight)
    memory.relate(ids[1], ids[2], tag="far", weight=1.0)
    whole = memory.walk(ids[0], depth=2)
    assert [edge.weight for edge in whole.edges] == [0.9, 0.7, 0.5, 0.1, 1.0]
    walked, cursor = [], None
    while True:
        page = memory.walk(ids[0], depth=2, limit=2, cursor=cursor)
        walked += page.edges
        cursor = page.next_cursor
        if cursor is None:
            break
    assert walked == list(whole.edges)


@pytest.mark.parametrize("given", [{"depth": 0}, {"depth": 11}, {"limit": 0}, {"limit": 1001}, {"direction": "up"}])
def test_a_walk_refuses_what_it_cannot_do(sqlite_memory, given):
    memo = sqlite_memory.save("a").node.id
    with pytest.raises(InvalidInput):
        sqlite_memory.walk(memo, **given)


def test_the_database_itself_refuses_an_edge_between_two_owners(url):
    """Were the checks in Python to fail, the composite foreign key would not."""
    with Memory.open(url, owner="alice") as alice, Memory.open(url, owner="bob") as bob:
        hers = alice.save("hers").node
        his = bob.save("his").node
        edge = alice.relate(hers.id, hers.id, tag="self", weight=1).edge
        access = alice.view.access
    database = open_database(config.load({"db": url}))
    try:
        foreign = replace(edge, target_id=his.id)
        with pytest.raises(Exception, match=r"(?i)foreign key"):
            database.write(lambda tx: edges.insert(tx, access, [foreign]))
    finally:
        database.close()
