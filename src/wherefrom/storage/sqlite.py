"""SQLite: one file that many processes may use at once.

WAL lets readers go on while one writer writes; every write is a short `BEGIN IMMEDIATE`, so two
writers queue instead of deadlocking; `synchronous=FULL` makes a commit survive a power cut.
"""

from __future__ import annotations

import os
import queue
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

import apsw

from wherefrom.embedding.port import Matrix
from wherefrom.model.errors import StoreUnavailable
from wherefrom.model.once import once
from wherefrom.model.results import Check
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.migrate import Migration, is_current, migrate
from wherefrom.storage.port import Parameters, Progress, Result, Row, Transaction, Vectors
from wherefrom.storage.sqlite_errors import closed_quietly, state_of, translated
from wherefrom.storage.statements import Dialect, Statements


def _from_vectors(rows: Sequence[bytes]) -> Matrix:
    import numpy as np

    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1 if rows else 0)


def _near(terms: Sequence[str]) -> str:
    """Looks for terms with little between them: where they stand in a row, stop words may stand between."""
    quoted = " ".join(f'"{term}"' for term in terms)
    return f"NEAR({quoted}, {2 * len(terms)})"


DIALECT: Final = Dialect(
    name="sqlite",
    each="(select value from json_each({}))",
    words={"seq": "integer primary key autoincrement", "key": "text", "identity": "unique"},
    privacy="personal",
    parameter=":{}",
    document=" ".join,
    matches=(
        "(select count(*) from json_each(:metadata) as w join json_each({}.metadata) as m on m.key = w.key"
        " and m.value = w.value and (m.type = w.type or m.type || w.type in ('integerreal', 'realinteger')))"
        " = (select count(*) from json_each(:metadata))"
    ),
    vector="{}.vector",
    together=_near,
    judged_days_ago="max(julianday(:now) - julianday(coalesce({0}.judged_at, {0}.created_at)), 0.0)",
    day="julianday({})",
    to_vector=lambda vector: vector.tobytes(),
    from_vectors=_from_vectors,
    one_text_index=True,
)
# "Rcol": tells our files from other programs' SQLite files.
_APPLICATION_ID: Final = 0x52636F6C
_COPY_PAGES: Final = 2_000


class SqliteDatabase:
    """A SQLite file with the current schema. Connections are pooled and used by one thread at a time."""

    name = "sqlite"
    read_only = False

    def __init__(self, path: Path, *, busy_timeout_ms: int) -> None:
        self.location = str(path)
        self._path = path
        self._busy_timeout_s = busy_timeout_ms / 1000
        self._statements = Statements(DIALECT)
        self._writing = Statements(DIALECT, writing=True)
        self._idle: queue.LifoQueue[apsw.Connection] = queue.LifoQueue()
        self._closed = False
        self._process = os.getpid()
        with translated():
            self._prepare_file()

    @once
    def vectors(self) -> Vectors:
        from wherefrom.storage.vector_index import VectorIndex

        return VectorIndex(self._path, self.read)

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        from wherefrom.storage.agent.sqlite_process import SqliteProcessReader

        return SqliteProcessReader(self._path, analyses)

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        return self._run("begin", work, writes=False)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        return self._run("begin immediate", work, writes=True)

    def schema_version(self) -> int:
        with translated(), self._connection() as connection:
            return max(version for version, _ in _Script(connection).applied())

    def engine(self) -> Mapping[str, Any]:
        wal = Path(f"{self._path}-wal")
        return {
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
            "file_bytes": state_of(self._path).st_size,
            "wal_bytes": state_of(wal).st_size if wal.exists() else 0,
            **({"read_only": True} if self.read_only else {}),
        }

    def check_integrity(self) -> tuple[Check, ...]:
        with translated(), self._connection() as connection:
            damage = [row[0] for row in connection.execute("pragma integrity_check(20)") if row[0] != "ok"]
            dangling = sum(1 for _ in connection.execute("pragma foreign_key_check"))
        return (
            Check("integrity", not damage, "; ".join(damage) or "pages, records and indexes agree"),
            Check("foreign keys", dangling == 0, f"{dangling} rows point to something that is not there"),
        )

    def copy_to(self, target: Path, progress: Progress) -> bool:
        with translated(), self._connection() as source:
            # An open read transaction pins one snapshot: writers go on and the copy never restarts.
            source.execute("begin; select count(*) from sqlite_schema")
            _create_private(target)
            copy = apsw.Connection(str(target))
            try:
                with copy.backup("main", source, "main") as backup:
                    while not backup.done:
                        backup.step(_COPY_PAGES)
                        progress(backup.page_count - backup.remaining, backup.page_count)
                copy.execute("pragma journal_mode = delete")
            finally:
                copy.close()
        return True

    def refresh_statistics(self) -> None:
        """Nothing: the statements fix SQLite's plans themselves, whatever the tables hold."""

    def overwrite_deleted(self) -> None:
        with translated(), self._connection() as connection:
            connection.execute("vacuum")
            connection.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        self._closed = True
        while True:
            try:
                closed_quietly(self._idle.get_nowait())
            except queue.Empty:
                return

    def _prepare_file(self) -> None:
        """Make the file if it is missing, and bring it to the current schema."""
        _create_private(self._path)
        with self._connection() as connection:
            self._migrate(connection)

    def _run(self, begin: str, work: Callable[[Transaction], Result], *, writes: bool) -> Result:
        statements = self._writing if writes else self._statements
        with translated(), self._connection() as connection:
            connection.execute(begin)
            result = work(_Transaction(connection, statements, writes=writes))
            connection.execute("commit")
            return result

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        self._refuse_if_closed()
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            connection = self._connect()
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.execute("rollback")
            self._idle.put(connection)
            if self._closed:
                self.close()

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path), statementcachesize=256)
        prepare(connection, self._busy_timeout_s)
        return connection

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        if os.getpid() != self._process:
            raise StoreUnavailable("the store was opened by another process", hint="open it again after a fork")

    def _migrate(self, connection: apsw.Connection) -> None:
        script = _Script(connection)
        current = is_current(script.applied(), DIALECT)
        if not current:
            refuse_foreign_file(connection, self._path)
        _switch_to_wal(connection, deadline=time.monotonic() + self._busy_timeout_s)
        if not current:
            connection.execute("begin immediate")
            migrate(script, DIALECT)
            connection.execute(f"pragma application_id = {_APPLICATION_ID}")
            connection.execute("commit")


def may_only_be_read(path: Path) -> bool:
    """Whether a file is there and this user may read it, and may not write to it or not beside it."""
    try:
        path = path.resolve()  # SQLite keeps the files beside it where the file itself is
        there = path.is_file()
    except (OSError, RuntimeError):  # whoever opens it is told why it cannot be looked at
        return False
    if not there or not os.access(path, os.R_OK):
        return False
    if not os.access(path, os.W_OK):
        return True
    beside = [Path(f"{path}-wal"), Path(f"{path}-shm")]
    return not os.access(path.parent, os.W_OK) and not all(os.access(file, os.W_OK) for file in beside)


def prepare(connection: apsw.Connection, busy_timeout_s: float) -> None:
    """Set what every connection to the store has."""
    connection.set_busy_handler(_Patience(busy_timeout_s))
    connection.execute("pragma foreign_keys = on; pragma synchronous = full; pragma temp_store = memory")
    connection.execute("pragma trusted_schema = off; pragma cache_size = -32768")


def applied_migrations(connection: apsw.Connection) -> list[tuple[int, str]]:
    """Version and hash of each applied migration; none when there is no such table."""
    try:
        rows = connection.execute("select version, hash from schema_migrations").fetchall()
    except apsw.SQLError:
        return []
    return cast(list[tuple[int, str]], rows)


class _Transaction:
    dialect = DIALECT

    def __init__(self, connection: apsw.Connection, statements: Statements, *, writes: bool) -> None:
        self._connection = connection
        self._statements = statements
        self.writes = writes

    def rows(self, name: str, parameters: Parameters) -> list[Row]:
        return self._connection.execute(self._statements.sql(name, parameters), parameters).fetchall()

    def row(self, name: str, parameters: Parameters) -> Row | None:
        return self._connection.execute(self._statements.sql(name, parameters), parameters).fetchone()

    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        return iter(self._connection.execute(self._statements.sql(name, parameters), parameters))

    def run(self, name: str, parameters: Parameters) -> None:
        self._connection.execute(self._statements.sql(name, parameters), parameters)

    def count(self, name: str, parameters: Parameters) -> int:
        self.run(name, parameters)
        return self._connection.changes()

    def run_many(self, name: str, parameters: Iterable[Parameters]) -> None:
        rows = list(parameters)
        if rows:
            self._connection.executemany(self._statements.sql(name, rows[0]), rows)


class _Script:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str) -> None:
        self._connection.execute(sql)

    def applied(self) -> list[tuple[int, str]]:
        return applied_migrations(self._connection)

    def record(self, migration: Migration, at: str) -> None:
        self._connection.execute(
            "insert into schema_migrations (version, name, hash, applied_at) values (?, ?, ?, ?)",
            (migration.version, migration.name, migration.hash, at),
        )


class _Patience:
    """Waits for a lock in short random naps, until the timeout: steady naps make processes collide again."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._since = 0.0

    def __call__(self, attempt: int) -> bool:
        now = time.monotonic()
        if attempt == 0:
            self._since = now
        if now - self._since > self._timeout_s:
            return False
        time.sleep(random.uniform(0.0002, min(0.02, 0.0005 * 1.5 ** min(attempt, 10))))
        return True


def _create_private(path: Path) -> None:
    """Create a missing file so that only its user can read it; memories are private."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreUnavailable(
            f"cannot open {path}: {error.strerror}", hint="is the folder there, and may you write to it?"
        ) from None


def refuse_foreign_file(connection: apsw.Connection, path: Path) -> None:
    """Raise an error for a file with tables that is not ours."""
    # One statement, one snapshot: another process may be making the tables at this moment.
    row = connection.execute(
        "select (select count(*) from sqlite_schema), (select application_id from pragma_application_id)"
    ).fetchone()
    if row is not None and row[0] > 0 and row[1] != _APPLICATION_ID:
        raise StoreUnavailable(f"{path} is another program's SQLite file", hint="choose another path")


def _switch_to_wal(connection: apsw.Connection, *, deadline: float) -> None:
    """SQLite does not call the busy handler for this switch, so several first openers must wait by hand."""
    while connection.execute("pragma journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("pragma journal_mode = wal")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.01))
