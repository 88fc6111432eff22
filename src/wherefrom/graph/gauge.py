"""The gauge g of each hop, from the three measures that it weighs against each other."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan

from wherefrom.model.insight import Hop


def hop(
    number: int, *, delta_ged: float, delta_h: float, delta_sp: float, temperature: float, path_weight: float
) -> Hop:
    """g = ΔGED − λ·ig, ig = ΔH + γ·ΔSP; smaller is better. λ: temperature, γ: path_weight. Range: any real.

    With ΔGED in [0, 1] and ΔSP in [0, 1], g ≤ 1 as long as ΔH ≥ 0. Hop 0 has no paths: delta_sp is ignored there
    and stored as 0. ΔH is after − before, so a neighbourhood that grows more even lowers g. The gauge of geDIG
    (InsightSpike-AI); compare two-part codes, Rissanen, "Modeling by shortest data description",
    Automatica 14, 1978.
    """
    if number < 0:
        raise ValueError(f"there is no hop {number}")
    shorter = delta_sp if number else 0.0
    measures = {"delta_ged": delta_ged, "delta_h": delta_h, "delta_sp": shorter}
    for name, value in (*measures.items(), ("temperature", temperature), ("path_weight", path_weight)):
        if not isfinite(value):
            raise ValueError(f"{name} must be a finite number, not {value}")
    if temperature < 0 or path_weight < 0:
        # A negative weight would turn the sign of a measure, which no parameter may.
        raise ValueError(f"temperature and path_weight must not be negative, not {temperature} and {path_weight}")
    ig = delta_h + path_weight * shorter
    g = delta_ged - temperature * ig
    if not isfinite(g):
        raise ValueError("the gauge is too large for a number")
    return Hop(hop=number, delta_ged=delta_ged, delta_h=delta_h, delta_sp=shorter, ig=ig, g=g)


def least(hops: Sequence[Hop]) -> tuple[float, float, int]:
    """(g0, gmin, best_h): g of hop 0, the least g of all, and its hop; of equals the smaller hop. gmin ≤ g0.

    In any order; hop 0 must be there, once.
    """
    direct = [hop.g for hop in hops if hop.hop == 0]
    if len(direct) != 1:
        raise ValueError(f"hop 0 must be given once, not {len(direct)} times")
    if any(isnan(hop.g) for hop in hops):
        raise ValueError("the gauge of a hop is not a number")
    best = min(hops, key=lambda hop: (hop.g, hop.hop))
    return direct[0], best.g, best.hop
