"""New ids (UUIDv7) and the one way in which times are written."""

from __future__ import annotations

import os
import re
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

# Ids begin with the time, so that those of one minute share their beginning: people and agents see the last characters.
SHORT_CHARACTERS: Final = 8
# Fewer last characters than these are not taken for the end of an id.
LEAST_CHARACTERS: Final = 6
_WHOLE: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def new_id() -> str:
    """A UUIDv7 (RFC 9562 §5.7): sortable by creation time, to a quarter of a microsecond."""
    milliseconds, remainder_ns = divmod(time.time_ns(), 1_000_000)
    fraction = remainder_ns * 4096 // 1_000_000
    tail = int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF
    return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | tail))


def short_id(whole: str) -> str:
    """Return an id as people and agents are shown it: its last characters."""
    return whole[-SHORT_CHARACTERS:]


def is_whole(given: str) -> bool:
    """Return True if this is a UUID from its first to its last character, and so the end of no other id."""
    return _WHOLE.fullmatch(given) is not None


def short_ids(ids: Sequence[str]) -> list[str]:
    """Return ids by as many of their last characters as tell them apart."""
    longest = max(map(len, ids), default=0)
    for characters in range(SHORT_CHARACTERS, longest):
        short = [whole[-characters:] for whole in ids]
        if len(set(short)) == len(set(ids)):
            return short
    return list(ids)


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


def last_day(end: str) -> str:
    """The last day of what ended at this moment: an end at midnight belongs to the day before."""
    return timestamp(datetime.fromisoformat(end) - timedelta(microseconds=1))[: len("2026-01-31")]


def timestamp(moment: datetime) -> str:
    """A moment as stored: UTC, ISO-8601, microseconds, fixed width, so that text order is time order."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
