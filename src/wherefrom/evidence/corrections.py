"""A claim with its evidence, and corrections by a person: of the judgement of a fragment about a claim, of whether a
claim counts, and of what a page is said to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from wherefrom.engine.boundary import guarded, keep_invariants
from wherefrom.engine.params import id_param
from wherefrom.engine.view import Engine
from wherefrom.evidence.input import CORRECTED, MAX_YEAR, corrected_by_person
from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.evidence import (
    ClaimEvidence,
    Corrected,
    Correction,
    CorrectionAction,
    EvidenceItem,
    PageCorrected,
)
from wherefrom.model.graph import Judgement, Node
from wherefrom.model.param import Param
from wherefrom.storage import events, evidence, locks, nodes
from wherefrom.storage.port import Transaction
from wherefrom.text import check

_ClaimId = Annotated[str, id_param("The claim's id.", metavar="CLAIM_ID")]
_Why = Annotated[
    str, Param("Why; kept in the history.", check=partial(check.check_text, characters=limits.REASON_CHARACTERS))
]


class CorrectionEngine(Engine):
    """Shows and corrects evidence."""

    def claim_evidence(
        self,
        claim_id: _ClaimId,
        *,
        limit: Annotated[int, Param("How many pieces of evidence at most.", 1, limits.EVIDENCE)] = 50,
    ) -> ClaimEvidence:
        """Read a claim with what speaks for and against it, newest first, and how sure that makes it."""
        access = self.view.access
        measure = self.view.measure(access)

        def work(tx: Transaction) -> ClaimEvidence:
            claim = evidence.claim(tx, access, claim_id)
            judged = measure(tx, evidence.of_claim(tx, access, claim.id, limit=limit))
            sources = nodes.read_by_ids(tx, access, [edge.source_id for edge in judged])
            items = (EvidenceItem(sources[edge.source_id], edge) for edge in judged if edge.source_id in sources)
            return ClaimEvidence(claim, evidence.posteriors(tx, access, [claim.id])[claim.id], tuple(items))

        return self.store.database.read(work)

    def correct_edge(
        self,
        source_id: Annotated[str, id_param("The fragment (or claim) whose judgement is wrong.", metavar="FRAGMENT_ID")],
        claim_id: _ClaimId,
        relation: Annotated[Judgement, Param("What it says about the claim.")],
        *,
        reason: _Why,
    ) -> Corrected:
        """Say what a fragment (or claim) really says about a claim; programs do not change it later."""

        def change(tx: Transaction, claim: Node, now: str) -> dict[str, Any] | None:
            access = self.view.access
            nodes.get(tx, access, source_id, label="source")
            edge = evidence.judgement(tx, access, source_id, claim.id)
            before = {"relation_before": edge.tag, "confidence_before": edge.confidence}
            changed = evidence.correct(tx, access, edge, relation, now=now)
            return {"source_id": source_id, "relation_after": relation, **before} if changed else None

        return self._correct("edge_correct", claim_id, reason, change)

    def reject_claim(self, claim_id: _ClaimId, *, reason: _Why) -> Corrected:
        """Take a claim out of recall and of the analyses. It stays stored, with its evidence and the reason."""
        return self._reject("claim_reject", claim_id, reason)

    def restore_claim(self, claim_id: _ClaimId, *, reason: _Why) -> Corrected:
        """Adopt a rejected claim again."""
        return self._reject("claim_restore", claim_id, reason)

    def correct_page(
        self,
        page_id: Annotated[str, id_param("The page's id.", metavar="PAGE_ID")],
        *,
        year: Annotated[int | None, Param("When it was published.", -MAX_YEAR, MAX_YEAR)] = None,
        title: Annotated[str | None, Param("What it is called.", check=check.check_title)] = None,
        no_year: Annotated[bool, Param("It is not known when it was published.")] = False,
    ) -> PageCorrected:
        """Correct the year or title of a page, which its source does not say or says wrongly.

        Its fragments, and what they say about claims, have the new year at once. Adding the source again does not
        change it back; correcting it again does.
        """
        given: dict[str, Any] = {"year": year, "title": title}
        given = {name: value for name, value in given.items() if value is not None}
        if no_year:
            if year is not None:
                raise InvalidInput("a year and no_year exclude each other")
            given["year"] = None
        if not given:
            raise InvalidInput("there is nothing to correct", hint="give a year, a title, or no_year")
        access = self.view.access

        def work(tx: Transaction) -> PageCorrected:
            now = self.view.now()
            locks.share(tx, access.owner)
            locks.hold_nodes(tx, access.owner, [page_id])
            page = nodes.get(tx, access, page_id, label="page")
            if page.kind != "page":
                raise InvalidInput(f"{page_id} is a {page.kind} and no page", hint="`wherefrom list --kind page`")
            by_person = sorted({*corrected_by_person(page), *given})
            rules = self.view.boundary.at(page.namespace)
            changed = replace(page, **given, metadata={**page.metadata, CORRECTED: by_person})
            new, _ = guarded(changed, rules)
            keep_invariants(new, rules)
            followed = 0
            if new != page:
                new = replace(new, updated_at=now, version=page.version + 1)
                followed = evidence.correct_page(tx, access, page, new)
                payload = {"page_id": page_id, "action": "page_correct", "fields": sorted(given)}
                events.record(tx, access, "correct", payload, about=events.about_node(new), at=now)
            return PageCorrected(page_id, new.content, new.title, new.year, new != page, followed)

        return self.store.database.write(work)

    def _reject(self, action: CorrectionAction, claim_id: str, reason: str) -> Corrected:
        def change(tx: Transaction, claim: Node, now: str) -> dict[str, Any] | None:
            rejected_at = now if action == "claim_reject" else None
            if (claim.rejected_at is None) == (rejected_at is None):
                return None
            evidence.reject(tx, self.view.access, claim.id, rejected_at=rejected_at, now=now)
            return {}

        return self._correct(action, claim_id, reason, change)

    def _correct(
        self,
        action: CorrectionAction,
        claim_id: str,
        reason: str,
        change: Callable[[Transaction, Node, str], dict[str, Any] | None],
    ) -> Corrected:
        """Change what is stored about a claim, and add the correction to its history.

        `change` returns further fields of the correction; None if nothing changed.
        """
        why = self.view.boundary.cleaned(reason, self.view.root)
        access = self.view.access

        def work(tx: Transaction) -> Corrected:
            now = self.view.now()
            locks.share(tx, access.owner)
            claim = evidence.claim(tx, access, claim_id)
            details = change(tx, claim, now)
            if details is not None:
                evidence.note(tx, access, Correction(action, claim_id, why, now, **details))
                payload = {"claim_id": claim_id, "action": action}
                events.record(tx, access, "correct", payload, about=events.about_node(claim), at=now)
            return Corrected(
                claim_id=claim_id,
                rejected=evidence.claim(tx, access, claim_id).rejected_at is not None,
                changed=details is not None,
                posterior=evidence.posteriors(tx, access, [claim_id])[claim_id],
                history=evidence.history(tx, access, claim_id),
            )

        return self.store.database.write(work)
