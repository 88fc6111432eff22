"""A SQLite file that this user may read but not write: reading works, writing is refused with the reason.

In WAL mode a reader needs the files `-wal` and `-shm` beside the database, and creates them if they are missing. In a
folder without write permission it cannot; in another folder the files would belong to the reader and lock out the user
who writes. So the database is read as it is (`immutable`) as long as the `-wal` file is empty or missing; otherwise
both files exist and are used. A read during which somebody changed the database is repeated.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import quote

import apsw

from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy, StoreUnavailable, WherefromError
from wherefrom.model.evidence import TableShape
from wherefrom.storage.agent.port import Dialect, Reader, Rows, SqlFailed, Statement
from wherefrom.storage.agent.sqlite_process import SqliteProcessReader
from wherefrom.storage.migrate import is_current
from wherefrom.storage.port import Result, Transaction
from wherefrom.storage.sqlite import DIALECT, SqliteDatabase, applied_migrations, connect
from wherefrom.storage.sqlite_errors import closed_quietly, state_of

# A read is tried this often while somebody writes.
_MAX_ATTEMPTS: Final = 5
# The place of the read version in the header of a SQLite file, and its value in WAL mode.
_READ_VERSION_BYTE: Final = 19
_WAL_VERSION: Final = 2
_OPEN_AS_WRITER_HINT: Final = "open it once as a user who may write to it"
_WRITE_HINT: Final = "searching and reading work; to save, you need the right to write to the file and to its folder"


class ReadOnlySqliteDatabase(SqliteDatabase):
    """Opens a new connection for each read, because the files beside the database decide how it is opened."""

    read_only = True

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        return _steady(self._options, lambda: self._run(work, writes=False))

    def write(self, work: Callable[[Transaction], Result]) -> NoReturn:
        del work
        raise self._refused()

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        return _SteadyReader(self._path, self._options, analyses)

    def overwrite_deleted(self) -> None:
        raise self._refused()

    def erase_deleted(self, *, vacuum: bool) -> NoReturn:
        del vacuum
        raise self._refused()

    def _refused(self) -> StoreUnavailable:
        return StoreUnavailable(f"{self.location} may only be read by this user", hint=_WRITE_HINT)

    def _options(self) -> str:
        """The options of the URI to open the file with; in immutable mode they change whenever the file does."""
        path = self._path.resolve()
        try:
            with path.open("rb") as file:
                in_wal_mode = file.read(_READ_VERSION_BYTE + 1)[_READ_VERSION_BYTE:] == bytes([_WAL_VERSION])
        except OSError as error:
            raise StoreUnavailable(f"cannot open {path}: {error.strerror}") from None
        waiting = [name for name in ("wal", "journal") if _size(Path(f"{path}-{name}"))]
        if "journal" in waiting or (waiting and not Path(f"{path}-shm").exists()):
            raise StoreUnavailable(
                f"{path} was left in the middle of a change, and may only be read", hint=_OPEN_AS_WRITER_HINT
            )
        if waiting or not in_wal_mode:
            return "mode=ro"
        known = state_of(path)
        # SQLite ignores the unknown option `state`; when it changes, the file is opened anew.
        return f"mode=ro&immutable=1&state={known.st_ino}-{known.st_size}-{known.st_mtime_ns}"

    def _prepare_file(self) -> None:
        with self._connection() as connection:
            applied = applied_migrations(connection)
        if not is_current(applied, DIALECT):
            raise StoreUnavailable(
                f"{self.location} is not a memory of this version, and may only be read", hint=_OPEN_AS_WRITER_HINT
            )

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        self._refuse_if_closed()
        uri, flags = f"file:{quote(str(self._path))}?{self._options()}", apsw.SQLITE_OPEN_READONLY
        connection = connect(uri, self._busy_timeout_s, flags | apsw.SQLITE_OPEN_URI)
        try:
            yield connection
        finally:
            closed_quietly(connection)


class _SteadyReader:
    """Runs agents' SQL on such a file. Its reader is opened anew when the files have changed."""

    dialect: Dialect = "SQLite"
    notes: tuple[str, ...] = ()

    def __init__(self, path: Path, options: Callable[[], str], analyses: Mapping[str, str]) -> None:
        self._path = path
        self._options = options
        self._analyses = analyses
        self._lock = threading.Lock()
        self._opened: tuple[str, Reader] | None = None
        self._closed = False

    def answer(self, access: Access, statement: Statement) -> Rows:
        return _steady(self._options, lambda: self._reader().answer(access, statement))

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        return _steady(self._options, lambda: self._reader().shapes(access))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened[1].close()
                self._opened = None

    def _reader(self) -> Reader:
        options = self._options()
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            if self._opened is None or self._opened[0] != options:
                if self._opened is not None:
                    self._opened[1].close()
                self._opened = (options, SqliteProcessReader(self._path, self._analyses, options=options))
            return self._opened[1]


def _steady(options: Callable[[], str], read: Callable[[], Result]) -> Result:
    """The result of a read during which the files did not change. If they did, the result may be wrong: try again."""
    for _ in range(_MAX_ATTEMPTS):
        before = options()
        try:
            result = read()
        except (WherefromError, SqlFailed):
            if options() == before:
                raise
            continue
        if options() == before:
            return result
    raise StoreBusy("somebody kept writing to the file while it was read", hint="try again")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
