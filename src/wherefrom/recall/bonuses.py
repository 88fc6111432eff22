"""Bonuses: what a question says of texts beside their words raises their S.

S = (base + Σ weight · share) / (1 + Σ weight) over the bonuses that apply to the question, with each share in [0, 1],
so that S stays in [0, 1], and is what it was if none applies.
date: how near a text is to the time that the question names (recall/dating.py).
speaker: 1 where the question names who says a text.
session: the strength of a text's session, the sum of S of its three best candidates, divided by the greatest such sum;
a text without a session is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Final, Literal

from wherefrom.graph.local import Numbers
from wherefrom.lazy import np
from wherefrom.recall.dating import closeness
from wherefrom.recall.settings import Hybrid
from wherefrom.storage.candidates import Candidate
from wherefrom.text.dates.interval import Interval
from wherefrom.text.speakers import named_in

_BEST_OF_SESSION: Final = 3


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus that applies to a question. name: the field of `Scores` that tells the share which a candidate gets."""

    name: Literal["date", "speaker", "session"]
    weight: float
    shares: Callable[[Sequence[Candidate]], Numbers]


def bonuses_of(
    question: str, intervals: Sequence[Interval], candidates: Sequence[Candidate], hybrid: Hybrid
) -> tuple[Bonus, ...]:
    """Return the bonuses for the times and the speakers that a question names."""
    speakers = speaker_bonus(question, candidates, hybrid.speaker_bonus)
    return *date_bonus(intervals, hybrid.date_bonus), *speakers


def with_bonuses(base: Numbers, bonuses: Sequence[tuple[float, Numbers]]) -> Numbers:
    """Return S of candidates with bonuses, each given by its weight and the shares of the candidates. One with no share
    (NaN) is not compared by that bonus.
    """
    raised, total = base, np.ones(len(base))
    for weight, shares in bonuses:
        raised = raised + weight * np.nan_to_num(shares)
        total = total + weight * ~np.isnan(shares)
    return raised / total


def date_bonus(intervals: Sequence[Interval], weight: float) -> list[Bonus]:
    """Return the bonus for what is of a time that a question names; none if it names none."""
    if not intervals or not weight:
        return []
    return [Bonus("date", weight, lambda some: closeness([one.observed_at for one in some], intervals))]


def speaker_bonus(question: str, candidates: Sequence[Candidate], weight: float) -> list[Bonus]:
    """Return the bonus for what the speaker says whom a question names; none if it names none of the candidates'."""
    speakers = {one.speaker for one in candidates if one.speaker is not None} if weight else set()
    if not speakers:
        return []
    names = named_in(question)
    if not any(map(names, speakers)):
        return []

    def shares(some: Sequence[Candidate]) -> Numbers:
        return np.array([one.speaker is not None and names(one.speaker) for one in some], dtype=np.float64)

    return [Bonus("speaker", weight, shares)]


def session_bonus(candidates: Sequence[Candidate], scores: Mapping[str, float], weight: float) -> list[Bonus]:
    """Return the bonus by the strength of sessions; none if no candidate is a turn of one. scores: S by id."""
    by_session: dict[tuple[str, str], list[float]] = {}
    for one in candidates if weight else ():
        if one.session is not None and one.id in scores:
            by_session.setdefault(one.session, []).append(scores[one.id])
    sums = {session: sum(nlargest(_BEST_OF_SESSION, values)) for session, values in by_session.items()}
    greatest = max(sums.values(), default=0.0)
    if greatest <= 0:
        return []
    strengths = {session: total / greatest for session, total in sums.items()}

    def shares(some: Sequence[Candidate]) -> Numbers:
        return np.array([strengths.get(one.session, 0.0) if one.session else np.nan for one in some])

    return [Bonus("session", weight, shares)]
