"""A session of a reader: one shell with a terminal of 80 columns, one new folder, a home with nothing in it."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import re
import select
import shlex
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Any

from forking_for_tests import PROGRAM, programs_in, wherefrom_command
from mcp import Client, StdioServerParameters, stdio_client

_LONGEST_S = 60
_ROWS, _COLUMNS = 24, 80
_END = re.compile(rb"\x1e(\d+)\x1e")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Session:
    """Runs commands as a reader types them, and answers what a terminal would show; `wherefrom` starts by a fork."""

    def __init__(self, home: Path, **environment: str) -> None:
        self.home = home
        self.folder = self.home / "notes"
        self.folder.mkdir()
        programs = home / ".session" / "bin"
        programs_in(programs)
        self._script = programs.with_name("command")
        path = (str(programs), *environment.pop("PATH", "").split(":"), "/usr/local/bin", "/usr/bin", "/bin")
        plain = {"HOME": str(self.home), "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC"}
        self._screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        modes = termios.tcgetattr(terminal)
        modes[1] &= ~termios.OPOST  # or every line ended with a carriage return
        termios.tcsetattr(terminal, termios.TCSANOW, modes)
        self._shell = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            stdout=terminal,
            stderr=terminal,
            cwd=self.folder,
            env={**plain, **environment, "PATH": ":".join(filter(None, path))},
            start_new_session=True,
        )
        os.close(terminal)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._shell.kill()
        self._shell.wait()
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        os.close(self._screen)

    def run(self, command: str) -> tuple[int, list[str]]:
        """The exit code of a command and the lines that it printed; the home is `~` in them."""
        self._script.write_text(command + "\n", encoding="utf-8")
        assert self._shell.stdin is not None
        self._shell.stdin.write(f". {shlex.quote(str(self._script))} </dev/null; printf '\\036%d\\036' $?\n".encode())
        self._shell.stdin.flush()
        printed, until = b"", time.monotonic() + _LONGEST_S
        while not (end := _END.search(printed)):
            left = until - time.monotonic()
            assert left > 0 and select.select([self._screen], [], [], left)[0], (
                f"{command!r} takes too long: {printed!r}"
            )
            printed += os.read(self._screen, 1 << 16)
        text = _CONTROL.sub("", printed[: end.start()].decode(errors="replace")).replace(str(self.home), "~")
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[0]:  # a progress bar that has gone leaves an empty line
            del lines[0]
        while lines and not lines[-1]:
            del lines[-1]
        return int(end[1]), lines

    def python(self, program: str) -> tuple[int, list[str]]:
        """The same of a program in Python."""
        file = self._script.with_name("program.py")
        file.write_text(program, encoding="utf-8")
        return self.run(shlex.join((*wherefrom_command(), PROGRAM, str(file))))

    def environment(self) -> dict[str, str]:
        """What the commands so far have exported."""
        target = self._script.with_name("environment")
        self.run(f"env -0 > {shlex.quote(str(target))}")
        pairs = target.read_text(encoding="utf-8").rstrip("\0").split("\0")
        return dict(pair.split("=", 1) for pair in pairs)

    def call(self, tool: str, arguments: dict[str, Any], server: tuple[str, ...] = ("wherefrom", "mcp")) -> Any:
        """The answer of a tool to a real MCP client, from a server that is started for it."""

        async def ask(client: Client) -> Any:
            return json.loads((await client.call_tool(tool, arguments)).content[0].text)  # type: ignore[union-attr]

        return self._talk(server, ask)

    def tools(self, server: tuple[str, ...]) -> list[str]:
        """The names of the tools that a server lists."""

        async def ask(client: Client) -> list[str]:
            return [tool.name for tool in (await client.list_tools()).tools]

        names: list[str] = self._talk(server, ask)
        return names

    def _talk(self, server: tuple[str, ...], ask: Any) -> Any:
        environment = self.environment()
        command = str(self._script.parent / "bin" / server[0])
        start = StdioServerParameters(command=command, args=[*server[1:]], env=environment, cwd=str(self.folder))

        async def run() -> Any:
            async with Client(stdio_client(start)) as client:
                return await ask(client)

        return asyncio.run(run())
