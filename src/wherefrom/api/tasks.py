"""The engine of research tasks: create, update, and how things stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Final, get_args

from wherefrom import config
from wherefrom.api.params import Class, Place, check_query
from wherefrom.api.view import Engine
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.evidence import Status, Task, TaskState
from wherefrom.model.graph import NodeKind, TaskStatus
from wherefrom.model.identifiers import timestamp
from wherefrom.model.param import Param
from wherefrom.storage import events, tasks
from wherefrom.storage.events import NO_TRACE
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text import check

# So many tasks are shown without asking for one.
_NEWEST: Final = 20
# Over so many days the status says how searches went.
_SEARCH_DAYS: Final = 7


class TaskEngine(Engine):
    """Creates and changes tasks, and says how they stand."""

    def create_task(
        self,
        query: Annotated[str, Param("The question or hypothesis that evidence is gathered for.", check=check_query)],
        *,
        namespace: Place = None,
        boundary_class: Class = None,
    ) -> Task:
        """Start a research task: `query` is the question or the hypothesis that evidence is gathered for."""
        access = self.view.writing
        place = access.resolve(namespace)
        named = boundary_class or "internal"
        with self.view.noting_refusal("create_task", place, NO_TRACE):
            if named == "secret" or not access.sees(place, named):
                raise BoundaryDenied(f"this access may not save in the boundary class {named!r}")
        now = self.view.now()
        task = Task(
            id=self.store.new_id(),
            namespace=place,
            query=self.view.boundary.cleaned(query, place),
            status="created",
            created_at=now,
            updated_at=now,
            boundary_class=named,
        )

        def work(tx: Transaction) -> Task:
            tasks.save(tx, access, task)
            events.record(tx, access, "task", {"task_id": task.id, "status": task.status}, namespace=place, at=now)
            return task

        return self.store.database.write(work)

    def update_task(
        self,
        task_id: Annotated[str, Param("The task's id.", metavar="TASK_ID", check=check.check_id)],
        *,
        status: Annotated[
            TaskStatus | None, Param("What it is from now on; completed ends it and makes its evidence summary.")
        ] = None,
        result_summary: Annotated[
            str | None,
            Param("What was found, in a few sentences.", option="--summary", check=check_query),
        ] = None,
        error_message: Annotated[str | None, Param("What went wrong.", option="--error", check=check_query)] = None,
    ) -> TaskState:
        """Change a task. With the status `completed` it has an evidence summary from then on."""
        if status is None and result_summary is None and error_message is None:
            raise InvalidInput("nothing to change", hint="give status, result_summary or error_message")
        access = self.view.writing
        known = self.store.database.read(lambda tx: tasks.get(tx, access, task_id))
        texts = {
            name: self.view.boundary.cleaned(text, known.namespace)
            for name, text in (("result_summary", result_summary), ("error_message", error_message))
            if text is not None
        }

        def work(tx: Transaction) -> TaskState:
            now = self.view.now()
            before = tasks.get(tx, access, task_id)
            changed = replace(before, **texts, updated_at=now)  # type: ignore[arg-type]  # texts are two of its fields
            if status is not None:
                changed = _moved(changed, status, now)
            tasks.save(tx, access, changed)
            payload = {"task_id": task_id, "status": changed.status}
            events.record(tx, access, "task", payload, namespace=changed.namespace, at=now)
            return tasks.states(tx, access, [changed])[0]

        return self.store.database.write(work)

    def status(
        self,
        task_id: Annotated[
            str | None,
            Param("A task; omit for the memory and its newest tasks.", metavar="TASK_ID", check=check.check_id),
        ] = None,
    ) -> Status:
        """Say how the memory is, with its newest tasks; or, with a task, how that one is."""
        access = self.view.access
        self.store.journal.write()  # what was just searched counts
        since = timestamp(self.store.clock() - timedelta(days=_SEARCH_DAYS))
        status = self.store.database.read(lambda tx: _status(tx, access, task_id, since=since))
        return replace(status, note=config.note_on(self.store.database.location))


def _status(tx: Transaction, access: Access, task_id: str | None, *, since: str) -> Status:
    some = tasks.newest(tx, access, limit=_NEWEST) if task_id is None else (tasks.get(tx, access, task_id),)
    scope = scope_parameters(access)
    (pending,) = tx.row("pending_visible", scope) or (0,)
    counts: dict[str, int] = {}
    if task_id is None:
        (links,) = tx.row("edges_visible", scope) or (0,)
        kinds = {kind: number for kind, number in tx.rows("kinds_visible", scope)}  # noqa: C416
        counts = {**dict.fromkeys(get_args(NodeKind), 0), **kinds, "edge": links}
    return Status(
        counts=counts,
        tasks_by_status=tasks.by_status(tx, access),
        tasks=tasks.states(tx, access, some),
        pending_embeddings=int(pending),
        root_namespace=access.root,
        searches=events.search_health(tx, access, days=_SEARCH_DAYS, since=since),
    )


def _moved(task: Task, status: TaskStatus, now: str) -> Task:
    """A task in another status, with the times at which it began and ended."""
    over = status in tasks.ENDED
    begun = task.started_at or (None if status == "created" else now)
    return replace(task, status=status, started_at=begun, completed_at=now if over else None)
