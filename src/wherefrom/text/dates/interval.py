"""An interval of time, in a file of its own: what stores and ranks has it without the words of all languages."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A time from `start` to `end`, as times are stored (UTC, text order is time order); both belong to it."""

    start: str
    end: str
