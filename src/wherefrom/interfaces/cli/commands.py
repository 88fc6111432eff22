"""The commands: each row of the table of verbs is one, with the options that its verb declares.

A command that does more than its verb (reads a file, draws a picture, shows progress) has a function here.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console, RenderableType

from wherefrom.api import Memory
from wherefrom.interfaces.answering import value_of
from wherefrom.interfaces.cli import render
from wherefrom.interfaces.cli.cells import count, shown
from wherefrom.interfaces.cli.options import options_of, values_of
from wherefrom.interfaces.cli.session import COMMON, UNHEALTHY, Session, output, reported
from wherefrom.interfaces.request_ids import valid_ids_of
from wherefrom.interfaces.verb import Verb
from wherefrom.interfaces.verbs import COMMANDS
from wherefrom.storage.events import tracing


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a command's verb, with what the command line gave."""

    verb: Verb
    session: Session
    given: dict[str, Any]
    explain: bool = False

    def run(self, **more: Any) -> Any:
        """Run the verb, with a progress bar if it reports progress. `more` are arguments by their names in Python that
        the command line has no option for.
        """
        method = self.verb.chosen(self.given)
        if "progress" not in inspect.signature(getattr(Memory, method)).parameters or more.get("target") is sys.stdout:
            return self.verb.run(self.session.memory, self.given, **more)
        with self.session.progress(self.verb.command) as report:
            return self.verb.run(self.session.memory, self.given, progress=report, **more)

    def of(self, method: str) -> Call:
        """The same call of another verb."""
        return replace(self, verb=replace(self.verb, methods=(method,)))

    def show(self, result: Any) -> None:
        """Print a result, as JSON or as something to read; one that says of a failure ends the command with 1."""
        if isinstance(result, int | Path):  # a count, or the file that was written
            self.session.show(*_COUNTED[self.verb.command](result))
        elif self.session.as_json:
            self.session.show(value_of(result, self.session.memory.root_namespace, explain=self.explain))
        else:
            self.session.show(None, *render.lines_of(result, self))
        if not getattr(result, "ok", True) or getattr(result, "failures", False):
            raise typer.Exit(UNHEALTHY)


Function = Callable[..., None]
# What a command says of a number or a file: as JSON, and in words.
_COUNTED: Final[Mapping[str, Callable[[Any], tuple[dict[str, Any], RenderableType]]]] = {
    "reindex": lambda number: ({"texts": number}, f"{count(number, 'text')} indexed"),
    "embed": lambda number: ({"vectors": number}, f"{count(number, 'vector')} made"),
    "backup": lambda path: ({"file": str(path), "bytes": path.stat().st_size}, shown(f"copied to {path}")),
}


@dataclass(frozen=True, slots=True)
class Special:
    """The function of a command that does more than its verb.

    optional: an argument of the verb that need not be given; without: one that the function gives.
    """

    function: Function
    optional: str = ""
    without: str = ""


def build(specials: Mapping[str, Special], *, name: str, help: str) -> typer.Typer:  # noqa: A002
    """The command line of all verbs; `specials` are the functions of the commands that do more than their verb."""
    app = typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    groups = {"task": typer.Typer(help="Begin and end research tasks.", no_args_is_help=True)}
    for group, commands in groups.items():
        app.add_typer(commands, name=group)
    for verb in COMMANDS:
        *place, word = verb.command.split()
        (groups[place[0]] if place else app).command(word)(_command(verb, specials.get(verb.command)))
    return app


def _command(verb: Verb, special: Special | None) -> Callable[..., None]:
    own = list(inspect.signature(special.function, eval_str=True).parameters.values())[1:] if special else []
    own = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in own]
    declared = options_of(verb, optional=special.optional, without=special.without) if special else options_of(verb)
    names = {option.name for option in own}

    def run(**given: Any) -> None:
        opened = {option: given.pop(option) for option in COMMON}
        as_json = opened.pop("as_json")
        opened["url"] = opened.pop("db")
        more = {name: given.pop(name) for name in names}
        with tracing(valid_ids_of(given)), reported(as_json=as_json), Memory.open(**opened) as memory:
            session = Session(memory, opened, as_json, output(), Console(stderr=True))
            values = values_of(verb, given)
            explain = bool(values.pop(verb.explains[0], False)) if verb.explains else False
            call = Call(verb, session, values, explain)
            special.function(call, **more) if special else call.show(call.run())

    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in COMMON.items()
    ]
    common[-1] = common[-1].replace(default=False)
    run.__doc__ = (special and inspect.getdoc(special.function)) or _summary(verb)
    run.__signature__ = inspect.Signature([*own, *declared, *common])  # type: ignore[attr-defined]
    return run


def _summary(verb: Verb) -> str:
    docs = ((inspect.getdoc(getattr(Memory, method)) or "").split("\n\n")[0] for method in verb.methods)
    return " ".join(" ".join(docs).split())
