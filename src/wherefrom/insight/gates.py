"""The two gates: AG says that a closer look is worth it, DG which edges are accepted.

AG fires when g0 > θ_AG and it does not rest; DG accepts an edge when its g ≤ θ_DG. The thresholds are fixed, or
quantiles of the last decisions in the namespace: θ_AG an upper one of g0, θ_DG a lower one of the least g of an edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from wherefrom.insight.settings import Gates
from wherefrom.lazy import np

_LONGEST_REST: Final = 64


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds in force for one decision. rests: True if AG may not fire now."""

    theta_ag: float
    theta_dg: float
    rests: bool = False


@dataclass(frozen=True, slots=True)
class GateState:
    """The memory of the gates of a namespace.

    attention: g0 of the last decisions; decision: the least g of an edge in each. resting: how many more decisions AG
    rests; rest: how many it rested the last time, 0 once it could have fired and did not.
    """

    attention: tuple[float, ...] = ()
    decision: tuple[float, ...] = ()
    resting: int = 0
    rest: int = 0


def thresholds(state: GateState, settings: Gates) -> Thresholds:
    """Return the thresholds in force; the fixed ones as long as too little was seen."""
    theta_ag, theta_dg = settings.theta_ag, settings.theta_dg
    if settings.mode == "running":
        if len(state.attention) >= settings.warm_up:
            theta_ag = float(np.quantile(state.attention, settings.ag_quantile))
        if len(state.decision) >= settings.warm_up:
            theta_dg = float(np.quantile(state.decision, settings.dg_quantile))
    return Thresholds(theta_ag, theta_dg, rests=state.resting > 0)


def observed(state: GateState, settings: Gates, *, g0: float, links: Sequence[float], fired: bool) -> GateState:
    """Return the state after a decision: with its values, and with AG resting if it fired."""
    if fired:
        rest = min(2 * state.rest if state.rest else settings.cool_down, max(_LONGEST_REST, settings.cool_down))
        resting = rest
    else:
        resting = max(state.resting - 1, 0)
        # A decision that AG could have fired in and did not: the next time it rests as long as at first.
        rest = state.rest if state.resting > 0 else 0
    return GateState(
        attention=(*state.attention, g0)[-settings.window :],
        decision=(*state.decision, min(links))[-settings.window :] if links else state.decision,
        resting=resting,
        rest=rest,
    )


def to_json(state: GateState) -> dict[str, Any]:
    """Return the state as it is stored, with values of six digits."""
    rounded = {name: [round(value, 6) for value in getattr(state, name)] for name in ("attention", "decision")}
    return {**asdict(state), **rounded}


def from_json(stored: Mapping[str, Any] | None) -> GateState:
    """Return the state that was stored; a new one if there is none."""
    known = stored or asdict(GateState())
    return GateState(tuple(known["attention"]), tuple(known["decision"]), known["resting"], known["rest"])
