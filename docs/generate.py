"""Writes the reference pages from the code. `python -m docs.generate`; a test fails when they fall behind."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import typer.main

from recollect import config
from recollect.interfaces.cli.app import app
from recollect.interfaces.cli.session import EXIT_CODES
from recollect.interfaces.mcp.server import INSTRUCTIONS, TOOLS
from recollect.interfaces.mcp.tool import CEILING_BYTES
from recollect.model import errors, limits

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Written by `make docs`; do not edit. -->\n\n"


def main() -> None:
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Each reference page and its text."""
    found = {"tools.md": tools(), "cli.md": commands(), "settings.md": settings(), "errors.md": error_codes()}
    return {name: NOTE + text for name, text in found.items()}


def tools() -> str:
    parts = [
        "# MCP tools\n",
        f"No answer weighs more than {CEILING_BYTES:,} bytes on the wire, text and structured copy together; what does "
        "not fit is reached with `next_cursor`. Unknown inputs are refused.\n",
        "The server tells the agent:\n",
        "```text\n" + INSTRUCTIONS + "\n```\n",
    ]
    for tool in TOOLS:
        listed = tool.listed()
        parts.append(f"## `{tool.name}`\n\n{tool.description}\n")
        parts.append("| input | type | default | |\n|---|---|---|---|")
        required = listed.input_schema.get("required", [])
        for name, schema in listed.input_schema["properties"].items():
            default = "required" if name in required else f"`{schema.get('default')}`"
            parts.append(f"| `{name}` | {_type(schema)} | {default} | {schema.get('description', '')} |")
        parts.append("\nAnswers " + ", ".join(f"`{name}`" for name in listed.output_schema["properties"]) + ".")
        parts.append("Also answers to " + ", ".join(f"`{alias}`" for alias in tool.aliases) + ".\n")
    return "\n".join(parts)


def commands() -> str:
    parts = [
        "# Command line\n",
        "Every command that opens a memory takes `--db`, `--owner`, `--root`, `--allow` and `--json`; "
        "[settings](settings.md) says what they mean.\n",
    ]
    group = typer.main.get_command(app)
    for name, command in sorted(group.commands.items()):  # type: ignore[attr-defined]
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(_argument(p) for p in arguments)
        parts.append(f"## `recollect {name}{' ' + usage if usage else ''}`\n\n{(command.help or '').strip()}\n")
        own = [p for p in command.params if p.param_type_name == "option" and p.name not in _COMMON]
        if own:
            parts.append("| option | |\n|---|---|")
            parts += [f"| `{', '.join(p.opts)}` | {p.help or ''} |" for p in own]
            parts.append("")
    parts.append(
        "## Exit codes\n\n| code | |\n|---|---|\n| 0 | done |\n| 1 | `doctor` found something, or a fault of ours |"
    )
    parts += [f"| {code} | {meaning} (`{kind.code}`) |" for kind, code, meaning in EXIT_CODES]
    parts.append("| 130 | interrupted |\n| 141 | the reader of the output went away |\n")
    return "\n".join(parts)


def settings() -> str:
    parts = [
        "# Settings\n",
        "What the call gives holds; then the environment; then the default.\n",
        "| setting | variable | default | |\n|---|---|---|---|",
    ]
    parts += [
        f"| `{s.name}` | `{s.variable}` | {f'`{s.default}`' if s.default != '' else 'empty'} | {s.description} |"
        for s in config.SETTINGS
    ]
    sizes = {name: value for name, value in vars(limits).items() if name.isupper()}
    parts.append("\n# Limits\n\n| limit | value |\n|---|---|")
    parts += [f"| {name.lower().replace('_', ' ')} | {value:,} |" for name, value in sizes.items()]
    return "\n".join(parts) + "\n"


def error_codes() -> str:
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if issubclass(c, errors.RecollectError)]
    parts = [
        "# Errors\n",
        "Over MCP an error is a result with `isError` and the text "
        '`{"error": {"code", "message", "hint"}}`; on the command line it is `code: message` on standard error, '
        "or the same JSON with `--json`. `internal_error` means a fault of ours; the server's log has the details.\n",
        "| code | Python class | when |\n|---|---|---|",
    ]
    parts += [
        f"| `{c.code}` | `{c.__name__}` | {inspect.getdoc(c)} |" for c in classes if c is not errors.RecollectError
    ]
    return "\n".join(parts) + "\n"


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).upper()
    return name if parameter.required else f"[{name}]"


def _type(schema: dict[str, Any]) -> str:
    options = schema.get("anyOf", [schema])
    names = [" or ".join(map(str, o["enum"])) if "enum" in o else o.get("type", "any") for o in options]
    return " or ".join(name for name in names if name != "null")


_COMMON = {"db", "owner", "root", "allow", "as_json", "help"}

if __name__ == "__main__":
    main()
