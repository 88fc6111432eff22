"""Reads the standing rules of some namespaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.rules import is_rule
from wherefrom.storage import nodes, versions
from wherefrom.storage.port import Times, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text


def read(
    tx: Transaction, access: Access, places: Sequence[str], times: Times, *, limit: int, confirmed: bool = True
) -> tuple[list[Node], int]:
    """The rules of these namespaces that hold at a time, the most wanted first, and how many there are; or the claims
    that nobody has confirmed as rules. When they were observed makes no difference.
    """
    times = replace(times, since=None, until=None, holding=True)
    where = {**scope_parameters(access), **times.parameters(), "places": json_text(places), "limit": limit}
    rows = tx.rows("rules" if confirmed else "rules_unconfirmed", where)
    found = [node for row in rows if (node := nodes.seen(access, nodes.from_row(row[1:]))) is not None]
    if times.known_at is None:
        return found, rows[0][0] if rows else 0
    known = _as_known(tx, access, found, times)
    return known, len(known)


def _as_known(tx: Transaction, access: Access, found: Sequence[Node], times: Times) -> list[Node]:
    """The rules among these nodes, as they were known at a time."""
    known_at = times.known_at or ""
    were = versions.at(tx, access, [node.id for node in found if node.updated_at > known_at], known_at)
    same = {node.id: node for node in found if node.updated_at <= known_at}
    past = {node.id: nodes.seen(access, versions.open_as(were[node.id], node)) for node in found if node.id in were}
    known = ((same | past).get(node.id) for node in found)
    return [
        node
        for node in known
        if node is not None and node.confirmed_at is not None and is_rule(node)
        and times.admit(node) and node.holds_at(times.now)
    ]  # fmt: skip
