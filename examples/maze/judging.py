"""One decision about the cell where the agent is: L1 looks, L3 judges, and when AG fires L1 looks further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conductor import first_look, further_look
from episode import Episode
from maze import Cell

from wherefrom.graph.paths import PairCache
from wherefrom.insight.decide import judged
from wherefrom.insight.gates import GateState
from wherefrom.insight.judge import Judgement, Weighed
from wherefrom.insight.settings import Candidates, Expansion, Gates, Gauge, InsightSettings

# γ = 1, one link at a time and thresholds of 0 to begin with, as in the maze runner of the origin; then the gates
# learn from the last 30 values.
LINKING: Final = InsightSettings(
    gauge=Gauge(temperature=1.0, path_weight=1.0, hops=3),
    candidates=Candidates(links=1),
    cand_expansion=Expansion(budget=16, cycles=1),
    gates=Gates(
        mode="running",
        theta_ag=0.0,
        theta_dg=0.0,
        ag_quantile=0.9,
        dg_quantile=0.1,
        window=30,
        warm_up=10,
        cool_down=3,
    ),
)


@dataclass(frozen=True, slots=True)
class Decided:
    """What L3 said in each cycle of one decision, and what the gates remember after it."""

    cycles: tuple[Judgement, ...]
    state: GateState

    @property
    def accepted(self) -> tuple[Weighed, ...]:
        return tuple(link for link in self.cycles[-1].links if link.accepted)


def decide(episode: Episode, cell: Cell, *, state: GateState, cache: PairCache) -> Decided:
    """The decision about the agent's cell. Nothing is committed."""
    cycles, after = judged(
        episode.scene(),
        first_look(episode, cell),
        state,
        lambda asked: further_look(episode, cell, asked=asked, hops=LINKING.gauge.hops),
        linking=LINKING,
        cache=cache,
    )
    return Decided(cycles, after)
