"""Carries messages between the client's lines and the SDK, and answers the lines that the SDK would drop.

The SDK could read standard input by itself. It drops a line that it cannot parse without an answer, though, and all
calls that still run when the input ends.
"""

from __future__ import annotations

import json
import logging
import os
import select
from collections.abc import Callable
from typing import Any, Final, NoReturn

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from wherefrom.transport.messages import HEAD_BYTES, TAIL_BYTES, Refusal, id_in, read

# How long calls may go on after the input has ended. An agent's SQL takes at most two seconds, four of them at once.
GRACE_SECONDS: Final = 60.0
# Answers that may wait for the client to read those before them.
_MAX_WAITING_ANSWERS: Final = 100
# The largest call that a tool takes: 500 fragments of 16 KiB, each character written as an escape.
MAX_LINE_BYTES: Final = 32 * 1024 * 1024
_READ_BYTES: Final = 64 * 1024

logger = logging.getLogger("wherefrom.mcp")


class StdioTransport:
    """One client on two descriptors, until its input has ended and its calls are answered.

    `end_now` ends the process, whatever its threads are doing. It is called where waiting for them would not end:
    nobody reads the answers, or a call takes longer than the grace period after the end of the input.
    """

    def __init__(self, incoming: int, outgoing: int, *, end_now: Callable[[], NoReturn]) -> None:
        self._lines = _LineReader(incoming)
        self._outgoing = outgoing
        self._end_now = end_now
        self._open_calls = 0
        self._settled = anyio.Event()
        # Threads of their own: forty slow calls must not keep the next line or answer waiting.
        self._reading = anyio.CapacityLimiter(1)
        self._writing = anyio.CapacityLimiter(1)

    async def serve(self, server: Server[Any]) -> None:
        """Serve until the input has ended."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception]()
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](_MAX_WAITING_ANSWERS)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server)
            tasks.start_soon(self._write, from_server)
            await server.run(from_client, to_client, server.create_initialization_options())

    async def _read(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with to_server:
            while True:
                message = await anyio.to_thread.run_sync(
                    self._next_message, abandon_on_cancel=True, limiter=self._reading
                )
                if message is None:
                    break
                if isinstance(message, Refusal):
                    await self._write_line(message.line())
                    continue
                metadata = None
                if isinstance(message, types.JSONRPCRequest):
                    self._open_calls += 1
                    metadata = ServerMessageMetadata(on_request_unanswered=self._settle)
                await to_server.send(SessionMessage(message, metadata))
            with anyio.move_on_after(GRACE_SECONDS):
                while self._open_calls:
                    self._settled = anyio.Event()
                    await self._settled.wait()
            if self._open_calls:
                logger.warning("%d calls did not end in time after the input had ended", self._open_calls)
                self._end_now()

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                await self._write_line(_line_of(item.message))
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    await self._settle()

    async def _settle(self) -> None:
        """Note that one call is answered, or was cancelled by the client."""
        self._open_calls -= 1
        self._settled.set()

    def _next_message(self) -> types.JSONRPCMessage | Refusal | None:
        """Return the next message or refusal; None when the input has ended. It waits, so it runs in a thread."""
        while (line := self._lines.next()) is not None:
            text, is_too_long = line
            if is_too_long:
                too_long = f"the line is longer than {MAX_LINE_BYTES:,} bytes"
                return Refusal(types.INVALID_REQUEST, too_long, "send less at a time", id_in(text))
            if (message := read(text)) is not None:
                return message
        return None

    async def _write_line(self, line: bytes) -> None:
        try:
            await anyio.to_thread.run_sync(_write_whole, self._outgoing, line, limiter=self._writing)
        except OSError:  # the client has gone
            self._end_now()


def _line_of(message: types.JSONRPCMessage) -> bytes:
    """Return a message as it is sent. What UTF-8 cannot say is replaced: the client must get its answer."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        text = json.dumps(message.model_dump(by_alias=True, exclude_unset=True), ensure_ascii=False, default=str)
        return text.encode(errors="replace") + b"\n"


class _LineReader:
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


def _write_whole(descriptor: int, line: bytes) -> None:
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
