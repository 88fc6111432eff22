"""The server's own standard input and output: lines of bounded length in, whole lines out."""

from __future__ import annotations

import os
import select
from typing import Final

from wherefrom.transport.messages import HEAD_BYTES, TAIL_BYTES

# The largest call that a tool takes: 500 fragments of 16 KiB, each character written as an escape.
MAX_LINE_BYTES: Final = 32 * 1024 * 1024
_READ_BYTES: Final = 64 * 1024


class LineReader:
    """Splits what comes from a descriptor into lines, and never holds more than one line and one read."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = b""

    def next(self) -> tuple[bytes, bool] | None:
        """Return the next line without its end, and whether it was too long; None when the input has ended.

        Of a line that is too long only the beginning and the end are kept.
        """
        line, is_too_long = bytearray(), False
        while True:
            chunk = self._rest or self._read()
            if not chunk and not line:
                return None
            piece, end, self._rest = chunk.partition(b"\n")
            line += piece
            is_too_long = is_too_long or len(line) > MAX_LINE_BYTES
            if is_too_long:
                line[HEAD_BYTES:-TAIL_BYTES] = b""
            if end or not chunk:
                return bytes(line), is_too_long

    def _read(self) -> bytes:
        while True:
            try:
                return os.read(self._descriptor, _READ_BYTES)
            except BlockingIOError:  # some clients give a pipe that does not wait
                select.select([self._descriptor], [], [])
            except OSError:  # the terminal or the other side is gone
                return b""


def take_standard_streams() -> tuple[int, int]:
    """Return descriptors of standard input and output that only the protocol uses.

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
    """Return another descriptor of the same stream, or one of the null device if the stream is closed."""
    try:
        return os.dup(descriptor)
    except OSError:
        return os.open(os.devnull, os.O_RDWR)
