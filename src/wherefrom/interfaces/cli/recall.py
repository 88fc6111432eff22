"""The commands of recall and policy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from wherefrom.interfaces import recall_answers as answers
from wherefrom.interfaces.cli import render_recall as render
from wherefrom.interfaces.cli.commands import MemoId, Namespace, app, json_object
from wherefrom.interfaces.cli.session import Session, command
from wherefrom.interfaces.plot import reliability
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.graph import BoundaryClass, Scope
from wherefrom.policy.retrieval import Signal

Scopes = Annotated[list[str] | None, typer.Option("--scope", help="session, project or principle; may be repeated.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


@command(app, "activate")
def activate(
    session: Session,
    query: Annotated[str, typer.Argument(help="What you are about to do or answer.")],
    scope: Scopes = None,
    namespace: Namespace = None,
    limit: Annotated[int | None, typer.Option("--limit", help="How many, at most 50; omit: by policy.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="How long the texts may be together.")] = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="Values a memo must have.")] = None,
    graph: Annotated[bool | None, typer.Option("--graph/--no-graph", help="Follow relations and mentions.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the scores of every stage.")] = False,
) -> None:
    """Recall the few memories that matter now, and keep them as an active context."""
    scopes: list[Scope] = scope or []  # type: ignore[assignment]  # activate refuses other words
    context = session.memory.activate(
        query,
        scope=scopes,
        namespace=namespace,
        limit=limit,
        max_tokens=max_tokens,
        metadata=json_object(metadata),
        graph=graph,
    )
    answer = answers.ActiveContextAnswer.of(context, session.memory.root_namespace, explain=explain)
    session.show(answer, *render.context_table(context, explain=explain))


@command(app, "context")
def context(session: Session, context_id: Annotated[str, typer.Argument(metavar="CONTEXT_ID")]) -> None:
    """Read an active context again, until it expires."""
    found = session.memory.context(context_id)
    answer = answers.ActiveContextAnswer.of(found, session.memory.root_namespace)
    session.show(answer, *render.context_table(found))


@command(app, "feedback")
def feedback(
    session: Session,
    memo_id: MemoId,
    signal: Annotated[str, typer.Argument(help="helpful, harmful, outdated, duplicate or completed.")],
    score: Annotated[float | None, typer.Option("--score", help="How strongly, −1 to 1; omit for 1.")] = None,
    context_id: Annotated[str | None, typer.Option("--context", metavar="ID", help="The context it came with.")] = None,
    duplicate_of: Annotated[str | None, typer.Option("--of", metavar="MEMO_ID", help="Which it duplicates.")] = None,
    request_id: Annotated[str | None, typer.Option("--request", metavar="ID", help="The same one counts once.")] = None,
) -> None:
    """Judge a memo or claim, so that recall knows better next time."""
    said: Signal = signal  # type: ignore[assignment]  # feedback refuses other words
    judged = session.memory.feedback(
        memo_id, said, score=score, active_context_id=context_id, duplicate_of=duplicate_of, request_id=request_id
    )
    session.show(answers.FeedbackAnswer.of(judged), render.judged_line(judged))


@command(app, "sweep")
def sweep(session: Session, limit: Annotated[int, typer.Option("--limit", help="How many at most.")] = 1_000) -> None:
    """Retire what has expired, with a receipt."""
    swept = session.memory.sweep(limit=limit)
    session.show(answers.SweptAnswer.of(swept), render.swept_line(swept))


@command(app, "policy")
def policy(
    session: Session,
    file: Annotated[Path | None, typer.Argument(help="A policy in YAML to apply; omit to read it.")] = None,
    namespace: Namespace = None,
    validate_only: Annotated[bool, typer.Option("--validate", help="Only check it.")] = False,
    dry_run: DryRun = False,
    expected_version: Annotated[
        str | None, typer.Option("--expect", metavar="VERSION", help="Refuse unless this one holds now.")
    ] = None,
    approver: Annotated[str | None, typer.Option("--approver", help="Who approved it.")] = None,
    history: Annotated[bool, typer.Option("--history", help="List all versions instead.")] = False,
) -> None:
    """Show the policy of a namespace, or apply one."""
    if file is None:
        known = session.memory.policy(namespace)
        texts = [answers.PolicyText.of(each).model_dump() for each in known]
        if history:
            session.show(texts, render.policy_table(known))
        else:
            session.show(texts[0], render.policy_text(known[0]))
        return
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {file}: {error}") from None
    applied = session.memory.apply_policy(
        text,
        namespace=namespace,
        validate_only=validate_only,
        dry_run=dry_run,
        expected_version=expected_version,
        approver=approver,
    )
    session.show(answers.PolicyAnswer.of(applied), render.applied_line(applied))


@command(app, "privacy")
def privacy(
    session: Session,
    mode: Annotated[str | None, typer.Argument(help="personal or shared; omit to read it.")] = None,
) -> None:
    """Say, or choose, whether personal data are kept (personal: for you alone) or taken out (shared)."""
    wanted: Any = mode
    known = session.memory.privacy() if mode is None else session.memory.choose_privacy(wanted)
    session.show(known, *render.privacy_lines(known, chosen=mode is not None))


@command(app, "boundary")
def boundary(
    session: Session,
    text: Annotated[str, typer.Argument(help="The text to try.")],
    scope: Annotated[str | None, typer.Option("--scope", help="session, project or principle.")] = None,
    boundary_class: Annotated[str | None, typer.Option("--class", help="public, internal, pii or secret.")] = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="What invariants see.")] = None,
    namespace: Namespace = None,
) -> None:
    """Say what the policy would make of a text, without storing it."""
    what: Scope | None = scope  # type: ignore[assignment]  # validate_boundary refuses other words
    kind: BoundaryClass | None = boundary_class  # type: ignore[assignment]  # likewise
    guarded = session.memory.validate_boundary(
        text, scope=what, boundary_class=kind, metadata=json_object(metadata), namespace=namespace
    )
    session.show(answers.BoundaryAnswer.of(guarded), *render.guarded_lines(guarded))


@command(app, "reclassify")
def reclassify(session: Session, namespace: Namespace = None, dry_run: DryRun = False) -> None:
    """Bring what was saved earlier in line with the policy in force."""
    with session.progress("reclassifying") as report:
        found = session.memory.reclassify(namespace, dry_run=dry_run, progress=report)
    session.show(answers.ReclassifiedAnswer.of(found), *render.reclassified_lines(found))


@command(app, "calibrate")
def calibrate(
    session: Session,
    file: Annotated[Path, typer.Argument(help='JSON lines: {"query": "…", "relevant": ["memo_id", …]}.')],
    method: Annotated[str, typer.Option("--method", help="isotonic, platt or quantile.")] = "isotonic",
    namespace: Namespace = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw the reliability as SVG.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Fit the scales of words and meaning to judged questions, as the next version of the policy."""
    how: Any = method
    fitted = session.memory.calibrate(_judged(file), method=how, namespace=namespace, dry_run=dry_run)
    if plot is not None:
        try:
            plot.write_text(reliability(fitted), encoding="utf-8")
        except OSError as error:
            raise StoreUnavailable(f"cannot write {plot}: {error.strerror}") from None
    session.show(fitted, *render.fitted_lines(fitted, dry_run=dry_run))


def _judged(file: Path) -> Iterator[dict[str, Any]]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    raise InvalidInput(f"line {number} of {file} is not JSON") from None
                yield row
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {file}: {error}") from None
