"""The gauge g of each hop, which weighs three measures against each other, and ΔGED, the cost of an edit."""

from __future__ import annotations

from collections.abc import Sequence

from wherefrom.graph.local import LocalGraph, Numbers
from wherefrom.lazy import np
from wherefrom.model.insight import Hop


def edit_cost(before: LocalGraph, after: LocalGraph) -> float:
    """| |V2| − |V1| | + (|E1| − common) + (|E2| − common), common: edges in both. Range: [0, ∞).

    The cost of the edits as they were made, 1 for each node and each edge: places keep their meaning, so no matching is
    searched for and the result is an upper bound of the least edit distance. After Sanfeliu, Fu, "A distance measure
    between attributed relational graphs for pattern recognition", IEEE Transactions on Systems, Man, and Cybernetics
    13(3), 1983. Cost: edges·log(edges).
    """
    # One numbering for both: the places of the larger graph do not fit into that of the smaller.
    size = max(before.size, after.size)
    first, second = (graph.edges[:, 0] * size + graph.edges[:, 1] for graph in (before, after))
    common = len(np.intersect1d(first, second, assume_unique=True))
    return float(abs(after.size - before.size) + len(first) + len(second) - 2 * common)


def candidate_base(candidates: int) -> float:
    """1 + max(1, candidates): the cost of adopting a node with all its candidate links. Range: [2, ∞).

    The greatest cost that the candidates allow, the same at every hop: what `delta_ged` divides by.
    """
    return 1.0 + max(1, candidates)


def delta_ged(cost: float, base: float) -> float:
    """ΔGED = cost / base, clipped. Range: [0, 1], 1 being an edit as dear as adopting everything."""
    return min(max(cost / base, 0.0), 1.0)


def doubt(scores: Numbers) -> Numbers:
    """1 − score for each link, the score clipped to [0, 1]; NaN, no score given, costs 1. Range: [0, 1].

    The cost of adopting links of which somebody is so sure: a certain one is free, an unknown one costs an edge.
    """
    costs: Numbers = 1.0 - np.clip(np.nan_to_num(scores, nan=0.0), 0.0, 1.0)
    return costs


def hop(
    number: int, *, delta_ged: float, delta_h: float, delta_sp: float, temperature: float, path_weight: float
) -> Hop:
    """g = ΔGED − λ·ig, ig = ΔH + γ·ΔSP; smaller is better. λ: temperature, γ: path_weight. Range: any real.

    With ΔGED in [0, 1] and ΔSP in [0, 1], g ≤ 1 as long as ΔH ≥ 0. Hop 0 has no paths: delta_sp is ignored there
    and stored as 0. ΔH is after − before, so a neighbourhood that grows more even lowers g. The gauge of geDIG
    (InsightSpike-AI); compare two-part codes, Rissanen, "Modeling by shortest data description",
    Automatica 14, 1978.
    """
    shorter = delta_sp if number else 0.0
    ig = delta_h + path_weight * shorter
    g = delta_ged - temperature * ig
    return Hop(hop=number, delta_ged=delta_ged, delta_h=delta_h, delta_sp=shorter, ig=ig, g=g)


def least(hops: Sequence[Hop]) -> tuple[float, float, int]:
    """(g0, gmin, best_h): g of hop 0, the least g of all, and its hop; of equals the smaller hop. gmin ≤ g0.

    The hops begin with 0 and come in order.
    """
    best = min(hops, key=lambda hop: hop.g)
    return hops[0].g, best.g, best.hop
