"""`wherefrom review` on a terminal: one pair at a time, and a key for each decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import typer
from rich.console import Console

from wherefrom.api.memory import Verbs
from wherefrom.interfaces.cli.cells import count, shown
from wherefrom.interfaces.cli.render_nodes import pair_lines
from wherefrom.interfaces.cli.session import print_parts
from wherefrom.model.errors import WherefromError
from wherefrom.model.review import Kept, Review, ReviewPair

_MAX_WIDTH: Final = 80
_KEYS: Final = "keep 1 or 2, b both, d 1 since a date, s skip, q quit"
_KEPT: Final[dict[str, Kept]] = {"1": "first", "2": "second", "b": "both", "d": "first"}


def go_through(run: Callable[[], Review], given: dict[str, Any], memory: Verbs) -> None:
    """Show one pair after another, page by page, until all are decided or skipped, or somebody quits."""
    console = Console(width=min(_MAX_WIDTH, Console().width))
    settled = skipped = 0
    try:
        while (page := run()).pairs:
            for pair in page.pairs:
                is_settled = _decided(console, pair, memory)
                settled, skipped = settled + is_settled, skipped + (not is_settled)
            if page.next_cursor is None:
                break
            given["cursor"] = page.next_cursor
    except typer.Abort:
        pass
    left = f", {skipped} skipped" if skipped else ""
    print_parts(console, [f"{count(settled, 'pair')} settled{left}" if settled or skipped else "nothing was settled"])


def _decided(console: Console, pair: ReviewPair, memory: Verbs) -> bool:
    """Ask about a pair until it is settled or skipped; returns whether it is settled."""
    print_parts(console, ["", *pair_lines(pair)])
    while True:
        key = typer.prompt(_KEYS, default="s", show_default=False).strip().lower()
        if key == "q":
            raise typer.Abort
        if key == "s":
            return False
        if key in _KEPT:
            until = typer.prompt("last day, month or year of 2 (2026-03-14)").strip() if key == "d" else None
            call = pair.settle
            try:
                done = memory.settle(call.first_id, call.second_id, _KEPT[key], until=until, source_id=call.source_id)
            except WherefromError as error:
                print_parts(console, [shown(f"{error.message}{f' ({error.hint})' if error.hint else ''}")])
                continue
            print_parts(console, [shown(done.text)])
            return True
