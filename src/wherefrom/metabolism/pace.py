"""How many rows a transaction takes at once, so that it keeps others waiting for a short time only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# A transaction should keep others waiting for no longer than this.
_HELD_SECONDS: Final = 0.1
_MOST: Final = 1_000
# How much the transactions before the last one count.
_MEMORY: Final = 0.7
# The variance of sizes, as a share of their square, below which they count as one size.
_SAME_SIZE: Final = 1e-4


@dataclass(slots=True)
class Pace:
    """Learns how long a transaction takes by its size: seconds = fixed + per_row * rows, a straight line through the
    latest transactions.

    size: how many rows the next one should take: what fits into the time that is left beside the fixed part. If the
    fixed part alone takes longer than that, smaller transactions would only be more of them, so rows get as much time
    as it. From one transaction to the next the size at most doubles or halves.
    """

    size: int = 4
    _weight: float = 0.0
    _rows: float = 0.0
    _seconds: float = 0.0
    _rows_rows: float = 0.0
    _rows_seconds: float = 0.0

    def took(self, seconds: float) -> None:
        """Learn from how long a transaction of this size held its locks."""
        self._learn(self.size, seconds)
        if seconds < _HELD_SECONDS / 4:
            size = self.size * 2
        elif seconds <= _HELD_SECONDS:
            size = max(self.size, min(self.size * 2, self._fitting(seconds)))
        else:
            size = max(self.size // 2, min(self.size * 2, self._fitting(seconds)))
        self.size = min(_MOST, max(1, size))

    def _learn(self, rows: int, seconds: float) -> None:
        self._weight = self._weight * _MEMORY + 1
        self._rows = self._rows * _MEMORY + rows
        self._seconds = self._seconds * _MEMORY + seconds
        self._rows_rows = self._rows_rows * _MEMORY + rows * rows
        self._rows_seconds = self._rows_seconds * _MEMORY + rows * seconds

    def _fitting(self, seconds: float) -> int:
        """How many rows the line allows."""
        mean_rows, mean_seconds = self._rows / self._weight, self._seconds / self._weight
        spread = self._rows_rows / self._weight - mean_rows**2
        if spread < _SAME_SIZE * mean_rows**2:
            # Nearly all were of one size, which makes no line: try another.
            return self.size // 2 if seconds > _HELD_SECONDS else self.size + max(1, self.size // 8)
        per_row = (self._rows_seconds / self._weight - mean_rows * mean_seconds) / spread
        fixed = max(0.0, mean_seconds - max(0.0, per_row) * mean_rows)
        return _MOST if per_row <= 0 else int(max(_HELD_SECONDS - fixed, fixed) / per_row)
