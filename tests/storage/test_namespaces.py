"""Conformance: namespaces behave the same on both databases."""

from __future__ import annotations

import pytest

from wherefrom import Conflict, InvalidNamespace, Memory, NotFound


def names(memory, *arguments, **given):
    return [(item.namespace, item.nodes) for item in memory.namespaces(*arguments, **given).items]


def test_namespaces_are_listed_with_what_is_in_and_below_them(memory):
    memory.save("1", namespace="a/b/c")
    memory.save("2", namespace="a/b")
    memory.save("3", namespace="d")
    assert names(memory) == [("main", 3), ("main/a", 2), ("main/a/b", 2), ("main/a/b/c", 1), ("main/d", 1)]
    assert names(memory, depth=1) == [("main", 3), ("main/a", 2), ("main/d", 1)]
    assert names(memory, "a", depth=1) == [("main/a", 2), ("main/a/b", 2)]
    assert names(memory, "nothing") == [("main/nothing", 0)]


def test_pages_of_namespaces(memory):
    for letter in "abcde":
        memory.save(letter, namespace=letter)
    first = memory.namespaces(limit=4)
    second = memory.namespaces(limit=4, cursor=first.next_cursor)
    assert [item.namespace for item in first.items + second.items] == ["main", *(f"main/{x}" for x in "abcde")]
    assert second.next_cursor is None


def test_renaming_moves_memos_relations_and_what_is_below(memory):
    a = memory.save("a", namespace="old").node
    b = memory.save("b", namespace="old/deep").node
    c = memory.save("c", namespace="stays").node
    memory.relate(a.id, b.id, tag="supports", weight=1)
    memory.relate(c.id, a.id, tag="supports", weight=1)
    renamed = memory.rename_namespace("old", "new/place")
    assert (renamed.nodes, renamed.edges) == (2, 2)
    assert memory.get(b.id).namespace == "main/new/place/deep"
    assert memory.get(a.id).version == 2
    assert memory.get(c.id) == c
    assert len(memory.relations(namespace="new/place").edges) == 1
    assert {edge.version for edge in memory.relations().edges} == {2}
    assert memory.doctor().ok


def test_renaming_does_not_touch_a_sibling_with_the_same_beginning(memory):
    memory.save("1", namespace="team")
    sibling = memory.save("2", namespace="team-b").node
    memory.rename_namespace("team", "crew")
    assert memory.get(sibling.id) == sibling


def test_renaming_into_the_same_text_is_a_conflict_and_moves_nothing(memory):
    mine = memory.save("same", namespace="a").node
    other = memory.save("different", namespace="a").node
    memory.save("same", namespace="b")
    with pytest.raises(Conflict):
        memory.rename_namespace("a", "b")
    assert memory.get(mine.id) == mine
    assert memory.get(other.id) == other


def test_renaming_onto_another_namespace_joins_the_two(memory):
    memory.save("1", namespace="a")
    memory.save("2", namespace="b")
    memory.rename_namespace("a", "b")
    assert names(memory, "b") == [("main/b", 2)]


@pytest.mark.parametrize(
    ("source", "target"), [("a", "a/b"), ("a", "a"), ("/", "x"), ("a", "../../x"), ("a", "x" * 257)]
)
def test_renames_that_make_no_sense(memory, source, target):
    memory.save("1", namespace="a")
    with pytest.raises(InvalidNamespace):
        memory.rename_namespace(source, target)


def test_renaming_nothing_is_not_found(memory):
    with pytest.raises(NotFound):
        memory.rename_namespace("nothing", "x")


def test_a_path_may_not_grow_too_long_by_renaming(memory):
    memory.save("1", namespace="a/" + "x" * 240)
    with pytest.raises(InvalidNamespace, match="longer"):
        memory.rename_namespace("a", "b" * 20)


def test_another_owner_keeps_a_namespace_of_the_same_name(url):
    with Memory.open(url, owner="alice") as alice, Memory.open(url, owner="bob") as bob:
        alice.save("x", namespace="a")
        theirs = bob.save("x", namespace="a").node
        alice.rename_namespace("a", "b")
        assert bob.get(theirs.id) == theirs
