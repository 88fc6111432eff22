"""A program that reads foreign bytes, run until it ends, its time is up or the call is cancelled."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from wherefrom.model import cancellation


def run_limited(command: Sequence[str], data: bytes, seconds: float) -> bytes:
    """Return what a program writes that reads these bytes; it is killed when its time is up or the call is cancelled.

    Raises subprocess.TimeoutExpired when its time is up.
    """
    call = cancellation.current()
    with subprocess.Popen(  # noqa: S603  # not a shell, and the words are ours
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            with call.stopping(process.kill):
                written, _ = process.communicate(data, seconds)
        finally:
            process.kill()
    call.check()
    return written
