"""The graph arm: from the best candidates, and from what the question names, along relations and mentions.

A walk starts at the best candidates (mass S^sharpness, half of it) and at the nodes that the question names (the
other half), and goes on over their edges; G is how likely it comes past a node, relative to the likeliest. `pipeline`
orders candidates and reached nodes by score + weight · G·g.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count

from wherefrom.graph.local import Places
from wherefrom.graph.walk import Groups, passing
from wherefrom.lazy import np
from wherefrom.recall.fuse import Scored
from wherefrom.storage.candidates import SHARED_NAME, WeightedEdge
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


def walked(
    start: Mapping[str, float], near: Sequence[WeightedEdge], *, damping: float, names: float = 0.0
) -> dict[str, tuple[float, float]]:
    """Return how likely a walk over these edges comes past each node, and how likely one that starts elsewhere does.

    A mention counts 1/√(the mentions of its target among these edges): what everyone mentions says little. Texts with
    the same rare name are a group; `names` is the part of the walks that leaves a text by such names, if it has edges.
    """
    edges = [edge for edge in near if edge.tag != SHARED_NAME]
    shares = [edge for edge in near if edge.tag == SHARED_NAME]
    starts, ends, tags, strengths = zip(*edges, strict=True) if edges else [()] * 4
    members, shared, *_ = zip(*shares, strict=True) if shares else [()] * 4
    ids = list(dict.fromkeys([*start, *chain.from_iterable(zip(starts, ends, strict=True)), *members]))
    place, number = dict(zip(ids, count())), dict(zip(dict.fromkeys(shared), count()))
    groups = Groups(_places(place, members), _places(number, shared), names)
    sources, targets = _places(place, starts), _places(place, ends)
    weights = np.array(strengths, dtype=np.float64)
    is_mention = np.array([tag == MENTIONS for tag in tags], dtype=bool)
    if is_mention.any():
        often = np.bincount(targets[is_mention], minlength=len(ids))
        weights[is_mention] /= np.sqrt(often[targets[is_mention]])
    masses_of = np.array([start.get(node_id, 0.0) for node_id in ids])
    passed, gained = passing(masses_of, sources, targets, weights, damping=damping, groups=groups)
    rows = zip(ids, passed.tolist(), gained.tolist(), strict=True)
    return {node_id: (value, more) for node_id, value, more in rows if value > 0}


def _places(numbers: Mapping[str, int], of: Sequence[str]) -> Places:
    return np.array([numbers[one] for one in of], dtype=np.int64)
