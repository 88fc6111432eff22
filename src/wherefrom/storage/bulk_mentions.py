"""Finds the mentions in many nodes at once: after an import, or when all names are made anew."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import locks, mentions, mentions_due, names_in_texts, node_texts, nodes
from wherefrom.storage.port import Database, Transaction
from wherefrom.storage.sql import scope_parameters

# To read a text takes 0.1 ms; to look for the texts with a name takes that or, if all its terms are common, some 20 ms.
_MAX_TEXTS_READ_PER_NEW: Final = 5


def link_due(database: Database, access: Access, *, had_nodes: bool, now: str, linked: Callable[[int], None]) -> None:
    """Find the mentions in all nodes that imports into this root have noted as due, also those that were cut off, and
    those of their names in older texts. had_nodes: true if the owner of the import under way had nodes before. `linked`
    hears how many nodes each batch has.
    """
    access = access.writing()
    notes = database.read(lambda tx: mentions_due.waiting(tx, access))
    if database.read(lambda tx: tx.row("names_any", scope_parameters(access))) is None:
        database.write(lambda tx: mentions_due.all_done(tx, access))
        return
    due = _all_due(database, access, notes) if had_nodes else frozenset()
    reads_all = had_nodes and _are_many(database, access, number=len(due))
    if reads_all:
        _link_older(database, access, due, now=now)
    for note_id in notes:
        ids = database.read(lambda tx, note_id=note_id: mentions_due.nodes_of(tx, access, note_id))  # type: ignore[misc]
        batches = list(_batches(ids))
        for some in batches:
            done = note_id if some is batches[-1] else None
            batch = _nodes(database, access, some)
            _link_batch(
                database, access, batch, now=now, older_but=None if reads_all or not had_nodes else due, done=done
            )
            linked(len(some))


def _all_due(database: Database, access: Access, notes: Iterable[str]) -> frozenset[str]:
    lists = (database.read(lambda tx, note_id=note_id: mentions_due.nodes_of(tx, access, note_id)) for note_id in notes)  # type: ignore[misc]
    return frozenset(itertools.chain.from_iterable(lists))


def _are_many(database: Database, access: Access, *, number: int) -> bool:
    """True if so many nodes are a good part of all."""
    where = {**scope_parameters(access), "number": number * _MAX_TEXTS_READ_PER_NEW}
    return database.read(lambda tx: tx.row("more_nodes", where)) is None


def _link_older(database: Database, access: Access, due: Collection[str], *, now: str) -> None:
    """Find the mentions of the names of nodes in all texts but their own. To read all texts takes as long as there are
    texts; to look for the texts with each name takes longer, the more names have their terms in common.
    """
    batches = (_nodes(database, access, some) for some in _batches(sorted(due)))
    heads = mentions.by_head({name for batch in batches for name in mentions.names_of_all(batch)})
    for rows in nodes.batches(database, access, "nodes_after") if heads else ():
        older = [node for node in (nodes.from_row(row[1:]) for row in rows) if node.id not in due]
        texts = mentions.texts_of(older)

        def work(tx: Transaction, texts: mentions.Texts = texts) -> None:
            locks.share(tx, access.owner)
            mentions.link_again(tx, access, texts, heads, now=now)

        if texts:
            database.write(work)


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + nodes.MAX_BATCH_ROWS] for first in range(0, len(ids), nodes.MAX_BATCH_ROWS))


def _nodes(database: Database, access: Access, ids: Sequence[str]) -> list[Node]:
    """Those of some nodes that are still there, in this order."""
    known = database.read(lambda tx: nodes.by_ids(tx, access, ids))
    return [known[node_id] for node_id in ids if node_id in known]


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
        _link_batch(database, access, some, now=now)
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
    now: str,
    older_but: Collection[str] | None = None,
    done: str | None = None,
) -> None:
    """Find the mentions in some nodes, and of their names in all older texts but those of `older_but`, if it is given;
    `done`: the note that ends with them.
    """

    def work(tx: Transaction) -> None:
        locks.share(tx, access.owner)
        mentions.link_texts(tx, access, some, now=now)
        if older_but is not None:
            mentions.link_names(tx, access, mentions.names_of_all(some), now=now, but=older_but)
        if done is not None:
            mentions_due.done(tx, access, [done])

    database.write(work)
