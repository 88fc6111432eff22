"""Cancelling a call from outside: an interface sets the current cancellation, a slow operation says how to stop it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class Cancellation:
    """Whether a call was cancelled, and what stops the operation that it waits for."""

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
        """While the block runs, `cancel` calls `stop`. It is never called after the block has ended."""
        with self._lock:
            outer, self._stop = self._stop, stop
            if self.cancelled:
                stop()
        try:
            yield
        finally:
            with self._lock:
                self._stop = outer


CURRENT: Final[ContextVar[Cancellation | None]] = ContextVar("recollect_cancellation", default=None)


def current() -> Cancellation:
    """The cancellation of the call under way; one that nobody holds if the caller set none."""
    return CURRENT.get() or Cancellation()
