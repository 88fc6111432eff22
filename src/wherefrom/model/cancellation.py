"""Cancelling a call from outside: an interface sets the current cancellation, a slow operation says how to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_SECONDS_BETWEEN_LOOKS: Final = 0.05


class Cancellation:
    """A call's cancellation: it knows whether the call was cancelled and how to stop the operation under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stop: Callable[[], object] | None = None
        self.cancelled = False

    def cancel(self) -> None:
        """Stop the operation under way, and every one that begins later in this call."""
        with self._lock:
            self.cancelled = True
            if self._stop is not None:
                self._stop()

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """Let `cancel` call `stop` while the block runs; it is never called after the block has ended."""
        with self._lock:
            outer, self._stop = self._stop, stop
            if self.cancelled:
                stop()
        try:
            yield
        finally:
            with self._lock:
                self._stop = outer

    def acquired(self, slots: threading.Semaphore, timeout_s: float) -> bool:
        """Take a slot, or wait for one; return False if the time is up, or the call is cancelled while it waits."""
        deadline = time.monotonic() + timeout_s
        while not slots.acquire(timeout=max(0.0, min(deadline - time.monotonic(), _SECONDS_BETWEEN_LOOKS))):
            if self.cancelled or time.monotonic() >= deadline:
                return False
        return True


CURRENT: Final[ContextVar[Cancellation | None]] = ContextVar("wherefrom_cancellation", default=None)


def current() -> Cancellation:
    """Return the cancellation of the call under way, or a new one that nobody cancels if the caller set none."""
    return CURRENT.get() or Cancellation()
