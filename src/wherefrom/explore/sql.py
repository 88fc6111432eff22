"""The verbs that run SQL, a caller's or that of an analysis: one statement within a budget, or a hint why it failed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from wherefrom.engine.params import SqlRows, TaskId
from wherefrom.engine.view import Engine
from wherefrom.explore.views import list_views, render
from wherefrom.lazy import lazy_modules
from wherefrom.model import cancellation, limits
from wherefrom.model.evidence import QueryResult, Rendered, ViewShape
from wherefrom.model.param import Param
from wherefrom.storage.agent.port import Budget, SqlFailed, Statement
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.explore import hints
else:
    (hints,) = lazy_modules("wherefrom.explore", "hints")

# For all rows of an answer together; each interface shows less.
_MAX_ANSWER_BYTES: Final = 1024 * 1024
# The budget of a view: our own SQL, whose cost is known.
_VIEW_MILLISECONDS: Final = 2_000
_VIEW_STEPS: Final = 200_000_000
_MAX_COLUMN_CHARACTERS: Final = 100
_MAX_MESSAGE_CHARACTERS: Final = 300


_check_sql = partial(check.check_text, characters=limits.SQL_CHARACTERS)
_check_view = partial(check.check_text, characters=limits.TAG_CHARACTERS)
_ViewName = Annotated[str, Param("A view such as v_contradictions.", check=_check_view)]


class ExploreEngine(Engine):
    """Runs SQL over what the access may see, and the analyses."""

    def query_graph(
        self,
        sql: Annotated[
            str,
            Param(
                "One SELECT, e.g. SELECT c.claim_text, e.relation, f.text_content, p.url FROM claims c "
                "JOIN edges e ON e.target_id = c.id JOIN fragments f ON f.id = e.source_id "
                "JOIN pages p ON p.id = f.page_id WHERE c.task_id = '…' LIMIT 10",
                metavar="SQL",
                check=_check_sql,
            ),
        ],
        *,
        limit: SqlRows = 50,
        timeout_ms: Annotated[int, Param("How long it may take, in milliseconds.", 1, limits.SQL_MILLISECONDS)] = 300,
        max_vm_steps: Annotated[
            int, Param("SQLite's steps; no meaning on PostgreSQL.", 1, limits.SQL_STEPS, option="--max-steps")
        ] = 500_000,
        include_schema: Annotated[bool, Param("Also list the tables and their columns.", option="--schema")] = False,
        parameters: Annotated[Mapping[str, str] | None, Param(only="code")] = None,
    ) -> QueryResult:
        """Run one SELECT over memos, claims, fragments, pages, edges, tasks, queries, embeddings, history and the
        views.

        It reads and cannot change anything, sees only what this access may see, and ends within its budget. What is
        wrong with the statement is part of the answer, with a hint. `parameters` are texts that stand as :name in it.
        """
        given = {
            check.check_tag(name): check.check_text(value, field=name, size=limits.QUERY_BYTES)
            for name, value in (parameters or {}).items()
        }
        budget = Budget(limit, timeout_ms, max_vm_steps, _MAX_ANSWER_BYTES)
        found = self._answer(Statement(sql, budget, self.view.now(), given), include_schema=include_schema)
        return replace(found, notes=self.store.reader.notes)

    def query_view(self, name: _ViewName, *, task_id: TaskId = None, limit: SqlRows = 50) -> QueryResult:
        """Run one of the analyses over all that this access may see, or with a task over that task."""
        rendered = render(name, task_id=task_id)
        # One more than is shown says whether there are more; and who sorts for a few keeps only a few.
        text = f"select * from ({rendered.sql}) as v limit {limit + 1}"  # noqa: S608  # our text and a number
        budget = Budget(limit, _VIEW_MILLISECONDS, _VIEW_STEPS, _MAX_ANSWER_BYTES)
        return self._answer(Statement(text, budget, self.view.now(), rendered.parameters, ours=True))

    def render_view(self, name: _ViewName, *, task_id: TaskId = None) -> Rendered:
        """Write the SQL of an analysis, to put into `with name as (…)` of a statement of your own, with its
        parameters.
        """
        return render(name, task_id=task_id)

    def views(self) -> tuple[ViewShape, ...]:
        """List the analyses that there are: their names, questions and columns."""
        return list_views()

    def _answer(self, statement: Statement, *, include_schema: bool = False) -> QueryResult:
        """Return the answer to a statement; an error while it runs is part of it, with a hint, and raises nothing.
        A call that was stopped has no answer.
        """
        call = cancellation.current()
        call.check()
        reader, access, begun = self.store.reader, self.view.access, time.perf_counter()
        schema = reader.shapes(access) if include_schema else None
        result = QueryResult((), (), False, 0, schema=schema, dialect=reader.dialect)
        try:
            found = reader.answer(access, statement)
        except SqlFailed as failed:
            call.check()  # it is not the statement that failed
            hint = hints.hint_for(failed, statement.sql, reader.shapes(access), reader.dialect)
            message = failed.message  # it may repeat the statement
            if len(message) > _MAX_MESSAGE_CHARACTERS:
                message = message[: _MAX_MESSAGE_CHARACTERS - 1] + "…"
            result = replace(result, error=message, hint=hint)
        else:
            rows = tuple(tuple(map(_plain, row)) for row in found.rows)
            result = replace(result, columns=_distinct(found.columns), rows=rows, truncated=found.truncated)
        return replace(result, elapsed_ms=round((time.perf_counter() - begun) * 1000))


def _distinct(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with a number after each name that was there before, as a row becomes an object."""
    seen: dict[str, int] = {}
    names: list[str] = []
    for long in columns:
        column = name = long[:_MAX_COLUMN_CHARACTERS]
        while name in seen:
            seen[column] += 1
            name = f"{column}_{seen[column]}"
        seen[name] = 1
        names.append(name)
    return tuple(names)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: bytes in hexadecimal, numbers that JSON lacks as text."""
    match value:
        case None | bool() | int() | str() | dict() | list():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return _plain(float(value)) if value.is_finite() else str(value)
        case bytes() | memoryview():
            return bytes(value).hex()
        case date():  # a datetime is one, too
            return value.isoformat()
        case _:
            return str(value)
