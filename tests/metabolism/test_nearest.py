"""The nearest nodes that could stand for others, against a comparison of all with all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.metabolism import nearest as module
from wherefrom.metabolism.nearest import Candidate, nearest
from wherefrom.storage.metabolism import WeakNode

GROUP = ("main", "memo", None)


def row(seq, vector, *, group=GROUP, boundary="internal", expires=None):
    return (seq, f"n{seq:03}", *group, boundary, expires, np.array(vector, dtype=np.float32))


def candidate(stored):
    seq, name, *group, boundary, expires, vector = stored
    return Candidate(WeakNode(seq, name, 1, *group, boundary, expires, None), vector)


def near_to(candidates, rows, *, floor=0.9, **given):
    floors = {each.node.namespace: floor for each in candidates}
    found = [replace(each) for each in candidates]
    nearest(found, rows, np.stack, floors=floors, **given)
    return {each.node.id: each for each in found}


def unit(*values):
    return np.array(values, dtype=np.float32) / np.linalg.norm(values)


def names(neighbours):
    return [each.id for each in neighbours.near]


def test_all_above_the_floor_are_found_the_nearest_first():
    rows = [row(1, unit(1, 0)), row(2, unit(1, 0.1)), row(3, unit(1, 0.3)), row(4, unit(0, 1))]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert names(found) == ["n002", "n003"]
    assert found.near[0].similarity == pytest.approx(1 / np.hypot(1, 0.1), abs=1e-6)
    assert found.best == found.near[0]
    assert not found.more


def test_a_node_is_not_its_own_neighbour():
    """The seed asks for one more to drop itself; here it is never in."""
    rows = [row(1, unit(1, 0))]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert (found.near, found.best) == ([], None)


def test_the_best_is_known_even_if_it_is_below_the_floor():
    rows = [row(1, unit(1, 0)), row(2, unit(1, 2)), row(3, unit(0, 1))]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert (found.near, found.best.id) == ([], "n002")


def test_ties_are_in_the_order_of_the_ids():
    rows = [row(1, unit(1, 0)), row(3, unit(1, 0.1)), row(2, unit(1, 0.1))]
    assert names(near_to([candidate(rows[0])], rows)["n001"]) == ["n002", "n003"]


@pytest.mark.parametrize("group", [("other", "memo", None), ("main", "claim", None), ("main", "memo", "fact")])
def test_only_the_same_namespace_and_kind_count(group):
    rows = [row(1, unit(1, 0)), row(2, unit(1, 0), group=group)]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert (found.near, found.best) == ([], None)


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [("internal", "public", False), ("internal", "internal", True), ("public", "internal", False),
     ("internal", "pii", False), ("pii", "public", False)],
)  # fmt: skip
def test_what_stands_in_is_of_the_same_class(mine, theirs, fits):
    rows = [row(1, unit(1, 0), boundary=mine), row(2, unit(1, 0), boundary=theirs)]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert names(found) == ["n002"] * fits
    assert (found.best is not None) == fits


@pytest.mark.parametrize(
    ("mine", "theirs", "fits"),
    [(None, None, True), ("2026", None, True), (None, "2026", False), ("2026", "2027", True), ("2026", "2026", True),
     ("2027", "2026", False)],
)  # fmt: skip
def test_what_stands_in_lives_at_least_as_long(mine, theirs, fits):
    rows = [row(1, unit(1, 0), expires=mine), row(2, unit(1, 0), expires=theirs)]
    assert names(near_to([candidate(rows[0])], rows)["n001"]) == ["n002"] * fits


def test_one_that_does_not_fit_does_not_hide_the_next_best():
    rows = [row(1, unit(1, 0)), row(2, unit(1, 0), boundary="pii"), row(3, unit(1, 2))]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert (found.near, found.best.id) == ([], "n003")


def test_what_is_gone_does_not_count():
    rows = [row(1, unit(1, 0)), row(2, unit(1, 0)), row(3, unit(1, 0))]
    assert names(near_to([candidate(rows[0])], rows, without=frozenset({"n002"}))["n001"]) == ["n003"]


def test_many_near_ones_are_cut_and_it_says_so(monkeypatch):
    monkeypatch.setattr(module, "_MAX_KEPT", 3)
    rows = [row(seq, unit(1, seq / 1000)) for seq in range(1, 40)]
    found = near_to([candidate(rows[0])], rows)["n001"]
    assert names(found) == ["n002", "n003", "n004"]
    assert found.more
    few = near_to([candidate(rows[0])], rows[:4])["n001"]
    assert (len(few.near), few.more) == (3, False)


VECTORS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 3)), min_size=1, max_size=12)


@settings(max_examples=60)
@given(VECTORS, st.sets(st.integers(0, 11), min_size=1), st.randoms(use_true_random=False))
def test_blocks_and_widths_make_no_difference_and_it_is_exact(values, chosen, random):
    rows = [row(seq, unit(*each)) for seq, each in enumerate(values, 1)]
    candidates = [candidate(rows[place]) for place in chosen if place < len(rows)]
    shuffled = random.sample(rows, len(rows))
    with pytest.MonkeyPatch.context() as patched:
        whole = near_to(candidates, rows)
        patched.setattr(module, "_ROWS_PER_BLOCK", 2)
        patched.setattr(module, "_CANDIDATES_PER_POOL", 3)
        parts = near_to(candidates, shuffled)
    for each in candidates:
        expected = {other[1]: float(other[7] @ each.vector) for other in rows if other[1] != each.node.id}
        near = {name: value for name, value in expected.items() if value > 0.9}
        for found in (whole[each.node.id], parts[each.node.id]):
            assert {near.id: near.similarity for near in found.near} == pytest.approx(near, abs=2e-6)
            assert found.near == whole[each.node.id].near, "to the last digit"
            if found.best is not None:
                assert found.best.similarity == pytest.approx(max(expected.values()), abs=2e-6)
            assert found.best == found.near[0] if found.near else True


@pytest.mark.parametrize("floor", [0.9, 0.6])  # for 0.6 it takes more of their numbers
def test_bounds_find_what_whole_vectors_find(floor):
    """Where only what is near counts, parts of the vectors are compared first; nothing near is missed by that."""
    numbers = np.random.default_rng(5)
    vectors = numbers.standard_normal((400, 256)).astype(np.float32)
    vectors[200:] = vectors[:200] + numbers.uniform(0.1, 2.0, (200, 1)) * numbers.standard_normal((200, 256))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [(at, f"n{at}", "main", "memo", None, "internal", None, vector) for at, vector in enumerate(vectors)]
    candidates = [candidate(row(at, vectors[at])) for at in range(400)]

    def found(best_of):
        return near_to(candidates, rows, floor=floor, best_of=best_of)

    whole, bound = found(None), found(())
    assert {name: each.near for name, each in bound.items()} == {name: each.near for name, each in whole.items()}
    assert 50 < sum(bool(each.near) for each in bound.values()) < 350
    assert all(each.best is not None for each in whole.values())
    assert any(each.best is None for each in bound.values())
