"""The process that agents' statements on SQLite run in: it answers one request after another until its input ends.

SQLite looks at the clock between rows and jumps only. A long expression over long texts is one row, so nothing inside
the process can end it: whoever waits for the answer ends the process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import IO, Any, Final

import apsw

from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy, StoreError, StoreUnavailable
from wherefrom.storage.agent.port import Budget, Rows, SqlFailed, Statement
from wherefrom.storage.agent.sqlite import SqliteReader

# For all connections of the process together.
MAX_SQLITE_BYTES: Final = 80 * 1024 * 1024
GRACE_MS: Final = 150
"""How long a statement may go on after its time is up: until then it ends by itself, and the process stays."""
_ERRORS: Final = {kind.code: kind for kind in (StoreBusy, StoreUnavailable)}


def main() -> None:
    """Serve a SQLite file, given its path and how to open it, on standard input and output."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the server may be gone before this has started: end quietly
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers may reach the pipe
    apsw.hard_heap_limit(MAX_SQLITE_BYTES)
    if (analyses := read_message(requests)) is None:
        return
    reader = SqliteReader(Path(sys.argv[1]), analyses, options=sys.argv[2])
    write_message(answers, "ready")
    while (request := read_message(requests)) is not None:
        access, statement = _read_request(request)
        _end_after(statement.budget.timeout_ms + 2 * GRACE_MS)
        write_message(answers, _reply(reader, access, statement))
        _end_after(0)


def write_message(stream: IO[bytes], message: Any) -> None:
    """Send one message: a line of JSON."""
    stream.write(json.dumps(message, ensure_ascii=False).encode(errors="surrogatepass") + b"\n")
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Return one message, or None if the other side has gone, perhaps in the middle of a line."""
    line = stream.readline()
    return json.loads(line) if line.endswith(b"\n") else None


def answer_of(reply: dict[str, Any]) -> Rows:
    """Return the rows in a reply, or raise the error in it. Bytes arrive in hexadecimal."""
    if "failed" in reply:
        raise SqlFailed(*reply["failed"])
    if "store" in reply:
        code, message, hint = reply["store"]
        raise _ERRORS.get(code, StoreError)(message, hint=hint)
    return Rows(tuple(reply["columns"]), tuple(map(tuple, reply["rows"])), reply["truncated"])


def _read_request(request: dict[str, Any]) -> tuple[Access, Statement]:
    access, statement = request["access"], request["statement"]
    lists = {name: tuple(value) for name, value in access.items() if isinstance(value, list)}
    return Access(**{**access, **lists}), Statement(**{**statement, "budget": Budget(**statement["budget"])})


def _reply(reader: SqliteReader, access: Access, statement: Statement) -> dict[str, Any]:
    try:
        found = reader.answer(access, statement)
    except SqlFailed as failed:
        return {"failed": [failed.kind, failed.message, failed.hint]}
    except StoreError as error:  # the file itself cannot be read
        return {"store": [error.code, error.message, error.hint]}
    rows = [[value.hex() if isinstance(value, bytes) else value for value in row] for row in found.rows]
    return {"columns": found.columns, "rows": rows, "truncated": found.truncated}


def _end_after(milliseconds: int) -> None:
    """Let the system end this process after that time, in case nobody else is left to do so; 0 takes that back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)
