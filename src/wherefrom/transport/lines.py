"""The server's own standard input and output: lines of bounded length in, whole lines out."""

from __future__ import annotations

import os
import select
from typing import Final

from wherefrom.transport.messages import HEAD_BYTES, TAIL_BYTES

# The largest call that a tool takes: 500 fragments of 16 KiB, each character written as an escape.
MAX_LINE_BYTES: Final = 32 * 1024 * 1024
_READ_BYTES: Final = 64 * 1024


class TooLong:
    """A line that was not kept: only its beginning and its end."""

    def __init__(self, head: bytes) -> None:
        self.head = head[:HEAD_BYTES]
        self.tail = head[-TAIL_BYTES:]

    def add(self, piece: bytes) -> None:
        """Go on with the next piece of the line."""
        self.tail = (self.tail + piece[-TAIL_BYTES:])[-TAIL_BYTES:]


class LineReader:
    """Splits what comes from a descriptor into lines, and never holds more than one line and one read."""

    def __init__(self, descriptor: int, *, limit: int = MAX_LINE_BYTES) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._rest = b""

    def next(self) -> bytes | TooLong | None:
        """The next line without its end; None when the input has ended."""
        pieces: list[bytes] = []
        size = 0
        dropped: TooLong | None = None
        while True:
            chunk = self._rest or self._read()
            if not chunk:
                return (dropped or b"".join(pieces)) if size else None
            piece, end, self._rest = chunk.partition(b"\n")
            size += len(piece) + len(end)
            if dropped is not None:
                dropped.add(piece)
            else:
                pieces.append(piece)
                if size > self._limit:
                    dropped = TooLong(b"".join(pieces))
                    pieces.clear()
            if end:
                return dropped or b"".join(pieces)

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:  # some clients give a pipe that does not wait
                select.select([self._descriptor], [], [])
            except OSError:  # the terminal or the other side is gone
                return b""


def take_standard_streams() -> tuple[int, int]:
    """Descriptors of standard input and output that only the protocol uses.

    Whatever else reads from standard input gets nothing, and whatever else prints goes to standard error: a print
    between two answers would break the protocol.
    """
    incoming, outgoing, errors = _copy(0), _copy(1), _copy(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(errors, 1)
    os.close(errors)
    return incoming, outgoing


def write_line(descriptor: int, line: bytes) -> None:
    """Write a whole line; raises OSError if nobody reads any more."""
    left = memoryview(line)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def _copy(descriptor: int) -> int:
    """Another descriptor of the same stream; of nothing if the stream is closed."""
    try:
        return os.dup(descriptor)
    except OSError:
        return os.open(os.devnull, os.O_RDWR)
