"""Finds the mentions in many nodes at once: after an import, or when all names are made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import locks, mentions, mentions_due, names_in_texts, node_texts, nodes
from wherefrom.storage.port import Database, Transaction
from wherefrom.storage.sql import scope_parameters


def link_due(
    database: Database, access: Access, *, stored: int, had_nodes: bool, now: str, linked: Callable[[int], None]
) -> None:
    """Find the mentions in all nodes that imports into this root have noted as due, also those that were cut off, and
    those of their names in older texts. stored: how many of them the import under way wrote; had_nodes: true if its
    owner had nodes before. `linked` hears how many nodes each batch has.
    """
    access = access.writing()
    notes = database.read(lambda tx: mentions_due.waiting(tx, access))
    if database.read(lambda tx: tx.row("names_any", scope_parameters(access))) is None:
        database.write(lambda tx: mentions_due.all_done(tx, access))
        return
    # Where all nodes are due, as when the first import was cut off, no other text can have one of their names.
    left = sum(notes.values()) > stored
    old_texts = had_nodes and not (left and database.read(lambda tx: _are_all(tx, access, sum(notes.values()))))
    for note_id in notes:
        ids = database.read(lambda tx, note_id=note_id: mentions_due.nodes_of(tx, access, note_id))  # type: ignore[misc]
        for first in range(0, len(ids), nodes.MAX_BATCH_ROWS):
            some = ids[first : first + nodes.MAX_BATCH_ROWS]
            known = database.read(lambda tx, some=some: nodes.by_ids(tx, access, some))  # type: ignore[misc]
            batch = [known[node_id] for node_id in some if node_id in known]
            is_last = first + len(some) == len(ids)
            _link_batch(database, access, batch, old_texts=old_texts, now=now, note_id=note_id if is_last else None)
            linked(len(some))


def _are_all(tx: Transaction, access: Access, number: int) -> bool:
    return tx.number("node_total", scope_parameters(access)) <= number


def rebuild_mentions(database: Database, access: Access, *, now: str) -> None:
    """Make all names of the root and of its texts anew, and find all mentions again."""
    access = access.writing()
    notes = database.read(lambda tx: mentions_due.waiting(tx, access))
    for rows in nodes.batches(database, access, "nodes_after"):
        some = [nodes.from_row(row[1:]) for row in rows]
        database.write(lambda tx, some=some: _rename(tx, access, some))  # type: ignore[misc]
    some_named = database.read(lambda tx: tx.row("names_any", scope_parameters(access))) is not None
    for rows in nodes.batches(database, access, "nodes_after") if some_named else ():
        some = [nodes.from_row(row[1:]) for row in rows]
        _link_batch(database, access, some, old_texts=False, now=now)
    # Not those that an import has noted meanwhile: it finds their mentions itself, when all of it is there.
    database.write(lambda tx: mentions_due.done(tx, access, [*notes]))


def _rename(tx: Transaction, access: Access, some: Sequence[Node]) -> None:
    mentions.rename(tx, access, some)
    names_in_texts.rewrite(tx, access, [node_texts.of_node(node) for node in some])


def _link_batch(
    database: Database,
    access: Access,
    some: Sequence[Node],
    *,
    old_texts: bool,
    now: str,
    note_id: str | None = None,
) -> None:
    """Find the mentions in some nodes, the last of a note if one is given, and of their names in older texts."""

    def work(tx: Transaction) -> None:
        locks.share(tx, access.owner)
        mentions.link_texts(tx, access, some, now=now)
        if old_texts:
            mentions.link_names(tx, access, mentions.names_of_all(some), now=now)
        if note_id is not None:
            mentions_due.done(tx, access, [note_id])

    database.write(work)
