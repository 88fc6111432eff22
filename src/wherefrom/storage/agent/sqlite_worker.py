"""The process that agents' statements on SQLite run in: it answers one request after another until its input ends.

SQLite looks at the clock between rows and jumps only. A long expression over long texts is one row, so nothing inside
the process can end it: whoever waits for the answer ends the process.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

import apsw

from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage.agent.port import Answered, Asked, Budget, SqlFailed
from wherefrom.storage.agent.sqlite import SqliteReader

MEMORY_BYTES: Final = 80 * 1024 * 1024
"""What SQLite may allocate, all connections of the process together."""
READY: Final = b"\x00"
GRACE_MS: Final = 150
"""How long after its time a statement may go on: until then it ends by itself, and the process stays."""
_LENGTH: Final = struct.Struct(">I")
_ERRORS: Final = {kind.code: kind for kind in (StoreBusy, StoreUnavailable)}


def main() -> None:
    """Serve a SQLite file, given its path and how to open it, on standard input and output."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers may reach the pipe
    apsw.hard_heap_limit(MEMORY_BYTES)
    reader = SqliteReader(Path(sys.argv[1]), json.loads(read_frame(requests) or b"{}"), options=sys.argv[2])
    answers.write(READY)
    answers.flush()
    while (request := read_frame(requests)) is not None:
        access, asked = _request_of(json.loads(request))
        _end_at(asked.budget.timeout_ms + 2 * GRACE_MS)
        write_frame(answers, json.dumps(_reply(reader, access, asked), ensure_ascii=False).encode())
        _end_at(0)


def write_frame(stream: IO[bytes], body: bytes) -> None:
    """Send one message: its length, then itself."""
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """One message, or None if the other side has gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None


def request_text(access: Access, asked: Asked) -> bytes:
    """A statement and who asks, as the process reads them."""
    return json.dumps({"access": asdict(access), "asked": asdict(asked)}).encode()


def answer_of(reply: bytes) -> Answered:
    """The rows in a reply; raises what went wrong instead. Bytes arrive in hexadecimal."""
    told = json.loads(reply)
    if "failed" in told:
        raise SqlFailed(*told["failed"])
    if "store" in told:
        code, message, hint = told["store"]
        raise _ERRORS.get(code, StoreError)(message, hint=hint)
    return Answered(tuple(told["columns"]), tuple(map(tuple, told["rows"])), told["truncated"])


def _request_of(told: dict[str, Any]) -> tuple[Access, Asked]:
    access, asked = told["access"], told["asked"]
    lists = {name: tuple(value) for name, value in access.items() if isinstance(value, list)}
    return Access(**{**access, **lists}), Asked(**{**asked, "budget": Budget(**asked["budget"])})


def _reply(reader: SqliteReader, access: Access, asked: Asked) -> dict[str, Any]:
    try:
        answered = reader.answer(access, asked)
    except SqlFailed as failed:
        return {"failed": [failed.kind, failed.message, failed.hint]}
    except StoreError as error:  # the file itself cannot be read
        return {"store": [error.code, error.message, error.hint]}
    rows = [[value.hex() if isinstance(value, bytes) else value for value in row] for row in answered.rows]
    return {"columns": answered.columns, "rows": rows, "truncated": answered.truncated}


def _end_at(milliseconds: int) -> None:
    """Let the system end this process then, whatever it does, in case nobody is left to do so; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)


if __name__ == "__main__":
    main()
