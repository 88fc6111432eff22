"""The measures of graphs once more, as their definitions say them: what the faster ones are tested against."""

from __future__ import annotations

from math import log

import numpy as np

from wherefrom.graph import paths
from wherefrom.graph.entropy import shared
from wherefrom.graph.local import FAR, arcs_of, distances


def fixed_pairs(graph, nodes, *, centers, knobs):
    return paths.fixed_pairs(graph, arcs_of(graph), nodes=nodes, centers=centers, knobs=knobs)


def mean_length(graph, *, pairs=None):
    """The mean number of steps between the ends of these pairs, or of all pairs of nodes, as far as they are connected;
    0 if there are none.
    """
    everyone = np.arange(graph.size)
    steps = distances(arcs_of(graph), everyone, columns=everyone)
    asked = steps[np.triu_indices(graph.size, 1)] if pairs is None else steps[pairs[:, 0], pairs[:, 1]]
    known = asked[asked < FAR]
    return float(known.mean(dtype=np.float64)) if len(known) else 0.0


def relative(before, after):
    """ΔSP = (before − after) / before, 0 if before is 0. Range: [0, 1], for more edges never lengthen a way."""
    return min(1.0, max(0.0, (before - after) / before)) if before else 0.0


def neighbourhood_entropies(graph, features, *, weights=None):
    """H_v = −Σ p_ab·ln p_ab, p = s / Σs over `shared` of v and its neighbours; features: one row for each node."""
    near = [{node} for node in range(graph.size)]
    for u, v in graph.edges.tolist():
        near[u].add(v)
        near[v].add(u)
    return np.array(
        [_entropy(shared(features[sorted(around)], weights=weights)) if len(around) > 1 else 0.0 for around in near]
    )


def _entropy(masses):
    shares = (masses / masses.sum()).ravel().tolist()
    return max(0.0, -sum(share * log(share) for share in shares if share > 0))
