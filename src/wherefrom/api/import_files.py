"""The files of an import: what can be read from, and where rejected lines go."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import IO, Any

from wherefrom.api.opening import path_of
from wherefrom.model.errors import InvalidInput, StoreUnavailable

Source = str | PathLike[str] | IO[bytes] | IO[str] | Iterable[str | bytes]
"""A path, a file opened for reading, or lines."""

_BLOCK_BYTES = 1024 * 1024


@contextmanager
def readable(source: Source) -> Iterator[IO[bytes]]:
    """A seekable file of bytes with what a source has."""
    if isinstance(source, str | PathLike):
        path = path_of(os.fspath(source))
        try:
            file = path.open("rb")
        except OSError as error:
            raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
        with file, _spooled(file) as found:
            yield found
        return
    with _spooled(source) as found:
        yield found


@contextmanager
def writable(target: str | PathLike[str] | IO[str] | None) -> Iterator[IO[str] | None]:
    """A new file that only its owner may read; it goes again if nothing is written. An open one is used as it is."""
    if not isinstance(target, str | PathLike):
        yield target
        return
    path = path_of(os.fspath(target))
    try:
        # For its owner alone: memories are private, and so is a file of them.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InvalidInput(f"{path} is already there", hint="choose a new name") from None
    except OSError as error:
        raise StoreUnavailable(f"cannot write {path}: {error.strerror}", hint="is the folder there?") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
    finally:
        if path.stat().st_size == 0:
            path.unlink()


@contextmanager
def _spooled(source: Any) -> Iterator[IO[bytes]]:
    """The source itself if it is a seekable file of bytes; otherwise a copy."""
    has_bytes = hasattr(source, "read") and isinstance(source.read(0), bytes)
    if has_bytes and source.seekable():
        yield source
        return
    with tempfile.TemporaryFile() as spool:
        for block in _blocks(source) if has_bytes else _lines(source):
            spool.write(block)
        yield spool


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    # What has come so far: `read` waits for a whole block, and does not hear a Ctrl-C between two parts of it.
    read = getattr(source, "read1", source.read)
    while block := read(_BLOCK_BYTES):
        yield block


def _lines(source: Any) -> Iterator[bytes]:
    """Lines as bytes. A lone surrogate makes its line unreadable, and only that."""
    try:
        lines = iter(source)
    except TypeError:
        raise InvalidInput("the source of an import is a path, an open file, or lines") from None
    for line in lines:
        if not isinstance(line, str | bytes):
            raise InvalidInput(f"a line of an import is text, not {type(line).__name__}")
        encoded = line.encode(errors="surrogatepass") if isinstance(line, str) else line
        yield encoded if encoded.endswith(b"\n") else encoded + b"\n"
