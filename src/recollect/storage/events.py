"""Events: what happened, written in the transaction that did it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from recollect.model.access import Access
from recollect.storage.port import Transaction
from recollect.text.check import json_text

Topic = Literal["ingest", "integrate", "delete", "rename", "import"]


def record(
    tx: Transaction, access: Access, topic: Topic, payload: Mapping[str, Any], *, namespace: str, at: str
) -> None:
    """Append an event. Payloads name rows and figures and never carry stored text."""
    tx.run(
        "event_insert",
        {"owner": access.owner, "at": at, "topic": topic, "namespace": namespace, "payload": json_text(payload)},
    )
