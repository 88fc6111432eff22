"""`query_graph` and `query_view`: one statement, its answer within a budget, and a hint where it went wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from wherefrom.explore.hints import hint_for
from wherefrom.explore.views import render
from wherefrom.model import cancellation
from wherefrom.model.access import Access
from wherefrom.model.evidence import QueryResult
from wherefrom.storage.agent.port import Asked, Budget, Reader, SqlFailed

# Views have a budget of their own: what they cost is known.
VIEW_BUDGET_MS: Final = 2_000
VIEW_STEPS: Final = 200_000_000
_NAME_CHARACTERS: Final = 100
_MESSAGE_CHARACTERS: Final = 300


def query_graph(reader: Reader, access: Access, asked: Asked, *, include_schema: bool) -> QueryResult:
    """Run an agent's statement. What goes wrong while it runs is an answer, not an error."""
    return _result(reader, access, asked, include_schema=include_schema, notes=reader.notes)


def query_view(
    reader: Reader, access: Access, name: str, *, task_id: str | None, budget: Budget, now: str, dialect: str
) -> QueryResult:
    """Run one of the analyses, for all that the access may see or for one task."""
    rendered = render(name, dialect, task_id=task_id)
    # One more than is shown says whether there are more; and who sorts for a few keeps only a few.
    text = f"select * from ({rendered.sql}) as v limit {budget.rows + 1}"  # noqa: S608  # our text and a number
    asked = Asked(text, budget, now, parameters=rendered.parameters, ours=True)
    return _result(reader, access, asked, include_schema=False, notes=())


def _result(
    reader: Reader, access: Access, asked: Asked, *, include_schema: bool, notes: tuple[str, ...]
) -> QueryResult:
    begun = time.perf_counter()
    schema = reader.shapes(access) if include_schema else None
    try:
        if cancellation.current().cancelled:
            raise SqlFailed("interrupted", "interrupted (cancelled)")
        answered = reader.answer(access, asked)
    except SqlFailed as failed:
        hint = hint_for(failed, asked.sql, reader.shapes(access), reader.dialect)
        message = _short(failed.message)
        return QueryResult((), (), False, _elapsed_ms(begun), message, hint, schema, notes, reader.dialect)
    rows = tuple(tuple(map(_plain, row)) for row in answered.rows)
    return QueryResult(
        _distinct(answered.columns),
        rows,
        answered.truncated,
        _elapsed_ms(begun),
        schema=schema,
        notes=notes,
        dialect=reader.dialect,
    )


def _short(message: str) -> str:
    """A database's message, which may repeat the statement, at a length that helps."""
    return message if len(message) <= _MESSAGE_CHARACTERS else message[: _MESSAGE_CHARACTERS - 1] + "…"


def _elapsed_ms(begun: float) -> int:
    return round((time.perf_counter() - begun) * 1000)


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names of which no two are the same: a row becomes an object."""
    seen: dict[str, int] = {}
    names: list[str] = []
    for long in columns:
        column = name = long[:_NAME_CHARACTERS]
        while name in seen:
            seen[column] += 1
            name = f"{column}_{seen[column]}"
        seen[name] = 1
        names.append(name)
    return tuple(names)


def _plain(value: Any) -> Any:
    """A value as JSON has it: bytes in hexadecimal, numbers that JSON lacks as text."""
    match value:
        case None | bool() | int() | str() | dict() | list():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return _plain(float(value)) if value.is_finite() else str(value)
        case bytes() | memoryview():
            return bytes(value).hex()
        case datetime() | date():
            return value.isoformat()
        case _:
            return str(value)
