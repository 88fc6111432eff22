"""Verbs for research tasks: create, update, and how things stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final, cast, get_args

from wherefrom import config
from wherefrom.api.boundary import refuse_secret
from wherefrom.api.state import Verbs
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.evidence import Status, Task, TaskState
from wherefrom.model.graph import BoundaryClass, NodeKind, TaskStatus
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import events, tasks
from wherefrom.storage.events import NO_TRACE
from wherefrom.storage.port import Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text import check

# So many tasks are shown without asking for one.
_NEWEST: Final = 20
# Over so many days the status says how searches went.
_SEARCH_DAYS: Final = 7


class TaskVerbs(Verbs):
    """What can be done with a task."""

    def create_task(
        self, query: str, *, namespace: str | None = None, boundary_class: BoundaryClass | None = None
    ) -> Task:
        """Start a research task: `query` is the question or the hypothesis that evidence is gathered for."""
        access = self._access
        refuse_secret(namespace if isinstance(namespace, str) else "", field="namespace")
        place = access.resolve(namespace)
        named = check.check_class(boundary_class)
        with self._noting_refusal("create_task", place, NO_TRACE):
            if named == "secret" or not access.sees(place, named):
                raise BoundaryDenied(f"this access may not save in the boundary class {named!r}")
        now = self._now()
        task = Task(
            id=self._new_id(),
            namespace=place,
            query=self._cleaned(query, place, field="query"),
            status="created",
            created_at=now,
            updated_at=now,
            boundary_class=named,
        )

        def work(tx: Transaction) -> Task:
            tasks.save(tx, access, task)
            events.record(tx, access, "task", {"task_id": task.id, "status": task.status}, namespace=place, at=now)
            return task

        return self._database.write(work)

    def update_task(
        self,
        task_id: str,
        *,
        status: TaskStatus | None = None,
        result_summary: str | None = None,
        error_message: str | None = None,
    ) -> TaskState:
        """Change a task. With the status `completed` it has an evidence summary from then on."""
        key = check.check_id(task_id, field="task_id")
        wanted = cast(TaskStatus | None, check.check_choice(status, get_args(TaskStatus), field="status"))
        if wanted is None and result_summary is None and error_message is None:
            raise InvalidInput("nothing to change", hint="give status, result_summary or error_message")
        access = self._access
        known = self._database.read(lambda tx: tasks.get(tx, access, key))
        texts = {
            name: self._cleaned(text, known.namespace, field=name)
            for name, text in (("result_summary", result_summary), ("error_message", error_message))
            if text is not None
        }

        def work(tx: Transaction) -> TaskState:
            now = self._now()
            before = tasks.get(tx, access, key)
            changed = replace(before, **texts, updated_at=now)  # type: ignore[arg-type]  # texts are two of its fields
            if wanted is not None:
                changed = _moved(changed, wanted, now)
            tasks.save(tx, access, changed)
            payload = {"task_id": key, "status": changed.status}
            events.record(tx, access, "task", payload, namespace=changed.namespace, at=now)
            return tasks.states(tx, access, [changed])[0]

        return self._database.write(work)

    def status(self, task_id: str | None = None) -> Status:
        """How the memory is, with its newest tasks; or, with a task, how that one is."""
        key = None if task_id is None else check.check_id(task_id, field="task_id")
        access = self._access
        self._journal.write()  # what was just searched counts
        since = timestamp(self._clock() - timedelta(days=_SEARCH_DAYS))
        status = self._database.read(lambda tx: _status(tx, access, key, since=since))
        return replace(status, note=config.note_on(self._database.location))

    def _cleaned(self, text: str, namespace: str, *, field: str) -> str:
        return self._boundary.cleaned(check.check_text(text, field=field, size=limits.QUERY_BYTES), namespace)


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
