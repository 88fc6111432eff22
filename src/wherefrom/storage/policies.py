"""Policies as stored: the newest of each namespace holds, the others are its history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict
from wherefrom.model.policies import PolicyVersion, Privacy
from wherefrom.storage.port import Transaction


@dataclass(frozen=True, slots=True)
class Stored:
    """What decides the boundary of an owner: the text of the policy of each namespace that has one, and the privacy."""

    texts: Mapping[str, str]
    privacy: Privacy


def current(tx: Transaction, owner: str) -> Stored:
    """The policies in force, and the privacy."""
    rows = tx.rows("policies_current", {"owner": owner})
    return Stored({namespace: yaml for namespace, _, yaml in rows}, privacy(tx, owner))


def privacy(tx: Transaction, owner: str) -> Privacy:
    """What the owner chose, else what holds for the store; one from before there was a choice is shared."""
    return Privacy(*(tx.row("privacy_current", {"owner": owner}) or ("shared", "")))


def choose_privacy(tx: Transaction, owner: str, chosen: Privacy) -> None:
    """Store an owner's choice."""
    tx.run("privacy_choose", {"owner": owner, "mode": chosen.mode, "now": chosen.chosen_at})


def history(tx: Transaction, access: Access, namespace: str) -> tuple[PolicyVersion, ...]:
    """All policies that a namespace ever had, the newest first."""
    rows = tx.rows("policy_history", {"owner": access.owner, "namespace": namespace})
    return tuple(PolicyVersion(namespace, *row) for row in rows)


def add(tx: Transaction, access: Access, new: PolicyVersion, *, expected_version: str | None) -> bool:
    """Put a policy in force; False if it is already the one that holds.

    With an expected version, only if that one holds now. A version that was used once stays what it was.
    """
    tx.run("lock_policies", {})
    before = history(tx, access, new.namespace)
    holds = before[0].version if before else None
    if expected_version is not None and expected_version != (holds or "none"):
        raise Conflict(
            f"the policy of {new.namespace!r} has version {holds or 'none'}, not {expected_version}",
            hint="read the policy in force, and apply your change to that",
        )
    if before and (before[0].version, before[0].yaml) == (new.version, new.yaml):
        return False
    if any(old.version == new.version for old in before):
        raise Conflict(
            f"version {new.version} of the policy of {new.namespace!r} was already used for another text",
            hint="raise the version",
        )
    row = {"owner": access.owner, "namespace": new.namespace, "version": new.version, "yaml": new.yaml}
    tx.run("policy_insert", {**row, "approver": new.approver, "now": new.applied_at})
    return True
