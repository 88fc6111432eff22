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
    tables = blocks("agent/queries")
    known = {**fragments(dialect), **tables.fragments, **blocks(f"agent/queries/{dialect}").fragments, **own}
    return {name: render(text, known) for name, text in tables.names.items()}


def names() -> tuple[str, ...]:
    """Return the names of the tables that agents see."""
    return tuple(blocks("agent/queries").names)


def with_literals(sql: str, parameters: Mapping[str, Any]) -> str:
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
    tests, parameters = _prefix_tests("{0} || ' ' || {1} || '/'", "not in", "hidden", hidden)
    return "".join(f" and {test}" for test in tests), parameters


def wholly_seen(partly_seen: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the condition on events of no single node, and its parameters, likewise."""
    named = {f"partly_{'x' * number}": place for number, place in enumerate(partly_seen, 1)}
    places = ", ".join(f":{name}" for name in named)
    return f" and ({{0}}.node_id is not null or {{0}}.namespace not in ({places}))" if named else "", named


def readable(also: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the condition that a namespace is in the root or in a further root, and its parameters, likewise."""
    tests, parameters = _prefix_tests("{0} || '/'", "in", "also", [root + "/" for root in also])
    return f"({' or '.join(['{inside {0} root}', *tests])})", parameters


def _prefix_tests(text: str, word: str, name: str, prefixes: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return a test of a text against the prefixes of each length, and the parameters, which `name` begins."""
    tests: list[str] = []
    parameters: dict[str, str] = {}
    for length, some in groupby(sorted(prefixes, key=len), key=len):
        named = {f"{name}_{'x' * (len(parameters) + number)}": prefix for number, prefix in enumerate(some, 1)}
        parameters |= named
        tests.append(f"substr({text}, 1, {length}) {word} ({', '.join(f':{parameter}' for parameter in named)})")
    return tests, parameters
