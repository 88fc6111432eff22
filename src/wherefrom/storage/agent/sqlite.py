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
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
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
from wherefrom.storage.agent.port import (
    BASE_TABLES,
    COLUMNS,
    PATTERN_CHARACTERS,
    VALUE_BYTES,
    Answered,
    Asked,
    Collector,
    Dialect,
    SqlFailed,
)
from wherefrom.storage.agent.tables import Words, definitions, names, readable, unhidden, written_out
from wherefrom.storage.sqlite_errors import closed_quietly, translated
from wherefrom.storage.statements import scope_parameters

# A handler is asked after so many steps. A step of an agent's may be a function that takes a millisecond.
_STEPS: Final = 100
_STEPS_OURS: Final = 1_000
_IDLE: Final = 4
_Use = Literal["theirs", "fenced", "ours"]
# So much is sorted at once, and nothing can stop that: 16 MiB took 300 ms. What our analyses sort is known.
_SORTED_KIB: Final = {"theirs": 4096, "fenced": 4096, "ours": 65_536}
_INNER_TABLES: Final = frozenset((*BASE_TABLES, "json_each"))
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
    apsw.SQLITE_LIMIT_LENGTH: VALUE_BYTES,
    apsw.SQLITE_LIMIT_SQL_LENGTH: SQL_CHARACTERS * 4,
    apsw.SQLITE_LIMIT_COLUMN: COLUMNS,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 1000,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 20,
    apsw.SQLITE_LIMIT_VDBE_OP: 100_000,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 20,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: PATTERN_CHARACTERS,
    apsw.SQLITE_LIMIT_VARIABLE_NUMBER: 10,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_WORDS: Final[Words] = {
    "table": "main.{0}",
    # A subquery: SQLite makes a join whose columns nobody uses, too, if rows are counted.
    "joins": "",
    "claim": "(select c.{0} from main.nodes c where c.owner_id = e.owner_id and c.id = e.target_id)",
    "each": "(select value from json_each(:{0}))",
    "field": "json_extract({0}.metadata, '$.{1}')",
    "number": "json_extract({0}.metadata, '$.{1}')",
    "json": "json_extract({0}.metadata, '$.{1}')",
    "whole": "{0}.metadata",
    "vector": "{0}.vector",
    "now": "asked_at()",
    "year": "cast(substr(asked_at(), 1, 4) as integer)",
}
# What no statement is to blame for.
_OF_THE_FILE: Final = (apsw.BusyError, apsw.CantOpenError, apsw.CorruptError, apsw.IOError, apsw.NotADBError)
# What may follow a statement: nothing but spaces, semicolons and comments.
_NOTHING: Final = re.compile(r"(?>[\s;]|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z))*", re.DOTALL)


class SqliteReader:
    """Runs agents' statements on a SQLite file. A connection belongs to one access; some are kept."""

    dialect: Dialect = "SQLite"
    notes: tuple[str, ...] = ()

    def __init__(self, path: Path, analyses: Mapping[str, str], *, options: str = "mode=ro") -> None:
        self._address = f"file:{quote(str(path))}?{options}"
        self._analyses = analyses
        self._lock = threading.Lock()
        self._idle: OrderedDict[tuple[Hashable, _Use], list[_Connection]] = OrderedDict()
        self._shapes: tuple[TableShape, ...] | None = None
        self._closed = False

    def answer(self, access: Access, asked: Asked) -> Answered:
        begun = time.monotonic()
        try:
            return self._answer(access, asked, "ours" if asked.ours else "theirs")
        except _FailedAtARow:
            # Perhaps at a hidden one: SQLite may try a statement's conditions on an index before ours on the row.
            left_ms = asked.budget.timeout_ms - round((time.monotonic() - begun) * 1000)
            budget = replace(asked.budget, timeout_ms=max(1, left_ms))
            return self._answer(access, replace(asked, budget=budget), "fenced")

    def _answer(self, access: Access, asked: Asked, use: _Use) -> Answered:
        with self._lent(access, use) as connection:
            return connection.answer(asked)

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        if self._shapes is None:
            with self._lent(access, "theirs") as connection:
                self._shapes = connection.shapes()
        return self._shapes

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle = [connection for kept in self._idle.values() for connection in kept]
            self._idle.clear()
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self, access: Access, use: _Use) -> Iterator[_Connection]:
        with translated():
            connection = self._taken(access, use)
            try:
                yield connection
            finally:
                self._give_back(access, connection)

    def _taken(self, access: Access, use: _Use) -> _Connection:
        key = (access.reach, use)
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            kept = self._idle.get(key)
            if kept:
                return kept.pop()
        return _Connection(self._address, access, self._analyses, use)

    def _give_back(self, access: Access, connection: _Connection) -> None:
        key = (access.reach, connection.use)
        surplus: list[_Connection] = []
        with self._lock:
            self._idle.setdefault(key, []).append(connection)
            self._idle.move_to_end(key)
            while sum(map(len, self._idle.values())) > (0 if self._closed else _IDLE):
                oldest = next(iter(self._idle))
                if self._idle[oldest]:
                    surplus.append(self._idle[oldest].pop(0))
                if not self._idle[oldest]:
                    del self._idle[oldest]
        for each in surplus:
            each.close()


class _FailedAtARow(SqlFailed):
    """A statement that is right failed while it ran."""


class _Connection:
    """With a fence, no condition of a statement's is tried before ours; then indexes are not used."""

    def __init__(self, address: str, access: Access, analyses: Mapping[str, str], use: _Use) -> None:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        self._connection = apsw.Connection(address, flags=flags, statementcachesize=50)
        self._names = (*names(), *analyses)
        self._inner = f"inner_{secrets.token_hex(12)}_"
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

    def answer(self, asked: Asked) -> Answered:
        self._now, self._asked, self._refused = asked.now, asked.sql.lower(), None
        if self._inner in self._asked:
            raise SqlFailed("refused", "this name is not allowed")
        watch = _Watch(asked)
        self._connection.set_progress_handler(watch, watch.every)
        cursor = self._connection.cursor()
        statement = _Statement(asked.sql)
        cursor.exec_trace = statement
        collected = Collector(asked.budget)
        try:
            for row in cursor.execute(asked.sql, asked.parameters or None):
                if not collected.take(row):
                    break
        except apsw.InterruptError:
            raise SqlFailed("interrupted", watch.reason) from None
        except apsw.BindingsError:
            raise SqlFailed("failed", "a parameter of the statement has no value") from None
        except apsw.ExecTraceAbort:
            raise SqlFailed("refused", statement.refusal) from None
        except (apsw.NoMemError, MemoryError):
            raise SqlFailed("failed", "out of memory: the statement needs more than it may use") from None
        except _OF_THE_FILE:
            raise
        except apsw.Error as error:
            raise self._failure(error, begun=statement.begun) from None
        except UnicodeDecodeError:
            raise self._failed_at_a_row("a text is not UTF-8: select hex() of it") from None
        finally:
            cursor.close(True)
            self._connection.set_progress_handler(None, watch.every)
        if not statement.begun:
            raise SqlFailed("failed", "there is no statement")
        return Answered(statement.columns, tuple(collected.rows), collected.truncated)

    def shapes(self) -> tuple[TableShape, ...]:
        found = []
        for name in self._names:
            cursor = self._connection.cursor()
            statement = _Statement(f"select * from {name} limit 0")  # noqa: S608  # names of ours
            cursor.exec_trace = statement
            cursor.execute(statement.text).fetchall()
            found.append(TableShape(name, statement.columns))
        return tuple(found)

    def close(self) -> None:
        closed_quietly(self._connection)

    def _make_views(self, access: Access, analyses: Mapping[str, str]) -> None:
        # Sorting spills to disk, so that memory stays small. Changing this later would drop the views.
        self._connection.execute("pragma temp_store = file")
        self._connection.create_scalar_function("asked_at", self._asked_at, 0)
        condition, prefixes = unhidden(access.hidden)
        inside, roots = readable(access.also)
        scope = {**scope_parameters(access), **prefixes, **roots}
        words = {**_WORDS, "unhidden": condition, "readable": inside}
        # In one transaction: each by itself is written to a file of its own.
        self._connection.execute("begin")
        for name, select in definitions(words).items():
            hidden = self._inner + name
            self._connection.execute(f"create temp view {hidden} as {written_out(select, scope)}")
            fence = " limit -1" if self.use == "fenced" else ""
            self._connection.execute(f"create temp view {name} as select * from temp.{hidden}{fence}")  # noqa: S608
        for name, select in analyses.items():
            self._connection.execute(f"create temp view {name} as {select}")
        self._connection.execute("commit")

    def _asked_at(self, *_: Any) -> str:
        return self._now

    def _close_up(self) -> None:
        """From here on nothing but reading is possible."""
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
        allowed = False
        if operation in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE):
            allowed = True
        elif operation == apsw.SQLITE_READ:
            allowed = self._may_read(first or "", second or "", database, inside or "")
        elif operation == apsw.SQLITE_FUNCTION:
            allowed = (second or "").lower() in _FUNCTIONS or (inside or "").startswith(self._inner)
        if allowed:
            return apsw.SQLITE_OK
        self._refused = self._refused or self._unnamed(_named(operation, first, second))
        return apsw.SQLITE_DENY

    def _may_read(self, table: str, column: str, database: str | None, inside: str) -> bool:
        if inside.startswith(self._inner):
            return table in _INNER_TABLES
        if not column and table not in self._asked and (table in BASE_TABLES or table.startswith(self._inner)):
            return True  # A view of ours counts its rows. Whoever would do so directly has to write its name.
        if not column and database is None:
            # Rows are counted and no column is read: then a CTE is named here, too, by whatever name it has.
            return table in self._names or not self._is_real(table.lower())
        return database == "temp" and (table in self._names or table.startswith(self._inner))

    def _is_real(self, table: str) -> bool:
        return table in self._real or table.startswith(("sqlite_", "pragma_", self._inner))

    def _failure(self, error: apsw.Error, *, begun: bool) -> SqlFailed:
        message = self._refused or self._unnamed(str(error))
        if self._refused is not None or isinstance(error, apsw.AuthError | apsw.ReadOnlyError):
            return SqlFailed("refused", message)
        return self._failed_at_a_row(message) if begun else SqlFailed("failed", message)

    def _unnamed(self, message: str) -> str:
        """Without the name of our views: a CTE of that name could read the tables."""
        return message.replace(self._inner, "")

    def _failed_at_a_row(self, message: str) -> SqlFailed:
        return SqlFailed("failed", message) if self.use == "fenced" else _FailedAtARow("failed", message)


class _Watch:
    """Ends a statement that has used up its steps or its time."""

    def __init__(self, asked: Asked) -> None:
        self.every = min(_STEPS_OURS if asked.ours else _STEPS, asked.budget.steps)
        self._left = asked.budget.steps
        self._deadline = time.monotonic() + asked.budget.timeout_ms / 1000
        self._call = cancellation.current()
        self.reason = "interrupted"

    def __call__(self) -> bool:
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


class _Statement:
    """Looks at a statement when it is about to run: there must be one, and it must read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.begun = False
        self.columns: tuple[str, ...] = ()
        self.refusal = ""

    def __call__(self, cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
        del bindings
        if not cursor.has_vdbe:  # a comment
            return True
        rest = self.text[len(sql) :] if self.text.startswith(sql) else "?"
        if self.begun or _NOTHING.fullmatch(rest) is None:
            self.refusal = "only one statement is allowed"
            return False
        if cursor.is_explain or not cursor.is_readonly:
            self.refusal = "only SELECT is allowed"
            return False
        self.begun = True
        self.columns = tuple(column[0] for column in cursor.get_description())
        return True


def _named(operation: int, first: str | None, second: str | None) -> str:
    """What was refused, for people."""
    if operation == apsw.SQLITE_READ:
        return f"access to {first}.{second} is prohibited"
    if operation == apsw.SQLITE_FUNCTION:
        return f"the function {second} is not allowed"
    return "only SELECT is allowed: this is read-only"
