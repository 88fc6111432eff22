"""The settings of the cut-off, apart from its arithmetic, which imports NumPy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CutOff:
    """At least `least` and at most `most` results; a higher sensitivity asks for a sharper knee."""

    least: int = 3
    most: int = 50
    sensitivity: float = 1.0
