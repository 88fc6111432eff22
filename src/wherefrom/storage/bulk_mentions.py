"""Finds the mentions in many nodes at once: after an import, or when all names are made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import locks, mentions, names_in_texts, nodes
from wherefrom.storage.port import Database, Transaction
from wherefrom.storage.sql import scope_parameters


def link_mentions(
    database: Database,
    access: Access,
    *,
    after: int,
    changed: Sequence[str] = (),
    now: str,
    linked: Callable[[int], None] | None = None,
) -> None:
    """Find the mentions in all nodes that came after a seq or were changed; then of their names in older texts.
    `linked` hears how many nodes each batch has.
    """
    access = access.writing()
    if database.read(lambda tx: tx.row("names_any", scope_parameters(access))) is None:
        return
    for first in range(0, len(changed), nodes.MAX_BATCH_ROWS):
        ids = changed[first : first + nodes.MAX_BATCH_ROWS]
        known = database.read(lambda tx, ids=ids: list(nodes.by_ids(tx, access, ids).values()))  # type: ignore[misc]
        _link_batch(database, access, known, old_texts=True, now=now)
        if linked is not None:
            linked(len(ids))
    for rows in nodes.batches(database, access, "nodes_after", after=after):
        _link_batch(database, access, [nodes.from_row(row[1:]) for row in rows], old_texts=after > 0, now=now)
        if linked is not None:
            linked(len(rows))


def rebuild_mentions(database: Database, access: Access, *, now: str) -> None:
    """Make all names of the root and of its texts anew, and find all mentions again."""
    access = access.writing()
    for rows in nodes.batches(database, access, "nodes_after"):
        some = [nodes.from_row(row[1:]) for row in rows]
        database.write(lambda tx, some=some: _rename(tx, access, some))  # type: ignore[misc]
    link_mentions(database, access, after=0, now=now)


def _rename(tx: Transaction, access: Access, some: Sequence[Node]) -> None:
    mentions.rename(tx, access, some)
    names_in_texts.rewrite(tx, access, some)


def _link_batch(database: Database, access: Access, some: Sequence[Node], *, old_texts: bool, now: str) -> None:
    def work(tx: Transaction) -> None:
        locks.share(tx, access.owner)
        mentions.link_texts(tx, access, some, now=now)
        if old_texts:
            mentions.link_names(tx, access, mentions.names_of_all(some), now=now)

    database.write(work)
