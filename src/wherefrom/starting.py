"""Lets Ctrl-C end the command without a traceback while its imports run.

The package imports this before everything else. A program that imports the package keeps its own handling of signals.
"""

from __future__ import annotations

# Built into the interpreter: importing `signal` itself takes long enough to be interrupted.
import _signal  # type: ignore[import-not-found]
import os
import sys

TYPE_CHECKING = False  # `typing` would take longer than all of this
if TYPE_CHECKING:
    from types import FrameType

# A shell reports this plus the signal's number for a process that a signal ended.
SIGNAL_EXIT_CODE = 128
_PACKAGE = __name__.partition(".")[0]


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, for commands that have something to finish or to say."""
    if _signal.getsignal(_signal.SIGINT) is _end_at_once:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def _end_at_once(signal_number: int, frame: FrameType | None) -> None:
    del frame
    os._exit(SIGNAL_EXIT_CODE + signal_number)


def _is_command() -> bool:
    """Return whether the interpreter runs this package: by `python -m`, or by the script that its installation made."""
    program = sys.argv[0] if getattr(sys, "argv", None) else ""
    if program == "-m":  # what Python puts there until it has found the module to run
        return _PACKAGE in sys.orig_argv
    return program.replace("\\", "/").rpartition("/")[2].partition(".")[0] == _PACKAGE


# A shell ignores Ctrl-C for a command in the background; that stays so.
if _is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _end_at_once)
