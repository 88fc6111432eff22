"""Agents' SQL on SQLite, run in processes of its own, so that every statement can be ended when its time is up.

Our own analyses cost what is known and run here. A process is started at the first statement, serves one at a time,
and is replaced when it had to be ended. It costs 20 MB and, each statement, a fifth of a millisecond.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.cancellation import Cancellation
from wherefrom.model.errors import StoreBusy, StoreUnavailable
from wherefrom.model.evidence import TableShape
from wherefrom.model.slots import Slots
from wherefrom.storage.agent.port import Dialect, Rows, SqlFailed, Statement
from wherefrom.storage.agent.sqlite import SqliteReader
from wherefrom.storage.agent.sqlite_worker import GRACE_MS, answer_of, read_message, write_message

MAX_PROCESSES: Final = 4
MAX_IDLE_PROCESSES: Final = 2
MAX_START_S: Final = 20.0
WAIT_S: Final = 20.0
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop());"
    " from wherefrom.storage.agent.sqlite_worker import main; main()"
)


class SqliteProcessReader:
    """Runs agents' statements on a SQLite file in a few processes, and our analyses in this one."""

    dialect: Dialect = "SQLite"
    notes: tuple[str, ...] = ()

    def __init__(self, path: Path, analyses: Mapping[str, str], *, options: str = "mode=ro") -> None:
        self._path = path
        self._options = options
        self._analyses = analyses
        self._in_process = SqliteReader(path, analyses, options=options)
        self._slots = Slots(MAX_PROCESSES)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._owner = os.getpid()
        self._closed = False

    def answer(self, access: Access, statement: Statement) -> Rows:
        if statement.ours:
            return self._in_process.answer(access, statement)
        if not self._slots.acquire(WAIT_S):
            raise StoreBusy("other statements are running", hint="try again in a moment")
        try:
            try:
                return self._answer(access, statement)
            except _Died:
                return self._answer(access, statement)  # in a new one
        finally:
            self._slots.release()

    def _answer(self, access: Access, statement: Statement) -> Rows:
        process = self._take()
        try:
            return process.answer(access, statement)
        finally:
            self._give_back(process)

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        return self._in_process.shapes(access)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for process in idle:
            process.end()
        self._in_process.close()

    def __del__(self) -> None:
        if hasattr(self, "_closed") and not self._closed and os.getpid() == self._owner:
            self.close()

    def _take(self) -> _Process:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the store is closed")
            if os.getpid() != self._owner:  # after a fork they are the parent's
                self._owner, self._idle = os.getpid(), []
            process = self._idle.pop() if self._idle else None
        if process is not None and not process.is_alive():
            process.end()
            process = None
        return process or self._started()

    def _started(self) -> _Process:
        return _Process((str(self._path), self._options), self._analyses)

    def _give_back(self, process: _Process) -> None:
        if process.ended and not self._closed:
            try:
                process = self._started()  # starts while nobody waits for it
            except StoreUnavailable:
                return  # the next statement is told
        with self._lock:
            keep = not self._closed and len(self._idle) < MAX_IDLE_PROCESSES
            if keep:
                self._idle.append(process)
        if not keep:
            process.end()


class _Died(StoreUnavailable):
    """A process that ended by itself, perhaps before it got the statement."""


class _Process:
    """One process. It is ended by force when a statement runs past its time, and on cancellation."""

    def __init__(self, arguments: tuple[str, ...], analyses: Mapping[str, str]) -> None:
        command = [sys.executable or "python3", "-I", "-c", _PROGRAM, *arguments, json.dumps(sys.path)]
        try:
            # Not a shell; the words are ours and the path of the store. Ctrl-C is for us and not for the process.
            self._process = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise StoreUnavailable(f"SQL needs a Python process, which did not start: {error}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._first: Mapping[str, str] | None = dict(analyses)
        self._lock = threading.Lock()
        self._wait: object | None = None
        self._stopped = False
        self.ended = False

    def answer(self, access: Access, statement: Statement) -> Rows:
        call = cancellation.current()
        first, self._first = self._first, None
        if first is not None and self._ask(call, MAX_START_S, first) is None and not call.cancelled:
            raise StoreUnavailable("the process for SQL did not start", hint="try again")
        seconds = (statement.budget.timeout_ms + GRACE_MS) / 1000
        request = {"access": asdict(access), "statement": asdict(statement)}
        reply = None if self.ended else self._ask(call, seconds, request)
        if reply is not None:
            return answer_of(reply)
        call.check()
        if self._stopped:
            raise SqlFailed("interrupted", "interrupted (timeout)")
        raise _Died("the process for SQL ended by itself", hint="try again")

    def is_alive(self) -> bool:
        """Return False if the process ended while nobody used it."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the process and wait until it has gone."""
        self.ended = True
        self._process.kill()
        with suppress(OSError):  # what it was never sent
            self._requests.close()
        self._replies.close()
        self._process.wait()

    def _ask(self, call: Cancellation, seconds: float, message: Any) -> Any:
        """Return the reply to a message; None if the process ended, by itself or by us, before it replied."""
        wait = object()
        with self._lock:
            self._wait = wait
        timer = threading.Timer(seconds, self._stop, (wait,))
        timer.daemon = True
        timer.start()
        reply = None
        try:
            with suppress(OSError), call.stopping(lambda: self._stop(wait)):  # OSError: a pipe that nobody reads
                write_message(self._requests, message)
                reply = read_message(self._replies)
        finally:
            timer.cancel()
            with self._lock:
                self._wait = None
            if reply is None:
                self.end()
        return reply

    def _stop(self, wait: object) -> None:
        """End the process by force if it is still this wait that goes on."""
        with self._lock:
            if self._wait is wait:
                self._stopped = True
                self._process.kill()
