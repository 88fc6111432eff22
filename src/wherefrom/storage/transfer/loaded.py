"""What became of a batch of records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from wherefrom.storage.transfer.reading import Read
from wherefrom.storage.transfer.rejections import Fault


@dataclass(frozen=True, slots=True)
class Loaded:
    """How many were written, what names something that is not there (yet), and what may not be stored."""

    counts: Counter[str] = field(default_factory=Counter)
    early: list[Read] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
