"""The engine of evidence: add it in one call, and correct it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, cast, get_args

from wherefrom.api.adding import Adding, add
from wherefrom.api.boundary import guarded, keep_invariants
from wherefrom.api.evidence_input import Prepared, prepare
from wherefrom.api.params import Class, RequestId, check_place
from wherefrom.api.view import Engine
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
from wherefrom.model.graph import HUMAN, Judgement, Node, QueryType, strictest
from wherefrom.model.param import Param
from wherefrom.storage import embeddings, events, evidence, nodes, tasks
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check


def _check_judge(value: object, *, field: str) -> str:
    """The name of a program that judges."""
    if value == HUMAN:
        raise InvalidInput("a person's judgement is made by correcting", hint="`wherefrom correct`")
    return check.check_tag(value, field=field)


def _check_why(value: object, *, field: str) -> str:
    return check.check_text(value, field=field, characters=limits.REASON_CHARACTERS)


_ClaimId = Annotated[str, Param("The claim's id.", metavar="CLAIM_ID", check=check.check_id)]
_Why = Annotated[str, Param("Why; kept in the history.", check=_check_why)]


class EvidenceEngine(Engine):
    """Adds evidence, and corrects it."""

    def add_evidence(
        self,
        page: Annotated[NewPage | None, Param("The source; needed for new fragments.")] = None,
        *,
        fragments: Annotated[Sequence[NewFragment], Param("Pieces of the page, word for word.")] = (),
        claims: Annotated[Sequence[NewClaim], Param("Statements with their evidence.")] = (),
        task_id: Annotated[str | None, Param("The task that the claims belong to.", check=check.check_id)] = None,
        query: Annotated[NewQuery | None, Param("The search that found this page.")] = None,
        query_id: Annotated[str | None, Param("Or its id from an earlier answer.", check=check.check_id)] = None,
        judge: Annotated[str | None, Param("Who judges: your model's name.", check=_check_judge)] = None,
        namespace: Annotated[
            str | None,
            Param(
                "Namespace path. Omit for the task's, or without a task for the default.",
                option="--namespace,-n",
                check=check_place,
            ),
        ] = None,
        boundary_class: Class = None,
        request_id: RequestId = None,
    ) -> EvidenceAdded:
        """Store a page, verbatim fragments of it, claims, and what the fragments say about the claims: all or nothing.

        The same again changes nothing. A quote that does not stand in its fragment is refused. `judge` says who
        judges; what a person has corrected stays. `query` is the search that found it, for the task.
        """
        trace = Trace(request_id)
        access = self.view.writing
        task = None if task_id is None else self._open_task(access, task_id)
        if task is None and (query is not None or query_id is not None):
            raise InvalidInput("a query belongs to a task", hint="give task_id, too")
        place = access.resolve(namespace) if namespace is not None or task is None else task.namespace
        prepared = prepare(
            page,
            fragments,
            claims,
            like=unsaved(
                namespace=place,
                boundary_class=strictest(
                    boundary_class or "internal", "public" if task is None else task.boundary_class
                ),
                task_id=None if task is None else task.id,
            ),
        )
        with self.view.noting_refusal("add_evidence", place, trace):
            prepared, redacted = self.guarded(prepared, place)
        texts = [embeddings.embedded_text(node) for node in (*prepared.fragments, *prepared.new_claims)]
        adding = Adding(
            prepared=prepared,
            task_id=None if task is None else task.id,
            query=None if query is None else self._checked_query(query, place),
            query_id=query_id,
            judge=judge,
            redacted=dict(redacted),
            made=None if self.store.embedder is None else embeddings.made(self.store.embedder, texts),
            trace=trace,
        )
        with self.view.noting_refusal("add_evidence", place, trace):
            added = self.store.database.write(
                lambda tx: add(tx, access, adding, new_id=self.store.new_id, now=self.view.now())
            )
        if not embeddings.is_instant(self.store.embedder):
            self.store.worker.wake(self.view.writing)
        return added

    def correct_edge(
        self,
        source_id: Annotated[
            str, Param("The fragment (or claim) whose judgement is wrong.", metavar="FRAGMENT_ID", check=check.check_id)
        ],
        claim_id: _ClaimId,
        relation: Annotated[Judgement, Param("What it says about the claim.")],
        *,
        reason: _Why,
    ) -> Corrected:
        """Say what a fragment (or claim) really says about a claim; programs do not change it later."""
        why = self.view.boundary.cleaned(reason, self.view.root)
        access = self.view.writing

        def work(tx: Transaction) -> Corrected:
            now = self.view.now()
            tx.run("lock_edges_shared", {})
            claim = evidence.claim(tx, access, claim_id)
            nodes.get(tx, access, source_id, label="source")
            edge = evidence.judgement(tx, access, source_id, claim_id)
            changed = evidence.correct(tx, access, edge, relation, now=now)
            correction = Correction(
                "edge_correct",
                claim_id,
                why,
                now,
                source_id=source_id,
                relation_before=edge.tag,
                relation_after=relation,
                confidence_before=edge.confidence,
            )
            return self._corrected(tx, access, claim, correction, changed=changed)

        return self.store.database.write(work)

    def reject_claim(self, claim_id: _ClaimId, *, reason: _Why) -> Corrected:
        """Take a claim out of recall and of the analyses. It stays stored, with its evidence and the reason."""
        return self._reject(claim_id, reason, rejected=True)

    def restore_claim(self, claim_id: _ClaimId, *, reason: _Why) -> Corrected:
        """Adopt a rejected claim again."""
        return self._reject(claim_id, reason, rejected=False)

    def _reject(self, claim_id: str, reason: str, *, rejected: bool) -> Corrected:
        why = self.view.boundary.cleaned(reason, self.view.root)
        access = self.view.writing

        def work(tx: Transaction) -> Corrected:
            now = self.view.now()
            claim = evidence.claim(tx, access, claim_id)
            changed = (claim.rejected_at is not None) != rejected
            if changed:
                evidence.reject(tx, access, claim_id, rejected_at=now if rejected else None, now=now)
            correction = Correction("claim_reject" if rejected else "claim_restore", claim_id, why, now)
            claim = replace(claim, rejected_at=now if rejected else None)
            return self._corrected(tx, access, claim, correction, changed=changed)

        return self.store.database.write(work)

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

    def _open_task(self, access: Access, task_id: str) -> Task:
        task = self.store.database.read(lambda tx: tasks.get(tx, access, task_id))
        tasks.refuse_ended(task)
        return task

    def _checked_query(self, query: NewQuery, namespace: str) -> NewQuery:
        text = check.check_text(query.text, field="query", size=limits.QUERY_BYTES)
        count = query.result_count
        kind = check.check_choice(query.type, get_args(QueryType), field="query type")
        return replace(
            query,
            text=self.view.boundary.cleaned(text, namespace),
            type=cast(QueryType, kind or "initial"),
            language=None if query.language is None else check.check_tag(query.language),
            parent_id=None if query.parent_id is None else check.check_id(query.parent_id, field="parent_id"),
            result_count=None if count is None else check.check_whole(count, field="result_count", low=0, high=10**9),
        )

    def guarded(self, prepared: Prepared, namespace: str) -> tuple[Prepared, Counter[str]]:
        """What the policy leaves of it all; raises if a part of it may not be stored."""
        rules = self.view.boundary.at(namespace)
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

        cleaned = prepared.cleaned(lambda text: self.view.boundary.cleaned(text, namespace))
        return cleaned.mapped(kept), taken


def unsaved(**values: Any) -> Node:
    """A node to be: without an id, a text and times."""
    times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), "")
    return Node(id="", content="", content_hash="", **times, **values)
