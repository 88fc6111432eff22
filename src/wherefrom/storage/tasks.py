"""Research tasks and the queries that were run for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, NotFound
from wherefrom.model.evidence import EvidenceSummary, NewQuery, Query, Task, TaskState
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import QUERY_COLUMNS, TASK_COLUMNS, scope_parameters
from wherefrom.text.check import json_text

ENDED: Final = ("completed", "failed", "cancelled")
_TOP_DOMAINS: Final = 10


def get(tx: Transaction, access: Access, task_id: str) -> Task:
    """The task with this id, if the access may see it."""
    row = tx.row("task_get", {**scope_parameters(access), "id": task_id})
    if row is None:
        raise NotFound(f"there is no task {task_id} in {access.root!r}", hint="ask for the status to see the tasks")
    return Task(*row)


def refuse_ended(task: Task) -> None:
    """Raises if a task takes no more evidence."""
    if task.status in ENDED:
        raise Conflict(f"task {task.id} is {task.status}", hint="set its status to exploring to add more evidence")


def save(tx: Transaction, access: Access, task: Task, *, imported: bool = False) -> int:
    """Store a task, new or changed; an imported one only if it changed later than ours. Returns whether it did."""
    values = {name: getattr(task, name) for name in TASK_COLUMNS}
    return tx.count("task_save", {**scope_parameters(access.writing()), **values, "imported": imported or None})


def newest(tx: Transaction, access: Access, *, limit: int) -> tuple[Task, ...]:
    """The newest tasks of the root."""
    return tuple(Task(*row) for row in tx.rows("tasks_newest", {**scope_parameters(access), "limit": limit}))


def by_status(tx: Transaction, access: Access) -> dict[str, int]:
    """How many tasks there are of each status."""
    return {status: count for status, count in tx.rows("tasks_by_status", scope_parameters(access))}  # noqa: C416


def states(tx: Transaction, access: Access, some: Sequence[Task]) -> tuple[TaskState, ...]:
    """Tasks with what they have; those that are completed with their summary."""
    where = {**scope_parameters(access), "ids": json_text([task.id for task in some])}
    totals = {row[0]: row[1:] for row in tx.rows("task_totals", where)}
    return tuple(
        TaskState(task, queries, claims, _summary(tx, access, task, claims))
        for task in some
        for queries, claims in [totals[task.id]]
    )


def query_for(tx: Transaction, access: Access, task_id: str, new: NewQuery, *, new_id: str, now: str) -> Query:
    """The query of a task with this text, noted if it is not there yet."""
    row = tx.row("query_get", {"owner": access.owner, "task_id": task_id, "id": None, "query_text": new.text})
    if row is not None:
        known = Query(*row)
        known = known if new.result_count is None else replace(known, result_count=new.result_count)
    else:
        parent = None if new.parent_id is None else query(tx, access, task_id, new.parent_id)
        known = Query(
            id=new_id,
            task_id=task_id,
            query_text=new.text,
            executed_at=now,
            query_type=new.type,
            language=new.language,
            parent_query_id=new.parent_id,
            depth=0 if parent is None else parent.depth + 1,
            result_count=new.result_count,
        )
    save_query(tx, access, known)
    return known


def query(tx: Transaction, access: Access, task_id: str, query_id: str) -> Query:
    """A query of a task."""
    where = {"owner": access.owner, "task_id": task_id, "id": query_id, "query_text": None}
    row = tx.row("query_get", where)
    if row is None:
        raise NotFound(f"task {task_id} has no query {query_id}", hint="give the text of the query instead")
    return Query(*row)


def save_query(tx: Transaction, access: Access, known: Query, *, imported: bool = False) -> int:
    """Store a query, new or with other counts; an imported one only if it is new. Returns whether it did."""
    values = {name: getattr(known, name) for name in QUERY_COLUMNS}
    return tx.count("query_save", {"owner": access.owner, **values, "imported": imported or None})


def clean(tx: Transaction, access: Access, clean_text: Callable[[str, str], str]) -> None:
    """Bring the texts of all tasks and queries of the root in line with the policies."""
    scope = scope_parameters(access)
    known: list[Task | Query] = [Task(*row) for row in tx.rows("task_export", scope)]
    known += [Query(*row) for row in tx.rows("query_export", scope)]
    for record in known:
        kept = cleaned(record, clean_text, elsewhere=access.root)
        if kept != record and isinstance(kept, Task):
            save(tx, access, kept)
        elif kept != record and isinstance(kept, Query):
            save_query(tx, access, kept)


def cleaned(record: Task | Query, clean: Callable[[str, str], str], *, elsewhere: str) -> Task | Query:
    """A task or query with its texts as the policy of its namespace leaves them; a query does not know its own."""
    if isinstance(record, Query):
        return replace(record, query_text=clean(record.query_text, elsewhere))
    texts: dict[str, Any] = {
        name: clean(value, record.namespace)
        for name in ("query", "result_summary", "error_message")
        if (value := getattr(record, name)) is not None
    }
    return replace(record, **texts)


def _summary(tx: Transaction, access: Access, task: Task, claims: int) -> EvidenceSummary | None:
    if task.status != "completed":
        return None
    where = {**scope_parameters(access), "task_id": task.id, "limit": _TOP_DOMAINS}
    fragments, pages, supporting, refuting, neutral = tx.row("task_summary", where) or (0, 0, 0, 0, 0)
    return EvidenceSummary(
        total_claims=claims,
        total_fragments=fragments,
        total_pages=pages,
        supporting_edges=supporting,
        refuting_edges=refuting,
        neutral_edges=neutral,
        top_domains=tuple(row[0] for row in tx.rows("task_domains", where)),
    )
