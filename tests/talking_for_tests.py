"""How agents and people talk to a memory, for acceptance tests: a real MCP client over stdio, and the command line."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import threading
from datetime import UTC, datetime, timedelta

from forking_for_tests import wherefrom_command
from mcp import Client, StdioServerParameters, stdio_client


def talk(url, conversation, *, start=None, mode="auto", **environment):
    """Run a conversation with a server of its own, started by another command if one is given."""
    command, *given = wherefrom_command() if start is None else start
    server = StdioServerParameters(
        command=command, args=[*given, "mcp", "--db", url], env={**os.environ, **environment}
    )

    async def run():
        async with Client(stdio_client(server), mode=mode) as client:
            return await conversation(client)

    return asyncio.run(run())


async def call(client, tool, **arguments):
    """The full answer of a call that succeeds; a structured copy is the same as its text."""
    result = await client.call_tool(tool, {"detail": "full", **arguments})
    assert not result.is_error, result.content
    return answer_in(result)


def answer_in(result):
    """The answer in a tool's result: its text, and the structured copy is the same, if there is one."""
    (content,) = result.content
    answer = json.loads(content.text)
    assert result.structured_content in (None, answer)
    return answer


def answer_in_message(message):
    """The answer in a JSON-RPC message."""
    return json.loads(message["result"]["content"][0]["text"])


async def refusal(client, tool, **arguments):
    """The error of a call that is refused."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.structured_content
    return json.loads(result.content[0].text)["error"]


def wherefrom(url, *arguments, code=0, **more):
    """What a command prints; on an error, to standard error."""
    process = run_command(url, *arguments, code=code, **more)
    return process.stdout if code == 0 else process.stderr


def run_command(url, *arguments, code=0, stdin=None, **environment):
    """A command that has ended with this code and without a traceback."""
    process = subprocess.run(
        [*wherefrom_command(), *map(str, arguments), "--db", url],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )
    assert process.returncode == code, (process.stdout, process.stderr)
    assert "Traceback" not in process.stderr
    return process


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, **time: float) -> None:
        self.now += timedelta(**time)


def on_terminal(*command, typed="", **environment):
    """Run a command on a terminal of its own and answer it; returns its exit code and all that it printed there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment}
    )
    os.close(theirs)
    shown = []

    def read():
        try:
            while data := os.read(ours, 4096):
                shown.append(data)
        except OSError:  # how a terminal tells on Linux that nobody writes to it any more
            pass

    reading = threading.Thread(target=read)
    reading.start()
    os.write(ours, typed.encode())
    code = process.wait(60)
    reading.join(60)
    os.close(ours)
    return code, b"".join(shown).decode()
