"""SQLite: one file that many processes may use at once.

WAL lets readers go on while one writer writes; every write is a short `BEGIN IMMEDIATE`, so two
writers queue instead of deadlocking; `synchronous=FULL` makes a commit survive a power cut. Writers
of one process sleep in a queue, first come, first served; those of other processes are waited for
by a busy handler, which looks again and again. Both together last as long as the busy timeout.
"""

from __future__ import annotations

import math
import os
import queue
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, cast

import apsw

from wherefrom.embedding.port import Matrix
from wherefrom.lazy import np
from wherefrom.model import cancellation
from wherefrom.model.errors import StoreBusy, StoreUnavailable
from wherefrom.model.health import Check
from wherefrom.model.once import once
from wherefrom.model.slots import Baton, Slots
from wherefrom.storage.agent.port import Reader
from wherefrom.storage.agent.sqlite_process import SqliteProcessReader
from wherefrom.storage.migrate import is_current, migrate
from wherefrom.storage.port import Database, Parameters, Progress, Result, Row, Transaction, Vectors
from wherefrom.storage.sql import Dialect, statements
from wherefrom.storage.sqlite_errors import closed_quietly, state_of, translated
from wherefrom.storage.sqlite_rows import numbered
from wherefrom.storage.vector_index import VectorIndex


def _from_vectors(rows: Sequence[bytes]) -> Matrix:
    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1 if rows else 0)


def _near(terms: Sequence[str]) -> str:
    """The FTS5 query for texts in which these terms stand near to each other, with stop words between them at most."""
    quoted = " ".join(f'"{term}"' for term in terms)
    return f"NEAR({quoted}, {2 * len(terms)})"


DIALECT: Final = Dialect(
    name="sqlite",
    privacy="personal",
    parameter=":{}",
    rows=lambda columns: "(select " + re.sub(r"(\w+) [^,]+", r":\1 as \1", columns) + ") as r",
    document=" ".join,
    together=_near,
    to_vector=lambda vector: vector.tobytes(),
    from_vectors=_from_vectors,
    many_writers=False,
    is_far=False,
    one_text_index=True,
)
# "Rcol": tells our files from other programs' SQLite files.
_APPLICATION_ID: Final = 0x52636F6C
# What an erasure leaves.
_AGAIN: Final = "the same command again does it once they have ended"
_NOT_VACUUMED: Final = "free parts of the file and its log, because it was not vacuumed; the same command again does it"
_BEYOND_REACH: Final = (
    "backups, exports and copies of the file that were made before: delete them, or make them anew",
    "blocks that the file system gave back: its snapshots, and the drive itself, may keep them for a while",
)
_PAGES_PER_COPY_STEP: Final = 2_000
# For how long a transaction waits for another one of this process: a call among 100,000 texts takes less.
_PATIENCE_S: Final = 0.05
_MAPPED_BYTES: Final = 256 * 2**20
# What need not be on the disk at once is copied from the log into the file seldom: a batch of an import is 2,500 pages.
_LOG_PAGES: Final = {"full": 1_000, "normal": 10_000}
# Until when the writer of this thread waits for other processes.
_DEADLINE: Final[ContextVar[float]] = ContextVar("wherefrom_busy_deadline", default=math.inf)
_READ_WRITE: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


class SqliteDatabase(Database):
    """A SQLite file with the current schema. Connections are pooled and used by one thread at a time."""

    name = "sqlite"

    def __init__(self, path: Path, *, busy_timeout_ms: int) -> None:
        self.location = str(path)
        self._path = path
        self._busy_timeout_s = busy_timeout_ms / 1000
        self._statements = {writes: statements(DIALECT, writing=writes) for writes in (False, True)}
        self._idle: queue.LifoQueue[apsw.Connection] = queue.LifoQueue()
        self._turns = Slots()
        self._baton = Baton(_PATIENCE_S)
        self._inside = threading.local()
        self._writer: int | None = None
        self._closed = False
        self._process = os.getpid()
        with translated():
            self._prepare_file()

    @once
    def vectors(self) -> Vectors:
        return VectorIndex(self._path, self.read)

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        return SqliteProcessReader(self._path, analyses)

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        return self._run(work, writes=False)

    def write(self, work: Callable[[Transaction], Result]) -> Result:
        return self._run(work, writes=True)

    def write_unsynced(self, work: Callable[[Transaction], Result]) -> Result:
        return self._run(work, writes=True, synchronous="normal")

    def schema_version(self) -> int:
        with translated(), self._connection() as connection:
            return max(version for version, _ in applied_migrations(connection))

    def engine(self) -> Mapping[str, Any]:
        wal = Path(f"{self._path}-wal")
        return {
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
            "file_bytes": state_of(self._path).st_size,
            "wal_bytes": state_of(wal).st_size if wal.exists() else 0,
            **({"read_only": True} if self.read_only else {}),
        }

    def check_integrity(self) -> tuple[Check, ...]:
        # FTS5 checks what a connection remembers of its index: after another one merged it, that looked like damage.
        self._drop_idle()
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
            with closing(apsw.Connection(str(target))) as copy:
                with copy.backup("main", source, "main") as backup:
                    while not backup.done:
                        backup.step(_PAGES_PER_COPY_STEP)
                        progress(backup.page_count - backup.remaining, backup.page_count)
                copy.execute("pragma journal_mode = delete")
        return True

    def overwrite_deleted(self) -> None:
        with translated(), self._turn(), self._connection() as connection:
            # Else the pages of the new file have in their free parts what memory had there.
            connection.execute("pragma secure_delete = on; pragma synchronous = full")
            # The full-text index only marks deleted texts; merged into one piece, it has none of their terms.
            connection.execute("insert into node_terms (node_terms) values ('optimize')")
            connection.execute("vacuum")
            is_kept_open, *_ = connection.execute("pragma wal_checkpoint(truncate)").fetchone() or (0,)
        self._drop_idle()
        if is_kept_open:
            raise StoreBusy("others are reading the file, so that its log could not be emptied")

    def erase_deleted(self, *, vacuum: bool) -> tuple[str, ...]:
        self.vectors.drop_copies()
        self._drop_idle()
        if not vacuum:
            return (_NOT_VACUUMED, *_BEYOND_REACH)
        try:
            self.overwrite_deleted()
        except StoreBusy as error:
            return (f"free parts of the file and its log: {error.message}; {_AGAIN}", *_BEYOND_REACH)
        return _BEYOND_REACH

    def close(self) -> None:
        self._closed = True
        self._drop_idle()

    def _drop_idle(self) -> None:
        """Close the connections that are not in use, with the pages that they have read."""
        with suppress(queue.Empty):
            while True:
                closed_quietly(self._idle.get_nowait())

    def _prepare_file(self) -> None:
        """Make the file if it is missing, and bring it to the current schema."""
        _create_private(self._path)
        with self._connection() as connection:
            current = is_current(applied_migrations(connection), DIALECT)
            if not current:
                refuse_foreign_file(connection, self._path)
            _switch_to_wal(connection, deadline=time.monotonic() + self._busy_timeout_s)
            if not current:
                connection.execute("begin immediate")
                migrate(connection.execute, applied_migrations(connection), DIALECT)
                connection.execute(f"pragma application_id = {_APPLICATION_ID}")
                connection.execute("commit")

    def _run(self, work: Callable[[Transaction], Result], *, writes: bool, synchronous: str = "full") -> Result:
        call = cancellation.current()
        call.check()
        with translated(), self._turn() if writes else nullcontext(), self._connection() as connection:
            # It interrupts the statement under way, and never one of the next transaction, nor the commit.
            with call.stopping(connection.interrupt):
                # Set for each write: in a transaction that failed it cannot be set back.
                connection.execute(f"pragma synchronous = {synchronous}; begin immediate" if writes else "begin")
                connection.wal_autocheckpoint(_LOG_PAGES[synchronous])
                result = work(_Transaction(connection, self._statements[writes], writes=writes))
            call.check()
            connection.execute("commit")
            return result

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until this thread is the one of this process that writes; what is left of its time is for others."""
        self._refuse_if_closed()
        deadline = time.monotonic() + self._busy_timeout_s
        is_inside = self._writer == threading.get_ident()  # it would wait for itself
        if is_inside or not self._turns.acquire(self._busy_timeout_s):
            raise apsw.BusyError
        self._writer = threading.get_ident()
        token = _DEADLINE.set(deadline)
        try:
            yield
        finally:
            _DEADLINE.reset(token)
            self._writer = None
            self._turns.release()

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        self._refuse_if_closed()
        with self._one_at_a_time():
            try:
                connection = self._idle.get_nowait()
            except queue.Empty:
                connection = connect(str(self._path), self._busy_timeout_s)
            try:
                yield connection
            finally:
                if _rolled_back(connection):
                    self._idle.put(connection)
                if self._closed:
                    self.close()

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Let the short transactions of this process follow each other, so that they use one connection. A connection
        forgets the pages that it has read, and the map of the file, when another one has written.
        """
        if getattr(self._inside, "transaction", False):  # it would wait for itself
            yield
            return
        baton, self._inside.transaction = self._baton.take(), True
        try:
            yield
        finally:
            self._inside.transaction = False
            self._baton.hand_on(baton)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        if os.getpid() != self._process:
            raise StoreUnavailable("the store was opened by another process", hint="open it again after a fork")


def may_only_be_read(path: Path) -> bool:
    """True if this user may read the file but may not write to it, or may not make files beside it."""
    # SQLite keeps its other files beside the file that a symbolic link leads to.
    real = Path(os.path.realpath(path))
    if not os.access(real, os.R_OK) or not real.is_file():  # opening it will give the reason
        return False
    beside = [real.parent] if os.access(real.parent, os.W_OK) else [f"{real}-wal", f"{real}-shm"]
    return not all(os.access(file, os.W_OK) for file in (real, *beside))


def connect(name: str, busy_timeout_s: float, flags: int = _READ_WRITE) -> apsw.Connection:
    """A new connection to a file, by its path or URI, with the settings that every connection to a store has."""
    connection = apsw.Connection(name, flags=flags, statementcachesize=256)
    connection.set_busy_handler(_Patience(busy_timeout_s))
    connection.execute("pragma foreign_keys = on; pragma synchronous = full; pragma temp_store = memory")
    # Else statements are prepared anew when a value changes that the planner looked at: those inside FTS5 twice a term.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # Rows that lie far from each other are read from the file's memory map in half the time.
    connection.execute(f"pragma trusted_schema = off; pragma cache_size = -32768; pragma mmap_size = {_MAPPED_BYTES}")
    return connection


def applied_migrations(connection: apsw.Connection) -> list[tuple[int, str]]:
    """Version and hash of each applied migration; none if the table is missing."""
    try:
        rows = connection.execute("select version, hash from schema_migrations").fetchall()
    except apsw.SQLError:
        return []
    return cast(list[tuple[int, str]], rows)


class _Transaction(Transaction):
    dialect = DIALECT
    _connection: apsw.Connection

    def stream(self, name: str, parameters: Parameters) -> Iterator[Row]:
        return self._execute(name, parameters)

    def count(self, name: str, parameters: Parameters) -> int:
        self._execute(name, parameters)
        return self._connection.changes()

    def many(self, name: str, rows: Sequence[Parameters], common: Parameters) -> list[Row]:
        if not rows:
            return []
        self._call.check()
        sql, shared, own = numbered(self._statements.sql(name, common), tuple(rows[0]))
        values = tuple(common[name] for name in shared)
        return self._connection.executemany(sql, [values + own(row) for row in rows]).fetchall()

    def _execute(self, name: str, parameters: Parameters) -> apsw.Cursor:
        self._call.check()
        sql, names, _ = numbered(self._statements.sql(name, parameters), ())
        return self._connection.execute(sql, [parameters[name] for name in names])


def _rolled_back(connection: apsw.Connection) -> bool:
    """End the transaction of a connection, if any, without a commit; return False if the connection had to be closed
    for that: after an interrupt SQLite stops every statement, the rollback too, while a stream of rows is open.
    """
    try:
        if connection.in_transaction:
            connection.execute("rollback")
    except apsw.Error:
        connection.close(True)
        return False
    return True


class _Patience:
    """Waits for a lock in short random naps, until the timeout: steady naps make processes collide again. A call that
    is cancelled waits no longer.
    """

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._since = 0.0

    def __call__(self, attempt: int) -> bool:
        now = time.monotonic()
        if attempt == 0:
            self._since = now
        if now - self._since > self._timeout_s or now > _DEADLINE.get() or cancellation.current().cancelled:
            return False
        time.sleep(random.uniform(0.0002, min(0.02, 0.0005 * 1.5 ** min(attempt, 10))))
        return True


def _create_private(path: Path) -> None:
    """Create a missing file that only its user can read, because memories are private."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreUnavailable(
            f"cannot open {path}: {error.strerror}", hint="is the folder there, and may you write to it?"
        ) from None


def refuse_foreign_file(connection: apsw.Connection, path: Path) -> None:
    """Raise an error if a file has tables and belongs to another program."""
    # One statement, one snapshot: another process may be making the tables at this moment.
    row = connection.execute(
        "select (select count(*) from sqlite_schema), (select application_id from pragma_application_id)"
    ).fetchone()
    if row is not None and row[0] > 0 and row[1] != _APPLICATION_ID:
        raise StoreUnavailable(f"{path} is another program's SQLite file", hint="choose another path")


def _switch_to_wal(connection: apsw.Connection, *, deadline: float) -> None:
    """Switch to WAL mode. SQLite calls no busy handler for this, so several first openers must wait by hand."""
    while connection.execute("pragma journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("pragma journal_mode = wal")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.001, 0.01))
