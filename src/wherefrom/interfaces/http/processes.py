"""The processes of a service: they share a socket, one that dies is replaced, and all end together."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from types import FrameType
from typing import Final

from prometheus_client.multiprocess import mark_process_dead

from wherefrom.interfaces.http.observation import MULTIPROCESS

logger = logging.getLogger("wherefrom.http")

# The code with which a process ends that was told something wrong.
WRONG: Final = 2
# After this, calls that still run are cut off: what they have not committed is not written.
GRACE_SECONDS: Final = 30
_SECONDS_BETWEEN_LOOKS: Final = 0.2
_SECONDS_BEFORE_RESTART: Final = 1.0
# One that was told to end before it had begun, too.
_WELL: Final = (0, -signal.SIGTERM)


def supervise(arguments: list[str], listening: socket.socket, count: int) -> int:
    """Run processes of `wherefrom serve` with these arguments until a signal comes; return the code to end with."""
    ending = threading.Event()

    def end(sig: int, frame: FrameType | None) -> None:
        del sig, frame
        ending.set()

    for sig in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sig, end)
    with tempfile.TemporaryDirectory(prefix="wherefrom-numbers-") as numbers:
        processes = _Processes(arguments, listening.fileno(), numbers, count)
        while not ending.wait(_SECONDS_BETWEEN_LOOKS):
            if processes.has_wrong():
                break
            processes.replace_dead(ending)
        return processes.end()


class _Processes:
    def __init__(self, arguments: list[str], socket_number: int, numbers: str, count: int) -> None:
        self._command = [sys.executable, "-m", "wherefrom", "serve", *arguments, "--socket", str(socket_number)]
        self._socket_number = socket_number
        self._environment = {**os.environ, MULTIPROCESS: numbers}
        self._running = [self._started() for _ in range(count)]

    def has_wrong(self) -> bool:
        """Return True if a process ended because it was told something wrong; it has said what."""
        return any(process.poll() == WRONG for process in self._running)

    def replace_dead(self, ending: threading.Event) -> None:
        """Start a process in the place of each that ended by itself."""
        for place, process in enumerate(self._running):
            if process.poll() is not None and not ending.wait(_SECONDS_BEFORE_RESTART):
                mark_process_dead(process.pid, self._environment[MULTIPROCESS])  # type: ignore[no-untyped-call]
                logger.error("a process of the service ended with %s and is started anew", process.returncode)
                self._running[place] = self._started()

    def end(self) -> int:
        """Let all of them end; return 0 if all ended well."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            try:
                process.wait(GRACE_SECONDS + 5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return next((abs(process.returncode) for process in self._running if process.returncode not in _WELL), 0)

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, pass_fds=[self._socket_number], env=self._environment)  # noqa: S603
