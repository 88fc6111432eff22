"""The settings of upkeep: what the section `upkeep` of a policy may set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from wherefrom.model.param import Param
from wherefrom.model.upkeep import UpkeepMode
from wherefrom.policy.settings import Settings


@dataclass(frozen=True, slots=True)
class UpkeepSettings(Settings):
    """What a memory does by itself, when, and how much of the machine it may take for it."""

    SECTION: ClassVar[str] = "upkeep"

    mode: Annotated[
        UpkeepMode,
        Param("`off`: nothing; `propose`: it says what it found; `apply`: it does it, from the second run on."),
    ] = "propose"
    quiet_seconds: Annotated[float, Param("Insight looks once nothing was saved for so long.", 0, 86_400)] = 60.0
    after_new: Annotated[int, Param("Or once so many memos are new.", 1, 10_000)] = 20
    metabolism_hours: Annotated[float, Param("How often metabolism looks.", 1, 8_760)] = 24.0
    most_waiting: Annotated[
        int, Param("Insight looks no further while so many relations wait; `apply` makes them.", 1, 10_000)
    ] = 100
    seconds: Annotated[float, Param("How many seconds insight works at a time, until it rests.", 0.01, 60)] = 0.25
    share: Annotated[
        float, Param("The share of one processor that it takes: it rests between two pieces of work.", 0.001, 1)
    ] = 0.04
