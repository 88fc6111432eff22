"""Corrections by a person: of the judgement of a fragment about a claim, and of whether a claim counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from wherefrom.engine.params import id_param
from wherefrom.engine.view import Engine
from wherefrom.model import limits
from wherefrom.model.evidence import Corrected, Correction, CorrectionAction
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
    """Corrects evidence."""

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
                events.record(tx, access, "correct", payload, namespace=claim.namespace, at=now)
            return Corrected(
                claim_id=claim_id,
                rejected=evidence.claim(tx, access, claim_id).rejected_at is not None,
                changed=details is not None,
                posterior=evidence.posteriors(tx, access, [claim_id])[claim_id],
                history=evidence.history(tx, access, claim_id),
            )

        return self.store.database.write(work)
