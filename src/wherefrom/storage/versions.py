"""Former versions of memos and claims: each is kept in full when a change takes its place, and read by time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import NODE_COLUMNS, scope_parameters
from wherefrom.text.check import json_text

# The kinds of nodes that people and agents change; fragments, pages and entities are as their sources have them.
VERSIONED: Final = frozenset({"memo", "claim"})
_values = attrgetter(*NODE_COLUMNS)


@dataclass(frozen=True, slots=True)
class Version:
    """A node as the memory knew it from a time to another."""

    node: Node
    known_from: str
    known_to: str


def keep(tx: Transaction, access: Access, pairs: Iterable[tuple[Node, Node]]) -> None:
    """Keep what nodes were before a change, each given before and after it; of many versions the oldest go."""
    changed = [(old, new) for old, new in pairs if old.kind in VERSIONED and old.version != new.version]
    if not changed:
        return
    rows = [
        {
            "node_id": old.id,
            "version": old.version,
            "known_from": old.updated_at,
            "known_to": new.updated_at,
            "content": as_json(old),
        }
        for old, new in changed
    ]
    insert(tx, access, rows)
    oldest = {new.id: new.version - 1 - limits.VERSIONS for _, new in changed}
    cut = [{"owner": access.owner, "node_id": key, "version": last} for key, last in oldest.items() if last > 0]
    tx.run_many("versions_cut", cut)


def insert(tx: Transaction, access: Access, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store versions; those that are there already stay as they are."""
    if rows:
        tx.many("versions_insert", rows, {"owner": access.owner})


def of_node(tx: Transaction, access: Access, node_id: str) -> list[Version]:
    """The former versions of a node, oldest first."""
    return [_version(row) for row in tx.rows("versions_of", {"owner": access.owner, "ids": json_text([node_id])})]


def rows_of(tx: Transaction, access: Access, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The versions of some nodes, as they are stored."""
    names = ("node_id", "version", "known_from", "known_to", "content")
    found = tx.rows("versions_of", {"owner": access.owner, "ids": json_text(ids)})
    return [dict(zip(names, row[:5], strict=True)) for row in found]


def at(tx: Transaction, access: Access, ids: Sequence[str], moment: str) -> dict[str, Node]:
    """Those of these nodes that have changed since a moment and were known then, as they were."""
    where = {"owner": access.owner, "ids": json_text(ids), "moment": moment}
    return {(node := _version(row).node).id: node for row in tx.rows("versions_at", where)} if ids else {}


def changed_since(tx: Transaction, access: Access, moment: str, *, limit: int) -> list[Node]:
    """Nodes that have changed since a moment, as they were then; the latest changed first. An answer may only show what
    `nodes.seen` leaves of them.
    """
    where = {**scope_parameters(access), "moment": moment, "limit": limit}
    return [_version(row).node for row in tx.rows("versions_in_force", where)]


def gaps(tx: Transaction, access: Access, moment: str) -> list[str]:
    """Say what is not known of a moment: nodes that have changed since and of which no version is left, and nodes that
    were deleted or let go since.
    """
    where = {**scope_parameters(access), "moment": moment}
    changed = tx.number("versions_missing", where)
    gone, first = tx.row("nodes_gone_since", where) or (0, None)
    said = [f"{changed:,} changed since then and not known as they were"] if changed else []
    return said + ([f"{gone:,} deleted or let go since {first[:10]}"] if gone else [])


def forget(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Delete the former versions of nodes."""
    tx.run("versions_forget", {"owner": access.owner, "ids": json_text(ids)})


def as_json(node: Node) -> str:
    """A node with all its columns, as a version holds it."""
    return json_text(dict(zip(NODE_COLUMNS, _values(node), strict=True)))


def node_from(content: str, namespace: str) -> Node:
    """The node of a version, in the namespace in which it is now."""
    values = json.loads(content)
    return Node(**{**values, "aliases": tuple(values["aliases"]), "namespace": namespace})


def _version(row: Row) -> Version:
    _, _, known_from, known_to, content, namespace = row
    return Version(node_from(content, namespace), known_from, known_to)
