"""The history for people: a table, or a line for each event as it comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import new_table, shown, when
from wherefrom.model.history import History, HistoryEntry, HistorySubject, HistoryVersion
from wherefrom.model.identifiers import short_id

_MAX_VERSIONS: Final = 10
# What a tool is called with, and the command that does the same.
_COMMANDS: Final = {
    "upkeep takes all of it back (undo_run_id)": "to take all of it back: wherefrom upkeep undo",
    "insight makes them (apply_plan_id)": "to make them: wherefrom insight --apply-plan",
    "metabolize carries it out (apply_plan_id)": "to carry it out: wherefrom metabolize --apply-plan",
}


def history_lines(found: History) -> Iterable[RenderableType]:
    """Say what the id is now, if one was given; then list what happened."""
    if found.about is not None:
        yield shown(_in_commands(found.about))
        yield from (shown(f"  {held}") for held in found.about.holds)
        former = found.about.versions if len(found.about.versions) > 1 else ()
        yield from (shown(f"  {_version(version)}") for version in former[:_MAX_VERSIONS])
        if len(former) > _MAX_VERSIONS:
            yield f"  and {len(former) - _MAX_VERSIONS} more"
        yield ""
    table = new_table("when", "id", "what")
    for entry in found.items:
        table.add_row(when(entry.at), _id(entry), _what(entry, found.root_namespace))
    yield table if table.row_count else "nothing happened here yet"


def _in_commands(about: HistorySubject) -> str:
    """What the id is now, with commands in place of the tools' words."""
    text = about.text
    for said, command in _COMMANDS.items():
        text = text.replace(said, f"{command} {short_id(about.id)}")
    return text.replace("what went is in the history of run", "to see what went: wherefrom history")


def _version(version: HistoryVersion) -> str:
    until = "now" if version.until is None else when(version.until)
    writer = f" by {version.written_by}" if version.written_by is not None else ""
    return f"version {version.version}{writer}, {when(version.since)} to {until}: {version.text}"


def entry_line(entry: HistoryEntry, root: str) -> Text:
    """One event on a line of its own."""
    return Text("  ").join([Text(when(entry.at)), Text(_id(entry).ljust(8)), _what(entry, root)])


def _id(entry: HistoryEntry) -> str:
    """The end of the id that the event is found by: of its node, or of its run, plan or task."""
    return short_id(entry.node_id or entry.part_of or "")


def _what(entry: HistoryEntry, root: str) -> Text:
    what = shown(entry.text)
    if entry.restorable_until is not None:
        what.append(f"; restorable until {entry.restorable_until[:10]}")
    if entry.namespace != root:
        what.append_text(shown(f" · {entry.namespace}", style="dim"))
    return what
