"""The MDL test: a weak node goes if one that stays says the same. Difficulty is 1 − the similarity to that one.

What stays for sure is compared first: nodes that are not weak, and those that others are restored from, which therefore
stay. Only then weak ones with each other: of two that may stand for each other the one of the higher rank stays; of
equal ones the one that is judged first goes. The order is by difficulty, then thickness, then id, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wherefrom.metabolism.nearest import Candidate, Neighbour

Obstacle = Callable[[str, str], str | None]
"""Returns why the first node cannot be restored from the second: the difference, or `disputed`; None if it can."""
Ranking = Callable[[str], tuple[Any, ...]]
"""Returns the rank of a node: of two copies the one of the higher rank stays."""


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
    rank: Ranking = lambda _: (),
) -> tuple[dict[str, Verdict], set[str]]:
    """Return a verdict for each candidate, and the ids of those of whose listed neighbours too few stay, though the
    list was cut.

    standing_in: nodes from which others can be restored, so that they stay. going: nodes that go for another reason.
    """
    test = _Test({candidate.node.id: candidate for candidate in candidates}, obstacle, rank, {*standing_in}, {*going})
    verdicts: dict[str, Verdict] = {}
    waiting = sorted(candidates, key=_order)
    only_sure = True
    while True:
        left = []
        for candidate in waiting:
            verdict = test.verdict(candidate, only_sure=True)
            if not verdict.removed and not only_sure:
                verdict = test.verdict(candidate, only_sure=False)
            verdicts[candidate.node.id] = verdict
            if verdict.removed and verdict.neighbour is not None:
                test.gone.add(candidate.node.id)
                test.kept.add(verdict.neighbour.id)
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
        and sum(near.id not in test.gone for near in candidate.near) < candidate.compared
    }
    return verdicts, exhausted


@dataclass(slots=True)
class _Test:
    """The test while it runs: the candidates by id, the nodes that stay because others are restored from them (kept),
    and those that go.
    """

    candidates: Mapping[str, Candidate]
    obstacle: Obstacle
    rank: Ranking
    kept: set[str]
    gone: set[str]

    def verdict(self, candidate: Candidate, *, only_sure: bool) -> Verdict:
        """Judge a candidate by the neighbours that stay, or by those that stay for sure."""
        staying = [near for near in candidate.near if near.id not in self.gone]
        if only_sure:
            staying = [near for near in staying if near.id not in self.candidates or near.id in self.kept]
        nearest = staying[0] if staying else candidate.best
        if nearest is not None and nearest.id in self.gone:
            nearest = None
        if candidate.node.id in self.kept:
            return Verdict("stands_in", nearest)
        found: str | None = None
        compared = [near for near in staying[: candidate.compared] if candidate.benefit > near.difficulty]
        for near in compared if only_sure else sorted(compared, key=lambda near: self.rank(near.id), reverse=True):
            why = self.obstacle(candidate.node.id, near.id)
            if why is None and (only_sure or not self._goes_first(candidate, near)) and self._may_go(candidate, near):
                return Verdict("restorable", near)
            found = found or why
        if found is None or found == "disputed":
            return Verdict("unique" if found is None else "disputed", nearest)
        return Verdict("differs", nearest, found)

    def _may_go(self, candidate: Candidate, near: Neighbour) -> bool:
        """True but for a node that is not weak, which goes only for one that outranks it."""
        return not candidate.is_strong or self.rank(near.id) > self.rank(candidate.node.id)

    def _goes_first(self, candidate: Candidate, near: Neighbour) -> bool:
        """True if the neighbour of a candidate can be restored from it and has the lower rank, so that it goes."""
        one, other = candidate.node.id, self.candidates.get(near.id)
        if other is None or other.node.id in self.kept or not self.rank(one) > self.rank(near.id):
            return False
        return (
            any(found.id == one and other.benefit > found.difficulty for found in other.near[: other.compared])
            and self.obstacle(near.id, one) is None
        )


def _order(candidate: Candidate) -> tuple[float, float, str]:
    best = candidate.best
    return 1.0 if best is None else -best.similarity, candidate.thickness, candidate.node.id
