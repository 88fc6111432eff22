"""Pieces of tables for people. Stored text is shown as data: no markup, no control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wherefrom.interfaces.cli.layout import shortened
from wherefrom.model.graph import GUESSING, HUMAN, Edge
from wherefrom.model.identifiers import is_whole, short_id
from wherefrom.text.check import json_text

_CELL_CHARACTERS: Final = 120
# Columns whose entries are copied or compared, and so never broken into lines.
_UNBROKEN: Final = frozenset(("rank", "id", "when", "score", "similarity", "step", "weight", "sure", "thick"))


def new_table(*columns: str) -> Table:
    """A plain table; ids are copied, so they are never cut. Who writes SQL chooses names, so they are data as well."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(cell(column), overflow="fold", no_wrap=column in _UNBROKEN)
    return table


def rows_table(columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> Table:
    """Rows of values as a table."""
    table = new_table(*columns)
    for row in rows:
        table.add_row(*map(cell, row))
    return table


def table_of(rows: Iterable[object], columns: str, *, empty: str = "nothing here yet") -> Table | str:
    """A row for each object, with these of its attributes or of its parts' attributes."""
    paths = columns.split()
    names = [path.rpartition(".")[2].replace("_", " ") for path in paths]
    table = rows_table(names, ([named(path, attrgetter(path)(row)) for path in paths] for row in rows))
    return table if table.row_count else empty


def generic_lines(value: Mapping[str, Any]) -> Iterator[RenderableType]:
    """An object as two columns, and its lists of objects as tables below."""
    tables = {
        name: rows for name, rows in value.items() if isinstance(rows, list) and rows and isinstance(rows[0], dict)
    }
    plain = new_table("", "")
    labels: set[str] = set()
    plain.show_header = False
    plainly = {name: inner for name, inner in value.items() if name not in {*tables, "next_cursor", "truncated"}}
    for name, inner in plainly.items():
        for label, entry in inner.items() if isinstance(inner, dict) else [(name, inner)]:
            if entry not in (None, "", [], {}) and not (isinstance(entry, list) and isinstance(entry[0], list)):
                is_count = isinstance(entry, int) and not isinstance(entry, bool) and not label.endswith("year")
                said = f"{entry:,}" if is_count else named(label, entry)
                label = f"{name} {label}" if label in labels else str(label)
                labels.add(label)
                plain.add_row(shown(label.replace("_", " ")), cell(said))
    yield plain
    for name, inner in tables.items():
        yield from ("", f"{name.replace('_', ' ')}:", generic_table(inner))


def generic_table(rows: list[dict[str, Any]]) -> RenderableType:
    """Objects as a table; columns that are empty in all of them are left out."""
    names = [name for name in rows[0] if any(_is_short(row.get(name)) for row in rows)] if rows else []
    return table_of([SimpleNamespace(**row) for row in rows], " ".join(names))


def _is_short(value: Any) -> bool:
    return value not in (None, "") and not isinstance(value, list | dict) and "\n" not in str(value)


def degraded_lines(result: Any) -> Iterator[Text]:
    """Return a line for each reason why an answer may lack something."""
    return (shown(f"degraded: {why}") for why in result.degraded)


def counts_of(counts: Mapping[str, int]) -> str:
    """Numbers with what they count."""
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())


def shown(text: str, *, style: str = "", lines: bool = False) -> Text:
    """Text as data: control characters made visible, nothing interpreted."""
    return Text("".join(_visible(character, lines=lines) for character in text), style=style)


def cell(value: Any) -> Text:
    """A value as the entry of a table, not too long."""
    if isinstance(value, Text):
        return value
    text = "" if value is None else value if isinstance(value, str) else json_text(value)
    return shown(_cut(text, _CELL_CHARACTERS))


def tidy(value: Any) -> Any:
    """A number with three digits; anything else as it is."""
    return f"{value:.3f}" if isinstance(value, float) else value


def named(name: str, value: Any) -> Any:
    """A value as people see it under a name: an id, or several, by the last characters, a number with three digits."""
    if isinstance(value, list) and value and all(isinstance(item, str) and is_whole(item) for item in value):
        return ", ".join(map(short_id, value))
    is_id = name.rpartition(".")[2].rpartition("_")[2] == "id"
    return short_id(value) if is_id and isinstance(value, str) and is_whole(value) else tidy(value)


def first_line(text: str, *, width: int = 60) -> Text:
    """The beginning of a text, on one line of at most so many cells."""
    return shortened(shown(" ".join(text[: width * 4].split())), width)


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def when(timestamp: str) -> str:
    """A stored time, to the second."""
    return timestamp[:19].replace("T", " ")


def judge_of(edge: Edge) -> str:
    """Names who judged a relation; a program's guess is marked as one."""
    if edge.judge in GUESSING:
        return f"guess: {edge.judge}"
    return "stated" if edge.judge is None else "person" if edge.judge == HUMAN else edge.judge


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _visible(character: str, *, lines: bool) -> str:
    if lines and character in "\n\t":
        return character
    if unicodedata.category(character) in ("Cc", "Cf") and character not in "\u200c\u200d":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
    return character
