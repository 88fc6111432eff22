"""The critic: what a judgement makes of a node's utility, confidence and quality.

Utility and quality decay from the last judgement on: first both are brought up to now, u·2^(−days / half-life), then
the signal's deltas, times the strength of the judgement, are added. Decaying in one step or in many gives the same.
"""

from __future__ import annotations

from dataclasses import replace

from wherefrom.model.graph import Node
from wherefrom.policy.retrieval import Feedback, Signal
from wherefrom.recall.rerank import days_before, half_of


def judged(node: Node, signal: Signal, *, now: str, settings: Feedback, strength: float = 1.0) -> Node:
    """The node after a judgement. Only a positive one makes it fresh again; one that completes a task closes it.

    strength: the share of the signal's deltas that counts, 0 to 1.
    """
    utility_delta, confidence_delta = (strength * delta for delta in settings.deltas[signal])
    current = decayed(node, now=now, settings=settings)
    return replace(
        current,
        utility=current.utility + utility_delta,
        confidence=min(max(current.confidence + confidence_delta, 0.0), 1.0),
        recency_anchor=max(now, node.recency_anchor) if utility_delta > 0 else node.recency_anchor,
        valid_to=now if signal == "completed" and node.valid_to is None else node.valid_to,
    )


def decayed(node: Node, *, now: str, settings: Feedback) -> Node:
    """The node with its utility and quality as they are now."""
    days = days_before(now, [node.judged_at or node.created_at])
    return replace(
        node,
        utility=node.utility * float(half_of(days, settings.utility_half_life_days)[0]),
        quality=node.quality * float(half_of(days, settings.quality_half_life_days)[0]),
        judged_at=max(now, node.judged_at or now),
    )
