"""Reads the history: a page of events that an access may see, and what is known of the ids in them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.model import cursors
from wherefrom.model.access import Access
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

_CURSOR: Final = "history"


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it is stored. The order of the fields is the order of the columns."""

    seq: int
    at: str
    topic: str
    namespace: str
    payload: Mapping[str, Any]
    node_id: str | None
    other_id: str | None
    part_of: str | None
    request_id: str | None
    trace_id: str | None


@dataclass(frozen=True, slots=True)
class LetGo:
    """The receipt of a node that was let go, as far as the history tells it. title: or the beginning of its text."""

    run_id: str
    at: str
    stand_in: str | None
    namespace: str
    rule: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The nodes of a run that an access may see: those let go, those of them since a time, and those brought back.
    is_told: it may see that there was such a run, also if it sees none of its nodes.
    """

    let_go: int
    lately: int
    back: int
    first_at: str | None
    is_told: bool


def page(
    tx: Transaction, access: Access, filters: Mapping[str, Any], *, limit: int, cursor: str | None
) -> tuple[list[Event], str | None]:
    """A page of events, newest first, and the cursor of the next. Events that arrive meanwhile do not shift it."""
    where = {**scope_parameters(access), **filters, **_position(cursor), "limit": limit + 1}
    rows = tx.rows("history_page", where)
    found = [Event(*(*row[:4], json.loads(row[4]), *row[5:])) for row in rows[:limit]]
    more = cursors.encode(_CURSOR, f"{found[-1].at} {found[-1].seq}") if len(rows) > limit else None
    return found, more


def receipts(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, LetGo]:
    """The newest receipts of these nodes, without those that the access may not see."""
    rows = tx.rows("history_receipts", {"owner": access.owner, "ids": json_text(ids)}) if ids else []
    found = {}
    for node_id, run_id, at, stand_in, namespace, rule, kind, boundary_class, title in rows:
        if access.sees(namespace, boundary_class):
            found[node_id] = LetGo(run_id, at, stand_in, namespace, rule, kind, title)
    return found


def plan_states(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The states of these plans, as far as they are still stored, and since when they have them."""
    rows = tx.rows("history_plans", {"owner": access.owner, "ids": json_text(ids)}) if ids else []
    return {plan_id: (state, since) for plan_id, state, since in rows}


def run(tx: Transaction, access: Access, run_id: str) -> tuple[str, str, str, str | None] | None:
    """The namespace and the state of a run of metabolism, and when it began and ended; None if the root has none."""
    row = tx.row("history_run", {**scope_parameters(access.own()), "id": run_id})
    return None if row is None else (row[0], row[1], row[2], row[3])


def run_counts(tx: Transaction, access: Access, run_id: str, *, since: str) -> RunCounts:
    """The number of nodes that a run let go, as far as the access sees them."""
    row = tx.row("history_parts", {**scope_parameters(access), "id": run_id, "since": since})
    assert row is not None
    return RunCounts(int(row[0]), int(row[1]), int(row[2]), row[3], bool(row[4]))


def end(tx: Transaction, access: Access, node_id: str) -> tuple[str, str, str, str | None] | None:
    """How a node went, when and where, and by which run: the last event of its being deleted or let go."""
    row = tx.row("history_end", {**scope_parameters(access), "id": node_id})
    return None if row is None else (row[0], row[1], row[2], row[3])


def _position(cursor: str | None) -> dict[str, Any]:
    position = cursors.decode(cursor, _CURSOR)
    if position is None:
        return {}
    at, _, seq = position.partition(" ")
    if not at or not seq.isascii() or not seq.isdigit() or len(seq) > 18:
        raise cursors.foreign(cursor)
    return {"before_at": at, "before_seq": int(seq)}
