"""Former versions of memos and claims: each is kept in full when a change takes its place, and read by time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, NoReturn

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Node
from wherefrom.storage.port import Database, Row, Transaction
from wherefrom.storage.sql import NODE_COLUMNS, scope_parameters
from wherefrom.text.check import json_text

# The kinds of nodes that people and agents change; fragments, pages and entities are as their sources have them.
VERSIONED: Final = frozenset({"memo", "claim"})
_MAX_BATCH_NODES: Final = 100
_values = attrgetter(*NODE_COLUMNS)

Judge = Callable[[Node], Node | None]
"""Returns what a policy leaves of a node: the node itself, another value of it, or None."""


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
    _cut(tx, access, [new for _, new in changed])


def insert(tx: Transaction, access: Access, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store versions; those that are there already stay as they are, and were known no longer than given."""
    if rows:
        tx.many("versions_insert", rows, {"owner": access.owner})


def of_node(tx: Transaction, access: Access, node_id: str) -> list[Version]:
    """The former versions of a node, oldest first."""
    return [_version(row) for row in tx.rows("versions_of", {"owner": access.owner, "ids": json_text([node_id])})]


def numbered(tx: Transaction, access: Access, node: Node, number: int) -> Node:
    """A node as it was in a version, open to nobody who sees nothing of it now; raises if the version is not known."""
    if number == node.version:
        return node
    known = {version.node.version: version for version in of_node(tx, access, node.id)}
    return open_as(known[number].node, node) if number in known else refuse(node, number)


def open_as(former: Node, node: Node) -> Node:
    """A former version at least as restricted as what is open of the node now."""
    return former.restricted(node.open_class, node.open_class)


def refuse(node: Node, number: int) -> NoReturn:
    """Raise the error for a version that is not known, or that the access may not see."""
    raise NotFound(f"version {number} of {node.id} is not known", hint=f"history {node.id} lists the versions")


def by_node(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The versions of some nodes as a receipt keeps them: their number, their times, and their columns."""
    found: dict[str, list[dict[str, Any]]] = {}
    for node_id, number, known_from, known_to, content, _ in _rows_of(tx, access, ids):
        row = {"version": number, "known_from": known_from, "known_to": known_to, "content": json.loads(content)}
        found.setdefault(node_id, []).append(row)
    return found


def add(tx: Transaction, access: Access, new: Sequence[Version], owners: Mapping[str, Node]) -> int:
    """Store former versions of nodes that are here (`owners`, by id); returns how many were not known."""
    known = {(row[0], row[1]) for row in _rows_of(tx, access, sorted(owners))}
    rows = [
        {
            "node_id": former.node.id,
            "version": former.node.version,
            "known_from": former.known_from,
            "known_to": former.known_to,
            "content": as_json(former.node),
        }
        for former in new
    ]
    insert(tx, access, rows)
    _cut(tx, access, owners.values())
    return len({(former.node.id, former.node.version) for former in new} - known)


def rewrite(database: Database, access: Access, judge: Judge) -> None:
    """Bring the former versions of all nodes of the root in line with a policy; those that may not be kept go."""
    where = {**scope_parameters(access), "after": 0, "limit": _MAX_BATCH_NODES}
    while batch := database.read(lambda tx: tx.rows("nodes_versioned", where)):
        rows = database.read(lambda tx, batch=batch: _rows_of(tx, access, [row[1] for row in batch]))  # type: ignore[misc]
        changed, denied = [], []
        for row in rows:
            kept = judge(was := _version(row).node)
            key = {"node_id": row[0], "version": row[1]}
            if kept is None:
                denied.append({"owner": access.owner, **key})
            elif kept is not was:
                changed.append({**key, "content": as_json(kept)})
        if changed or denied:
            database.write(lambda tx, some=(changed, denied): _rewrite(tx, access, *some))  # type: ignore[misc]
        where["after"] = batch[-1][0]


def _rewrite(
    tx: Transaction, access: Access, changed: Sequence[Mapping[str, Any]], denied: Sequence[Mapping[str, Any]]
) -> None:
    tx.many("versions_replace", changed, {"owner": access.owner})
    tx.run_many("versions_delete", denied)


def _rows_of(tx: Transaction, access: Access, ids: Sequence[str]) -> list[Row]:
    return list(tx.rows("versions_of", {"owner": access.owner, "ids": json_text(ids)})) if ids else []


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


def as_json(node: Node) -> str:
    """A node with all its columns, as a version holds it."""
    return json_text(dict(zip(NODE_COLUMNS, _values(node), strict=True)))


def node_from(content: str, namespace: str) -> Node:
    """The node of a version, in the namespace in which it is now."""
    return from_values(json.loads(content), namespace)


def from_values(values: Mapping[str, Any], namespace: str) -> Node:
    """The node with these columns, in the namespace in which it is now."""
    return Node(**{**values, "aliases": tuple(values["aliases"]), "namespace": namespace})


def _cut(tx: Transaction, access: Access, changed: Iterable[Node]) -> None:
    """Of nodes with many versions, delete the oldest."""
    oldest = {node.id: node.version - 1 - limits.VERSIONS for node in changed}
    cut = [{"owner": access.owner, "node_id": key, "version": last} for key, last in oldest.items() if last > 0]
    tx.run_many("versions_cut", cut)


def _version(row: Row) -> Version:
    _, _, known_from, known_to, content, namespace = row
    return Version(node_from(content, namespace), known_from, known_to)
