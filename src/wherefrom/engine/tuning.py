"""The settings that tune searches and say what may be sent to an embedder."""

from __future__ import annotations

from dataclasses import dataclass

from wherefrom.model.graph import BoundaryClass


@dataclass(frozen=True, slots=True)
class CutOff:
    """The limits of the cut-off: from `least` to `most` hits; a higher sensitivity asks for a sharper knee."""

    least: int = 3
    most: int = 50
    sensitivity: float = 1.0


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings of a store: how it searches, and which boundary classes an embedder may be sent."""

    alpha: float | None = None
    cut: CutOff | None = None
    send_classes: tuple[BoundaryClass, ...] = ("public", "internal")
    shared: bool = False
    """True treats a personal store as a shared one."""
