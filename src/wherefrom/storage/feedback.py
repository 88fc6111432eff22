"""Feedback as stored: a judgement of a node, counted once, with what it changed in an event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.results import Judged
from wherefrom.storage import contexts, events, nodes
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction


@dataclass(frozen=True, slots=True)
class Given:
    """A judgement: of which node, with which signal, in which context; and whom it is a duplicate of.

    score: how strongly, -1 to 1, as the caller said.
    """

    id: str
    node: Node
    signal: str
    context_id: str | None
    duplicate_of: str | None
    now: str
    score: float | None = None


def record(tx: Transaction, access: Access, given: Given, *, trace: Trace, judge: Callable[[Node], Node]) -> Judged:
    """Store a judgement and what it makes of the node; a request that was counted before changes nothing."""
    if trace.request_id is not None:
        judged = {"node_id": given.node.id, "signal": given.signal}
        asked = {"owner": access.owner, "root": access.root, "request_id": trace.request_id}
        row = tx.row("feedback_of_request", {**asked, **judged})
        if row is not None:
            return _repeated(row, given)
    if given.context_id is not None:
        contexts.require(tx, access, given.context_id)
    after = judge(given.node)
    if given.duplicate_of is not None:
        heir = _heir(tx, access, given)
        after = replace(after, superseded_by=heir.id)
    tx.run(
        "feedback_insert",
        {
            "owner": access.owner,
            "id": given.id,
            "node_id": given.node.id,
            "context_id": given.context_id,
            "signal": given.signal,
            "root": access.root,
            "request_id": trace.request_id,
            "at": given.now,
        },
    )
    nodes.replace_node(tx, access, given.node, after, None)
    said: dict[str, Any] = {"memo_id": given.node.id, "signal": given.signal, "active_context_id": given.context_id}
    said |= {} if given.score is None else {"score": given.score}
    place: dict[str, Any] = {"namespace": given.node.namespace, "at": given.now, "trace": trace}
    events.record(tx, access, "feedback", said, **place)
    events.record(tx, access, "critic", {"memo_id": given.node.id, **_figures(given.node, after)}, **place)
    return Judged(after, given.signal, "recorded", after.superseded_by)


def _heir(tx: Transaction, access: Access, given: Given) -> Node:
    """The node that stands for a duplicate: at the end of the chain, and never the duplicate itself."""
    heir = nodes.get(tx, access, given.duplicate_of or "", label="node")
    seen = {given.node.id}
    while heir.superseded_by is not None:
        if heir.id in seen:
            break
        seen.add(heir.id)
        heir = nodes.get(tx, access, heir.superseded_by, label="node")
    if heir.id in seen:
        raise Conflict(
            f"{given.duplicate_of} is itself a duplicate of {given.node.id}", hint="judge the other one instead"
        )
    if heir.kind != given.node.kind:
        raise InvalidInput(f"a {given.node.kind} cannot be a duplicate of a {heir.kind}")
    return heir


def _repeated(row: tuple[Any, ...], given: Given) -> Judged:
    _, node_id, signal = row
    if (node_id, signal) != (given.node.id, given.signal):
        raise Conflict("this request_id was used for another judgement", hint="give each request an id of its own")
    return Judged(given.node, given.signal, "repeated", given.node.superseded_by)


def _figures(before: Node, after: Node) -> dict[str, Any]:
    names = ("utility", "confidence", "quality")
    return {name: [round(getattr(before, name), 6), round(getattr(after, name), 6)] for name in names}
