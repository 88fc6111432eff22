"""L3: judges the candidates that L1 chose, and makes none of its own unless it is allowed to.

For all proposed links together, at each hop h: g(h) = ΔGED − λ·(ΔH + γ·ΔSP), over what is within h steps of the
centers and of the candidates' ends; hop 0 has no ΔSP. A new link costs 1 − its score, so a link that L1 is sure of is
cheap. The further hops are looked at when AG fires (g0 > θ_AG). DG then accepts links one by one: each time the one
with the least g given those accepted before, as long as that is at most θ_DG.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from wherefrom.graph.edits import candidate_base, delta_ged, doubt, edit_cost
from wherefrom.graph.entropy import Entropies, entropy_change
from wherefrom.graph.gauge import hop as gauge_of
from wherefrom.graph.gauge import least
from wherefrom.graph.local import Flags, LocalGraph, Numbers, Places
from wherefrom.graph.paths import PairCache, Paths, open_paths
from wherefrom.insight.autocand import near_centers
from wherefrom.insight.context import Context, Scene, checked, ends_of
from wherefrom.insight.gates import Thresholds
from wherefrom.model.insight import CandidateEdge, ExpansionRequest, Hop, InsightMetrics
from wherefrom.policy.linking import Linking

logger = logging.getLogger("wherefrom")

# The entropy of two like nodes that are linked. Where most nodes have no links yet the entropy before is next to
# nothing, and divided by it every link would look like a discovery.
_LEAST_ENTROPY: Final = math.log(4)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate that was judged: what it adds to the measures, times the candidate base."""

    edge: CandidateEdge
    accepted: bool
    g: float
    hop: int
    delta_ged: float
    delta_h: float
    delta_sp: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The metrics of a cycle, the links (accepted ones first, then by g), and what L3 asks of L1, if anything."""

    metrics: InsightMetrics
    links: tuple[Weighed, ...]
    request: ExpansionRequest | None


@dataclass(frozen=True, slots=True, eq=False)
class _Ring:
    """What is within some steps: its nodes, the entropy before, and the paths; hop 0 has none."""

    hop: int
    nodes: Flags
    entropy: float
    paths: Paths | None


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The candidates as arrays; `at` says which count at each hop."""

    edges: tuple[CandidateEdge, ...]
    ends: Places
    scores: Numbers
    proposed: Flags
    at: tuple[Flags, ...]


def judge(
    scene: Scene,
    context: Context,
    *,
    linking: Linking,
    thresholds: Thresholds,
    further: bool = False,
    cache: PairCache | None = None,
) -> Judgement:
    """One cycle. `further`: look at all hops at once, because AG fired in the cycle before."""
    context = checked(scene, context)
    given = bool(context.edges())
    if context.lacks_candidates:
        logger.warning("insight judges without candidate_edges: L1 has to hand them over (input_contract_ok=false)")
    automatic = False
    if not given and linking.candidates.allow_autocand:
        wanted = linking.cand_expansion
        found = near_centers(scene, context, hop=wanted.near_centers_hop, limit=wanted.budget)
        context, automatic = replace(context, candidate_edges=found), bool(found)
    knobs = linking.paths
    if knobs.engine == "cached_incr" and not context.edges():
        knobs = replace(knobs, engine="cached")
    work = _Cycle(scene, context, replace(linking, paths=knobs), cache)
    rings = [work.ring(0)]
    hops = [work.measured(rings[0])]
    fires = bool(work.candidates.edges) and hops[0].g > thresholds.theta_ag and not thresholds.rests
    rings += [work.ring(number) for number in range(1, linking.gauge.hops + 1 if fires or further else 1)]
    hops += [work.measured(ring) for ring in rings[1:]]
    links = work.weighed(rings, theta_dg=thresholds.theta_dg, most=linking.candidates.links)
    g0, gmin, best_h = least(hops)
    metrics = InsightMetrics(
        g0=g0,
        gmin=gmin,
        best_h=best_h,
        hops=tuple(hops),
        candidates=len(work.candidates.edges),
        proposed=int(work.candidates.proposed.sum()),
        k_star=work.k_star,
        pairs=max((ring.paths.pairs for ring in rings if ring.paths is not None), default=0),
        sp_engine=knobs.engine,
        h_scope="cand_mask" if work.candidates.edges else "global",
        input_contract_ok=given,
        autocand_used=automatic,
        theta_ag=thresholds.theta_ag,
        theta_dg=thresholds.theta_dg,
        ag=fires,
        dg=any(link.accepted for link in links),
        norm_spec=context.norm_spec,
        candidate_selection=context.candidate_selection,
    )
    return Judgement(metrics, links, _request(context, links, linking, metrics) if fires else None)


class _Cycle:
    """The arrays of one cycle."""

    def __init__(self, scene: Scene, context: Context, linking: Linking, cache: PairCache | None) -> None:
        self._before = scene.graph
        self._present = scene.after or scene.graph
        self._fresh = scene.fresh
        self._centers = np.array(context.centers, dtype=np.int64)
        self._linking = linking
        self._cache = cache
        self.candidates = _arrays(context, linking)
        self.k_star = len(self.candidates.edges)
        self._base = candidate_base(self.k_star)
        self._mask = np.ones(scene.graph.size, dtype=bool)
        if self.candidates.edges:
            self._mask[:] = False
            self._mask[self._centers] = True
            self._mask[self.candidates.ends.ravel()] = True
        places = scene.places.astype(np.int64)
        shown = self._mask[places]
        rows = places[shown], scene.rows[shown]
        self._entropies = Entropies(self._before, *rows, weights=scene.weights)
        self._come = _more(self._before, self._present)
        self._entropies_now = self._entropies.copy()
        self._entropies_now.add(self._come)

    def ring(self, number: int) -> _Ring:
        nodes = self._present.within(self._mask, number)
        paths = None
        if number:
            paths = open_paths(
                self._before,
                nodes,
                centers=self._centers,
                endpoints=np.unique(np.concatenate([self.candidates.ends.ravel(), self._come.ravel()])),
                knobs=self._linking.paths,
                cache=self._cache,
            )
        return _Ring(number, nodes, self._entropies.mean(nodes), paths)

    def measured(self, ring: _Ring) -> Hop:
        """The gauge of a hop, if all links that are proposed there were made."""
        chosen = self.candidates.proposed & self.candidates.at[min(ring.hop, len(self.candidates.at) - 1)]
        ends = self.candidates.ends[chosen]
        after = self._entropies_now.copy()
        after.add(ends)
        cost = self._fresh + edit_cost(self._before, self._present) + float(doubt(self.candidates.scores[chosen]).sum())
        gained = 0.0 if ring.paths is None else ring.paths.gain(np.concatenate([self._come, ends]))
        return gauge_of(
            ring.hop,
            delta_ged=delta_ged(cost, self._base),
            delta_h=entropy_change(ring.entropy, after.mean(ring.nodes), least=_LEAST_ENTROPY).delta,
            delta_sp=gained,
            temperature=self._linking.gauge.temperature,
            path_weight=self._linking.gauge.path_weight,
        )

    def weighed(self, rings: Sequence[_Ring], *, theta_dg: float, most: int) -> tuple[Weighed, ...]:
        """The links, adopted one by one as long as the best that is left is worth it."""
        if not self.candidates.edges:
            return ()
        entropies = self._entropies_now.copy()
        for ring in rings:
            if ring.paths is not None:
                ring.paths.adopt(self._come)
        costs = doubt(self.candidates.scores)
        left = np.ones(len(costs), dtype=bool)
        accepted: list[Weighed] = []
        while True:
            best, hop, parts = self._marginal(rings, entropies, costs)
            open_to = np.where(left, best, np.inf)
            at = int(np.argmin(open_to))
            if len(accepted) == most or not np.isfinite(open_to[at]) or open_to[at] > theta_dg:
                break
            accepted.append(_weighed(self.candidates.edges[at], (best, hop, costs, *parts), at, accepted=True))
            left[at] = False
            entropies.add(self.candidates.ends[at : at + 1])
            for ring in rings:
                if ring.paths is not None:
                    ring.paths.adopt(self.candidates.ends[at : at + 1])
        # What belongs to a hop that was not looked at was not judged.
        order = sorted(np.flatnonzero(left & np.isfinite(best)).tolist(), key=lambda at: (best[at], at))
        others = (_weighed(self.candidates.edges[at], (best, hop, costs, *parts), at, accepted=False) for at in order)
        return (*accepted, *others)

    def _marginal(
        self, rings: Sequence[_Ring], entropies: Entropies, costs: Numbers
    ) -> tuple[Numbers, Places, tuple[Numbers, Numbers]]:
        """For each candidate alone: the least g over the hops, where, and ΔH and ΔSP there; times the base."""
        ends, gauge = self.candidates.ends, self._linking.gauge
        risen = entropies.gains(ends)
        values, entropy, paths = [], [], []
        for ring in rings:
            delta_h = self._base * risen / (max(ring.nodes.sum(), 1) * max(ring.entropy, _LEAST_ENTROPY))
            delta_sp = np.zeros(len(costs))
            if ring.paths is not None:
                delta_sp = self._base * ring.paths.gains(ends, scores=np.nan_to_num(self.candidates.scores, nan=1.0))
            g = costs - gauge.temperature * (delta_h + gauge.path_weight * delta_sp)
            counts = self.candidates.at[min(ring.hop, len(self.candidates.at) - 1)]
            values.append(np.where(counts, g, np.inf))
            entropy.append(delta_h)
            paths.append(delta_sp)
        stacked = np.stack(values)
        where = np.argmin(stacked, axis=0)
        each = np.arange(len(costs))
        return stacked[where, each], where, (np.stack(entropy)[where, each], np.stack(paths)[where, each])


def _arrays(context: Context, linking: Linking) -> _Candidates:
    """The candidates as arrays. Proposed are those from θ_link on; if there are none, the best."""
    edges = context.edges()
    ends = np.array([(each.source, each.target) for each in edges], dtype=np.int64).reshape(-1, 2)
    scores = np.array([math.nan if each.score is None else each.score for each in edges])
    theta = linking.candidates.theta_link if context.norm_spec is None else context.norm_spec.theta_link
    sure = np.nan_to_num(scores, nan=1.0)
    proposed = sure >= theta
    if len(edges) and not proposed.any():
        proposed[int(np.argmax(sure))] = True
    keys = [ends_of(each) for each in edges]
    at = []
    for number in range(linking.gauge.hops + 1):
        known = {ends_of(each) for each in context.at(number)}
        at.append(np.array([key in known for key in keys], dtype=bool))
    return _Candidates(edges, ends, scores, proposed, tuple(at))


def _weighed(edge: CandidateEdge, parts: tuple[Numbers | Places, ...], at: int, *, accepted: bool) -> Weighed:
    g, hop, cost, entropy, paths = (part[at].item() for part in parts)
    return Weighed(edge, accepted, g, hop, cost, entropy, paths)


def _request(context: Context, links: Sequence[Weighed], linking: Linking, metrics: InsightMetrics) -> ExpansionRequest:
    theta = linking.candidates.theta_link if context.norm_spec is None else context.norm_spec.theta_link
    return ExpansionRequest(
        centers=context.centers,
        prev_ecand=context.edges(),
        reason=f"AG: g0 {metrics.g0:.3f} > {metrics.theta_ag:.3f}",
        budget=linking.cand_expansion.budget,
        radius_hint=max(metrics.best_h, 1) + 1,
        theta_link_hint=theta / 2,
        accepted=tuple(link.edge for link in links if link.accepted),
    )


def _more(before: LocalGraph, after: LocalGraph) -> Places:
    """The edges that the one does not have and the other does."""
    return after.edges[~before.has(after.edges)]
