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
from importlib.resources import files
from string import Template
from typing import Any, Final

import psycopg
from psycopg import errors, sql

from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, StoreError, StoreUnavailable
from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent.port import VALUE_BYTES, Answered, Asked, Collector, Dialect, SqlFailed
from wherefrom.storage.agent.postgres_guard import FUNCTIONS_SQL, checked
from wherefrom.storage.agent.tables import Words, definitions, names
from wherefrom.storage.port import Row
from wherefrom.storage.postgres_connections import Connections, Waits, connect, translated

_ROLES: Final = ("wherefrom_agent", "wherefrom_views")
# One number for all processes: whoever holds it makes the schema, the others wait and find it done.
_LOCK: Final = 0x5265636F6C6D
_LOCK_TIMEOUT: Final = "10s"
_MEMORY: Final = "4MB"
_MEMORY_OURS: Final = "64MB"
_FETCHED_BYTES: Final = 20_000_000
_CANCEL_S: Final = 2.0
# Classes of errors: out of resources, or over a limit.
_EXCEEDED: Final = ("53", "54")
# Whose rows are limited by a join, not by row-level security alone: no condition of a statement's may come before it,
# or it would tell of hidden rows by failing. `queries` did; `embeddings` has the same shape, but was not seen to.
_BARRIERS: Final = frozenset(("queries", "embeddings"))
# What PostgreSQL says of repeat(), which the writer puts around every argument that has to be a text.
_NO_TEXT: Final = re.compile(r"function pg_catalog\.repeat\((.+), integer\) does not exist")
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")
_WORDS: Final[Words] = {
    "joins": "left join {{table nodes}} c on c.owner_id = e.owner_id and c.id = e.target_id",
    "claim": "c.{0}",
    "visible": "true",
    "visible_edge": "true",
    "field": "(cast({0}.metadata as jsonb) ->> '{1}')",
    "number": "cast(cast({0}.metadata as jsonb) ->> '{1}' as integer)",
    "json": "(cast({0}.metadata as jsonb) -> '{1}')",
    "whole": "cast({0}.metadata as jsonb)",
    "vector": "cast({0}.vector as text)",
    "now": "(select wherefrom_agent.scope_text('now'))",
    # A subquery is run once; the function would be called for every row.
    "year": "(select cast(left(wherefrom_agent.scope_text('now'), 4) as integer))",
}
_SETTINGS: Final = {
    "transaction_read_only": "on",
    "hash_mem_multiplier": "1",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "search_path": "wherefrom_agent, pg_temp",
    "standard_conforming_strings": "on",
}
# The role comes last: it may set nothing any more.
_LAST: Final = {"role": "wherefrom_agent"}


class PostgresReader:
    """Runs agents' statements on a PostgreSQL database."""

    dialect: Dialect = "PostgreSQL"
    notes: tuple[str, ...] = ("max_vm_steps has no meaning on PostgreSQL: timeout_ms ends a statement",)

    def __init__(self, url: str, analyses: Mapping[str, str], *, pool_size: int, waits: Waits) -> None:
        self._url = url
        self._analyses = analyses
        self._names = frozenset((*names(), *analyses))
        self._lock = threading.Lock()
        self._secret: str | None = None
        self._failed: tuple[float, StoreError] | None = None
        self._shapes: tuple[TableShape, ...] | None = None
        self._waits = waits
        self._pool = Connections(url, size=pool_size, waits=waits, reset=_wipe, autocommit=True, prepare_threshold=None)

    def answer(self, access: Access, asked: Asked) -> Answered:
        secret = self._ready()
        call = cancellation.current()
        try:
            text = _with_parameters(asked.sql) if asked.ours else checked(_with_literals(asked), self._names)
        except InvalidInput as error:
            raise SqlFailed("refused", error.message, error.hint) from None
        try:
            with (
                self._pool.transaction(force_rollback=True) as connection,
                call.stopping(lambda: _cancel(connection)),
            ):
                _enter(connection, access, asked, secret)
                return _collected(connection, text, asked)
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
        self._ready()
        if self._shapes is None:
            query = (
                "select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class c"
                " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0"
                " where c.relnamespace = 'wherefrom_agent'::regnamespace and c.relkind = 'v' group by c.relname"
            )
            with translated(), self._pool.transaction() as connection:
                found = {name: tuple(columns) for name, columns in connection.execute(query).fetchall()}
            self._shapes = tuple(TableShape(name, found[name]) for name in (*names(), *self._analyses))
        return self._shapes

    def close(self) -> None:
        self._pool.close()

    def _ready(self) -> str:
        """Makes the schema if it is not there as we need it; returns the secret that signs scopes. Whoever waited for
        an attempt of another thread that failed is told so, and does not wait for one more.
        """
        if self._secret is not None:
            return self._secret
        asked_at = time.monotonic()
        with self._lock:
            if self._secret is None:
                if self._failed is not None and self._failed[0] > asked_at:
                    failed = self._failed[1]
                    raise type(failed)(failed.message, hint=failed.hint)
                try:
                    with translated(), connect(self._url, self._waits.connect_s, autocommit=True) as connection:
                        self._secret = _prepared(connection, self._analyses)
                except StoreError as error:
                    self._failed = (time.monotonic(), error)
                    raise
            return self._secret


def _prepared(connection: psycopg.Connection[Row], analyses: Mapping[str, str]) -> str:
    script = Template(files("wherefrom.storage.agent").joinpath("postgres_setup.sql").read_text(encoding="utf-8"))
    row = connection.execute("select quote_ident(current_schema())").fetchone()
    base = str(row[0]) if row else "public"
    views = {**definitions({**_WORDS, "table": base + ".{0}"}), **analyses}
    made = hashlib.sha256(
        json.dumps([script.template, base, FUNCTIONS_SQL, views, sorted(_BARRIERS)]).encode()
    ).hexdigest()
    if _mark(connection) != made:
        _make_roles(connection)
        try:
            with connection.transaction():
                connection.execute("select set_config('lock_timeout', %s, true)", (_LOCK_TIMEOUT,))
                connection.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
                if _mark(connection) != made:
                    connection.execute(script.substitute(base=base))
                    connection.execute(FUNCTIONS_SQL)
                    _make_views(connection, views)
                    connection.execute(sql.SQL("comment on schema wherefrom_agent is {}").format(sql.Literal(made)))
        except errors.InsufficientPrivilege as error:
            raise _unprepared(error) from None
    secret = connection.execute("select secret from agent_secrets").fetchone()
    assert secret is not None
    return str(secret[0])


def _make_views(connection: psycopg.Connection[Row], views: Mapping[str, str]) -> None:
    connection.execute("set local search_path = wherefrom_agent")
    for name, select in views.items():
        view = sql.Identifier("wherefrom_agent", name)
        how = sql.SQL("with (security_barrier) " if name in _BARRIERS else "")
        connection.execute(sql.SQL("create view {} {}as ").format(view, how) + sql.SQL(select))
        connection.execute(sql.SQL("alter view {} owner to wherefrom_views").format(view))
        connection.execute(sql.SQL("grant select on {} to wherefrom_agent").format(view))


def _make_roles(connection: psycopg.Connection[Row]) -> None:
    """Roles belong to the whole server: another database may have made them already, or be doing so."""
    held = "select rolname from pg_roles where rolname = any(%s) and pg_has_role(current_user, oid, 'member')"
    ready = {name for (name,) in connection.execute(held, (list(_ROLES),)).fetchall()}
    there = {name for (name,) in connection.execute("select rolname from pg_roles").fetchall()}
    for name in _ROLES:
        role = sql.Identifier(name)
        if name in ready:
            continue
        try:
            if name not in there:
                connection.execute(sql.SQL("create role {} nologin").format(role))
        except (errors.DuplicateObject, errors.UniqueViolation):
            pass
        except errors.InsufficientPrivilege as error:
            raise _unprepared(error) from None
        try:
            connection.execute(sql.SQL("grant {} to current_user").format(role))
        except (errors.InternalError_, errors.UniqueViolation, errors.SerializationFailure):
            pass  # granted by another process at the same time
        except errors.InsufficientPrivilege as error:
            raise _unprepared(error) from None


def _unprepared(error: errors.InsufficientPrivilege) -> StoreUnavailable:
    return StoreUnavailable(
        f"PostgreSQL does not let this user prepare SQL for agents: {error.diag.message_primary}",
        hint="an administrator can: create role wherefrom_agent nologin; create role wherefrom_views nologin;"
        " grant wherefrom_agent, wherefrom_views to the user that owns the tables",
    )


def _mark(connection: psycopg.Connection[Row]) -> str | None:
    row = connection.execute("select obj_description(to_regnamespace('wherefrom_agent'), 'pg_namespace')").fetchone()
    return None if row is None else row[0]


def _enter(connection: psycopg.Connection[Row], access: Access, asked: Asked, secret: str) -> None:
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
    given = {"wherefrom.scope": _signature(secret, body) + body, "work_mem": memory}
    if asked.ours and not asked.parameters:
        # An analysis of everything: what looks like few rows to the planner, behind row-level security, is not few.
        given["enable_nestloop"] = "off"
    settings = {**_SETTINGS, **given, "statement_timeout": str(asked.budget.timeout_ms), **_LAST}
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
