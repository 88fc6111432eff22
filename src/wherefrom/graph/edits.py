"""The cost of changing a graph: the ΔGED of the gauge."""

from __future__ import annotations

from math import isfinite

from wherefrom.graph.local import LocalGraph, Numbers
from wherefrom.lazy import np


def edit_cost(before: LocalGraph, after: LocalGraph, *, node_cost: float = 1.0, edge_cost: float = 1.0) -> float:
    """c_node·| |V2| − |V1| | + c_edge·((|E1| − common) + (|E2| − common)), common: edges in both. Range: [0, ∞).

    The cost of the edits as they were made: places keep their meaning, so no matching is searched for and the
    result is an upper bound of the least edit distance. After Sanfeliu, Fu, "A distance measure between attributed
    relational graphs for pattern recognition", IEEE Transactions on Systems, Man, and Cybernetics 13(3), 1983.
    Cost: edges·log(edges).
    """
    _check_costs(node_cost, edge_cost)
    # One numbering for both: the places of the larger graph do not fit into that of the smaller.
    size = max(before.size, after.size)
    first, second = (graph.edges[:, 0] * size + graph.edges[:, 1] for graph in (before, after))
    common = len(np.intersect1d(first, second, assume_unique=True))
    return node_cost * abs(after.size - before.size) + edge_cost * (len(first) + len(second) - 2 * common)


def candidate_base(candidates: int, *, node_cost: float = 1.0, edge_cost: float = 1.0) -> float:
    """c_node + c_edge·max(1, candidates): adopting a node with all its candidate links. Range: [0, ∞).

    The greatest cost that the candidates allow, the same at every hop: what `delta_ged` divides by.
    """
    _check_costs(node_cost, edge_cost)
    if candidates < 0:
        raise ValueError(f"there cannot be {candidates} candidates")
    return node_cost + edge_cost * max(1, candidates)


def delta_ged(cost: float, base: float) -> float:
    """ΔGED = cost / base, clipped. Range: [0, 1], 1 being an edit as dear as adopting everything."""
    if not isfinite(cost):
        raise ValueError(f"the cost of an edit must be a finite number, not {cost}")
    if not isfinite(base) or base <= 0:
        raise ValueError(f"what a cost is divided by must be finite and more than 0, not {base}")
    return min(max(cost / base, 0.0), 1.0)


def doubt(scores: Numbers) -> Numbers:
    """1 − score for each link, the score clipped to [0, 1]; NaN, no score given, costs 1. Range: [0, 1].

    What it costs to adopt links of which somebody is so sure: a certain one is free, an unknown one costs an edge.
    """
    given = np.asarray(scores, dtype=np.float64)
    if np.isinf(given).any():
        raise ValueError("a score must be a finite number, or NaN where none was given")
    costs: Numbers = 1.0 - np.clip(np.nan_to_num(given, nan=0.0), 0.0, 1.0)
    return costs


def _check_costs(node_cost: float, edge_cost: float) -> None:
    for name, cost in (("node", node_cost), ("edge", edge_cost)):
        if not isfinite(cost) or cost < 0:
            raise ValueError(f"the cost of one {name} must be finite and not negative, not {cost}")
