"""The command line: memory commands, the demo, and the MCP server."""

from __future__ import annotations

import io
import sys
from importlib import metadata
from typing import Annotated

import typer

from wherefrom.interfaces.cli.commands import build
from wherefrom.interfaces.cli.move import run as move_store
from wherefrom.interfaces.cli.special import SPECIALS

_ABOUT = "A memory for AI agents that can say where every statement comes from."
app = build(SPECIALS, name="wherefrom", help=_ABOUT)


@app.command("demo")
def run_demo(
    keep: Annotated[str | None, typer.Option("--keep", metavar="PATH", help="A new file for it.")] = None,
) -> None:
    """Walk through what a memory can do, on a small example in a fresh file."""
    from wherefrom.interfaces.cli.demo import run

    run(keep)


@app.command("move")
def run_move(as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False) -> None:
    """Bring a store that lies under the program's former name to where it is looked for now."""
    move_store(as_json=as_json)


@app.command("mcp", add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def serve(context: typer.Context) -> None:
    """Serve the memory to an MCP client over stdin and stdout."""
    from wherefrom.interfaces.mcp.command import main as serve_mcp

    raise typer.Exit(serve_mcp(context.args))


@app.callback()
def top(
    version: Annotated[bool, typer.Option("--version", help="Say which version this is.", is_eager=True)] = False,
) -> None:
    """A memory for AI agents that can say where every statement comes from."""
    if version:
        typer.echo(metadata.version("wherefrom"))
        raise typer.Exit


def main() -> None:
    """Run the command line; what it prints is UTF-8 everywhere."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    app()
