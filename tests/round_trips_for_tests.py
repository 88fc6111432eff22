"""Counts how often this process waits for PostgreSQL, from what libpq itself says was sent and received."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import pq

from wherefrom.storage.postgres import PostgresDatabase

# What makes the server answer at once: until then it may keep its answers back.
_ASKS = {"Query", "Sync", "Flush"}
_LINE = re.compile(r"^(?:\S+ \S+\t)?([FB])\t\d+\t(\w+)")


class Trips:
    """The number of round trips, once they are over."""

    count = 0


@contextmanager
def counted(database: PostgresDatabase) -> Iterator[Trips]:
    """Count the round trips on the connections that are idle now. One is what was sent together, if it asks for an
    answer, and the answers to it.
    """
    trips = Trips()
    connections = [connection for _, connection in database._pool._idle]
    with tempfile.TemporaryFile("w+") as file:
        for connection in connections:
            connection.pgconn.trace(file.fileno())
            connection.pgconn.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS)
        try:
            yield trips
        finally:
            for connection in connections:
                connection.pgconn.untrace()
        file.seek(0)
        sent = [match.groups() for line in file if (match := _LINE.match(line))]
    asked = False
    for direction, message in sent:
        if direction == "F":
            asked = asked or message in _ASKS
        elif asked:
            trips.count, asked = trips.count + 1, False
