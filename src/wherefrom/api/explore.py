"""The engine of exploration: SQL over what the access may see, and the analyses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from wherefrom.api.params import SqlRows, TaskId
from wherefrom.api.view import Engine
from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.evidence import QueryResult, Rendered, ViewShape
from wherefrom.model.param import Param
from wherefrom.storage.agent.port import Asked, Budget
from wherefrom.text import check

# An answer's rows may weigh so much before they are shown; each interface has its own, smaller ceiling.
_ANSWER_BYTES: Final = 1024 * 1024


def _check_sql(value: object, *, field: str) -> str:
    return check.check_text(value, field=field, characters=limits.SQL_CHARACTERS)


def _check_view(value: object, *, field: str) -> str:
    return check.check_text(value, field=field, characters=limits.TAG_CHARACTERS)


_ViewName = Annotated[str, Param("A view such as v_contradictions.", check=_check_view)]


class ExploreEngine(Engine):
    """Answers SQL, and runs the analyses."""

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
        parameters: Mapping[str, str] | None = None,
    ) -> QueryResult:
        """Run one SELECT over memos, claims, fragments, pages, edges, tasks, queries, embeddings and the views.

        It reads and cannot change anything, sees only what this access may see, and ends within its budget. What is
        wrong with the statement is part of the answer, with a hint. `parameters` are texts that stand as :name in it.
        """
        from wherefrom.explore.sql import query_graph

        if not isinstance(parameters, Mapping | None):
            raise InvalidInput(f"parameters must be an object, not {type(parameters).__name__}")
        budget = Budget(rows=limit, timeout_ms=timeout_ms, steps=max_vm_steps, answer_bytes=_ANSWER_BYTES)
        given = {
            check.check_tag(name): check.check_text(value, field=name, size=limits.QUERY_BYTES)
            for name, value in (parameters or {}).items()
        }
        asked = Asked(sql, budget, self.view.now(), given)
        return query_graph(self.store.reader, self.view.access, asked, include_schema=include_schema)

    def query_view(self, name: _ViewName, *, task_id: TaskId = None, limit: SqlRows = 50) -> QueryResult:
        """Run one of the analyses over all that this access may see, or with a task over that task."""
        from wherefrom.explore.sql import VIEW_BUDGET_MS, VIEW_STEPS, query_view

        budget = Budget(rows=limit, timeout_ms=VIEW_BUDGET_MS, steps=VIEW_STEPS, answer_bytes=_ANSWER_BYTES)
        return query_view(
            self.store.reader,
            self.view.access,
            name,
            task_id=task_id,
            budget=budget,
            now=self.view.now(),
            dialect=self.store.database.name,
        )

    def render_view(self, name: _ViewName, *, task_id: TaskId = None) -> Rendered:
        """Write the SQL of an analysis, to put into `with name as (…)` of a statement of your own, with its
        parameters.
        """
        from wherefrom.explore.views import render

        return render(name, self.store.database.name, task_id=task_id)

    def views(self) -> tuple[ViewShape, ...]:
        """List the analyses that there are: their names, questions and columns."""
        from wherefrom.explore.views import list_views

        return list_views()
