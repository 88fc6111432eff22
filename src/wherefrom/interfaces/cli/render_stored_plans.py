"""Tables of stored plans, and of what differs between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType

from wherefrom.interfaces.cli.cells import cell, first_line, table_of
from wherefrom.interfaces.cli.render_plans import RULES
from wherefrom.interfaces.shape import Overlay
from wherefrom.model.identifiers import is_whole, short_id
from wherefrom.model.plans import PlanEntry, Plans, PlanSummary

_NAME_CHARACTERS: Final = 60


def plans_lines(found: Plans) -> Iterator[RenderableType]:
    """The plans, and with ids what is in one, or only in one of two."""
    if not found.items:
        yield "no plan is stored: wherefrom insight and wherefrom metabolize make them"
        return
    yield table_of([_row(plan) for plan in found.items], "id kind state made_at nodes relations namespace")
    for title, entries in _groups(found).items():
        if entries:
            yield from ("", title, table_of([_entry(entry) for entry in entries], "what name figures"))
    if found.truncated:
        yield "there is more; --limit lists more of it"
    if len(found.items) > 1 and (found.entries or found.same):
        yield f"in both with the same figures: {found.same:,}"


def _groups(found: Plans) -> dict[str, list[PlanEntry]]:
    """The entries by which of the plans has them."""
    first = "only in the first:" if len(found.items) > 1 else "in it:"
    return {
        first: [entry for entry in found.entries if entry.second is None],
        "only in the second:": [entry for entry in found.entries if entry.first is None],
        "in both, with other figures:": [entry for entry in found.entries if None not in (entry.first, entry.second)],
    }


def _row(plan: PlanSummary) -> Overlay:
    relations = f"{plan.made:,} of {plan.links:,} made" if plan.kind == "insight" else f"{plan.links:,}"
    shown = {"id": short_id(plan.id), "made_at": plan.created_at[:16].replace("T", " "), "relations": relations}
    return Overlay(plan, {**shown, "nodes": f"{plan.nodes:,}" if plan.kind == "metabolism" else ""})


def _entry(entry: PlanEntry) -> Overlay:
    figures = " → ".join(_said(each) for each in (entry.first, entry.second) if each is not None)
    name = short_id(entry.name) if is_whole(entry.name) else first_line(entry.name, width=_NAME_CHARACTERS)
    return Overlay(entry, {"name": name, "figures": figures})


def _said(figures: Mapping[str, Any]) -> str:
    told = {**figures, "rule": RULES.get(str(figures.get("rule")), figures.get("rule"))}
    shown = {name: short_id(value) if is_whole(str(value)) else cell(value) for name, value in told.items()}
    said = (
        f"{value}" if name == "rule" else f"{name.replace('_', ' ')} {value}" for name, value in shown.items() if value
    )
    return ", ".join(said)
