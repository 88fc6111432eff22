"""The feed: the events of a store in the order in which they became visible, so that whoever has read up to a position
has missed none before it.

On SQLite that is their order by number, because one transaction at a time writes. On PostgreSQL a later number may be
committed before an earlier one. So events are ordered by the transaction that wrote them, then by number, and read only
up to the oldest transaction that is still under way: all that come to be visible later lie behind that. A transaction
that writes for a long time, in any database of the server, holds the feed back and loses nothing of it.
"""

from __future__ import annotations

from typing import Any

from wherefrom.model.changes import Position, StoredChange
from wherefrom.storage.port import Transaction


def end(tx: Transaction) -> Position:
    """Return the position behind all events that are visible for good."""
    row = tx.row("feed_end", {})
    assert row is not None
    return Position(int(row[0]), int(row[1]))


def after(tx: Transaction, owner: str, position: Position, *, limit: int) -> tuple[tuple[StoredChange, ...], Position]:
    """Return the changes of an owner behind a position, oldest first: no searches, and nothing that nobody is shown;
    and the position to go on from.
    """
    last = end(tx)
    rows = tx.rows("feed_after", {**_between(position, last), "owner": owner, "limit": limit})
    found = tuple(StoredChange(Position(row[0], row[1]), *row[2:]) for row in rows)
    return found, found[-1].position if len(found) == limit else last


def owners_after(tx: Transaction, position: Position) -> tuple[frozenset[str], Position]:
    """Return the owners of whom there are changes behind a position, and the position to go on from."""
    last = end(tx)
    return frozenset(owner for (owner,) in tx.rows("feed_owners", _between(position, last))), last


def is_lost(tx: Transaction, owner: str, position: Position) -> bool:
    """Return True if an owner's events behind a position are no longer all kept, or it is of another store."""
    last, row = end(tx), tx.row("event_floor", {"owner": owner})
    floor = Position(0, 0) if row is None else Position(int(row[0]), int(row[1]))
    # A floor behind the end was restored from another cluster: nothing that can be read lies before it.
    return position > last or position < floor <= last


def _between(position: Position, last: Position) -> dict[str, Any]:
    ends = {"end_written_in": last.written_in, "end_seq": last.seq}
    return {"written_in": position.written_in, "seq": position.seq, **ends}
