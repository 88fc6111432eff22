"""Edges: save, delete, list, and walk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from operator import attrgetter
from typing import Any, Final

from wherefrom.model import cursors
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput, NotFound, shown_id
from wherefrom.model.graph import GUESSING, HUMAN, JUDGEMENTS, Edge, MeasuredEdge, Node, NodeRef, node_at, strictest
from wherefrom.model.metabolism import EVIDENCE_TAGS, Reinforced
from wherefrom.model.namespaces import is_inside
from wherefrom.model.results import Direction, Related, Relations
from wherefrom.storage import locks, metabolism, nodes
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import EDGE_COLUMNS, inside_parameters, scope_parameters
from wherefrom.text.check import check_time, json_text

Key = tuple[str, str, str]
"""Source, target and tag of an edge."""
Measure = Callable[[Transaction, Sequence[Edge]], tuple[MeasuredEdge, ...]]
"""Adds the thickness to edges."""

# The confidence that an edge gains when it is seen again (its weight gains half of that), and that it loses when it is
# found wrong.
STRENGTHEN: Final = 0.2
WEAKEN: Final = 0.3
_MAX_EDGES_REINFORCED: Final = 200
_values: Final[Callable[[Edge], tuple[Any, ...]]] = attrgetter(*EDGE_COLUMNS)
# The columns of `node_places`.
_COPIED: Final = ("id", "namespace", "boundary_class", "kind", "page_id", "domain", "year", "task_id")
# Where these columns are in a row that starts with its seq.
_SOURCE, _TARGET, _WEIGHT = (1 + EDGE_COLUMNS.index(name) for name in ("source_id", "target_id", "weight"))


def save(
    tx: Transaction,
    access: Access,
    key: Key,
    *,
    weight: float,
    reason: str | None,
    now: str,
    guard: Callable[[Edge], Edge],
    within: str | None = None,
) -> Related:
    """Link two nodes, or update the edge between them. A reason of None leaves the old one, '' clears it; `guard`
    returns the edge as the policy leaves it. From then on the edge counts as the caller's judgement.

    `version` and `updated_at` change only when something changed; `observed_at` always does.
    """
    locks.share(tx, access.owner)
    source_id, target_id, tag = key
    source = nodes.get(tx, access.narrowed(within), source_id, label="source memo")
    target = nodes.get(tx, access, target_id, label="target memo")
    if (source.kind, target.kind) == ("fragment", "claim") and tag in JUDGEMENTS:
        raise InvalidInput("a fragment has one judgement about a claim", hint="add_evidence makes it and changes it")
    if target.kind == "claim" and tag in JUDGEMENTS:
        pair = {"owner": access.owner, "claims": json_text([target_id]), "sources": json_text([source_id])}
        for row in tx.rows("judgements_between", pair):
            _refuse_human(Edge(*row))
    existing = _find(tx, access, key)
    if existing is None:
        edge = guard(between(source, target, tag, now=now, weight=weight, reason=reason or None))
        insert(tx, access, [edge])
        return Related(_undecayed(tx, edge), "created")
    kept = existing.reason if reason is None else reason or None
    # An edge that is stated again is surer.
    sure = 1.0 if existing.judge in GUESSING else min(1.0, existing.confidence + STRENGTHEN)
    changed = guard(replace(existing, weight=weight, reason=kept, judge=None, confidence=sure))
    if existing.valid_to is not None:  # it holds again, from now on
        changed = replace(changed, valid_from=now, valid_to=None)
    saved = replace(_next_version(existing, changed, now=now), observed_at=now)
    replace_many(tx, access, [saved])
    return Related(_undecayed(tx, saved), "unchanged" if changed == existing else "updated")


def reinforce(
    tx: Transaction, access: Access, key: Key, *, weaken: bool, now: str, measure: Measure, within: str | None = None
) -> Reinforced:
    """Strengthen an edge, or weaken it."""
    locks.share(tx, access.owner)
    edge = _known(tx, access, key, within)
    if edge.tag in EVIDENCE_TAGS:
        raise InvalidInput(f"{edge.tag!r} is evidence and is not reinforced", hint="add_evidence and correct change it")
    _refuse_human(edge)
    (before,) = measure(tx, [edge])
    changed = _reinforced(edge, weaken=weaken, now=now)
    replace_many(tx, access, [changed])
    (after,) = measure(tx, [changed])
    return Reinforced(after, before)


def reinforce_of(
    tx: Transaction,
    access: Access,
    node_id: str,
    others: Sequence[str] | None = None,
    *,
    tag: str | None = None,
    weaken: bool = False,
    now: str,
) -> int:
    """Strengthen or weaken the strongest edges of a node (those with others, or those out of it with a tag, if given)
    that are neither evidence nor a person's judgement; returns how many.
    """
    locks.share(tx, access.owner)
    where = {**scope_parameters(access), "id": node_id, "tag": tag, "limit": _MAX_EDGES_REINFORCED}
    where["others"] = None if others is None else json_text([other for other in others if other != node_id])
    found = [_reinforced(Edge(*row), weaken=weaken, now=now) for row in tx.rows("edges_reinforced", where)]
    replace_many(tx, access, found)
    return len(found)


def delete(tx: Transaction, access: Access, key: Key, *, within: str | None = None) -> Edge:
    """Remove one edge."""
    edge = _known(tx, access, key, within)
    _refuse_human(edge)
    remove(tx, access, [edge])
    return edge


def end_others(tx: Transaction, access: Access, edge: Edge, *, now: str) -> list[Edge]:
    """End the other edges of its source with its tag that hold; returns them as they are now."""
    where = {**scope_parameters(access), "source_id": edge.source_id, "target_id": edge.target_id, "tag": edge.tag}
    found = [Edge(*row) for row in tx.rows("edges_beside", where)]
    return [end(tx, access, other, at=now, now=now) for other in found if other.judge != HUMAN]


def end(tx: Transaction, access: Access, edge: Edge, *, at: str, now: str) -> Edge:
    """End an edge at a time; returns it as it is now. What a person has judged is refused."""
    _refuse_human(edge)
    return _changed(tx, access, edge, replace(edge, valid_to=at), now=now)


def begin(tx: Transaction, access: Access, edge: Edge, *, at: str, now: str) -> Edge:
    """Let an edge hold from a time on; returns it as it is now."""
    return _changed(tx, access, edge, replace(edge, valid_from=at), now=now)


def insert(
    tx: Transaction, access: Access, new: Sequence[Edge], *, seqs: Iterable[int | None] = (), skip_known: bool = False
) -> set[Key]:
    """Store new edges, and return the keys of those that were stored. Restored edges have their former `seqs`.
    With `skip_known`, edges that are there already stay as they are.
    """
    rows = [{**to_parameters(edge), "seq": seq} for edge, seq in zip(new, chain(seqs, repeat(None)), strict=False)]
    stored = tx.many("edges_insert", rows, {"owner": access.owner, "skip_known": skip_known or None})
    return {(source, target, tag) for source, target, tag in stored}


def replace_many(tx: Transaction, access: Access, changed: Sequence[Edge]) -> None:
    """Store edges in place of those with the same ends and tags."""
    tx.many("edges_replace", [to_parameters(edge) for edge in changed], {"owner": access.owner})


def remove(tx: Transaction, access: Access, gone: Sequence[Edge]) -> None:
    """Delete edges."""
    tx.many("edges_remove", [to_parameters(edge) for edge in gone], {"owner": access.owner})


def key_of(edge: Edge) -> Key:
    """The key of an edge: source, target and tag."""
    return edge.source_id, edge.target_id, edge.tag


def page(
    tx: Transaction,
    access: Access,
    filters: Mapping[str, str | None],
    *,
    within: str | None,
    limit: int,
    cursor: str | None,
    measure: Measure,
) -> Relations:
    """Edges and their ends. Filters: source_id, target_id, tag, since, as_of.

    Newest first; with `since`, in the order in which they changed, also those that have ended.
    """
    parameters: dict[str, Any] = {**scope_parameters(access), **filters, "within": None, "limit": limit + 1}
    if within is not None:
        parameters |= inside_parameters("within", within)
    if filters["since"] is None:
        of_memo = filters["source_id"] or filters["target_id"]
        name, position = "edge_list", {"before": cursors.decode_number(cursor, "edges"), "of_memo": of_memo}
    else:
        name, position = "edge_changes", _change_position(cursor)
    rows = tx.rows(name, {**parameters, **position})
    edges = tuple(Edge(*row[1:]) for row in rows[:limit])
    return Relations(
        root_namespace=access.root,
        nodes=_ends(tx, access, edges),
        edges=measure(tx, edges),
        next_cursor=_after(rows[limit - 1], changes=name == "edge_changes") if len(rows) > limit else None,
    )


def walk(
    tx: Transaction,
    access: Access,
    start_id: str,
    *,
    depth: int,
    direction: Direction,
    tag: str | None,
    limit: int,
    cursor: str | None,
    measure: Measure,
) -> Relations:
    """Breadth-first from a node: each edge once, at its distance from the start, the strongest first.

    A node is expanded once, so cycles cost nothing. A cursor counts the edges already seen; what
    comes before it is walked again.
    """
    nodes.get(tx, access, start_id, label="start memo")
    skip = cursors.decode_number(cursor, "walk") or 0
    wanted = skip + limit + 1
    found: dict[int, tuple[Row, int]] = {}
    seen, frontier = {start_id}, [start_id]
    for distance in range(1, depth + 1):
        level = _step(tx, access, frontier, direction=direction, tag=tag, limit=wanted)
        fresh = [row for row in level if row[0] not in found]
        found.update((row[0], (row, distance)) for row in fresh)
        ends = {row[_SOURCE] for row in fresh} | {row[_TARGET] for row in fresh}
        frontier = list(ends - seen)
        seen |= ends
        if not frontier or len(found) >= wanted:
            break
    chosen = list(islice(found.values(), skip, skip + limit))
    edges = tuple(Edge(*row[1:]) for row, _ in chosen)
    return Relations(
        root_namespace=access.root,
        nodes=_ends(tx, access, edges) or nodes.refs(tx, access, [start_id]),
        edges=measure(tx, edges),
        next_cursor=cursors.encode("walk", skip + limit) if len(found) > skip + limit else None,
        depths=tuple(distance for _, distance in chosen),
    )


def between(source: Node, target: Node, tag: str, *, now: str, **values: Any) -> Edge:
    """A new edge with these values, and all that edges copy of their ends; without a weight, of full weight."""
    edge = Edge(source.id, target.id, tag, values.pop("weight", 1.0), "", "", now, now, now, **values)
    return placed(edge, source, target)


def placed(edge: Edge, source: Node, target: Node) -> Edge:
    """The edge with all that edges copy of their ends."""
    return replace(
        edge,
        source_namespace=source.namespace,
        target_namespace=target.namespace,
        boundary_class=strictest(source.boundary_class, target.boundary_class),
        source_kind=source.kind,
        target_kind=target.kind,
        page_id=source.page_id,
        domain=source.domain,
        year=source.year,
        task_id=target.task_id,
    )


def ends_of(tx: Transaction, access: Access, some: Iterable[Edge]) -> dict[str, Node]:
    """The ends of edges that the access sees, by id, each with no more than edges copy of it."""
    ids = sorted({end for edge in some for end in (edge.source_id, edge.target_id)})
    rows = tx.rows("node_places", {"owner": access.owner, "ids": json_text(ids)}) if ids else []
    ends = (node_at("", **dict(zip(_COPIED, row, strict=True))) for row in rows)
    return {end.id: end for end in ends if access.sees(end.namespace, end.boundary_class)}


def to_parameters(edge: Edge) -> dict[str, Any]:
    """An edge's columns as statement parameters."""
    return dict(zip(EDGE_COLUMNS, _values(edge), strict=True))


def _undecayed(tx: Transaction, edge: Edge) -> MeasuredEdge:
    """An edge that was observed just now: no other one is newer, so it needs no clock."""
    (measured,) = metabolism.measured(tx, [edge], None)
    return measured


def _find(tx: Transaction, access: Access, key: Key) -> Edge | None:
    where = dict(zip(("source_id", "target_id", "tag"), key, strict=True))
    row = tx.row("edge_get", {**scope_parameters(access), **where})
    return None if row is None else Edge(*row)


def _known(tx: Transaction, access: Access, key: Key, within: str | None) -> Edge:
    edge = _find(tx, access, key)
    if edge is None or (within is not None and not is_inside(edge.source_namespace, within)):
        source_id, target_id, tag = key
        nodes.refuse_read_only(tx, access, [source_id, target_id])
        raise NotFound(
            f"there is no relation {tag!r} from {shown_id(source_id)} to {shown_id(target_id)} in {access.root!r}",
            hint="list the relations of either memo",
        )
    return edge


def _reinforced(edge: Edge, *, weaken: bool, now: str) -> Edge:
    """The edge after it was found right: surer, heavier and seen now; or, to `weaken` it, after it was found wrong:
    less sure. That is no observation, so its age stays.
    """
    if weaken:
        return _next_version(edge, replace(edge, confidence=max(0.0, edge.confidence - WEAKEN)), now=now)
    confidence, weight = min(1.0, edge.confidence + STRENGTHEN), min(1.0, edge.weight + STRENGTHEN / 2)
    return replace(_next_version(edge, replace(edge, confidence=confidence, weight=weight), now=now), observed_at=now)


def _changed(tx: Transaction, access: Access, edge: Edge, changed: Edge, *, now: str) -> Edge:
    saved = _next_version(edge, changed, now=now)
    replace_many(tx, access, [saved])
    return saved


def _next_version(edge: Edge, changed: Edge, *, now: str) -> Edge:
    """The changed edge as the next version; the edge itself if nothing has changed."""
    return edge if changed == edge else replace(changed, version=edge.version + 1, updated_at=now)


def _refuse_human(edge: Edge) -> None:
    """Raises if a person has judged the edge: then only a person changes it."""
    if edge.judge == HUMAN:
        raise Conflict("a person has judged this", hint="`wherefrom correct` changes it")


def _step(
    tx: Transaction, access: Access, frontier: list[str], *, direction: Direction, tag: str | None, limit: int
) -> list[Row]:
    """The edges that leave the frontier, strongest first, as rows that start with their seq."""
    where = {**scope_parameters(access), "frontier": json_text(frontier), "tag": tag, "limit": limit}
    sides = [None, True] if direction == "both" else [None if direction == "forward" else True]
    rows = {row[0]: row for backward in sides for row in tx.rows("edges_at", {**where, "backward": backward})}
    return sorted(rows.values(), key=lambda row: (-row[_WEIGHT], row[0]))[:limit]


def _change_position(cursor: str | None) -> dict[str, Any]:
    """The place in the order of changes at which a page starts, as parameters."""
    time, _, seq = (cursors.decode(cursor, "changes") or "").partition(" ")
    if cursor is not None and not (seq.isascii() and seq.isdigit() and len(seq) <= 18):
        raise cursors.foreign(cursor)
    return {"after_time": check_time(time, field="cursor"), "after_seq": int(seq)} if cursor else {"after_time": None}


def _after(row: Row, *, changes: bool) -> str:
    if changes:
        return cursors.encode("changes", f"{Edge(*row[1:]).updated_at} {row[0]}")
    return cursors.encode("edges", row[0])


def _ends(tx: Transaction, access: Access, edges: tuple[Edge, ...]) -> tuple[NodeRef, ...]:
    return nodes.refs(tx, access, sorted({end for edge in edges for end in (edge.source_id, edge.target_id)}))
