"""L3: judges the candidates that L1 chose, and makes none of its own unless it is allowed to.

For all proposed edges together, at each hop h: g(h) = ΔGED − λ·(ΔH + γ·ΔSP), over what is within h steps of the
centers and of the candidates' ends; hop 0 has no ΔSP. A new edge costs 1 − its score, so one that L1 is
sure of is cheap. The further hops are looked at when AG fires (g0 > θ_AG). DG then accepts edges one by one: each time
the one with the least g given those accepted before, as long as that is at most θ_DG.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from wherefrom.graph.edits import candidate_base, delta_ged, doubt, edit_cost
from wherefrom.graph.entropy import Entropies, entropy_change
from wherefrom.graph.gauge import hop as gauge_of
from wherefrom.graph.gauge import least
from wherefrom.graph.local import Flags, Numbers, Places
from wherefrom.graph.paths import PairCache, Paths, open_paths
from wherefrom.insight.context import Context, Scene, checked, ends_of
from wherefrom.insight.gates import Thresholds
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import np
from wherefrom.model.insight import CandidateEdge, ExpansionRequest, Hop, InsightMetrics

logger = logging.getLogger("wherefrom")

# The entropy of two like nodes that are linked. Where most nodes have no links yet the entropy before is next to
# nothing, and divided by it every link would look like a discovery.
_LEAST_ENTROPY: Final = math.log(4)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate that was judged, with what it adds to the measures, times the candidate base."""

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
    """The nodes within some steps, their entropy before, and the paths between them; hop 0 has no paths."""

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
    linking: InsightSettings,
    thresholds: Thresholds,
    further: bool = False,
    cache: PairCache | None = None,
) -> Judgement:
    """Judge the candidates in one cycle. further: look at all hops at once, because AG fired in the cycle before."""
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

    def __init__(self, scene: Scene, context: Context, linking: InsightSettings, cache: PairCache | None) -> None:
        self._before = scene.graph
        self._present = scene.after or scene.graph
        self._fresh = scene.fresh
        self._centers = np.array(context.centers, dtype=np.int64)
        self._linking = linking
        self._cache = cache
        self.candidates = _arrays(context, linking)
        self.k_star = len(self.candidates.edges)
        self._base = candidate_base(self.k_star)
        self._mask = np.full(scene.graph.size, not self.candidates.edges)
        self._mask[[*self._centers, *self.candidates.ends.ravel()]] = True
        places = scene.places.astype(np.int64)
        shown = self._mask[places]
        self._entropies = Entropies(self._before, places[shown], scene.rows[shown], weights=scene.weights)
        self._come = self._present.edges[~self._before.has(self._present.edges)]
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
        entropies, measured = self._entropies_now.copy(), [ring.paths for ring in rings if ring.paths is not None]
        for paths in measured:
            paths.adopt(self._come)
        costs = doubt(self.candidates.scores)
        left = np.ones(len(costs), dtype=bool)
        accepted: list[Weighed] = []
        while True:
            parts = self._marginal(rings, entropies, costs)
            best = parts[0]
            open_to = np.where(left, best, np.inf)
            at = int(np.argmin(open_to))
            if len(accepted) == most or not np.isfinite(open_to[at]) or open_to[at] > theta_dg:
                break
            accepted.append(self._weighed(parts, at, accepted=True))
            left[at] = False
            entropies.add(self.candidates.ends[at : at + 1])
            for paths in measured:
                paths.adopt(self.candidates.ends[at : at + 1])
        # A candidate of a hop that was not measured was not judged.
        order = sorted(np.flatnonzero(left & np.isfinite(best)).tolist(), key=lambda at: (best[at], at))
        others = (self._weighed(parts, at, accepted=False) for at in order)
        return (*accepted, *others)

    def _marginal(
        self, rings: Sequence[_Ring], entropies: Entropies, costs: Numbers
    ) -> tuple[Numbers, Places, Numbers, Numbers, Numbers]:
        """The least g of each candidate alone over the hops, its hop, and ΔGED, ΔH and ΔSP there; times the base."""
        ends, gauge = self.candidates.ends, self._linking.gauge
        risen = entropies.gains(ends)
        values = []
        for ring in rings:
            delta_h = self._base * risen / (max(ring.nodes.sum(), 1) * max(ring.entropy, _LEAST_ENTROPY))
            delta_sp = np.zeros(len(costs))
            if ring.paths is not None:
                delta_sp = self._base * ring.paths.gains(ends, scores=np.nan_to_num(self.candidates.scores, nan=1.0))
            g = costs - gauge.temperature * (delta_h + gauge.path_weight * delta_sp)
            counts = self.candidates.at[min(ring.hop, len(self.candidates.at) - 1)]
            values.append((np.where(counts, g, np.inf), delta_h, delta_sp))
        stacked = np.array(values)
        hop = np.argmin(stacked[:, 0], axis=0)
        g, delta_h, delta_sp = stacked[hop, :, np.arange(len(costs))].T
        return g, hop, costs, delta_h, delta_sp

    def _weighed(self, parts: tuple[Numbers | Places, ...], at: int, *, accepted: bool) -> Weighed:
        return Weighed(self.candidates.edges[at], accepted, *(part[at].item() for part in parts))


def _arrays(context: Context, linking: InsightSettings) -> _Candidates:
    """The candidates as arrays. Proposed are those from θ_link on; if there are none, the best."""
    edges = context.edges()
    ends = np.array([(edge.source, edge.target) for edge in edges], dtype=np.int64).reshape(-1, 2)
    scores = np.array([math.nan if edge.score is None else edge.score for edge in edges])
    sure = np.nan_to_num(scores, nan=1.0)
    proposed = sure >= context.theta_link(linking.candidates.theta_link)
    if len(edges) and not proposed.any():
        proposed[int(np.argmax(sure))] = True
    by_hop = ({ends_of(edge) for edge in context.at(hop)} for hop in range(linking.gauge.hops + 1))
    at = tuple(np.array([ends_of(edge) in known for edge in edges], dtype=bool) for known in by_hop)
    return _Candidates(edges, ends, scores, proposed, at)


def _request(
    context: Context, links: Sequence[Weighed], linking: InsightSettings, metrics: InsightMetrics
) -> ExpansionRequest:
    return ExpansionRequest(
        centers=context.centers,
        prev_ecand=context.edges(),
        reason=f"AG: g0 {metrics.g0:.3f} > {metrics.theta_ag:.3f}",
        budget=linking.cand_expansion.budget,
        radius_hint=max(metrics.best_h, 1) + 1,
        theta_link_hint=context.theta_link(linking.candidates.theta_link) / 2,
        accepted=tuple(link.edge for link in links if link.accepted),
    )


def near_centers(scene: Scene, context: Context, *, hop: int, limit: int) -> tuple[CandidateEdge, ...]:
    """Candidates that L3 makes by itself, where `allow_autocand` is set: the nodes within one step more than `hop` of a
    center that are most similar to it.
    """
    if not len(scene.places) or limit <= 0:
        return ()
    rows = scene.rows if scene.weights is None else scene.rows * scene.weights
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-10)
    at = {int(place): number for number, place in enumerate(scene.places)}
    graph = scene.after or scene.graph
    known = {ends_of(edge) for edge in context.edges()}
    found: list[CandidateEdge] = []
    for center in (center for center in context.centers if center in at):
        start = np.arange(graph.size) == center
        reached = graph.within(start, hop + 1) & ~graph.within(start, 1)
        similarity = np.clip(unit @ unit[at[center]], 0.0, 1.0)
        near = (place for place in np.flatnonzero(reached).tolist() if place in at)
        edges = (CandidateEdge(center, place, float(similarity[at[place]])) for place in near)
        found += [edge for edge in edges if ends_of(edge) not in known]
    found.sort(key=lambda edge: (-(edge.score or 0.0), edge.source, edge.target))
    return tuple({ends_of(edge): edge for edge in reversed(found)}.values())[::-1][:limit]
