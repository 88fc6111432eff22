"""L3: judges the candidates that L1 chose, and makes none of its own unless it is allowed to.

For all proposed edges together, at each hop h: g(h) = ΔGED − λ·(ΔH + γ·ΔSP), over what is within h steps of the
centers and of the candidates' ends; hop 0 has no ΔSP. A new edge costs 1 − its score, so one that L1 is
sure of is cheap. The further hops are looked at when AG fires (g0 > θ_AG). DG then accepts edges one by one: each time
the one with the least g given those accepted before, as long as that is at most θ_DG.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wherefrom.graph.entropy import Entropies, entropy_change
from wherefrom.graph.gauge import candidate_base, delta_ged, doubt, edit_cost, least
from wherefrom.graph.gauge import hop as gauge_of
from wherefrom.graph.local import Flags, LocalGraph, Numbers, Places
from wherefrom.graph.paths import PairCache, Paths, open_paths
from wherefrom.insight.gates import Thresholds
from wherefrom.insight.settings import InsightSettings
from wherefrom.lazy import np
from wherefrom.model.insight import CandidateEdge, ExpansionRequest, Hop, InsightMetrics, NormSpec

logger = logging.getLogger("wherefrom")

# The entropy of two like nodes that are linked. Where most nodes have no edges yet the entropy before is next to
# nothing, and divided by it every edge would look like a discovery.
_LEAST_ENTROPY: Final = math.log(4)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """The part of the graph that a decision is about.

    graph: as it is before; `after`: with the edges that come whatever is decided, if any do. places: the nodes that
    have a vector; rows: their vectors; weights: how much each dimension counts. fresh: the number of new nodes, each
    of which adds to the cost of the edit.
    """

    graph: LocalGraph
    places: Places
    rows: Numbers
    weights: Numbers | None = None
    after: LocalGraph | None = None
    fresh: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """The choice of L1. candidate_edges: None if L1 gave none; candidate_edges_by_hop: candidates for one hop, which
    take the place of the common ones there. norm_spec: the thresholds that L1 chose by. scene: what it is about, if L1
    found more of the graph than it had at first.
    """

    centers: tuple[int, ...]
    candidate_edges: tuple[CandidateEdge, ...] | None = None
    candidate_edges_by_hop: Mapping[int, tuple[CandidateEdge, ...]] = field(default_factory=dict)
    candidate_selection: Mapping[str, Any] = field(default_factory=dict)
    norm_spec: NormSpec | None = None
    scene: Scene | None = field(default=None, compare=False)

    def at(self, hop: int) -> tuple[CandidateEdge, ...]:
        """Return the candidates of a hop: its own if it has any, else the common ones."""
        return self.candidate_edges_by_hop.get(hop) or self.candidate_edges or ()

    def theta_link(self, usual: float) -> float:
        """Return the least score of a candidate that is proposed: as L1 chose it, else the usual one."""
        return usual if self.norm_spec is None else self.norm_spec.theta_link

    def edges(self) -> tuple[CandidateEdge, ...]:
        """Return all candidates, each once, whichever way it is written."""
        by_hop = (edges for _, edges in sorted(self.candidate_edges_by_hop.items()))
        return tuple(
            {ends_of(edge): edge for edges in (self.candidate_edges or (), *by_hop) for edge in edges}.values()
        )

    def cleaned(self, graph: LocalGraph) -> Context:
        """Return the context without loops, doubles, and edges that the graph has."""
        there = {*map(tuple, graph.edges.tolist())}

        def clean(edges: Sequence[CandidateEdge]) -> tuple[CandidateEdge, ...]:
            found: dict[tuple[int, int], CandidateEdge] = {}
            for edge in sorted(edges, key=lambda edge: -(edge.score or 0.0)):
                if ends_of(edge) not in there and edge.source != edge.target:
                    found.setdefault(ends_of(edge), edge)
            # In the order of their ends: in whatever order they come, the same are chosen.
            return tuple(found[ends] for ends in sorted(found))

        return replace(
            self,
            centers=tuple(dict.fromkeys(self.centers)),
            candidate_edges=None if self.candidate_edges is None else clean(self.candidate_edges),
            candidate_edges_by_hop={hop: clean(edges) for hop, edges in self.candidate_edges_by_hop.items()},
        )


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate that was judged. g and the deltas are those of this edge alone, times the candidate base."""

    edge: CandidateEdge
    accepted: bool
    g: float
    hop: int
    delta_ged: float
    delta_h: float
    delta_sp: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The metrics of a cycle, its edges (accepted ones first, then by g), and L3's request to L1 if it has one."""

    metrics: InsightMetrics
    links: tuple[Weighed, ...]
    request: ExpansionRequest | None


@dataclass(frozen=True, slots=True, eq=False)
class _Ring:
    """The nodes within some steps, their entropy before, the paths between them (None at hop 0), and their gauge."""

    nodes: Flags
    entropy: float
    paths: Paths | None
    gauge: Hop


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
    context = context.cleaned(scene.after or scene.graph)
    given = bool(context.edges())
    if context.candidate_edges is None and not context.candidate_edges_by_hop:
        # An empty list says that L1 looked and found none.
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
    fires = bool(work.edges) and rings[0].gauge.g > thresholds.theta_ag and not thresholds.rests
    if fires or further:
        rings += [work.ring(number) for number in range(1, linking.gauge.hops + 1)]
    links = work.weighed(rings, theta_dg=thresholds.theta_dg, most=linking.candidates.links)
    hops = tuple(ring.gauge for ring in rings)
    g0, gmin, best_h = least(hops)
    metrics = InsightMetrics(
        g0=g0,
        gmin=gmin,
        best_h=best_h,
        hops=hops,
        candidates=len(work.edges),
        proposed=int(work.proposed.sum()),
        k_star=len(work.edges),
        pairs=max((ring.paths.pairs for ring in rings if ring.paths is not None), default=0),
        sp_engine=knobs.engine,
        h_scope="cand_mask" if work.edges else "global",
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
    """The arrays of one cycle. proposed: the candidates from θ_link on, or if there are none, the best one."""

    def __init__(self, scene: Scene, context: Context, linking: InsightSettings, cache: PairCache | None) -> None:
        self._before, self._after = scene.graph, scene.after or scene.graph
        self._linking, self._cache = linking, cache
        self._centers = np.array(context.centers, dtype=np.int64)
        self.edges = edges = context.edges()
        self._ends = np.array([(edge.source, edge.target) for edge in edges], dtype=np.int64).reshape(-1, 2)
        scores = np.array([math.nan if edge.score is None else edge.score for edge in edges])
        self._costs, self._scores = doubt(scores), np.nan_to_num(scores, nan=1.0)
        self.proposed = self._scores >= context.theta_link(linking.candidates.theta_link)
        if edges and not self.proposed.any():
            self.proposed[int(np.argmax(self._scores))] = True
        by_hop = ({ends_of(edge) for edge in context.at(hop)} for hop in range(linking.gauge.hops + 1))
        self._counts_at = [np.array([ends_of(edge) in known for edge in edges], dtype=bool) for known in by_hop]
        self._base = candidate_base(len(edges))
        self._mask = np.full(scene.graph.size, not edges)
        self._mask[[*self._centers, *self._ends.ravel()]] = True
        places = scene.places.astype(np.int64)
        shown = self._mask[places]
        self._entropies = Entropies(self._before, places[shown], scene.rows[shown], weights=scene.weights)
        self._added = self._after.edges[~self._before.has(self._after.edges)]
        self._edit_cost = scene.fresh + edit_cost(self._before, self._after)
        self._entropies_after = self._entropies.copy()
        self._entropies_after.add(self._added)

    def ring(self, number: int) -> _Ring:
        """Measure what is within some steps; the gauge is that of all candidates that are proposed there together."""
        nodes = self._after.within(self._mask, number)
        chosen = self.proposed & self._counts_at[number]
        ends, paths = self._ends[chosen], None
        if number:
            paths = open_paths(
                self._before,
                nodes,
                centers=self._centers,
                endpoints=np.unique(np.concatenate([self._ends.ravel(), self._added.ravel()])),
                knobs=self._linking.paths,
                cache=self._cache,
            )
        before, after = self._entropies.mean(nodes), self._entropies_after.copy()
        after.add(ends)
        gauge = gauge_of(
            number,
            delta_ged=delta_ged(self._edit_cost + float(self._costs[chosen].sum()), self._base),
            delta_h=entropy_change(before, after.mean(nodes), least=_LEAST_ENTROPY),
            delta_sp=0.0 if paths is None else paths.gain(np.concatenate([self._added, ends])),
            temperature=self._linking.gauge.temperature,
            path_weight=self._linking.gauge.path_weight,
        )
        return _Ring(nodes, before, paths, gauge)

    def weighed(self, rings: Sequence[_Ring], *, theta_dg: float, most: int) -> tuple[Weighed, ...]:
        """Return the candidates that were judged, adopted one by one as long as the best that is left is worth it."""
        if not self.edges:
            return ()
        entropies, measured = self._entropies_after.copy(), [ring.paths for ring in rings if ring.paths is not None]
        for paths in measured:
            paths.adopt(self._added)
        left = np.ones(len(self.edges), dtype=bool)
        accepted: list[Weighed] = []
        while True:
            columns = self._marginal(rings, entropies)
            g = columns[0]
            at = int(np.argmin(np.where(left, g, np.inf)))
            if len(accepted) == most or not left[at] or not np.isfinite(g[at]) or g[at] > theta_dg:
                break
            accepted.append(Weighed(self.edges[at], True, *(column[at].item() for column in columns)))
            left[at] = False
            entropies.add(self._ends[at : at + 1])
            for paths in measured:
                paths.adopt(self._ends[at : at + 1])
        # A candidate of a hop that was not measured was not judged.
        order = sorted(np.flatnonzero(left & np.isfinite(g)).tolist(), key=lambda at: (g[at], at))
        others = (Weighed(self.edges[at], False, *(column[at].item() for column in columns)) for at in order)
        return (*accepted, *others)

    def _marginal(self, rings: Sequence[_Ring], entropies: Entropies) -> tuple[Numbers | Places, ...]:
        """Return the least g of each candidate alone, its hop, and ΔGED, ΔH and ΔSP there; all times the base."""
        gauge, gains = self._linking.gauge, entropies.gains(self._ends)
        values = []
        for ring, counts in zip(rings, self._counts_at, strict=False):
            delta_h = self._base * gains / (max(ring.nodes.sum(), 1) * max(ring.entropy, _LEAST_ENTROPY))
            delta_sp = np.zeros(len(self.edges))
            if ring.paths is not None:
                delta_sp = self._base * ring.paths.gains(self._ends, scores=self._scores)
            g = self._costs - gauge.temperature * (delta_h + gauge.path_weight * delta_sp)
            values.append((np.where(counts, g, np.inf), delta_h, delta_sp))
        stacked = np.array(values)
        hop = np.argmin(stacked[:, 0], axis=0)
        g, delta_h, delta_sp = stacked[hop, :, np.arange(len(self.edges))].T
        return g, hop, self._costs, delta_h, delta_sp


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
    """Return the candidates that L3 makes by itself, where `allow_autocand` is set: edges from a center to the most
    similar of the nodes within `hop` + 1 steps of it.
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


def ends_of(edge: CandidateEdge) -> tuple[int, int]:
    """Return the ends of a candidate, the lower one first: it has no direction here."""
    return min(edge.source, edge.target), max(edge.source, edge.target)
