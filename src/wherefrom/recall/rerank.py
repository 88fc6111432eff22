"""Re-ranking: g = (u + (1 − u)·σ(z)) · (c + (1 − c)·confidence) · (r + (1 − r)·recency), in [u·c·r, 1].

z is the z-score of the utility among what can be recalled, recency = 2^(−age / half-life) with a half-life for each
kind of node; u, c and r are the floors 0.6, 0.5 and 0.3. With `use_quality`, g is also multiplied by
(q + (1 − q)·quality). Utility and quality are taken as they are now: both lose half in their half-lives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wherefrom.model.results import Factors
from wherefrom.policy.retrieval import Feedback, Rerank
from wherefrom.storage.standings import Spread, Standing

Numbers = NDArray[np.float64]

_MICROSECONDS_A_DAY: Final = 86_400e6


@dataclass(frozen=True, slots=True)
class Reranked:
    """The parts of g of several nodes, in their order."""

    utility_z: Numbers
    utility: Numbers
    confidence: Numbers
    recency: Numbers
    quality: Numbers | None
    age_days: Numbers
    g: Numbers

    def factors(self, at: int) -> Factors:
        """The parts of one."""
        return Factors(
            utility_z=float(self.utility_z[at]),
            utility=float(self.utility[at]),
            confidence=float(self.confidence[at]),
            recency=float(self.recency[at]),
            quality=None if self.quality is None else float(self.quality[at]),
            age_days=float(self.age_days[at]),
            g=float(self.g[at]),
        )


def rerank(
    standings: Sequence[Standing], spread: Spread, *, now: str, settings: Rerank, feedback: Feedback
) -> Reranked:
    """The factor g of each node."""
    judged_days = days_before(now, [each.judged_at for each in standings])
    utility = np.array([each.utility for each in standings]) * half_of(judged_days, feedback.utility_half_life_days)
    utility_z = (utility - spread.mean) / spread.deviation
    useful = 1.0 / (1.0 + np.exp(-np.clip(utility_z, -50.0, 50.0)))
    sure = _unit(np.array([each.confidence for each in standings], dtype=np.float64))
    age_days = days_before(now, [each.recency_anchor for each in standings])
    half_lives = np.array([half_life_days(each, settings) for each in standings], dtype=np.float64)
    fresh = _unit(half_of(age_days, half_lives))
    g = _lifted(useful, settings.utility_floor) * _lifted(sure, settings.confidence_floor)
    g = g * _lifted(fresh, settings.recency_floor)
    quality = None
    if settings.use_quality:
        stored = np.array([each.quality for each in standings], dtype=np.float64)
        quality = _unit(stored * half_of(judged_days, feedback.quality_half_life_days))
        g = g * _lifted(quality, settings.quality_floor)
    return Reranked(utility_z, useful, sure, fresh, quality, age_days, _unit(g))


def half_life_days(standing: Standing, settings: Rerank) -> float:
    """After how many days such a node is half as fresh."""
    kind = standing.claim_kind or standing.kind
    return settings.half_life_days.get(kind, settings.recency_half_life_days)


def days_before(now: str, times: Sequence[str]) -> Numbers:
    """How many days each stored time lies before now; what lies ahead counts as now."""
    moments = np.array([time.removesuffix("Z") for time in times], dtype="datetime64[us]").astype(np.int64)
    age: Numbers = (np.datetime64(now.removesuffix("Z"), "us").astype(np.int64) - moments) / _MICROSECONDS_A_DAY
    return np.maximum(age, 0.0)


def half_of(days: Numbers, half_life: Numbers | float) -> Numbers:
    """2^(−days / half-life)."""
    decayed: Numbers = np.exp2(-days / half_life)
    return decayed


def _lifted(values: Numbers, floor: float) -> Numbers:
    return floor + (1.0 - floor) * values


def _unit(values: Numbers) -> Numbers:
    clipped: Numbers = np.clip(values, 0.0, 1.0)
    return clipped
