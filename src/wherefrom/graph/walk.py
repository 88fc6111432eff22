"""The chance that a walk from some nodes passes each other node: personalised PageRank without returns."""

from __future__ import annotations

from typing import Final

from wherefrom.graph.local import Numbers, Places
from wherefrom.lazy import np

_STEPS: Final = 20


def passing(
    start: Numbers, sources: Places, targets: Places, weights: Numbers, *, damping: float, steps: int = _STEPS
) -> Numbers:
    """x = s + Cᵀx by iteration, then G_j = x_j·(1 − Σ_i c_ji·c_ij), scaled so that the greatest is 1. Range: [0, 1].

    start (s): where a walk begins, one mass for each node, scaled to sum 1. An edge is taken in either direction with
    the chance c_ij = d·w_ij / max(1, Σ_k w_ik): where the weights of a node's edges sum to less than 1 the walk ends
    there with the rest, so nobody is forced over weak edges. Coming back over the same edge does not count: a node
    among many edges is worth no more than one without any, and without edges the result is the start.
    After Haveliwala, "Topic-sensitive PageRank", WWW 2002. Cost: steps × edges.
    """
    total = start.sum()
    if total <= 0:
        return np.zeros(len(start))
    begin = start / total
    leave, enter = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    weight = np.concatenate([weights, weights])
    strength = np.bincount(leave, weights=weight, minlength=len(begin))
    chance = damping * weight / np.maximum(strength, 1.0)[leave]
    passed = begin
    for _ in range(steps if len(leave) else 0):
        passed = begin + np.bincount(enter, weights=passed[leave] * chance, minlength=len(begin))
    back = np.concatenate([chance[len(sources) :], chance[: len(sources)]])
    once = passed * (1.0 - np.bincount(leave, weights=chance * back, minlength=len(begin)))
    scaled: Numbers = np.clip(once / once.max(), 0.0, 1.0)
    return scaled
