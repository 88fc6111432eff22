"""Verbs that explore: SQL over what the access may see, and the analyses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from wherefrom.api.state import Verbs
from wherefrom.model import limits
from wherefrom.model.evidence import QueryResult, Rendered, ViewShape
from wherefrom.storage.agent.port import Asked, Budget, Reader
from wherefrom.text import check

# An answer's rows may weigh so much before they are shown; each interface has its own, smaller ceiling.
_ANSWER_BYTES: Final = 1024 * 1024


class ExploreVerbs(Verbs):
    """What can be asked in SQL."""

    def query_graph(
        self,
        sql: str,
        *,
        limit: int = 50,
        timeout_ms: int = 300,
        max_vm_steps: int = 500_000,
        include_schema: bool = False,
        parameters: Mapping[str, str] | None = None,
    ) -> QueryResult:
        """Run one SELECT over memos, claims, fragments, pages, edges, tasks, queries, embeddings and the views.

        It reads and cannot change anything, sees only what this access may see, and ends within its budget. What is
        wrong with the statement is part of the answer, with a hint. `parameters` are texts that stand as :name in it.
        """
        from wherefrom.explore.sql import query_graph

        text = check.check_text(sql, field="sql", characters=limits.SQL_CHARACTERS)
        budget = Budget(
            rows=check.check_whole(limit, field="limit", low=1, high=limits.SQL_ROWS),
            timeout_ms=check.check_whole(timeout_ms, field="timeout_ms", low=1, high=limits.SQL_MILLISECONDS),
            steps=check.check_whole(max_vm_steps, field="max_vm_steps", low=1, high=limits.SQL_STEPS),
            answer_bytes=_ANSWER_BYTES,
        )
        given = {
            check.check_tag(name): check.check_text(value, field=name, size=limits.QUERY_BYTES)
            for name, value in (parameters or {}).items()
        }
        asked = Asked(text, budget, self._now(), given)
        return query_graph(self._reader, self._access, asked, include_schema=include_schema)

    def query_view(self, name: str, *, task_id: str | None = None, limit: int = 50) -> QueryResult:
        """Run one of the analyses over all that this access may see, or with a task over that task."""
        from wherefrom.explore.sql import VIEW_BUDGET_MS, VIEW_STEPS, query_view

        budget = Budget(
            rows=check.check_whole(limit, field="limit", low=1, high=limits.SQL_ROWS),
            timeout_ms=VIEW_BUDGET_MS,
            steps=VIEW_STEPS,
            answer_bytes=_ANSWER_BYTES,
        )
        return query_view(
            self._reader,
            self._access,
            check.check_text(name, field="name", characters=limits.TAG_CHARACTERS),
            task_id=None if task_id is None else check.check_id(task_id, field="task_id"),
            budget=budget,
            now=self._now(),
            dialect=self._database.name,
        )

    def render_view(self, name: str, *, task_id: str | None = None) -> Rendered:
        """The SQL of an analysis, to put into `with name as (…)` of a statement of your own, with its parameters."""
        from wherefrom.explore.views import render

        task = None if task_id is None else check.check_id(task_id, field="task_id")
        return render(check.check_text(name, field="name"), self._database.name, task_id=task)

    def views(self) -> tuple[ViewShape, ...]:
        """The analyses that there are: their names, questions and columns."""
        from wherefrom.explore.views import list_views

        return list_views()

    def _close_reader(self) -> None:
        if "_reader" in self.__dict__:
            self._reader.close()

    @cached_property
    def _reader(self) -> Reader:
        from wherefrom.explore.views import all_rendered

        return self._database.reader(all_rendered(self._database.name))
