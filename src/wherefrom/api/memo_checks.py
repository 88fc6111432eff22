"""What a save refuses before it stores anything: times that cannot be, and a memo that was changed meanwhile."""

from __future__ import annotations

from wherefrom.model.errors import Conflict, InvalidInput
from wherefrom.model.graph import Node


def refuse_other_version(node: Node | None, version: int | None) -> None:
    """Raise an error if a node has another version than the caller knows."""
    if version is not None and node is None:
        raise InvalidInput("expected_version is one of a memo", hint="give its memo_id, too")
    if node is not None and version is not None and node.version != version:
        raise Conflict(
            f"{node.id} has version {node.version} by now, and not {version}",
            hint="read it again, and save with its new version",
        )


def refuse_times(
    valid_from: str | None, valid_to: str | None, observed_at: str | None, *, is_new: bool, now: str
) -> None:
    """Raise an error for a statement that ends before it begins, or was observed in the future."""
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise InvalidInput("valid_to lies before valid_from", hint="valid_from is the first day, valid_to the last")
    if valid_to is not None and is_new and valid_to <= (valid_from or observed_at or now):
        raise InvalidInput("it would end before it begins", hint="give valid_from or observed_at, too")
    if observed_at is not None and observed_at > now:
        raise InvalidInput("observed_at lies in the future", hint="valid_from says since when it will hold")
