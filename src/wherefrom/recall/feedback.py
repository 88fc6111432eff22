"""Feedback: the verb, and the change that a judgement makes to a node's utility, confidence and quality.

Utility and quality decay from the last judgement on: first both are brought up to now, u·2^(−days / half-life), then
the signal's deltas, times the strength of the judgement, are added. Decaying in one step or in many gives the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from wherefrom.engine.params import TraceId, check_call_id, id_param
from wherefrom.engine.view import Engine
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.param import Param
from wherefrom.model.results import FeedbackResult
from wherefrom.recall.rerank import days_before, share_left
from wherefrom.recall.settings import Feedback, RecallSettings, Signal
from wherefrom.storage import contexts, edges, events, locks, nodes
from wherefrom.storage.events import Trace
from wherefrom.storage.port import SEARCHED, Transaction

_JudgedId = Annotated[str, id_param("The memo or claim that you judge.", aliases=("claim_id",))]
_Score = Annotated[
    float | None, Param("How strongly, −1 to 1, by its size; the signal says which way. Omit for 1.", -1, 1)
]
_ContextOf = Annotated[str | None, id_param("The context that it came with.", refers="context", option="--context")]
_DuplicateOf = Annotated[
    str | None, id_param("With signal 'duplicate': the memo that stands for both from now on.", option="--of")
]
_CountedOnce = Annotated[
    str | None, Param("The same request_id counts once.", option="--request", metavar="ID", check=check_call_id)
]


class FeedbackEngine(Engine):
    """Learns from judgements of what was recalled."""

    def feedback(
        self,
        memo_id: _JudgedId,
        signal: Annotated[Signal, Param("What it turned out to be.")],
        *,
        score: _Score = None,
        active_context_id: _ContextOf = None,
        duplicate_of: _DuplicateOf = None,
        request_id: _CountedOnce = None,
        trace_id: TraceId = None,
    ) -> FeedbackResult:
        """Say that a memo or claim was helpful, harmful, outdated, a duplicate, or completed.

        `score` (−1 to 1) says how strongly: utility and confidence change by its size times what the signal changes.
        What is outdated, and a completed task, no longer holds: it becomes history, and `restore` undoes that.
        With `duplicate_of`, that node stands for it from now on; it is kept and no longer recalled by itself.
        The same request_id counts once.
        """
        if signal == "helpful" and score is not None and score < 0:
            raise InvalidInput("helpful has a score of 0 to 1", hint="say harmful or outdated, if it was that")
        # The signal says which way, so that only the size of the score matters.
        strength = 1.0 if score is None else abs(score)
        if duplicate_of is not None and (signal != "duplicate" or duplicate_of == memo_id):
            raise InvalidInput("duplicate_of names another node, with the signal 'duplicate'")
        trace = Trace(request_id, trace_id)
        known, access = self.view.boundary.policies, self.view.access

        def work(tx: Transaction) -> FeedbackResult:
            now = self.view.now()
            locks.share(tx, access.owner)
            # Only an access that sees both nodes may say that one stands for the other.
            node = (nodes.get if signal == "duplicate" else nodes.find)(tx, access, memo_id)
            if node.kind not in SEARCHED:
                raise InvalidInput(f"{node.id} is a {node.kind}; memos and claims are judged")
            settings = known.at(node.namespace).settings(RecallSettings).feedback
            given = {"id": self.store.new_id(), "at": now, "signal": signal, "score": score}
            given |= {"context_id": active_context_id, "duplicate_of": duplicate_of}
            after = judged(node, signal, now=now, settings=settings, strength=strength)
            done = contexts.judge(tx, access, node, after, given, trace=trace)
            done = replace(done, node=nodes.read(tx, access, memo_id))
            if done.status == "repeated" or strength == 0.0 or signal == "completed":
                return done
            # Relations of a node that helped become stronger, else weaker; with a context, those to its other nodes.
            others = None if active_context_id is None else contexts.node_ids(tx, access, active_context_id)
            weaken = signal != "helpful"
            count = edges.reinforce_of(tx, access, node.id, others, weaken=weaken, now=now)
            if count:
                payload = {"memo_id": node.id, "weaken": weaken}
                events.record(tx, access, "reinforce", payload, about=events.about_node(node), at=now, trace=trace)
            return replace(done, links=count)

        return self.store.database.write(work)


def judged(node: Node, signal: Signal, *, now: str, settings: Feedback, strength: float = 1.0) -> Node:
    """Return a node after a judgement. Only a positive one makes it fresh again. A task that is `completed`, and
    whatever is `outdated`, has ended; `restore` lets it hold again.

    strength: the share of the signal's deltas that counts, 0 to 1.
    """
    utility_delta, confidence_delta = (strength * delta for delta in settings.deltas[signal])
    current = decayed(node, now=now, settings=settings)
    ends = signal == "outdated" or (signal == "completed" and node.claim_kind == "task")
    ends = ends and strength > 0 and (node.valid_to is None or node.valid_to > now)
    return replace(
        current,
        utility=current.utility + utility_delta,
        confidence=min(max(current.confidence + confidence_delta, 0.0), 1.0),
        recency_anchor=max(now, node.recency_anchor) if utility_delta > 0 else node.recency_anchor,
        valid_to=now if ends else node.valid_to,
    )


def decayed(node: Node, *, now: str, settings: Feedback) -> Node:
    """Return a node with the utility and the quality that it has now."""
    days = days_before(now, [node.judged_at or node.created_at])
    return replace(
        node,
        utility=node.utility * float(share_left(days, settings.utility_half_life_days)[0]),
        quality=node.quality * float(share_left(days, settings.quality_half_life_days)[0]),
        judged_at=max(now, node.judged_at or now),
    )
