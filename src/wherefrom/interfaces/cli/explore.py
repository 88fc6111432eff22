"""The commands of evidence, tasks, SQL and the analyses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from wherefrom.interfaces import explore_answers as answers
from wherefrom.interfaces.cli import render_explore as render
from wherefrom.interfaces.cli.commands import Namespace, app
from wherefrom.interfaces.cli.session import UNHEALTHY, Session, command
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import TaskStatus

task_app = typer.Typer(help="Begin and end research tasks.", no_args_is_help=True)
app.add_typer(task_app, name="task")

Task = Annotated[str | None, typer.Option("--task", metavar="TASK_ID", help="Only this task.")]
Limit = Annotated[int, typer.Option("--limit", help="Rows, at most 200.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the history.")]
ClaimId = Annotated[str, typer.Argument(metavar="CLAIM_ID")]


@command(app, "add")
def add(
    session: Session,
    sources: Annotated[list[str] | None, typer.Argument(help="Files, folders or URLs.", metavar="SOURCE…")] = None,
    urls: Annotated[Path | None, typer.Option("--urls", metavar="FILE", help="A file with one URL a line.")] = None,
    namespace: Namespace = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Also URLs of private networks.")] = False,
) -> None:
    """Add documents as evidence: Markdown, HTML, PDF, text; BibTeX, CSL-JSON, JSONL for papers."""
    named = [*(sources or []), *([] if urls is None else _lines(urls))]
    if not named:
        raise InvalidInput("there is nothing to add", hint="name files, folders or URLs, or give --urls")
    with session.progress("reading") as report:
        added = session.memory.add_documents(named, namespace=namespace, allow_private=allow_private, progress=report)
    session.show(added, *render.documents_table(added))
    if added.failures:
        raise typer.Exit(UNHEALTHY)


@command(app, "correct")
def correct(
    session: Session,
    source_id: Annotated[str, typer.Argument(metavar="FRAGMENT_ID", help="Whose judgement is wrong.")],
    claim_id: ClaimId,
    relation: Annotated[str, typer.Argument(help="supports, refutes or neutral.")],
    reason: Reason,
) -> None:
    """Say what a fragment really says about a claim; programs do not change it later."""
    corrected = session.memory.correct_edge(source_id, claim_id, relation=relation, reason=reason)
    session.show(answers.CorrectedAnswer.of(corrected), *render.corrected_lines(corrected))


@command(app, "reject")
def reject(
    session: Session,
    claim_id: ClaimId,
    reason: Reason,
    restore: Annotated[bool, typer.Option("--restore", help="Adopt a rejected claim again.")] = False,
) -> None:
    """Take a claim out of recall and of the analyses, or with --restore back in."""
    verb = session.memory.restore_claim if restore else session.memory.reject_claim
    corrected = verb(claim_id, reason=reason)
    session.show(answers.CorrectedAnswer.of(corrected), *render.corrected_lines(corrected))


@command(app, "sql")
def sql(
    session: Session,
    statement: Annotated[
        str | None, typer.Argument(help="One SELECT; - reads it from standard input.", metavar="SQL")
    ] = None,
    limit: Limit = 50,
    timeout_ms: Annotated[int, typer.Option("--timeout-ms", help="At most 2,000.")] = 300,
    max_steps: Annotated[int, typer.Option("--max-steps", help="SQLite's steps, at most 50,000,000.")] = 500_000,
    schema: Annotated[bool, typer.Option("--schema", help="Also list the tables and columns.")] = False,
) -> None:
    """Ask the evidence graph in read-only SQL."""
    if statement is None and not schema:
        raise InvalidInput("there is no statement", hint="give one SELECT, or --schema to see the tables")
    text = sys.stdin.read() if statement == "-" else statement or "select this_year from clock"
    result = session.memory.query_graph(
        text, limit=limit, timeout_ms=timeout_ms, max_vm_steps=max_steps, include_schema=schema
    )
    session.show(answers.QueryAnswer.of(result), *render.result_lines(result))
    if not result.ok:
        raise typer.Exit(UNHEALTHY)


@command(app, "view")
def view(
    session: Session,
    name: Annotated[str | None, typer.Argument(help="A view; omit to list them.")] = None,
    task: Task = None,
    limit: Limit = 50,
    show_sql: Annotated[bool, typer.Option("--sql", help="Print its SQL instead.")] = False,
) -> None:
    """Run one of the analyses, or list them."""
    if name is None:
        known = session.memory.views()
        session.show([answers.ViewAnswer.of(shape).model_dump() for shape in known], render.view_table(known))
        return
    if show_sql:
        rendered = session.memory.render_view(name, task_id=task)
        session.show(rendered, rendered.sql)
        return
    result = session.memory.query_view(name, task_id=task, limit=limit)
    session.show(answers.QueryAnswer.of(result), *render.result_lines(result))
    if not result.ok:
        raise typer.Exit(UNHEALTHY)


@command(app, "status")
def status(
    session: Session,
    task_id: Annotated[str | None, typer.Argument(metavar="TASK_ID", help="A task; omit for all.")] = None,
) -> None:
    """Show what the memory holds and how its tasks stand."""
    found = session.memory.status(task_id)
    session.show(answers.StatusAnswer.of(found), *render.status_lines(found, whole=task_id is not None))


@command(task_app, "create")
def create_task(
    session: Session,
    query: Annotated[str, typer.Argument(help="The question or hypothesis.")],
    namespace: Namespace = None,
) -> None:
    """Begin a research task."""
    task = session.memory.create_task(query, namespace=namespace)
    session.show(answers.TaskAnswer.of(task), f"created task {task.id} in {task.namespace}")


@command(task_app, "update")
def update_task(
    session: Session,
    task_id: Annotated[str, typer.Argument(metavar="TASK_ID")],
    status: Annotated[
        str | None, typer.Option("--status", help="created, exploring, paused, completed, failed or cancelled.")
    ] = None,
    summary: Annotated[str | None, typer.Option("--summary", help="What was found.")] = None,
    error: Annotated[str | None, typer.Option("--error", help="What went wrong.")] = None,
) -> None:
    """Change a task; completed ends it and shows what it has gathered."""
    to: TaskStatus | None = status  # type: ignore[assignment]  # update_task refuses other words
    state = session.memory.update_task(task_id, status=to, result_summary=summary, error_message=error)
    session.show(answers.TaskAnswer.of_state(state), *render.task_lines(state))


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {file}: {error}") from None
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
