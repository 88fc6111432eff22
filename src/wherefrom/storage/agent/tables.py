"""The tables that agents see, written out for a dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from wherefrom.storage.sql import Fragments, blocks, fragments, render

PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")


def definitions(dialect: str, own: Fragments) -> dict[str, str]:
    """Return the SELECT of each table, written with the fragments of a dialect and with `own`, those of the access."""
    known = {**fragments(dialect), **blocks(f"agent/queries/{dialect}").fragments, **own}
    return {name: render(text, known) for name, text in blocks("agent/queries").names.items()}


def names() -> tuple[str, ...]:
    """Return the names of the tables that agents see."""
    return tuple(blocks("agent/queries").names)


def written_out(sql: str, parameters: Mapping[str, Any]) -> str:
    """Return SQL with its parameters as literals; those that have no value stay. (A view takes no parameters.)"""

    def literal(match: re.Match[str]) -> str:
        value = parameters.get(match[1])
        return match[0] if value is None else "'" + str(value).replace("'", "''") + "'"

    return PARAMETER.sub(literal, sql) if parameters else sql


def unhidden(hidden: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return SQLite's condition that leaves out what a policy hides, and its parameters. It has no subquery.

    SQLite evaluates a correlated subquery after all other conditions. Then a statement's own conditions would see
    hidden rows first, and tell of them by failing.
    """
    by_length, parameters = _by_length("hidden", hidden)
    text = "".join(
        f" and substr({{0}} || ' ' || {{1}} || '/', 1, {length}) not in ({listed})" for length, listed in by_length
    )
    return text, parameters


def readable(also: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the condition that a namespace is in the root or in a further root, and its parameters, likewise."""
    by_length, parameters = _by_length("also", [root + "/" for root in also])
    others = "".join(f" or substr({{0}} || '/', 1, {length}) in ({listed})" for length, listed in by_length)
    return f"({{inside {{0}} root}}{others})", parameters


def _by_length(name: str, prefixes: Sequence[str]) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """Return the names of the parameters for the prefixes of each length, and the values of all parameters."""
    found: list[tuple[int, str]] = []
    parameters: dict[str, str] = {}
    for length, some in groupby(sorted(prefixes, key=len), key=len):
        named = {f"{name}_{'x' * (len(parameters) + number)}": prefix for number, prefix in enumerate(some, 1)}
        parameters |= named
        found.append((length, ", ".join(f":{parameter}" for parameter in named)))
    return found, parameters
