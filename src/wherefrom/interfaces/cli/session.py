"""The parts that all commands share: a call of a verb, `--json`, errors and exit codes."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from wherefrom import interfaces
from wherefrom.api.memory import Memory, Verbs
from wherefrom.interfaces.cli import last_list
from wherefrom.interfaces.cli.cells import count, shown
from wherefrom.interfaces.cli.layout import sentence
from wherefrom.interfaces.verbs import Verb
from wherefrom.lazy import lazy_modules
from wherefrom.model import stand_ins
from wherefrom.model.errors import (
    BoundaryDenied,
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    StoreError,
    StoreUnavailable,
    WherefromError,
)
from wherefrom.starting import raise_on_interrupt
from wherefrom.storage.events import NO_TRACE, current_trace
from wherefrom.storage.port import Progress

(progress,) = lazy_modules("rich", "progress")

EXIT_CODES: Final[tuple[tuple[type[WherefromError], int, str], ...]] = (
    (InvalidInput, 2, "the input was refused"),
    (NotFound, 3, "nothing by that name"),
    (Conflict, 4, "it would collide with what is there"),
    (StoreError, 5, "the database failed or cannot be reached"),
    (BoundaryDenied, 6, "the policy forbids it"),
    (Forbidden, 7, "the role, or the access, may not do it"),
)
UNHEALTHY: Final = 1
# Commands whose progress is counted in bytes, and shown as a share.
_BYTES: Final = ("import",)


@dataclass(frozen=True, slots=True)
class Call:
    """One run of a command: its verb, with what the command line gave, on a memory."""

    verb: Verb
    memory: Verbs
    opening: Mapping[str, Any]
    """How the memory was opened."""
    as_json: bool
    given: dict[str, Any]
    explain: bool

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress]:
        """Show a progress bar on a terminal, nothing elsewhere."""
        amount = progress.TaskProgressColumn() if self.verb.command in _BYTES else progress.MofNCompleteColumn()
        columns = (progress.BarColumn(), amount, progress.TimeRemainingColumn())
        error = Console(stderr=True)
        with progress.Progress(label, *columns, console=error, transient=True, disable=not error.is_terminal) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def run(self, **more: Any) -> Any:
        """Run the verb, with a progress bar if it reports progress. `more` are arguments by their names in Python that
        the command line has no option for.
        """
        method = self.verb.chosen(self.given)
        if "progress" not in inspect.signature(getattr(Memory, method)).parameters or more.get("target") is sys.stdout:
            return self.verb.run(self.memory, self.given, **more)
        with self.progress(self.verb.command) as report:
            return self.verb.run(self.memory, self.given, progress=report, **more)

    def of(self, method: str) -> Call:
        """The same call of another verb."""
        return replace(self, verb=replace(self.verb, methods=(method,)))

    def show(self, result: Any) -> None:
        """Print a result, as JSON or as something to read; one that reports a failure ends the command with 1."""
        if isinstance(result, int | Path):  # a count, or the file that was written
            self.say(*_COUNTED[self.verb.command](result))
        elif self.as_json:
            self.say(interfaces.answering.value_of(result, self.memory.root_namespace, explain=self.explain))
        else:
            last_list.remember(result)
            self.say(None, *interfaces.render.lines_of(result, {**self.given, "explain": self.explain}))
        if not getattr(result, "ok", True) or getattr(result, "failures", False):
            raise typer.Exit(UNHEALTHY)

    def say(self, value: object, *readable: RenderableType) -> None:
        """Print a value as JSON, or what stands for it to read; and which node answered for one that went."""
        asked_for = stand_ins.asked_for(whole_ids=self.as_json)
        if self.as_json:
            told = {"asked_for": asked_for} if asked_for and isinstance(value, Mapping) else {}
            print_json({**told, **value} if told else value, sys.stdout)  # type: ignore[dict-item]
        else:
            print_parts(output(), (asked_for, *readable) if asked_for else readable)


# How commands report a number or a file: as JSON, and in words.
_COUNTED: Final[Mapping[str, Callable[[Any], tuple[dict[str, Any], RenderableType]]]] = {
    "reindex": lambda number: ({"texts": number}, f"{count(number, 'text')} indexed"),
    "embed": lambda number: ({"vectors": number}, f"{count(number, 'vector')} made"),
    "backup": lambda path: ({"file": str(path), "bytes": path.stat().st_size}, shown(f"copied to {path}")),
}


def output() -> Console:
    """Return standard output; a file or pipe has no width of its own and gets that of COLUMNS, else a generous one."""
    return Console() if sys.stdout.isatty() else Console(width=shutil.get_terminal_size((160, 24)).columns)


@contextmanager
def reported(*, as_json: bool) -> Iterator[None]:
    """Turn errors of ours into a message and an exit code; a reader that went away is no error."""
    try:
        raise_on_interrupt()
        yield
        sys.stdout.flush()
    except WherefromError as error:
        _fail(error, as_json=as_json)
    except BrokenPipeError:
        _silence_output()
        raise typer.Exit(141) from None
    except OSError as error:
        _silence_output()
        _fail(StoreUnavailable(f"cannot write the output: {error.strerror}"), as_json=as_json)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise typer.Exit(130) from None


def print_parts(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print tables, entries and sentences. In a terminal a sentence is broken between words, so that what is in it can
    be copied; elsewhere it is one line.
    """
    for part in parts:
        if isinstance(part, str | Text) and console.is_terminal:
            for line in sentence(Text(part) if isinstance(part, str) else part, console.width):
                console.print(line, soft_wrap=True, markup=False, highlight=False)
        else:
            is_sentence = isinstance(part, str | Text)
            console.print(part, soft_wrap=is_sentence, crop=False, markup=False, highlight=False)


def print_json(value: object, stream: TextIO) -> None:
    """Print one JSON document; an object carries the ids of the call, under which its events are found."""
    ids = current_trace()
    if isinstance(value, Mapping) and ids != NO_TRACE:
        value = {**value, **asdict(ids)}
    stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _silence_output() -> None:
    """Keep Python from writing again when it ends, as nothing more can be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: WherefromError, *, as_json: bool) -> NoReturn:
    code = next((code for kind, code, _ in EXIT_CODES if isinstance(error, kind)), 1)
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}}, sys.stderr)
    else:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        sys.stderr.write(shown(f"{error.code}: {error.message}{hint}\n", lines=True).plain)
    raise typer.Exit(code)
