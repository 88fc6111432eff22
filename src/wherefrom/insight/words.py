"""Why a link was accepted or not, in plain words; without a word of the texts, which the edge may outlive."""

from __future__ import annotations

from typing import Final

from wherefrom.model.insight import LinkFigures

# A smaller share of words would be told as 0 %.
_TOLD: Final = 0.005


def reason(figures: LinkFigures, *, accepted: bool, theta_dg: float, others: int) -> str:
    """One sentence: what speaks for the link, how far apart its ends were, and how the gate decided."""
    for_it = []
    if figures.similarity is not None:
        for_it.append(f"{_closeness(figures.similarity)} in meaning ({figures.similarity:.2f})")
    if figures.words is not None and figures.words >= _TOLD:
        for_it.append(f"{figures.words:.0%} of its words")
    if figures.common_neighbours:
        plural = "" if figures.common_neighbours == 1 else "s"
        for_it.append(f"{figures.common_neighbours} neighbour{plural} in common")
    elif figures.shared > 0:
        for_it.append("linked to what else fits")
    if figures.distance is not None and figures.distance > 1:
        for_it.append(f"until now {figures.distance} steps apart")
    said = ", ".join(for_it) or "nothing but its place"
    if accepted:
        return f"{said}; worth its cost (g {figures.g:.2f} ≤ {theta_dg:.2f})"
    if figures.g <= theta_dg:
        return f"{said}; {others} better links were enough (g {figures.g:.2f})"
    return f"{said}; not worth its cost (g {figures.g:.2f} > {theta_dg:.2f})"


def _closeness(similarity: float) -> str:
    return "close" if similarity >= 0.6 else "near" if similarity >= 0.35 else "far"
