"""The command line: the commands of the table of verbs, the demo, and the MCP server.

A command is put together when it is run: with the options of its verb, whose engine is imported for that. To list the
commands, their summaries are enough.
"""

from __future__ import annotations

import inspect
import io
import sys
from collections import UserDict
from keyword import iskeyword
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from wherefrom import interfaces
from wherefrom.interfaces.verbs import COMMANDS, Verb
from wherefrom.lazy import Later, metadata

_ABOUT: Final = "A memory for AI agents that can say where every statement comes from."
_SPECIAL: Final = Later("wherefrom.interfaces.cli.special")


def summary_of(verb: Verb) -> str:
    """The summary of a command: the docstring of its function in `special`, or of its verbs."""
    special = getattr(_SPECIAL, f"{verb.command}_" if iskeyword(verb.command) else verb.command).read_docstring()
    return inspect.cleandoc(special) or verb.summary


class Commands(UserDict[str, Any]):
    """The commands of a group by their words; a row of the table is made into its command when it is looked up."""

    def __getitem__(self, word: str) -> Any:
        found = self.data[word]
        return interfaces.commands.command_of(found.command) if isinstance(found, Verb) else found


class CommandGroup(TyperGroup):
    """A group whose commands are put together when they are run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for command in self.commands.values():
            command.short_help = command.help  # whole, where Click would cut it to one line
        place = "" if self.name == "wherefrom" else f"{self.name} "
        rows = {verb.command.removeprefix(place): verb for verb in COMMANDS if verb.command.startswith(place)}
        self.commands: Any = Commands({word: verb for word, verb in rows.items() if " " not in word} | self.commands)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command without its options, enough to list it; None if there is none."""
        found = self.commands.data.get(cmd_name)
        return TyperCommand(cmd_name, short_help=summary_of(found)) if isinstance(found, Verb) else found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word, listed, rest = super().resolve_command(ctx, args)
        return word, listed and self.commands[listed.name], rest


app = typer.Typer(
    name="wherefrom",
    help=_ABOUT,
    cls=CommandGroup,
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,  # help with boxes takes three times as long
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(typer.Typer(cls=CommandGroup, help="Begin and end research tasks.", no_args_is_help=True), name="task")


@app.command("demo")
def run_demo(
    keep: Annotated[str | None, typer.Option("--keep", metavar="PATH", help="A new file for it.")] = None,
) -> None:
    """Walk through what a memory can do, on a small example in a fresh file."""
    interfaces.demo.run_demo(keep)


@app.command("move")
def run_move(as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False) -> None:
    """Bring a store that lies under the program's former name to where it is looked for now."""
    interfaces.special.run_move(as_json=as_json)


@app.command("mcp", add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def serve(context: typer.Context) -> None:
    """Serve the memory to an MCP client over stdin and stdout."""
    interfaces.server.serve(context.args)


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)] = False,
) -> None:
    """A memory for AI agents that can say where every statement comes from."""
    if version:
        typer.echo(metadata.version("wherefrom"))
        raise typer.Exit


def run_command_line() -> None:
    """Run the command line; what it prints is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    app()
