"""Cancelling a call from outside, or when its time is up: an interface sets the current cancellation, a slow operation
says how to stop it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from wherefrom.model.alarms import ALARMS
from wherefrom.model.errors import Cancelled, TimedOut

# What was told to stop between two statements may have missed it: it is told again until it has ended.
_SECONDS_BETWEEN_STOPS: Final = 0.05


class Cancellation:
    """A call's cancellation: it knows whether the call was cancelled and how to stop the operation under way.

    With `timeout_s` the call is cancelled by itself when that time is up.
    """

    def __init__(self, timeout_s: float | None = None) -> None:
        # A handler of signals may begin another operation of the same call while this thread holds it.
        self._lock = threading.RLock()
        self._stop: Callable[[], object] | None = None
        self._timeout_s = timeout_s
        self._has_timed_out = False
        self.cancelled = False
        if timeout_s is not None:
            ALARMS.set(time.monotonic() + timeout_s, self._time_out)

    def cancel(self) -> None:
        """Stop the operation under way, and every one that begins later in this call. It may wait for a database."""
        with self._lock:
            self.cancelled = True
            if self._stop is not None:
                self._stop()
                ALARMS.set(time.monotonic() + _SECONDS_BETWEEN_STOPS, self.cancel)

    def check(self) -> None:
        """Raise an error if the call was cancelled, or its time is up."""
        if self.cancelled:
            raise self.error()

    def error(self) -> Cancelled:
        """Return the error of a call that was cancelled."""
        if self._has_timed_out:
            return TimedOut(
                f"the call did not end within {self._timeout_s:g} s and was stopped",
                hint="ask for less, or try again when less is going on",
            )
        return Cancelled("the call was cancelled", hint="what it had not committed was not written")

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """Let `cancel` call `stop` while the block runs, perhaps several times; never after the block has ended."""
        with self._lock:
            outer, self._stop = self._stop, stop
            if self.cancelled:
                self.cancel()
        try:
            yield
        finally:
            with self._lock:
                self._stop = outer

    def _time_out(self) -> None:
        if not self.cancelled:
            self._has_timed_out = True
            self.cancel()


CURRENT: Final[ContextVar[Cancellation | None]] = ContextVar("wherefrom_cancellation", default=None)


def current() -> Cancellation:
    """Return the cancellation of the call under way, or a new one that nobody cancels if the caller set none."""
    return CURRENT.get() or Cancellation()


@contextmanager
def running(call: Cancellation | None) -> Iterator[None]:
    """Let what runs in the block on this thread be stopped by this cancellation; with None, by none."""
    token = CURRENT.set(call)
    try:
        yield
    finally:
        CURRENT.reset(token)
