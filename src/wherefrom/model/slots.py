"""What threads wait for: slots (connections, processes, the turn to write), and a baton that only the quick hand on."""

from __future__ import annotations

import threading
import time
from collections import deque

from wherefrom.model import cancellation


class Slots:
    """A number of slots that threads take first come, first served. Whoever waits sleeps until its turn has come."""

    def __init__(self, count: int = 1) -> None:
        self._lock = threading.RLock()
        self._free = count
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout_s: float) -> bool:
        """Take a slot, or wait for one; return False if the time is up. A call that is cancelled meanwhile is ended."""
        call = cancellation.current()
        call.check()
        with self._lock:
            if self._free and not self._waiting:
                self._free -= 1
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        try:
            with call.stopping(turn.set):
                turn.wait(timeout_s)
            call.check()
        except BaseException:
            if self._had_turn(turn):
                self.release()
            raise
        return self._had_turn(turn)

    def release(self) -> None:
        """Give a slot back, to the one that has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _had_turn(self, turn: threading.Event) -> bool:
        """Return True if a waiting thread was given its slot; otherwise take it out of the queue."""
        with self._lock:
            if turn not in self._waiting:
                return True
            self._waiting.remove(turn)
            return False


class Baton:
    """A baton for threads that had better work one after another. Nobody waits for it for longer than `patience_s`:
    whoever keeps it so long has lost it to the next.
    """

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._handed_on = threading.Condition()
        self._holder: object | None = None
        self._lost_at = 0.0

    def take(self) -> object:
        """Wait for the baton; returns what it is handed on with."""
        mine = object()
        deadline = time.monotonic() + self._patience_s
        with self._handed_on:
            while self._holder is not None and (left := min(self._lost_at, deadline) - time.monotonic()) > 0:
                self._handed_on.wait(left)
            self._holder, self._lost_at = mine, time.monotonic() + self._patience_s
        return mine

    def hand_on(self, mine: object) -> None:
        """Hand the baton on, unless it was lost meanwhile."""
        with self._handed_on:
            if self._holder is mine:
                self._holder = None
                self._handed_on.notify()
