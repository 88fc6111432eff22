"""Sweeps what has expired: nodes go to `retired` in full, contexts and events that nobody asks for any more go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import Swept
from wherefrom.storage import events, retired
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import inside_parameters

_CONTEXTS_KEPT: Final = timedelta(days=30)
_EVENTS_KEPT: Final = timedelta(days=365)


def expired(
    tx: Transaction, access: Access, *, run_id: str, now: str, limit: int, content_hash: str | None = None
) -> Swept:
    """Retire up to `limit` nodes of the root whose time is over (with a hash: those with that text), with their edges,
    and say so in an event.
    """
    where = {"owner": access.owner, **inside_parameters("root", access.root), "now": now, "limit": limit}
    where |= {"content_hash": content_hash}
    # What it may only read is swept by those who may write there.
    rows = tx.rows("expired", where) if access.writes else []
    if not rows:
        return Swept(run_id, (), 0)
    receipt = retired.Receipt(run_id, now, "expired")
    return retire(tx, access, [row[0] for row in rows], receipt)


def retire(
    tx: Transaction,
    access: Access,
    ids: Sequence[str],
    receipt: retired.Receipt,
    *,
    instead: Mapping[str, Node] | None = None,
) -> Swept:
    """Retire nodes with their edges, and say so in an event."""
    gone, links = retired.retire_nodes(tx, access, ids, receipt, instead=instead)
    payload = {"run_id": receipt.run_id, "rule": receipt.rule, "node_ids": gone, "edges": links}
    events.record(tx, access, "sweep", payload, namespace=access.root, at=receipt.now)
    return Swept(receipt.run_id, tuple(gone), links)


def forget_old(tx: Transaction, access: Access, moment: datetime) -> None:
    """Delete contexts that expired long ago and events of more than a year."""
    tx.run("contexts_purge", {"owner": access.owner, "before": timestamp(moment - _CONTEXTS_KEPT)})
    tx.run("events_purge", {"owner": access.owner, "before": timestamp(moment - _EVENTS_KEPT)})
