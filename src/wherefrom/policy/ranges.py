"""Ranges of numbers, for what a policy states and for what a call gives; without YAML, which takes time to import."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wherefrom.model.errors import shown


@dataclass(frozen=True, slots=True)
class Range:
    """A finite number within a range; a whole one, or without one of its ends, if so stated."""

    low: float
    high: float
    whole: bool = False
    without_low: bool = False
    without_high: bool = False

    def problem(self, value: object) -> str | None:
        """What is wrong with a value, in words that follow its name; None if nothing is. No truth value is a number."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"must be a number, not {type(value).__name__}"
        if self.whole and not isinstance(value, int):
            return f"must be a whole number, not {shown(value)}"
        if isinstance(value, float) and not math.isfinite(value):
            return f"{shown(value)} is not a finite number"
        below = value <= self.low if self.without_low else value < self.low
        above = value >= self.high if self.without_high else value > self.high
        return f"{shown(value)} is out of range" if below or above else None

    def __str__(self) -> str:
        low = f"above {self.low:,g}" if self.without_low else f"from {self.low:,g}"
        high = f"below {self.high:,g}" if self.without_high else f"to {self.high:,g}"
        return f"a {'whole ' * self.whole}number {low} {high}"
