"""A SQLite file that this user may read and not write: reading works, writing says why it does not.

In WAL mode a reader needs the files `-wal` and `-shm` beside the database, and would make them. In a folder that it may
not write to it cannot; in another one they would belong to the reader and lock out the user who writes. So the database
is read as it is (`immutable`) as long as the `-wal` file is empty or missing; otherwise both files are there and are
used. A writer may come at any time: a read during which the database has changed is done again.
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
from wherefrom.storage.agent.port import Answered, Asked, Dialect, Reader, SqlFailed
from wherefrom.storage.agent.sqlite_process import SqliteProcessReader
from wherefrom.storage.migrate import is_current
from wherefrom.storage.port import Result, Transaction
from wherefrom.storage.sqlite import DIALECT, SqliteDatabase, applied_migrations, prepare
from wherefrom.storage.sqlite_errors import closed_quietly, state_of

# How often a read is done again because somebody wrote meanwhile.
_ATTEMPTS: Final = 5
_HEADER_BYTES: Final = 20
# Where the header of a SQLite file says how it is read, and what stands there in WAL mode.
_READ_VERSION_BYTE: Final = 19
_WAL_VERSION: Final = 2
_WRITE_HINT: Final = "searching and reading work; to save, you need the right to write to the file and to its folder"


class ReadOnlySqliteDatabase(SqliteDatabase):
    """Opens a connection for each read, in the way that the files beside the database ask for at that moment."""

    read_only = True

    def read(self, work: Callable[[Transaction], Result]) -> Result:
        return _steady(self._options, lambda: self._run("begin", work, writes=False))

    def write(self, work: Callable[[Transaction], Result]) -> NoReturn:
        del work
        self._refuse_write()

    def reader(self, analyses: Mapping[str, str]) -> Reader:
        return _SteadyReader(self._path, self._options, analyses)

    def overwrite_deleted(self) -> None:
        self._refuse_write()

    def _refuse_write(self) -> NoReturn:
        raise StoreUnavailable(f"{self.location} may only be read by this user", hint=_WRITE_HINT)

    def _options(self) -> str:
        return _options_of(self._path.resolve())

    def _prepare_file(self) -> None:
        with self._connection() as connection:
            applied = applied_migrations(connection)
        if not is_current(applied, DIALECT):
            raise StoreUnavailable(
                f"{self.location} is not a memory of this version, and may only be read",
                hint="open it once as a user who may write to it",
            )

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        self._refuse_if_closed()
        connection = _connected(self._path, self._options(), self._busy_timeout_s)
        try:
            yield connection
        finally:
            closed_quietly(connection)


class _SteadyReader:
    """Agents' SQL on such a file. Its connections are opened anew when the files have changed."""

    dialect: Dialect = "SQLite"
    notes: tuple[str, ...] = ()

    def __init__(self, path: Path, options: Callable[[], str], analyses: Mapping[str, str]) -> None:
        self._path = path
        self._options = options
        self._analyses = analyses
        self._lock = threading.Lock()
        self._opened: tuple[str, Reader] | None = None
        self._closed = False

    def answer(self, access: Access, asked: Asked) -> Answered:
        return _steady(self._options, lambda: self._reader().answer(access, asked))

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        return _steady(self._options, lambda: self._reader().shapes(access))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            opened, self._opened = self._opened, None
        if opened is not None:
            opened[1].close()

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
    """What a read gives if the files did not change while it ran; what it gave otherwise may be wrong."""
    for _ in range(_ATTEMPTS):
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


def _options_of(path: Path) -> str:
    """How to open the file, as the options of an URI; they change when the file does, if that matters."""
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise StoreUnavailable(f"cannot open {path}: {error.strerror}") from None
    waiting = [name for name in ("wal", "journal") if _size(Path(f"{path}-{name}"))]
    in_wal_mode = header[_READ_VERSION_BYTE : _READ_VERSION_BYTE + 1] == bytes([_WAL_VERSION])
    if "journal" in waiting or (waiting and not Path(f"{path}-shm").exists()):
        raise StoreUnavailable(
            f"{path} was left in the middle of a change, and may only be read",
            hint="open it once as a user who may write to it",
        )
    if waiting or not in_wal_mode:
        return "mode=ro"
    known = state_of(path)
    # SQLite reads over what it does not know; the reader opens the file anew when this changes.
    return f"mode=ro&immutable=1&state={known.st_ino}-{known.st_size}-{known.st_mtime_ns}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _connected(path: Path, options: str, busy_timeout_s: float) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(path))}?{options}", flags=flags, statementcachesize=256)
    prepare(connection, busy_timeout_s)
    return connection
