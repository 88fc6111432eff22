"""An MCP client that sends whatever bytes a test wants, to a real server process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LONGEST_SECONDS = 60


def tool_call(number, tool, **arguments):
    """A call of a tool as a message."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class RawClient:
    """Starts a server, sends lines, and collects what it answers."""

    def __init__(self, url, *, command=None, handshake=True, before=None, **environment):
        self.process = subprocess.Popen(
            [*(command or [sys.executable, "-m", "wherefrom", "mcp"]), "--db", str(url)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
            preexec_fn=before,
        )
        self._answers = queue.SimpleQueue()
        self._pings = 0
        self.stderr = b""
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._collect, self._collect_errors)]
        for thread in self._threads:
            thread.start()
        if handshake:
            self.send(INITIALIZE, INITIALIZED)
            assert self.answer()["id"] == "first"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()

    def send(self, *messages):
        """Send messages, or bytes as they are, each on a line of its own."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self):
        """The next message from the server; None when it has closed its output."""
        return self._answers.get(timeout=LONGEST_SECONDS)

    def answers_until_ping(self):
        """Everything that the server says before it answers a ping that is sent now."""
        self._pings += 1
        name = f"ping {self._pings}"
        self.send({"jsonrpc": "2.0", "id": name, "method": "ping"})
        found = []
        while (answer := self.answer()) is not None and answer.get("id") != name:
            found.append(answer)
        assert answer is not None, self.stderr
        return found

    def hang_up(self):
        """Close the server's input; returns what it still says."""
        self.process.stdin.close()
        return list(iter(self.answer, None))

    def wait(self):
        """The exit code, once the process and its output have ended."""
        code = self.process.wait(LONGEST_SECONDS)
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        for thread in self._threads:
            thread.join(LONGEST_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def _collect(self):
        with suppress(ValueError):  # a test closed the output
            for line in self.process.stdout:
                self._answers.put(json.loads(line))
        self._answers.put(None)

    def _collect_errors(self):
        self.stderr = self.process.stderr.read()
