"""Sweeps what has expired: nodes go to `retired` in full, contexts and events that nobody asks for any more go."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from recollect.model.access import Access
from recollect.model.graph import Edge, Node
from recollect.model.identifiers import timestamp
from recollect.model.results import Swept
from recollect.storage import edges, events, nodes
from recollect.storage.port import Transaction
from recollect.storage.statements import inside_parameters
from recollect.storage.transfer.records import line
from recollect.text.check import json_text

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
    rows = tx.rows("expired", where)
    if not rows:
        return Swept(run_id, (), 0)
    return retire(tx, access, [nodes.from_row(row) for row in rows], rule="expired", run_id=run_id, now=now)


def retire(tx: Transaction, access: Access, gone: Sequence[Node], *, rule: str, run_id: str, now: str) -> Swept:
    """Move nodes with their edges to `retired`, in full, and say so in an event."""
    ids = {"owner": access.owner, "ids": json_text([node.id for node in gone])}
    touching = [edges.from_row(row) for row in tx.rows("edges_touching", ids)]
    receipt = {"owner": access.owner, "run_id": run_id, "reason": json_text({"rule": rule}), "now": now}
    kept: list[Node | Edge] = [*gone, *touching]
    tx.run_many("retire", [{**receipt, **_kept(row)} for row in kept])
    tx.run("nodes_delete", ids)
    swept = Swept(run_id, tuple(node.id for node in gone), len(touching))
    payload = {"run_id": run_id, "rule": rule, "node_ids": list(swept.node_ids), "edges": swept.edges}
    events.record(tx, access, "sweep", payload, namespace=access.root, at=now)
    return swept


def forget_old(tx: Transaction, access: Access, moment: datetime) -> None:
    """Delete contexts that expired long ago and events of more than a year."""
    tx.run("contexts_purge", {"owner": access.owner, "before": timestamp(moment - _CONTEXTS_KEPT)})
    tx.run("events_purge", {"owner": access.owner, "before": timestamp(moment - _EVENTS_KEPT)})


def _kept(row: Node | Edge) -> dict[str, Any]:
    if isinstance(row, Node):
        return {"kind": "node", "node_id": row.id, "namespace": row.namespace, "content": line("node", row)}
    return {"kind": "edge", "node_id": row.source_id, "namespace": row.source_namespace, "content": line("edge", row)}
