"""The command of insight."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from wherefrom.interfaces.cli import render_insight as render
from wherefrom.interfaces.cli.commands import Namespace, app, private
from wherefrom.interfaces.cli.render import shown
from wherefrom.interfaces.cli.session import Session, command
from wherefrom.interfaces.insight_answers import InsightAnswer, done
from wherefrom.interfaces.plot_insight import neighbourhood
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.insight import InsightPlan

_LIMIT: Final = 50


@command(app, "insight")
def insight(
    session: Session,
    memo: Annotated[str | None, typer.Option("--memo", metavar="MEMO_ID", help="Link this memo or claim.")] = None,
    query: Annotated[str | None, typer.Option("--query", metavar="TEXT", help="Link what answers this.")] = None,
    namespace: Namespace = None,
    limit: Annotated[int, typer.Option("--limit", help="How many new memos to judge, at most 500.")] = _LIMIT,
    rejected: Annotated[bool, typer.Option("--rejected", help="Show what is not worth linking, too.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Make the links at once.")] = False,
    apply_plan: Annotated[
        str | None, typer.Option("--apply-plan", metavar="PLAN_ID", help="Make the links of this plan.")
    ] = None,
    undo: Annotated[str | None, typer.Option("--undo", metavar="PLAN_ID", help="Take this plan's links back.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw the links before and after.")
    ] = None,
) -> None:
    """Find links worth making, of a memo, a question or everything new; make them, or take them back."""
    searching = any((memo, query, namespace, apply)) or limit != _LIMIT
    if sum((searching, apply_plan is not None, undo is not None)) > 1:
        raise InvalidInput(
            "a search, --apply-plan and --undo exclude each other",
            hint="give --apply-plan or --undo alone; to find and link at once, search with --apply",
        )
    if memo is not None and query is not None:
        raise InvalidInput("give --memo or --query, not both", hint="leave out both to link everything new")
    if plot is not None and plot.suffix.lower() != ".svg":
        raise InvalidInput("--plot draws SVG only", hint="give a file that ends in .svg")
    if apply_plan is not None:
        plan = session.memory.apply_insight(apply_plan)
    elif undo is not None:
        plan = session.memory.undo_insight(undo)
    else:
        plan = session.memory.find_insight(memo, query=query, namespace=namespace, limit=limit)
        plan = done(plan, session.memory.apply_insight(plan.id)) if apply else plan
    # The picture comes last: if it cannot be written, the plan's id has been said.
    session.show(InsightAnswer.of(plan, rejected=rejected), *render.plan_lines(plan, rejected=rejected))
    if plot is not None:
        _draw(plan, plot, rejected=rejected)
        if not session.as_json:
            session.show(None, shown(f"drawn in {plot}"))


def _draw(plan: InsightPlan, file: Path, *, rejected: bool) -> None:
    try:
        with open(file, "w", encoding="utf-8", opener=private) as stream:
            stream.write(neighbourhood(plan, rejected=rejected))
    except OSError as error:
        raise StoreUnavailable(f"cannot write {file}: {error.strerror}") from None
