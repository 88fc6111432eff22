"""Counts the round trips between this program and a PostgreSQL server, as libpq itself notes them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from psycopg import Connection, pq

# The messages of a client that make the server answer at once; until then it may keep its answers back.
_ASKS = {"Sync", "Query", "Flush"}


class Trips:
    """The round trips of some connections, known when the counting has ended."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    @property
    def number(self) -> int:
        """How often the client waited for the server: what it sent together, if it asks for an answer, is one."""
        number, asked = 0, False
        for parts in (message.split("\t") for message in self.messages):
            if parts[0] == "F":
                asked = asked or parts[2] in _ASKS
            elif asked:
                number, asked = number + 1, False
        return number


@contextmanager
def counted(observed: Any) -> Iterator[Trips]:
    """Count the round trips of a connection, or of the idle connections of a memory, a store or a database.

    A statement is one, and so is a whole pipeline; the first use of a statement, which prepares it, is one more.
    """
    trips = Trips()
    with ExitStack() as stack:
        for connection in _connections(observed):
            file = stack.enter_context(tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace"))
            stack.callback(lambda file=file: trips.messages.extend(file.read().splitlines()))
            sink = os.open(file.name, os.O_WRONLY)
            stack.callback(os.close, sink)
            connection.pgconn.trace(sink)
            connection.pgconn.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS)
            stack.callback(connection.pgconn.untrace)
        yield trips


def _connections(observed: Any) -> list[Connection[Any]]:
    if isinstance(observed, Connection):
        return [observed]
    store = observed.view.store if hasattr(observed, "view") else observed
    database = getattr(store, "database", store)
    return [connection for _, connection in database._pool._idle]
