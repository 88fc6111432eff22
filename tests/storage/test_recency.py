"""The recency anchor: what makes a node fresh again for recall, and what leaves its age as it is."""

from __future__ import annotations

import io

import pytest

from wherefrom import Memory

FACT = "The soak test takes six hours."
NEW_FACT = "The soak test takes four hours."
# g of a fact that nobody judged: 0.8 · 0.75 · (0.3 + 0.7 · 2^(−days / 120)).
FRESH_G = 0.6
G_AFTER_100_DAYS = 0.416


def found_g(memory):
    (hit,) = memory.search("soak test", rank="final").hits
    return hit.factors.g


@pytest.fixture
def old(timed, clock):
    """A fact that was saved 100 days ago."""
    node = timed.save(FACT, title="Soak test", claim_kind="fact").node
    clock.go_on(days=100)
    assert found_g(timed) == pytest.approx(G_AFTER_100_DAYS, abs=1e-3)
    return node


def test_a_rewritten_text_is_as_fresh_as_a_new_one(timed, old):
    saved = timed.save(NEW_FACT, memo_id=old.id)
    assert saved.node.recency_anchor == saved.node.updated_at > old.recency_anchor
    assert found_g(timed) == pytest.approx(FRESH_G)


def test_a_text_that_is_saved_again_is_fresh_and_no_new_version(timed, old):
    saved = timed.save(FACT, claim_kind="fact")
    assert (saved.status, saved.node.version, saved.node.updated_at) == ("duplicate", 1, old.updated_at)
    assert timed.get(old.id) == saved.node
    assert found_g(timed) == pytest.approx(FRESH_G)


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Another title"},
        {"metadata": {"seen": 2}},
        {"scope": "principle"},
        {"confidence": 0.5, "claim_kind": "preference"},
        {"pinned": True},
        {"provenance": {"actor": "Mira"}},
        {},
    ],
)
def test_changing_anything_but_the_text_leaves_the_age(timed, old, change):
    saved = timed.save(FACT, memo_id=old.id, **change)
    assert saved.status == ("updated" if change else "unchanged")
    assert timed.get(old.id).recency_anchor == old.recency_anchor


@pytest.mark.parametrize(("signal", "fresh"), [("helpful", True), ("harmful", False), ("outdated", False)])
def test_of_judgements_only_a_positive_one_refreshes(timed, old, signal, fresh):
    timed.feedback(old.id, signal)
    assert (timed.get(old.id).recency_anchor > old.recency_anchor) is fresh


def test_a_judgement_after_a_rewrite_does_not_take_its_freshness_back(timed, old, clock):
    rewritten = timed.save(NEW_FACT, memo_id=old.id).node
    clock.go_on(days=1)
    timed.feedback(old.id, "outdated")
    assert timed.get(old.id).recency_anchor == rewritten.recency_anchor


def test_an_anchor_never_moves_back(timed, old, clock):
    later = timed.save(FACT, claim_kind="fact").node.recency_anchor
    clock.go_on(days=-50)
    assert timed.save(FACT, claim_kind="fact").node.recency_anchor == later


def test_a_stricter_class_leaves_the_age(timed, clock):
    public = timed.save(FACT, boundary_class="public").node
    clock.go_on(days=100)
    changed = timed.save(FACT, memo_id=public.id, boundary_class="internal").node
    assert (changed.boundary_class, changed.recency_anchor) == ("internal", public.recency_anchor)


def test_an_import_keeps_the_anchor_of_the_file(timed, old, new_url, clock):
    stream = io.StringIO()
    timed.export(stream)
    with Memory.open(new_url("sqlite"), clock=clock) as other:
        other.import_(io.BytesIO(stream.getvalue().encode()))
        assert other.get(old.id).recency_anchor == old.recency_anchor
