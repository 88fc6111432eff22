"""Alarms: methods that are called at a time, as long as their objects are there."""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Final
from weakref import WeakMethod


class Alarms:
    """Calls functions at their times. Each has a thread for itself then, because to stop something may take time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        # Weak: a call that has ended needs no alarm.
        self._due: list[tuple[float, int, WeakMethod[Callable[[], None]]]] = []
        self._numbers = count()
        self._thread: threading.Thread | None = None

    def set(self, at: float, ring: Callable[[], None]) -> None:
        """Call a method at a time of the monotonic clock, if its object is still there."""
        with self._changed:
            heapq.heappush(self._due, (at, next(self._numbers), WeakMethod(ring)))
            if self._thread is None or not self._thread.is_alive():  # not in a process that was forked
                self._thread = threading.Thread(target=self._run, name="wherefrom-alarms", daemon=True)
                self._thread.start()
            elif self._due[0][0] == at:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._due or self._due[0][0] > time.monotonic():
                    left_s = self._due[0][0] - time.monotonic() if self._due else None
                    self._changed.wait(left_s)
                ring = heapq.heappop(self._due)[2]()
            if ring is not None:
                threading.Thread(target=ring, name="wherefrom-alarm", daemon=True).start()
            del ring  # or it would live until the next alarm


ALARMS: Final = Alarms()
