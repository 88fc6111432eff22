"""What all commands share: the options that open a memory, `--json`, errors and exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Final, NoReturn, TextIO

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from wherefrom.api import Memory
from wherefrom.interfaces.request_ids import with_ids
from wherefrom.model.errors import (
    BoundaryDenied,
    Conflict,
    InvalidInput,
    NotFound,
    StoreError,
    StoreUnavailable,
    WherefromError,
)
from wherefrom.starting import raise_on_interrupt
from wherefrom.storage.events import NO_TRACE, current_trace
from wherefrom.storage.port import Progress as Report

EXIT_CODES: Final[tuple[tuple[type[WherefromError], int, str], ...]] = (
    (InvalidInput, 2, "the input was refused"),
    (NotFound, 3, "nothing by that name"),
    (Conflict, 4, "it would collide with what is there"),
    (StoreError, 5, "the database failed or cannot be reached"),
    (BoundaryDenied, 6, "the policy forbids it"),
)
UNHEALTHY: Final = 1

COMMON: Final = {
    "db": Annotated[str | None, typer.Option("--db", metavar="URL", help="Path, sqlite:///… or postgresql://….")],
    "owner": Annotated[str | None, typer.Option("--owner", help="Whose memory it is.")],
    "root": Annotated[str | None, typer.Option("--root", help="Namespace that this access may not leave.")],
    "also": Annotated[list[str] | None, typer.Option("--also", metavar="NAMESPACE", help="Further one to read.")],
    "allow": Annotated[list[str] | None, typer.Option("--allow", metavar="TAG", help="Tag that this access holds.")],
    "as_json": Annotated[bool, typer.Option("--json", help="Answer in JSON.")],
}


@dataclass(frozen=True, slots=True)
class Session:
    """One run of a command."""

    memory: Memory
    opening: Mapping[str, Any]
    """How the memory was opened."""
    as_json: bool
    out: Console
    err: Console

    def opened(self, **other: str | None) -> Memory:
        """The same memory opened in another way."""
        return Memory.open(**{**self.opening, **other})

    def show(self, value: object, *readable: RenderableType) -> None:
        """Print an answer, as JSON or as something to read."""
        if self.as_json:
            print_json(value, sys.stdout)
        else:
            for part in readable:
                self.out.print(part, soft_wrap=isinstance(part, str | Text), markup=False, highlight=False)

    @contextmanager
    def progress(self, label: str) -> Iterator[Report]:
        """A progress bar on a terminal, nothing elsewhere."""
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self.err, transient=True, disable=not self.err.is_terminal) as bar:
            task = bar.add_task(label, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


def output() -> Console:
    """Standard output; a file or pipe has no width of its own and gets a generous one."""
    return Console() if sys.stdout.isatty() else Console(width=160)


@contextmanager
def reported(*, as_json: bool) -> Iterator[None]:
    """Errors of ours become a message and an exit code; a reader that went away is no error."""
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


def print_json(value: object, stream: TextIO) -> None:
    """Print one JSON document; an object carries the ids of the call, under which its events are found."""
    ids = current_trace()
    if isinstance(value, Mapping) and ids != NO_TRACE:
        value = with_ids(value, ids)
    stream.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _silence_output() -> None:
    """Nothing more can be written; keep Python from trying again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(error: WherefromError, *, as_json: bool) -> NoReturn:
    code = next((code for kind, code, _ in EXIT_CODES if isinstance(error, kind)), 1)
    if as_json:
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint}}, sys.stderr)
    else:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        sys.stderr.write(f"{error.code}: {error.message}{hint}\n")
    raise typer.Exit(code)
