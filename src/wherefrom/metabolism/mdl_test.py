"""The MDL test: a weak node goes if one that stays says the same. Difficulty is 1 − the similarity to that one.

What stays for sure is compared first: nodes that are not weak, and those that others are restored from, which therefore
stay. Only then weak ones with each other: of two that are each other's nearest, the one that is judged first goes, and
the other stands for it. The order is by difficulty, then thickness, then id, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from wherefrom.metabolism.nearest import Candidate, Neighbour

Obstacle = Callable[[str, str], str | None]
"""Returns why the first node cannot be restored from the second: the difference, or `disputed`; None if it can."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for a candidate. neighbour: the node it is restored from, or else the nearest that stays."""

    rule: Literal["restorable", "stands_in", "unique", "differs", "disputed"]
    neighbour: Neighbour | None
    detail: str | None = None

    @property
    def difficulty(self) -> float | None:
        """The difficulty of restoring the node from its neighbour; None without one."""
        return None if self.neighbour is None else self.neighbour.difficulty

    @property
    def removed(self) -> bool:
        """True if the node goes."""
        return self.rule == "restorable"


def judge(
    candidates: Sequence[Candidate],
    obstacle: Obstacle,
    *,
    standing_in: frozenset[str],
    going: frozenset[str] = frozenset(),
) -> tuple[dict[str, Verdict], set[str]]:
    """Return a verdict for each candidate, and the ids of those of whose listed neighbours too few stay, though the
    list was cut.

    standing_in: nodes from which others can be restored, so that they stay. going: nodes that go for another reason.
    """
    verdicts: dict[str, Verdict] = {}
    kept, gone = set(standing_in), set(going)
    waiting = sorted(candidates, key=_order)
    weak = {candidate.node.id for candidate in candidates}
    only_sure = True
    while True:
        left = []
        for candidate in waiting:
            staying = [near for near in candidate.near if near.id not in gone]
            sure = [near for near in staying if near.id not in weak or near.id in kept]
            verdict = _verdict(candidate, sure, obstacle, kept=kept, gone=gone)
            if not verdict.removed and not only_sure:
                verdict = _verdict(candidate, staying, obstacle, kept=kept, gone=gone)
            verdicts[candidate.node.id] = verdict
            if verdict.removed and verdict.neighbour is not None:
                gone.add(candidate.node.id)
                kept.add(verdict.neighbour.id)
            else:
                left.append(candidate)
        # A candidate whose neighbour has gone since is compared with the next one.
        changed, waiting = len(left) < len(waiting), left
        if not changed and not only_sure:
            break
        only_sure = changed
    exhausted = {
        candidate.node.id
        for candidate in waiting
        if candidate.more
        and verdicts[candidate.node.id].rule != "stands_in"
        and sum(near.id not in gone for near in candidate.near) < candidate.compared
    }
    return verdicts, exhausted


def _verdict(
    candidate: Candidate, staying: Sequence[Neighbour], obstacle: Obstacle, *, kept: set[str], gone: set[str]
) -> Verdict:
    nearest = staying[0] if staying else candidate.best
    if nearest is not None and nearest.id in gone:
        nearest = None
    if candidate.node.id in kept:
        return Verdict("stands_in", nearest)
    found: str | None = None
    for near in staying[: candidate.compared]:
        if not candidate.benefit > near.difficulty:
            break
        why = obstacle(candidate.node.id, near.id)
        if why is None:
            return Verdict("restorable", near)
        found = found or why
    if found is None or found == "disputed":
        return Verdict("unique" if found is None else "disputed", nearest)
    return Verdict("differs", nearest, found)


def _order(candidate: Candidate) -> tuple[float, float, str]:
    best = candidate.best
    return 1.0 if best is None else -best.similarity, candidate.thickness, candidate.node.id
