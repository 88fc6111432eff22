"""A transaction on a connection in pipeline mode: statements are sent without waiting; only who wants rows waits.

`ahead` sends what several reads will ask for in as few trips as the longest of them needs alone. Each is tried until it
asks for rows that have not come yet; when all wait, their statements are sent together, and those that waited are tried
again, with the answers at hand. The answers stay, because a transaction sees one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

import psycopg

from wherefrom.storage.port import Parameters, Row, Transaction
from wherefrom.text.check import json_text

_STREAMED_ROWS: Final = 1_000


class _NotYetError(Exception):
    """The rows that a read asks for were not sent for before it asked."""


class PipelinedTransaction(Transaction):
    """See above. was_answered: whether the server has sent any rows."""

    was_answered = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._known: dict[Hashable, psycopg.Cursor[Row] | list[Row]] = {}
        # So that no other vector becomes the same object as one that was asked for.
        self._asked: list[Parameters] = []
        self._looks_ahead = False

    def rows(self, name: str, parameters: Parameters) -> list[Row]:
        return self.send(name, parameters)()

    def row(self, name: str, parameters: Parameters) -> Row | None:
        rows = self.rows(name, parameters)
        return rows[0] if rows else None

    def send(self, name: str, parameters: Parameters) -> Callable[[], list[Row]]:
        if self.writes:
            cursor = self._execute(name, parameters)
            return lambda: list(cursor.fetchall())
        key = _key(name, parameters)
        is_new = key not in self._known
        if is_new:
            self._known[key] = self._execute(name, parameters)
            self._asked.append(parameters)
        looks_ahead = self._looks_ahead and is_new

        def wait() -> list[Row]:
            if looks_ahead:
                raise _NotYetError
            found = self._known[key]
            if not isinstance(found, list):
                found = self._known[key] = found.fetchall()
                self.was_answered = True
            return found

        return wait

    def run(self, name: str, parameters: Parameters) -> None:
        # Whoever is tried again has run it already.
        key = _key(name, parameters)
        if not (self._looks_ahead and key in self._known):
            self._execute(name, parameters)
            self._known[key] = []

    def ahead(self, *reads: Callable[[], object]) -> None:
        """See `Transaction.ahead`."""
        waiting = list(reads)
        while waiting:
            waiting = self.ahead_once(*waiting)

    def ahead_once(self, *reads: Callable[[], object]) -> list[Callable[[], object]]:
        """Send what reads ask for first, or next; returns those that wait for an answer to that."""
        if self._looks_ahead:  # as a part of another read
            return []
        self._looks_ahead = True
        try:
            return [read for read in reads if not _is_done(read)]
        finally:
            self._looks_ahead = False

    def count(self, name: str, parameters: Parameters) -> int:
        cursor = self._execute(name, parameters)
        rows_of(cursor)
        return int(cursor.rowcount)

    def run_rows(self, name: str, rows: Sequence[Parameters], common: Parameters) -> None:
        if rows:
            self._execute(name, {**common, "rows": json_text(rows)})

    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        # The driver has no cursors of the server in pipeline mode, so it is declared by hand.
        self._call.check()
        sql = self._statements.sql(name, parameters)
        self._connection.execute(f"declare stream no scroll cursor for {sql}", parameters)
        try:
            while rows := self._connection.execute(f"fetch {_STREAMED_ROWS} from stream", binary=True).fetchall():
                self.was_answered = True
                yield from rows
        finally:
            self._connection.execute("close stream")


def rows_of(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """Wait for a statement, and return its rows, if it has any."""
    try:
        return cursor.fetchall()
    except psycopg.ProgrammingError:  # a change that returns nothing
        return []


def _is_done(read: Callable[[], object]) -> bool:
    """True if a read has all the rows that it asks for."""
    try:
        read()
    except _NotYetError:
        return False
    return True


def _key(name: str, parameters: Parameters) -> Hashable:
    """What tells a statement from others: its parameters are numbers, texts, or vectors that stay the same object."""
    values = tuple(
        (key, value if isinstance(value, str | int | float | None) else id(value)) for key, value in parameters.items()
    )
    return name, values
