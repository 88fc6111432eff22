"""Lets other processes prepare the blocks of a large import while this one writes them: Python computes in one thread
at a time, so that threads of this process would only take turns.

The processes are started from scratch and not forked, because this one has threads and open connections. They get
lines and give back what was made of them, and see neither the store nor the file; so whatever happens to them, this
process prepares the block itself. Small imports end before such a process is ready, and one core has no use for two.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import queue
import selectors
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from contextvars import copy_context
from dataclasses import fields
from itertools import chain, pairwise
from operator import attrgetter
from typing import IO, Any, Final

from wherefrom.embedding.port import Matrix
from wherefrom.lazy import np
from wherefrom.model import cancellation
from wherefrom.model.graph import Edge, Node
from wherefrom.storage.embeddings import Made
from wherefrom.storage.transfer.collecting import collecting_seldom
from wherefrom.storage.transfer.preparing import Prepared, Preparer
from wherefrom.storage.transfer.reading import Block

PROCESSES: Final = 2
# Starting a process takes as long as preparing some 4,000 lines.
MIN_LINES: Final = 10_000
# How many blocks a process has at a time: one to work on, and the next one.
_BLOCKS_AT_ONCE: Final = 2
_LENGTH: Final = struct.Struct(">Q")
_READY: Final = "ready"
# One thread each: the processes are as many as the machine has cores to spare.
_ENVIRONMENT: Final = {"RAYON_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_PROGRAM: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop());"
    " from wherefrom.storage.transfer.processes import main; main()"
)
# One import of this process at a time has such processes; others that run beside it prepare their lines themselves.
_IN_USE: Final = threading.Lock()

# A block and what was made of it.
Ready = tuple[Block, Prepared]


@contextmanager
def prepared_blocks(
    blocks: Iterable[Block], preparer: Preparer, *, lines: int, beside: bool
) -> Iterator[Iterator[Ready]]:
    """Give the blocks of a file with so many lines in their order, each with what was made of it. `beside`: others do
    the work of this process's statements, so that lines can be prepared meanwhile by a thread.
    """
    with ExitStack() as ending:
        if lines >= MIN_LINES and _can_start() and _IN_USE.acquire(blocking=False):
            ending.callback(_IN_USE.release)
            if team := _started(preparer):
                ending.callback(_end, team)
                ready = ending.enter_context(closing(_by_processes(blocks, preparer, team)))
                if beside:
                    ready = ending.enter_context(closing(_one_ahead(ready)))
                ending.callback(_kill, team)  # first, so that no thread waits for them
                yield ready
                return
        yield ending.enter_context(closing(_in_place(blocks, preparer, beside=beside)))


def _in_place(blocks: Iterable[Block], preparer: Preparer, *, beside: bool) -> Generator[Ready]:
    """Prepare each block while the one before it is written: all of it in a thread, if this one waits for others; else
    the vectors alone, which numpy makes without the lock of the interpreter.
    """
    with ThreadPoolExecutor(1) as thread:

        def begun(block: Block) -> Future[Prepared]:
            if beside:
                return thread.submit(preparer.prepare, block.texts)
            return thread.submit(preparer.embedded, preparer.read(block.texts))

        coming = ((block, begun(block)) for block in blocks)
        last: tuple[Block, Future[Prepared]] = Block([], 0), Future()
        for (block, prepared), _ in pairwise(chain(coming, [last])):
            yield block, prepared.result()


def _by_processes(blocks: Iterable[Block], preparer: Preparer, team: Sequence[_Process]) -> Generator[Ready]:
    """Hand the blocks to processes as they become ready; until then, and in place of those that ended, prepare them
    here.
    """
    call = cancellation.current()
    sent: deque[tuple[Block, _Process]] = deque()

    def oldest() -> Ready:
        block, process = sent.popleft()
        with call.stopping(lambda: _kill(team)):
            found = process.received()
        call.check()
        return block, preparer.prepare(block.texts) if found is None else preparer.embedded(found)

    for block in blocks:
        able = [process for process in team if process.is_ready()]
        if not able and not sent:
            yield block, preparer.prepare(block.texts)
            continue
        while sent and len(sent) >= _BLOCKS_AT_ONCE * len(able):
            yield oldest()
        if able:
            process = min(able, key=lambda process: process.waiting)
            process.send(block.texts)
            sent.append((block, process))
        else:
            yield block, preparer.prepare(block.texts)
    while sent:
        yield oldest()


def _one_ahead(ready: Iterator[Ready]) -> Generator[Ready]:
    """Receive the next block in a thread while this one waits for what writes the last one."""
    context = copy_context()  # of the call that may be cancelled

    def following() -> Ready | None:
        return next(ready, None)

    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(context.run, following)
        while (found := coming.result()) is not None:
            coming = thread.submit(context.run, following)
            yield found


def _started(preparer: Preparer) -> list[_Process]:
    """Start the processes; none, if the work cannot be handed on."""
    try:
        program = _dumped(preparer.for_another_process())
    except Exception:  # a guard or an embedder of somebody else may raise anything
        return []
    team: list[_Process] = []
    with suppress(OSError):
        while len(team) < PROCESSES:
            team.append(_Process(program))
    return team


def _end(team: Iterable[_Process]) -> None:
    for process in team:
        process.end()


def _kill(team: Iterable[_Process]) -> None:
    for process in team:
        process.kill()


def _can_start() -> bool:
    """True if other processes pay: not on one core, and not in a frozen program, which would start itself."""
    return _cores() > 1 and os.name == "posix" and not getattr(sys, "frozen", False)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Process:
    """One process. waiting: how many blocks it has and has not given back."""

    def __init__(self, preparer: bytes) -> None:
        path = [entry for entry in sys.path if isinstance(entry, str)]  # Python itself passes over others
        command = [sys.executable or "python3", "-I", "-c", _PROGRAM, json.dumps(path)]
        # Not a shell; the words are ours. Ctrl-C is for us and not for the process, which ends when its input does.
        self._process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **_ENVIRONMENT},
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._is_ready = self._has_failed = False
        self.waiting = 0
        self._write(preparer)

    def is_ready(self) -> bool:
        """Return True if it takes blocks: it has started, and has not ended."""
        if not self._is_ready and not self._has_failed and self._has_reply():
            self._is_ready = self._read() == _READY
        return self._is_ready and not self._has_failed

    def send(self, lines: list[bytes]) -> None:
        """Give it a block. It reads while it works, so that this does not wait for it."""
        self.waiting += 1
        self._write(_dumped(lines))

    def received(self) -> Prepared | None:
        """Return what it made of the oldest block that it has; None if it ended."""
        self.waiting -= 1
        found = self._read()
        return found if isinstance(found, Prepared) else None

    def kill(self) -> None:
        """End it by force."""
        self._process.kill()

    def end(self) -> None:
        """End it, and wait until it has gone."""
        self.kill()
        with suppress(OSError):  # what it was never sent
            self._requests.close()
        self._replies.close()
        self._process.wait()

    def _has_reply(self) -> bool:
        with selectors.DefaultSelector() as selector:  # `select` knows the first 1,024 files of a process only
            selector.register(self._replies, selectors.EVENT_READ)
            return bool(selector.select(0))

    def _write(self, message: bytes) -> None:
        try:
            _write_message(self._requests, message)
        except OSError:
            self._has_failed = True

    def _read(self) -> Any:
        found = None if self._has_failed else _read_message(self._replies)
        self._has_failed = found is None
        return found


def main() -> None:
    """Prepare blocks until the input ends. Two threads read and write, so that neither side waits for the other."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints does not disturb the answers
    preparer = _read_message(requests)
    if preparer.embedder is not None:
        preparer.embedder.embed(["a text, so that it reads its files"])
    _write_message(replies, _dumped(_READY))
    given: queue.SimpleQueue[Any] = queue.SimpleQueue()
    made: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    for work in (lambda: _read_all(requests, given.put), lambda: _write_all(replies, made.get)):
        threading.Thread(target=work, daemon=True).start()
    with collecting_seldom():
        while (lines := given.get()) is not None:
            made.put(_dumped(preparer.prepare(lines)))
    os._exit(0)


def _read_all(requests: IO[bytes], put: Callable[[Any], object]) -> None:
    try:
        while (message := _read_message(requests)) is not None:
            put(message)
    finally:  # also if there is no memory for one: else whoever waits for an answer waits for ever
        put(None)


def _write_all(replies: IO[bytes], get: Callable[[], bytes]) -> None:
    try:
        while True:
            _write_message(replies, get())
    finally:
        os._exit(1)  # nobody reads them


def _write_message(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def _read_message(stream: IO[bytes]) -> Any:
    """Return one message, or None if the other side has gone, perhaps in the middle of it. It is a process that was
    started by this one, or that has started it.
    """
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    message = stream.read(length)
    return pickle.loads(message) if len(message) == length else None  # noqa: S301  # not from outside


def _dumped(value: Any) -> bytes:
    """A value for the other side. Nodes and edges are made there from their values, in a third of the usual time."""
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCED
    pickler.dump(value)
    return stream.getvalue()


def _reduced(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda record: (kind, values(record))


def _reduced_vectors(made: Made) -> tuple[Any, ...]:
    """Vectors as one matrix."""
    return _with_vectors, (made.model_id, list(made.vectors), np.array(list(made.vectors.values())))


def _with_vectors(model_id: str, hashes: list[str], rows: Matrix) -> Made:
    return Made(model_id, dict(zip(hashes, rows, strict=True)))


_REDUCED: Final[dict[type, Callable[[Any], tuple[Any, ...]]]] = {
    Node: _reduced(Node),
    Edge: _reduced(Edge),
    Made: _reduced_vectors,
}
