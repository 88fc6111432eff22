"""Verbs of recall: activate, context, feedback, sweep."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from wherefrom.api.asking import SEARCHED, Asking, holding
from wherefrom.api.state import trace_of
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import Edge, Node, Scope
from wherefrom.model.identifiers import timestamp
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

_SWEPT_AT_ONCE: Final = 100
_NOT_KEPT: Final = "the active context is not kept: this memory may only be read"
_SUPERSEDES: Final = "supersedes"


class RecallVerbs(Asking):
    """What matters now, and what became of it."""

    def activate(
        self,
        query: str,
        *,
        scope: Sequence[Scope] = (),
        allow: Sequence[str] | None = None,
        namespace: str | None = None,
        limit: int | None = None,
        max_tokens: int | None = None,
        graph: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        trace_id: str | None = None,
    ) -> ActiveContext:
        """Recall the few nodes that matter for a question now, and keep them as an active context.

        `scope` takes only nodes of these scopes, `allow` gives up all tags but these, `limit` is how many nodes at
        most, `max_tokens` how long their texts may be together. `graph` follows relations and mentions, too (the
        policy says whether, by default it does).
        """
        from wherefrom.recall.pipeline import recall

        trace = trace_of(request_id, trace_id)
        started = time.monotonic()
        access = self._boundary.narrowed(self._access.narrowed(self._access.resolve(namespace)), allow)
        rules = self._boundary.at(access.root)
        scopes = cast(tuple[Scope, ...], check.check_choices(scope, get_args(Scope), field="scope"))
        budget = self._budget(max_tokens, scopes, rules)
        if limit is not None:
            limit = check.check_whole(limit, field="limit", low=1, high=limits.CONTEXT_LIMIT)
        source = check.check_metadata({} if provenance is None else provenance, field="provenance")
        source = self._boundary.cleaned_values(source, access.root)
        filters = check.check_filter(metadata)
        question, degraded = self._question(query, None, access)
        question = replace(question, kinds=SEARCHED, scopes=scopes, metadata=filters)
        wanted = self._wanted(question, rules, graph=graph, limit=limit)
        wanted = replace(
            wanted,
            holds=holding(access, self._boundary.in_force().policies),
            deadline=started + wanted.retrieval.context.timeout_ms / 1000,
        )
        measure = self._measure(access)

        def look(tx: Transaction) -> tuple[Recall, list[ContextItem], int, bool]:
            recalled = recall(tx, access, wanted, self._searching())
            items, tokens = _items(tx, access, recalled, budget, measure)
            return recalled, items, tokens, self._has_waiting(tx, access)

        recalled, items, tokens, waiting = self._database.read(look)
        context = replace(
            self._context(wanted, recalled, rules, taken=len(items)),
            provenance=source,
            items=tuple(items),
            tokens=tokens,
            degraded=(
                *degraded,
                *self._uncalibrated(question, rules),
                *recalled.late,
                *self._waiting(waiting, degraded),
            ),
        )
        return self._stored_context(access, context, recalled, trace)

    def context(self, context_id: str) -> ActiveContext:
        """An active context that still lives; one that has expired is gone."""
        known = check.check_id(context_id, field="active_context_id")
        access = self._access
        return self._database.read(lambda tx: contexts.get(tx, access, known, now=self._now()))

    def feedback(
        self,
        memo_id: str,
        signal: Signal,
        *,
        score: float | None = None,
        active_context_id: str | None = None,
        duplicate_of: str | None = None,
        request_id: str | None = None,
        trace_id: str | None = None,
    ) -> Judged:
        """Say that a memo or claim was helpful, harmful, outdated, a duplicate, or completed.

        `score` (−1 to 1) says how strongly: utility and confidence change by its size times what the signal changes.
        With `duplicate_of`, that node stands for it from now on; it is kept and no longer recalled by itself.
        The same request_id counts once.
        """
        from wherefrom.recall.critic import judged

        node_id = check.check_id(memo_id, field="memo_id")
        known = cast(Signal | None, check.check_choice(signal, get_args(Signal), field="signal"))
        if known is None:
            raise InvalidInput(f"signal must be one of {', '.join(get_args(Signal))}")
        strength = _strength(known, score)
        context_id = None if active_context_id is None else check.check_id(active_context_id, field="active_context_id")
        heir = None if duplicate_of is None else check.check_id(duplicate_of, field="duplicate_of")
        if heir is not None and (known != "duplicate" or heir == node_id):
            raise InvalidInput("duplicate_of names another node, with the signal 'duplicate'")
        trace = trace_of(request_id, trace_id)
        in_force = self._boundary.in_force()
        access = in_force.access

        def work(tx: Transaction) -> Judged:
            now = self._now()
            # Whose text stands for whose is for those to say who see both.
            node = (nodes.get if known == "duplicate" else nodes.find)(tx, access, node_id)
            if node.kind not in SEARCHED:
                raise InvalidInput(f"{node.id} is a {node.kind}; memos and claims are judged")
            settings = in_force.policies.at(node.namespace).retrieval.feedback
            given = feedback.Given(self._new_id(), node, known, context_id, heir, now, score)

            def judge(each: Node) -> Node:
                return judged(each, known, now=now, settings=settings, strength=strength)

            done = feedback.record(tx, access, given, trace=trace, judge=judge)
            done = replace(done, node=nodes.read(tx, access, node_id))
            if done.status == "repeated" or strength == 0.0:
                return done
            return self._reinforced(tx, access, done, context_id, trace)

        return self._database.write(work)

    def sweep(self, *, limit: int = 1_000) -> Swept:
        """Retire what has expired, with a receipt, and forget receipts, contexts and events that are long past."""
        limit = check.check_whole(limit, field="limit", low=1, high=100_000)
        run_id = self._new_id()
        access = self._access
        gone: list[str] = []
        links = 0
        while len(gone) < limit:
            some = min(_SWEPT_AT_ONCE, limit - len(gone))
            swept = self._database.write(
                lambda tx, some=some: sweep.expired(  # type: ignore[misc]
                    tx, access, run_id=run_id, now=self._now(), limit=some
                )
            )
            gone += swept.node_ids
            links += swept.edges
            if len(swept.node_ids) < some:
                break
        self._database.write(lambda tx: sweep.forget_old(tx, access, self._clock()))
        while self._database.write(lambda tx: retired.purge(tx, access, self._clock())):
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
        now, weaken = self._now(), done.signal != "helpful"
        links = edges.reinforce_of(tx, access, done.node.id, others, weaken=weaken, now=now)
        if links:
            payload = {"memo_id": done.node.id, "links": links, "weaken": weaken}
            events.record(tx, access, "reinforce", payload, namespace=done.node.namespace, at=now, trace=trace)
        return replace(done, links=links)

    def _context(self, wanted: Wanted, recalled: Recall, rules: Effective, *, taken: int) -> ActiveContext:
        """A context without its items, of which so many were taken."""
        moment = self._clock()
        over = len(recalled.chosen) - taken
        return ActiveContext(
            id=self._new_id(),
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

    def _budget(self, max_tokens: int | None, scope: Sequence[Scope], rules: Effective) -> int:
        most = min((rules.max_tokens(each) for each in scope), default=limits.CONTEXT_TOKENS)
        if max_tokens is None:
            return most
        return min(most, check.check_whole(max_tokens, field="max_tokens", low=1, high=limits.CONTEXT_TOKENS))

    def _stored_context(self, access: Access, context: ActiveContext, recalled: Recall, trace: Trace) -> ActiveContext:
        """The context, stored with its events; it says so if this memory may only be read."""
        if self._database.read_only:
            return replace(context, degraded=(*context.degraded, _NOT_KEPT), is_kept=False)
        self._database.write(lambda tx: self._keep(tx, access, context, recalled, trace))
        self._note_filtered(access, "activate", context.filtered, trace)
        self._note_fallback(access, context.degraded, trace)
        return context

    def _keep(self, tx: Transaction, access: Access, context: ActiveContext, recalled: Recall, trace: Trace) -> None:
        contexts.save(tx, access, context, namespace=access.root)
        sweep.expired(tx, access, run_id=self._new_id(), now=context.created_at, limit=_SWEPT_AT_ONCE)
        payload = {
            "active_context_id": context.id,
            "policy_version": context.policy_version,
            **context.parameters,
            "items": len(context.items),
            "filtered": dict(context.filtered),
            "scores": recalled.statistics,
            "degraded": len(context.degraded),
        }
        events.record(tx, access, "activate", payload, namespace=access.root, at=context.created_at, trace=trace)


def _items(
    tx: Transaction, access: Access, recalled: Recall, budget: int, measure: edges.Measure
) -> tuple[list[ContextItem], int]:
    """The nodes in full, by rank, as far as their texts fit the budget; and how many tokens they have."""
    from wherefrom.recall.explain import reason_of

    by_id = nodes.read_by_ids(tx, access, [each.node_id for each in recalled.chosen])
    against = standings.disputes(tx, access, list(by_id))
    by_id = {node_id: node for node_id, node in by_id.items() if not _is_replaced(node_id, against)}
    disputes = measure(tx, [edge for edge in against if edge.tag != _SUPERSEDES])
    items: list[ContextItem] = []
    tokens = 0
    for each in recalled.chosen:
        node = by_id.get(each.node_id)
        size = 0 if node is None else count_tokens(text_of(node.title, node.content))
        if node is None or tokens + size > budget:
            continue
        tokens += size
        own = tuple(edge for edge in disputes if node.id in (edge.source_id, edge.target_id))
        items.append(
            ContextItem(
                rank=len(items) + 1,
                node=node,
                score=each.score,
                reason=reason_of(each.weighed, each.score),
                weighed=each.weighed,
                replaces=(*each.replaces, *(edge.target_id for edge in against if _replaces(edge, node))),
                disputed_by=tuple(sorted({_other_end(edge, node) for edge in own})),
                disputes=own,
            )
        )
    return items, tokens


def _strength(signal: Signal, score: float | None) -> float:
    """How strongly a judgement counts, 0 to 1. The signal says which way, so that only its size matters."""
    if score is None:
        return 1.0
    if isinstance(score, bool) or not isinstance(score, int | float) or not -1.0 <= score <= 1.0:
        raise InvalidInput(f"score {shown(score)} is not a number from -1 to 1")
    if signal == "helpful" and score < 0:
        raise InvalidInput("helpful has a score of 0 to 1", hint="say harmful or outdated, if it was that")
    return abs(float(score))


def _is_replaced(node_id: str, against: Sequence[Edge]) -> bool:
    return any(edge.tag == _SUPERSEDES and edge.target_id == node_id != edge.source_id for edge in against)


def _replaces(edge: Edge, node: Node) -> bool:
    return edge.tag == _SUPERSEDES and edge.source_id == node.id


def _other_end(edge: Edge, node: Node) -> str:
    return edge.source_id if edge.target_id == node.id else edge.target_id
