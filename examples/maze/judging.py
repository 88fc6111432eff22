"""One decision about the cell where the agent is: L1 looks, L3 judges, and when AG fires L1 looks further."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from conductor import first_look, further_look
from episode import Episode
from maze import Cell

from recollect.graph.paths import PairCache
from recollect.insight.gates import GateState, observed, thresholds
from recollect.insight.reasoner import Judgement, Weighed, judge
from recollect.policy.linking import Candidates, Expansion, Gates, Gauge, Linking

# γ = 1, one link at a time and thresholds of 0 to begin with, as in the maze runner of the origin; then the gates
# learn from the last 30 values.
LINKING: Final = Linking(
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
    """The decision about the agent's cell. Nothing is committed.

    Where L1 has no candidate there is nothing to look at further and nothing to accept: AG rests, and the gates
    learn nothing from it, for g0 is then taken over the whole graph.
    """
    scene, limits = episode.scene(), thresholds(state, LINKING.gates)
    context = first_look(episode, cell)
    if not context.candidate_edges:
        limits = replace(limits, rests=True)
        return Decided((judge(scene, context, linking=LINKING, thresholds=limits, cache=cache),), state)
    cycles = [judge(scene, context, linking=LINKING, thresholds=limits, cache=cache)]
    while (asked := cycles[-1].request) is not None and len(cycles) <= LINKING.cand_expansion.cycles:
        larger = further_look(episode, cell, asked=asked, hops=LINKING.gauge.hops)
        if larger is None:
            break
        cycles.append(judge(scene, larger, linking=LINKING, thresholds=limits, further=True, cache=cache))
    after = observed(
        state,
        LINKING.gates,
        g0=cycles[0].metrics.g0,
        links=[link.g for link in cycles[-1].links],
        fired=any(cycle.metrics.ag for cycle in cycles),
    )
    return Decided(tuple(cycles), after)
