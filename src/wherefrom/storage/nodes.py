"""Nodes: save, get, list, delete."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from wherefrom.model import cursors, limits
from wherefrom.model.access import READ_HINT, Access
from wherefrom.model.errors import BoundaryDenied, Conflict, NotFound, shown
from wherefrom.model.graph import BOUNDARY_CLASSES, SCOPES, BoundaryClass, ClaimKind, Node, NodeRef, Scope
from wherefrom.model.results import Deleted, Page, Saved, SaveStatus
from wherefrom.storage import embeddings, mentions, text_index
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.statements import NODE_COLUMNS, scope_parameters
from wherefrom.text.check import check_metadata, content_hash, json_text
from wherefrom.text.redaction import masked, without_hashes

# metadata, provenance, pinned and aliases stand together: what a row has in another form than a node.
_JSON = NODE_COLUMNS.index("metadata")


def get(tx: Transaction, access: Access, node_id: str, *, label: str = "memo") -> Node:
    """The node with this id, if the access may see the whole of it."""
    node = find(tx, access, node_id, label)
    if not access.sees(node.namespace, node.boundary_class):
        raise BoundaryDenied(
            f"{label} {node_id} holds personal data that this access may not see, so it can only read the rest",
            hint="open the memory with a tag that this class allows; or run `wherefrom reclassify`, if it is shared",
        )
    return node


def read(tx: Transaction, access: Access, node_id: str, *, label: str = "memo") -> Node:
    """What the access may see of the node with this id."""
    return seen(access, find(tx, access, node_id, label)) or _missing(access, node_id, label)


def seen(access: Access, node: Node) -> Node | None:
    """What an access may see of a node: the whole, the text without personal data, or nothing."""
    if access.sees(node.namespace, node.boundary_class):
        return node if "pii" in access.classes else without_hashes(node)
    is_open = node.shared_class is not None and access.sees(node.namespace, node.shared_class)
    return masked(node) if is_open else None


def find(tx: Transaction, access: Access, node_id: str, label: str = "memo") -> Node:
    """The whole of a node of which the access sees something. What leaves the store of it has to be `seen`."""
    row = tx.row("node_get", {**scope_parameters(access), "id": node_id})
    if row is not None:
        return from_row(row)
    refuse_read_only(tx, access, [node_id], label)
    return _missing(access, node_id, label)


def refuse_read_only(tx: Transaction, access: Access, ids: Sequence[str], label: str = "memo") -> None:
    """Raises if a change is about one of these nodes and the access may only read it."""
    if not tx.writes or not access.also:
        return
    for row in tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}):
        node = from_row(row)
        if seen(access, node) is not None and seen(access.own(), node) is None:
            raise BoundaryDenied(
                f"{label} {node.id} is in {node.namespace!r}, which this access may only read", hint=READ_HINT
            )


def _missing(access: Access, node_id: str, label: str) -> NoReturn:
    raise NotFound(f"there is no {label} {node_id} in {access.root!r}", hint="list the memos to find its id")


def _anything(node: Node) -> None:
    """Accepts every node."""


@dataclass(frozen=True, slots=True)
class Change:
    """What to make of a node: what is None stays, an alias is added to those that it has, metadata is merged and a
    null removes its key.
    """

    content: str | None = None
    title: str | None = None
    alias: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    boundary_class: BoundaryClass | None = None
    shared_class: BoundaryClass | None = None
    claim_kind: ClaimKind | None = None
    scope: Scope | None = None
    expires_at: str | None = None
    confidence: float | None = None
    pinned: bool | None = None
    year: int | None = None


def create(
    tx: Transaction, access: Access, node: Node, made: Made | None, *, accept: Callable[[Node], None] = _anything
) -> Saved:
    """Store a new node, unless its text is already in its namespace: then that one, with news merged in.

    That one keeps its title, and another title becomes an alias; only a page takes the title that its source has now.
    The node's metadata is a patch: a null removes its key. `accept` raises if what is to be stored may not be.
    """
    access = access.writing()
    if not access.sees(node.namespace, node.boundary_class):
        raise BoundaryDenied(
            f"this access may not see the boundary class {node.boundary_class!r}, so it cannot save in it",
            hint="open the memory with a tag that this class allows",
        )
    row = tx.row("node_same_text", {**scope_parameters(access), **to_parameters(node)})
    if row is None:
        created = replace(node, metadata=_without_nulls(node.metadata))
        accept(created)
        tx.run("node_insert", {"owner": access.owner, **to_parameters(created)})
        text_index.write(tx, access, [created], new=True)
        embeddings.write(tx, access, [created], made, new=True, now=node.updated_at)
        mentions.write(tx, access, created)
        return Saved(created, "created")
    existing = from_row(row)
    renamed = existing.title is None or node.kind == "page"
    change = Change(
        title=node.title if renamed else None,
        alias=None if renamed else node.title,
        metadata=node.metadata,
        provenance=node.provenance,
        boundary_class=node.boundary_class,
        shared_class=node.shared_class,
        claim_kind=node.claim_kind,
        # A scope is never shortened by saying the same again.
        scope=node.scope if SCOPES.index(node.scope) >= SCOPES.index(existing.scope) else None,
        expires_at=node.expires_at,
        pinned=node.pinned or None,
        year=node.year,
    )
    merged = _merged(existing, change, now=node.updated_at)
    if node.kind != "page":  # adding the same source again changes nothing
        merged = _fresh(merged, now=node.updated_at)
    accept(merged)
    replace_node(tx, access, existing, merged, made)
    return _with_alias(Saved(merged, "duplicate"), existing, node.title)


def entity(tx: Transaction, access: Access, node: Node, made: Made | None) -> str:
    """The entity of this name, made if the access sees none.

    One that is there keeps its class: what mentions it is as restricted as it says, and not the entity.
    """
    row = tx.row("node_same_text", {**scope_parameters(access), **to_parameters(node)})
    return create(tx, access, node, made).node.id if row is None else from_row(row).id


def update(
    tx: Transaction,
    access: Access,
    node_id: str,
    change: Change,
    made: Made | None,
    *,
    now: str,
    accept: Callable[[Node], None] = _anything,
) -> Saved:
    """Change a node. The version rises if anything changed. `accept` raises if what is to be stored may not be."""
    existing = get(tx, access, node_id)
    merged = _merged(existing, change, now=now)
    accept(merged)
    if not access.sees(merged.namespace, merged.boundary_class):
        raise BoundaryDenied("the new text is of a boundary class that this access may not see")
    _refuse_same_text(tx, access, existing, merged)
    status: SaveStatus = "updated" if replace_node(tx, access, existing, merged, made) else "unchanged"
    return Saved(merged, status)


def _refuse_same_text(tx: Transaction, access: Access, old: Node, new: Node) -> None:
    """Raises if another node that the access sees has the new text already, or the same text in the new class."""
    rewritten, reclassed = old.content_hash != new.content_hash, old.boundary_class != new.boundary_class
    row = None
    if rewritten or reclassed:
        row = tx.row("node_same_text", {**scope_parameters(access), **to_parameters(new)})
    holder = None if row is None else from_row(row)
    if holder is not None and holder.id != old.id and (rewritten or holder.boundary_class == new.boundary_class):
        raise Conflict(
            f"memo {holder.id} in {old.namespace!r} already has this text",
            hint="use that memo, or delete one of the two",
        )


def page(tx: Transaction, access: Access, *, kind: str, limit: int, cursor: str | None) -> Page:
    """Nodes in the access's root, newest first."""
    before = cursors.decode_number(cursor, "nodes")
    rows = tx.rows("node_list", {**scope_parameters(access), "kind": kind, "before": before, "limit": limit + 1})
    found = (seen(access, from_row(row[1:])) for row in rows[:limit])
    nodes = tuple(node for node in found if node is not None)
    return Page(nodes, cursors.encode("nodes", rows[limit - 1][0]) if len(rows) > limit else None)


def by_ids(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, Node]:
    """The nodes with these ids, without those that the access may not see, or, in a change, not write."""
    access = access.own() if tx.writes else access
    found = map(from_row, tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)}))
    return {node.id: node for node in found if access.sees(node.namespace, node.boundary_class)}


def read_by_ids(tx: Transaction, access: Access, ids: Sequence[str]) -> dict[str, Node]:
    """What the access may see of the nodes with these ids, without those of which it sees nothing."""
    access = access.own() if tx.writes else access
    rows = tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text(ids)})
    found = (seen(access, from_row(row)) for row in rows)
    return {node.id: node for node in found if node is not None}


def delete(tx: Transaction, access: Access, node_id: str, *, now: str) -> Deleted:
    """Remove a node; the database removes its edges with it."""
    node = get(tx, access, node_id)
    parameters = {"owner": access.owner, "id": node_id}
    (hidden,) = tx.row("fragments_hidden", {**scope_parameters(access), "id": node_id}) or (0,)
    if hidden:
        raise BoundaryDenied(f"{hidden} fragments of this page are of classes that this access may not see")
    counted = tx.row("edge_count_of", parameters)
    freed = mentions.mentioning(tx, access, node_id)
    tx.run("node_delete", parameters)
    mentions.link(tx, access, freed, now=now)
    return Deleted(node, counted[0] if counted else 0)


def refs(tx: Transaction, access: Access, ids: list[str]) -> tuple[NodeRef, ...]:
    """The names of these nodes, oldest first, without those that the access may not see."""
    rows = tx.rows("node_refs", {**scope_parameters(access), "ids": json_text(ids)})
    return tuple(NodeRef(*row) for row in rows)


def beginnings(tx: Transaction, access: Access, ids: list[str]) -> tuple[NodeRef, ...]:
    """The names of these nodes; those without a title by the beginning of their text."""
    rows = tx.rows("node_beginnings", {**scope_parameters(access), "ids": json_text(ids)}) if ids else []
    return tuple(NodeRef(*row) for row in rows)


def from_row(row: Row) -> Node:
    """A node from its columns."""
    before, (metadata, provenance, pinned, aliases), after = row[:_JSON], row[_JSON : _JSON + 4], row[_JSON + 4 :]
    known = json.loads(metadata), json.loads(provenance), bool(pinned), tuple(json.loads(aliases))
    return Node(*(*before, *known, *after))


def to_parameters(node: Node) -> dict[str, Any]:
    """A node's columns as statement parameters."""
    values = {name: getattr(node, name) for name in NODE_COLUMNS}
    values["metadata"] = json_text(node.metadata)
    values["provenance"] = json_text(node.provenance)
    values["aliases"] = json_text(node.aliases)
    return values


def _merged(node: Node, change: Change, *, now: str) -> Node:
    content = node.content if change.content is None else change.content
    title = node.title if change.title is None else change.title
    # Without being asked, a class becomes stricter, never more open.
    whole = change.boundary_class or node.boundary_class
    changed = replace(
        node.restricted(whole, change.shared_class or change.boundary_class or node.open_class),
        content=content,
        content_hash=content_hash(content),
        title=title,
        aliases=_aliases(node.aliases, change.alias, title=title),
        metadata=check_metadata(_without_nulls({**node.metadata, **change.metadata})),
        provenance=check_metadata({**node.provenance, **change.provenance}, field="provenance"),
        claim_kind=change.claim_kind or node.claim_kind,
        scope=change.scope or node.scope,
        expires_at=change.expires_at if change.scope is not None else node.expires_at,
        confidence=node.confidence if change.confidence is None else change.confidence,
        pinned=node.pinned if change.pinned is None else change.pinned,
        year=node.year if change.year is None else change.year,
    )
    # Compared as stored: to Python True is 1.
    if to_parameters(changed) == to_parameters(node):
        return node
    changed = replace(changed, updated_at=now, version=node.version + 1)
    return changed if changed.content == node.content else _fresh(changed, now=now)


def _aliases(known: Sequence[str], added: str | None, *, title: str | None) -> tuple[str, ...]:
    """The aliases of a node with one more, if there is room. Its title is none of them."""
    wanted = known if added is None else (*known, added)
    return tuple(dict.fromkeys(alias for alias in wanted if alias != title))[: limits.ALIASES]


def _with_alias(saved: Saved, existing: Node, title: str | None) -> Saved:
    """The answer to a save of the same text, with what became of the title that it was given."""
    node = saved.node
    if title is None or title == node.title:
        return saved
    if title in existing.aliases:
        return replace(saved, note=f"It keeps its title {shown(node.title)}; {shown(title)} is an alias of it already.")
    if title not in node.aliases:
        return replace(
            saved,
            note=f"It keeps its title {shown(node.title)}; {shown(title)} was not added, for it has "
            f"{limits.ALIASES} aliases already.",
        )
    note = f"It keeps its title {shown(node.title)}; {shown(title)} is now an alias, found and linked like a title."
    return replace(saved, alias_added=title, note=note)


def _fresh(node: Node, *, now: str) -> Node:
    """The node as recall sees it after its text was rewritten or saved again: its age counts from now on."""
    return replace(node, recency_anchor=max(now, node.recency_anchor))


def _without_nulls(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata after a merge: a null removes its key (as in a JSON merge patch)."""
    return {key: value for key, value in metadata.items() if value is not None}


def replace_node(tx: Transaction, access: Access, old: Node, new: Node, made: Made | None) -> bool:
    """Store a node in place of what it was, with all that depends on it; False if nothing changed."""
    if new is old:
        return False
    tx.run("node_replace", {"owner": access.owner, **to_parameters(new)})
    if (*_embedded(new), new.aliases) != (*_embedded(old), old.aliases):
        text_index.write(tx, access, [new], new=False)
        mentions.write(tx, access, new, old=old)
    if _embedded(new) != _embedded(old):
        embeddings.write(tx, access, [new], made, new=False, now=new.updated_at)
    if new.year != old.year:
        date_fragments(tx, access, new)
    if (new.boundary_class, new.shared_class) != (old.boundary_class, old.shared_class):
        tx.run(
            "edges_follow_nodes",
            {"owner": access.owner, "ids": json_text([new.id, *restrict_fragments(tx, access, new)])},
        )
    return True


def _embedded(node: Node) -> tuple[object, ...]:
    """What decides the vector of a node."""
    return node.title, node.content, node.shared_class is None


def restrict_fragments(tx: Transaction, access: Access, page: Node) -> list[str]:
    """Fragments are at least as restricted as what is open of their page; returns those that were not."""
    if page.kind != "page":
        return []
    stricter = BOUNDARY_CLASSES[BOUNDARY_CLASSES.index(page.open_class) :]
    where = {
        "owner": access.owner,
        "id": page.id,
        "boundary_class": page.open_class,
        "now": page.updated_at,
        "stricter": json_text(stricter),
    }
    less = [row[0] for row in tx.rows("fragments_open", where)]
    _part_fragments(tx, where)
    tx.run("fragments_restrict", where)
    tx.run("fragments_close", where)
    return less


def _part_fragments(tx: Transaction, where: Mapping[str, Any]) -> None:
    """Move fragments to the end of their page that would else be the same text at the same place in the same class."""
    meeting = [row[0] for row in tx.rows("fragments_meeting", where)]
    if meeting:
        (end,) = tx.row("fragments_end", where) or (-1,)
        moves = enumerate(meeting, start=end + 1)
        tx.run_many("fragment_move", [{**where, "id": node_id, "position": position} for position, node_id in moves])


def date_fragments(tx: Transaction, access: Access, page: Node) -> None:
    """Give a page's year to its fragments and to the edges that start there."""
    dated = {"owner": access.owner, "id": page.id, "year": page.year, "now": page.updated_at}
    tx.run("fragments_dated", dated)
    tx.run("edges_dated", dated)
