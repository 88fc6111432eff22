"""Edges: save, delete, list, and walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Any, Final

from wherefrom.model import cursors
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, InvalidInput, NotFound
from wherefrom.model.graph import GUESSING, HUMAN, JUDGEMENTS, Edge, MeasuredEdge, Node, NodeRef, strictest
from wherefrom.model.metabolism import EVIDENCE_TAGS, Reinforced
from wherefrom.model.namespaces import is_inside
from wherefrom.model.results import Direction, Related, Relations
from wherefrom.storage import locks, metabolism, nodes
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import EDGE_COLUMNS, inside_parameters, scope_parameters
from wherefrom.text.check import check_time, json_text

Key = tuple[str, str, str]
"""Source, target and tag of an edge."""
# Edges with their thickness.
Measure = Callable[[Transaction, Sequence[Edge]], tuple[MeasuredEdge, ...]]

# How much surer a link becomes that was seen again, and how much less sure one that was found wrong; its weight grows
# by half as much.
STRENGTHEN: Final = 0.2
WEAKEN: Final = 0.3
# So many links of a node at most, when all that it has are meant.
_REINFORCED: Final = 200
_values: Final[Callable[[Edge], tuple[Any, ...]]] = attrgetter(*EDGE_COLUMNS)
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
    """Link two nodes, or update that link. A reason of None stays as it is, '' clears it; `guard` says what of it
    may be kept. What a caller links is the caller's judgement from then on.

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
        for known in map(from_row, tx.rows("judgements_between", pair)):
            _refuse_human(known)
    row = tx.row("edge_get", _key_parameters(access, key))
    if row is None:
        edge = guard(replace(between(source, target, tag, now=now), weight=weight, reason=reason or None))
        insert(tx, access, [edge])
        return Related(_undecayed(tx, edge), "created")
    existing = from_row(row)
    kept = existing.reason if reason is None else reason or None
    # Said again, it is surer.
    sure = 1.0 if existing.judge in GUESSING else min(1.0, existing.confidence + STRENGTHEN)
    changed = guard(replace(existing, weight=weight, reason=kept, judge=None, confidence=sure))
    if changed != existing:
        changed = replace(changed, version=existing.version + 1, updated_at=now)
    saved = replace(changed, observed_at=now)
    replace_many(tx, access, [saved])
    return Related(_undecayed(tx, saved), "unchanged" if changed == existing else "updated")


def reinforce(
    tx: Transaction,
    access: Access,
    key: Key,
    *,
    weaken: bool,
    now: str,
    measure: Measure,
    within: str | None = None,
) -> Reinforced:
    """Strengthen a link, or weaken it."""
    locks.share(tx, access.owner)
    edge = _known(tx, access, key, within)
    if edge.tag in EVIDENCE_TAGS:
        raise InvalidInput(f"{edge.tag!r} is evidence and is not reinforced", hint="add_evidence and correct change it")
    _refuse_human(edge)
    (before,) = measure(tx, [edge])
    changed = weakened(edge, now=now) if weaken else strengthened(edge, now=now)
    replace_many(tx, access, [changed])
    (after,) = measure(tx, [changed])
    return Reinforced(after, before)


def strengthened(edge: Edge, *, now: str) -> Edge:
    """A link after it was found to be right: surer, heavier and seen now."""
    figures = {"confidence": min(1.0, edge.confidence + STRENGTHEN), "weight": min(1.0, edge.weight + STRENGTHEN / 2)}
    return _changed(edge, figures, now=now, observed_at=now)


def weakened(edge: Edge, *, now: str) -> Edge:
    """A link after it was found to be wrong: less sure. That is no observation, so its age stays."""
    return _changed(edge, {"confidence": max(0.0, edge.confidence - WEAKEN)}, now=now, observed_at=edge.observed_at)


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
    """Strengthen or weaken the strongest links of a node (those with others, or those out of it with a tag, if given)
    that are neither evidence nor a person's judgement; returns how many.
    """
    locks.share(tx, access.owner)
    where = {**scope_parameters(access), "id": node_id, "tag": tag, "limit": _REINFORCED}
    where["others"] = None if others is None else json_text([each for each in others if each != node_id])
    found = [from_row(row) for row in tx.rows("edges_reinforced", where)]
    change = weakened if weaken else strengthened
    replace_many(tx, access, [change(edge, now=now) for edge in found])
    return len(found)


def delete(tx: Transaction, access: Access, key: Key, *, within: str | None = None) -> Edge:
    """Remove one link."""
    edge = _known(tx, access, key, within)
    _refuse_human(edge)
    remove(tx, access, [edge])
    return edge


def insert(
    tx: Transaction,
    access: Access,
    new: Sequence[Edge],
    *,
    numbers: Sequence[int] | None = None,
    unless_known: bool = False,
) -> set[Key]:
    """Store new edges, and return the keys of those that were stored. Edges that come back have their former `numbers`.
    With `unless_known`, an edge that is there already stays as it is.
    """
    rows = [to_parameters(edge) for edge in new]
    if numbers is not None:
        rows = [{**row, "seq": seq} for row, seq in zip(rows, numbers, strict=True)]
    how = {"numbered": True if numbers else None, "unless_known": unless_known or None}
    return {
        (source, target, tag) for source, target, tag in tx.many("edges_insert", rows, {"owner": access.owner, **how})
    }


def replace_many(tx: Transaction, access: Access, changed: Sequence[Edge]) -> None:
    """Store edges in place of those with the same ends and tags."""
    tx.many("edges_replace", [to_parameters(edge) for edge in changed], {"owner": access.owner})


def remove(tx: Transaction, access: Access, gone: Sequence[Edge]) -> None:
    """Delete edges."""
    tx.many("edges_remove", [to_parameters(edge) for edge in gone], {"owner": access.owner})


def key_of(edge: Edge) -> Key:
    """What an edge is known by: source, target and tag."""
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
    """Edges and their ends. Filters: source_id, target_id, tag, since. `measure` adds their thickness.

    Newest first; with `since`, in the order in which they changed.
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
    edges = tuple(from_row(row[1:]) for row in rows[:limit])
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
        nodes=_ends(tx, access, edges) if edges else nodes.refs(tx, access, [start_id]),
        edges=measure(tx, edges),
        next_cursor=cursors.encode("walk", skip + limit) if len(found) > skip + limit else None,
        depths=tuple(distance for _, distance in chosen),
    )


def between(source: Node, target: Node, tag: str, *, now: str) -> Edge:
    """A new edge of full weight, with all that edges copy of their ends."""
    return Edge(
        source_id=source.id,
        target_id=target.id,
        tag=tag,
        weight=1.0,
        source_namespace=source.namespace,
        target_namespace=target.namespace,
        boundary_class=strictest(source.boundary_class, target.boundary_class),
        source_kind=source.kind,
        target_kind=target.kind,
        page_id=source.page_id,
        domain=source.domain,
        year=source.year,
        task_id=target.task_id,
        observed_at=now,
        created_at=now,
        updated_at=now,
    )


def placed(edge: Edge, source: Row, target: Row) -> Edge:
    """An edge with its copies of what its ends are, from their rows of `node_places` without the id."""
    return replace(
        edge,
        source_namespace=source[0],
        target_namespace=target[0],
        boundary_class=strictest(source[1], target[1]),
        source_kind=source[2],
        target_kind=target[2],
        page_id=source[3],
        domain=source[4],
        year=source[5],
        task_id=target[6],
    )


def from_row(row: Row) -> Edge:
    """An edge from its columns."""
    return Edge(*row)


def to_parameters(edge: Edge) -> dict[str, Any]:
    """An edge's columns as statement parameters."""
    return dict(zip(EDGE_COLUMNS, _values(edge), strict=True))


def _undecayed(tx: Transaction, edge: Edge) -> MeasuredEdge:
    """An edge that was observed just now: no other is newer, so that it needs no clock."""
    (measured,) = metabolism.measured(tx, [edge], {})
    return measured


def _known(tx: Transaction, access: Access, key: Key, within: str | None) -> Edge:
    row = tx.row("edge_get", _key_parameters(access, key))
    edge = None if row is None else from_row(row)
    if edge is None or (within is not None and not is_inside(edge.source_namespace, within)):
        source_id, target_id, tag = key
        nodes.refuse_read_only(tx, access, [source_id, target_id])
        raise NotFound(
            f"there is no relation {tag!r} from {source_id} to {target_id} in {access.root!r}",
            hint="list the relations of either memo",
        )
    return edge


def _changed(edge: Edge, figures: Mapping[str, Any], *, now: str, observed_at: str) -> Edge:
    changed = replace(edge, **figures)
    if changed != edge:
        changed = replace(changed, version=edge.version + 1, updated_at=now)
    return replace(changed, observed_at=observed_at)


def _refuse_human(edge: Edge) -> None:
    """A person's judgement is changed by a person."""
    if edge.judge == HUMAN:
        raise Conflict("a person has judged this", hint="`wherefrom correct` changes it")


def _step(
    tx: Transaction, access: Access, frontier: list[str], *, direction: Direction, tag: str | None, limit: int
) -> list[Row]:
    """The edges that leave the frontier, strongest first, as rows that start with their seq."""
    parameters = {**scope_parameters(access), "frontier": json_text(frontier), "tag": tag, "limit": limit}
    if direction != "both":
        return tx.rows("edges_out" if direction == "forward" else "edges_in", parameters)
    rows = {row[0]: row for name in ("edges_out", "edges_in") for row in tx.rows(name, parameters)}
    return sorted(rows.values(), key=lambda row: (-row[_WEIGHT], row[0]))[:limit]


def _change_position(cursor: str | None) -> dict[str, Any]:
    """Where in the order of changes a page starts."""
    time, _, seq = (cursors.decode(cursor, "changes") or "").partition(" ")
    if cursor is not None and not (seq.isascii() and seq.isdigit() and len(seq) <= 18):
        raise cursors.foreign(cursor)
    return {"after_time": check_time(time, field="cursor"), "after_seq": int(seq)} if cursor else {"after_time": None}


def _after(row: Row, *, changes: bool) -> str:
    if changes:
        return cursors.encode("changes", f"{from_row(row[1:]).updated_at} {row[0]}")
    return cursors.encode("edges", row[0])


def _ends(tx: Transaction, access: Access, edges: tuple[Edge, ...]) -> tuple[NodeRef, ...]:
    ids = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    return nodes.refs(tx, access, sorted(ids)) if ids else ()


def _key_parameters(access: Access, key: Key) -> dict[str, Any]:
    source_id, target_id, tag = key
    return {**scope_parameters(access), "source_id": source_id, "target_id": target_id, "tag": tag}
