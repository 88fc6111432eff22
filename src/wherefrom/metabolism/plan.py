"""Makes a plan: which relations exclude each other, which nodes are weak, which of them go, which relations are thin.

Everything is decided on the graph as it is before anything is removed, and so that a second plan right after it was
applied has nothing more to remove.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.engine.view import silent
from wherefrom.metabolism import conflicts, copies, succession
from wherefrom.metabolism.bodies import LEAST_SIMILARITY, Bodies
from wherefrom.metabolism.facts import FactsByNode
from wherefrom.metabolism.mdl_test import Verdict, judge
from wherefrom.metabolism.nearest import Candidate, nearest
from wherefrom.metabolism.removals import NodeRemoval, Removals
from wherefrom.metabolism.settings import RUN_SETTINGS, MetabolismSettings
from wherefrom.model.graph import NodeRef
from wherefrom.model.metabolism import Histogram, MetabolismPlan, NodeVerdict, RemovalRule, SparedRule, TagConflict
from wherefrom.storage import embeddings, metabolism, nodes, reviewing
from wherefrom.storage.metabolism import PAGE_ROWS, THICKNESS_PARTS, MeasuredGraph, ThickEdge, WeakNode
from wherefrom.storage.port import EmbeddingModel, Progress

# Kinds that are judged by their text; a page has none of its own.
_JUDGED_KINDS: Final = ("memo", "claim", "fragment", "entity")
# Rules after which a node that stays may still lose its last edge.
_TESTED: Final = ("unique", "differs", "disputed", "no_vector")
_MAX_WEAKEST: Final = 10
_MAX_EXAMPLES: Final = 10
_MAX_LISTED: Final = 100
_MAX_BEST_BELOW_FLOOR: Final = 256
_NO_MODEL: Final = "there are no vectors, so no node can be judged: only relations and orphaned entities may go"


def make(
    graph: MeasuredGraph,
    settings: Mapping[str, MetabolismSettings],
    *,
    let_go: Mapping[str, float] = MappingProxyType({}),
    figures: bool = False,
    beat: Callable[[], None] = lambda: None,
    progress: Progress = silent,
    bodies: Bodies | None = None,
) -> Removals:
    """Plan for the root of a graph, by the settings of each namespace.

    let_go: by node, the thickest edge that the same run removed before it was cut off; with it, the run judges as it
    did then. beat: called now and then, so that a run can extend its lease. progress: hears of steps. bodies: how
    texts are compared.
    """
    planner = _Planner(graph, settings, beat, let_go, figures, FactsByNode(graph, bodies or Bodies()))
    steps = (
        *(planner.settle_conflicts, planner.find_weak, planner.judge),
        *(planner.find_left_over, planner.find_thin),
    )
    for done, step in enumerate(steps):
        progress(done, len(steps))
        step()
    progress(len(steps), len(steps))
    return planner.removals()


@dataclass(slots=True)
class _Planner:
    """A plan while it is made."""

    graph: MeasuredGraph
    settings: Mapping[str, MetabolismSettings]
    beat: Callable[[], None]
    let_go: Mapping[str, float]
    figures: bool
    facts: FactsByNode
    losing: dict[int, conflicts.EdgeRemoval] = field(default_factory=dict)
    conflicts: tuple[TagConflict, ...] = ()
    weak: dict[str, WeakNode] = field(default_factory=dict)
    edges: dict[str, list[ThickEdge]] = field(default_factory=dict)
    spared: dict[str, SparedRule] = field(default_factory=dict)
    going: dict[str, RemovalRule] = field(default_factory=dict)
    waves: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    thin: dict[int, float] = field(default_factory=dict)
    thinnest: list[ThickEdge] = field(default_factory=list)
    degraded: tuple[str, ...] = ()
    strong: set[str] = field(default_factory=set)
    tagged: dict[int, ThickEdge] = field(default_factory=dict)
    succession: succession.Succession = field(default_factory=succession.Succession)
    after: dict[str, list[ThickEdge]] = field(default_factory=dict)
    left: frozenset[int] = frozenset()

    def settle_conflicts(self) -> None:
        """Settle conflicts first, so that the rest is decided without the edges that lose."""
        exclusive = self._exclusive()
        found = list(self.graph.edges_tagged(conflicts.tags_in_conflict(self.graph.tags(), exclusive)))
        self.losing, self.conflicts = conflicts.settle(found, exclusive)
        self.tagged = {edge.seq: edge for edge in found if edge.seq not in self.losing}
        self.graph.overlook(self.losing)
        self.beat()

    def find_weak(self) -> None:
        """Find nodes with thin edges only or with none, and the rules that spare them."""
        self.weak = {node.id: node for node in self.graph.weakly_connected_nodes()}
        self.edges = {node_id: [] for node_id in self.weak}
        hidden: set[str] = set()
        for edge in self.graph.edges_of(list(self.weak)):
            for end in {edge.source_id, edge.target_id} & self.edges.keys():
                self.edges[end].append(edge)
                hidden.update(() if edge.free else (end,))
        for node_id in hidden:
            # It has relations that are not this access's to judge, or to tell of.
            del self.weak[node_id], self.edges[node_id]
        self.beat()
        for node in self.graph.orphan_nodes():
            untested = node.kind == "entity" or self.settings[node.namespace].orphans == "all"
            if node.rule is None and untested:
                self.going[node.id] = "orphan"
            if untested or node.kind in _JUDGED_KINDS:
                self.weak[node.id] = node
        for node_id in self.graph.standing_in(list(self.going)):
            del self.going[node_id]
            self.spared[node_id] = "stands_in"
        self.spared |= {node.id: node.rule for node in self.weak.values() if node.rule is not None}
        self.beat()

    def judge(self) -> None:
        """Put all that no rule spares to the MDL test."""
        found = [node for node in self.weak.values() if node.id not in self.spared and node.id not in self.going]
        model = embeddings.active(self.graph.tx)
        if model is None:
            self.spared |= dict.fromkeys((node.id for node in found), "no_vector")
            self.degraded = (_NO_MODEL,) if found else ()
            return
        candidates = self._candidates(found, model)
        self.spared |= {node.id: "no_vector" for node in found if node.id not in candidates}
        kept = self.graph.standing_in(list(candidates))
        waiting = unsearched = list(candidates.values())
        while unsearched:
            self._find_near(unsearched, model)
            self.beat()
            near = {near.id for candidate in waiting for near in candidate.near}
            ids = [*near, *(candidate.node.id for candidate in waiting if candidate.near)]
            self.facts.read(ids)
            self.facts.read_ranks(ids, weak=candidates)
            known = kept | self.going.keys()
            strong = list(copies.contenders(self.graph, self.facts, candidates, kept=known, tagged=self.tagged))
            verdicts, exhausted = judge(
                [*waiting, *strong],
                self.facts.against,
                standing_in=frozenset(kept),
                going=frozenset(self.going),
                rank=self.facts.rank,
            )
            for candidate in strong:
                if not verdicts[candidate.node.id].removed:
                    del verdicts[candidate.node.id]
                else:
                    self._let_strong_go(candidate.node)
            self.verdicts |= verdicts
            removed = {node_id for node_id, verdict in verdicts.items() if verdict.removed}
            self.going |= dict.fromkeys(removed, "restorable")
            kept |= {verdicts[node_id].neighbour.id for node_id in removed}  # type: ignore[union-attr]
            waiting = [candidate for candidate in waiting if candidate.node.id not in removed]
            # Where all that are near go, there may be more behind them; if none went, a search finds the same.
            unsearched = [candidates[node_id] for node_id in exhausted] if removed else []
        for node_id, verdict in self.verdicts.items():
            if not verdict.removed:
                self.spared[node_id] = verdict.rule

    def find_left_over(self) -> None:
        """Let entities go whose edges all go. Where nodes without edges go untested, keep instead the neighbour at the
        thickest edge of a node that was tested and stays.
        """
        self._look_ahead()
        while self._keep_last_links():
            self._look_ahead()
        for node in self.weak.values():
            if node.kind == "entity" and self.spared.get(node.id) in _TESTED and self._is_left(node):
                self.waves[node.id] = 1
                del self.spared[node.id]
                self.going[node.id] = "orphan"

    def find_thin(self) -> None:
        """Find thin edges between nodes that stay, but for the thickest that a node has afterwards."""
        thin, replaced = self.succession.thin, self.succession.replaced
        held = {max(edges, key=_thickness).seq for edges in self.after.values() if edges}
        self.left = self.succession.left | (thin - held)
        held.update(seq for seq, new in replaced.items() if new not in self.left)

        def going() -> Iterator[ThickEdge]:
            for edge in self.graph.thin_edges():
                if edge.seq not in held and edge.source_id not in self.going and edge.target_id not in self.going:
                    self.thin[edge.seq] = edge.value
                    yield edge

        self.thinnest = heapq.nsmallest(_MAX_LISTED, going(), key=_thickness)
        self.beat()

    def removals(self) -> Removals:
        """The plan with names for people, and all that applying it needs."""
        going = sorted((self._removal(node_id, rule) for node_id, rule in self.going.items()), key=_removal_order)
        by_rule: dict[SparedRule, list[str]] = {}
        for node_id, rule in sorted(self.spared.items()):
            by_rule.setdefault(rule, []).append(node_id)
        examples = [node_id for ids in by_rule.values() for node_id in ids[:_MAX_EXAMPLES]]
        weakest = heapq.nsmallest(_MAX_WEAKEST, self.verdicts, key=self._weakness)
        names = self._names([*(removal.id for removal in going), *weakest, *examples])
        losing = (conflicts.thin_edge(removal.edge, removal.rule) for removal in self.losing.values())
        thinnest = (*losing, *(conflicts.thin_edge(edge, "thin") for edge in self.thinnest))[:_MAX_LISTED]
        listed = self.conflicts[:_MAX_LISTED]
        named = (*thinnest, *(edge for conflict in listed for edge in conflict.links[:_MAX_EXAMPLES]))
        ends = self._names(end for edge in named for end in (edge.source_id, edge.target_id))
        root = self.graph.access.root
        counts = metabolism.namespaces(self.graph.tx, self.graph.access)
        plan = MetabolismPlan(
            root_namespace=root,
            created_at=self.graph.now,
            nodes=sum(counts.values()),
            links=self.graph.edge_total(),
            settings={
                name: {key: getattr(self.settings[name], key) for key in RUN_SETTINGS} for name in {*counts, root}
            },
            removed=tuple(self._verdict(removal.id, names) for removal in going),
            spared=dict(Counter(self.spared.values()).most_common()),
            examples=tuple(self._verdict(node_id, names) for node_id in examples),
            weakest=tuple(self._verdict(node_id, names) for node_id in weakest),
            pruned=len(self.thin) + len(self.losing),
            thinnest=thinnest,
            conflicts=listed,
            ends=tuple(ends.values()),
            undecided=sum(conflict.kept is None for conflict in self.conflicts),
            differing=self._differing(),
            degraded=self.degraded,
        )
        if self.figures:
            cuts = self.settings.get(root) or next(iter(self.settings.values()), MetabolismSettings())
            thickness = Histogram(self.graph.thickness_counts(), cuts.prune_threshold)
            plan = replace(plan, thickness=thickness, difficulty=Histogram(self._difficulties(), cuts.mdl_benefit))
        return Removals(plan, tuple(going), self.losing, self.thin, self.left)

    def _candidates(self, found: Sequence[WeakNode], model: EmbeddingModel) -> dict[str, Candidate]:
        vectors: dict[str, Matrix] = {}
        for start in range(0, len(found), PAGE_ROWS):
            ids = [node.id for node in found[start : start + PAGE_ROWS]]
            vectors |= embeddings.of_nodes(self.graph.tx, self.graph.access, ids, model)
        candidates = {}
        for node in (node for node in found if node.id in vectors):
            settings = self.settings[node.namespace]
            thickness = round(max(self._thickest(node.id) or 0.0, self.let_go.get(node.id, 0.0)), 9)
            figures = thickness, settings.mdl_benefit, settings.mdl_neighbours
            candidates[node.id] = Candidate(node, vectors[node.id], *figures)
        return candidates

    def _find_near(self, candidates: Sequence[Candidate], model: EmbeddingModel) -> None:
        places = sorted({candidate.node.namespace for candidate in candidates})
        kinds = sorted({candidate.node.kind for candidate in candidates})
        # Of the thinnest, or for a picture of all, the nearest is told however far it is.
        thinnest = heapq.nsmallest(
            _MAX_BEST_BELOW_FLOOR,
            (candidate.node.id for candidate in candidates),
            key=lambda node_id: (self._thickest(node_id) or 0.0, node_id),
        )
        floors = self._floors(places)
        nearest(
            candidates,
            self.graph.vectors_that_stay(model, namespaces=places, kinds=kinds),
            self.graph.tx.dialect.from_vectors,
            floors={name: min(floor, LEAST_SIMILARITY) for name, floor in floors.items()},
            without=frozenset(self.going),
            best_of=None if self.figures else set(thinnest),
            beat=self.beat,
        )
        copies.keep_near(candidates, self.facts, floors)

    def _floors(self, places: Iterable[str]) -> dict[str, float]:
        """By namespace, the similarity above which a node can be restored from another."""
        return {name: 1.0 - self.settings[name].mdl_benefit - 1e-6 for name in places}

    def _let_strong_go(self, node: WeakNode) -> None:
        """Note a node that goes though it is not weak, with its edges."""
        self.weak[node.id] = node
        self.strong.add(node.id)
        self.edges[node.id] = list(self.graph.edges_of([node.id]))

    def _look_ahead(self) -> None:
        """Find the edges that each weak node that stays has once stand-ins have taken over those of all that go."""
        seqs = {edge.seq for node_id in self.going for edge in self.edges.get(node_id, ())}
        self.succession = succession.foresee(self.graph, seqs, self._heir, self.tagged, self._exclusive())
        over = seqs | self.succession.replaced.keys()
        self.after = {
            node_id: [edge for edge in edges if edge.seq not in over]
            for node_id, edges in self.edges.items()
            if node_id not in self.going
        }
        for edge in self.succession.taken.values():
            for end in {edge.source_id, edge.target_id} & self.after.keys():
                self.after[end].append(edge)

    def _keep_last_links(self) -> bool:
        """Keep the neighbours at the thickest edges of nodes that would have none; False if there are none."""
        staying = (node for node in self.weak.values() if self.spared.get(node.id) in (*_TESTED, "stands_in"))
        before = len(self.going)
        for node in sorted(staying, key=lambda node: node.id):
            if self.settings[node.namespace].orphans != "all" or node.kind == "entity" or not self._is_left(node):
                continue
            ends = {edge: {edge.source_id, edge.target_id} - {node.id} for edge in self.edges[node.id]}
            # What joins it to its own copy is no link.
            ends = {edge: others for edge, others in ends.items() if {*map(self._heir, others)} != {node.id}}
            if ends and all(others & self.going.keys() for others in ends.values()):
                for other in ends[max(ends, key=_thickness)]:
                    del self.going[other]
                    self.spared[other] = "last_link"
        return len(self.going) < before

    def _is_left(self, node: WeakNode) -> bool:
        """True if all edges of a node that stays go."""
        return bool(self.edges.get(node.id)) and node.id in self.after and not self.after[node.id]

    def _exclusive(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(settings.exclusive) for name, settings in self.settings.items()}

    def _heir(self, node_id: str) -> str | None:
        """A node that stays, or the one that stands for it; None if it goes and none does."""
        if node_id not in self.going:
            return node_id
        near = self.verdicts[node_id].neighbour if self.going[node_id] == "restorable" else None
        return None if near is None else near.id

    def _differing(self) -> int:
        """The number of near pairs that stay because they say something else, if nobody said that both hold."""
        pairs = {pair for pair in self.facts.apart if not pair & self.going.keys()}
        ids = sorted({node_id for pair in pairs for node_id in pair})
        settled = reviewing.compatible(self.graph.tx, self.graph.access, ids)
        statements = {ref.id for ref in self._names(ids).values() if ref.kind in ("memo", "claim")}
        return sum(pair <= statements for pair in pairs - settled)

    def _removal(self, node_id: str, rule: RemovalRule) -> NodeRemoval:
        near = self.verdicts[node_id].neighbour if rule == "restorable" else None
        version = None if near is None else self.facts.by_id[near.id].version
        seqs = tuple(edge.seq for edge in sorted(self.edges.get(node_id, ()), key=_thickness))
        wave, thickness = self.waves.get(node_id, 0), self._thickest(node_id)
        known, is_strong = self.weak[node_id].version, node_id in self.strong
        return NodeRemoval(node_id, known, rule, thickness, near, version, seqs, wave, is_strong)

    def _thickest(self, node_id: str) -> float | None:
        return max((edge.value for edge in self.edges.get(node_id, ())), default=None)

    def _weakness(self, node_id: str) -> tuple[float, float, str]:
        difficulty = self.verdicts[node_id].difficulty
        return self._thickest(node_id) or 0.0, 1.0 if difficulty is None else difficulty, node_id

    def _names(self, ids: Iterable[str]) -> dict[str, NodeRef]:
        wanted = set(ids)
        near = (self.verdicts[node_id].neighbour for node_id in wanted if node_id in self.verdicts)
        order = sorted(wanted | {neighbour.id for neighbour in near if neighbour is not None})
        pages = (order[start : start + PAGE_ROWS] for start in range(0, len(order), PAGE_ROWS))
        found = (nodes.refs(self.graph.tx, self.graph.access, page, beginnings=True) for page in pages)
        return {ref.id: ref for refs in found for ref in refs}

    def _verdict(self, node_id: str, names: Mapping[str, NodeRef]) -> NodeVerdict:
        rule = self.going.get(node_id) or self.spared[node_id]
        links, thickness = len(self.edges.get(node_id, ())), self._thickest(node_id)
        shown = NodeVerdict(names[node_id], node_id in self.going, rule, links, thickness)
        verdict = self.verdicts.get(node_id)
        if verdict is None:
            return shown
        near = None if verdict.neighbour is None else names.get(verdict.neighbour.id)
        return replace(shown, difficulty=verdict.difficulty, neighbour=near, detail=verdict.detail)

    def _difficulties(self) -> tuple[int, ...]:
        """Return the number of weak nodes of each difficulty, in as many parts as thicknesses are counted in."""
        known = (verdict.difficulty for verdict in self.verdicts.values() if verdict.difficulty is not None)
        parts = Counter(min(int(max(value, 0.0) * THICKNESS_PARTS), THICKNESS_PARTS - 1) for value in known)
        return tuple(parts[part] for part in range(THICKNESS_PARTS))


def _thickness(edge: ThickEdge) -> tuple[float, str, str, str]:
    return round(edge.value, 9), edge.source_id, edge.target_id, edge.tag


def _removal_order(removal: NodeRemoval) -> tuple[int, float, float, str]:
    difficulty = 0.0 if removal.neighbour is None else removal.neighbour.difficulty
    return removal.wave, difficulty, removal.thickness or 0.0, removal.id
