"""Tables and lines of insight, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from wherefrom.interfaces.cli.cells import count, first_line, new_table, shown
from wherefrom.model.insight import InsightPlan, ProposedLink
from wherefrom.model.results import Saved

_TITLE_CHARACTERS: Final = 40


def plan_lines(plan: InsightPlan, *, rejected: bool) -> Iterator[RenderableType]:
    """The links, how many there are, and what can be done with them."""
    names = {ref.id: ref.title for ref in plan.nodes}
    links = (*plan.accepted, *(plan.rejected if rejected else ()))
    table = new_table("from", "to", "weight", "why", "score", "g", "hop", *(["worth it"] if rejected else []))
    for link in links:
        verdict = ["yes" if link.accepted else "no"] if rejected else []
        table.add_row(*_cells(link, names), *verdict, style="" if link.accepted else "dim")
    if links:
        yield table
    judged = count(plan.judged, "question" if "query" in plan.asked else "memo")
    others = f", {len(plan.rejected):,} not" if plan.rejected else ""
    yield f"{judged} judged: {count(len(plan.accepted), 'link')} worth making{others}"
    yield from _next(plan)
    if plan.remaining:
        yield f"{count(plan.remaining, 'new memo')} left for the next plan, once this one is applied"
    yield from (shown(f"degraded: {why}") for why in plan.degraded)


def saved_lines(saved: Saved) -> Iterator[RenderableType]:
    """The links that saving a memo made."""
    for link in saved.links:
        guess = f"{link.tag} {link.weight:.2f}, confidence {link.confidence:g}, guess: {link.judge}"
        yield shown(f"linked {link.source_id} -[{guess}]-> {link.target_id}: {link.reason}")
    if not saved.links:
        yield "no new link is worth it"
    yield from (shown(f"degraded: {why}") for why in saved.degraded)


def _next(plan: InsightPlan) -> Iterator[str]:
    if plan.state == "applied":
        yield f"plan {plan.id} is applied: {count(plan.written, 'link')} made"
        if plan.written:
            yield f"to take them back: wherefrom insight --undo {plan.id}"
    elif plan.state == "undone":
        left = f"{count(plan.written, 'link')} of it left" if plan.written else "no link of it is left"
        yield f"plan {plan.id} is undone: {left}"
    elif plan.accepted:
        yield f"plan {plan.id} is proposed; to make these links: wherefrom insight --apply-plan {plan.id}"
    elif plan.judged and "since" in plan.asked:
        yield f"plan {plan.id} has no links; to go on from here: wherefrom insight --apply-plan {plan.id}"
    else:
        yield f"plan {plan.id} has no links"


def _cells(link: ProposedLink, names: Mapping[str, str | None]) -> tuple[str | Text, ...]:
    return (
        _name(link.source_id, names),
        _name(link.target_id, names),
        f"{link.weight:.2f}",
        shown(link.reason),
        f"{link.figures.score:.2f}",
        f"{link.figures.g:+.3f}",
        str(link.figures.hop),
    )


def _name(node_id: str, names: Mapping[str, str | None]) -> Text:
    return first_line(names.get(node_id) or node_id, width=_TITLE_CHARACTERS)
