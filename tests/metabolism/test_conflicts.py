"""Relations that exclude each other: the thickest stays, and what cannot be decided is left alone."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.metabolism import conflicts
from wherefrom.metabolism.settings import EXCLUSIVE
from wherefrom.storage.metabolism import ThickEdge

ONE_VALUED = frozenset({"lives_in", "status"})


def edges(*rows):
    """Edges from (source, target, tag, thickness), old enough to go unless a fifth value says otherwise."""
    numbers = count(1)
    return [ThickEdge(next(numbers), *row[:4], *(row[4:] or (True,)), "main") for row in rows]


def settle(*rows):
    return settled(edges(*rows), {"main": ONE_VALUED})


def settled(rows, exclusive):
    losing, found = conflicts.settle(rows, exclusive)
    return SimpleNamespace(losing=losing, conflicts=found)


def lost(found):
    return {(each.edge.source_id, each.edge.target_id, each.edge.tag): each.rule for each in found.losing.values()}


def test_of_an_exclusive_tag_the_thickest_stays():
    found = settle(("a", "x", "lives_in", 0.4), ("a", "y", "lives_in", 0.9), ("a", "z", "lives_in", 0.2))
    assert lost(found) == {("a", "x", "lives_in"): "exclusive", ("a", "z", "lives_in"): "exclusive"}
    (conflict,) = found.conflicts
    assert (conflict.kept.target_id, conflict.why) == ("y", "the thickest stays")
    assert [each.target_id for each in conflict.links] == ["y", "x", "z"], "the thickest first"
    assert {each.winner.target_id for each in found.losing.values()} == {"y"}


def test_targets_of_a_tag_that_is_not_exclusive_live_side_by_side():
    found = settle(("a", "x", "likes", 0.4), ("a", "y", "likes", 0.9))
    assert (found.losing, found.conflicts) == ({}, ())


def test_sources_do_not_exclude_each_other():
    found = settle(("a", "x", "lives_in", 0.4), ("b", "y", "lives_in", 0.9))
    assert (found.losing, found.conflicts) == ({}, ())


def test_equally_thick_ones_are_undecided_and_all_stay():
    found = settle(("a", "x", "status", 0.5), ("a", "y", "status", 0.5), ("a", "z", "status", 0.1))
    assert found.losing == {}, "also the thin one: it may be the right one"
    (conflict,) = found.conflicts
    assert (conflict.kept, conflict.why) == (None, "the thickest are equally thick")
    assert len(conflict.links) == 3


@pytest.mark.parametrize(("other", "decided"), [(0.5 * 0.9901, False), (0.5 * 0.9899, True)])
def test_what_differs_by_a_hundredth_is_equally_thick(other, decided):
    found = settle(("a", "x", "status", 0.5), ("a", "y", "status", other))
    assert [conflict.kept is not None for conflict in found.conflicts] == [decided]
    assert len(found.losing) == decided


def test_young_ones_are_undecided_even_if_they_are_thinner():
    found = settle(("a", "x", "status", 0.9), ("a", "y", "status", 0.2, False))
    assert found.losing == {}
    assert [(conflict.kept, conflict.why) for conflict in found.conflicts] == [
        (None, "some are younger than the protection")
    ]


def test_a_young_one_that_is_the_thickest_wins():
    found = settle(("a", "x", "status", 0.9, False), ("a", "y", "status", 0.2))
    assert lost(found) == {("a", "y", "status"): "exclusive"}


def test_spellings_of_one_tag_to_one_target_collapse_to_the_thickest():
    found = settle(("a", "x", "knows-of", 0.3), ("a", "x", "knows_of", 0.6), ("a", "y", "knows_of", 0.1))
    assert lost(found) == {("a", "x", "knows-of"): "duplicate"}
    assert [each.winner.tag for each in found.losing.values()] == ["knows_of"]


def test_spellings_that_are_equally_thick_collapse_all_the_same():
    """They say the same, so nothing is lost: the first by its spelling stays."""
    found = settle(("a", "x", "knows_of", 0.5), ("a", "x", "knows-of", 0.5))
    assert lost(found) == {("a", "x", "knows_of"): "duplicate"}
    assert [conflict.kept.tag for conflict in found.conflicts] == ["knows-of"]


def test_spellings_that_are_young_do_not_collapse():
    found = settle(("a", "x", "knows_of", 0.5), ("a", "x", "knows-of", 0.4, False))
    assert found.losing == {}
    assert [conflict.kept for conflict in found.conflicts] == [None]


def test_spellings_collapse_before_targets_exclude_each_other():
    found = settle(("a", "x", "lives_in", 0.5), ("a", "x", "lives-in", 0.4), ("a", "y", "lives in", 0.9))
    assert lost(found) == {("a", "x", "lives-in"): "duplicate", ("a", "x", "lives_in"): "exclusive"}
    assert {each.winner.target_id for each in found.losing.values()} == {"y"}, "what stands for them stays itself"


def test_undecided_conflicts_come_first():
    found = settle(
        ("a", "x", "status", 0.9), ("a", "y", "status", 0.2), ("b", "x", "status", 0.5), ("b", "y", "status", 0.5)
    )
    assert [(conflict.source_id, conflict.kept is None) for conflict in found.conflicts] == [("b", True), ("a", False)]


def test_whether_a_tag_is_exclusive_is_the_namespaces_own_matter():
    rows = edges(("a", "x", "status", 0.9), ("a", "y", "status", 0.2))
    assert settled(rows, {"main": frozenset(), "other": ONE_VALUED}).losing == {}
    assert len(settled(rows, {"main": ONE_VALUED, "other": frozenset()}).losing) == 1


def test_only_tags_that_can_be_in_conflict_are_looked_at():
    tags = ["lives_in", "lives-in", "likes", "knows_of", "knows-of", "mentions"]
    assert conflicts.tags_in_conflict(tags, {"main": ONE_VALUED}) == ["knows-of", "knows_of", "lives-in", "lives_in"]
    assert conflicts.tags_in_conflict(tags, {}) == ["knows-of", "knows_of", "lives-in", "lives_in"]
    assert conflicts.tags_in_conflict(["likes", "status"], {}) == []


def test_the_fixed_list_of_the_origin_is_the_default():
    """facts.md §1.5: some ninety names."""
    assert 80 <= len(EXCLUSIVE) <= 110
    origin = ("status", "lives_in", "works_at", "spouse", "age", "capital", "headquarters", "ceo", "located_in")
    assert set(origin) <= set(EXCLUSIVE)


ROWS = st.lists(
    st.tuples(
        st.sampled_from("ab"),
        st.sampled_from("xyz"),
        st.sampled_from(["lives_in", "lives-in", "likes", "status"]),
        st.sampled_from([0.1, 0.2, 0.2001, 0.5]),
        st.booleans(),
    ),
    unique_by=lambda row: row[:3],
    max_size=8,
)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_edges_makes_no_difference(rows, random):
    shuffled = random.sample(rows, len(rows))
    assert lost(settle(*rows)) == lost(settle(*shuffled))
    assert settle(*rows).conflicts == settle(*shuffled).conflicts


@given(ROWS)
def test_what_goes_has_one_that_stays_for_it_and_a_second_look_finds_nothing(rows):
    found = settle(*rows)
    left = [row for row in rows if row[:3] not in lost(found)]
    assert settle(*left).losing == {}
    for each in found.losing.values():
        assert each.winner.source_id == each.edge.source_id
        assert each.winner.seq not in found.losing
        assert each.winner.value >= each.edge.value
        assert each.edge.free
