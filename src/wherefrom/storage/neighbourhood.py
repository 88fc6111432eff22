"""Parts of the graph to be drawn: the nodes around some others, and the shortest path between two.

Every step is one statement for all nodes of a level, so that the cost depends on what is returned and on the relations
of those nodes, and not on the size of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Edge, MeasuredEdge, Node
from wherefrom.model.limits import BEGINNING_CHARACTERS, DEGREE_COUNTED, DRAWN_EDGES, PATH_NODES
from wherefrom.model.neighbourhood import GraphEdge, GraphNode, Neighbourhood, PathFound
from wherefrom.storage import nodes
from wherefrom.storage.edges import Measure
from wherefrom.storage.metabolism import Clocks
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import json_text

ClocksOf = Callable[[Transaction, Iterable[str]], Clocks]
"""Returns the clocks of some namespaces, by which the thickness of their relations is measured."""

# Of the relations between two levels of a path, so many of the strongest are compared by their thickness.
_MAX_EDGES_COMPARED: Final = 5_000
# The entries of a list that is short for the fragment `at_frontier`.
_SHORT: Final = 20
_SAME: Final = "Both ends are the same."
_plain_values: Final[Callable[[MeasuredEdge], tuple[Any, ...]]] = attrgetter(*(f.name for f in fields(GraphEdge)))


@dataclass(frozen=True, slots=True)
class Followed:
    """What a search may follow: the relations that an access sees, that hold now or at `as_of`, with one of the tags,
    and with a node of one of the kinds at the other end; without tags or kinds, with any.
    """

    access: Access
    now: str
    as_of: str | None = None
    tags: Collection[str] | None = None
    kinds: Collection[str] | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the statements."""
        return {
            **scope_parameters(self.access),
            "now": self.as_of or self.now,
            "as_of": self.as_of,
            "tags": json_text(sorted(self.tags)) if self.tags else None,
            "kinds": json_text(sorted(self.kinds)) if self.kinds else None,
        }


def around(
    tx: Transaction, followed: Followed, starts: Sequence[str], *, hops: int, limit: int, clocks: ClocksOf
) -> Neighbourhood:
    """The nodes within so many steps of the starts, which are among them, and all relations between them.

    Breadth-first, a node with a stronger relation to those before it first, so that the limit keeps what matters.
    """
    distances, left_out = dict.fromkeys(starts, 0), 0
    _refuse_missing(tx, followed, starts)
    frontier = starts
    for hop in range(1, hops + 1):
        room = limit - len(distances)
        found, total = _beyond(tx, followed, frontier, distances, limit=room + 1)
        frontier, left_out = found[:room], max(total - room, 0)
        distances.update(dict.fromkeys(frontier, hop))
        if left_out or not frontier:
            break
    drawn = _drawn(tx, followed, distances)
    times = clocks(tx, {node.namespace for node in drawn.values()})
    among = {"ids": json_text(list(drawn)), "clocks": times.text, "limit": DRAWN_EDGES + 1}
    edges = tuple(GraphEdge(*row) for row in tx.rows("edges_drawn", {**followed.parameters, **among}))
    notes = [_left_out(left_out, hop=hop, hops=hops, limit=limit)] if left_out else []
    if len(edges) > DRAWN_EDGES:
        notes.append(f"Of the relations between these, the {DRAWN_EDGES:,} thickest are here.")
    return Neighbourhood(tuple(drawn.values()), edges[:DRAWN_EDGES], bool(notes), " ".join(notes) or None)


def path(
    tx: Transaction, followed: Followed, source_id: str, target_id: str, *, max_steps: int, measure: Measure
) -> PathFound:
    """The shortest chain of relations between two nodes, of several the one that is thickest in sum.

    Searched from both ends, each time from the one that has reached fewer nodes: two searches of half the depth see
    far fewer nodes than one of the whole.
    """
    _refuse_missing(tx, followed, (source_id, target_id))
    if source_id == target_id:
        return PathFound(tuple(_drawn(tx, followed, {source_id: 0}).values()), (), note=_SAME)
    levels = [[source_id]], [[target_id]]
    seen = {source_id}, {target_id}
    sides = [0, 1]
    steps = 0
    while sides and steps < max_steps:
        side = min(sides, key=lambda side: len(levels[side][-1]))
        room = PATH_NODES - len(seen[0]) - len(seen[1])
        found, total = _beyond(tx, followed, levels[side][-1], seen[side], limit=room + 1)
        # Before this step both sides had nothing in common: so whatever they have now is in the last level of each.
        if meeting := [node_id for node_id in found[:room] if node_id in seen[1 - side]]:
            levels[side].append(found[:room])
            return _joined(tx, followed, levels, meeting, measure=measure)
        if not found:
            return PathFound((), (), note="No chain of relations joins them.")
        if total > room:  # a level of which only a part is known could hide a shorter chain
            sides.remove(side)
            continue
        levels[side].append(found)
        seen[side].update(found)
        steps += 1
    longest = f"no chain of {_steps(steps)} or fewer joins them" if steps else "none was found"
    if sides:
        return PathFound((), (), note=f"{longest.capitalize()}.")
    return PathFound((), (), True, f"The search stopped at {PATH_NODES:,} memos: {longest}.")


def _beyond(
    tx: Transaction, followed: Followed, frontier: Sequence[str], seen: Collection[str], *, limit: int
) -> tuple[list[str], int]:
    """The nodes next to the frontier that were not seen before, strongest first, and how many there are in all."""
    given = {"frontier": json_text(frontier), "is_short": len(frontier) <= _SHORT or None}
    more = {"seen": json_text(list(seen)), "limit": limit}
    rows = tx.rows("nodes_beyond", {**followed.parameters, **given, **more})
    return [node_id for node_id, _ in rows], rows[0][1] if rows else 0


def _drawn(tx: Transaction, followed: Followed, distances: Mapping[str, int]) -> dict[str, GraphNode]:
    """The nodes with these distances as an answer shows them, in their order; of those that the access sees only in
    part, what it sees.
    """
    starts = [node_id for node_id, hops in distances.items() if not hops]
    where = {**followed.parameters, "ids": json_text(list(distances)), "starts": json_text(starts)}
    degrees: dict[str, int] = dict(tx.rows("node_degrees", {**where, "most": DEGREE_COUNTED}))
    known: dict[str, GraphNode] = {}
    for node_id, *named, boundary_class, valid_to, holds in tx.rows(
        "nodes_drawn", {**where, "beginning": BEGINNING_CHARACTERS}
    ):
        place = distances[node_id], degrees[node_id]
        known[node_id] = GraphNode(*(node_id, *named, *place, boundary_class, bool(holds), valid_to))
    masked = [node.id for node in known.values() if not followed.access.sees(node.namespace, node.boundary_class)]
    rest = nodes.read_by_ids(tx, followed.access, masked) if masked else {}
    for node_id in masked:
        known[node_id] = _as_seen(known[node_id], rest[node_id])
    return {node_id: known[node_id] for node_id in distances if node_id in known}


def _as_seen(drawn: GraphNode, seen: Node) -> GraphNode:
    """A drawn node with what an access may see of its title and text."""
    text = seen.content[:BEGINNING_CHARACTERS]
    return replace(drawn, title=seen.title, text=text, boundary_class=seen.boundary_class)


def _refuse_missing(tx: Transaction, followed: Followed, ids: Iterable[str]) -> None:
    """Raise an error for the first of these nodes of which the access sees nothing."""
    wanted = list(ids)
    known = nodes.read_by_ids(tx, followed.access, wanted)
    for node_id in wanted:
        if node_id not in known:
            nodes.read(tx, followed.access, node_id)


def _joined(
    tx: Transaction,
    followed: Followed,
    levels: tuple[list[list[str]], list[list[str]]],
    meeting: Sequence[str],
    *,
    measure: Measure,
) -> PathFound:
    """The thickest chain through one of the nodes at which both searches met."""
    one = _chains(tx, followed, levels[0], meeting, measure=measure)
    other = _chains(tx, followed, levels[1], list(one), measure=measure)
    middle = max(other, key=lambda node_id: one[node_id][0] + other[node_id][0])
    edges = (*one[middle][1], *reversed(other[middle][1]))
    at = levels[0][0][0]
    distances = {at: 0}
    for step, edge in enumerate(edges, 1):
        at = edge.target_id if edge.source_id == at else edge.source_id
        distances[at] = step
    plain = tuple(GraphEdge(*_plain_values(edge)) for edge in edges)
    return PathFound(tuple(_drawn(tx, followed, distances).values()), plain)


def _chains(
    tx: Transaction, followed: Followed, levels: Sequence[Sequence[str]], ends: Sequence[str], *, measure: Measure
) -> dict[str, tuple[float, tuple[MeasuredEdge, ...]]]:
    """The thickest chain from the one node of the first level to each of some nodes of the last, with its sum."""
    layers: list[tuple[MeasuredEdge, ...]] = []
    far = set(ends)
    for level in reversed(levels[:-1]):
        sets = {"near": json_text(level), "far": json_text(sorted(far)), "limit": _MAX_EDGES_COMPARED}
        rows = tx.rows("edges_across", {**followed.parameters, **sets})
        layers.append(measure(tx, [Edge(*row) for row in rows]))
        far = {end for edge in layers[-1] for end in (edge.source_id, edge.target_id)}.intersection(level)
    best: dict[str, tuple[float, tuple[MeasuredEdge, ...]]] = {levels[0][0]: (0.0, ())}
    for layer in reversed(layers):
        reached: dict[str, tuple[float, tuple[MeasuredEdge, ...]]] = {}
        for edge in layer:
            is_forward = edge.source_id in best
            before = best.get(edge.source_id if is_forward else edge.target_id)
            end = edge.target_id if is_forward else edge.source_id
            if before is not None and (end not in reached or reached[end][0] < before[0] + edge.thickness):
                reached[end] = before[0] + edge.thickness, (*before[1], edge)
        best = reached
    return best


def _left_out(number: int, *, hop: int, hops: int, limit: int) -> str:
    further = "" if hop == hops else " Nothing further away was looked for."
    which = f"{number:,} more at {_steps(hop)}, those with the weakest relations,"
    return f"{which} {'is' if number == 1 else 'are'} left out: the limit is {limit:,}.{further}"


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
