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

# How long the notes of the last searches may take to be written; saves are on disk when they are answered.
CLOSING_SECONDS: Final = 5.0
_SIGNAL_CLOSING_SECONDS: Final = 0.2


def end_on_signals(close: Callable[[], None]) -> None:
    """End the process on Ctrl-C and on SIGTERM, without waiting for the calls that run."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        del frame
        end(close, code=SIGNAL_EXIT_CODE + number, seconds=_SIGNAL_CLOSING_SECONDS)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


def end(close: Callable[[], None], *, code: int, seconds: float = CLOSING_SECONDS) -> NoReturn:
    """Close, but wait no longer than this for it, and end the process with this code.

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
