"""Ends the server: at once on a signal, in the middle of whatever its threads are doing."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final, NoReturn

from wherefrom.starting import SIGNAL_EXIT_CODE

# For writing the notes of the last searches; saves are on disk when they are answered.
MAX_CLOSING_SECONDS: Final = 5.0
_MAX_CLOSING_SECONDS_ON_SIGNAL: Final = 0.2


def end_on_signals(close: Callable[[], None]) -> None:
    """End the process on Ctrl-C and on SIGTERM, without waiting for the calls that run."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        end(close, code=SIGNAL_EXIT_CODE + number, seconds=_MAX_CLOSING_SECONDS_ON_SIGNAL)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


def end(close: Callable[[], None], *, code: int, seconds: float = MAX_CLOSING_SECONDS) -> NoReturn:
    """Close, waiting at most these seconds for it, and end the process with this code.

    The process does not wait for its threads: one may be in a statement, an embedding or a read that nothing
    interrupts.
    """
    closed = _thread.allocate_lock()
    closed.acquire()

    def run() -> None:
        with suppress(Exception):
            close()
        closed.release()

    # Not threading.Thread: a signal may come while the main thread holds the lock under which that one starts.
    _thread.start_new_thread(run, ())
    closed.acquire(timeout=seconds)
    with suppress(OSError, ValueError, RuntimeError):
        sys.stderr.flush()
    os._exit(code)
