"""Stores active contexts: the nodes that were recalled for a question, until the context expires."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.errors import Gone, NotFound
from wherefrom.model.results import ActiveContext, ContextItem
from wherefrom.storage import nodes
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.tokens import count_tokens, text_of

# A process of the version before this column writes this: nobody can tell who may see its contexts.
_UNKNOWN_MAKER: Final = "{}"


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
        {**key, "rank": item.rank, "node_id": item.node.id, "score": item.score, "reason": item.reason}
        for item in context.items
    ]
    tx.run_many("context_item_insert", rows)


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
    by_id = nodes.read_by_ids(tx, access, [node_id for _, node_id, _, _ in rows])
    items = tuple(ContextItem(rank, by_id[node_id], *rest) for rank, node_id, *rest in rows if node_id in by_id)
    tokens = sum(count_tokens(text_of(node.title, node.content)) for node in by_id.values())
    known = question, tuple(json.loads(scopes)), policy_version, json.loads(provenance), created_at, expires_at
    return ActiveContext(context_id, *known, items, tokens=tokens)
