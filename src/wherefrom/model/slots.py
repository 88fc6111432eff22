"""Slots that threads wait for: connections, processes, and the turn to write."""

from __future__ import annotations

import threading
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
