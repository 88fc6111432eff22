"""Sentences about upkeep, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from wherefrom.interfaces.cli.cells import count, shown, when
from wherefrom.model.identifiers import short_id
from wherefrom.model.upkeep import Upkeep, UpkeepRun
from wherefrom.storage.receipts import KEPT

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
        yield f"{found.waiting}; to do it: wherefrom upkeep run --apply" if found.may_apply else found.waiting
    elif not found.runs:
        yield "it has not run yet; to look now: wherefrom upkeep run" if found.may_apply else "it has not run yet"
    else:
        yield "nothing waits"
    for run in [run for run in found.runs if not _is_empty(run)] or found.runs[:1]:
        yield from _run_lines(run)


def _is_empty(run: UpkeepRun) -> bool:
    """Whether there is nothing to tell of a run."""
    return run.state in ("proposed", "applied") and not (run.relations or run.removals or run.note)


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
        for metabolism_id in run.metabolism_ids if run.removals else ():
            yield f"  to see what went: wherefrom history {short_id(metabolism_id)}"
        yield f"  to take it back: wherefrom upkeep undo {short_id(run.id)}"
    elif run.state == "undone":
        if run.relations:
            yield from _plan_lines(run, "to make its relations again", "--apply-plan")
        if run.removals:
            yield f"  what came back is spared for {KEPT.days} days"


def _plan_lines(run: UpkeepRun, purpose: str, option: str) -> Iterator[str]:
    """The command for each of the first plans of a run, with how many relations it has if there are several, and how
    many more plans there are.
    """
    # Runs of former versions do not say how many each has.
    known = dict(zip(run.plan_ids, run.plan_relations, strict=False))
    ids = [plan_id for plan_id in run.plan_ids if known.get(plan_id, 1)]
    for plan_id in ids[:_MAX_PLANS]:
        many = f" ({count(known[plan_id], 'relation')})" if len(ids) > 1 and plan_id in known else ""
        yield f"  {purpose}: wherefrom insight {option} {short_id(plan_id)}{many}"
    if len(ids) > _MAX_PLANS:
        yield f"  and {count(len(ids) - _MAX_PLANS, 'further plan')}"
