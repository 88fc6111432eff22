"""One notion of strength across engines: what insight makes, recall uses and metabolism lets go, over six months."""

from __future__ import annotations

import pytest
from insight_for_tests import NOTES

from wherefrom import Memory
from wherefrom.model.insight import CONFIDENCE, DOUBT
from wherefrom.model.metabolism import EVIDENCE_TAGS


@pytest.fixture
def memory(url, clock):
    with Memory.open(url, clock=clock) as opened:
        yield opened


def guesses(memory):
    """The relations by insight that there are, as sets of their ends."""
    found = memory.relations(limit=200).edges
    return {frozenset((edge.source_id, edge.target_id)): edge for edge in found if edge.judge == "insight"}


def live(memory, clock, used, *, weeks):
    """Live for some weeks, two at a time: other memos are related, one pair is used, and metabolism runs; returns how
    many relations its receipts have brought back, each run's before it was done again.
    """
    brought_back = 0
    for week in range(0, weeks, 2):
        clock.go_on(days=14)
        days = [memory.save(f"Diary of week {week} in {clock.now:%B}, {part}.").node.id for part in ("first", "second")]
        memory.relate(*days, tag="follows", weight=1.0)
        context = memory.activate("What does the mud of the Nile make of the fields?")
        assert set(used) <= {item.node.id for item in context.items}, "they are recalled together"
        memory.feedback(used[0], "helpful", active_context_id=context.id)
        run = memory.metabolize(apply=True)
        if run.links_removed:
            brought_back += memory.restore(run_id=run.run_id).links
            memory.metabolize(apply=True)
    return brought_back


def test_in_six_months_used_links_stay_and_unused_ones_go_with_a_receipt_and_are_found_again(memory, clock):
    ids = [memory.save(text).node.id for text in NOTES["en"]]
    plan = memory.find_insight()
    memory.apply_insight(plan.id)
    made = guesses(memory)
    assert len(made) >= 10
    assert all(edge.thickness > 2 * 0.1 for edge in made.values()), "clearly above the cut on the day it is made"
    used = next(tuple(pair) for pair in made if pair <= set(ids[:3]))
    by_hand = next(tuple(pair) for pair in made if pair <= set(ids[6:9]))

    assert live(memory, clock, used, weeks=6) == 0
    assert guesses(memory).keys() == made.keys(), "unused, they are all there after six weeks"
    edge = made[frozenset(by_hand)]
    memory.relate(edge.source_id, edge.target_id, tag=edge.tag, weight=edge.weight)
    brought_back = live(memory, clock, used, weeks=20)
    there = {frozenset((edge.source_id, edge.target_id)): edge for edge in memory.relations(limit=200).edges}
    assert there[frozenset(used)].judge == "insight"
    assert there[frozenset(used)].thickness > 0.5, "it gained by use"
    assert there[frozenset(by_hand)].judge is None, "so did what was related by hand"
    gone = made.keys() - there.keys()
    assert 0 < len(gone) <= brought_back, "unused ones went, with a receipt"
    again = (memory.find_insight(node_id).accepted for pair in gone for node_id in pair)
    found = {frozenset((link.source_id, link.target_id)) for links in again for link in links}
    assert found & gone, "what went may be found again"


def test_what_insight_makes_is_followed_as_before_and_fades_below_the_cut_after_six_weeks():
    assert pytest.approx(0.15) == CONFIDENCE - DOUBT, "the share of links that are true"
    least = 0.55 * CONFIDENCE
    assert least * 2 ** (-42 / 30) > 0.1 > least * 2 ** (-45 / 30)
    assert "related" not in EVIDENCE_TAGS


def test_links_of_a_store_from_before_are_as_strong_as_new_ones(url, execute, clock, cluster):
    if cluster is not None:  # a store is distributed by a program that has made this migration
        return
    with Memory.open(url, clock=clock) as memory:
        one, other = (memory.save(text).node.id for text in NOTES["en"][:2])
        memory.relate(one, other, tag="related", weight=0.7)
    execute(url, "update edges set judge = 'insight', confidence = 0.15")
    execute(url, "delete from schema_migrations where version = 34")
    with Memory.open(url, clock=clock) as memory:
        (edge,) = memory.relations().edges
    assert (edge.confidence, edge.thickness) == (pytest.approx(0.5), pytest.approx(0.35))
