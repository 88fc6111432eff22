"""The benchmark of facts that change, on a few of its worlds without others around them."""

from __future__ import annotations

from bench.changes import LANGUAGES, Tally, measure
from bench.changes_worlds import in_order, lasting, lookalikes, near, says_update, worlds


def test_shares_are_counted_by_group():
    tally = Tally()
    tally.add(["all", "language de"], "found", has=True)
    tally.add(["all"], "found", has=2, of=3)
    tally.add(["all"], "never asked", has=0, of=0)
    assert tally.figures() == {"all": {"found": "75.0 % (3/4)"}, "language de": {"found": "100.0 % (1/1)"}}


def test_worlds_know_what_was_there_on_their_earlier_day():
    for world in worlds("dev"):
        assert [note.fact for note in in_order(world.by_then()) if note.fact is not None] == [0]
        assert [note.fact for note in world.without_old() if note.fact is not None] == [world.latest]
        assert world.latest in (1, 2)


def test_each_part_has_half_of_the_notes():
    for read in (worlds, lookalikes, lasting):
        assert len(read("dev")) + len(read("final")) == len(read("all"))


def test_an_answer_of_a_program_that_names_nothing_near_has_no_hints():
    assert near(object()) == ()
    assert not says_update(object())


def test_what_has_a_slot_or_names_what_it_replaces_is_found_like_in_the_yardstick():
    figures = measure("sqlite", "dev", {key: [] for key in LANGUAGES[1:]}, first=2)
    for style in ("slot", "supersedes"):
        found = figures[style]["all"]
        assert found["search: not below its place in the yardstick"] == "100.0 % (2/2)"
        assert found["search: an old one is above it"] == "0.0 % (0/2)"
    assert {"saved", "hints", "lookalikes", "unchanged"} <= figures.keys()
