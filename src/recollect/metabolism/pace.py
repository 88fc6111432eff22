"""How many rows a transaction takes at once, so that it keeps others waiting for a short time only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# A transaction should keep others waiting for no longer than this.
_HELD_SECONDS: Final = 0.1
_MOST: Final = 1_000


@dataclass(slots=True)
class Pace:
    """Grows while transactions are short, and shrinks when one was long."""

    size: int = 4

    def took(self, seconds: float) -> None:
        """Learn from how long a transaction of this size held its locks."""
        if seconds > _HELD_SECONDS:
            self.size = max(1, self.size // 2)
        elif seconds < _HELD_SECONDS / 4:
            self.size = min(_MOST, self.size * 2)
