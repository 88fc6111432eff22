"""Stores which node stands for one that went, for as long as that node is here; receipts may be purged before.

A pointer leads to the last of a chain. What it went for is kept beside that, so that a node of the chain that comes
back answers again for all that went for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict
from wherefrom.model.graph import Node
from wherefrom.model.stand_ins import StandIn
from wherefrom.storage import nodes
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import reference_parameters, scope_parameters
from wherefrom.text.check import json_text

_MAX_FOUND: Final = 20
# Nodes go for others that stay longer: a chain has some links.
_MAX_CHAIN: Final = 1_000


@dataclass(frozen=True, slots=True)
class Pointer:
    """A node that went, and the one that stands for it, as an access sees that."""

    node_id: str
    went_at: str
    stand_in: Node


def find(tx: Transaction, access: Access, given: str) -> list[Pointer]:
    """The nodes that went, with this id or else with an id that ends so, whose stand-ins the access sees."""
    where = {**scope_parameters(access), **reference_parameters(given), "limit": _MAX_FOUND}
    found = [
        Pointer(node_id, went_at, node)
        for node_id, went_at, *values in tx.rows("stand_ins_referred", where)
        if (node := nodes.seen(access, nodes.from_row(tuple(values)))) is not None
    ]
    return [pointer for pointer in found if pointer.node_id == given] or found


def lead_on(tx: Transaction, access: Access, gone: Sequence[str], heirs: Mapping[str, str], *, now: str) -> None:
    """Let pointers lead past nodes that are about to go; heirs: by node, the one that stands for it."""
    ends = {node_id: _end(node_id, heirs) for node_id in gone}
    owner = {"owner": access.owner}
    tx.many("stand_ins_lead_on", [{"node_id": one, "leads_to_id": end} for one, end in ends.items()], owner)
    pointers = [StandIn(one, heirs[one], end, now) for one, end in ends.items() if end is not None]
    tx.many("stand_ins_put", [asdict(pointer) for pointer in pointers], owner)


def come_back(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Nodes are here again: they answer for themselves, and for all that went for them."""
    where = {"owner": access.owner, "ids": json_text(ids)}
    tx.run("stand_ins_remove", where)
    tx.run("stand_ins_return", where)


def add(tx: Transaction, access: Access, pointers: Sequence[StandIn]) -> dict[StandIn, Conflict]:
    """Store pointers of an import, whose ends are here; returns why some are not.

    Nobody answers for an id that was ever known here because a file says so: who kept it would get, and judge, another
    text than the one that was meant. A node that is here, and a pointer that is stored, stay as they are.
    """
    where = {"owner": access.owner}
    ids = json_text(sorted({pointer.node_id for pointer in pointers}))
    known = {row[0]: (bool(row[1]), row[2]) for row in tx.rows("stand_ins_known", {**where, "ids": ids})}
    ends = json_text(sorted({pointer.stand_in_id for pointer in pointers}))
    ahead: dict[str, str] = dict(tx.rows("stand_ins_ahead", {**where, "ids": ends}))
    new: list[StandIn] = []
    refused: dict[StandIn, Conflict] = {}
    for pointer in pointers:
        is_here, stored = known.get(pointer.node_id, (False, None))
        if is_here or stored == pointer.stand_in_id:
            continue
        if pointer.node_id in known:
            reason = "a node with this id was here, and it did not go for that one"
            refused[pointer] = Conflict(reason, hint="nothing else answers for it; save what is to be known")
        elif _leads_back(pointer, ahead):
            refused[pointer] = Conflict("it stands for itself", hint="leave the line out")
        else:
            known[pointer.node_id] = (False, pointer.stand_in_id)
            ahead[pointer.node_id] = pointer.stand_in_id
            new.append(pointer)
    tx.many("stand_ins_add", [asdict(pointer) for pointer in new], where)
    return refused


def erase(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Leave nothing of nodes that are forgotten for good; what went for one of them leads on to what that went for."""
    where = {"owner": access.owner, "ids": json_text(ids)}
    tx.run("stand_ins_shorten", where)
    tx.run("stand_ins_erase", where)


def purge(tx: Transaction, access: Access) -> None:
    """Delete the pointers to nodes that were let go and can no longer be brought back, chains from their ends."""
    while tx.count("stand_ins_purge", {"owner": access.owner}):
        pass


def _end(node_id: str, heirs: Mapping[str, str]) -> str | None:
    """The last node that stands for one, if any does."""
    end = heirs.get(node_id)
    while end is not None and end in heirs:
        end = heirs[end]
    return end


def _leads_back(pointer: StandIn, ahead: Mapping[str, str]) -> bool:
    """True if a node would stand for itself, at the end of a chain or in it; so it is taken of one without an end."""
    if pointer.node_id == pointer.leads_to_id:
        return True
    at: str | None = pointer.stand_in_id
    for _ in range(_MAX_CHAIN):
        if at is None or at == pointer.node_id:
            break
        at = ahead.get(at)
    return at is not None
