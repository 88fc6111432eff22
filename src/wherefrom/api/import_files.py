"""The files of an import: the source as bytes, and the file of rejected lines."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from typing import IO, Any

from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.text.check import check_path

Source = str | PathLike[str] | IO[bytes] | IO[str] | Iterable[str | bytes]
"""A path, a file opened for reading, or lines."""

_BLOCK_BYTES = 1024 * 1024


@contextmanager
def readable(source: Source) -> Iterator[IO[bytes]]:
    """Yield the bytes of a source as a seekable file: the source itself if it is one, otherwise a copy."""
    given: Any = source
    with ExitStack() as files:
        if isinstance(source, str | PathLike):
            path = check_path(os.fspath(source))
            try:
                given = files.enter_context(path.open("rb"))
            except OSError as error:
                raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
        has_bytes = hasattr(given, "read") and isinstance(given.read(0), bytes)
        if has_bytes and given.seekable():
            yield given
            return
        spool = files.enter_context(tempfile.TemporaryFile())
        spool.writelines(_blocks(given) if has_bytes else _lines(given))
        yield spool


@contextmanager
def writable(target: str | PathLike[str] | IO[str] | None) -> Iterator[IO[str] | None]:
    """Yield a new file that only its owner may read, removed again if it stays empty; or the given open file."""
    if not isinstance(target, str | PathLike):
        yield target
        return
    path = check_path(os.fspath(target))
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


def _blocks(source: IO[bytes]) -> Iterator[bytes]:
    # `read1` gives what is there; `read` waits for a whole block and does not hear a Ctrl-C between two parts of it.
    read = getattr(source, "read1", source.read)
    while block := read(_BLOCK_BYTES):
        yield block


def _lines(source: Any) -> Iterator[bytes]:
    """Yield lines as bytes. A lone surrogate makes its own line unreadable, and no other."""
    try:
        lines = iter(source)
    except TypeError:
        raise InvalidInput("the source of an import is a path, an open file, or lines") from None
    for line in lines:
        if not isinstance(line, str | bytes):
            raise InvalidInput(f"a line of an import is text, not {type(line).__name__}")
        encoded = line.encode(errors="surrogatepass") if isinstance(line, str) else line
        yield encoded if encoded.endswith(b"\n") else encoded + b"\n"
