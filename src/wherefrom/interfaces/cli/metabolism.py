"""The commands of metabolism: let go, bring back, reinforce."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final, NoReturn

import typer

from wherefrom.interfaces.cli import render_metabolism as render
from wherefrom.interfaces.cli.commands import Namespace, Tag, app, private
from wherefrom.interfaces.cli.render import shown
from wherefrom.interfaces.cli.session import Session, command, print_json
from wherefrom.interfaces.metabolism_answers import MetabolismAnswer, ReinforcedAnswer, RestoredAnswer
from wherefrom.interfaces.plot_metabolism import distributions
from wherefrom.model.errors import InvalidInput, StoreUnavailable
from wherefrom.model.metabolism import MetabolismPlan

_INTERRUPTED: Final = 130
_STOPPED: Final = "stopped: what went until now is kept and can be restored"
_AGAIN: Final = "the same command again completes it"


@command(app, "metabolize")
def metabolize(
    session: Session,
    apply: Annotated[bool, typer.Option("--apply", help="Let it go; without it nothing is changed.")] = False,
    namespace: Namespace = None,
    half_life_days: Annotated[
        float | None, typer.Option("--half-life-days", help="After which a relation is half as thick; 0: never.")
    ] = None,
    prune_threshold: Annotated[
        float | None, typer.Option("--prune-threshold", help="Thinner relations go, 0 to 1.")
    ] = None,
    protection_hours: Annotated[float | None, typer.Option("--protection-hours", help="What is younger stays.")] = None,
    mdl_neighbours: Annotated[
        int | None, typer.Option("--mdl-neighbours", help="With how many a weak node is compared, at most 100.")
    ] = None,
    mdl_benefit: Annotated[
        float | None, typer.Option("--mdl-benefit", help="A weak node goes if it is easier to restore, 0 to 1.")
    ] = None,
    orphans: Annotated[
        str | None, typer.Option("--orphans", help="What goes untested without relations: entities or all.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw how thick relations are, and the cut.")
    ] = None,
) -> None:
    """Show what has become redundant; with --apply let it go, with receipts to restore it from. What is not given is as
    the policy of each namespace says.
    """
    if plot is not None and plot.suffix.lower() != ".svg":
        raise InvalidInput("--plot draws SVG only", hint="give a file that ends in .svg")
    given: dict[str, Any] = {
        "half_life_days": half_life_days,
        "prune_threshold": prune_threshold,
        "protection_hours": protection_hours,
        "mdl_neighbours": mdl_neighbours,
        "mdl_benefit": mdl_benefit,
        "orphans": orphans,
        "figures": plot is not None,
    }
    try:
        with _terminable(), session.progress("letting go" if apply else "looking") as report:
            plan = session.memory.metabolize(namespace, apply=apply, progress=report, **given)
    except KeyboardInterrupt:
        if not apply:
            raise
        _stopped(session)
    # The picture comes last: if it cannot be written, the run's id has been said.
    session.show(MetabolismAnswer.of(plan), *render.plan_lines(plan))
    if plot is not None:
        _draw(plan, plot)
        if not session.as_json:
            session.show(None, shown(f"drawn in {plot}"))


@command(app, "restore")
def restore(
    session: Session,
    node_id: Annotated[str | None, typer.Argument(metavar="NODE_ID", help="What to bring back.")] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN_ID", help="All that this run let go.")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="TIME", help="All that went since then.")] = None,
) -> None:
    """Bring back what metabolize let go, exactly as it was: one node, a run, or all since a time."""
    restored = session.memory.restore(node_id, run_id=run, since=since)
    session.show(RestoredAnswer.of(restored), *render.restored_lines(restored))


@command(app, "reinforce")
def reinforce(
    session: Session,
    source: Annotated[str, typer.Argument(metavar="SOURCE_ID")],
    target: Annotated[str, typer.Argument(metavar="TARGET_ID")],
    tag: Tag,
    weaken: Annotated[bool, typer.Option("--weaken", help="Trust it less instead of more.")] = False,
) -> None:
    """Strengthen a relation that proved right, or weaken one that did not."""
    reinforced = session.memory.reinforce(source, target, tag=tag, weaken=weaken)
    answer = ReinforcedAnswer.of(reinforced, session.memory.root_namespace)
    session.show(answer, *render.reinforced_lines(reinforced))


@contextmanager
def _terminable() -> Iterator[None]:
    """A request to end (SIGTERM, as from cron or a service manager) stops the work as Ctrl-C does, once."""

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stopped(session: Session) -> NoReturn:
    if session.as_json:
        print_json({"error": {"code": "interrupted", "message": _STOPPED, "hint": _AGAIN}}, sys.stderr)
    else:
        sys.stderr.write(f"{_STOPPED}; {_AGAIN}\n")
    raise typer.Exit(_INTERRUPTED)


def _draw(plan: MetabolismPlan, file: Path) -> None:
    try:
        with open(file, "w", encoding="utf-8", opener=private) as stream:
            stream.write(distributions(plan))
    except OSError as error:
        raise StoreUnavailable(f"cannot write {file}: {error.strerror}") from None
