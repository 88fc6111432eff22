"""Copies: neighbours that are copies by their bodies, and strong ones that stand back.

Vectors are made of title and text. Where a title is involved, two nodes are as similar as their bodies are without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from wherefrom.metabolism.facts import FactsByNode
from wherefrom.metabolism.nearest import Candidate, Neighbour, may_stand_for
from wherefrom.storage.metabolism import MeasuredGraph, WeakNode

Floors = Mapping[str, float]
"""By namespace, the similarity above which two nodes are near."""


def keep_near(candidates: Sequence[Candidate], facts: FactsByNode, floors: Floors) -> None:
    """Leave of the neighbours of each candidate those that are near by their bodies. Of those whose whole texts are
    not, as many are tried as are compared.
    """
    tried = {candidate.node.id: _to_try(candidate, floors) for candidate in candidates}
    pairs = [(node_id, near.id) for node_id, some in tried.items() for near in some]
    facts.read({end for pair in pairs for end in pair})
    facts.bodies.make_vectors(pairs)
    for candidate in candidates:
        one, floor = candidate.node.id, floors[candidate.node.namespace]
        found = [
            near
            if near.similarity > floor and not facts.bodies.is_titled(one, near.id)
            else Neighbour(near.id, facts.bodies.similarity(one, near.id, near.similarity))
            for near in tried[one]
        ]
        candidate.near = []
        candidate.add([near for near in found if near.similarity > floor])


def contenders(
    graph: MeasuredGraph,
    facts: FactsByNode,
    candidates: Mapping[str, Candidate],
    *,
    kept: set[str],
    tagged: Collection[int],
) -> Iterator[Candidate]:
    """Nodes that are not weak, but whose copy has the title or the judgements: they may go in its place.

    facts: with the ranks of the candidates and of all that are near to them. kept: nodes that stay in any case.
    tagged: edges that may exclude others, so that a copy might not take them over.
    """
    behind: dict[str, list[Neighbour]] = {}
    for candidate in candidates.values():
        for near in candidate.near:
            if near.id in candidates or near.id in kept or facts.merits(near.id) >= facts.merits(candidate.node.id):
                continue
            behind.setdefault(near.id, []).append(Neighbour(candidate.node.id, near.similarity))
    free = _free(graph, sorted(behind), tagged)
    for node in free:
        ahead = [near for near in behind[node.id] if may_stand_for(candidates[near.id].node, node)]
        first = candidates[behind[node.id][0].id]
        found = Candidate(node, first.vector, 0.0, first.benefit, first.compared, is_strong=True)
        found.add(ahead)
        yield found


def _free(graph: MeasuredGraph, ids: Sequence[str], tagged: Collection[int]) -> list[WeakNode]:
    """Those of these nodes that no rule exempts, that stand for nobody, and of which the access sees all edges and
    another can take over all.
    """
    edges = list(graph.edges_of(ids))
    hidden = {end for edge in edges if not edge.free for end in (edge.source_id, edge.target_id)}
    hidden.update(edge.source_id for edge in edges if edge.seq in tagged)
    standing_in = graph.standing_in(ids)
    found = graph.judged_nodes(ids)
    return [node for node in found if node.rule is None and node.id not in hidden and node.id not in standing_in]


def _to_try(candidate: Candidate, floors: Floors) -> list[Neighbour]:
    floor = floors[candidate.node.namespace]
    above = [near for near in candidate.near if near.similarity > floor]
    return [*above, *candidate.near[len(above) : len(above) + candidate.compared]]
