"""The command line: the commands of the table of verbs in groups, the demo, settings, completion, and the MCP server.

A command is put together when it is run: with the options of its verb, whose engine is imported for that. To list the
commands, their summaries are enough.
"""

from __future__ import annotations

import inspect
import io
import sys
from collections import UserDict
from collections.abc import Mapping
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from wherefrom import interfaces
from wherefrom.interfaces.verbs import COMMANDS, Verb
from wherefrom.lazy import Later, metadata

_ABOUT: Final = "A memory for AI agents that can say where every statement comes from."
_SPECIAL: Final = Later("wherefrom.interfaces.cli.special")
_ANY_OPTIONS: Final = {"allow_extra_args": True, "ignore_unknown_options": True}
_NAMES: Final = {"help_option_names": ["--help", "-h"]}
_JSON: Final = typer.Option("--json", help="Answer in JSON.")


def summary_of(verb: Verb) -> str:
    """The summary of a command: the docstring of its function in `special`, or of its verbs."""
    name = verb.command.replace(" ", "_")
    special = getattr(_SPECIAL, f"{name}_" if iskeyword(name) else name).read_docstring()
    return inspect.cleandoc(special) or verb.summary


class Entry(NamedTuple):
    """A command as `commands.md` has it: a few words about it, and examples."""

    about: str
    examples: list[str]


@cache
def groups() -> dict[str, dict[str, Entry]]:
    """The groups of commands, in their order."""
    _, *parts = Path(__file__).with_name("commands.md").read_text(encoding="utf-8").split("\n# ")
    found: dict[str, dict[str, Entry]] = {}
    for part in parts:
        title, *sections = part.split("\n## ")
        entries = found[title.strip()] = {}
        for head, *examples in (section.strip().splitlines() for section in sections):
            command, _, about = head.partition(": ")
            entries[command] = Entry(about, examples)
    return found


def entry_of(command: str) -> Entry | None:
    """The words that the table of groups has about a command."""
    return next((entries[command] for entries in groups().values() if command in entries), None)


def help_end(command: str) -> str:
    """The end of the help of a command: its examples."""
    entry = entry_of(command)
    if entry is None:
        return ""
    # The first line keeps Click from joining the others.
    return "\n".join(["\b", f"Example{'s' * (len(entry.examples) > 1)}:", *(f"  {line}" for line in entry.examples)])


class Commands(UserDict[str, Any]):
    """The commands of a group by their words; a row of the table is made into its command when it is looked up."""

    def __getitem__(self, word: str) -> Any:
        found = self.data[word]
        return interfaces.commands.command_of(found.command) if isinstance(found, Verb) else found


class CommandGroup(TyperGroup):
    """A group whose commands are put together when they are run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.place = "" if self.name == "wherefrom" else f"{self.name} "
        for word, command in self.commands.items():
            command.epilog = help_end(self.place + word)
        ours = [verb for verb in COMMANDS if verb.command.startswith(self.place)]
        rows = {verb.command.removeprefix(self.place): verb for verb in ours}
        self.commands: Any = Commands({word: verb for word, verb in rows.items() if " " not in word} | self.commands)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command without its options, enough to name it; None if there is none."""
        found = self.commands.data.get(cmd_name)
        return TyperCommand(cmd_name, help=summary_of(found)) if isinstance(found, Verb) else found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word, listed, rest = super().resolve_command(ctx, args)
        return word, listed and self.commands[listed.name], rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in their groups with a few words about each; those below one word all together."""
        listed = {title: self._words(entries) for title, entries in groups().items()}
        known = {word for words in listed.values() for word in words}
        listed["Others"] = [word for word in self.commands if word not in known]
        width = max(map(len, self.commands))
        for title, words in listed.items():
            if rows := [(word.ljust(width), self._about(ctx, word)) for word in words]:
                with formatter.section("Commands" if self.place else title):
                    formatter.write_dl(rows)

    def _words(self, entries: Mapping[str, Entry]) -> list[str]:
        """The words of this group's commands among some."""
        names = (name.removeprefix(self.place) for name in entries if name.startswith(self.place))
        return [word for word in dict.fromkeys(name.split()[0] for name in names) if word in self.commands.data]

    def _about(self, ctx: Any, word: str) -> str:
        entry = entry_of(self.place + word)
        return entry.about if entry else self.get_command(ctx, word).help.split(". ")[0].rstrip(".")


def _group(name: str, about: str, **settings: Any) -> typer.Typer:
    """A word with commands below it."""
    made = typer.Typer(cls=CommandGroup, help=about, **{"no_args_is_help": True, **settings})
    app.add_typer(made, name=name)
    return made


app = typer.Typer(
    name="wherefrom",
    help=_ABOUT,
    cls=CommandGroup,
    context_settings=_NAMES,
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,  # help with boxes takes three times as long
    add_completion=False,
    pretty_exceptions_enable=False,
)
_group("task", "Begin and end research tasks.")
_group("evidence", "Say what speaks for or against a claim.")
_group("page", "Correct what is known about a source.")
_group("key", "Make and end keys for those who call a service.")
_config = _group("config", "Show the settings in force, or change those in your file.", no_args_is_help=False)


@app.command("demo")
def run_demo(
    keep: Annotated[str | None, typer.Option("--keep", metavar="PATH", help="A new file for it.")] = None,
) -> None:
    """Walk through what a memory can do, on a small example in a fresh file."""
    interfaces.demo.run_demo(keep)


@app.command("move")
def run_move(as_json: Annotated[bool, _JSON] = False) -> None:
    """Bring a store that lies under the program's former name to where it is looked for now."""
    interfaces.moving.run_move(as_json=as_json)


@app.command("completion")
def print_completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell that you type in.")],
) -> None:
    """Print a script that lets a shell complete commands, options and their words. Make it anew after an upgrade."""
    interfaces.completion.print_script(shell)


@_config.callback(invoke_without_command=True)
def show_config(context: typer.Context, as_json: Annotated[bool, _JSON] = False) -> None:
    """Show the settings in force and where each comes from, or change those in your configuration file."""
    if context.invoked_subcommand is None:
        interfaces.configuration.show_settings(as_json=as_json)


@_config.command("path")
def show_config_path() -> None:
    """Print the path of your configuration file, whether it is there or not."""
    interfaces.configuration.show_path()


@_config.command("set")
def set_setting(
    name: Annotated[str, typer.Argument(help="The setting.", metavar="KEY")],
    value: Annotated[str, typer.Argument(help="Its value; words of a list are separated by commas.")],
) -> None:
    """Write a setting into your configuration file, which is made if it is missing. Comments in it stay."""
    interfaces.configuration.set_setting(name, value)


@_config.command("unset")
def unset_setting(name: Annotated[str, typer.Argument(help="The setting.", metavar="KEY")]) -> None:
    """Take a setting out of your configuration file."""
    interfaces.configuration.unset_setting(name)


@app.command("mcp", add_help_option=False, context_settings=_ANY_OPTIONS)
def serve(context: typer.Context) -> None:
    """Serve the memory to an MCP client over stdin and stdout."""
    interfaces.server.serve(context.args)


@app.command("serve", add_help_option=False, context_settings=_ANY_OPTIONS)
def serve_http(context: typer.Context) -> None:
    """Serve the memory over HTTP, to MCP clients, to programs, and to people by a page."""
    interfaces.serving.serve(context.args)


@app.command("setup", context_settings=_ANY_OPTIONS)
def set_up_client(
    context: typer.Context,
    client: Annotated[str, typer.Argument(help="claude-code, claude-desktop, cursor, vscode or codex.")],
    remove: Annotated[bool, typer.Option("--remove", help="Take out what was put in.")] = False,
    scope: Annotated[str, typer.Option("--scope", help="user: for all projects; project: in this folder.")] = "user",
    hooks: Annotated[bool, typer.Option("--hooks/--no-hooks", help="Claude Code: recall by itself.")] = True,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    only_show: Annotated[bool, typer.Option("--print", help="Show what would be written, and write nothing.")] = False,
) -> None:
    """Connect a client to the memory: show what changes in its configuration, ask, and write it. Further options, such
    as --db and --namespace, are those of `wherefrom mcp`.
    """
    interfaces.setup.run_setup(
        interfaces.setup.SetupRequest(client, scope, context.args, remove, hooks, yes, only_show)
    )


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
