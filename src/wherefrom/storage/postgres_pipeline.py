"""A transaction on a connection in pipeline mode: statements are sent without waiting; only who wants rows waits.

`ahead` sends what several reads will ask for in as few trips as the longest of them needs alone. Each is tried until it
asks for rows that have not come yet; when all wait, their statements are sent together, and those that waited are tried
again, with the answers at hand. The answers stay, because a transaction sees one snapshot. In a glance they stay
although each trip sees a later snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final, Self

import psycopg

from wherefrom.storage.port import Parameters, Row, Statement, Transaction
from wherefrom.storage.sql import Statements, statements_of
from wherefrom.text.check import json_text

_STREAMED_AT_ONCE: Final = 1_000
# A change that returns rows, or a query.
_ANSWERS: Final = re.compile(r"\breturning\b|\A\s*select\b", re.IGNORECASE)
# More are a batch: it is waited for, and planned by itself. A plan that was kept from when a table was empty may read
# all of it for each row; those of an import would stay until its end.
_MAX_ROWS_NOT_A_BATCH: Final = 50
# A read that asks something else each time it is tried would never be done; it then asks for itself.
_MAX_ROUNDS_AHEAD: Final = 20


class _NotYetError(Exception):
    """The rows that a read asks for were not sent for before it asked."""


class PipelinedTransaction(Transaction):
    """A transaction whose statements travel together. has_answer: the server has answered a statement of it;
    has_unread: a statement was sent after the last one that was waited for. has_written: one that only reads went on to
    write.
    """

    _connection: psycopg.Connection[Row]

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.has_answer = self.has_unread = self.has_written = False
        self._known: dict[Hashable, psycopg.Cursor[Row] | list[Row]] = {}
        # So that no other vector becomes the same object as one that was asked for.
        self._parameters: list[Parameters] = []
        # While it looks ahead: what was asked for and is not sent yet.
        self._gathered: dict[Hashable, Callable[[], psycopg.Cursor[Row]]] | None = None
        self._expected: list[tuple[str, Parameters, psycopg.Cursor[Row]]] = []
        self._streams = count()

    def writing(self, statements: Statements) -> Self:
        """Return this transaction as one that writes, after which it may not read any more."""
        self.has_written = self.has_unread = True
        return type(self)(self._connection, statements, writes=True)

    def expect(self, questions: Sequence[tuple[str, Parameters]]) -> None:
        if self.writes:
            self._expected += [(name, given, self._execute(name, given)) for name, given in questions]
        else:  # the same question is sent once
            for name, given in questions:
                self.send(name, given)

    def rows(self, name: str, parameters: Parameters) -> list[Row]:
        return self.send(name, parameters)()

    def row(self, name: str, parameters: Parameters) -> Row | None:
        return next(iter(self.rows(name, parameters)), None)

    def send(self, name: str, parameters: Parameters) -> Callable[[], list[Row]]:
        if self.writes:
            cursor = self._question(name, parameters)
            return lambda: self._answer(cursor)
        return self._sent(_key(name, parameters), parameters, lambda: self._execute(name, parameters))

    def send_between(self, before: Statement, query: Statement, after: Statement) -> Callable[[], list[Row]]:
        if self.writes:
            return super().send_between(before, query, after)

        def execute() -> psycopg.Cursor[Row]:
            _, cursor, _ = [self._execute(*statement) for statement in (before, query, after)]
            return cursor

        return self._sent((_key(*before), _key(*query)), query[1], execute)

    def ahead(self, *reads: Callable[[], object]) -> None:
        """See `Transaction.ahead`."""
        if self._gathered is not None or self.writes:  # as a part of another read; or where rows may change
            return
        waiting = list(reads)
        for _ in range(_MAX_ROUNDS_AHEAD):
            if not waiting:
                return
            waiting, send = self.gather(*waiting)
            send()

    def gather(self, *reads: Callable[[], object]) -> tuple[list[Callable[[], object]], Callable[[], None]]:
        """Try reads that ask for rows; returns those that wait for an answer, and what sends all that they asked."""
        asked = self._gathered = {}
        try:
            waiting = [read for read in reads if not _is_done(read)]
        finally:
            self._gathered = None
        return waiting, lambda: self._known.update((key, execute()) for key, execute in asked.items())

    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        # The driver has no cursors of the server in pipeline mode, so it is declared by hand.
        self._call.check()
        stream = f"stream_{next(self._streams)}"
        declared = f"declare {stream} no scroll cursor for {self._statements.sql(name, parameters)}"
        self._connection.execute(declared, parameters, prepare=False)
        fetch = f"fetch forward {_STREAMED_AT_ONCE} from {stream}"
        coming = self._connection.execute(fetch, prepare=False, binary=True)
        while rows := self._answer(coming):
            # The server goes on while these are used.
            coming = self._connection.execute(fetch, prepare=False, binary=True)
            yield from rows
        self._connection.execute(f"close {stream}", prepare=False)

    def count(self, name: str, parameters: Parameters) -> int:
        cursor = self._execute(name, parameters)
        self.wait()
        return cursor.rowcount

    def many(self, name: str, rows: Sequence[Parameters], common: Parameters) -> list[Row]:
        if not rows:
            return []
        given = dict(common)
        if "vector" in rows[0]:
            given["vectors"] = [row["vector"] for row in rows]
            rows = [{column: value for column, value in row.items() if column != "vector"} for row in rows]
        is_batch = len(rows) > _MAX_ROWS_NOT_A_BATCH
        cursor = self._execute(name, {**given, "rows": json_text(rows)}, prepare=False if is_batch else None)
        if _ANSWERS.search(self._statements.sql(name, given)):
            return self._answer(cursor)
        if is_batch:  # what breaks here is run again, the commit is not
            self.wait()
        return []

    def run_many(self, name: str, parameters: Iterable[Parameters]) -> None:
        super().run_many(name, parameters)
        self.has_unread = True

    def wait(self) -> None:
        """Wait until the server has done all statements that were sent.

        Not by `Pipeline.sync`: in psycopg 3.3 it waits for the answer to what it has not sent whole, if that is long.
        """
        self._answer(self._connection.execute("select 1", prepare=False))

    def _sent(
        self, key: Hashable, parameters: Parameters, execute: Callable[[], psycopg.Cursor[Row]]
    ) -> Callable[[], list[Row]]:
        """Execute a query unless this transaction, which only reads, has done so."""
        if key not in self._known:
            self._parameters.append(parameters)
            if self._gathered is None:
                self._known[key] = execute()
            else:
                self._gathered.setdefault(key, execute)

        def wait() -> list[Row]:
            if self._gathered is not None and key in self._gathered:
                raise _NotYetError
            found = self._known[key]
            if not isinstance(found, list):
                found = self._known[key] = self._answer(found)
            return found

        return wait

    def _question(self, name: str, parameters: Parameters) -> psycopg.Cursor[Row]:
        """The cursor of a query: the one that was expected, if it was."""
        for place, (asked, given, cursor) in enumerate(self._expected):
            if asked == name and given == parameters:
                del self._expected[place]
                return cursor
        return self._execute(name, parameters)

    def _answer(self, cursor: psycopg.Cursor[Row]) -> list[Row]:
        was_here = cursor.pgresult is not None
        rows = cursor.fetchall()
        self.has_answer, self.has_unread = True, self.has_unread and was_here
        return rows

    def _execute(self, name: str, parameters: Parameters, *, prepare: bool | None = None) -> psycopg.Cursor[Row]:
        self._call.check()
        self.has_unread = True
        text = self._statements.sql(name, parameters)
        if ";" in text:  # several settings: they cannot be prepared, and have no parameters
            return [self._connection.execute(setting, prepare=False) for setting in statements_of(text)][-1]
        return self._connection.execute(text, parameters, prepare=prepare)


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
