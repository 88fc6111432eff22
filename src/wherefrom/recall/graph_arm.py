"""The graph arm: from the best candidates, and from what the question names, along relations and mentions.

A walk starts at the best candidates (mass S^sharpness, half of it) and at the nodes that the question names (the
other half), and goes on over their edges; G is how likely it comes past a node. Candidates and reached nodes are
then ordered by the mix (S / max S + weight · G) / (1 + weight), but the best candidate stays first. S itself stays
what it is; `pipeline` hands out the scores anew in the order of the mix, so that they keep their scale (a threshold
means the same with and without this arm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wherefrom.graph.walk import passing
from wherefrom.lazy import np
from wherefrom.recall.fuse import Scored
from wherefrom.storage.candidates import WeightedEdge
from wherefrom.storage.mentions import TAG as MENTIONS


def masses(best: Sequence[Scored], named: Mapping[str, float], *, sharpness: float) -> dict[str, float]:
    """Return the share of the walks that start at each node: half at the best candidates, half at the nodes that the
    question names; all at the candidates if it names none.
    """
    total = sum(scored.score**sharpness for scored in best) or 1.0
    start = {scored.id: scored.score**sharpness / total for scored in best}
    whole = sum(named.values()) or 1.0
    for node_id, share in named.items():
        start[node_id] = start.get(node_id, 0.0) + share / whole
    return start


def walked(start: Mapping[str, float], edges: Sequence[WeightedEdge], *, damping: float) -> dict[str, float]:
    """Return how likely a walk over these edges comes past each node.

    A mention counts 1/√(the mentions of its target among these edges): what everyone mentions says little.
    """
    ids = list(dict.fromkeys([*start, *(end for edge in edges for end in (edge.source_id, edge.target_id))]))
    place = {node_id: at for at, node_id in enumerate(ids)}
    sources = np.array([place[edge.source_id] for edge in edges], dtype=np.int64)
    targets = np.array([place[edge.target_id] for edge in edges], dtype=np.int64)
    weights = np.array([edge.strength for edge in edges], dtype=np.float64)
    is_mention = np.array([edge.tag == MENTIONS for edge in edges], dtype=bool)
    if is_mention.any():
        often = np.bincount(targets[is_mention], minlength=len(ids))
        weights[is_mention] /= np.sqrt(often[targets[is_mention]])
    masses_of = np.array([start.get(node_id, 0.0) for node_id in ids])
    passed = passing(masses_of, sources, targets, weights, damping=damping)
    return {node_id: value for node_id, value in zip(ids, passed.tolist(), strict=True) if value > 0}


def mix(candidates: Sequence[Scored], reached: Mapping[str, float], *, weight: float) -> dict[str, float]:
    """Return (S / max S + weight · G) / (1 + weight) of each candidate, in [0, 1]; 1 for the best one."""
    best = max(candidates, key=lambda scored: scored.score)
    top = best.score or 1.0
    mixed = {
        scored.id: (scored.score / top + weight * reached.get(scored.id, 0.0)) / (1.0 + weight) for scored in candidates
    }
    return {**mixed, best.id: 1.0}
