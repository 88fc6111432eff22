"""Verbs for evidence: add it in one call, and correct it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from wherefrom.api.adding import Adding, add
from wherefrom.api.boundary import guarded, keep_invariants, refuse_secret
from wherefrom.api.evidence_input import Prepared, prepare
from wherefrom.api.state import Verbs, trace_of
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.evidence import (
    Corrected,
    Correction,
    EvidenceAdded,
    NewClaim,
    NewFragment,
    NewPage,
    NewQuery,
    Task,
)
from wherefrom.model.graph import HUMAN, JUDGEMENTS, BoundaryClass, Node, QueryType, strictest
from wherefrom.storage import embeddings, events, evidence, nodes, tasks
from wherefrom.storage.port import Transaction
from wherefrom.text import check


class EvidenceVerbs(Verbs):
    """What can be done with evidence."""

    def add_evidence(
        self,
        page: NewPage | None = None,
        *,
        fragments: Sequence[NewFragment] = (),
        claims: Sequence[NewClaim] = (),
        task_id: str | None = None,
        query: NewQuery | None = None,
        query_id: str | None = None,
        judge: str | None = None,
        namespace: str | None = None,
        boundary_class: BoundaryClass | None = None,
        request_id: str | None = None,
    ) -> EvidenceAdded:
        """Store a page, verbatim fragments of it, claims, and what the fragments say about the claims: all or nothing.

        The same again changes nothing. A quote that does not stand in its fragment is refused. `judge` says who
        judges; what a person has corrected stays. `query` is the search that found it, for the task.
        """
        trace = trace_of(request_id, None)
        if judge == HUMAN:
            raise InvalidInput("a person's judgement is made by correcting", hint="`wherefrom correct`")
        access = self._access
        task = None if task_id is None else self._open_task(access, check.check_id(task_id, field="task_id"))
        if task is None and (query is not None or query_id is not None):
            raise InvalidInput("a query belongs to a task", hint="give task_id, too")
        refuse_secret(namespace if isinstance(namespace, str) else "", field="namespace")
        place = access.resolve(namespace) if namespace is not None or task is None else task.namespace
        prepared = prepare(
            page,
            fragments,
            claims,
            like=unsaved(
                namespace=place,
                boundary_class=strictest(
                    check.check_class(boundary_class), "public" if task is None else task.boundary_class
                ),
                task_id=None if task is None else task.id,
            ),
        )
        with self._noting_refusal("add_evidence", place, trace):
            prepared, redacted = self._guarded(prepared, place)
        texts = [embeddings.embedded_text(node) for node in (*prepared.fragments, *prepared.new_claims)]
        adding = Adding(
            prepared=prepared,
            task_id=None if task is None else task.id,
            query=None if query is None else self._checked_query(query, place),
            query_id=None if query_id is None else check.check_id(query_id, field="query_id"),
            judge=None if judge is None else check.check_tag(judge),
            redacted=dict(redacted),
            made=None if self._embedder is None else embeddings.made(self._embedder, texts),
            trace=trace,
        )
        with self._noting_refusal("add_evidence", place, trace):
            added = self._database.write(lambda tx: add(tx, access, adding, new_id=self._new_id, now=self._now()))
        if not embeddings.is_instant(self._embedder):
            self._worker.wake()
        return added

    def correct_edge(self, source_id: str, claim_id: str, *, relation: str, reason: str) -> Corrected:
        """Say what a fragment (or claim) really says about a claim; programs do not change it later."""
        source = check.check_id(source_id, field="source_id")
        key = check.check_id(claim_id, field="claim_id")
        wanted = check.check_choice(relation, JUDGEMENTS, field="relation")
        if wanted is None:
            raise InvalidInput("say what it says about the claim", hint=f"one of {', '.join(JUDGEMENTS)}")
        why = self._reason(reason)
        access = self._access

        def work(tx: Transaction) -> Corrected:
            now = self._now()
            tx.run("lock_edges_shared", {})
            claim = evidence.claim(tx, access, key)
            nodes.get(tx, access, source, label="source")
            edge = evidence.judgement(tx, access, source, key)
            changed = evidence.correct(tx, access, edge, wanted, now=now)
            correction = Correction(
                "edge_correct",
                key,
                why,
                now,
                source_id=source,
                relation_before=edge.tag,
                relation_after=wanted,
                confidence_before=edge.confidence,
            )
            return self._corrected(tx, access, claim, correction, changed=changed)

        return self._database.write(work)

    def reject_claim(self, claim_id: str, *, reason: str) -> Corrected:
        """Take a claim out of recall and of the analyses. It stays stored, with its evidence and the reason."""
        return self._reject(claim_id, reason, rejected=True)

    def restore_claim(self, claim_id: str, *, reason: str) -> Corrected:
        """Adopt a rejected claim again."""
        return self._reject(claim_id, reason, rejected=False)

    def _reject(self, claim_id: str, reason: str, *, rejected: bool) -> Corrected:
        key = check.check_id(claim_id, field="claim_id")
        why = self._reason(reason)
        access = self._access

        def work(tx: Transaction) -> Corrected:
            now = self._now()
            claim = evidence.claim(tx, access, key)
            changed = (claim.rejected_at is not None) != rejected
            if changed:
                evidence.reject(tx, access, key, rejected_at=now if rejected else None, now=now)
            correction = Correction("claim_reject" if rejected else "claim_restore", key, why, now)
            claim = replace(claim, rejected_at=now if rejected else None)
            return self._corrected(tx, access, claim, correction, changed=changed)

        return self._database.write(work)

    def _corrected(
        self, tx: Transaction, access: Access, claim: Node, correction: Correction, *, changed: bool
    ) -> Corrected:
        """Note a correction, if it is one, and say how the claim stands now."""
        if changed:
            evidence.note(tx, access, correction)
            payload = {"claim_id": claim.id, "action": correction.action}
            events.record(tx, access, "correct", payload, namespace=claim.namespace, at=correction.at)
        return Corrected(
            claim_id=claim.id,
            rejected=claim.rejected_at is not None,
            changed=changed,
            posterior=evidence.posteriors(tx, access, [claim.id])[claim.id],
            history=evidence.history(tx, access, claim.id),
        )

    def _reason(self, reason: str) -> str:
        text = check.check_text(reason, field="reason", characters=limits.REASON_CHARACTERS)
        return self._boundary.cleaned(text, self._root)

    def _open_task(self, access: Access, task_id: str) -> Task:
        task = self._database.read(lambda tx: tasks.get(tx, access, task_id))
        tasks.refuse_ended(task)
        return task

    def _checked_query(self, query: NewQuery, namespace: str) -> NewQuery:
        text = check.check_text(query.text, field="query", size=limits.QUERY_BYTES)
        count = query.result_count
        kind = check.check_choice(query.type, get_args(QueryType), field="query type")
        return replace(
            query,
            text=self._boundary.cleaned(text, namespace),
            type=cast(QueryType, kind or "initial"),
            language=None if query.language is None else check.check_tag(query.language),
            parent_id=None if query.parent_id is None else check.check_id(query.parent_id, field="parent_id"),
            result_count=None if count is None else check.check_whole(count, field="result_count", low=0, high=10**9),
        )

    def _guarded(self, prepared: Prepared, namespace: str) -> tuple[Prepared, Counter[str]]:
        """What the policy leaves of it all; raises if a part of it may not be stored."""
        rules = self._boundary.at(namespace)
        taken: Counter[str] = Counter()

        def kept(node: Node, where: str) -> Node:
            try:
                cleaned, counts = guarded(node, rules)
                cleaned = replace(cleaned, content_hash=check.content_hash(cleaned.content))
                keep_invariants(cleaned, rules)
            except BoundaryDenied as error:
                raise BoundaryDenied(f"{where}: {error.message}", hint=error.hint) from None
            taken.update(counts)
            return cleaned

        cleaned = prepared.cleaned(lambda text: self._boundary.cleaned(text, namespace))
        return cleaned.mapped(kept), taken


def unsaved(**values: Any) -> Node:
    """A node to be: without an id, a text and times."""
    times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), "")
    return Node(id="", content="", content_hash="", **times, **values)
