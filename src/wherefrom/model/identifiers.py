"""New ids (UUIDv7) and the one way in which times are written."""

from __future__ import annotations

import os
import time
import uuid
from datetime import UTC, datetime


def new_id() -> str:
    """A UUIDv7 (RFC 9562 §5.7): sortable by creation time, to a quarter of a microsecond."""
    milliseconds, remainder_ns = divmod(time.time_ns(), 1_000_000)
    fraction = remainder_ns * 4096 // 1_000_000
    tail = int.from_bytes(os.urandom(8)) & 0x3FFF_FFFF_FFFF_FFFF
    return str(uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | tail))


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """A moment as stored: UTC, ISO-8601, microseconds, fixed width, so that text order is time order."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
