"""What judgements make of a node."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom import Memory
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.recall.feedback import decayed, judged
from wherefrom.recall.settings import Feedback

START = datetime(2026, 1, 1, tzinfo=UTC)
MADE = timestamp(START)
NODE = Node("a", "main", "text", "", MADE, MADE, MADE, MADE)
SEED = Feedback()
SIGNALS = ("helpful", "harmful", "outdated", "duplicate", "completed")


def after(days):
    return timestamp(START + timedelta(days=days))


def judge(node, signal, *, days=0.0, settings=SEED):
    return judged(node, signal, now=after(days), settings=settings)


@pytest.mark.parametrize(
    ("signal", "utility", "confidence"),
    [
        ("helpful", 0.10, 0.05),
        ("harmful", -0.20, -0.10),
        ("outdated", 0.0, -0.20),
        ("duplicate", -0.05, 0.0),
        ("completed", 0.0, 0.0),
    ],
)
def test_what_each_signal_adds(signal, utility, confidence):
    node = judge(NODE, signal)
    assert node.utility == pytest.approx(utility)
    assert node.confidence == pytest.approx(0.5 + confidence)
    assert node.quality == 0.5


def test_confidence_stays_within_its_range_and_utility_does_not():
    node = NODE
    for _ in range(20):
        node = judge(node, "helpful")
    assert (node.utility, node.confidence) == (pytest.approx(2.0), 1.0)
    for _ in range(30):
        node = judge(node, "harmful")
    assert (node.utility, node.confidence) == (pytest.approx(-4.0), 0.0)


def test_utility_decays_before_the_delta_is_added():
    """1.0 is 0.5 after thirty days; quality 0.5 is then 0.5·2^(−30/120) = 0.42045."""
    node = judge(replace(NODE, utility=1.0), "helpful", days=30)
    assert node.utility == pytest.approx(0.6)
    assert node.quality == pytest.approx(0.420448, abs=1e-6)
    assert node.judged_at == after(30)
    assert node.confidence == pytest.approx(0.55)


def test_quality_is_half_after_120_days():
    assert decayed(NODE, now=after(120), settings=Feedback()).quality == pytest.approx(0.25)


def test_nothing_decays_backwards():
    ahead = replace(NODE, utility=1.0, judged_at=after(10))
    node = decayed(ahead, now=after(5), settings=Feedback())
    assert (node.utility, node.quality, node.judged_at) == (1.0, 0.5, after(10))


@pytest.mark.parametrize("signal", SIGNALS)
def test_only_a_positive_judgement_makes_a_node_fresh_again(signal):
    node = judge(NODE, signal, days=40)
    assert node.recency_anchor == (after(40) if signal == "helpful" else MADE)


def test_a_signal_is_positive_if_the_policy_makes_it_so():
    settings = Feedback(deltas={"completed": (0.3, 0.0), "helpful": (0.0, 0.05)})
    assert judge(NODE, "completed", days=1, settings=settings).recency_anchor == after(1)
    assert judge(NODE, "helpful", days=1, settings=settings).recency_anchor == MADE


def test_an_anchor_never_moves_back():
    ahead = replace(NODE, recency_anchor=after(9))
    assert judge(ahead, "helpful", days=3).recency_anchor == after(9)


@pytest.mark.parametrize("signal", SIGNALS)
def test_only_what_is_completed_is_closed(signal):
    """A completed task has ended, and whatever is outdated; a fact cannot be completed."""
    task = replace(NODE, kind="claim", claim_kind="task")
    assert judge(task, signal, days=2).valid_to == (after(2) if signal in ("completed", "outdated") else None)
    assert judge(NODE, signal, days=2).valid_to == (after(2) if signal == "outdated" else None)


def test_what_was_closed_earlier_stays_closed_then():
    for signal in ("completed", "outdated"):
        task = replace(NODE, kind="claim", claim_kind="task", valid_to=after(1))
        assert judge(task, signal, days=2).valid_to == after(1)


def test_a_judgement_changes_nothing_else():
    node = judge(NODE, "helpful", days=3)
    same = {"utility", "confidence", "quality", "recency_anchor", "judged_at"}
    assert replace(node, **{name: getattr(NODE, name) for name in same}) == NODE


@given(
    st.floats(-10, 10),
    st.floats(0, 1),
    st.lists(st.floats(0, 400), min_size=1, max_size=8),
    st.floats(1, 400),
    st.floats(1, 400),
)
def test_decay_does_not_depend_on_the_number_of_steps(utility, quality, moments, half_life, other):
    settings = Feedback(utility_half_life_days=half_life, quality_half_life_days=other)
    node = replace(NODE, utility=utility, quality=quality)
    in_steps = node
    for moment in sorted(moments):
        in_steps = decayed(in_steps, now=after(moment), settings=settings)
    at_once = decayed(node, now=after(max(moments)), settings=settings)
    assert in_steps.utility == pytest.approx(at_once.utility, rel=1e-9, abs=1e-12)
    assert in_steps.quality == pytest.approx(at_once.quality, rel=1e-9, abs=1e-12)
    exact = utility * math.pow(2, -max(moments) / half_life)
    assert at_once.utility == pytest.approx(exact, rel=1e-6, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from(SIGNALS), st.floats(0, 90)), max_size=12), st.floats(0, 1))
def test_confidence_is_a_share_after_any_judgements(judgements, confidence):
    node = replace(NODE, confidence=confidence)
    elapsed = 0.0
    for signal, days in judgements:
        elapsed += days
        node = judge(node, signal, days=elapsed)
        assert 0.0 <= node.confidence <= 1.0
        assert math.isfinite(node.utility)


def test_judgements_are_stored_with_what_they_changed(tmp_path, execute):
    moments = iter(START + timedelta(minutes=at) for at in range(1_000))
    url = str(tmp_path / "memory.db")
    with Memory.open(url, clock=lambda: next(moments)) as memory:
        memo = memory.save("The deploy needs a flag.").node
        answer = memory.feedback(memo.id, "helpful", request_id="r1")
        again = memory.feedback(memo.id, "helpful", request_id="r1")
        stored = memory.get(memo.id)
    assert (answer.status, again.status) == ("recorded", "repeated")
    assert stored == answer.node
    assert stored.utility == pytest.approx(0.1)
    assert stored.confidence == pytest.approx(0.55)
    assert stored.recency_anchor > memo.recency_anchor
    assert (stored.version, stored.updated_at) == (memo.version, memo.updated_at)
    ((payload,),) = execute(url, "select payload from events where topic = 'critic'")
    assert '"utility":[0.0,0.1]' in payload.replace(" ", "")


def test_one_judgement_among_many_moves_g_a_little_and_in_the_original_designs_to_its_end(memory):
    """Of 40 memos one was helpful: mean 0.0025, deviation 0.0158; z = 0.0975 / 0.2, or 39 / √40 by the design."""
    ids = [memory.save(f"The gate {number} opens at nine.").node.id for number in range(40)]
    memory.feedback(ids[7], "helpful")

    def utility_z():
        hits = memory.search("The gate 7 opens at nine.", rank="final", limit=50).hits
        return next(hit.factors.utility_z for hit in hits if hit.node.id == ids[7])

    assert utility_z() == pytest.approx(0.4875, abs=1e-4)
    memory.apply_policy(json.dumps({"version": "1.0.1", "retrieval": {"preset": "activation"}}))
    assert utility_z() == pytest.approx(39 / 40**0.5, abs=1e-3)
