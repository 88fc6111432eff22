"""The parameters of insight, each with its default: what the `insight` part of a policy may set.

What is measured, and with which sign, has no parameter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from wherefrom.model.insight import ExpansionMode, GateMode, PathKnobs


@dataclass(frozen=True, slots=True)
class Gauge:
    """g = ΔGED − temperature · (ΔH + path_weight · ΔSP): λ and γ. hops: how far around the links g is taken."""

    temperature: float = 0.1
    path_weight: float = 0.02
    hops: int = 2


@dataclass(frozen=True, slots=True)
class Candidates:
    """How L1 chooses. top_k: how many candidates at most, of as many found by words and by meaning. A candidate
    has at least the score theta_cand; it is proposed from theta_link on. support: how much shared neighbours count
    in the score. links: how many links one decision accepts at most. allow_autocand: L3 may make candidates itself.
    """

    top_k: int = 32
    theta_cand: float = 0.3
    theta_link: float = 0.55
    support: float = 0.4
    links: int = 5
    allow_autocand: bool = False


@dataclass(frozen=True, slots=True)
class Expansion:
    """What happens when AG fires. mode: who finds more candidates; l3 and hybrid need candidates.allow_autocand.
    budget: how many more at most; cycles: how often at most; near_centers_hop: how far L3 may look by itself.
    """

    mode: ExpansionMode = "l1"
    budget: int = 16
    cycles: int = 1
    near_centers_hop: int = 1


@dataclass(frozen=True, slots=True)
class Gates:
    """AG fires (look further) when g0 > theta_ag; DG accepts a link when its g ≤ theta_dg.

    mode `fixed` takes the two as they are; `running` takes quantiles of g0 and of the least g of a link in the last
    `window` decisions of the namespace, once there were `warm_up` of them: then about the share that ag_quantile
    leaves is looked at further, and in about the share dg_quantile of the decisions a link is accepted. After AG
    fired it rests for `cool_down` decisions, twice as long each time that it fires again at once.
    """

    mode: GateMode = "fixed"
    theta_ag: float = 0.1
    theta_dg: float = 0.3
    ag_quantile: float = 0.9
    dg_quantile: float = 0.1
    window: int = 256
    warm_up: int = 30
    cool_down: int = 3


@dataclass(frozen=True, slots=True)
class Linking:
    """All of them."""

    gauge: Gauge = field(default_factory=Gauge)
    candidates: Candidates = field(default_factory=Candidates)
    cand_expansion: Expansion = field(default_factory=Expansion)
    gates: Gates = field(default_factory=Gates)
    paths: PathKnobs = field(default_factory=PathKnobs)
