"""The port of agents' SQL: it reads only, sees only what the access may see, and ends within its budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from wherefrom.model.access import Access
from wherefrom.model.evidence import TableShape

BASE_TABLES: Final = ("nodes", "edges", "tasks", "queries", "embeddings", "embedding_models", "events")
# A text, blob or row that is longer stops the statement.
MAX_VALUE_BYTES: Final = 150_000
MAX_ROW_BYTES: Final = 4_000_000
MAX_PATTERN_CHARACTERS: Final = 256
MAX_COLUMNS: Final = 100

Failure = Literal["refused", "interrupted", "failed"]
Dialect = Literal["SQLite", "PostgreSQL"]


class SqlFailed(Exception):
    """A statement gave no answer: it was refused, ran out of its budget, or is wrong."""

    def __init__(self, kind: Failure, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a statement may use: rows, milliseconds, steps of SQLite's engine, bytes of the answer."""

    rows: int
    timeout_ms: int
    steps: int
    answer_bytes: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its parameters. `ours`: we wrote it, so its text is not checked; every other bound holds."""

    sql: str
    budget: Budget
    now: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows, and whether there were more than the budget allows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


class Reader(Protocol):
    """Runs statements of agents on one database. Threads may share it."""

    dialect: Dialect
    """The database whose SQL it takes."""
    notes: tuple[str, ...]
    """Remarks on this database for the caller."""

    def answer(self, access: Access, statement: Statement) -> Rows:
        """Return the rows of one statement; raise SqlFailed if it gives none."""

    def shapes(self, access: Access) -> tuple[TableShape, ...]:
        """Return the tables and views that a statement may read."""

    def close(self) -> None:
        """Release its connections."""


def collected(found: Iterable[tuple[Any, ...]], budget: Budget) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """Return the rows until the budget's number of rows or of bytes is reached, and whether it was."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    for row in found:
        if len(rows) >= budget.rows:
            return tuple(rows), True
        weight = sum(map(_weight, row))
        if weight > MAX_ROW_BYTES:
            raise SqlFailed("failed", f"a row is too big: {weight:,} bytes", "select fewer or shorter columns")
        rows.append(row)
        size += weight
        if size > budget.answer_bytes:
            return tuple(rows), True
    return tuple(rows), False


def _weight(value: object) -> int:
    if isinstance(value, str):
        return len(value.encode("utf-8", "replace"))
    if isinstance(value, dict | list):
        return len(str(value))
    return 2 * len(value) if isinstance(value, bytes) else 8
