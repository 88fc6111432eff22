"""The MDL test: a weak node goes if one that stays says the same. Difficulty is 1 − the similarity to that one.

What stays for sure is compared first: nodes that are not weak, and those that others are restored from, which therefore
stay. Only then weak ones with each other: of two that are each other's nearest, the one that is judged first goes, and
the other stands for it. The order is by difficulty, then thickness, then id, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from wherefrom.metabolism.nearest import Near, Neighbours

Against = Callable[[str, str], str | None]
"""What speaks against restoring one node from another: what they differ in, or `disputed`; None if nothing does."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A node that may go, its thickest edge (0 without any), and what it is near to."""

    id: str
    thickness: float
    neighbours: Neighbours
    benefit: float
    compared: int
    """How many of the nearest are compared."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of it. neighbour: what it is restored from, or the nearest that stays."""

    rule: Literal["restorable", "stands_in", "unique", "differs", "disputed"]
    neighbour: Near | None
    detail: str | None = None

    @property
    def removed(self) -> bool:
        """Whether it goes."""
        return self.rule == "restorable"


def judge(
    candidates: Sequence[Judged],
    against: Against,
    *,
    standing_in: frozenset[str],
    going: frozenset[str] = frozenset(),
) -> tuple[dict[str, Verdict], set[str]]:
    """A verdict for each, and those whose near ones all go, of which there may be more. standing_in: nodes that
    something was let go for before; going: nodes that go for another reason.
    """
    verdicts: dict[str, Verdict] = {}
    kept, gone = set(standing_in), set(going)
    waiting = sorted(candidates, key=_order)
    weak = {candidate.id for candidate in candidates}
    only_sure = True
    while True:
        left = []
        for candidate in waiting:
            staying = [near for near in candidate.neighbours.near if near.id not in gone]
            sure = [near for near in staying if near.id not in weak or near.id in kept]
            verdict = _verdict(candidate, sure, against, kept=kept, gone=gone)
            if not verdict.removed and not only_sure:
                verdict = _verdict(candidate, staying, against, kept=kept, gone=gone)
            verdicts[candidate.id] = verdict
            if verdict.removed and verdict.neighbour is not None:
                gone.add(candidate.id)
                kept.add(verdict.neighbour.id)
            else:
                left.append(candidate)
        # What was compared with one that went after it is compared with the next.
        changed, waiting = len(left) < len(waiting), left
        if not changed and not only_sure:
            break
        only_sure = changed
    exhausted = {
        candidate.id
        for candidate in waiting
        if candidate.neighbours.more
        and verdicts[candidate.id].rule != "stands_in"
        and sum(near.id not in gone for near in candidate.neighbours.near) < candidate.compared
    }
    return verdicts, exhausted


def _verdict(
    candidate: Judged, staying: Sequence[Near], against: Against, *, kept: set[str], gone: set[str]
) -> Verdict:
    best = candidate.neighbours.best
    nearest = staying[0] if staying else None if best is None or best.id in gone else best
    if candidate.id in kept:
        return Verdict("stands_in", nearest)
    found: str | None = None
    for near in staying[: candidate.compared]:
        if not candidate.benefit > round(1.0 - near.similarity, 6):
            break
        why = against(candidate.id, near.id)
        if why is None:
            return Verdict("restorable", near)
        found = found or why
    if found is None:
        return Verdict("unique", nearest)
    if found == "disputed":
        return Verdict("disputed", nearest)
    return Verdict("differs", nearest, found)


def _order(candidate: Judged) -> tuple[float, float, str]:
    best = candidate.neighbours.best
    return -best.similarity if best is not None else 1.0, candidate.thickness, candidate.id
