"""Tables and lines of insight, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from wherefrom.interfaces.cli.cells import count, degraded_lines, first_line, shown, table_of
from wherefrom.interfaces.shape import Told
from wherefrom.model.insight import InsightPlan
from wherefrom.model.results import Saved

_TITLE_CHARACTERS: Final = 40


def plan_lines(plan: InsightPlan, *, rejected: bool) -> Iterator[RenderableType]:
    """The links, how many there are, and what can be done with them."""
    names = {ref.id: ref.title for ref in plan.nodes}
    links = (*plan.accepted, *(plan.rejected if rejected else ()))
    rows = []
    for link in links:
        ends = (names.get(end) or end for end in (link.source_id, link.target_id))
        source, target = (first_line(end, width=_TITLE_CHARACTERS) for end in ends)
        verdict = "yes" if link.accepted else "no"
        rows.append(Told(link, {"from": source, "to": target, "why": shown(link.reason), "worth_it": verdict}))
    if rows:
        figures = "figures.score figures.g figures.hop"
        yield table_of(rows, f"from to weight why {figures}{' worth_it' if rejected else ''}")
    judged = count(plan.judged, "question" if "query" in plan.asked else "memo")
    others = f", {len(plan.rejected):,} not" if plan.rejected else ""
    yield f"{judged} judged: {count(len(plan.accepted), 'link')} worth making{others}"
    yield from _next(plan)
    if plan.remaining:
        yield f"{count(plan.remaining, 'new memo')} left for the next plan, once this one is applied"
    yield from degraded_lines(plan)


def saved_lines(saved: Saved) -> Iterator[RenderableType]:
    """The links that saving a memo made."""
    for link in saved.links:
        guess = f"{link.tag} {link.weight:.2f}, confidence {link.confidence:g}, guess: {link.judge}"
        yield shown(f"linked {link.source_id} -[{guess}]-> {link.target_id}: {link.reason}")
    if not saved.links:
        yield "no new link is worth it"
    yield from degraded_lines(saved)


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
