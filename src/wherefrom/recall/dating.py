"""How near texts are to the times that a question names.

closeness = max over the intervals of exp(−distance / scale), in [0, 1]: 1 inside of an interval; outside, distance is
how far the text is from the nearer end, and scale the width of the interval, at least a day and at most a year. So a
text of noon on the day after "7 May" has 0.61, and one of a month after "in 2022" has 0.92.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from wherefrom.graph.local import Numbers
from wherefrom.lazy import np
from wherefrom.text.dates.interval import Interval

_MIN_SCALE_DAYS: Final = 1.0
# "Before 2020" has no beginning, and would fall off over centuries.
_MAX_SCALE_DAYS: Final = 365.0
_MAX_WIDTH_DAYS: Final = 366.0
_SECONDS_A_DAY: Final = 86_400.0


def closeness(observed_at: Sequence[str | None], intervals: Sequence[Interval]) -> Numbers:
    """Return how near each time is to the nearest interval; 0 without a time or without an interval."""
    days = np.array([np.inf if moment is None else _days(moment) for moment in observed_at])
    nearest = np.zeros(len(days))
    for interval in intervals:
        start, end = _days(interval.start), _days(interval.end)
        distance = np.maximum(np.maximum(start - days, days - end), 0.0)
        scale = min(max(end - start, _MIN_SCALE_DAYS), _MAX_SCALE_DAYS)
        nearest = np.maximum(nearest, np.exp(-distance / scale))
    return nearest


def is_wide(interval: Interval) -> bool:
    """Return True if an interval is longer than a year: most of what is there may be in it, and the search of all texts
    finds it.
    """
    return _days(interval.end) - _days(interval.start) > _MAX_WIDTH_DAYS


def _days(moment: str) -> float:
    """Return a stored time in days since the year 1970."""
    return datetime.fromisoformat(moment).timestamp() / _SECONDS_A_DAY
