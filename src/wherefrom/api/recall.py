"""The engine of recall: activate, context, feedback, sweep."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.api.params import (
    Filter,
    Namespace,
    RequestId,
    Scopes,
    TraceId,
    check_call_id,
    check_query,
)
from wherefrom.api.questions import SEARCHED, Questions, holding
from wherefrom.api.view import Engine, View
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import Edge, Node, Scope
from wherefrom.model.identifiers import timestamp
from wherefrom.model.param import Param
from wherefrom.model.results import ActiveContext, ContextItem, Judged, Swept
from wherefrom.policy.retrieval import Signal
from wherefrom.storage import contexts, edges, events, feedback, nodes, retired, standings, sweep
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check
from wherefrom.text.tokens import count_tokens, text_of

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Effective
    from wherefrom.recall.pipeline import Recall, Wanted

# So many expired nodes are retired in one transaction.
_SWEPT_AT_ONCE: Final = 100
_SWEEP_LIMIT: Final = 100_000
_NOT_KEPT: Final = "the active context is not kept: this memory may only be read"
_SUPERSEDES: Final = "supersedes"

_Query = Annotated[
    str,
    Param(
        "What you are about to do or answer, in plain words of any language.",
        aliases=("q",),
        check=check_query,
    ),
]
_Allow = Annotated[Sequence[str] | None, Param("Give up all your tags but these, for this call.", only="agents")]
_Items = Annotated[
    int | None,
    Param(
        "How many items at most. Omit for what the policy says (12).",
        1,
        limits.CONTEXT_LIMIT,
        name="top_k",
        aliases=("limit",),
        option="--limit",
    ),
]
_MaxTokens = Annotated[int | None, Param("How long the texts may be together.", 1, limits.CONTEXT_TOKENS)]
_Graph = Annotated[
    bool | None,
    Param("Follow relations and mentions, too. Omit: as the policy says.", option="--graph/--no-graph"),
]
_Provenance = Annotated[
    Mapping[str, Any] | None,
    Param("Who asks and why; kept with the context.", check=check.check_metadata, only="agents"),
]
_JudgedId = Annotated[
    str,
    Param(
        "The memo or claim that you judge.",
        aliases=("claim_id",),
        metavar="MEMO_ID",
        check=check.check_id,
    ),
]
_Score = Annotated[
    float | None,
    Param("How strongly, −1 to 1, by its size; the signal says which way. Omit for 1.", -1, 1),
]
_ContextOf = Annotated[
    str | None, Param("The context that it came with.", option="--context", metavar="ID", check=check.check_id)
]
_DuplicateOf = Annotated[
    str | None,
    Param(
        "With signal 'duplicate': the memo that stands for both from now on.",
        option="--of",
        metavar="MEMO_ID",
        check=check.check_id,
    ),
]
_CountedOnce = Annotated[
    str | None, Param("The same request_id counts once.", option="--request", metavar="ID", check=check_call_id)
]


class RecallEngine(Engine):
    """Recalls what matters now, and learns what became of it."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._questions = Questions(view)

    def activate(
        self,
        query: _Query,
        *,
        scope: Scopes = (),
        allow: _Allow = None,
        namespace: Namespace = None,
        limit: _Items = None,
        max_tokens: _MaxTokens = None,
        graph: _Graph = None,
        metadata: Filter = None,
        provenance: _Provenance = None,
        request_id: RequestId = None,
        trace_id: TraceId = None,
    ) -> ActiveContext:
        """Recall the few nodes that matter for a question now, and keep them as an active context.

        `scope` takes only nodes of these scopes, `allow` gives up all tags but these, `limit` is how many nodes at
        most, `max_tokens` how long their texts may be together. `graph` follows relations and mentions, too (the
        policy says whether, by default it does).
        """
        started = time.monotonic()
        boundary, questions = self.view.boundary, self._questions
        access = boundary.narrowed(self.view.reading(namespace), allow)
        rules = boundary.at(access.root)
        question, degraded = questions.question(query, None, access)
        question = replace(question, kinds=SEARCHED, scopes=scope, metadata=metadata or {})
        wanted = questions.request(question, rules, graph=graph, limit=limit)
        wanted = replace(
            wanted,
            holds=holding(access, boundary.in_force().policies),
            deadline=started + wanted.retrieval.context.timeout_ms / 1000,
        )
        recalled, items, tokens, waiting = self._recalled(access, wanted, _budget(max_tokens, scope, rules))
        context = replace(
            self._context(wanted, recalled, rules, taken=len(items)),
            provenance=boundary.cleaned_values(provenance or {}, access.root),
            items=tuple(items),
            tokens=tokens,
            degraded=(
                *degraded,
                *questions.uncalibrated(question, rules),
                *recalled.late,
                *questions.waiting(waiting, degraded),
            ),
        )
        return self._stored_context(access, context, recalled, Trace(request_id, trace_id))

    def context(
        self,
        context_id: Annotated[
            str,
            Param("The context's id.", name="active_context_id", metavar="CONTEXT_ID", check=check.check_id),
        ],
    ) -> ActiveContext:
        """Read an active context again, while it lives; one that has expired is gone."""
        access = self.view.access
        return self.store.database.read(lambda tx: contexts.get(tx, access, context_id, now=self.view.now()))

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
    ) -> Judged:
        """Say that a memo or claim was helpful, harmful, outdated, a duplicate, or completed.

        `score` (−1 to 1) says how strongly: utility and confidence change by its size times what the signal changes.
        With `duplicate_of`, that node stands for it from now on; it is kept and no longer recalled by itself.
        The same request_id counts once.
        """
        from wherefrom.recall.critic import judged

        strength = _strength(signal, score)
        if duplicate_of is not None and (signal != "duplicate" or duplicate_of == memo_id):
            raise InvalidInput("duplicate_of names another node, with the signal 'duplicate'")
        trace = Trace(request_id, trace_id)
        known, access = self.view.boundary.in_force().policies, self.view.writing

        def work(tx: Transaction) -> Judged:
            now = self.view.now()
            # Whose text stands for whose is for those to say who see both.
            node = (nodes.get if signal == "duplicate" else nodes.find)(tx, access, memo_id)
            if node.kind not in SEARCHED:
                raise InvalidInput(f"{node.id} is a {node.kind}; memos and claims are judged")
            settings = known.at(node.namespace).retrieval.feedback
            given = feedback.Given(self.store.new_id(), node, signal, active_context_id, duplicate_of, now, score)

            def judge(before: Node) -> Node:
                return judged(before, signal, now=now, settings=settings, strength=strength)

            done = feedback.record(tx, access, given, trace=trace, judge=judge)
            done = replace(done, node=nodes.read(tx, access, memo_id))
            if done.status == "repeated" or strength == 0.0:
                return done
            return self._reinforced(tx, access, done, active_context_id, trace)

        return self.store.database.write(work)

    def sweep(self, *, limit: Annotated[int, Param("How many at most.", 1, _SWEEP_LIMIT)] = 1_000) -> Swept:
        """Retire what has expired, with a receipt, and forget receipts, contexts and events that are long past."""
        run_id = self.store.new_id()
        access = self.view.writing
        gone: list[str] = []
        links = 0
        while len(gone) < limit:
            some = min(_SWEPT_AT_ONCE, limit - len(gone))
            swept = self.store.database.write(
                lambda tx, some=some: sweep.expired(  # type: ignore[misc]
                    tx, access, run_id=run_id, now=self.view.now(), limit=some
                )
            )
            gone += swept.node_ids
            links += swept.edges
            if len(swept.node_ids) < some:
                break
        self.store.database.write(lambda tx: sweep.forget_old(tx, access, self.store.clock()))
        while self.store.database.write(lambda tx: retired.purge(tx, access, self.store.clock())):
            pass
        return Swept(run_id, tuple(gone), links)

    def _reinforced(
        self, tx: Transaction, access: Access, done: Judged, context_id: str | None, trace: Trace
    ) -> Judged:
        """What helped strengthens the relations it has (with the others of its context, if there is one), what did
        not weakens them.
        """
        if done.signal == "completed":
            return done
        others = None if context_id is None else contexts.node_ids(tx, access, context_id)
        now, weaken = self.view.now(), done.signal != "helpful"
        links = edges.reinforce_of(tx, access, done.node.id, others, weaken=weaken, now=now)
        if links:
            payload = {"memo_id": done.node.id, "links": links, "weaken": weaken}
            events.record(tx, access, "reinforce", payload, namespace=done.node.namespace, at=now, trace=trace)
        return replace(done, links=links)

    def _recalled(self, access: Access, wanted: Wanted, budget: int) -> tuple[Recall, list[ContextItem], int, bool]:
        """What is recalled; its items within the budget and how many tokens they have; and whether texts wait for
        their vectors.
        """
        from wherefrom.recall.pipeline import recall

        questions, measure = self._questions, self.view.measure(access)

        def look(tx: Transaction) -> tuple[Recall, list[ContextItem], int, bool]:
            recalled = recall(tx, access, wanted, questions.searching())
            items, tokens = _items(tx, access, recalled, budget, measure)
            return recalled, items, tokens, questions.has_waiting(tx, access)

        return self.store.database.read(look)

    def _context(self, wanted: Wanted, recalled: Recall, rules: Effective, *, taken: int) -> ActiveContext:
        """A context without its items, of which so many were taken."""
        moment = self.store.clock()
        over = len(recalled.chosen) - taken
        return ActiveContext(
            id=self.store.new_id(),
            question=wanted.question.text,
            scopes=tuple(wanted.question.scopes),
            policy_version=rules.version,
            provenance={},
            created_at=timestamp(moment),
            expires_at=timestamp(moment + timedelta(minutes=wanted.retrieval.context.minutes)),
            items=(),
            parameters={**recalled.parameters, "arms": list(recalled.arms)},
            filtered={**recalled.filtered, **({"over_budget": over} if over else {})},
        )

    def _stored_context(self, access: Access, context: ActiveContext, recalled: Recall, trace: Trace) -> ActiveContext:
        """The context, stored with its events; it says so if this memory may only be read."""
        if self.store.database.read_only:
            return replace(context, degraded=(*context.degraded, _NOT_KEPT), is_kept=False)
        writing = self.view.writing

        def work(tx: Transaction) -> None:
            contexts.save(tx, access, context, namespace=access.root)
            now = context.created_at
            sweep.expired(tx, writing, run_id=self.store.new_id(), now=now, limit=_SWEPT_AT_ONCE)
            payload = _event_of(context, recalled)
            events.record(tx, access, "activate", payload, namespace=access.root, at=now, trace=trace)

        self.store.database.write(work)
        self._questions.note_filtered(access, "activate", context.filtered, trace)
        self._questions.note_fallback(access, context.degraded, trace)
        return context


def _event_of(context: ActiveContext, recalled: Recall) -> dict[str, Any]:
    return {
        "active_context_id": context.id,
        "policy_version": context.policy_version,
        **context.parameters,
        "items": len(context.items),
        "filtered": dict(context.filtered),
        "scores": recalled.statistics,
        "degraded": len(context.degraded),
    }


def _budget(max_tokens: int | None, scopes: Sequence[Scope], rules: Effective) -> int:
    """How many tokens the texts may have together: what the policy allows for these scopes, or less."""
    most = min((rules.max_tokens(scope) for scope in scopes), default=limits.CONTEXT_TOKENS)
    return most if max_tokens is None else min(most, max_tokens)


def _items(
    tx: Transaction, access: Access, recalled: Recall, budget: int, measure: edges.Measure
) -> tuple[list[ContextItem], int]:
    """The nodes in full, by rank, as far as their texts fit the budget; and how many tokens they have."""
    from wherefrom.recall.explain import reason_of

    by_id = nodes.read_by_ids(tx, access, [chosen.node_id for chosen in recalled.chosen])
    against = standings.disputes(tx, access, list(by_id))
    by_id = {node_id: node for node_id, node in by_id.items() if not _is_replaced(node_id, against)}
    disputes = measure(tx, [edge for edge in against if edge.tag != _SUPERSEDES])
    items: list[ContextItem] = []
    tokens = 0
    for chosen in recalled.chosen:
        node = by_id.get(chosen.node_id)
        size = 0 if node is None else count_tokens(text_of(node.title, node.content))
        if node is None or tokens + size > budget:
            continue
        tokens += size
        own = tuple(edge for edge in disputes if node.id in (edge.source_id, edge.target_id))
        items.append(
            ContextItem(
                rank=len(items) + 1,
                node=node,
                score=chosen.score,
                reason=reason_of(chosen.weighed, chosen.score),
                weighed=chosen.weighed,
                replaces=(*chosen.replaces, *(edge.target_id for edge in against if _replaces(edge, node))),
                disputed_by=tuple(sorted({_other_end(edge, node) for edge in own})),
                disputes=own,
            )
        )
    return items, tokens


def _strength(signal: Signal, score: float | None) -> float:
    """How strongly a judgement counts, 0 to 1. The signal says which way, so that only its size matters."""
    if score is None:
        return 1.0
    if signal == "helpful" and score < 0:
        raise InvalidInput("helpful has a score of 0 to 1", hint="say harmful or outdated, if it was that")
    return abs(score)


def _is_replaced(node_id: str, against: Sequence[Edge]) -> bool:
    return any(edge.tag == _SUPERSEDES and edge.target_id == node_id != edge.source_id for edge in against)


def _replaces(edge: Edge, node: Node) -> bool:
    return edge.tag == _SUPERSEDES and edge.source_id == node.id


def _other_end(edge: Edge, node: Node) -> str:
    return edge.source_id if edge.target_id == node.id else edge.target_id
