"""The feed of changes: which owners' memories have changed, and what a view may see of its owner's changes.

A process that serves many streams asks for the owners once a moment; each stream of these reads for itself.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from wherefrom.model.changes import Changes, Position, position_of
from wherefrom.storage import feed
from wherefrom.storage.port import Transaction

if TYPE_CHECKING:
    from wherefrom.engine.resources import Resources
    from wherefrom.engine.view import View

MAX_CHANGES: Final = 1_000


def end(store: Resources) -> Position:
    """Return the position behind all that has happened."""
    return store.database.read(feed.end)


def owners_after(store: Resources, position: Position) -> tuple[frozenset[str], Position]:
    """Return the owners whose memories have changed behind a position, and the position to go on from."""
    return store.database.read(partial(feed.owners_after, position=position))


def changes(view: View, after: str | None = None, *, limit: int = MAX_CHANGES) -> Changes:
    """Return the changes that a view may see, oldest first, after one of them (its id, or `next_id`); without an id
    none, and where to go on. They name nodes and namespaces, and nothing of what is stored there.
    """
    access, position = view.access, None if after is None else position_of(after)

    def work(tx: Transaction) -> Changes:
        if position is None or feed.is_lost(tx, access.owner, position):
            return Changes((), str(feed.end(tx)), reset=position is not None)
        found, position_after = feed.after(tx, access.owner, position, limit=limit)
        items = tuple(change.shown() for change in found if change.is_seen_by(access))
        return Changes(items, str(position_after), more=len(found) == limit)

    return view.store.database.read(work)
