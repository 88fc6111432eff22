"""One decision: L1 chooses, L3 judges, and when AG fires L1 answers with more, as often as is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from wherefrom.graph.local import FAR, arcs_of, distances
from wherefrom.graph.paths import PairCache
from wherefrom.insight.gates import GateState, observed, thresholds
from wherefrom.insight.judge import Context, Judgement, Scene, Weighed, judge, near_centers
from wherefrom.insight.propose import Pair, Staged
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import np
from wherefrom.model.insight import Decision, EdgeFigures, ExpansionRequest, InsightMetrics, ProposedEdge

TAG: Final = "related"
# A smaller share of words would be told as 0 %.
_LEAST_TOLD_SHARE: Final = 0.005


def decide(
    staged: Staged,
    state: GateState,
    search_again: Callable[[Staged, ExpansionRequest], Staged | None],
    *,
    linking: InsightSettings,
    cache: PairCache | None = None,
) -> tuple[Decision, GateState]:
    """Return the decision about a stage, and the state of the gates after it. search_again: L1's answer to L3."""

    def more(request: ExpansionRequest) -> Context | None:
        nonlocal staged
        larger = search_again(staged, request)
        staged = larger or staged
        return None if larger is None else replace(larger.context, scene=larger.scene)

    judgements, after = judged(staged.scene, staged.context, state, more, linking=linking, cache=cache)
    return _decision(staged, judgements[-1], tuple(judgement.metrics for judgement in judgements)), after


def judged(
    scene: Scene,
    context: Context,
    state: GateState,
    more: Callable[[ExpansionRequest], Context | None],
    *,
    linking: InsightSettings,
    cache: PairCache | None = None,
) -> tuple[tuple[Judgement, ...], GateState]:
    """Return the cycles of one decision, the last of which counts, and the state of the gates after it.

    more: L1's answer to a request, the context with more candidates, or None if it has no more. Where the mode is l3,
    or hybrid and L1 has none, L3 looks around by itself, if that is allowed.
    """
    limits, expansion = thresholds(state, linking.gates), linking.cand_expansion
    cycles = [judge(scene, context, linking=linking, thresholds=limits, cache=cache)]
    first = cycles[0].metrics
    while (request := cycles[-1].request) is not None and len(cycles) <= expansion.cycles:
        mode = expansion.mode if linking.candidates.allow_autocand else "l1"
        larger = more(request) if mode != "l3" else None
        automatic = larger is None and mode != "l1"
        if automatic:
            near = near_centers(scene, context, hop=expansion.near_centers_hop, limit=request.budget)
            larger = replace(context, candidate_edges=(*(context.candidate_edges or ()), *near)) if near else None
        if larger is None:
            break
        context, scene = larger, larger.scene or scene
        cycle = judge(scene, context, linking=linking, thresholds=limits, further=True, cache=cache)
        used = automatic or first.autocand_used
        metrics = replace(cycle.metrics, autocand_used=used, input_contract_ok=first.input_contract_ok)
        cycles.append(replace(cycle, metrics=metrics))
    if first.input_contract_ok:  # without candidates nothing was weighed: the gates learn nothing from it
        values = [link.g for link in cycles[-1].links]
        fired = any(cycle.metrics.ag for cycle in cycles)
        state = observed(state, linking.gates, g0=first.g0, links=values, fired=fired)
    return tuple(cycles), state


def _decision(staged: Staged, judgement: Judgement, cycles: tuple[InsightMetrics, ...]) -> Decision:
    accepted = sum(weighed.accepted for weighed in judgement.links)
    steps = _steps(staged)
    edges = []
    for weighed in judgement.links:
        ends = (weighed.edge.source, weighed.edge.target)
        figures = _figures(weighed, staged.pairs.get(ends), steps.get(ends))
        edges.append(
            ProposedEdge(
                source_id=staged.ids[ends[0]],
                target_id=staged.ids[ends[1]],
                tag=TAG,
                weight=round(figures.score, 4),
                accepted=weighed.accepted,
                reason=reason(figures, accepted=weighed.accepted, theta_dg=cycles[-1].theta_dg, others=accepted),
                figures=figures,
            )
        )
    around = tuple((staged.ids[u], staged.ids[v]) for u, v in staged.scene.graph.edges.tolist())
    centers = tuple(staged.ids[center] for center in staged.context.centers)
    return Decision(centers, tuple(edges), cycles, around)


def _figures(weighed: Weighed, pair: Pair | None, distance: int | None) -> EdgeFigures:
    measured = {name: getattr(weighed, name) for name in ("g", "hop", "delta_ged", "delta_h", "delta_sp")}
    known = {} if pair is None else pair._asdict()
    score = 1.0 if weighed.edge.score is None else weighed.edge.score
    return EdgeFigures(**{**known, **measured, "score": score, "distance": distance})


def _steps(staged: Staged) -> dict[tuple[int, int], int]:
    """Return the number of steps from each center to each node, as far as the scene shows a way."""
    centers, nodes = staged.context.centers, np.arange(staged.scene.graph.size)
    found = distances(arcs_of(staged.scene.graph), np.array(centers, dtype=np.int64), columns=nodes)
    return {
        (centers[row], node): int(found[row, node]) for row, node in np.argwhere((found > 0) & (found < FAR)).tolist()
    }


def reason(figures: EdgeFigures, *, accepted: bool, theta_dg: float, others: int) -> str:
    """Return why an edge was accepted or not, in one sentence: what speaks for it, how far apart its ends were, how the
    gate decided; without a word of the texts, which the edge may outlive.
    """
    for_it = []
    if figures.similarity is not None:
        for_it.append(f"{_closeness(figures.similarity)} in meaning ({figures.similarity:.2f})")
    if figures.words is not None and figures.words >= _LEAST_TOLD_SHARE:
        for_it.append(f"{figures.words:.0%} of its words")
    if figures.common_neighbours:
        plural = "" if figures.common_neighbours == 1 else "s"
        for_it.append(f"{figures.common_neighbours} neighbour{plural} in common")
    elif figures.shared > 0:
        for_it.append("linked to what else fits")
    if figures.distance is not None and figures.distance > 1:
        for_it.append(f"until now {figures.distance} steps apart")
    said = ", ".join(for_it) or "nothing but its place"
    if accepted:
        return f"{said}; worth its cost (g {figures.g:.2f} ≤ {theta_dg:.2f})"
    if figures.g <= theta_dg:
        return f"{said}; {others} better links were enough (g {figures.g:.2f})"
    return f"{said}; not worth its cost (g {figures.g:.2f} > {theta_dg:.2f})"


def _closeness(similarity: float) -> str:
    if similarity >= 0.6:
        return "close"
    return "near" if similarity >= 0.35 else "far"
