"""The tables that agents see, written out for a dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any, Final

from wherefrom.storage.statements import FRAGMENTS, blocks_of

_FRAGMENT: Final = re.compile(r"\{(\w+)(?: ([\w.]+))?(?: ([\w.]+))?\}")
_COMMENT: Final = re.compile(r"^\s*--.*\n", re.MULTILINE)
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")

Words = Mapping[str, str]
"""How a dialect writes the fragments of tables.sql: the alias stands for {0}, the name for {1}."""


def definitions(words: Words) -> dict[str, str]:
    """The select of each table, with a dialect's words in place of fragments."""
    found = {}
    for name, block in _blocks().items():
        text = block
        while (expanded := _FRAGMENT.sub(lambda match: _expand(match, words), text)) != text:
            text = expanded
        found[name] = text.strip()
    return found


def names() -> tuple[str, ...]:
    """The tables that agents see."""
    return tuple(_blocks())


def written_out(sql: str, parameters: Mapping[str, Any]) -> str:
    """A definition with its parameters as literals: a view takes none."""
    return _PARAMETER.sub(lambda match: _literal(parameters[match[1]]), sql)


def unhidden(hidden: Sequence[str]) -> tuple[str, dict[str, str]]:
    """What a policy hides, as a condition for SQLite without a subquery, and its parameters.

    SQLite evaluates a correlated subquery after all other conditions. Then a statement's own conditions would see
    hidden rows first, and tell of them by failing.
    """
    by_length, parameters = _by_length("hidden", hidden)
    text = "".join(
        f" and substr({{0}} || ' ' || {{1}} || '/', 1, {length}) not in ({listed})" for length, listed in by_length
    )
    return text, parameters


def readable(also: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Whether a namespace is in the root or in one of the further roots, likewise."""
    by_length, parameters = _by_length("also", [root + "/" for root in also])
    others = "".join(f" or substr({{0}} || '/', 1, {length}) in ({listed})" for length, listed in by_length)
    return f"({{{{inside {{0}} root}}}}{others})", parameters


def _by_length(name: str, prefixes: Sequence[str]) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """Prefixes of each length as a list of parameters, and those."""
    found: list[tuple[int, str]] = []
    parameters: dict[str, str] = {}
    for length, some in groupby(sorted(prefixes, key=len), key=len):
        named = {f"{name}_{'x' * (len(parameters) + number)}": each for number, each in enumerate(some, 1)}
        parameters |= named
        found.append((length, ", ".join(f":{each}" for each in named)))
    return found, parameters


def _expand(match: re.Match[str], words: Words) -> str:
    name, *arguments = match.groups()
    given = [argument for argument in arguments if argument is not None]
    if name in words:
        return words[name].format(*given)
    return FRAGMENTS[name](*given)


def _literal(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


@cache
def _blocks() -> dict[str, str]:
    text = files("wherefrom.storage.agent").joinpath("tables.sql").read_text(encoding="utf-8")
    return {name: _COMMENT.sub("", block) for name, block in blocks_of(text).items()}
