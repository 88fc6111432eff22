"""The player: makes the calls of `calls.py` on a store, at fixed times and with fixed ids, and returns the answers.

`python -m tests.net.play` writes the recordings anew, through the test that compares them.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import dataclasses
import importlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest import mock

import typer.testing
from mcp import Client, MCPError
from typer.main import get_command
from typer.testing import CliRunner

from tests.net import calls

PACKAGE: Final = "wherefrom"

# --- the adapters: all that is known of the inside of the program ----------------------------------------------------


def _server(open_memory: Callable[[], Any], dialect: str) -> Any:
    """The MCP server on a memory."""
    return importlib.import_module(f"{PACKAGE}.interfaces.mcp.server").build(
        open_memory, dialect=dialect, sets=("all",), schemas=True
    )


def aliases() -> dict[str, list[str]]:
    """The aliases of each tool, which no listing shows."""
    verbs = importlib.import_module(f"{PACKAGE}.interfaces.verbs").TOOLS
    return {verb.tool: list(verb.aliases) for verb in verbs}


@cache
def _command_line() -> Any:
    """The command line, put together once: that takes longer than most commands."""
    return get_command(importlib.import_module(f"{PACKAGE}.interfaces.cli.app").app)


def memory_class() -> Any:
    """The class with the verbs."""
    return importlib.import_module(PACKAGE).Memory


@contextmanager
def _fixed(clock: Clock) -> Iterator[None]:
    """Times and ids from a clock of ours; vectors are made at once, not beside; statistics of words are kept for as
    long as it takes: counted anew in a slow replay, they would change scores in the sixth digit.
    """
    identifiers = importlib.import_module(f"{PACKAGE}.model.identifiers")
    kept = importlib.import_module(f"{PACKAGE}.storage.kept")
    start = threading.Thread.start

    def start_and_wait(thread: threading.Thread) -> None:
        start(thread)
        if thread.name.endswith("-embed"):
            thread.join()

    with (
        mock.patch.object(identifiers, "time", clock),
        mock.patch.object(identifiers, "os", clock),
        mock.patch.object(identifiers, "datetime", clock),
        mock.patch.object(kept, "time", mock.Mock(monotonic=lambda: 0.0)),
        mock.patch.object(threading.Thread, "start", start_and_wait),
    ):
        yield


# --- what is masked ---------------------------------------------------------------------------------------------------

# By key: what depends on the machine, on its load, on versions, or on when the test's empty store was made.
MASKED_KEYS: Final = frozenset({"elapsed_ms", "bytes", "engine", "location", "program_version", "chosen_at"})
# By key, where the value is an id that nobody gave: how many ids a call makes is no one's concern.
CALL_IDS: Final = frozenset({"request_id", "trace_id"})
_DIGITS: Final = 6
_ID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")
_TOKEN: Final = re.compile(r"(?<![\w-])[A-Za-z0-9_-]{8,}(?![\w-])")
_CURSOR: Final = re.compile(r"[a-z_]+:[\x20-\x7e]+")
_REFERENCE: Final = re.compile(r"<<([\w-]+)(?::([^<>]+))?>>")
# The same in what people read.
_NOISE: Final = (
    (re.compile(r"\b\d+(\.\d+)? ms\b"), "<time>"),
    (re.compile(r"\b(SQLite|PostgreSQL) \d+(\.\d+)+\b"), r"\1 <version>"),
    (re.compile(r"^( (?:version|pgvector \w+) +)\S+$"), r"\1<version>"),
    (re.compile(r"^( \w+ bytes +)[\d,]+$"), r"\1<bytes>"),
    (re.compile(r"\b(sqlite|postgres) at \S+"), r"\1 at <db>"),
)
_OUT_OF_TIME: Final = "interrupted (timeout)"
_ATTEMPTS: Final = 8


class Clock:
    """Stands in for `time`, `os` and `datetime`: each step has one time, and numbers its ids."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 5, 9, tzinfo=UTC)
        self._lock = threading.Lock()
        self._made = 0

    def step(self, seconds: float) -> None:
        """A step begins, this much later than the one before."""
        self._now += timedelta(seconds=seconds)
        self.again()

    def again(self) -> None:
        """The same step begins anew."""
        self._made = 0

    def now(self, zone: Any = None) -> datetime:
        return self._now.astimezone(zone)

    def time_ns(self) -> int:
        with self._lock:
            self._made += 1
            return round(self._now.timestamp()) * 1_000_000_000 + self._made * 1_000

    def urandom(self, size: int) -> bytes:
        return self._made.to_bytes(size)


# --- playing ----------------------------------------------------------------------------------------------------------


def play(url: str) -> dict[str, Any]:
    """The recording of all calls on a store with nothing in it."""
    with _new_folder() as folder:
        return asyncio.run(_Player(url, folder).play())


@contextmanager
def _new_folder() -> Iterator[Path]:
    """A folder whose path is short, because messages and tables cut long ones, and always has the same number of words,
    because paths are among the texts that are searched: names from `tempfile` have an underscore at times.
    """
    short = Path("/tmp")
    folder = (short if short.is_dir() else Path(tempfile.gettempdir())) / f"net-in-{uuid.uuid4().hex[:5]}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class _Player:
    """One playing of all steps on one store."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self._clock = Clock()
        self._answers: dict[str, Any] = {}
        self._missing: list[str] = []
        self._ids = {calls.NOWHERE: "<nowhere>"}
        self._memory: Any = None
        self._client: Any = None
        self._dialect = "PostgreSQL" if url.startswith("postgresql") else "SQLite"

    async def play(self) -> dict[str, Any]:
        for name, text in calls.FILES.items():
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / name).write_text(text, encoding="utf-8")
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            with _fixed(self._clock):
                async with Client(_server(lambda: self._memory, self._dialect)) as self._client:
                    listed = await self._client.list_tools()
                    self._check_only({tool.name for tool in listed.tools})
                    steps = {step["step"]: await self._step(step) for step in calls.STEPS}
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        tools = {tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools}
        surface = {"tools": tools, "aliases": aliases(), "commands": command_options()}
        return {"surface": renamed(surface), "steps": steps, "missing": self._missing}

    async def _step(self, step: Mapping[str, Any]) -> Any:
        self._clock.step(step.get("later_s", 1))
        players: dict[str, Callable[[Any], Awaitable[Any]]] = {
            "tool": self._tool,
            "command": self._command,
            "verb": self._verb,
            "file": self._file,
        }
        kind = next(kind for kind in players if kind in step)
        for _ in range(_ATTEMPTS):
            self._clock.again()
            answer = await players[kind](self._filled(step))
            # On a busy machine a reading may run out of its time; no step is meant to.
            if _OUT_OF_TIME not in json.dumps(answer, default=str):
                break
        self._answers[step["step"]] = answer
        # In the order of their creation, so that the names of keys do not matter.
        for found in sorted(set(_ID.findall(json.dumps(_without_call_ids(answer))))):
            self._name(found, step["step"])
        return self._normal(answer, step["step"])

    async def _tool(self, step: Mapping[str, Any]) -> Any:
        with self._opened(step):
            try:
                result = await self._client.call_tool(step["tool"], {"detail": "full", **step["arguments"]})
            except MCPError as error:
                return {"protocol_error": {"code": error.error.code, "message": error.error.message}}
            except RuntimeError as error:  # the client's, if an answer is not as its schema says
                return {"schema_error": str(error)}
        (content,) = result.content
        said = json.loads(content.text)
        if result.is_error:
            return {"error": said.pop("error"), "beside": said}
        answer = result.structured_content
        return {"answer": said} if answer in (None, said) else {"answer": answer, "text": said}

    async def _verb(self, step: Mapping[str, Any]) -> Any:
        streams: list[io.StringIO] = []
        given = [self._given(value, streams) for value in step["args"]]
        named = {name: self._given(value, streams) for name, value in step["kwargs"].items()}
        with ExitStack() as stack:
            try:
                stack.enter_context(self._opened(step))
                answer: dict[str, Any] = {"answer": _plain(getattr(self._memory, step["verb"])(*given, **named))}
            except Exception as error:
                said = {"code": getattr(error, "code", None), "hint": getattr(error, "hint", None)}
                # Python's own errors name the class that a method was written in.
                message = re.sub(r"^\w+\.(?=\w+\(\))", "", getattr(error, "message", str(error)))
                return {"error": {"class": type(error).__name__, "message": message, **said}}
        if streams:
            answer["streams"] = [[_parsed(line) for line in each.getvalue().splitlines()] for each in streams]
        return answer

    async def _command(self, step: Mapping[str, Any]) -> Any:
        prefix = PACKAGE.upper()
        environment = {f"{prefix}_DB": self._url, "COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"}
        environment |= {f"{prefix}_{name}": value for name, value in step["env"].items()}
        with (
            mock.patch.object(typer.testing, "_get_command", lambda line: line),
            mock.patch.object(sys, "argv", [f"/{PACKAGE}"]),
        ):
            result = CliRunner().invoke(_command_line(), step["command"], input=step["stdin"], env=environment)
        answer: dict[str, Any] = {"exit": result.exit_code, "stdout": _parsed(result.stdout)}
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            answer["crash"] = repr(result.exception)
        if result.stderr:
            answer["stderr"] = _parsed(result.stderr)
        for name in step["files"]:
            answer.setdefault("files", {})[name] = [
                _parsed(line) for line in (self._folder / name).read_text(encoding="utf-8").splitlines()
            ]
        return answer

    async def _file(self, step: Mapping[str, Any]) -> Any:
        (self._folder / step["file"]).write_text(step["text"], encoding="utf-8")
        return {"written": step["file"]}

    def _check_only(self, listed: set[str]) -> None:
        """The client checks answers by the schemas of these; for an alias it would list all tools again."""
        session = self._client.session
        check = session.validate_tool_result

        async def validate(name: str, result: Any) -> None:
            if name in listed:
                await check(name, result)

        session.validate_tool_result = validate

    @contextmanager
    def _opened(self, step: Mapping[str, Any]) -> Iterator[None]:
        """A memory of its own for each call: what one remembers between calls depends on how much time passes."""
        with memory_class().open(self._url, **step["opening"]) as self._memory:
            yield

    def _given(self, value: Any, streams: list[io.StringIO]) -> Any:
        """An argument of a verb, with the objects that the calls only describe."""
        if isinstance(value, dict) and "new" in value:
            made = {name: self._given(each, streams) for name, each in value.items() if name != "new"}
            return getattr(importlib.import_module(PACKAGE), value["new"])(**made)
        if isinstance(value, dict) and "lines" in value:
            return io.BytesIO("\n".join(value["lines"]).encode())
        if isinstance(value, dict) and "stream" in value:
            streams.append(io.StringIO())
            return streams[-1]
        if isinstance(value, list):
            return [self._given(each, streams) for each in value]
        return value

    def _filled(self, value: Any) -> Any:
        """A step with the values of earlier answers in place of references to them."""
        if isinstance(value, str):
            whole = _REFERENCE.fullmatch(value)
            return self._value(whole) if whole else _REFERENCE.sub(lambda found: str(self._value(found)), value)
        if isinstance(value, Mapping):
            return {key: self._filled(each) for key, each in value.items()}
        return [self._filled(each) for each in value] if isinstance(value, list | tuple) else value

    def _value(self, reference: re.Match[str]) -> Any:
        name, path = reference.groups()
        if path is None:
            return {"folder": str(self._folder), "program": PACKAGE, "db": self._url}[name]
        value = self._answers[name]
        value = value.get("answer", value)
        for key in path.split("."):
            try:
                value = value[int(key)] if isinstance(value, list | tuple) else value[key]
            except (KeyError, IndexError, TypeError):
                # The steps after it fail visibly; a recording is not written.
                self._missing.append(f"{name} has no {path}")
                return "missing"
        return value

    # --- making answers comparable ---

    def _normal(self, value: Any, step: str, key: str = "") -> Any:
        """An answer without what differs from one playing to the next."""
        if key in MASKED_KEYS and value is not None:
            return f"<{key}>"
        if isinstance(value, dict):
            return {self._text(name, step): self._normal(value[name], step, name) for name in sorted(value)}
        if isinstance(value, list):
            return [self._normal(each, step) for each in value]
        if isinstance(value, float):
            return _rounded(value)
        if not isinstance(value, str):
            return value
        if key in CALL_IDS and _ID.fullmatch(value) and value not in self._ids:
            return "<id of the call>"
        return self._text(value, step)

    def _text(self, text: str, step: str) -> str:
        text = text.replace(str(self._folder), "<folder>").replace(self._url, "<db>")
        for pattern, instead in _NOISE:
            text = pattern.sub(instead, text)
        text = _TOKEN.sub(_opened_cursor, text)
        return renamed(_ID.sub(lambda found: self._name(found[0], step), text))

    def _name(self, found: str, step: str) -> str:
        """What an id is called: the step that first showed it, and its place among those of the step."""
        if found not in self._ids:
            count = sum(1 for name in self._ids.values() if name.startswith(f"<{step} "))
            self._ids[found] = f"<{step} {count + 1}>"
        return self._ids[found]


def command_options() -> dict[str, Any]:
    """The commands with their arguments and options."""
    found: dict[str, Any] = {}

    def look(command: Any, path: str) -> None:
        if hasattr(command, "commands"):
            for name, below in command.commands.items():
                look(below, f"{path} {name}".strip())
        else:
            found[path] = {"help": command.help, "parameters": [_parameter(each) for each in command.params]}

    look(_command_line(), "")
    return found


def _parameter(parameter: Any) -> dict[str, Any]:
    said = parameter.to_info_dict() if hasattr(parameter, "to_info_dict") else vars(parameter)
    kept = ("name", "opts", "secondary_opts", "required", "nargs", "multiple", "default", "help", "metavar")
    return {key: _plain(said[key]) for key in kept if key in said and not callable(said[key])}


def _opened_cursor(found: re.Match[str]) -> str:
    """What a cursor holds; other words as they are."""
    token = found[0]
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return token
    return f"<cursor {text}>" if _CURSOR.fullmatch(text) else token


def renamed(value: Any) -> Any:
    """The program is called program, whatever its name is."""
    if isinstance(value, str):
        for name, instead in (
            (PACKAGE, "program"),
            (PACKAGE.upper(), "PROGRAM"),
            (PACKAGE.capitalize(), "Program"),
        ):
            value = value.replace(name, instead)
        return value
    if isinstance(value, dict):
        return {renamed(key): renamed(each) for key, each in value.items()}
    return [renamed(each) for each in value] if isinstance(value, list) else value


def _without_call_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_call_ids(each) for key, each in value.items() if key not in CALL_IDS}
    return [_without_call_ids(each) for each in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """The answer of a verb as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(_plain(each) for each in value)
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, str | bool | int | float | None):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value)


def _rounded(value: float) -> Any:
    return round(value, _DIGITS) + 0.0 if abs(value) < float("inf") else str(value)


def _parsed(text: str) -> Any:
    """JSON as its value; a text for people as its lines."""
    try:
        return json.loads(text)
    except ValueError:
        lines = [line.rstrip() for line in text.splitlines()]
        return lines if len(lines) > 1 else text.strip()


# --- recordings -------------------------------------------------------------------------------------------------------

FOLDER: Final = Path(__file__).parent
WRITE: Final = "NET_WRITE"


def read(dialect: str) -> dict[str, Any]:
    """The recording of a database."""
    found: dict[str, Any] = json.loads(_file_of(dialect).read_text(encoding="utf-8"))
    return found


def write(dialect: str, recording: Mapping[str, Any]) -> None:
    """Keep a recording."""
    text = json.dumps(recording, indent=1, sort_keys=True, ensure_ascii=False)
    _file_of(dialect).write_text(text + "\n", encoding="utf-8")


def _file_of(dialect: str) -> Path:
    return FOLDER / f"recording_{dialect}.json"


def main() -> int:
    """Write the recordings, by the test and in its surroundings."""
    test = [sys.executable, "-m", "pytest", str(FOLDER / "test_recording.py"), "-k", "replay", *sys.argv[1:]]
    return subprocess.call(test, env={**os.environ, WRITE: "1"})


if __name__ == "__main__":
    sys.exit(main())
