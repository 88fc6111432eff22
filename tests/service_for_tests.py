"""A real service for tests: a process of `wherefrom serve`, or an application on a thread, on a free port of loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Any

import uvicorn
from forking_for_tests import wherefrom_command

_LONGEST_SECONDS = 60.0


@contextmanager
def running_service(url: str, *options: str, port: int | None = None, **environment: str) -> Iterator[str]:
    """The address of a process that serves a store, from when it is ready; it is told to end at the end, and must end
    well. Options are those of `wherefrom serve`, environment are variables besides those of the tests.
    The port is a free one, unless the options must name it, too.
    """
    port = port or free_port()
    command = [*wherefrom_command(), "serve", "--db", url, "--port", str(port), *options]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **environment})

        def said() -> str:
            log.seek(0)
            return log.read().decode(errors="replace")

        try:
            wait_until_ready(f"http://127.0.0.1:{port}", is_alive=lambda: process.poll() is None, said=said)
            yield f"http://127.0.0.1:{port}"
        except BaseException:
            process.kill()
            process.wait()
            raise
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(_LONGEST_SECONDS) == 0, said()
        finally:
            process.kill()


@contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of an ASGI application on a thread of this process, where a test can look into it."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        wait_until_ready(base, is_alive=thread.is_alive, said=lambda: "the thread of the service has ended")
        yield base
    finally:
        server.should_exit = True
        thread.join(_LONGEST_SECONDS)
        listening.close()
    assert not thread.is_alive()


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def wait_until_ready(base: str, *, is_alive: Any, said: Any) -> None:
    """Return when a service answers that it is ready."""
    until = time.monotonic() + _LONGEST_SECONDS
    while not _is_ready(base.removeprefix("http://")):
        assert is_alive(), said()
        assert time.monotonic() < until, said()
        time.sleep(0.02)


def _is_ready(address: str) -> bool:
    """Ask without a client of httpx2, which makes a context for TLS first."""
    connection = HTTPConnection(address, timeout=10)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
