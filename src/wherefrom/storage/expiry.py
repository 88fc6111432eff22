"""Sweeps expired nodes into `retired`, and deletes old contexts and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import SweepResult
from wherefrom.storage import events, locks, receipts
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import inside_parameters

_CONTEXTS_KEPT: Final = timedelta(days=30)
_EVENTS_KEPT: Final = timedelta(days=365)


def expired(
    tx: Transaction, access: Access, *, run_id: str, now: str, limit: int, content_hash: str | None = None
) -> SweepResult:
    """Retire up to `limit` nodes of the root that have expired (with a hash: those with that text), with their edges,
    and write an event.
    """
    where = {"owner": access.owner, "now": now, "limit": limit, "content_hash": content_hash}
    where |= inside_parameters("root", access.root)
    # What this access may only read is swept by those who may write there.
    rows = tx.rows("expired", where) if access.writes else []
    if not rows:
        return SweepResult(run_id, (), 0)
    locks.share(tx, access.owner)
    return retire(tx, access, [row[0] for row in rows], receipts.Receipt(run_id, now, "expired"))


def retire(
    tx: Transaction,
    access: Access,
    ids: Sequence[str],
    receipt: receipts.Receipt,
    *,
    instead: Mapping[str, Node] | None = None,
) -> SweepResult:
    """Retire nodes with their edges, and write an event."""
    gone, links = receipts.retire_nodes(tx, access, ids, receipt, instead=instead)
    payload = {"run_id": receipt.run_id, "rule": receipt.rule, "node_ids": gone, "edges": links}
    events.record(tx, access, "sweep", payload, namespace=access.root, at=receipt.now)
    return SweepResult(receipt.run_id, tuple(gone), links)


def forget_old(tx: Transaction, access: Access, moment: datetime) -> None:
    """Delete contexts that expired more than 30 days ago, and events older than a year."""
    tx.run("contexts_purge", {"owner": access.owner, "before": timestamp(moment - _CONTEXTS_KEPT)})
    tx.run("events_purge", {"owner": access.owner, "before": timestamp(moment - _EVENTS_KEPT)})
