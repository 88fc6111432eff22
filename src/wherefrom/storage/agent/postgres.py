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
from collections.abc import Iterator, Mapping
from typing import Any, Final

import psycopg
from psycopg import errors, sql

from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, StoreError, StoreUnavailable
from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent import postgres_preparing as preparing
from wherefrom.storage.agent.port import MAX_VALUE_BYTES, Dialect, Rows, SqlFailed, Statement, collected
from wherefrom.storage.agent.postgres_guard import checked
from wherefrom.storage.agent.postgres_preparing import Plan
from wherefrom.storage.agent.tables import PARAMETER, names, with_literals
from wherefrom.storage.port import Row
from wherefrom.storage.postgres_connections import Connections, Waits, cancel, connect, translated

_WORK_MEMORY: Final = "4MB"
_WORK_MEMORY_OF_ANALYSES: Final = "64MB"
_MAX_FETCHED_BYTES: Final = 20_000_000
# The classes of SQLSTATEs for a server out of resources, and for a statement over one of its limits.
_EXCEEDED: Final = ("53", "54")
# PostgreSQL's message about repeat(), which the writer puts around every argument that has to be a text.
_NO_TEXT: Final = re.compile(r"function pg_catalog\.repeat\((.+), integer\) does not exist")
_SETTINGS: Final = {
    "citus.propagate_set_commands": "local",
    "transaction_read_only": "on",
    "hash_mem_multiplier": "1",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "standard_conforming_strings": "on",
}
_SET: Final = sql.SQL("set local {} = {}")
# The errors of a statement after somebody has dropped the schema or the role, or made them anew under another name.
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
        self._plan: Plan | None = None
        self._failed: tuple[float, StoreError] | None = None
        self._waits = waits
        self._pool = Connections(url, size=pool_size, waits=waits, reset=_wipe, autocommit=True, prepare_threshold=None)

    def answer(self, access: Access, statement: Statement) -> Rows:
        plan = self._ready()
        try:
            try:
                return self._answered(access, statement, plan)
            except _MISSING:
                if self._is_ready_still(plan):
                    raise
                return self._answered(access, statement, self._ready())
        except _MISSING as error:
            raise SqlFailed("failed", _message(error)) from None

    def _answered(self, access: Access, statement: Statement, plan: Plan) -> Rows:
        call = cancellation.current()
        try:
            if statement.ours:
                text = PARAMETER.sub(r"%(\1)s", statement.sql.replace("%", "%%"))
            else:  # it is parsed and written anew, so that its parameters can be literals
                text = checked(with_literals(statement.sql, statement.parameters), self._names, plan.agent)
        except InvalidInput as error:
            raise SqlFailed("refused", error.message, error.hint) from None
        try:
            with (
                self._pool.transaction(force_rollback=True) as connection,
                call.stopping(lambda: cancel(connection)),
            ):
                _enter(connection, access, statement, plan)
                return _rows_of(connection, _with_tables(connection, text, access, statement, plan), statement)
        except _MISSING:
            raise
        except errors.QueryCanceled:
            call.check()
            raise SqlFailed("interrupted", "interrupted (timeout)") from None
        except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
            raise SqlFailed("refused", _message(error)) from None
        except psycopg.Error as error:
            is_over = (error.sqlstate or "")[:2] in _EXCEEDED
            if isinstance(error, psycopg.InterfaceError | psycopg.OperationalError) and not is_over:
                raise StoreUnavailable(f"PostgreSQL: {_message(error)}") from error
            raise SqlFailed("failed", _message(error)) from None
        except (ValueError, OverflowError, RecursionError):
            raise SqlFailed("failed", "a value in the answer cannot be read: cast it to text") from None

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        del access
        plan = self._ready()
        return tuple(TableShape(name, plan.shape(name)) for name in (*names(), *self._analyses))

    def close(self) -> None:
        self._pool.close()

    def _ready(self) -> Plan:
        """Return the plan that the database follows, and prepare the database at the first call. Threads that waited
        while another thread tried in vain get its error, and do not wait for one more attempt.
        """
        if (plan := self._plan) is not None:
            return plan
        asked_at = time.monotonic()
        with self._lock:
            if self._plan is None:
                if self._failed is not None and self._failed[0] > asked_at:
                    failed = self._failed[1]
                    raise type(failed)(failed.message, hint=failed.hint)
                try:
                    with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
                        self._plan = preparing.prepared(connection, self._analyses)
                except StoreError as error:
                    self._failed = (time.monotonic(), error)
                    raise
            return self._plan

    def _is_ready_still(self, plan: Plan) -> bool:
        """Return True if the database is as it was prepared; otherwise have it prepared anew for the next statement."""
        with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
            ready = preparing.is_ready(connection, plan)
        with self._lock:
            if not ready and self._plan is plan:
                self._plan = None
        return ready


def _enter(connection: psycopg.Connection[Row], access: Access, statement: Statement, plan: Plan) -> None:
    """Make the transaction read-only, state what it may see, and give up all rights but those of an agent."""
    [(backend,)] = connection.execute(f"select cast({plan.backend} as text)").fetchall()
    scope = {
        "owner": access.owner,
        "root": access.root,
        "below": access.root + "/",
        "also": [root + "/" for root in access.also] or None,
        "classes": access.classes,
        "hidden": access.hidden or None,
        "now": statement.now,
        "backend": backend,
    }
    body = json.dumps(scope, ensure_ascii=False)
    memory = _WORK_MEMORY_OF_ANALYSES if statement.ours else _WORK_MEMORY
    given = {f"{plan.program}.scope": _signature(plan.secret, body) + body, "work_mem": memory}
    if statement.ours and not statement.parameters:
        # An analysis of everything: what looks like few rows to the planner, behind row-level security, is not few.
        given["enable_nestloop"] = "off"
    given["statement_timeout"] = str(statement.budget.timeout_ms)
    parts = [_SET.format(sql.Identifier(name), sql.Literal(value)) for name, value in (_SETTINGS | given).items()]
    parts.append(sql.SQL("set local search_path = {}, pg_temp").format(sql.Identifier(plan.agent)))
    # The role comes last: it may set nothing any more.
    parts.append(_SET.format(sql.Identifier("role"), sql.Literal(plan.agent)))
    # Citus hands on what SET LOCAL sets, and not what set_config does.
    connection.execute(sql.SQL("; ").join(parts))


def _signature(secret: str, body: str) -> str:
    inner = hashlib.sha256((secret + body).encode()).hexdigest()
    return hashlib.sha256((secret + inner).encode()).hexdigest()


def _with_tables(
    connection: psycopg.Connection[Row], text: str, access: Access, statement: Statement, plan: Plan
) -> str:
    """Return a statement with the definitions of its tables. Citus, which keeps all rows of an answer before it shows
    the first, is asked for no more than the budget allows.
    """
    tables = plan.definitions(sql.Literal(access.owner).as_string(connection))
    if statement.ours:  # its % begin parameters
        tables = tables.replace("%", "%%")
    limit = f" limit {statement.budget.rows + 1}" if plan.distributed else ""
    return f"{tables} select * from ({text}) as answer{limit}"  # noqa: S608  # `text` was checked, or is ours


def _rows_of(connection: psycopg.Connection[Row], text: str, statement: Statement) -> Rows:
    """Fetch the rows of a statement a few at a time: a row may have 100 columns of 100 kB, and all at once took 339 MB.

    The cursor is the server's and ends with the transaction. Each fetch would have the whole time anew, so it is told
    how much is left.
    """
    deadline = time.monotonic() + statement.budget.timeout_ms / 1000
    call = cancellation.current()
    if call.cancelled:
        raise errors.QueryCanceled
    connection.execute("declare agent no scroll cursor for " + text, statement.parameters if statement.ours else None)
    columns: tuple[str, ...] = ()

    def fetched() -> Iterator[Row]:
        nonlocal columns
        rows_at_once, is_last = 2, False
        while not is_last:
            left_ms = int((deadline - time.monotonic()) * 1000)
            if left_ms < 1 or call.cancelled:
                raise errors.QueryCanceled
            connection.execute(f"set local statement_timeout = {left_ms}")
            cursor = connection.execute(f"fetch {rows_at_once} from agent")
            columns = tuple(column.name for column in cursor.description or ())
            yield from cursor
            is_last = cursor.rowcount < rows_at_once
            fitting = _MAX_FETCHED_BYTES // (len(columns) * MAX_VALUE_BYTES or 1)
            rows_at_once = max(1, min(statement.budget.rows + 1, fitting))

    rows, truncated = collected(fetched(), statement.budget)
    return Rows(columns, rows, truncated)


def _wipe(connection: psycopg.Connection[Any]) -> None:
    connection.execute("discard all")


def _message(error: psycopg.Error) -> str:
    text = error.diag.message_primary or str(error)
    if wrapped := _NO_TEXT.match(text):
        return f"a text is expected, not a value of type {wrapped[1]}"
    return f"{text} ({error.diag.message_hint})" if error.diag.message_hint else text
