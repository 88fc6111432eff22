"""Saves a node, merges it into the one that has its text already, changes it, or deletes it; and rewrites the stored
rows of which a policy leaves less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, Conflict, shown
from wherefrom.model.graph import SCOPES, Edge, Node
from wherefrom.model.results import Deleted, Saved
from wherefrom.model.rules import is_own_rule, is_rule
from wherefrom.storage import (
    edges,
    events,
    evidence,
    locks,
    mentions,
    nodes,
    receipts,
    replacing,
    tasks,
    upkeep_counts,
    versions,
)
from wherefrom.storage.embeddings import Made
from wherefrom.storage.nodes import to_parameters
from wherefrom.storage.port import Database, Row, Statement, Transaction
from wherefrom.storage.receipts import Receipt
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import check_metadata, content_hash, json_text

Change = Mapping[str, Any]
"""New values of a node, by field: None leaves what it has, `alias` is added to its aliases, metadata and provenance are
merged, and a null in the metadata removes its key. `said_at`: when this access itself said it, if it did. `written_by`:
whose change it is, which a node keeps if anything else of it changes but its being a rule.
"""
Accept = Callable[[Node], None]
"""Raises if a node may not be stored."""
KeepEdge = Callable[[Edge], Edge]
"""Returns an edge as the policy leaves it."""


# The values that a node with the same text brings to the one that has it already.
_MERGED: Final = (
    "metadata", "provenance", "boundary_class", "shared_class", "claim_kind", "expires_at", "year", "valid_from",
    "valid_to", "superseded_by", "slot", "speaker",
)  # fmt: skip
# The values of a change that take the place of the node's own.
_PLAIN: Final = (
    "content", "title", "claim_kind", "scope", "confidence", "quality", "pinned", "year", "observed_at", "valid_from",
    "valid_to", "superseded_by", "slot", "speaker", "session",
)  # fmt: skip


def share_for_new(tx: Transaction, access: Access, new: Node, entities: Sequence[Node] = ()) -> None:
    """Lock the owner in share mode, and send the other queries that storing a new node begins with at the same time:
    for its text, its seq, the model of its vector, and the names in it; and those for the entities that it is about.
    """
    questions = [locks.sharing(access.owner), *_asked_for(access, new), *mentions.asked_ahead(access, new)]
    # Of two with one name the second is to find the first.
    for entity in {entity.content_hash: entity for entity in reversed(entities)}.values():
        questions += [nodes.same_text_query(access, entity, None), *_asked_for(access, entity)]
    tx.expect(questions)
    locks.share(tx, access.owner)


def _asked_for(access: Access, new: Node) -> list[Statement]:
    """The queries that `create` begins with."""
    return [nodes.same_text_query(access, new, new.holds_from), ("model_active", {}), nodes.next_seqs_query(1)]


def send_seen(tx: Transaction, access: Access, ids: Sequence[str]) -> Callable[[], dict[str, Node]]:
    """Ask for nodes as they are now, and return a function that waits for them: as far as the access may read them,
    also outside the root in which it writes. If that fails, so does the transaction.
    """
    sent = tx.send("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}) if ids else list
    return lambda: {row[0]: node for row in sent() if (node := nodes.seen(access, nodes.from_row(row))) is not None}


def create(tx: Transaction, access: Access, node: Node, made: Made | None, *, accept: Accept | None = None) -> Saved:
    """Store a new node; if another node in its namespace has its text, merge it into that one instead. A node with
    `confirmed_at` is said by this access itself; it keeps that only if it is a standing rule.

    That one keeps its title, and another title becomes an alias; only a page takes the title that its source has now.
    The node's metadata is a patch: a null removes its key.
    """
    access = access.writing()
    if not access.sees(node.namespace, node.boundary_class):
        raise BoundaryDenied(
            f"this access may not see the boundary class {node.boundary_class!r}, so it cannot save in it",
            hint="open the memory with a tag that this class allows",
        )
    existing = nodes.same_text(tx, access, node, at=node.holds_from)
    if existing is None:
        created = replace(node, metadata=_without_nulls(node.metadata), confirmed_at=None)
        created = nodes.written(access, _confirmed(created, node.confirmed_at))
        if accept is not None:
            accept(created)
        nodes.insert(tx, access, [created], made, now=node.updated_at)
        return Saved(created, "created")
    renamed = existing.title is None or node.kind == "page"
    # A scope is never shortened by saying the same again; what has expired begins anew.
    expired = existing.expires_at is not None and existing.expires_at <= node.updated_at
    scope = node.scope if expired or SCOPES.index(node.scope) >= SCOPES.index(existing.scope) else None
    change = {name: getattr(node, name) for name in _MERGED}
    change |= {"title" if renamed else "alias": node.title, "scope": scope, "pinned": node.pinned or None}
    change |= {"said_at": node.confirmed_at, "written_by": access.written_by}
    merged = after_change(existing, change, now=node.updated_at)
    if expired and merged.expires_at != node.expires_at:
        merged = replace(merged, expires_at=node.expires_at, scope=node.scope)
    if node.kind != "page":  # adding the same source again changes nothing
        merged = _fresh(merged, now=node.updated_at)
    if accept is not None:
        accept(merged)
    nodes.replace_many(tx, access, [(existing, merged)], made)
    return _with_alias(Saved(merged, "duplicate"), existing, node.title)


def entity(tx: Transaction, access: Access, node: Node, made: Made | None) -> str:
    """The id of the entity with this name, made if the access sees none.

    One that is there keeps its class: what mentions it is as restricted as it says, and not the entity.
    """
    return (nodes.same_text(tx, access, node) or create(tx, access, node, made).node).id


def update(
    tx: Transaction,
    access: Access,
    node_id: str,
    change: Change,
    made: Made | None,
    *,
    now: str,
    accept: Accept | None = None,
) -> Saved:
    """Change a node. The version rises if anything changed."""
    old = nodes.get(tx, access, node_id)
    new = after_change(old, {**change, "written_by": access.written_by}, now=now)
    _exchange(tx, access, old, new, made, accept=accept)
    return Saved(new, "unchanged" if new is old else "updated")


def take_texts(
    tx: Transaction,
    access: Access,
    node: Node,
    given: Node,
    made: Made | None,
    *,
    now: str,
    accept: Accept,
) -> Node:
    """Give a node the text, the title and the metadata of another value of it, and make it as restricted."""
    changed = replace(
        given,
        aliases=_aliases(node.aliases, None, title=given.title),
        content_hash=content_hash(given.content),
        updated_at=now,
        version=node.version + 1,
    )
    new = changed if changed.content == node.content else _fresh(changed, now=now)
    _exchange(tx, access, node, new, made, accept=accept)
    return new


def _exchange(
    tx: Transaction, access: Access, old: Node, new: Node, made: Made | None, *, accept: Accept | None
) -> None:
    """Store a node in place of what it was; raises if it may not be stored, or if another has its text."""
    if accept is not None:
        accept(new)
    if not access.sees(new.namespace, new.boundary_class):
        raise BoundaryDenied("the new text is of a boundary class that this access may not see")
    rewritten, reclassed = old.content_hash != new.content_hash, old.boundary_class != new.boundary_class
    reclassed = reclassed or nodes.turn_key(old) != nodes.turn_key(new)
    holder = nodes.same_text(tx, access, new) if rewritten or reclassed else None
    if holder is not None and holder.id != old.id and (rewritten or holder.boundary_class == new.boundary_class):
        raise Conflict(
            f"memo {holder.id} in {old.namespace!r} already has this text",
            hint="use that memo, or delete one of the two",
        )
    if (rival := _slot_holder(tx, access, old, new)) is not None:
        raise Conflict(f"memo {rival.id} holds in the slot {shown(new.slot)}", hint="end or delete one of the two")
    nodes.replace_many(tx, access, [(old, new)], made)
    if rewritten:
        upkeep_counts.recount(tx, access)


def _slot_holder(tx: Transaction, access: Access, old: Node, new: Node) -> Node | None:
    """The other node that holds in a slot which a node takes by its change; None if the slot is free."""
    slot = nodes.slot_key(new)
    if slot is None or new.slot is None or slot == nodes.slot_key(old):
        return None
    holders = replacing.in_slots(tx, access, [new.slot])
    return next((node for node in holders if nodes.slot_key(node) == slot and node.id != new.id), None)


def delete(tx: Transaction, access: Access, node_id: str, *, now: str) -> Deleted:
    """Remove a node; the database removes its edges with it."""
    gone = deletable(tx, access, node_id)
    freed = mentions.mentioning(tx, access, [node_id])
    nodes.remove(tx, access, [node_id])
    mentions.link(tx, access, freed, now=now)
    upkeep_counts.recount(tx, access)
    return gone


def deletable(tx: Transaction, access: Access, node_id: str) -> Deleted:
    """The node and relations that a deletion would remove; raises if this access may not delete it."""
    node = nodes.get(tx, access, node_id)
    where = {**scope_parameters(access), "id": node_id}
    hidden = tx.number("fragments_hidden", where)
    if hidden:
        raise BoundaryDenied(f"{hidden} fragments of this page are of classes that this access may not see")
    return Deleted(node, tx.number("edge_count_of", where))


def count_nodes(tx: Transaction, access: Access) -> int:
    """The number of nodes that `node_batches` yields."""
    return tx.number("node_total", scope_parameters(access))


def node_batches(database: Database, access: Access) -> Iterator[list[Node]]:
    """All nodes, some at a time; pages last, because one that becomes stricter changes its fragments, too."""
    for rows in nodes.batches(database, access, "nodes_after"):
        yield sorted((nodes.from_row(row[1:]) for row in rows), key=lambda node: node.kind == "page")


def rewrite_node(
    tx: Transaction,
    access: Access,
    change: tuple[Node, Node | None],
    made: Made | None,
    *,
    receipt: Receipt,
    keep: KeepEdge,
) -> bool:
    """Store what a policy left of a node, unless others have changed it meanwhile; a node without a rest is deleted.

    If another node already has that text, it stands for both and this one is retired: then the answer is True.
    """
    node, new = change
    locks.be_alone(tx, access.owner)
    row = tx.row("node_get", {**scope_parameters(access), "id": node.id})
    if row is None or nodes.from_row(row) != node:
        return False
    if new is None:
        delete(tx, access, node.id, now=receipt.now)
        deleted = {"memo_id": node.id, "rule": "policy"}
        events.record(tx, access, "delete", deleted, about=events.about_node(node), at=receipt.now)
        return False
    holder = nodes.same_text(tx, access, new)
    # The same text in another class stays another node: not everybody sees both.
    if holder is not None and holder.id != node.id and holder.boundary_class == new.boundary_class:
        receipt = replace(receipt, stand_ins={node.id: holder.id})
        receipts.sweep(tx, access, [node.id], receipt, instead={node.id: new})
        return True
    new = replace(new, version=node.version + 1)
    if (rival := _slot_holder(tx, access, node, new)) is not None:
        # A stricter class has one statement in a slot as well: what was said before the other becomes history.
        ends, heir = sorted((new, rival), key=lambda each: (each.holds_from, each.id == rival.id))
        ended = replace(ends, valid_to=heir.holds_from, superseded_by=heir.id)
        if ends is new:
            new = ended
        else:
            ended = replace(ended, updated_at=receipt.now, version=rival.version + 1)
            nodes.replace_many(tx, access, [(rival, ended)], None)
    nodes.replace_many(tx, access, [(node, new)], made, keep_versions=False)
    upkeep_counts.recount(tx, access)
    payload = {"memo_id": node.id, "status": "updated", "version": new.version, "rule": "policy"}
    events.record(tx, access, "ingest", payload, about=events.about_node(new), at=receipt.now)
    # Reasons follow the class of the node, also those of edges that lead out of the namespace.
    rows = tx.rows("edges_going", {"owner": access.owner, "ids": json_text([node.id])})
    edges.replace_many(tx, access, _changed(rows, keep))
    return False


def rewrite_edges(database: Database, access: Access, keep: KeepEdge, *, dry_run: bool) -> list[str]:
    """Replace the edges that the policy changes, or only find them; returns the ids of their sources."""
    sources: list[str] = []
    for rows in nodes.batches(database, access, "edges_after"):
        changed = _changed(rows, keep)
        sources += [edge.source_id for edge in changed]
        if changed and not dry_run:
            database.write(lambda tx, changed=changed: edges.replace_many(tx, access, changed))  # type: ignore[misc]
    return sources


def rewrite_rest(
    database: Database,
    access: Access,
    clean: Callable[[str, str], str],
    clean_row: Callable[[Mapping[str, Any], str], Mapping[str, Any]],
    judge: versions.Judge,
) -> None:
    """Clean tasks, queries, corrections, former versions and retired rows. Contexts are disposable and go."""
    versions.rewrite(database, access, judge)
    database.write(lambda tx: tasks.clean(tx, access, clean))
    database.write(lambda tx: evidence.clean_corrections(tx, access, clean))
    database.write(lambda tx: tx.run("contexts_forget", scope_parameters(access)))
    for rows in nodes.batches(database, access, "retired_after"):
        changed = {
            (seq, node_id): kept
            for seq, namespace, content, node_id in rows
            if (kept := json_text(clean_row(json.loads(content), namespace))) != content
        }
        database.write(lambda tx, changed=changed: receipts.rewrite(tx, access, changed))  # type: ignore[misc]


def after_change(node: Node, change: Change, *, now: str) -> Node:
    """The node after a change; the node itself if nothing differs."""
    plain: dict[str, Any] = {name: value for name in _PLAIN if (value := change.get(name)) is not None}
    # Without being asked, a class becomes stricter, never more open.
    whole, shared = change.get("boundary_class"), change.get("shared_class")
    restricted = node.restricted(whole or node.boundary_class, shared or whole or node.open_class)
    changed = replace(
        replace(restricted, **plain),
        metadata=check_metadata(_without_nulls({**node.metadata, **change.get("metadata", {})})),
        provenance=check_metadata({**node.provenance, **change.get("provenance", {})}, field="provenance"),
        expires_at=change.get("expires_at") if change.get("scope") is not None else node.expires_at,
    )
    aliases = _aliases(node.aliases, change.get("alias"), title=changed.title)
    changed = replace(changed, content_hash=content_hash(changed.content), aliases=aliases)
    changed = _confirmed(changed, change.get("said_at"))
    # Compared as stored: to Python True is 1.
    if to_parameters(changed) == to_parameters(node):
        return node
    if to_parameters(replace(changed, confirmed_at=node.confirmed_at)) != to_parameters(node):
        changed = replace(changed, written_by=change.get("written_by"), imported_from=None)
    changed = replace(changed, updated_at=now, version=node.version + 1)
    return changed if changed.content == node.content else _fresh(changed, now=now)


def _confirmed(node: Node, said_at: str | None) -> Node:
    """The node as a standing rule from a time on, if this access said it then and it is one. A rule stays one, unless a
    document is named as its source.
    """
    if said_at is None:
        return node
    if not is_own_rule(node):
        return replace(node, confirmed_at=None) if is_rule(node) else node
    return node if node.confirmed_at is not None else replace(node, confirmed_at=said_at)


def _aliases(known: Sequence[str], added: str | None, *, title: str | None) -> tuple[str, ...]:
    """The aliases of a node with one more, if there is room. Its title is none of them."""
    wanted = known if added is None else (*known, added)
    return tuple(dict.fromkeys(alias for alias in wanted if alias != title))[: limits.ALIASES]


def _with_alias(saved: Saved, existing: Node, title: str | None) -> Saved:
    """The answer to a save of the same text, with a note that says what became of the title that it was given."""
    node = saved.node
    if title is None or title == node.title:
        return saved
    keeps = f"It keeps its title {shown(node.title)}; {shown(title)}"
    if title in existing.aliases:
        return replace(saved, note=f"{keeps} is an alias of it already.")
    if title not in node.aliases:
        return replace(saved, note=f"{keeps} was not added, for it has {limits.ALIASES} aliases already.")
    return replace(saved, alias_added=title, note=f"{keeps} is now an alias, found and linked like a title.")


def _fresh(node: Node, *, now: str) -> Node:
    """The node as recall sees it after its text was rewritten or saved again: its age counts from now on."""
    return replace(node, recency_anchor=max(now, node.recency_anchor))


def _without_nulls(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata after a merge: a null removes its key (as in a JSON merge patch)."""
    return {key: value for key, value in metadata.items() if value is not None}


def _changed(rows: Iterable[Row], keep: KeepEdge) -> list[Edge]:
    """The edges of these rows, which start with their seqs, that the policy leaves otherwise than they are."""
    return [kept for edge in (Edge(*row[1:]) for row in rows) if (kept := keep(edge)) != edge]
