"""Statements that take the place of others: those end when the new one begins to hold, and can hold again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput, shown
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import edges, events, nodes, upkeep_counts, versions
from wherefrom.storage.events import NO_TRACE, Trace
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

TAG: Final = "supersedes"
# After every time.
_NEVER: Final = "9999-12-31T23:59:59.999999Z"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A statement that takes the place of others, before it is stored.

    heir: the statement; if a later one holds in its slot, it ends when that begins. ended: the statements that it
    ended, as they are now. old: all that it supersedes, also those that had ended before. following: the later one.
    """

    heir: Node
    ended: Sequence[Node] = ()
    old: Sequence[Node] = ()
    following: Node | None = None


def make_room(tx: Transaction, access: Access, heir: Node, ids: Sequence[str], *, begins: str, now: str) -> Replacement:
    """End the statements with these ids, and those that hold in the slot of the heir, when that begins to hold; for one
    that was known before, `begins` is the time from which it takes their place. `heir.observed_at` is when it was said,
    this time.

    A statement that was superseded by another before stays so, also the heir.
    """
    named = _replaceable(tx, access, ids, heir_id=heir.id)
    ends = heir.valid_to or _NEVER
    if heir.superseded_by is not None and (
        ends <= begins or (ids and not set(ids).isdisjoint(_line(tx, access, heir)))
    ):
        raise Conflict(
            f"{heir.id} has ended: another took its place",
            hint="restore it first, or save its text as a new memo",
        )
    covering: list[Node] = []
    following: Node | None = None
    if heir.slot is not None:
        covering, following = _in_slot(tx, access, heir, at=begins)
        if ends <= begins:  # it is over, so the slot would be empty
            covering = []
    if following is not None and nodes.by_ids(tx, access, [heir.id]):
        line = [following.id, *_line(tx, access, following)]
        if heir.id in line:  # it took their place before, and now it begins before them
            found = nodes.by_ids(tx, access, line[: line.index(heir.id)]).values()
            covering += [node for node in found if node.slot == heir.slot and node not in covering]
            following = None
    if following is not None:
        # What holds longer than until the following one begins belongs after that: to end it would empty the slot.
        covering = [node for node in covering if (node.valid_to or _NEVER) <= following.holds_from]
        if heir.superseded_by is not None and ends <= following.holds_from:
            following = None
    old = {node.id: node for node in (*named, *covering)}
    in_slot = {node.id for node in covering}
    pairs = [
        (node, _ended(node, begins, heir.id, now=now))
        for node in old.values()
        if node.superseded_by is None or node.id in in_slot
    ]
    nodes.replace_many(tx, access, pairs, None)
    if following is not None:
        heir = replace(heir, valid_to=min(following.holds_from, ends), superseded_by=following.id)
    return Replacement(heir, [node for _, node in pairs], list(old.values()), following)


def relate(
    tx: Transaction, access: Access, heir: Node, done: Replacement, *, now: str, trace: Trace = NO_TRACE
) -> None:
    """Store the relations and the events of a replacement, whose heir is stored."""
    relations = [edges.between(heir, node, TAG, now=now) for node in done.old]
    if done.following is not None:
        relations.append(edges.between(done.following, heir, TAG, now=now))
    edges.insert(tx, access, relations, skip_known=True)
    for node in done.ended:
        note(tx, access, node, heir, now=now, trace=trace)
    if done.old:
        upkeep_counts.recount(tx, access)


def note(tx: Transaction, access: Access, ended: Node, heir: Node | None, *, now: str, trace: Trace = NO_TRACE) -> None:
    """Record that a statement has ended, and what took its place."""
    payload = {"memo_id": ended.id, "valid_to": ended.valid_to}
    events.record(tx, access, "replace", payload, about=events.about_node(ended, other=heir), at=now, trace=trace)


def supersede(
    tx: Transaction, access: Access, heir: Node, old: Node, *, now: str, at: str | None = None
) -> Node | None:
    """End a statement when another one that is stored begins to hold, or at another time; returns it, or None if it had
    an heir before.

    Raises if it is itself what took the place of the other.
    """
    if old.kind not in versions.VERSIONED or heir.kind not in versions.VERSIONED or old.superseded_by is not None:
        return None
    if old.id in _line(tx, access, heir):
        raise Conflict(
            f"{old.id} took the place of {heir.id}", hint="restore the older one first, so that it holds again"
        )
    if heir.valid_to is not None and heir.valid_to <= now:
        raise Conflict(f"{heir.id} holds no longer", hint="restore it first, or name what holds")
    ended = _ended(old, at or heir.holds_from, heir.id, now=now)
    nodes.replace_many(tx, access, [(old, ended)], None)
    note(tx, access, ended, heir, now=now)
    upkeep_counts.recount(tx, access)
    return ended


def take_back(tx: Transaction, access: Access, heir_id: str, old_id: str, *, now: str) -> None:
    """Let a statement hold again that another one does not supersede any more; if a third does, that is its heir."""
    old = nodes.get(tx, access, old_id)
    if old.superseded_by != heir_id:
        return
    others = [Edge(*row) for row in tx.rows("edges_superseding", {**scope_parameters(access), "id": old_id})]
    if not others:
        reopen(tx, access, old, now=now)
        return
    last = max(others, key=lambda edge: edge.created_at)
    changed = replace(old, superseded_by=last.source_id, updated_at=now, version=old.version + 1)
    nodes.replace_many(tx, access, [(old, changed)], None)


def begin(tx: Transaction, access: Access, node: Node, *, at: str, now: str) -> Node:
    """Let a statement hold from a time on; returns it as it is now."""
    if node.valid_from == at:
        return node
    begun = replace(node, valid_from=at, updated_at=now, version=node.version + 1)
    nodes.replace_many(tx, access, [(node, begun)], None)
    return begun


def revive(tx: Transaction, access: Access, node: Node, *, lifetime: timedelta | None, now: str) -> Node:
    """Let a statement that has ended or expired hold again; the relations by which others superseded it go.

    Returns the node itself if it holds.
    """
    fresh = renewed(node, lifetime, now=now)
    if node.superseded_by is not None or (node.valid_to is not None and node.valid_to <= now):
        found = tx.rows("edges_superseding", {**scope_parameters(access), "id": node.id})
        edges.remove(tx, access, [Edge(*row) for row in found])
        return reopen(tx, access, node, now=now, fresh=fresh)
    if fresh is node:
        return node
    fresh = replace(fresh, updated_at=now, version=node.version + 1)
    nodes.replace_many(tx, access, [(node, fresh)], None)
    events.record(tx, access, "reopen", {"memo_id": node.id}, about=events.about_node(fresh), at=now)
    return fresh


def renewed(node: Node, lifetime: timedelta | None, *, now: str) -> Node:
    """A node that lives for this time from now on, if it has expired; None is without end."""
    if node.expires_at is None or node.expires_at > now:
        return node
    ends = None if lifetime is None else timestamp(datetime.fromisoformat(now) + lifetime)
    return replace(node, expires_at=ends)


def reopen(tx: Transaction, access: Access, node: Node, *, now: str, fresh: Node | None = None) -> Node:
    """Let a statement that has ended hold again; raises if another has its text or its slot. fresh: the same with
    another expiry.
    """
    held = replace(fresh or node, valid_to=None, superseded_by=None, updated_at=now, version=node.version + 1)
    holder = nodes.same_text(tx, access, held)
    if holder is not None and holder.id != node.id:
        raise Conflict(f"memo {holder.id} has its text and holds", hint="use that memo")
    if held.slot is not None:
        current, planned = _in_slot(tx, access, replace(held, observed_at=now), at=now)
        if (other := next(iter(current), planned)) is not None:
            raise Conflict(
                f"memo {other.id} holds in the slot {shown(held.slot)}",
                hint="save its text again with this slot, and it takes the place of the other",
            )
    nodes.replace_many(tx, access, [(node, held)], None)
    events.record(tx, access, "reopen", {"memo_id": node.id}, about=events.about_node(held), at=now)
    return held


def in_slots(tx: Transaction, access: Access, slots: Iterable[str]) -> list[Node]:
    """The nodes that the access sees and that hold in these slots until another takes their place, in any namespace."""
    wanted = sorted(set(slots))
    where = {**scope_parameters(access), "slots": json_text(wanted)}
    return [nodes.from_row(row) for row in tx.rows("slots_held", where)] if wanted else []


def _replaceable(tx: Transaction, access: Access, ids: Sequence[str], *, heir_id: str) -> list[Node]:
    """The memos and claims with these ids; raises if one of them cannot be replaced."""
    found = [nodes.get(tx, access, node_id) for node_id in dict.fromkeys(ids)]
    for node in found:
        if node.kind not in versions.VERSIONED:
            raise InvalidInput(f"{node.id} is a {node.kind}: it stays as its source has it")
        if node.id == heir_id:
            raise InvalidInput(f"{node.id} cannot supersede itself", hint="memo_id changes it; supersedes names others")
    return found


def _line(tx: Transaction, access: Access, node: Node) -> list[str]:
    """The ids of what took the place of a statement, of what took the place of that, and so on."""
    line: dict[str, None] = {}
    while node.superseded_by is not None and node.superseded_by not in line:
        line[node.superseded_by] = None
        found = nodes.by_ids(tx, access, [node.superseded_by])
        if not found:
            break
        node = found[node.superseded_by]
    return list(line)


def _in_slot(tx: Transaction, access: Access, node: Node, *, at: str) -> tuple[list[Node], Node | None]:
    """The other statements in the slot of a node that the access may see: those that hold at a time, and the first that
    holds only later.
    """
    where = {**scope_parameters(access), "id": node.id, "namespace": node.namespace, "slot": node.slot, "at": at}
    where |= {"observed_at": node.observed_at, "ends": node.valid_to or _NEVER}
    where["undated"] = True if node.valid_from is None else None
    following = tx.row("slot_following", where)
    covering = [nodes.from_row(row) for row in tx.rows("slot_covering", where)]
    return covering, None if following is None else nodes.from_row(following)


def _ended(node: Node, at: str, heir_id: str | None, *, now: str) -> Node:
    ends = at if node.valid_to is None else min(at, node.valid_to)
    return replace(node, valid_to=ends, superseded_by=heir_id, updated_at=now, version=node.version + 1)
