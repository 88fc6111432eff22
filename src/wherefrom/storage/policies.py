"""Stores policies: the newest one of a namespace is in force, the older ones are its history."""

from __future__ import annotations

from collections.abc import Mapping

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, shown_id
from wherefrom.model.policies import PolicyVersion, Privacy
from wherefrom.storage import locks
from wherefrom.storage.port import Transaction


def current(tx: Transaction, owner: str) -> tuple[Mapping[str, str], Privacy]:
    """The texts of an owner's policies that are in force, by namespace, and the owner's privacy."""
    sent = tx.send("policies_current", {"owner": owner})
    chosen = privacy(tx, owner)
    return {namespace: yaml for namespace, _, yaml in sent()}, chosen


def privacy(tx: Transaction, owner: str) -> Privacy:
    """The privacy that the owner chose, else the store's; a store that is older than the choice is shared."""
    return Privacy(*(tx.row("privacy_current", {"owner": owner}) or ("shared", "")))


def choose_privacy(tx: Transaction, owner: str, chosen: Privacy) -> None:
    """Store the privacy that an owner chose."""
    tx.run("privacy_choose", {"owner": owner, "mode": chosen.mode, "now": chosen.chosen_at})


def history(tx: Transaction, access: Access, namespace: str) -> tuple[PolicyVersion, ...]:
    """All policies that a namespace has had, the newest first."""
    rows = tx.rows("policy_history", {"owner": access.owner, "namespace": namespace})
    return tuple(PolicyVersion(namespace, *row) for row in rows)


def add(tx: Transaction, access: Access, new: PolicyVersion, *, expected_version: str | None) -> bool:
    """Put a policy in force; False if it is in force already. Raises if another version than the expected one is in
    force, or if the new version was used for another text.
    """
    locks.be_alone(tx, access.owner)
    before = history(tx, access, new.namespace)
    in_force = before[0].version if before else "none"
    if expected_version is not None and expected_version != in_force:
        raise Conflict(
            f"the policy of {new.namespace!r} has version {in_force}, not {shown_id(expected_version)}",
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
