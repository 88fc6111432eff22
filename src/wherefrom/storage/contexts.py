"""Stores active contexts (the nodes that were recalled for a question, until they expire), and judgements of nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, Gone, InvalidInput, NotFound
from wherefrom.model.graph import Node, strictest
from wherefrom.model.results import ActiveContext, ContextItem, FeedbackResult
from wherefrom.storage import events, nodes, upkeep_counts
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

# A process of the version before this column writes this: nobody can tell who may see its contexts.
_UNKNOWN_MAKER: Final = "{}"
_KEPT_OF_ITEM: Final = ("rank", "score", "reason", "relevance")
_FIGURES: Final = ("utility", "confidence", "quality")


def save(tx: Transaction, access: Access, context: ActiveContext, *, namespace: str) -> None:
    """Store a context with its items; at the access's home, if the access may only read its root."""
    namespace = namespace if access.writes else access.home
    key = {"owner": access.owner, "id": context.id}
    made_by: dict[str, Any] = {"tags": access.tags, "classes": access.classes, "hidden": access.hidden}
    if access.also or namespace != access.root:
        made_by |= {"roots": access.roots}
    plain = {name: getattr(context, name) for name in ("question", "policy_version", "created_at", "expires_at")}
    plain |= {name: json_text(getattr(context, name)) for name in ("scopes", "provenance")}
    tx.run("context_insert", {**key, **plain, "made_by": json_text(made_by), "namespace": namespace})
    rows = [
        {"node_id": item.node.id, **{name: getattr(item, name) for name in _KEPT_OF_ITEM}} for item in context.items
    ]
    tx.many("context_items_insert", rows, key)


def require(tx: Transaction, access: Access, context_id: str) -> Row:
    """The stored row of a context, even an expired one; not found by an access that sees less than its maker did."""
    row = tx.row("context_get", {**scope_parameters(access), "id": context_id})
    if row is not None and row[1] != _UNKNOWN_MAKER:
        root, made_by, *stored = row
        known = {name: tuple(values) for name, values in json.loads(made_by).items()}
        root, *also = known.pop("roots", (root,))
        seen = {name: known[name] for name in ("tags", "classes", "hidden")}
        maker = replace(access, root=root, also=tuple(also), **seen)  # type: ignore[arg-type]
        if access.covers(maker):
            return tuple(stored)
    raise NotFound(f"there is no active context {context_id} in {access.root!r}", hint="activate one")


def place(tx: Transaction, access: Access, context_id: str) -> str:
    """The namespace that a context is about."""
    row = tx.row("context_get", {**scope_parameters(access), "id": context_id})
    return access.root if row is None else str(row[0])


def node_ids(tx: Transaction, access: Access, context_id: str) -> list[str]:
    """The ids of a context's nodes."""
    return [row[1] for row in tx.rows("context_items", {"owner": access.owner, "id": context_id})]


def get(tx: Transaction, access: Access, context_id: str, *, now: str) -> ActiveContext:
    """A context with its nodes as they are now; raises `Gone` if it has expired."""
    key = {**scope_parameters(access), "id": context_id}
    question, scopes, policy_version, provenance, created_at, expires_at = require(tx, access, context_id)
    if expires_at <= now:
        raise Gone(f"the active context {context_id} expired at {expires_at}", hint="activate again")
    rows = tx.rows("context_items", key)
    found = nodes.read_by_ids(tx, access, [node_id for _, node_id, *_ in rows])
    by_id = {node.id: node for node in found.values() if node.expires_at is None or node.expires_at > now}
    items = tuple(
        ContextItem(rank, by_id[node_id], score, reason, relevance=relevance)
        for rank, node_id, score, reason, relevance in rows
        if node_id in by_id
    )
    known = question, tuple(json.loads(scopes)), policy_version, json.loads(provenance), created_at, expires_at
    return ActiveContext(context_id, *known, items)


def judge(
    tx: Transaction, access: Access, node: Node, after: Node, given: Mapping[str, Any], *, trace: Trace
) -> FeedbackResult:
    """Store a judgement, the node after it, and events with the figures that changed; a request that was counted before
    changes nothing. given: the id and the time of the judgement, its signal and score, the context in which it was
    given, and the node of which the judged one is a duplicate.
    """
    signal, context_id, score = given["signal"], given["context_id"], given["score"]
    new = {"owner": access.owner, "root": access.root, "request_id": trace.request_id, "node_id": node.id, **given}
    known = None if trace.request_id is None else tx.row("feedback_of_request", new)
    if known is not None and known[1:] != (node.id, signal):
        raise Conflict("this request_id was used for another judgement", hint="give each request an id of its own")
    if known is not None:
        return FeedbackResult(node, signal, "repeated", node.superseded_by)
    if context_id is not None:
        require(tx, access, context_id)
    heir = None
    if given["duplicate_of"] is not None:
        heir = _heir(tx, access, node, given["duplicate_of"])
        after = replace(after, superseded_by=heir.id)
    if (after.valid_to, after.superseded_by) != (node.valid_to, node.superseded_by):
        after = replace(after, version=node.version + 1, updated_at=given["at"])
    tx.run("feedback_insert", new)
    nodes.replace_many(tx, access, [(node, after)], None)
    if after.version != node.version:
        upkeep_counts.recount(tx, access)
    said = {"memo_id": node.id, "signal": signal, "active_context_id": context_id}
    said |= {} if score is None else {"score": score}
    when: dict[str, Any] = {"at": given["at"], "trace": trace}
    events.record(tx, access, "feedback", said, about=_about(access, node, heir, context_id), **when)
    figures = {name: [round(getattr(version, name), 6) for version in (node, after)] for name in _FIGURES}
    events.record(tx, access, "critic", {"memo_id": node.id, **figures}, about=events.about_node(node), **when)
    return FeedbackResult(after, signal, "recorded", after.superseded_by)


def _about(access: Access, node: Node, heir: Node | None, context_id: str | None) -> events.About:
    """The subject of a judgement; of one that names a context, those do not hear who see less than its judge."""
    about = events.about_node(node, other=heir)
    if context_id is None or about.boundary_class is None:
        return about
    judge = events.about_place(access, node.namespace).boundary_class or about.boundary_class
    return replace(about, boundary_class=strictest(about.boundary_class, judge))


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
