"""The settings of insight: what the section `insight` of a policy may set.

What is measured, and with which sign, has no setting.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Self

from wherefrom.model.insight import ExpansionMode, GateMode, PathKnobs
from wherefrom.model.param import Param
from wherefrom.policy.settings import Contradiction, Settings


@dataclass(frozen=True, slots=True)
class Gauge:
    """g = ΔGED − temperature · (ΔH + path_weight · ΔSP)."""

    temperature: Annotated[float, Param("λ", 0, 10)] = 0.1
    path_weight: Annotated[float, Param("γ", 0, 10)] = 0.02
    hops: Annotated[int, Param("How far around the relations g is taken.", 0, 4)] = 2


@dataclass(frozen=True, slots=True)
class Candidates:
    """The choice of candidates by L1."""

    top_k: Annotated[int, Param("How many candidates at most, of as many found by words and by meaning.", 1, 100)] = 32
    theta_cand: Annotated[float, Param("The least score of a candidate.", 0, 1, at_most="theta_link")] = 0.3
    theta_link: Annotated[float, Param("The least score of a candidate that is proposed.", 0, 1)] = 0.55
    level: Annotated[
        float, Param("The relevance that stands out where the ten best texts are as relevant on average.", 0.01, 1)
    ] = 0.1
    support: Annotated[float, Param("How much shared neighbours count in the score.", 0, 2)] = 0.35
    names: Annotated[float, Param("How much rare names that both texts have count in the score.", 0, 2)] = 0.18
    terms: Annotated[float, Param("How much other rare terms that both texts have count in the score.", 0, 2)] = 0.03
    time: Annotated[float, Param("The share of its relevance that a text of another time loses.", 0, 1)] = 0.5
    time_half_life_days: Annotated[
        float, Param("After how many days between two texts their time counts half.", 0.01, 3_650)
    ] = 14.0
    subject: Annotated[
        float, Param("From which rarity of the names that both texts have on a relation is `same_subject`.", 0, 2)
    ] = 0.33
    links: Annotated[int, Param("How many relations one decision accepts at most.", 1, 50)] = 5
    allow_autocand: Annotated[bool, Param("True: L3 may make candidates itself.")] = False


@dataclass(frozen=True, slots=True)
class Expansion:
    """The search for more candidates after AG fired."""

    mode: Annotated[
        ExpansionMode, Param("Who finds more candidates; `l3` and `hybrid` need candidates.allow_autocand.")
    ] = "l1"
    budget: Annotated[int, Param("How many more candidates at most.", 0, 64)] = 16
    cycles: Annotated[int, Param("How often more are looked for at most.", 0, 5)] = 1
    near_centers_hop: Annotated[int, Param("How far L3 may look by itself.", 1, 3)] = 1


@dataclass(frozen=True, slots=True)
class Again:
    """Judging those again that were judged when the namespace was smaller, and have no relation yet."""

    growth: Annotated[
        float, Param("By which share a namespace has to grow before its unlinked memos are judged again.", 0.05, 10)
    ] = 0.5
    limit: Annotated[int, Param("How many of them one call judges at most; 0: none.", 0, 200)] = 20


@dataclass(frozen=True, slots=True)
class Gates:
    """AG fires (look further) when g0 > theta_ag; DG accepts a relation when its g ≤ theta_dg.

    In mode `running` the two are quantiles of g0 and of the least g of a relation in the last decisions of the
    namespace: then about the share that ag_quantile leaves is looked at further, and in about the share dg_quantile
    of the decisions a relation is accepted.
    """

    mode: Annotated[
        GateMode, Param("`fixed` takes theta_ag and theta_dg as they are; `running` takes the quantiles.")
    ] = "fixed"
    theta_ag: Annotated[float, Param("The g0 above which AG fires.", -10, 10)] = 0.26
    theta_dg: Annotated[float, Param("The g up to which DG accepts.", -10, 10)] = 0.3
    ag_quantile: Annotated[float, Param("The quantile of g0.", 0, 1, is_low_open=True, is_high_open=True)] = 0.9
    dg_quantile: Annotated[float, Param("The quantile of the least g.", 0, 1, is_low_open=True, is_high_open=True)] = (
        0.1
    )
    window: Annotated[int, Param("How many decisions the quantiles are taken of.", 8, 4_096)] = 256
    warm_up: Annotated[int, Param("After how many decisions the quantiles hold.", 1, 1_024, at_most="window")] = 30
    cool_down: Annotated[
        int,
        Param(
            "How many decisions AG rests after it fired, twice as long each time that it fires again at once.", 0, 100
        ),
    ] = 3


@dataclass(frozen=True, slots=True)
class InsightSettings(Settings):
    """The settings of insight: how it looks for relations, and which of them it accepts."""

    SECTION: ClassVar[str] = "insight"

    gauge: Gauge = Gauge()
    candidates: Candidates = Candidates()
    cand_expansion: Expansion = Expansion()
    again: Again = Again()
    gates: Gates = Gates()
    paths: PathKnobs = field(default_factory=PathKnobs)

    def contradiction(self) -> Contradiction | None:
        """L3 makes no candidates that it may not make."""
        mode = self.cand_expansion.mode
        if mode == "l1" or self.candidates.allow_autocand:
            return None
        return Contradiction(
            "insight.cand_expansion.mode",
            f"insight.cand_expansion.mode {mode} needs insight.candidates.allow_autocand",
            "allow_autocand: true in the same policy, or mode: l1",
        )

    def reconciled(self) -> Self:
        """L3 makes no candidates that it may not make, what is proposed is a candidate first, and a full window has
        warmed up.
        """
        candidates, expansion, gates = self.candidates, self.cand_expansion, self.gates
        return replace(
            self,
            candidates=replace(candidates, theta_link=max(candidates.theta_link, candidates.theta_cand)),
            cand_expansion=expansion if candidates.allow_autocand else replace(expansion, mode="l1"),
            gates=replace(gates, warm_up=min(gates.warm_up, gates.window)),
        )
