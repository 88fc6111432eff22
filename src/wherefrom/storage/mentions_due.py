"""Notes of nodes whose mentions an import has still to find, written with the nodes, so that a cut-off loses none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wherefrom.model.access import Access
from wherefrom.model.identifiers import new_id
from wherefrom.storage.insight import sight
from wherefrom.storage.port import Transaction
from wherefrom.text.check import json_text


def note(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Note that the mentions of these nodes are still to be found."""
    if ids:
        tx.run("mentions_due_add", {**_where(access), "id": new_id(), "number": len(ids), "node_ids": json_text(ids)})


def waiting(tx: Transaction, access: Access) -> dict[str, int]:
    """Return the notes that imports into this root made with the same sight, oldest first: how many nodes each has."""
    return dict(tx.rows("mentions_due_all", _where(access)))


def total(tx: Transaction, access: Access) -> int:
    """Return how many nodes have mentions that are still to be found."""
    return sum(waiting(tx, access).values())


def nodes_of(tx: Transaction, access: Access, note_id: str) -> list[str]:
    """Return the ids of the nodes of a note; none if another import was faster."""
    row = tx.row("mentions_due_nodes", {"owner": access.owner, "id": note_id})
    return [] if row is None else json.loads(row[0])


def done(tx: Transaction, access: Access, notes: Sequence[str]) -> None:
    """Remove notes: the mentions of their nodes are found."""
    tx.run("mentions_due_done", {"owner": access.owner, "ids": json_text(notes)})


def all_done(tx: Transaction, access: Access) -> None:
    """Remove all notes of this root and sight."""
    tx.run("mentions_due_clear", _where(access))


def _where(access: Access) -> dict[str, Any]:
    return {"owner": access.owner, "root": access.root, "seen_by": sight(access)}
