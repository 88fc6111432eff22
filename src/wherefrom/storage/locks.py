"""Locks of an owner, so that nobody writes edges while another transaction changes what edges copy from their ends.

On PostgreSQL each owner has a row in `owners`. A transaction that writes nodes or edges locks it in share mode, at any
point. One that moves many nodes, or must see everything that was written before, updates the row and is alone with the
owner until the commit. Other owners wait for neither. SQLite has one writer at a time and needs no lock.

- A transaction that waited for one that was alone gets a serialisation failure, because the row has changed since its
  snapshot, and is run again by `Database.write`.
- A transaction that waited to be alone would go on with a snapshot from before the wait, because a share lock changes
  no row. So it takes a new snapshot for each statement (READ COMMITTED): nobody else writes this owner's nodes and
  edges meanwhile.

docs/decisions/0010-owner-locks.md gives the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

from wherefrom.storage.port import Parameters, Transaction
from wherefrom.text.check import json_text

# The owner of a row that a new owner locks in share mode, so that being alone with all owners waits for new ones, too.
_EVERY_OWNER = ""


def share(tx: Transaction, owner: str) -> None:
    """Lock an owner in share mode until the commit, so that no other transaction can be alone with it."""
    if tx.dialect.many_writers and tx.row(*sharing(owner)) is None:
        tx.run("owner_add", {"owner": owner})


def sharing(owner: str) -> tuple[str, Parameters]:
    """The query by which `share` locks an owner that is known."""
    return "lock_owner_shared", {"owner": owner}


def be_alone(tx: Transaction, owner: str, *, patient: bool = True) -> None:
    """Keep all others from writing this owner's nodes and edges until the commit; must come first in a transaction.

    A caller that is not patient gets `store_busy` after two seconds.
    """
    if tx.dialect.many_writers:
        tx.run("see_each_commit", {})
        if not patient:
            tx.run("wait_briefly", {})
        if not tx.count("lock_owner_alone", {"owner": owner}):
            tx.run("owner_add", {"owner": owner})
            tx.count("lock_owner_alone", {"owner": owner})  # which waits until the lock is held


def be_alone_with_all(tx: Transaction) -> None:
    """Keep all others from writing any owner's nodes and edges until the commit; must come first in a transaction."""
    if tx.dialect.many_writers:
        be_alone(tx, _EVERY_OWNER)
        tx.run("one_by_one", {})
        tx.run("lock_owners", {})


def hold_models(tx: Transaction) -> None:
    """Keep all others from adding a model until the commit. Citus has a copy of the models on each server, where two
    that add one at once would wait for each other.
    """
    if tx.dialect.many_writers:
        tx.row("lock_models", {})


def hold_nodes(tx: Transaction, owner: str, ids: Sequence[str]) -> None:
    """Lock nodes, so that a transaction that began to change them earlier is run again and sees what is stored now."""
    if tx.dialect.many_writers:
        tx.run("nodes_hold", {"owner": owner, "ids": json_text(ids)})
