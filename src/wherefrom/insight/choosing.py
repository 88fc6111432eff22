"""The links of a plan that a caller means: by their numbers, or by the ids of their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.identifiers import short_id
from wherefrom.model.insight import InsightPlan, ProposedEdge
from wherefrom.model.param import Param

_HINT: Final = "give numbers of its list, as 1,3, or ends, as SOURCE_ID:TARGET_ID"


def check_only(value: object, *, field: str) -> tuple[str, ...]:
    """Return the entries of a list; commas separate them, too."""
    given = [value] if isinstance(value, str | int) else value
    if not isinstance(given, Sequence) or any(isinstance(one, bool) or not isinstance(one, int | str) for one in given):
        raise InvalidInput(f"{field} must be a list of numbers or pairs of ids", hint=_HINT)
    entries = tuple(part.strip() for one in given for part in str(one).split(",") if part.strip())
    if given and not entries:
        raise InvalidInput(f"{field} names none", hint=_HINT)
    return entries


Only = Annotated[
    Sequence[int | str],
    Param("Only these of its relations: numbers, or source_id:target_id.", metavar="1,3", check=check_only),
]


def chosen(plan: InsightPlan, only: Sequence[int | str]) -> frozenset[int] | None:
    """Return the numbers of the links that are meant; None if all are."""
    if not only:
        return None
    numbers = {name: link.number for link in plan.accepted for name in _names(link)}
    if unknown := [str(name) for name in only if str(name) not in numbers]:
        raise InvalidInput(f"plan {short_id(plan.id)} has no relation {shown(unknown[0])}", hint=_HINT)
    return frozenset(numbers[str(name)] for name in only)


def _names(link: ProposedEdge) -> tuple[str, ...]:
    ends = (link.source_id, link.target_id), (short_id(link.source_id), short_id(link.target_id))
    return str(link.number), *(f"{one}:{other}" for pair in ends for one, other in (pair, pair[::-1]))
