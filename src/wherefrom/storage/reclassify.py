"""Reads stored rows in batches for a policy to judge again, and rewrites those of which it leaves less."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wherefrom.model.access import Access
from wherefrom.model.graph import Edge, Node
from wherefrom.storage import edges, evidence, locks, node_saving, nodes, receipts, tasks
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Database, Row, Transaction
from wherefrom.storage.receipts import Receipt
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

KeepEdge = Callable[[Edge], Edge]
"""Returns an edge as the policy leaves it."""


def count_nodes(tx: Transaction, access: Access) -> int:
    """The number of nodes that `node_batches` yields."""
    (total,) = tx.row("node_total", scope_parameters(access)) or (0,)
    return int(total)


def node_batches(database: Database, access: Access) -> Iterator[list[Node]]:
    """All nodes, some at a time; pages last, because one that becomes stricter changes its fragments, too."""
    for rows in nodes.batches(database, access, "nodes_after"):
        yield sorted((nodes.from_row(row[1:]) for row in rows), key=lambda node: node.kind == "page")


def rewrite_node(
    tx: Transaction,
    access: Access,
    change: tuple[Node, Node | None],
    made: Made | None,
    *,
    receipt: Receipt,
    keep: KeepEdge,
) -> bool:
    """Store what a policy left of a node, unless others have changed it meanwhile; a node without a rest is deleted.

    If another node already has that text, it stands for both and this one is retired: then the answer is True.
    """
    node, new = change
    locks.be_alone(tx, access.owner)
    row = tx.row("node_get", {**scope_parameters(access), "id": node.id})
    if row is None or nodes.from_row(row) != node:
        return False
    if new is None:
        node_saving.delete(tx, access, node.id, now=receipt.now)
        return False
    holder = nodes.same_text(tx, access, new)
    # The same text in another class stays another node: not everybody sees both.
    if holder is not None and holder.id != node.id and holder.boundary_class == new.boundary_class:
        receipts.sweep(tx, access, [node.id], receipt, instead={node.id: new})
        return True
    nodes.replace_many(tx, access, [(node, replace(new, version=node.version + 1))], made)
    # Reasons follow the class of the node, also those of edges that lead out of the namespace.
    rows = tx.rows("edges_going", {"owner": access.owner, "ids": json_text([node.id])})
    edges.replace_many(tx, access, _changed(rows, keep))
    return False


def rewrite_edges(database: Database, access: Access, keep: KeepEdge, *, dry_run: bool) -> list[str]:
    """Replace the edges that the policy changes, or only find them; returns the ids of their sources."""
    sources: list[str] = []
    for rows in nodes.batches(database, access, "edges_after"):
        changed = _changed(rows, keep)
        sources += [edge.source_id for edge in changed]
        if changed and not dry_run:
            database.write(lambda tx, changed=changed: edges.replace_many(tx, access, changed))  # type: ignore[misc]
    return sources


def rewrite_rest(
    database: Database,
    access: Access,
    clean: Callable[[str, str], str],
    clean_row: Callable[[Mapping[str, Any], str], Mapping[str, Any]],
) -> None:
    """Clean tasks, queries, corrections and retired rows. Contexts are disposable and go."""
    database.write(lambda tx: tasks.clean(tx, access, clean))
    database.write(lambda tx: evidence.clean_corrections(tx, access, clean))
    database.write(lambda tx: tx.run("contexts_forget", scope_parameters(access)))
    for rows in nodes.batches(database, access, "retired_after"):
        changed = {
            (seq, node_id): kept
            for seq, namespace, content, node_id in rows
            if (kept := json_text(clean_row(json.loads(content), namespace))) != content
        }
        database.write(lambda tx, changed=changed: receipts.rewrite(tx, access, changed))  # type: ignore[misc]


def _changed(rows: Iterable[Row], keep: KeepEdge) -> list[Edge]:
    """The edges of these rows, which start with their seqs, that the policy leaves otherwise than they are."""
    return [kept for edge in (Edge(*row[1:]) for row in rows) if (kept := keep(edge)) != edge]
