"""Re-ranking: g = (u + (1 − u)·σ(z)) · (c + (1 − c)·confidence) · (r + (1 − r)·recency), in [u·c·r, 1].

z = (utility − mean) / max(deviation, d), with mean and deviation of all that can be recalled. Among many nodes that
nobody judged the deviation is tiny, and without the least deviation d (0.2) one judgement would decide: of 500 nodes
the only one that was found helpful would have z = 22. recency = 2^(−age / half-life) with a half-life for each kind of
node; u, c and r are the floors 0.6, 0.5 and 0.3. With `use_quality`, g is also multiplied by (q + (1 − q)·quality).
Utility and quality are taken as they are now: both lose half in their half-lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wherefrom.graph.local import Numbers
from wherefrom.lazy import np
from wherefrom.model.results import ScoreBreakdown
from wherefrom.recall.settings import Feedback, Rerank
from wherefrom.storage.candidates import MeanDeviation, RankingFacts

Worth = tuple[float, float, float, float, float | None, float, float]
"""The values of `Factors`, with g as the last."""

_MICROSECONDS_A_DAY: Final = 86_400e6


def rerank(
    facts: Sequence[RankingFacts], among: MeanDeviation, *, now: str, settings: Rerank, feedback: Feedback
) -> list[Worth]:
    """Return the parts of g of each node; `among` are mean and deviation of the utility of all that can be recalled."""
    judged_days = days_before(now, [fact.judged_at for fact in facts])
    utility = np.array([fact.utility for fact in facts]) * share_left(judged_days, feedback.utility_half_life_days)
    utility_z = (utility - among.mean) / max(among.deviation, settings.min_utility_deviation)
    useful = 1.0 / (1.0 + np.exp(-np.clip(utility_z, -50.0, 50.0)))
    sure = np.clip(np.array([fact.confidence for fact in facts], dtype=np.float64), 0.0, 1.0)
    age_days = days_before(now, [fact.recency_anchor for fact in facts])
    usual = settings.recency_half_life_days
    half_lives = [settings.half_life_days.get(fact.claim_kind or fact.kind, usual) for fact in facts]
    fresh = np.clip(share_left(age_days, np.array(half_lives, dtype=np.float64)), 0.0, 1.0)
    g = _lifted(useful, settings.utility_floor) * _lifted(sure, settings.confidence_floor)
    g = g * _lifted(fresh, settings.recency_floor)
    quality: Any = np.full(len(facts), None)
    if settings.use_quality:
        stored = np.array([fact.quality for fact in facts], dtype=np.float64)
        quality = np.clip(stored * share_left(judged_days, feedback.quality_half_life_days), 0.0, 1.0)
        g = g * _lifted(quality, settings.quality_floor)
    columns = (utility_z, useful, sure, fresh, quality, age_days, np.clip(g, 0.0, 1.0))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def figures_of(breakdown: ScoreBreakdown, score: float, relevance: float | None) -> str:
    """Return one line that a program can take apart: `FTS=rank:2; cos=0.92; S=0.76; recent=12d; util=0.86; …`."""
    scores, factors = breakdown.scores, breakdown.factors
    parts = {
        "FTS": None if scores.text_rank is None else f"rank:{scores.text_rank}",
        "cos": None if scores.similarity is None else f"{scores.similarity:.2f}",
        "said": None if scores.coverage is None else f"{scores.coverage:.2f}",
        "about": None if relevance is None else f"{relevance:.2f}",
        "date": None if scores.date is None else f"{scores.date:.2f}",
        "speaker": None if scores.speaker is None else f"{scores.speaker:.0f}",
        "session": None if scores.session is None else f"{scores.session:.2f}",
        "S": f"{breakdown.fit:.2f}",
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


def days_before(now: str, times: Sequence[str]) -> Numbers:
    """Return how many days before now each stored time is; a later one counts as now."""
    moments = np.array([time.removesuffix("Z") for time in times], dtype="datetime64[us]").astype(np.int64)
    age: Numbers = (np.datetime64(now.removesuffix("Z"), "us").astype(np.int64) - moments) / _MICROSECONDS_A_DAY
    return np.maximum(age, 0.0)


def share_left(days: Numbers, half_life: Numbers | float) -> Numbers:
    """Return the share of a value that is left after some days: 2^(−days / half-life)."""
    return np.exp2(-days / half_life)


def _lifted(values: Numbers, floor: float) -> Numbers:
    return floor + (1.0 - floor) * values
