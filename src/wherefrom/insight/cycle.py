"""One decision: L1 chooses, L3 judges, and when AG fires L1 answers with more, as often as is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from wherefrom.graph.paths import PairCache
from wherefrom.insight.autocand import near_centers
from wherefrom.insight.conductor import Pair, Staged, expand
from wherefrom.insight.context import Context, Scene
from wherefrom.insight.gates import GateState, observed, thresholds
from wherefrom.insight.reasoner import Judgement, Weighed, judge
from wherefrom.insight.words import reason
from wherefrom.model.insight import Decision, ExpansionRequest, InsightMetrics, LinkFigures, ProposedLink
from wherefrom.policy.linking import Linking

TAG: Final = "related"


def decide(
    staged: Staged, state: GateState, *, linking: Linking, cache: PairCache | None = None
) -> tuple[Decision, GateState]:
    """The decision about a stage, and the state of the gates after it."""

    def answer(request: ExpansionRequest) -> Context | None:
        nonlocal staged
        larger = expand(staged, request)
        if larger.context.candidate_edges == staged.context.candidate_edges:
            return None
        staged = larger
        return larger.context

    judgements, after = judged(staged.scene, staged.context, state, answer, linking=linking, cache=cache)
    return _decision(staged, judgements[-1], tuple(each.metrics for each in judgements)), after


def judged(
    scene: Scene,
    context: Context,
    state: GateState,
    expanded: Callable[[ExpansionRequest], Context | None],
    *,
    linking: Linking,
    cache: PairCache | None = None,
) -> tuple[tuple[Judgement, ...], GateState]:
    """The cycles of one decision, the last of which counts, and the state of the gates after it.

    expanded: L1's answer to a request, the context with more candidates, or None if it has no more. Where the mode
    is l3, or hybrid and L1 has none, L3 looks around by itself, if that is allowed.
    """
    limits = thresholds(state, linking.gates)
    cycles = [judge(scene, context, linking=linking, thresholds=limits, cache=cache)]
    while (request := cycles[-1].request) is not None and len(cycles) <= linking.cand_expansion.cycles:
        mode = linking.cand_expansion.mode if linking.candidates.allow_autocand else "l1"
        larger = expanded(request) if mode != "l3" else None
        automatic = larger is None and mode != "l1"
        if automatic:
            larger = _by_itself(scene, context, request, linking)
        if larger is None:
            break
        context = larger
        cycle = judge(scene, context, linking=linking, thresholds=limits, further=True, cache=cache)
        first = cycles[0].metrics
        metrics = replace(
            cycle.metrics,
            autocand_used=automatic or first.autocand_used,
            input_contract_ok=first.input_contract_ok,
        )
        cycles.append(replace(cycle, metrics=metrics))
    if not cycles[0].metrics.input_contract_ok:
        return tuple(cycles), state  # without candidates nothing was weighed: the gates learn nothing from it
    after = observed(
        state,
        linking.gates,
        g0=cycles[0].metrics.g0,
        links=[link.g for link in cycles[-1].links],
        fired=any(cycle.metrics.ag for cycle in cycles),
    )
    return tuple(cycles), after


def _by_itself(scene: Scene, context: Context, request: ExpansionRequest, linking: Linking) -> Context | None:
    more = near_centers(scene, context, hop=linking.cand_expansion.near_centers_hop, limit=request.budget)
    return replace(context, candidate_edges=(*(context.candidate_edges or ()), *more)) if more else None


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
