"""The pace of work in the background: it takes a share of one processor, and rests between its pieces."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

from wherefrom.model import cancellation

# How often whoever waits for the work hears that it goes on.
_SECONDS_BETWEEN_BEATS: Final = 20.0


def sleep(seconds: float) -> None:
    """Sleep, if the time is not over already; raises an error as soon as the call under way is cancelled."""
    call, woken = cancellation.current(), threading.Event()
    call.check()
    if seconds > 0:
        with call.stopping(woken.set):
            woken.wait(seconds)
        call.check()


class Pace:
    """Measures the CPU time of the thread that makes it, and lets that thread rest. The defaults never rest."""

    def __init__(
        self, *, share: float = 1.0, seconds: float = math.inf, beat: Callable[[], None] = lambda: None
    ) -> None:
        """`share` is of one processor, `seconds` how long it may work; `beat` is called now and then."""
        self._share = share
        self._seconds = seconds
        self._beat = beat
        self._beaten = time.monotonic()
        self._mark = time.thread_time()
        self._owed = 0.0
        self.worked = 0.0

    @property
    def is_over(self) -> bool:
        """True if the seconds of work are used up."""
        return self.worked >= self._seconds

    def rest(self, at_most: float = math.inf) -> float:
        """Rest for as long as the work since the last rest asks for, or `at_most` so long: then the next one is longer.
        Raises an error as soon as the call under way is cancelled. Returns the CPU time of that work.
        """
        worked = time.thread_time() - self._mark
        self.worked += worked
        self._owed += worked * (1 / self._share - 1)
        until = time.monotonic() + min(self._owed, at_most)
        while True:
            self._beat_if_due()
            began = time.monotonic()
            sleep(min(until - began, _SECONDS_BETWEEN_BEATS))
            if began >= until:
                break
            self._owed = max(0.0, self._owed - (time.monotonic() - began))
        self._mark = time.thread_time()
        return worked

    def _beat_if_due(self) -> None:
        if time.monotonic() - self._beaten >= _SECONDS_BETWEEN_BEATS:
            self._beaten = time.monotonic()
            self._beat()
