"""Mentions of many nodes at once: after an import, or anew for a whole root."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import locks, mentions, nodes
from wherefrom.storage.port import Database, Transaction
from wherefrom.storage.sql import scope_parameters

_BATCH: Final = 500


def last(tx: Transaction, access: Access) -> int:
    """The seq of the owner's newest node."""
    (seq,) = tx.row("node_last", scope_parameters(access)) or (0,)
    return int(seq)


def link_since(database: Database, access: Access, *, after: int, changed: Sequence[str] = (), now: str) -> None:
    """Find the mentions in all nodes that came after a seq or were changed; then of their names in older texts."""
    access = access.writing()
    scope = scope_parameters(access)
    if database.read(lambda tx: tx.row("names_any", scope)) is None:
        return
    for first in range(0, len(changed), _BATCH):
        ids = changed[first : first + _BATCH]
        known = database.read(lambda tx, ids=ids: list(nodes.by_ids(tx, access, ids).values()))  # type: ignore[misc]
        _link_batch(database, access, known, old_texts=True, now=now)
    older = after > 0
    while True:
        where = {**scope, "after": after, "limit": _BATCH}
        rows = database.read(lambda tx, where=where: tx.rows("nodes_after", where))  # type: ignore[misc]
        if not rows:
            return
        after = rows[-1][0]
        _link_batch(database, access, [nodes.from_row(row[1:]) for row in rows], old_texts=older, now=now)


def rebuild(database: Database, access: Access, *, now: str) -> None:
    """Make all names of the root anew, and find all mentions again."""
    access = access.writing()
    after = 0
    while True:
        where = {**scope_parameters(access), "after": after, "limit": _BATCH}
        rows = database.read(lambda tx, where=where: tx.rows("nodes_after", where))  # type: ignore[misc]
        if not rows:
            break
        after = rows[-1][0]
        some = [nodes.from_row(row[1:]) for row in rows]
        database.write(lambda tx, some=some: _rename(tx, access, some))  # type: ignore[misc]
    link_since(database, access, after=0, now=now)


def _rename(tx: Transaction, access: Access, some: Sequence[Node]) -> None:
    mentions.forget(tx, access, some)
    mentions.add_names(tx, access, some)


def _link_batch(database: Database, access: Access, some: Sequence[Node], *, old_texts: bool, now: str) -> None:
    def work(tx: Transaction) -> None:
        locks.share(tx, access.owner)
        mentions.link_texts(tx, access, some, now=now)
        if old_texts:
            mentions.link_names(tx, access, some, now=now)

    database.write(work)
