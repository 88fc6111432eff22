"""Jobs of upkeep: what a store does by itself from time to time, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

from wherefrom.model.param import Param


@dataclass(frozen=True, slots=True)
class Job:
    """A job that is done every so often. run: does it, and returns figures that say what was done; `failed` is how
    much of it was not.
    """

    name: str
    every_seconds: float
    run: Callable[[], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class JobState:
    """What is known of a job, whichever process did it."""

    name: str
    holder: Annotated[str | None, Param("The process that does it now; null: none.")]
    last_started: str | None
    last_ended: str | None
    last_result: Annotated[
        Mapping[str, int] | None, Param("What was done the last time; null: nothing, it failed as a whole.")
    ]
    last_error: str | None
