"""Agents' SQL on SQLite: a read-only connection that sees views of its own and nothing else.

Each fence holds by itself: the file is opened read-only; an authorizer allows what is listed and denies all else;
tables are readable only inside views whose names nobody can guess (the authorizer calls a CTE by its name just as a
view, so a known name would prove nothing); a progress handler counts steps and watches the clock. SQLite asks it
between rows only: what takes long within a row is ended with the process that it runs in (sqlite_process.py).
"""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import quote

import apsw

from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.errors import StoreUnavailable
from wherefrom.model.evidence import TableShape
from wherefrom.model.limits import SQL_CHARACTERS
from wherefrom.storage.agent import port
from wherefrom.storage.agent.port import Budget, Rows, SqlFailed, Statement, collected
from wherefrom.storage.agent.tables import definitions, names, readable, unhidden, wholly_seen, with_literals
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.sqlite_errors import closed_quietly, translated

# Steps from one look at the clock to the next. A step of an agent's may be a function that takes a millisecond.
_STEPS_PER_LOOK: Final = 100
_STEPS_PER_LOOK_OF_ANALYSES: Final = 1_000
_MAX_IDLE_CONNECTIONS: Final = 4
_Use = Literal["theirs", "fenced", "ours"]
# Memory for one sort. Nothing can stop a sort in memory, and one of 16 MiB took 300 ms; our analyses sort what we know.
_SORTED_KIB: Final = {"theirs": 4096, "fenced": 4096, "ours": 65_536}
_INNER_TABLES: Final = frozenset((*port.BASE_TABLES, "json_each"))
_FUNCTIONS: Final = frozenset(
    """
    -> ->> abs avg ceil ceiling coalesce count cume_dist date datetime dense_rank exp first_value floor glob
    group_concat hex ifnull iif instr json_array_length json_extract json_type json_valid julianday lag
    last_value lead length like ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length
    percent_rank pow power quote rank replace round row_number rtrim sign sqrt strftime string_agg substr
    substring sum time total trim typeof unicode unixepoch upper
    """.split()  # noqa: SIM905  # a list of words
)
_LIMITS: Final = {
    apsw.SQLITE_LIMIT_LENGTH: port.MAX_VALUE_BYTES,
    apsw.SQLITE_LIMIT_SQL_LENGTH: SQL_CHARACTERS * 4,
    apsw.SQLITE_LIMIT_COLUMN: port.MAX_COLUMNS,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 1000,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    apsw.SQLITE_LIMIT_VDBE_OP: 100_000,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 20,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: port.MAX_PATTERN_CHARACTERS,
    apsw.SQLITE_LIMIT_VARIABLE_NUMBER: 10,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
# Errors of the file itself, for which no statement is to blame.
_FILE_ERRORS: Final = (apsw.BusyError, apsw.CantOpenError, apsw.CorruptError, apsw.IOError, apsw.NotADBError)
# All that may follow a statement: spaces, semicolons and comments.
_NOTHING: Final = re.compile(r"(?>[\s;]|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))*", re.DOTALL)


class SqliteReader:
    """Runs agents' statements on a SQLite file. A connection belongs to one access; some are kept."""

    def __init__(self, path: Path, analyses: Mapping[str, str], *, options: str) -> None:
        self._address = f"file:{quote(str(path))}?{options}"
        self._analyses = analyses
        self._lock = threading.Lock()
        self._idle: list[_Connection] = []
        self._shapes: tuple[TableShape, ...] | None = None
        self._closed = False

    def answer(self, access: Access, statement: Statement) -> Rows:
        begun = time.monotonic()
        try:
            with self._connection_for(access, "ours" if statement.ours else "theirs") as connection:
                return connection.answer(statement)
        except _FailedAtARow:
            # Perhaps at a hidden one: SQLite may try a statement's conditions on an index before ours on the row.
            left_ms = statement.budget.timeout_ms - round((time.monotonic() - begun) * 1000)
            budget = replace(statement.budget, timeout_ms=max(1, left_ms))
            with self._connection_for(access, "fenced") as connection:
                return connection.answer(replace(statement, budget=budget))

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        if self._shapes is None:
            with self._connection_for(access, "ours") as connection:
                self._shapes = connection.shapes()
        return self._shapes

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @contextmanager
    def _connection_for(self, access: Access, use: _Use) -> Iterator[_Connection]:
        with translated():
            with self._lock:
                if self._closed:
                    raise StoreUnavailable("the store is closed")
                fitting = [known for known in self._idle if (known.reach, known.use) == (access.reach, use)]
                if fitting:
                    self._idle.remove(fitting[0])
            connection = fitting[0] if fitting else _Connection(self._address, access, self._analyses, use)
            try:
                yield connection
            finally:
                with self._lock:
                    self._idle.append(connection)
                    surplus = len(self._idle) if self._closed else max(0, len(self._idle) - _MAX_IDLE_CONNECTIONS)
                    ended, self._idle = self._idle[:surplus], self._idle[surplus:]
                for connection in ended:
                    connection.close()


class _FailedAtARow(SqlFailed):
    """A statement that SQLite accepted failed while it ran, perhaps because of what is in a hidden row."""


class _Connection:
    """A read-only connection for one access. With `use` "fenced", no condition of a statement is tried before ours, and
    no index is used.
    """

    def __init__(self, address: str, access: Access, analyses: Mapping[str, str], use: _Use) -> None:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        self._connection = apsw.Connection(address, flags=flags, statementcachesize=50)
        self._names = (*names(), *analyses)
        self._inner = f"inner_{secrets.token_hex(12)}_"
        self.reach = access.reach
        self.use = use
        self._now = ""
        self._asked = ""
        self._refused: str | None = None
        try:
            self._make_views(access, analyses)
            known = "select name from sqlite_schema union select name from pragma_module_list"
            found = {name.lower() for (name,) in self._connection.execute(known)}
            self._real = frozenset(found) | {"json_each", "json_tree"}
            self._close_up()
        except BaseException:
            self.close()
            raise

    def answer(self, statement: Statement) -> Rows:
        self._now, self._asked, self._refused = statement.now, statement.sql.lower(), None
        if self._inner in self._asked:
            raise SqlFailed("refused", "this name is not allowed")
        run = _Run(statement)
        self._connection.set_progress_handler(run.is_over, run.every)
        cursor = self._connection.cursor()
        cursor.exec_trace = run.may_begin
        try:
            rows, truncated = collected(cursor.execute(statement.sql, statement.parameters or None), statement.budget)
        except apsw.InterruptError:
            raise SqlFailed("interrupted", run.reason) from None
        except apsw.BindingsError:
            raise SqlFailed("failed", "a parameter of the statement has no value") from None
        except apsw.ExecTraceAbort:
            raise SqlFailed("refused", run.reason) from None
        except (apsw.NoMemError, MemoryError):
            raise SqlFailed("failed", "out of memory: the statement needs more than it may use") from None
        except _FILE_ERRORS:
            raise
        except apsw.Error as error:
            raise self._failure(error, begun=run.begun) from None
        except UnicodeDecodeError:
            raise self._failed_at_a_row("a text is not UTF-8: select hex() of it") from None
        finally:
            cursor.close(True)
            self._connection.set_progress_handler(None, run.every)
        if not run.begun:
            raise SqlFailed("failed", "there is no statement")
        return Rows(run.columns, rows, truncated)

    def shapes(self) -> tuple[TableShape, ...]:
        found = []
        for name in self._names:
            text = f"select * from {name} limit 0"  # noqa: S608  # names of ours
            run = _Run(Statement(text, Budget(0, 0, 0, 0), self._now))
            cursor = self._connection.cursor()
            cursor.exec_trace = run.may_begin
            cursor.execute(text).fetchall()
            found.append(TableShape(name, run.columns))
        return tuple(found)

    def close(self) -> None:
        closed_quietly(self._connection)

    def _make_views(self, access: Access, analyses: Mapping[str, str]) -> None:
        # Sorting spills to disk, so that memory stays small. Changing this later would drop the views.
        self._connection.execute("pragma temp_store = file")
        self._connection.create_scalar_function("asked_at", lambda *_: self._now, 0)
        condition, prefixes = unhidden(access.hidden)
        whole, places = wholly_seen(access.partly_seen)
        inside, roots = readable(access.also)
        scope = {**scope_parameters(access), **prefixes, **places, **roots}
        own = {"unhidden": condition, "wholly_seen": whole, "readable": inside, "readable_within": inside}
        # In one transaction: each by itself is written to a file of its own.
        self._connection.execute("begin")
        for name, select in definitions("sqlite", own).items():
            hidden = self._inner + name
            self._connection.execute(f"create temp view {hidden} as {with_literals(select, scope)}")
            fence = " limit -1" if self.use == "fenced" else ""
            self._connection.execute(f"create temp view {name} as select * from temp.{hidden}{fence}")  # noqa: S608
        for name, select in analyses.items():
            self._connection.execute(f"create temp view {name} as {select}")
        self._connection.execute("commit")

    def _close_up(self) -> None:
        """Leave nothing possible on this connection but reading."""
        connection = self._connection
        connection.execute(
            f"pragma query_only = on; pragma trusted_schema = off; pragma cache_size = -{_SORTED_KIB[self.use]}"
        )
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        # "x" is a name and never a text: a misspelt column is an error, as on PostgreSQL.
        connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 0)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0)
        for limit, value in _LIMITS.items():
            connection.limit(limit, value)
        connection.authorizer = self._authorize

    def _authorize(
        self, operation: int, first: str | None, second: str | None, database: str | None, inside: str | None
    ) -> int:
        allowed = operation in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE)
        refusal = "only SELECT is allowed: this is read-only"
        if operation == apsw.SQLITE_READ:
            allowed = self._may_read(first or "", second or "", database, inside or "")
            refusal = f"access to {first}.{second} is prohibited"
        elif operation == apsw.SQLITE_FUNCTION:
            allowed = (second or "").lower() in _FUNCTIONS or (inside or "").startswith(self._inner)
            refusal = f"the function {second} is not allowed"
        if allowed:
            return apsw.SQLITE_OK
        self._refused = self._refused or self._without_inner_name(refusal)
        return apsw.SQLITE_DENY

    def _may_read(self, table: str, column: str, database: str | None, inside: str) -> bool:
        if inside.startswith(self._inner):
            return table in _INNER_TABLES
        if not column and table not in self._asked and (table in port.BASE_TABLES or table.startswith(self._inner)):
            return True  # A view of ours counts its rows. Whoever would do so directly has to write its name.
        if not column and database is None:
            # Rows are counted and no column is read: then a CTE is named here, too, by whatever name it has.
            is_real = table.lower() in self._real or table.lower().startswith(("sqlite_", "pragma_", self._inner))
            return table in self._names or not is_real
        return database == "temp" and (table in self._names or table.startswith(self._inner))

    def _failure(self, error: apsw.Error, *, begun: bool) -> SqlFailed:
        message = self._refused or self._without_inner_name(str(error))
        if self._refused is not None or isinstance(error, apsw.AuthError | apsw.ReadOnlyError):
            return SqlFailed("refused", message)
        return self._failed_at_a_row(message) if begun else SqlFailed("failed", message)

    def _without_inner_name(self, message: str) -> str:
        """Return a message without the name of our views: a CTE of that name could read the tables."""
        return message.replace(self._inner, "")

    def _failed_at_a_row(self, message: str) -> SqlFailed:
        return SqlFailed("failed", message) if self.use == "fenced" else _FailedAtARow("failed", message)


class _Run:
    """One run of a statement: it begins if it is one statement that reads, and ends with its steps or its time."""

    def __init__(self, statement: Statement) -> None:
        self.every = min(_STEPS_PER_LOOK_OF_ANALYSES if statement.ours else _STEPS_PER_LOOK, statement.budget.steps)
        self._text = statement.sql
        self._left = statement.budget.steps
        self._deadline = time.monotonic() + statement.budget.timeout_ms / 1000
        self._call = cancellation.current()
        self.begun = False
        self.columns: tuple[str, ...] = ()
        self.reason = "interrupted"

    def is_over(self) -> bool:
        """Return True if the statement has to end."""
        self._left -= self.every
        if self._left < 0:
            self.reason = "interrupted (step budget)"
        elif self._call.cancelled:
            self.reason = "interrupted (cancelled)"
        elif time.monotonic() > self._deadline:
            self.reason = "interrupted (timeout)"
        else:
            return False
        return True

    def may_begin(self, cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        """Return True if the statement may run, and note the columns of its answer."""
        del bindings
        if not cursor.has_vdbe:  # a comment
            return True
        rest = self._text[len(sql) :] if self._text.startswith(sql) else "?"
        if self.begun or _NOTHING.fullmatch(rest) is None:
            self.reason = "only one statement is allowed"
        elif cursor.is_explain or not cursor.is_readonly:
            self.reason = "only SELECT is allowed"
        else:
            self.begun = True
            self.columns = tuple(column[0] for column in cursor.get_description())
            return True
        return False
