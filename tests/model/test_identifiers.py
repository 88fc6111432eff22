from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta, timezone

from wherefrom.model.identifiers import new_id, timestamp


def test_ids_are_uuid7_in_order_of_creation():
    ids = [new_id() for _ in range(1000)]
    parsed = uuid.UUID(ids[0])
    assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
    assert len(set(ids)) == 1000
    # The last 62 bits are random: only what lies a tick apart is in order.
    assert [i[:18] for i in ids] == sorted(i[:18] for i in ids)


def test_times_are_utc_and_of_one_width():
    tokyo = timezone(timedelta(hours=9))
    assert timestamp(datetime(2026, 1, 2, 9, tzinfo=tokyo)) == "2026-01-02T00:00:00.000000Z"
    assert timestamp(datetime(2026, 1, 2, 0, 0, 0, 5, tzinfo=UTC)) == "2026-01-02T00:00:00.000005Z"
    assert len(timestamp(datetime(1, 1, 1, tzinfo=UTC))) == len("2026-01-02T00:00:00.000005Z")
