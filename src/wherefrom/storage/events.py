"""Events: a log of changes and searches; an event is written in the transaction that it tells of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal

from wherefrom.model.access import Access
from wherefrom.model.evidence import SearchHealth
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import inside_parameters
from wherefrom.text.check import json_text

Topic = Literal[
    "ingest", "integrate", "delete", "rename", "import", "search", "search_fallback", "activate", "policy", "filter",
    "critic", "feedback", "sweep", "task", "evidence", "correct", "insight", "metabolism", "restore", "reinforce",
]  # fmt: skip


Payload = Mapping[str, Any]
"""The figures of an event and the ids of rows; never stored text."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The ids that the caller gave to its request, and to the chain of requests of which it is a part."""

    request_id: str | None = None
    trace_id: str | None = None


NO_TRACE: Final = Trace()
# The ids of the call that is being answered. A call may pass through several verbs and write events in each of them.
_current: ContextVar[Trace] = ContextVar("wherefrom_trace", default=NO_TRACE)


@contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Give these ids to the events that this thread writes inside the block, unless a verb was given its own ids."""
    token = _current.set(trace)
    try:
        yield
    finally:
        _current.reset(token)


def current_trace() -> Trace:
    """The ids that `tracing` has set; empty outside of it."""
    return _current.get()


def record(
    tx: Transaction, access: Access, topic: Topic, payload: Payload, *, namespace: str, at: str, trace: Trace = NO_TRACE
) -> None:
    """Append an event."""
    tx.run("event_insert", row_of(access, topic, payload, namespace=namespace, at=at, trace=trace))


def append(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append events that `row_of` made."""
    tx.run_many("event_insert", rows)


def search_health(tx: Transaction, access: Access, *, days: int, since: str) -> SearchHealth:
    """The number of searches in an access's root since a time, and of those in which an arm was missing."""
    parameters = {"owner": access.owner, "since": since, **inside_parameters("root", access.root)}
    counts: dict[str, int] = dict(tx.rows("search_events", parameters))
    searches = counts.get("search", 0) + counts.get("activate", 0)
    return SearchHealth(days, searches, counts.get("search_fallback", 0))


def row_of(access: Access, topic: Topic, payload: Payload, *, namespace: str, at: str, trace: Trace) -> dict[str, Any]:
    """The parameters of the statement that writes an event; at the access's home, if it may only read the namespace."""
    call = _current.get()
    return {
        "owner": access.owner,
        "at": at,
        "topic": topic,
        "namespace": namespace if access.writes else access.home,
        "payload": json_text(payload),
        "request_id": trace.request_id or call.request_id,
        "trace_id": trace.trace_id or call.trace_id,
    }
