"""Follows the history of a store: asks it again and again for what is new, less often while nothing happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, Final

from wherefrom.model.history import History, HistoryEntry
from wherefrom.model.identifiers import timestamp
from wherefrom.model.limits import LIST_LIMIT

_FIRST_WAIT_SECONDS: Final = 1.0
_LONGEST_WAIT_SECONDS: Final = 10.0
_WAIT_GROWTH: Final = 1.5
# An event may be written some time after it happened, by a transaction that took long or a clock that is slow.
_LATE: Final = timedelta(minutes=1)

Ask = Callable[..., History]
"""The verb, with the filters that were given."""


def followed(ask: Ask, wait: Callable[[float], Any], *, since: str | None, limit: int) -> Iterator[list[HistoryEntry]]:
    """Yield what happened last, oldest first, then what is new each time that something is. It never ends by itself."""
    shown = list(ask(since=since, limit=limit).items)
    newest = shown[0].at if shown else None
    seen = {entry.seq: entry.at for entry in shown}
    seen |= {entry.seq: entry.at for entry in _all_since(ask, _lately(newest, since))} if newest else {}
    yield shown[::-1]
    pause = _FIRST_WAIT_SECONDS
    while True:
        wait(pause)
        bound = _lately(newest, since)
        fresh = [entry for entry in _all_since(ask, bound) if entry.seq not in seen]
        pause = _FIRST_WAIT_SECONDS if fresh else min(pause * _WAIT_GROWTH, _LONGEST_WAIT_SECONDS)
        if fresh:
            newest = max(newest or "", *(entry.at for entry in fresh))
            kept = {seq: at for seq, at in seen.items() if bound is None or at >= bound}
            seen = kept | {entry.seq: entry.at for entry in fresh}
            yield fresh[::-1]


def _all_since(ask: Ask, since: str | None) -> Iterator[HistoryEntry]:
    cursor = None
    while True:
        found = ask(since=since, limit=LIST_LIMIT, cursor=cursor)
        yield from found.items
        if (cursor := found.next_cursor) is None:
            return


def _lately(newest: str | None, since: str | None) -> str | None:
    """The time from which on events are asked for again: a while before the newest, and not before `since`."""
    if newest is None:
        return since
    bound = timestamp(datetime.fromisoformat(newest) - _LATE)
    return bound if since is None else max(bound, since)
