"""One decision: L1 chooses, L3 judges, and when AG fires L1 answers with more, as often as is allowed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from recollect.graph.paths import PairCache
from recollect.insight.autocand import near_centers
from recollect.insight.conductor import Pair, Staged, expand
from recollect.insight.gates import GateState, observed, thresholds
from recollect.insight.reasoner import Judgement, Weighed, judge
from recollect.insight.words import reason
from recollect.model.insight import Decision, ExpansionRequest, InsightMetrics, LinkFigures, ProposedLink
from recollect.policy.linking import Linking

TAG = "related"


def decide(
    staged: Staged, state: GateState, *, linking: Linking, cache: PairCache | None = None
) -> tuple[Decision, GateState]:
    """The decision about a stage, and the state of the gates after it."""
    limits = thresholds(state, linking.gates)
    cycles: list[InsightMetrics] = []
    judgement = judge(staged.scene, staged.context, linking=linking, thresholds=limits, cache=cache)
    cycles.append(judgement.metrics)
    while judgement.request is not None and len(cycles) <= linking.cand_expansion.cycles:
        larger, automatic = _expanded(staged, judgement.request, linking)
        if larger is None:
            break
        staged = larger
        judgement = judge(staged.scene, staged.context, linking=linking, thresholds=limits, further=True, cache=cache)
        cycles.append(replace(judgement.metrics, autocand_used=automatic))
    after = observed(
        state,
        linking.gates,
        g0=cycles[0].g0,
        links=[link.g for link in judgement.links],
        fired=any(metrics.ag for metrics in cycles),
    )
    return _decision(staged, judgement, tuple(cycles)), after


def _expanded(staged: Staged, request: ExpansionRequest, linking: Linking) -> tuple[Staged | None, bool]:
    """The stage with more candidates, from L1 or, where that is allowed and asked for, from L3; None if none."""
    mode = linking.cand_expansion.mode if linking.candidates.allow_autocand else "l1"
    if mode != "l3":
        larger = expand(staged, request)
        if larger.context.candidate_edges != staged.context.candidate_edges:
            return larger, False
    if mode == "l1":
        return None, False
    more = near_centers(staged.scene, staged.context, hop=linking.cand_expansion.near_centers_hop, limit=request.budget)
    if not more:
        return None, False
    edges = (*(staged.context.candidate_edges or ()), *more)
    return replace(staged, context=replace(staged.context, candidate_edges=edges)), True


def _decision(staged: Staged, judgement: Judgement, cycles: tuple[InsightMetrics, ...]) -> Decision:
    full = sum(link.accepted for link in judgement.links)
    steps = _steps(staged)
    links = []
    for link in judgement.links:
        ends = (link.edge.source, link.edge.target)
        figures = _figures(link, staged.pairs.get(ends), steps.get(ends))
        links.append(
            ProposedLink(
                source_id=staged.ids[ends[0]],
                target_id=staged.ids[ends[1]],
                tag=TAG,
                weight=round(figures.score, 4),
                accepted=link.accepted,
                reason=reason(figures, accepted=link.accepted, theta_dg=cycles[-1].theta_dg, others=full),
                figures=figures,
            )
        )
    around = tuple((staged.ids[u], staged.ids[v]) for u, v in staged.scene.graph.edges.tolist())
    centers = tuple(staged.ids[center] for center in staged.context.centers)
    return Decision(centers, tuple(links), cycles, around)


def _figures(link: Weighed, pair: Pair | None, distance: int | None) -> LinkFigures:
    score = link.edge.score
    return LinkFigures(
        score=1.0 if score is None else score,
        g=link.g,
        hop=link.hop,
        delta_ged=link.delta_ged,
        delta_h=link.delta_h,
        delta_sp=link.delta_sp,
        similarity=None if pair is None else pair.similarity,
        words=None if pair is None else pair.words,
        shared=0.0 if pair is None else pair.shared,
        common_neighbours=0 if pair is None else pair.common_neighbours,
        distance=distance,
    )


def _steps(staged: Staged) -> dict[tuple[int, int], int]:
    """How many steps the ends of each candidate are apart, as far as the scene shows."""
    graph = staged.scene.graph
    known: dict[tuple[int, int], int] = {}
    for center in staged.context.centers:
        reached = np.zeros(graph.size, dtype=bool)
        reached[center] = True
        for distance in range(1, graph.size):
            wider = graph.within(reached, 1)
            fresh = np.flatnonzero(wider & ~reached).tolist()
            if not fresh:
                break
            known |= {(center, place): distance for place in fresh}
            reached = wider
    return known
