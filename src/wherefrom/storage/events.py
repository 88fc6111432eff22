"""Events: a log of changes and searches; an event is written in the transaction that it tells of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.evidence import SearchHealth
from wherefrom.model.graph import BOUNDARY_CLASSES, BoundaryClass, Edge, Node, strictest
from wherefrom.model.history import Topic
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import inside_parameters
from wherefrom.text.check import json_text

Payload = Mapping[str, Any]
"""The figures of an event and the ids of rows; never stored text. Whoever sees the event sees all of it: it
names no node but those in `About`.
"""


@dataclass(frozen=True, slots=True)
class About:
    """The subject of an event, which decides who sees it: a node, a relation (`other_id` is its target), or neither.

    Whoever sees the class in both namespaces sees the event; without a class nobody is shown it. The store keeps class
    and namespaces in step with the nodes as long as those are there.
    part_of: the run, the plan or the task by which it happened.
    """

    namespace: str
    boundary_class: BoundaryClass | None
    node_id: str | None = None
    other_id: str | None = None
    other_namespace: str | None = None
    part_of: str | None = None


def about_node(node: Node, *, other: Node | None = None, part_of: str | None = None) -> About:
    """An event of a node; with `other`, for those who may see that one, too."""
    if other is None:
        return About(node.namespace, node.open_class, node.id, part_of=part_of)
    shown_as = strictest(node.boundary_class, other.boundary_class)
    return About(node.namespace, shown_as, node.id, other.id, other.namespace, part_of)


def about_edge(edge: Edge, *, part_of: str | None = None) -> About:
    """An event of a relation, for those who see both of its ends."""
    ends = edge.source_id, edge.target_id, edge.target_namespace
    return About(edge.source_namespace, edge.boundary_class, *ends, part_of)


def about_place(access: Access, namespace: str, *, other: str | None = None, part_of: str | None = None) -> About:
    """An event of no single node, for those who see all the classes that its causer sees: it may count any of them."""
    shown_as: BoundaryClass = max(access.classes, key=BOUNDARY_CLASSES.index, default="public")
    return About(namespace, shown_as, other_namespace=other, part_of=part_of)


def shown_to_nobody(namespace: str) -> About:
    """An event of many nodes, which may differ in who sees them; each of them has an event of its own."""
    return About(namespace, None)


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
    tx: Transaction, access: Access, topic: Topic, payload: Payload, *, about: About, at: str, trace: Trace = NO_TRACE
) -> None:
    """Append an event."""
    tx.run("event_insert", row_of(access, topic, payload, about=about, at=at, trace=trace))


def append(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append events that `row_of` made: all of them with a class."""
    tx.run_many("event_insert", rows)


def follow_nodes(tx: Transaction, access: Access, ids: Sequence[str]) -> None:
    """Make the events of some nodes, which have become stricter, as restricted as the nodes are now."""
    where = {"owner": access.owner, "ids": json_text(ids)}
    tx.run("events_follow_nodes", where)
    tx.run("events_follow_others", where)


def search_health(tx: Transaction, access: Access, *, days: int, since: str) -> SearchHealth:
    """The number of searches in an access's root since a time, and of those in which an arm was missing."""
    parameters = {"owner": access.owner, "since": since, **inside_parameters("root", access.root)}
    counts: dict[str, int] = dict(tx.rows("search_events", parameters))
    searches = counts.get("search", 0) + counts.get("activate", 0)
    return SearchHealth(days, searches, counts.get("search_fallback", 0))


def row_of(
    access: Access, topic: Topic, payload: Payload, *, about: About, at: str, trace: Trace = NO_TRACE
) -> dict[str, Any]:
    """The parameters of the statement that writes an event; at the access's home, if it may only read the namespace."""
    call = _current.get()
    namespace = about.namespace if access.writes else access.home
    return {
        "owner": access.owner,
        "at": at,
        "topic": topic,
        "namespace": namespace,
        "payload": json_text(payload),
        "request_id": trace.request_id or call.request_id,
        "trace_id": trace.trace_id or call.trace_id,
        "node_id": about.node_id,
        "other_id": about.other_id,
        "other_namespace": about.other_namespace or namespace,
        "part_of": about.part_of,
        "boundary_class": about.boundary_class,
    }
