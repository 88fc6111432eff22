"""The MDL test by itself: what goes is restored from something that stays."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.metabolism.mdl_test import judge
from wherefrom.metabolism.nearest import Candidate, Neighbour
from wherefrom.storage.metabolism import WeakNode

NONE = frozenset()


def weak(name, *, thickness=0.05, benefit=0.1, compared=5, more=False, **similar):
    node = WeakNode(0, name, 1, "main", "memo", None, "internal", None, None)
    found = Candidate(node, None, thickness, benefit, compared)
    found.add([Neighbour(other, value) for other, value in similar.items()])
    found.more = more
    return found


def verdicts(*candidates, against=lambda *_: None, standing_in=NONE, going=NONE):
    found, _ = judge(candidates, against, standing_in=frozenset(standing_in), going=frozenset(going))
    return found


def fates(*candidates, **given):
    return {name: verdict.rule for name, verdict in verdicts(*candidates, **given).items()}


def differing(*pairs, why="number"):
    known = {frozenset(pair) for pair in pairs}
    return lambda one, other: why if frozenset((one, other)) in known else None


def test_difficulty_is_one_minus_the_similarity_and_not_the_similarity():
    """Open point 1: a near copy is easy to restore, a stranger is not."""
    assert fates(weak("copy", strong=0.99)) == {"copy": "restorable"}
    assert fates(weak("stranger", strong=0.01)) == {"stranger": "unique"}


@pytest.mark.parametrize(("similarity", "rule"), [(0.900001, "restorable"), (0.9, "unique"), (0.899999, "unique")])
def test_it_goes_only_if_the_benefit_is_above_the_difficulty(similarity, rule):
    assert fates(weak("a", strong=similarity)) == {"a": rule}


def test_without_anything_near_it_is_unique():
    found = verdicts(weak("a"))["a"]
    assert (found.rule, found.neighbour) == ("unique", None)


def test_a_neighbour_below_zero_does_not_restore_even_with_the_greatest_benefit():
    assert fates(weak("a", benefit=1.0, strong=-0.2)) == {"a": "unique"}
    assert fates(weak("a", benefit=1.0, strong=0.0)) == {"a": "unique"}


def test_a_benefit_of_zero_lets_nothing_go():
    assert fates(weak("a", benefit=0.0, strong=1.0)) == {"a": "unique"}


def test_no_neighbours_compared_lets_nothing_go():
    assert fates(weak("a", compared=0, strong=1.0)) == {"a": "unique"}


def test_the_nearest_that_stays_is_named():
    found = verdicts(weak("a", near=0.95, nearer=0.99))["a"]
    assert found.neighbour == Neighbour("nearer", 0.99)


def test_what_differs_does_not_restore_but_the_next_one_may():
    against = differing(("a", "changed"))
    found = verdicts(weak("a", changed=0.99, same=0.95), against=against)["a"]
    assert (found.rule, found.neighbour.id) == ("restorable", "same")
    found = verdicts(weak("a", changed=0.99, far=0.85), against=against)["a"]
    assert (found.rule, found.detail, found.neighbour.id) == ("differs", "number", "changed")


def test_only_so_many_of_the_nearest_are_compared():
    against = differing(("a", "b"), ("a", "c"))
    assert fates(weak("a", compared=2, b=0.99, c=0.98, d=0.97), against=against) == {"a": "differs"}
    assert fates(weak("a", compared=3, b=0.99, c=0.98, d=0.97), against=against) == {"a": "restorable"}


def test_a_dispute_is_named():
    assert fates(weak("a", b=0.99), against=differing(("a", "b"), why="disputed")) == {"a": "disputed"}


def test_of_two_mutual_duplicates_one_stays_and_stands_for_the_other():
    found = verdicts(weak("a", b=0.99), weak("b", a=0.99))
    assert {name: verdict.rule for name, verdict in found.items()} == {"a": "restorable", "b": "stands_in"}


def test_ties_are_decided_by_thickness_and_then_by_id():
    assert fates(weak("a", thickness=0.06, b=0.99), weak("b", a=0.99)) == {"a": "stands_in", "b": "restorable"}
    assert fates(weak("a", thickness=0.05, b=0.99), weak("b", a=0.99)) == {"a": "restorable", "b": "stands_in"}


def test_the_easiest_to_restore_goes_first():
    found = fates(weak("a", b=0.95), weak("b", a=0.95, c=0.99), weak("c", b=0.99))
    assert found == {"a": "unique", "b": "restorable", "c": "stands_in"}, "a is not near to c"


def test_in_a_chain_of_duplicates_each_second_one_may_stay_and_nobody_loses_both_neighbours():
    names = "abcdefg"
    chain = [
        weak(name, **{names[at + step]: 0.95 for step in (-1, 1) if 0 <= at + step < len(names)})
        for at, name in enumerate(names)
    ]
    found = verdicts(*chain)
    for at, name in enumerate(names):
        if found[name].removed:
            assert abs(names.index(found[name].neighbour.id) - at) == 1
            assert not found[found[name].neighbour.id].removed
    assert any(verdict.removed for verdict in found.values())


@pytest.mark.parametrize("size", [2, 3, 5, 100])
def test_of_a_clique_of_duplicates_exactly_one_stays_and_stands_for_the_others(size):
    names = [f"n{number:03}" for number in range(size)]
    found = verdicts(*(weak(name, **{other: 0.99 for other in names if other != name}) for name in names))
    left = [name for name, verdict in found.items() if not verdict.removed]
    assert len(left) == 1
    assert found[left[0]].rule == "stands_in"
    assert {found[name].neighbour.id for name in names if name != left[0]} == set(left)


def test_what_stays_for_sure_is_taken_before_a_weak_one_that_is_nearer():
    """Else a copy with a slip would stay for the sake of another copy, beside the strong original."""
    found = verdicts(weak("copy", slip=0.999, original=0.95), weak("slip", copy=0.999, original=0.95))
    assert {name: (verdict.rule, verdict.neighbour.id) for name, verdict in found.items()} == {
        "copy": ("restorable", "original"),
        "slip": ("restorable", "original"),
    }


def test_what_something_was_let_go_for_before_stays():
    assert fates(weak("a", strong=0.99), standing_in={"a"}) == {"a": "stands_in"}


def test_nothing_is_restored_from_what_goes_for_another_reason():
    assert fates(weak("a", orphan=0.99), going={"orphan"}) == {"a": "unique"}
    assert verdicts(weak("a", orphan=0.99), going={"orphan"})["a"].neighbour is None


def test_what_was_compared_with_one_that_went_is_compared_with_the_next():
    found = verdicts(weak("a", b=0.97, c=0.96), weak("b", strong=0.99, a=0.97), weak("c", a=0.96))
    assert found["b"].rule == "restorable"
    assert {found["a"].rule, found["c"].rule} == {"restorable", "stands_in"}


def test_where_all_near_ones_go_more_are_asked_for():
    candidate = weak("a", b=0.99, more=True)
    _, exhausted = judge([candidate], lambda *_: None, standing_in=NONE, going=frozenset("b"))
    assert exhausted == {"a"}
    _, exhausted = judge([candidate], lambda *_: "name", standing_in=NONE)
    assert exhausted == {"a"}, "one of five was compared"
    _, exhausted = judge([weak("a", b=0.99, more=True, compared=1)], lambda *_: "name", standing_in=NONE)
    assert exhausted == set()


NAMES = "abcdefgh"
LEVELS = st.sampled_from([0.0, 0.85, 0.91, 0.95, 0.95, 0.99])


@st.composite
def scenes(draw):
    """Similarities of eight nodes, some of them weak, and pairs that differ."""
    similar = {pair: draw(LEVELS) for pair in combinations(NAMES, 2)}
    some = draw(st.sets(st.sampled_from(NAMES), min_size=1))
    differ = draw(st.sets(st.sampled_from(sorted(similar)), max_size=6))
    compared = draw(st.sampled_from([1, 2, 5]))
    thickness = {name: draw(st.sampled_from([0.0, 0.05, 0.1])) for name in some}
    candidates = [
        weak(
            name,
            thickness=thickness[name],
            compared=compared,
            **{other: value for pair, value in similar.items() if name in pair for other in pair if other != name},
        )
        for name in sorted(some)
    ]
    return candidates, differing(*differ)


@given(scenes())
def test_whatever_the_similarities_what_goes_is_near_to_one_that_stays(scene):
    candidates, against = scene
    found = verdicts(*candidates, against=against)
    gone = {name for name, verdict in found.items() if verdict.removed}
    assert set(found) == {candidate.node.id for candidate in candidates}
    for candidate in candidates:
        verdict = found[candidate.node.id]
        if verdict.removed:
            assert verdict.neighbour.id not in gone
            assert candidate.benefit > 1.0 - verdict.neighbour.similarity
            assert against(candidate.node.id, verdict.neighbour.id) is None
    standing = {found[name].neighbour.id for name in gone}
    assert {name for name, verdict in found.items() if verdict.rule == "stands_in"} <= standing


@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_makes_no_difference(scene, random):
    candidates, against = scene
    shuffled = random.sample(candidates, len(candidates))
    assert verdicts(*candidates, against=against) == verdicts(*shuffled, against=against)


@given(scenes())
def test_judged_again_right_after_nothing_more_goes(scene):
    candidates, against = scene
    found = verdicts(*candidates, against=against)
    gone = {name for name, verdict in found.items() if verdict.removed}
    left = []
    for candidate in candidates:
        if candidate.node.id not in gone:
            near = [each for each in candidate.near if each.id not in gone]
            left.append(replace(candidate, near=near, best=near[0] if near else None))
    standing = {found[name].neighbour.id for name in gone}
    assert not any(verdict.removed for verdict in verdicts(*left, against=against, standing_in=standing).values())
