"""Stores feedback: a judgement of a node, counted once, and an event with the figures that it changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput
from wherefrom.model.graph import Node
from wherefrom.model.results import FeedbackResult
from wherefrom.storage import contexts, events, nodes
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction

_FIGURES: Final = ("utility", "confidence", "quality")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement of a node: its signal, its strength (-1 to 1) if the caller gave one, the context in which it was
    given, and the node of which the judged one is a duplicate.
    """

    id: str
    node: Node
    signal: str
    context_id: str | None
    duplicate_of: str | None
    now: str
    score: float | None = None


def record(
    tx: Transaction, access: Access, given: Judgement, *, trace: Trace, judge: Callable[[Node], Node]
) -> FeedbackResult:
    """Store a judgement and the node as `judge` changes it; a request that was counted before changes nothing."""
    new = {"owner": access.owner, "root": access.root, "request_id": trace.request_id, "at": given.now}
    new |= {"id": given.id, "node_id": given.node.id, "signal": given.signal, "context_id": given.context_id}
    known = None if trace.request_id is None else tx.row("feedback_of_request", new)
    if known is not None and known[1:] != (given.node.id, given.signal):
        raise Conflict("this request_id was used for another judgement", hint="give each request an id of its own")
    if known is not None:
        return FeedbackResult(given.node, given.signal, "repeated", given.node.superseded_by)
    if given.context_id is not None:
        contexts.require(tx, access, given.context_id)
    after = judge(given.node)
    if given.duplicate_of is not None:
        after = replace(after, superseded_by=_heir(tx, access, given.node, given.duplicate_of).id)
    tx.run("feedback_insert", new)
    nodes.replace_many(tx, access, [(given.node, after)], None)
    said: dict[str, Any] = {"memo_id": given.node.id, "signal": given.signal, "active_context_id": given.context_id}
    said |= {} if given.score is None else {"score": given.score}
    place: dict[str, Any] = {"namespace": given.node.namespace, "at": given.now, "trace": trace}
    events.record(tx, access, "feedback", said, **place)
    figures = {name: [round(getattr(node, name), 6) for node in (given.node, after)] for name in _FIGURES}
    events.record(tx, access, "critic", {"memo_id": given.node.id, **figures}, **place)
    return FeedbackResult(after, given.signal, "recorded", after.superseded_by)


def _heir(tx: Transaction, access: Access, duplicate: Node, heir_id: str) -> Node:
    """The node that stands for a duplicate: the last of the nodes that supersede each other, from the given heir on."""
    heir = nodes.get(tx, access, heir_id, label="node")
    seen = {duplicate.id}
    while heir.superseded_by is not None and heir.id not in seen:
        seen.add(heir.id)
        heir = nodes.get(tx, access, heir.superseded_by, label="node")
    if heir.id in seen:
        raise Conflict(f"{heir_id} is itself a duplicate of {duplicate.id}", hint="judge the other one instead")
    if heir.kind != duplicate.kind:
        raise InvalidInput(f"a {duplicate.kind} cannot be a duplicate of a {heir.kind}")
    return heir
