"""The fence before an agent's SELECT on SQLite: how large it becomes when subqueries are merged.

SQLite puts the expression of a subquery's column wherever the column is named: `s || s` over `s || s`, 24 deep, took
48 seconds and 4.9 GB before it ran, and no handler is asked meanwhile. So the size after that is estimated from the
words of the text, and what is too large is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

MAX_WORDS: Final = 200_000  # estimated; each takes less than 3 µs and 300 bytes
_MAX_PASSES: Final = 20
_TOKEN: Final = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|/\*.*?(?:\*/|$)|\d[\w.]*|[\w$]+|\S""",
    re.DOTALL,
)
_NO_NAMES: Final = frozenset(
    """
    all and as asc between by case cast collate desc distinct else end escape exists filter glob in is isnull like not
    notnull null or order over partition select then when
    """.split()  # noqa: SIM905  # a list of words
)


def too_large(sql: str) -> bool:
    """Whether a statement may become larger than MAX_WORDS words."""
    words = [_plain(token) for token in _TOKEN.findall(sql) if not token.startswith(("--", "/*"))]
    sizes: dict[str, int] = {}
    for _ in range(_MAX_PASSES):  # a CTE may stand before those that it reads
        before = dict(sizes)
        if _largest(words, sizes) > MAX_WORDS:
            return True
        if sizes == before:
            return False
    return True


@dataclass(slots=True)
class _Query:
    """A query in parentheses, as far as it has been read; also any other parentheses."""

    name: str | None = None
    """Of a CTE."""
    kept: bool = False
    """A CTE AS MATERIALIZED stays by itself."""
    last: list[str] = field(default_factory=list)
    is_query: bool = False
    in_columns: bool = False
    grouped: bool = False
    words: int = 0
    names: int = 0
    column_words: int = 0
    column_names: int = 0
    columns: list[tuple[int, int]] = field(default_factory=list)
    source: int = 1
    size: int = 1
    largest: int = 1

    def end_column(self) -> None:
        self.columns.append((self.column_words, self.column_names))
        self.column_words = self.column_names = 0

    def end_select(self) -> None:
        """A part of a UNION, or all of it. What is grouped is never merged."""
        self.end_column()
        self.largest = max(self.largest, self.words + self.names * self.source)
        if not self.grouped:
            self.size = max(self.size, *(words + names * self.source for words, names in self.columns))
        self.grouped, self.columns = False, []


def _largest(words: Sequence[str], sizes: dict[str, int]) -> int:
    """The size of the largest query, with the sizes of CTEs as far as they are known."""
    open_ = [_Query()]
    for at, word in enumerate(words):
        query = open_[-1]
        if word == "(":
            open_.append(_opened(query.last))
            continue
        if word == ")" and len(open_) > 1:
            _close(open_, sizes)
            word = "()"
        elif word == "select":
            query.end_select()
            query.is_query = query.in_columns = True
        elif query.in_columns and word in (",", "from"):
            query.end_column()
            query.in_columns = word == ","
        elif word == "group":
            query.grouped = True
        elif word in sizes and all(each.name != word for each in open_):
            query.source = max(query.source, sizes[word])
        query.last.append(word)
        query.words += 1
        called = at + 1 < len(words) and words[at + 1] == "("
        if (word[0].isalnum() or word[0] in "_$") and word not in _NO_NAMES and not called:
            query.names += 1
            query.column_names += query.in_columns
        query.column_words += query.in_columns
    while len(open_) > 1:
        _close(open_, sizes)
    open_[0].end_select()
    return max(open_[0].largest, open_[0].size)


def _close(open_: list[_Query], sizes: dict[str, int]) -> None:
    inner = open_.pop()
    inner.end_select()
    outer = open_[-1]
    outer.largest = max(outer.largest, inner.largest, inner.size)
    if inner.name is not None:
        size = 1 if inner.kept else inner.size
        sizes[inner.name] = min(max(sizes.get(inner.name, 1), size), 10 * MAX_WORDS)
        return
    if inner.is_query:
        outer.source = max(outer.source, inner.size)
    outer.words += inner.words
    outer.names += inner.names
    if outer.in_columns:
        outer.column_words += inner.words
        outer.column_names += inner.names


def _opened(last: Sequence[str]) -> _Query:
    """After `name as`, `name (columns) as`, each with or without MATERIALIZED, there is a CTE."""
    before = list(last[-5:])
    kept = before[-1:] == ["materialized"] and before[-2:-1] != ["not"]
    while before and before[-1] in ("materialized", "not"):
        before.pop()
    if before[-1:] != ["as"]:
        return _Query()
    before.pop()
    if before[-1:] == ["()"]:
        before.pop()
    return _Query(name=before[-1], kept=kept) if before else _Query()


def _plain(token: str) -> str:
    """A name without its quotes. A text may be a name, too, as SQLite reads it."""
    return token[1:-1].lower() or "_" if token[0] in "'\"`[" and len(token) > 1 else token.lower()
