"""Names in an agent's SELECT on PostgreSQL: of columns, functions and types, as PostgreSQL reads them."""

from __future__ import annotations

from typing import Any

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.storage.agent.postgres_guard_lists import COLUMN_NAMES, TYPE_COLUMNS, TYPES


def folded(node: Any) -> str:
    """The name that PostgreSQL makes of an identifier."""
    if type(node).__name__ != "Identifier":
        raise InvalidInput("a name is expected", hint="names are plain or in double quotes")
    name = str(node.this)
    if not node.args.get("quoted"):  # PostgreSQL folds only ASCII
        name = "".join(character.lower() if character.isascii() else character for character in name)
    if not 0 < len(name.encode()) <= 63 or name.startswith("pg_"):
        raise InvalidInput(f"not a name in a query: {shown(name)}")
    return name


def quote(name: str) -> str:
    """The name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def quoted(node: Any) -> str:
    """An identifier in double quotes, so that it is never a keyword."""
    return quote(folded(node))


def function_name(node: Any) -> str:
    """The name of a function that is called by a plain word."""
    if not isinstance(node.this, str):
        raise InvalidInput(f"no such function: {shown(node.name)}", hint="function names are not quoted or qualified")
    return node.this.lower()


def type_name(node: Any) -> str | None:
    """PostgreSQL's name of a listed type."""
    return TYPES.get(getattr(node.this, "name", "")) if type(node).__name__ == "DataType" else None


def column_name(node: Any) -> str | None:
    """The name that PostgreSQL gives to an output column without an alias: rewriting must not change it."""
    kind = type(node).__name__
    if kind == "Column":
        return folded(node.this)
    if kind in ("Paren", "Window", "Filter"):
        return column_name(node.this)
    if kind == "Anonymous":
        return function_name(node)
    if kind == "Cast":
        kept, own = column_name(node.this), type_name(node.args["to"]) or ""
        return kept if kept not in (None, "case") else TYPE_COLUMNS.get(own, own)
    if kind == "Case":
        return column_name(node.args.get("default")) or "case"
    if kind == "Trim":
        return trim_name(node)
    if kind == "Subquery" and type(node.this).__name__ == "Select":
        first = node.this.expressions[0]
        return folded(first.args["alias"]) if type(first).__name__ == "Alias" else column_name(first)
    return COLUMN_NAMES.get(kind)


def trim_name(node: Any) -> str:
    """PostgreSQL's function for what TRIM asks for."""
    return {"": "btrim", "BOTH": "btrim", "LEADING": "ltrim", "TRAILING": "rtrim"}[node.args.get("position") or ""]
