"""Sentences about upkeep, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from wherefrom.interfaces.cli.cells import count, shown, when
from wherefrom.model.identifiers import short_id
from wherefrom.model.upkeep import Upkeep, UpkeepRun

_MAX_PLANS: Final = 5
_MODES: Final = {
    "off": "off: it runs only when you say so",
    "propose": "propose: it looks by itself and changes nothing",
    "apply": "apply: it does by itself what it finds, from the second run on",
}
_TAKEN_BACK: Final = "apply, but a run was taken back: it only proposes until one is applied by hand"


def upkeep_lines(found: Upkeep) -> Iterator[RenderableType]:
    """Say what waits and what to do about it, then the last runs."""
    says = _TAKEN_BACK if found.mode == "apply" and found.taken_back else _MODES[found.mode]
    yield f"upkeep of {found.root_namespace} is set to {says}"
    if found.waiting:
        yield f"{found.waiting}; to do it: wherefrom upkeep run --apply"
    elif not found.runs:
        yield "it has not run yet; to look now: wherefrom upkeep run"
    else:
        yield "nothing waits"
    for run in found.runs:
        yield from _run_lines(run)


def _run_lines(run: UpkeepRun) -> Iterator[RenderableType]:
    figures = f"{count(run.relations, 'relation')}, {count(run.removals, 'removal')}"
    at = when(run.undone_at or run.ended_at or run.started_at)
    yield shown(f"{short_id(run.id)}  {run.state:<8}  {at}  {run.judged:,} judged, {figures}")
    if run.note:
        yield shown(f"  {run.note}")
    if run.state == "proposed":
        yield from _plan_lines(run, "to see its relations", "--plan")
        if run.removals:
            yield "  to see what may go: wherefrom metabolize -n /"
    elif run.state == "applied" and run.relations + run.removals:
        yield f"  to take it back: wherefrom upkeep undo {short_id(run.id)}"
    elif run.state == "undone" and run.relations:
        yield from _plan_lines(run, "to make its relations again", "--apply-plan")


def _plan_lines(run: UpkeepRun, purpose: str, option: str) -> Iterator[str]:
    """The command for each of the first plans of a run, and how many more plans there are."""
    for plan_id in run.plan_ids[:_MAX_PLANS]:
        yield f"  {purpose}: wherefrom insight {option} {short_id(plan_id)}"
    if len(run.plan_ids) > _MAX_PLANS:
        yield f"  and {count(len(run.plan_ids) - _MAX_PLANS, 'further plan')}"
