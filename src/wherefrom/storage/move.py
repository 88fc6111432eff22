"""Moves a SQLite store to another place, and never over another store.

A process that has the file open would go on with a log (`-wal`) beside the old name, so the move first takes the lock
that excludes all others. It leaves WAL mode: then the whole store is in one file, and SQLite refuses the first write of
a process that opened the file a moment before and waited, because the file has moved.

Inside a file system the move is one rename. Between two it is a copy under another name, checked and renamed, before
the old file is removed; a note beside the copy tells which file it is a copy of, so that a move that was cut off there
can be completed. At every moment a whole store is at the old place, at the new one, or at both with the same content.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Final

import apsw

from wherefrom.model.errors import Conflict, NotFound, StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage.sqlite import refuse_foreign_file
from wherefrom.storage.sqlite_errors import translated

# The time for which a move waits for other processes, which may be about to end.
_WAIT_MS: Final = 2_000
# Suffixes of the files beside a store: the cache of the vector index, a copy that is being made, and its note.
_CACHE: Final = "-vectors"
_PARTIAL: Final = "-moving"
_NOTE: Final = "-moved-from"
_COPIED_BYTES_AT_ONCE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Moved:
    """Where a store was, where it is now, and whether this move brought it there."""

    source: str
    target: str
    moved: bool


def move(source: Path, target: Path) -> Moved:
    """Move the store at `source` to `target`, or complete a move that was cut off; a second move changes nothing."""
    try:
        moved = _move(source, target)
        if moved or target.exists():
            _tidy(source, target)
    except OSError as error:
        raise StoreUnavailable(
            f"cannot move {source} to {target}: {error.strerror}", hint="the store at the old place stays in use"
        ) from None
    return Moved(str(source), str(target), moved)


def _move(source: Path, target: Path) -> bool:
    if os.path.lexists(target):
        return _complete(source, target)
    if not source.exists():
        raise NotFound(f"there is no store at {source}", hint="there is nothing to move")
    if source.is_symlink():
        # Its user keeps the file elsewhere: the file stays there, and SQLite's log beside it.
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.symlink_to(source.resolve())
        source.unlink()
        return True
    with _alone(source) as file:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.path.lexists(target):
            raise _taken(source, target)
        try:
            source.rename(target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _copy(file, source, target)
        _settle(target.parent, source.parent)
    return True


def _complete(source: Path, target: Path) -> bool:
    """Finish a move that was cut off; False if there is none. Raises if another store is at the new place."""
    if not os.path.lexists(source) or source.parent.resolve() == target.parent.resolve():
        return False
    if source.is_symlink() and source.resolve() == target.resolve():
        source.unlink()
        return True
    if _is_copied(source, target):
        with _alone(source):
            if _is_copied(source, target):
                source.unlink()
                _settle(source.parent)
                return True
    raise _taken(source, target)


@contextmanager
def _alone(path: Path) -> Iterator[BufferedReader]:
    """Lock out everybody else; then the store is whole, and nothing of it is in a log.

    The file may be read only by the handle that is yielded: when a process closes any handle of a file, it loses all
    its locks on that file.
    """
    with path.open("rb") as file, ExitStack() as stack:
        with translated():
            connection = stack.enter_context(closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)))
            damage = _lock_and_check(connection, path)
        if damage:
            raise StoreError(f"{path} is damaged and stays where it is: {damage[0]}", hint="restore a backup")
        if not path.exists() or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise StoreBusy(f"{path} was moved or replaced meanwhile", hint="try again")
        yield file


def _lock_and_check(connection: apsw.Connection, path: Path) -> list[str]:
    """Lock everybody out until the connection is closed, and return the damage that SQLite finds."""
    connection.set_busy_timeout(_WAIT_MS)
    try:
        refuse_foreign_file(connection, path)
        connection.execute("pragma journal_mode = delete")
        connection.execute("begin exclusive")
        mode = connection.execute("pragma journal_mode").fetchone()  # somebody may have come between
    except (apsw.BusyError, apsw.LockedError):
        mode = None
    if mode != ("delete",):
        raise StoreBusy(
            f"another process has {path} open", hint="end it, for example the clients of its MCP server, and try again"
        )
    damage = [row[0] for row in connection.execute("pragma integrity_check(20)") if row[0] != "ok"]
    return damage + [f"a row of {row[0]} has no {row[2]}" for row in connection.execute("pragma foreign_key_check")]


def _copy(file: BufferedReader, source: Path, target: Path) -> None:
    """Copy the file to its place on another file system, and remove the file."""
    partial, note = _beside(target, _PARTIAL), _beside(target, _NOTE)
    partial.unlink(missing_ok=True)  # of a move that was cut off
    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    try:
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as copy:
            shutil.copyfileobj(file, copy, _COPIED_BYTES_AT_ONCE)
        _settle(partial)
        file.seek(0)
        with partial.open("rb") as copy_again:
            if hashlib.file_digest(copy_again, "sha256").digest() != hashlib.file_digest(file, "sha256").digest():
                raise StoreError(f"the copy of {source} differs from it", hint="is the disk well?")
        # The inode tells the copy from another store that somebody has made at the new place meanwhile.
        note.write_text(json.dumps([_state(source), partial.stat().st_ino]), encoding="utf-8")
        _settle(note, target.parent)
        if os.path.lexists(target):
            raise _taken(source, target)
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)
    _settle(target.parent)
    source.unlink()


def _is_copied(source: Path, target: Path) -> bool:
    """True if the store at the new place is our copy of the file, and nobody has written to the file since."""
    try:
        made_of, copy = json.loads(_beside(target, _NOTE).read_text(encoding="utf-8"))
        if copy != target.stat().st_ino or _beside(target, _PARTIAL).exists():
            return False
    except (OSError, ValueError, TypeError):
        return False
    return bool(made_of == _state(source)) and not any(_beside(source, log).exists() for log in ("-wal", "-journal"))


def _tidy(source: Path, target: Path) -> None:
    """Move the cache along, and remove the old folder and the files that a move that was cut off has left."""
    for suffix in (_NOTE, _PARTIAL):
        _beside(target, suffix).unlink(missing_ok=True)
    if os.path.lexists(source) or source.parent.resolve() == target.parent.resolve():
        return
    cache, kept = _beside(source, _CACHE), _beside(target, _CACHE)
    with suppress(OSError):
        if cache.exists() and not kept.exists():
            shutil.move(cache, kept)
        cache.unlink(missing_ok=True)
    with suppress(OSError):  # somebody keeps other files there
        source.parent.rmdir()


def _taken(source: Path, target: Path) -> Conflict:
    return Conflict(
        f"there is a store at {target} already, and another at {source}",
        hint=f"`wherefrom import` takes over what `wherefrom export --db {source}` writes",
    )


def _beside(path: Path, suffix: str) -> Path:
    return Path(f"{path}{suffix}")


def _state(path: Path) -> list[int]:
    """The figures of a file that change when anybody writes to it."""
    found = path.stat()
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns]


def _settle(*paths: Path) -> None:
    """Write files, and the names in folders, to the disk."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
