"""The verbs of research tasks, and of the status of the memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from wherefrom import config
from wherefrom.engine.params import Class, Place, check_query, id_param
from wherefrom.engine.view import Engine
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput
from wherefrom.model.evidence import Status, Task, TaskState
from wherefrom.model.graph import TaskStatus
from wherefrom.model.param import Param
from wherefrom.storage import events, tasks
from wherefrom.storage.events import NO_TRACE
from wherefrom.storage.port import Transaction


class TaskEngine(Engine):
    """Creates and changes tasks, and reports the status of the memory."""

    def create_task(
        self,
        query: Annotated[str, Param("The question or hypothesis that evidence is gathered for.", check=check_query)],
        *,
        namespace: Place = None,
        boundary_class: Class = None,
    ) -> Task:
        """Start a research task: `query` is the question or the hypothesis that evidence is gathered for."""
        access = self.view.access
        place = access.resolve(namespace)
        named = boundary_class or "internal"
        with self.view.noting_refusal("create_task", place, NO_TRACE):
            if named == "secret" or not access.sees(place, named):
                raise BoundaryDenied(f"this access may not save in the boundary class {named!r}")
        now = self.view.now()
        asked = self.view.boundary.cleaned(query, place)
        task = Task(self.store.new_id(), place, asked, "created", created_at=now, updated_at=now, boundary_class=named)

        def work(tx: Transaction) -> Task:
            tasks.save(tx, access, task)
            _note(tx, access, task, at=now)
            return task

        return self.store.database.write(work)

    def update_task(
        self,
        task_id: Annotated[str, id_param("The task's id.", refers="task", aliases=("id",))],
        *,
        status: Annotated[
            TaskStatus | None, Param("What it is from now on; completed ends it and makes its evidence summary.")
        ] = None,
        result_summary: Annotated[
            str | None, Param("What was found, in a few sentences.", option="--summary", check=check_query)
        ] = None,
        error_message: Annotated[str | None, Param("What went wrong.", option="--error", check=check_query)] = None,
    ) -> TaskState:
        """Change a task. With the status `completed` it has an evidence summary from then on."""
        if status is None and result_summary is None and error_message is None:
            raise InvalidInput("nothing to change", hint="give status, result_summary or error_message")
        access = self.view.access
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
                begun = before.started_at or (None if status == "created" else now)
                ended = now if status in tasks.ENDED else None
                changed = replace(changed, status=status, started_at=begun, completed_at=ended)
            tasks.save(tx, access, changed)
            _note(tx, access, changed, at=now)
            return tasks.states(tx, access, [changed])[0]

        return self.store.database.write(work)

    def status(
        self,
        task_id: Annotated[
            str | None, id_param("A task; omit for the memory and its newest tasks.", refers="task")
        ] = None,
    ) -> Status:
        """Say how the memory is, with its newest tasks; or, with a task, how that one is."""
        access = self.view.access
        self.store.journal.write()  # what was just searched counts
        pairs, waiting = self.view.pairs_waiting(access), self.view.upkeep_waiting()

        def work(tx: Transaction) -> Status:
            status = tasks.status(tx, access, task_id, now=self.store.clock())
            return status if task_id is not None else replace(status, review=pairs(tx), upkeep=waiting(tx))

        return replace(self.store.database.read(work), note=config.note_on(self.store.database.location))


def _note(tx: Transaction, access: Access, task: Task, *, at: str) -> None:
    """Record as an event what the status of a task is now."""
    about = events.About(task.namespace, task.boundary_class, part_of=task.id)
    events.record(tx, access, "task", {"task_id": task.id, "status": task.status}, about=about, at=at)
