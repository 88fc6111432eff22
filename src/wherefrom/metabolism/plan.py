"""Makes a plan: which relations exclude each other, which nodes are weak, which of them go, which relations are thin.

Everything is decided on the graph as it is before anything is removed, and so that a second plan right after it was
applied has nothing more to remove.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from wherefrom.metabolism import conflicts
from wherefrom.metabolism.judging import Judged, Verdict, judge
from wherefrom.metabolism.nearest import Candidate, Neighbours, nearest
from wherefrom.metabolism.saying import Sayings
from wherefrom.model.access import Access
from wherefrom.model.graph import NodeRef
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import Histogram, MetabolismPlan, RemovalRule, SparedRule, ThinLink, Weak
from wherefrom.policy.metabolism import Metabolism
from wherefrom.storage import embeddings, metabolism, nodes
from wherefrom.storage.metabolism import Clocks, Thickness, WeakNode
from wherefrom.storage.port import Model, Transaction

# What is judged by its text; a page has none of its own.
_JUDGED: Final = ("memo", "claim", "fragment", "entity")
_WEAKEST: Final = 10
_EXAMPLES: Final = 10
_SHOWN: Final = 100
_TOLD: Final = 256
_NO_MODEL: Final = "there are no vectors, so no node can be judged: only relations and orphaned entities may go"


@dataclass(frozen=True, slots=True)
class Going:
    """A node that goes: as it was judged, and what it is restored from. links: the seqs of its edges, the thinnest
    first. wave: after those of which waves it goes, because they leave it without an edge.
    """

    id: str
    version: int
    rule: RemovalRule
    thickness: float | None = None
    difficulty: float | None = None
    neighbour_id: str | None = None
    neighbour_version: int | None = None
    links: tuple[int, ...] = ()
    wave: int = 0


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with all that applying it needs: nodes in the order in which they go, edges by their seq."""

    plan: MetabolismPlan
    going: tuple[Going, ...]
    losing: Mapping[int, conflicts.Losing]
    thin: Mapping[int, float]


def make(
    tx: Transaction,
    access: Access,
    clocks: Clocks,
    *,
    let_go: Mapping[str, float] = MappingProxyType({}),
    figures: bool = False,
    beat: Callable[[], None] = lambda: None,
) -> Planned:
    """A plan for the access's root. let_go: the thickest edges of nodes that this run has let go before it was cut
    off, so that it chooses as it did. beat: called now and then, for whoever has to show signs of life.
    """
    planner = _Planner(tx, access, clocks, beat, let_go, figures)
    planner.settle_conflicts()
    planner.find_weak()
    planner.judge()
    planner.find_left_over()
    planner.find_thin()
    return planner.planned()


@dataclass(slots=True)
class _Planner:
    tx: Transaction
    access: Access
    clocks: Clocks
    beat: Callable[[], None]
    let_go: Mapping[str, float]
    figures: bool
    now: str = field(init=False)
    settled: conflicts.Settled = field(init=False)
    weak: dict[str, WeakNode] = field(default_factory=dict)
    links: dict[str, list[Thickness]] = field(default_factory=dict)
    spared: dict[str, SparedRule] = field(default_factory=dict)
    going: dict[str, RemovalRule] = field(default_factory=dict)
    waves: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    sayings: Sayings = field(init=False)
    thin: dict[int, float] = field(default_factory=dict)
    thinnest: tuple[ThinLink, ...] = ()
    degraded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.now = timestamp(self.clocks.moment)
        self.sayings = Sayings(self.tx, self.access)

    def settle_conflicts(self) -> None:
        """First, so that what they leave behind is seen as it will be."""
        metabolism.set_clocks(self.tx, self.clocks)
        exclusive = {name: frozenset(settings.exclusive) for name, settings in self.clocks.settings.items()}
        tags = conflicts.in_question(metabolism.tags(self.tx, self.access), frozenset().union(*exclusive.values()))
        found = metabolism.edges_tagged(self.tx, self.access, tags)
        self.settled = conflicts.settled(found, lambda namespace, tag: tag in exclusive[namespace])
        metabolism.count_as_gone(self.tx, self.settled.losing)
        self.beat()

    def find_weak(self) -> None:
        """Nodes with thin edges only or with none, and which rule spares which."""
        for node in metabolism.weakly_connected_nodes(self.tx, self.access, now=self.now):
            self.weak[node.id] = node
        self.links = {node_id: [] for node_id in self.weak}
        hidden: set[str] = set()
        for edge in metabolism.edges_of(self.tx, self.access, list(self.weak)):
            for end in {edge.source_id, edge.target_id} & self.links.keys():
                self.links[end].append(edge)
                hidden.update(() if edge.free else (end,))
        for node_id in hidden:
            # It has relations that are not this access's to judge, or to tell of.
            del self.weak[node_id], self.links[node_id]
        self.beat()
        for node in metabolism.orphan_nodes(self.tx, self.access, now=self.now):
            untested = node.kind == "entity" or self._settings(node).orphans == "all"
            if node.rule is None and untested:
                self.going[node.id] = "orphan"
            if untested or node.kind in _JUDGED:
                self.weak[node.id] = node
        for node_id in metabolism.standing_in(self.tx, self.access, list(self.going)):
            del self.going[node_id]
            self.spared[node_id] = "stands_in"
        for node in self.weak.values():
            if node.rule is not None:
                self.spared[node.id] = node.rule
        self.beat()

    def judge(self) -> None:
        """The MDL test of all that no rule spares."""
        found = [node for node in self.weak.values() if node.id not in self.spared and node.id not in self.going]
        model = embeddings.active(self.tx)
        if model is None:
            self.spared.update((node.id, "no_vector") for node in found)
            self.degraded = (_NO_MODEL,) if found else ()
            return
        candidates = self._candidates(found, model)
        self.spared.update((node.id, "no_vector") for node in found if node.id not in candidates)
        kept = metabolism.standing_in(self.tx, self.access, list(candidates))
        waiting: dict[str, Neighbours] = self._near(list(candidates.values()), model)
        while waiting:
            near = (near.id for neighbours in waiting.values() for near in neighbours.near)
            self.sayings.read([*near, *(node_id for node_id, neighbours in waiting.items() if neighbours.near)])
            judged = [self._judged(candidates[node_id], near) for node_id, near in waiting.items()]
            gone = frozenset(self.going)
            verdicts, exhausted = judge(judged, self.sayings.against, standing_in=frozenset(kept), going=gone)
            self.verdicts |= verdicts
            removed = {node_id for node_id, verdict in verdicts.items() if verdict.removed}
            self.going.update((node_id, "restorable") for node_id in removed)
            kept |= {verdicts[node_id].neighbour.id for node_id in removed}  # type: ignore[union-attr]
            left = {node_id: near for node_id, near in waiting.items() if node_id not in removed}
            # Where all that are near go, there may be more behind them.
            further = self._near([candidates[node_id] for node_id in exhausted], model)
            waiting = {**left, **further} if further else {}
        for node_id, verdict in self.verdicts.items():
            if not verdict.removed:
                self.spared[node_id] = verdict.rule  # type: ignore[assignment]

    def find_left_over(self) -> None:
        """What the others leave without an edge: entities go, too; of what would go untested otherwise the last link
        stays.
        """
        tested = ("unique", "differs", "disputed", "no_vector")
        kept = (*tested, "stands_in")
        staying = [node for node in self.weak.values() if self.links.get(node.id) and self.spared.get(node.id) in kept]
        for node in sorted(staying, key=lambda node: node.id):
            if self._settings(node).orphans == "all" and node.kind != "entity" and self._is_left(node):
                thickest = max(self.links[node.id], key=_thickness)
                other = thickest.target_id if thickest.source_id == node.id else thickest.source_id
                if self.going.pop(other, None) is not None:
                    self.spared[other] = "last_link"
        entities = [node for node in self.weak.values() if node.kind == "entity"]
        wave = 0
        while left := [node for node in entities if self.spared.get(node.id) in tested and self._is_left(node)]:
            wave += 1
            for node in left:
                self.waves[node.id] = wave
                del self.spared[node.id]
                self.going[node.id] = "orphan"

    def find_thin(self) -> None:
        """Thin edges between nodes that stay, but for the thickest that a node has."""
        held = {max(links, key=_thickness).seq for node_id, links in self._staying_links() if links}
        shown: list[Thickness] = []
        for edge in metabolism.thin_edges(self.tx, self.access):
            if edge.seq in held or edge.source_id in self.going or edge.target_id in self.going:
                continue
            self.thin[edge.seq] = edge.value
            shown.append(edge)
            if len(shown) >= 20 * _SHOWN:
                shown = heapq.nsmallest(_SHOWN, shown, key=_thickness)
        shown = heapq.nsmallest(_SHOWN, shown, key=_thickness)
        losing = [conflicts.link_of(each.edge, each.rule) for each in self.settled.losing.values()]
        self.thinnest = (*losing[:_SHOWN], *(conflicts.link_of(edge, "thin") for edge in shown))[:_SHOWN]
        self.beat()

    def planned(self) -> Planned:
        """All of it, with names for people."""
        going = sorted((self._going(node_id, rule) for node_id, rule in self.going.items()), key=_going_order)
        examples: dict[SparedRule, list[str]] = {}
        for node_id, rule in sorted(self.spared.items()):
            if len(some := examples.setdefault(rule, [])) < _EXAMPLES:
                some.append(node_id)
        weakest = heapq.nsmallest(_WEAKEST, self.verdicts, key=self._weakness)
        shown = [*(each.id for each in going), *weakest, *(each for some in examples.values() for each in some)]
        names = self._names(shown)
        settled = self.settled.conflicts[:_SHOWN]
        named = (*self.thinnest, *(link for conflict in settled for link in conflict.links[:_EXAMPLES]))
        ends = self._names(end for link in named for end in (link.source_id, link.target_id))
        counts = metabolism.namespaces(self.tx, self.access)
        undecided = sum(conflict.kept is None for conflict in self.settled.conflicts)
        plan = MetabolismPlan(
            root_namespace=self.access.root,
            created_at=self.now,
            nodes=sum(counts.values()),
            links=metabolism.edge_total(self.tx, self.access),
            settings={name: _shown(self.clocks.settings[name]) for name in {*counts, self.access.root}},
            removed=tuple(self._shown(each.id, names) for each in going),
            spared=dict(Counter(self.spared.values()).most_common()),
            examples=tuple(self._shown(each, names) for some in examples.values() for each in some),
            weakest=tuple(self._shown(each, names) for each in weakest),
            pruned=len(self.thin) + len(self.settled.losing),
            thinnest=self.thinnest,
            conflicts=settled,
            ends=tuple(ends.values()),
            undecided=undecided,
            degraded=self.degraded,
        )
        if self.figures:
            plan = replace(plan, thickness=self._thickness_figures(), difficulty=self._difficulty_figures())
        return Planned(plan, tuple(going), self.settled.losing, self.thin)

    def _settings(self, node: WeakNode) -> Metabolism:
        return self.clocks.settings[node.namespace]

    def _candidates(self, found: Sequence[WeakNode], model: Model) -> dict[str, Candidate]:
        candidates: dict[str, Candidate] = {}
        for start in range(0, len(found), metabolism.PAGE):
            some = found[start : start + metabolism.PAGE]
            vectors = embeddings.of_nodes(self.tx, self.access, [node.id for node in some], model)
            for node in some:
                if node.id in vectors:
                    group = (node.namespace, node.kind, node.claim_kind)
                    limits = (node.boundary_class, node.expires_at)
                    candidates[node.id] = Candidate(node.id, node.seq, group, *limits, vectors[node.id])
        return candidates

    def _near(self, candidates: Sequence[Candidate], model: Model) -> dict[str, Neighbours]:
        if not candidates:
            return {}
        places = sorted({candidate.group[0] for candidate in candidates})
        kinds = sorted({candidate.group[1] for candidate in candidates})
        rows = metabolism.vectors_that_stay(self.tx, self.access, model, namespaces=places, kinds=kinds, now=self.now)
        floors = {name: 1.0 - self.clocks.settings[name].mdl_benefit - 1e-6 for name in places}
        # For the eyes only: of the thinnest, or for a picture of all, the nearest is told however far it is.
        thinnest = heapq.nsmallest(_TOLD, candidates, key=lambda each: (self._thickest(each.id) or 0.0, each.id))
        return nearest(
            candidates,
            rows,
            self.tx.dialect.from_vectors,
            floors=floors,
            without=frozenset(self.going),
            best_of=None if self.figures else {candidate.id for candidate in thinnest},
            beat=self.beat,
        )

    def _judged(self, candidate: Candidate, neighbours: Neighbours) -> Judged:
        settings = self.clocks.settings[candidate.group[0]]
        thickness = max(self._thickest(candidate.id) or 0.0, self.let_go.get(candidate.id, 0.0))
        return Judged(candidate.id, round(thickness, 9), neighbours, settings.mdl_benefit, settings.mdl_neighbours)

    def _is_left(self, node: WeakNode) -> bool:
        """Whether all edges of a node that stays go."""
        links = self.links.get(node.id)
        return bool(links) and node.id not in self.going and not self._staying(node.id)

    def _staying(self, node_id: str) -> list[Thickness]:
        return [
            edge
            for edge in self.links.get(node_id, ())
            if edge.source_id not in self.going and edge.target_id not in self.going
        ]

    def _staying_links(self) -> Iterable[tuple[str, list[Thickness]]]:
        return ((node_id, self._staying(node_id)) for node_id in self.links if node_id not in self.going)

    def _going(self, node_id: str, rule: RemovalRule) -> Going:
        node = self.weak[node_id]
        near = self.verdicts[node_id].neighbour if node_id in self.verdicts and rule == "restorable" else None
        return Going(
            id=node_id,
            version=node.version,
            rule=rule,
            thickness=self._thickest(node_id),
            difficulty=None if near is None else _difficulty(near.similarity),
            neighbour_id=None if near is None else near.id,
            neighbour_version=None if near is None else self.sayings.by_id[near.id].version,
            links=tuple(edge.seq for edge in sorted(self.links.get(node_id, ()), key=_thickness)),
            wave=self.waves.get(node_id, 0),
        )

    def _thickest(self, node_id: str) -> float | None:
        return max((edge.value for edge in self.links.get(node_id, ())), default=None)

    def _weakness(self, node_id: str) -> tuple[float, float, str]:
        near = self.verdicts[node_id].neighbour
        return self._thickest(node_id) or 0.0, 1.0 if near is None else _difficulty(near.similarity), node_id

    def _names(self, ids: Iterable[str]) -> dict[str, NodeRef]:
        wanted = set(ids)
        near = (self.verdicts[node_id].neighbour for node_id in wanted if node_id in self.verdicts)
        wanted |= {each.id for each in near if each is not None}
        order = sorted(wanted)
        pages = (order[start : start + metabolism.PAGE] for start in range(0, len(order), metabolism.PAGE))
        return {ref.id: ref for page in pages for ref in nodes.beginnings(self.tx, self.access, page)}

    def _shown(self, node_id: str, names: Mapping[str, NodeRef]) -> Weak:
        verdict = self.verdicts.get(node_id)
        near = None if verdict is None else verdict.neighbour
        removed = node_id in self.going
        return Weak(
            node=names[node_id],
            removed=removed,
            rule=self.going[node_id] if removed else self.spared[node_id],
            links=len(self.links.get(node_id, ())),
            thickness=self._thickest(node_id),
            difficulty=None if near is None else _difficulty(near.similarity),
            neighbour=None if near is None else names.get(near.id),
            detail=None if verdict is None else verdict.detail,
        )

    def _thickness_figures(self) -> Histogram:
        return Histogram(metabolism.thickness_counts(self.tx, self.access), self._cut("prune_threshold"))

    def _difficulty_figures(self) -> Histogram:
        counts = [0] * metabolism.PARTS
        for verdict in self.verdicts.values():
            if verdict.neighbour is not None:
                value = min(max(_difficulty(verdict.neighbour.similarity), 0.0), 1.0)
                counts[min(int(value * metabolism.PARTS), metabolism.PARTS - 1)] += 1
        return Histogram(tuple(counts), self._cut("mdl_benefit"))

    def _cut(self, name: str) -> float:
        """Of the root itself: what is below it may have cuts of its own."""
        known = self.clocks.settings
        settings = known.get(self.access.root) or next(iter(known.values()), Metabolism())
        return float(getattr(settings, name))


def _difficulty(similarity: float) -> float:
    return round(1.0 - similarity, 6)


def _thickness(edge: Thickness) -> tuple[float, str, str, str]:
    return round(edge.value, 9), edge.source_id, edge.target_id, edge.tag


def _going_order(each: Going) -> tuple[int, float, float, str]:
    return each.wave, each.difficulty or 0.0, each.thickness or 0.0, each.id


def _shown(settings: Metabolism) -> dict[str, object]:
    names = ("half_life_days", "prune_threshold", "protection_hours", "mdl_neighbours", "mdl_benefit", "orphans")
    return {name: getattr(settings, name) for name in names}
