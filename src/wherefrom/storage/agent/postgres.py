"""Agents' SQL on PostgreSQL: a role that may read a few views, under row-level security, in a read-only transaction.

The text is parsed and written anew first (postgres_guard.py): a role cannot be kept from built-in functions, such as
those that sleep, take locks or change settings. What runs is what was checked. The connections are its own, and are
wiped after each use.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import psycopg
from psycopg import errors

from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, StoreError, StoreUnavailable
from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent import postgres_preparing as preparing
from wherefrom.storage.agent.port import VALUE_BYTES, Answered, Asked, Collector, Dialect, SqlFailed
from wherefrom.storage.agent.postgres_guard import checked
from wherefrom.storage.agent.postgres_preparing import Prepared
from wherefrom.storage.agent.tables import names
from wherefrom.storage.port import Row
from wherefrom.storage.postgres_connections import Connections, Waits, connect, translated

_MEMORY: Final = "4MB"
_MEMORY_OURS: Final = "64MB"
_FETCHED_BYTES: Final = 20_000_000
_CANCEL_S: Final = 2.0
# Classes of errors: out of resources, or over a limit.
_EXCEEDED: Final = ("53", "54")
# What PostgreSQL says of repeat(), which the writer puts around every argument that has to be a text.
_NO_TEXT: Final = re.compile(r"function pg_catalog\.repeat\((.+), integer\) does not exist")
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")
_SETTINGS: Final = {
    "transaction_read_only": "on",
    "hash_mem_multiplier": "1",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "standard_conforming_strings": "on",
}
# What a statement meets when somebody has dropped the schema or the role, or made them anew under another name.
_MISSING: Final = (errors.UndefinedTable, errors.InvalidSchemaName, errors.InvalidParameterValue)


class PostgresReader:
    """Runs agents' statements on a PostgreSQL database."""

    dialect: Dialect = "PostgreSQL"
    notes: tuple[str, ...] = ("max_vm_steps has no meaning on PostgreSQL: timeout_ms ends a statement",)

    def __init__(self, url: str, analyses: Mapping[str, str], *, pool_size: int, waits: Waits) -> None:
        self._url = url
        self._analyses = analyses
        self._names = frozenset((*names(), *analyses))
        self._lock = threading.Lock()
        self._prepared: Prepared | None = None
        self._failed: tuple[float, StoreError] | None = None
        self._shapes: tuple[TableShape, ...] | None = None
        self._waits = waits
        self._pool = Connections(url, size=pool_size, waits=waits, reset=_wipe, autocommit=True, prepare_threshold=None)

    def answer(self, access: Access, asked: Asked) -> Answered:
        prepared = self._ready()
        try:
            return self._answered(access, asked, prepared)
        except _MISSING as error:
            if self._is_ready_still(prepared):
                raise SqlFailed("failed", _message(error)) from None
        try:
            return self._answered(access, asked, self._ready())
        except _MISSING as error:
            raise SqlFailed("failed", _message(error)) from None

    def _answered(self, access: Access, asked: Asked, prepared: Prepared) -> Answered:
        call = cancellation.current()
        schema = prepared.plan.names.agent
        try:
            text = _with_parameters(asked.sql) if asked.ours else checked(_with_literals(asked), self._names, schema)
        except InvalidInput as error:
            raise SqlFailed("refused", error.message, error.hint) from None
        try:
            with (
                self._pool.transaction(force_rollback=True) as connection,
                call.stopping(lambda: _cancel(connection)),
            ):
                _enter(connection, access, asked, prepared)
                return _collected(connection, text, asked)
        except _MISSING:
            raise
        except errors.QueryCanceled:
            raise SqlFailed("interrupted", f"interrupted ({'cancelled' if call.cancelled else 'timeout'})") from None
        except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
            raise SqlFailed("refused", _message(error)) from None
        except psycopg.InterfaceError as error:
            raise StoreUnavailable(f"PostgreSQL: {_message(error)}") from error
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError) and (error.sqlstate or "")[:2] not in _EXCEEDED:
                raise StoreUnavailable(f"PostgreSQL: {_message(error)}") from error
            raise SqlFailed("failed", _message(error)) from None
        except (ValueError, OverflowError, RecursionError):
            raise SqlFailed("failed", "a value in the answer cannot be read: cast it to text") from None

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        del access
        schema = self._ready().plan.names.agent
        if self._shapes is None:
            query = (
                "select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class c"
                " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0"
                " where c.relnamespace = to_regnamespace(%s) and c.relkind = 'v' group by c.relname"
            )
            with translated(), self._pool.transaction() as connection:
                found = {name: tuple(columns) for name, columns in connection.execute(query, (schema,)).fetchall()}
            self._shapes = tuple(TableShape(name, found[name]) for name in (*names(), *self._analyses))
        return self._shapes

    def close(self) -> None:
        self._pool.close()

    def _ready(self) -> Prepared:
        """Makes what is not there as we need it. Whoever waited for an attempt of another thread that failed is told
        so, and does not wait for one more.
        """
        prepared = self._prepared
        if prepared is not None:
            return prepared
        asked_at = time.monotonic()
        with self._lock:
            if self._prepared is None:
                if self._failed is not None and self._failed[0] > asked_at:
                    failed = self._failed[1]
                    raise type(failed)(failed.message, hint=failed.hint)
                try:
                    with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
                        self._prepared = preparing.prepared(connection, self._analyses)
                except StoreError as error:
                    self._failed = (time.monotonic(), error)
                    raise
            return self._prepared

    def _is_ready_still(self, prepared: Prepared) -> bool:
        """Whether the database is as it was prepared; otherwise forgets that it was."""
        with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
            ready = preparing.is_ready(connection, prepared.plan)
        with self._lock:
            if not ready and self._prepared is prepared:
                self._prepared = None
        return ready


def _enter(connection: psycopg.Connection[Row], access: Access, asked: Asked, prepared: Prepared) -> None:
    """Makes the transaction read-only, says what it may see, and gives up all rights but those of an agent."""
    scope = {
        "owner": access.owner,
        "root": access.root,
        "below": access.root + "/",
        "also": [root + "/" for root in access.also] or None,
        "classes": access.classes,
        "hidden": access.hidden or None,
        "now": asked.now,
        "backend": str(connection.info.backend_pid),
    }
    body = json.dumps(scope, ensure_ascii=False)
    memory = _MEMORY_OURS if asked.ours else _MEMORY
    names = prepared.plan.names
    given = {names.scope: _signature(prepared.secret, body) + body, "work_mem": memory}
    if asked.ours and not asked.parameters:
        # An analysis of everything: what looks like few rows to the planner, behind row-level security, is not few.
        given["enable_nestloop"] = "off"
    given |= {"search_path": f"{names.agent}, pg_temp", "statement_timeout": str(asked.budget.timeout_ms)}
    # The role comes last: it may set nothing any more.
    settings = {**_SETTINGS, **given, "role": names.agent}
    calls = ", ".join(["set_config(%s, %s, true)"] * len(settings))
    connection.execute(f"select {calls}", [text for pair in settings.items() for text in pair])


def _signature(secret: str, body: str) -> str:
    inner = hashlib.sha256((secret + body).encode()).hexdigest()
    return hashlib.sha256((secret + inner).encode()).hexdigest()


def _collected(connection: psycopg.Connection[Row], text: str, asked: Asked) -> Answered:
    """The rows of a statement, a few at a time: a row may have 100 columns of 100 kB, and all at once took 339 MB.

    The cursor is the server's and ends with the transaction. Each fetch would have the whole time anew, so it is told
    what is left.
    """
    collected = Collector(asked.budget)
    deadline = time.monotonic() + asked.budget.timeout_ms / 1000
    call = cancellation.current()
    if call.cancelled:
        raise errors.QueryCanceled
    connection.execute("declare agent no scroll cursor for " + text, asked.parameters if asked.ours else None)
    columns: tuple[str, ...] = ()
    wanted, rows_at_once = True, 2
    while wanted:
        left_ms = int((deadline - time.monotonic()) * 1000)
        if left_ms < 1 or call.cancelled:
            raise errors.QueryCanceled
        connection.execute("select set_config('statement_timeout', %s, true)", (str(left_ms),))
        cursor = connection.execute(f"fetch {rows_at_once} from agent")
        columns = tuple(column.name for column in cursor.description or ())
        wanted = all(map(collected.take, cursor)) and cursor.rowcount == rows_at_once
        rows_at_once = max(1, min(asked.budget.rows + 1, _FETCHED_BYTES // (len(columns) * VALUE_BYTES or 1)))
    return Answered(columns, tuple(collected.rows), collected.truncated)


def _with_literals(asked: Asked) -> str:
    """A caller's statement with its parameters as literals: it is parsed and written anew afterwards."""

    def literal(match: re.Match[str]) -> str:
        value = asked.parameters.get(match[1])
        return match[0] if value is None else "'" + str(value).replace("'", "''") + "'"

    return _PARAMETER.sub(literal, asked.sql) if asked.parameters else asked.sql


def _with_parameters(text: str) -> str:
    return _PARAMETER.sub(r"%(\1)s", text.replace("%", "%%"))


def _cancel(connection: psycopg.Connection[Row]) -> None:
    """Stop what runs; a server that cannot be reached any more stops by itself."""
    with suppress(psycopg.Error):
        connection.cancel_safe(timeout=_CANCEL_S)


def _wipe(connection: psycopg.Connection[Any]) -> None:
    connection.execute("discard all")


def _message(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error)
    if wrapped := _NO_TEXT.match(text):
        return f"a text is expected, not a value of type {wrapped[1]}"
    return f"{text} ({error.diag.message_hint})" if error.diag.message_hint else text
