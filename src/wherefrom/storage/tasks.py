"""Research tasks and the queries that were run for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, get_args

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, NotFound
from wherefrom.model.evidence import EvidenceSummary, Query, Status, Task, TaskState
from wherefrom.model.graph import NodeKind
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import events
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import QUERY_COLUMNS, TASK_COLUMNS, scope_parameters
from wherefrom.text.check import json_text

ENDED: Final = ("completed", "failed", "cancelled")
_MAX_TASKS_SHOWN: Final = 20
_SEARCHED_WITHIN_DAYS: Final = 7
_MAX_DOMAINS_SHOWN: Final = 10


def get(tx: Transaction, access: Access, task_id: str) -> Task:
    """The task with this id, if the access may see it."""
    row = tx.row("task_get", {**scope_parameters(access), "id": task_id})
    if row is None:
        raise NotFound(f"there is no task {task_id} in {access.root!r}", hint="ask for the status to see the tasks")
    return Task(*row)


def get_open(tx: Transaction, access: Access, task_id: str) -> Task:
    """The task with this id; raises if it takes no more evidence."""
    task = get(tx, access, task_id)
    if task.status in ENDED:
        raise Conflict(f"task {task.id} is {task.status}", hint="set its status to exploring to add more evidence")
    return task


def save(tx: Transaction, access: Access, task: Task, *, imported: bool = False) -> int:
    """Store a task, new or changed; an imported one only if it changed later than ours. Returns 1 if stored, else 0."""
    scope = scope_parameters(access.writing())
    if tx.row("tasks_hidden", {**scope, "ids": json_text([task.id])}) is not None:
        return 0
    values = {name: getattr(task, name) for name in TASK_COLUMNS}
    return tx.count("task_save", {**scope, **values, "imported": imported or None})


def status(tx: Transaction, access: Access, task_id: str | None, *, now: datetime) -> Status:
    """The state of one task; or without one of the newest tasks, with the number of nodes of each kind in sight."""
    scope = scope_parameters(access)
    counts: dict[str, int] = {}
    if task_id is None:
        shown = [Task(*row) for row in tx.rows("tasks_newest", {**scope, "limit": _MAX_TASKS_SHOWN})]
        edges = tx.number("edges_visible", scope)
        counts = {**dict.fromkeys(get_args(NodeKind), 0), **dict(tx.rows("kinds_visible", scope)), "edge": edges}
    else:
        shown = [get(tx, access, task_id)]
    pending = tx.number("pending_visible", scope)
    since = timestamp(now - timedelta(days=_SEARCHED_WITHIN_DAYS))
    return Status(
        counts=counts,
        tasks_by_status=dict(tx.rows("tasks_by_status", scope)),
        tasks=states(tx, access, shown),
        pending_embeddings=int(pending),
        root_namespace=access.root,
        searches=events.search_health(tx, access, days=_SEARCHED_WITHIN_DAYS, since=since),
    )


def states(tx: Transaction, access: Access, some: Sequence[Task]) -> tuple[TaskState, ...]:
    """Tasks with the numbers of their queries and claims; completed ones with their summary."""
    where = {**scope_parameters(access), "ids": json_text([task.id for task in some])}
    totals = {row[0]: row[1:] for row in tx.rows("task_totals", where)}
    return tuple(
        TaskState(task, queries, claims, _summary(tx, access, task, claims))
        for task in some
        for queries, claims in [totals[task.id]]
    )


def query_for(tx: Transaction, access: Access, asked: Query) -> Query:
    """The query of a task with the same text, stored if it is not there yet."""
    where = {"owner": access.owner, "task_id": asked.task_id, "id": None, "query_text": asked.query_text}
    row, found = tx.row("query_get", where), asked
    if row is not None:
        known = Query(*row)
        found = known if asked.result_count is None else replace(known, result_count=asked.result_count)
    elif asked.parent_query_id is not None:
        found = replace(asked, depth=query(tx, access, asked.task_id, asked.parent_query_id).depth + 1)
    save_query(tx, access, found)
    return found


def query(tx: Transaction, access: Access, task_id: str, query_id: str) -> Query:
    """The query of a task with this id."""
    where = {"owner": access.owner, "task_id": task_id, "id": query_id, "query_text": None}
    row = tx.row("query_get", where)
    if row is None:
        raise NotFound(f"task {task_id} has no query {query_id}", hint="give the text of the query instead")
    return Query(*row)


def save_query(tx: Transaction, access: Access, known: Query, *, imported: bool = False) -> int:
    """Store a query, new or with other counts; an imported one only if it is new. Returns 1 if stored, else 0."""
    values = {name: getattr(known, name) for name in QUERY_COLUMNS}
    return tx.count("query_save", {"owner": access.owner, **values, "imported": imported or None})


def clean(tx: Transaction, access: Access, clean_text: Callable[[str, str], str]) -> None:
    """Store the texts of all tasks and queries of the root as the policies leave them."""
    scope = scope_parameters(access)
    known: list[Task | Query] = [Task(*row) for row in tx.rows("task_export", scope)]
    known += [Query(*row) for row in tx.rows("query_export", scope)]
    for record in known:
        kept = cleaned(record, clean_text, elsewhere=access.root)
        if kept != record:
            save(tx, access, kept) if isinstance(kept, Task) else save_query(tx, access, kept)


def cleaned(record: Task | Query, clean: Callable[[str, str], str], *, elsewhere: str) -> Task | Query:
    """A task or query with its texts as the policy of its namespace leaves them; a query's namespace is `elsewhere`."""
    if isinstance(record, Query):
        return replace(record, query_text=clean(record.query_text, elsewhere))
    given = {name: getattr(record, name) for name in ("query", "result_summary", "error_message")}
    texts: dict[str, Any] = {name: text and clean(text, record.namespace) for name, text in given.items()}
    return replace(record, **texts)


def _summary(tx: Transaction, access: Access, task: Task, claims: int) -> EvidenceSummary | None:
    if task.status != "completed":
        return None
    where = {**scope_parameters(access), "task_id": task.id, "limit": _MAX_DOMAINS_SHOWN}
    totals: Row = tx.row("task_summary", where) or (0, 0, 0, 0, 0)
    domains = tuple(row[0] for row in tx.rows("task_domains", where))
    return EvidenceSummary(*(claims, *totals, domains))
