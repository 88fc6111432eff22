"""Chooses how many rows a transaction takes, so that it keeps others waiting for a short time only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_HELD_SECONDS: Final = 0.1
_MAX_ROWS: Final = 1_000
# How much each transaction counts beside the one after it.
_MEMORY: Final = 0.7
# The variance of sizes, as a share of their square, below which they count as one size.
_SAME_SIZE: Final = 1e-4


@dataclass(slots=True)
class AdaptiveBatch:
    """Learns how long a transaction takes by its size: seconds = fixed + per_row * rows, a straight line through the
    latest transactions.

    size: how many rows the next one should take: what fits into the time that is left beside the fixed part. If the
    fixed part alone takes longer than that, smaller transactions would only be more of them, so rows get as much time
    as it. From one transaction to the next the size at most doubles or halves.
    """

    size: int = 4
    _sums: tuple[float, ...] = (0.0,) * 5

    def took(self, seconds: float) -> None:
        """Learn from how long a transaction of this size held its locks."""
        latest = 1, self.size, seconds, self.size**2, self.size * seconds
        self._sums = tuple(known * _MEMORY + new for known, new in zip(self._sums, latest, strict=True))
        if seconds < _HELD_SECONDS / 4:
            size = self.size * 2
        elif seconds <= _HELD_SECONDS:
            size = max(self.size, min(self.size * 2, self._fitting(seconds)))
        else:
            size = max(self.size // 2, min(self.size * 2, self._fitting(seconds)))
        self.size = min(_MAX_ROWS, max(1, size))

    def _fitting(self, seconds: float) -> int:
        """The number of rows that the line allows."""
        mean_rows, mean_seconds, mean_square, mean_product = (known / self._sums[0] for known in self._sums[1:])
        spread = mean_square - mean_rows**2
        if spread < _SAME_SIZE * mean_rows**2:
            # Nearly all were of one size, which makes no line: try another.
            return self.size // 2 if seconds > _HELD_SECONDS else self.size + max(1, self.size // 8)
        per_row = (mean_product - mean_rows * mean_seconds) / spread
        fixed = max(0.0, mean_seconds - max(0.0, per_row) * mean_rows)
        return _MAX_ROWS if per_row <= 0 else int(max(_HELD_SECONDS - fixed, fixed) / per_row)
