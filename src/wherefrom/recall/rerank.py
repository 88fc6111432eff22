"""Re-ranking: g = (u + (1 − u)·σ(z)) · (c + (1 − c)·confidence) · (r + (1 − r)·recency), in [u·c·r, 1].

z is the z-score of the utility among what can be recalled, recency = 2^(−age / half-life) with a half-life for each
kind of node; u, c and r are the floors 0.6, 0.5 and 0.3. With `use_quality`, g is also multiplied by
(q + (1 − q)·quality). Utility and quality are taken as they are now: both lose half in their half-lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wherefrom.graph.local import Numbers, Places
from wherefrom.lazy import np
from wherefrom.model.results import Factors, ScoreBreakdown
from wherefrom.recall.settings import Feedback, Rerank
from wherefrom.storage.ranking_facts import MeanDeviation, RankingFacts

_MICROSECONDS_A_DAY: Final = 86_400e6


class Reranked(NamedTuple):
    """The parts of g of several nodes, as columns in the order of `Factors`."""

    utility_z: Numbers
    utility: Numbers
    confidence: Numbers
    recency: Numbers
    quality: Numbers | None
    age_days: Numbers
    g: Numbers

    def factors(self, at: int) -> Factors:
        """Return the parts of g of the node at a place."""
        values: list[Any] = [None if column is None else float(column[at]) for column in self]
        return Factors(*values)

    def in_order(self, places: Places | Sequence[int]) -> Reranked:
        """Return these columns with their rows in another order."""
        columns: list[Any] = [None if column is None else column[places] for column in self]
        return Reranked(*columns)


def rerank(
    facts: Sequence[RankingFacts], among: MeanDeviation, *, now: str, settings: Rerank, feedback: Feedback
) -> Reranked:
    """Return g of each node; `among` are mean and deviation of the utility of all that can be recalled."""
    judged_days = days_before(now, [fact.judged_at for fact in facts])
    utility = np.array([fact.utility for fact in facts]) * half_of(judged_days, feedback.utility_half_life_days)
    utility_z = (utility - among.mean) / among.deviation
    useful = 1.0 / (1.0 + np.exp(-np.clip(utility_z, -50.0, 50.0)))
    sure = _unit(np.array([fact.confidence for fact in facts], dtype=np.float64))
    age_days = days_before(now, [fact.recency_anchor for fact in facts])
    half_lives = np.array([half_life_days(fact, settings) for fact in facts], dtype=np.float64)
    fresh = _unit(half_of(age_days, half_lives))
    g = _lifted(useful, settings.utility_floor) * _lifted(sure, settings.confidence_floor)
    g = g * _lifted(fresh, settings.recency_floor)
    quality = None
    if settings.use_quality:
        stored = np.array([fact.quality for fact in facts], dtype=np.float64)
        quality = _unit(stored * half_of(judged_days, feedback.quality_half_life_days))
        g = g * _lifted(quality, settings.quality_floor)
    return Reranked(utility_z, useful, sure, fresh, quality, age_days, _unit(g))


def reason_of(breakdown: ScoreBreakdown, score: float) -> str:
    """Return one line that a program can take apart: `FTS=rank:2; cos=0.92; S=0.76; recent=12d; util=0.86; …`."""
    scores, factors = breakdown.scores, breakdown.factors
    parts = {
        "FTS": None if scores.text_rank is None else f"rank:{scores.text_rank}",
        "cos": None if scores.similarity is None else f"{scores.similarity:.2f}",
        "S": f"{breakdown.relevance:.2f}",
        "graph": f"{breakdown.graph:.2f}" if breakdown.graph else None,
        "recent": f"{factors.age_days:.0f}d",
        "util": f"{factors.utility:.2f}",
        "conf": f"{factors.confidence:.2f}",
        "qual": None if factors.quality is None else f"{factors.quality:.2f}",
        "g": f"{factors.g:.2f}",
        "score": f"{score:.2f}",
        "through": scores.found_through,
    }
    return " ".join(f"{key}={value};" for key, value in parts.items() if value is not None)


def half_life_days(facts: RankingFacts, settings: Rerank) -> float:
    """Return the days after which a node of this kind is half as fresh."""
    return settings.half_life_days.get(facts.claim_kind or facts.kind, settings.recency_half_life_days)


def days_before(now: str, times: Sequence[str]) -> Numbers:
    """Return how many days before now each stored time is; a later one counts as now."""
    moments = np.array([time.removesuffix("Z") for time in times], dtype="datetime64[us]").astype(np.int64)
    age: Numbers = (np.datetime64(now.removesuffix("Z"), "us").astype(np.int64) - moments) / _MICROSECONDS_A_DAY
    return np.maximum(age, 0.0)


def half_of(days: Numbers, half_life: Numbers | float) -> Numbers:
    """Return 2^(−days / half-life)."""
    return np.exp2(-days / half_life)


def _lifted(values: Numbers, floor: float) -> Numbers:
    return floor + (1.0 - floor) * values


def _unit(values: Numbers) -> Numbers:
    return np.clip(values, 0.0, 1.0)
