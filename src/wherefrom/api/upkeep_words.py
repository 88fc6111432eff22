"""Says what a run of upkeep left out, and what of it could not be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wherefrom.model.identifiers import short_id
from wherefrom.model.insight import ProposedEdge
from wherefrom.model.upkeep import change_words

_MAX_LEFT_NAMED: Final = 10


def relations_left_out(related: int, unrelated: int) -> str | None:
    """Say how many relations that were proposed were not made, and why; None if all were made. related: how many of
    their ends are related all the same.
    """
    reasons = ((related, "whose ends are related already"), (unrelated, "of which an end went or was changed"))
    said = [f"left out: {change_words(count, 0)}, {why}" for count, why in reasons if count]
    return "; ".join(said) or None


def removals_left_out(count: int) -> str | None:
    """Say how many of the nodes that were proposed to go have stayed; None if all went."""
    return f"left out: {change_words(0, count)}, since what they concern was changed" if count > 0 else None


def relation_left(link: ProposedEdge) -> str:
    """Say of a relation that it was not taken back."""
    return f"relation {short_id(link.source_id)} -{link.tag}-> {short_id(link.target_id)}: it was changed since"


def not_taken_back(left: Sequence[str]) -> str:
    """Say what could not be taken back, by ids: a note may outlive the texts."""
    more = f"; and {len(left) - _MAX_LEFT_NAMED:,} more" if len(left) > _MAX_LEFT_NAMED else ""
    return f"{len(left):,} could not be taken back: {'; '.join(left[:_MAX_LEFT_NAMED])}{more}"
