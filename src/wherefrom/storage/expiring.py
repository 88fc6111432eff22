"""Lets go of what has expired, and deletes old contexts and events."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import SweepResult
from wherefrom.storage import locks
from wherefrom.storage.port import Transaction
from wherefrom.storage.receipts import Receipt, sweep
from wherefrom.storage.sql import inside_parameters

CONTEXTS_KEPT: Final = timedelta(days=30)
EVENTS_KEPT: Final = timedelta(days=365)


def places_of_expired(tx: Transaction, access: Access, *, now: str) -> list[str]:
    """The namespaces of the root in which something has expired."""
    rows = tx.rows("expired_places", {"owner": access.owner, "now": now, **inside_parameters("root", access.root)})
    return [row[0] for row in rows]


def retire_expired(
    tx: Transaction, access: Access, where: tuple[str, str], receipt: Receipt, *, limit: int
) -> SweepResult:
    """Retire up to `limit` nodes of a namespace that expired before a time, with their edges, and write an event."""
    namespace, before = where
    rows = tx.rows("expired", {"owner": access.owner, "namespace": namespace, "before": before, "limit": limit})
    if not rows:
        return SweepResult(receipt.run_id, (), 0)
    locks.share(tx, access.owner)
    return sweep(tx, access, [row[0] for row in rows], receipt)


def forget_old(tx: Transaction, access: Access, moment: datetime) -> None:
    """Delete contexts that expired more than 30 days ago, and events older than a year."""
    tx.run("contexts_purge", {"owner": access.owner, "before": timestamp(moment - CONTEXTS_KEPT)})
    past = {"owner": access.owner, "before": timestamp(moment - EVENTS_KEPT)}
    tx.run("event_floor_raise", past)
    tx.run("events_purge", past)
