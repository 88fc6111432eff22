"""Applies a plan in short transactions, each of which checks again that what it removes may go.

Relations that lose a conflict go first, then nodes, then thin relations: wherever it is cut off, a plan made by the
same times has exactly the rest to do.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from wherefrom.metabolism.adaptive_batch import AdaptiveBatch
from wherefrom.metabolism.conflicts import EdgeRemoval
from wherefrom.metabolism.removals import NodeRemoval, Removals
from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy
from wherefrom.model.graph import Edge
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import WHY_SPARED
from wherefrom.storage import edges, events, inheritance, locks, metabolism, nodes, receipts
from wherefrom.storage.metabolism import Clocks, MeasuredGraph, Run, ThickEdge
from wherefrom.storage.port import Database, Progress, Transaction

# The rest is counted.
_MAX_NAMED: Final = 100
# A node with more edges loses the others before it goes itself.
_MAX_EDGES_PER_BATCH: Final = 300
_DIGITS: Final = 9

_CHANGED: Final = "it was changed"
_NOT_WEAK: Final = "it has relations that are not thin"
_NOTHING_NEAR: Final = "what stands for it was changed, or is gone"
_NOT_THIN: Final = "it is not thin any more"
_NOT_AS_THICK: Final = "it, or what excludes it, is not as thick as it was"

Item = TypeVar("Item")


@dataclass(slots=True)
class PlanApplication:
    """One application of a plan."""

    database: Database
    access: Access
    clocks: Clocks
    clock: Callable[[], datetime]
    run: Run
    progress: Progress
    counts: Counter[str] = field(default_factory=Counter)
    stayed: dict[str, str] = field(default_factory=dict)
    total: int = 0
    done: int = 0
    batch: AdaptiveBatch = field(default_factory=AdaptiveBatch)
    left: frozenset[int] = frozenset()
    taken_over: dict[edges.Key, bool] = field(default_factory=dict)

    def apply(self, removals: Removals) -> None:
        """Apply all of a plan; whatever interrupts it, what is done stays done."""
        self.total = len(removals.conflicting) + len(removals.nodes) + len(removals.thin)
        self.left = removals.left
        for conflicting in self._batches(sorted(removals.conflicting.items())):
            self._write(len(conflicting), partial(self._settle, conflicting=dict(conflicting)))
        for some in self._node_batches(removals.nodes):
            self._write(len(some), partial(self._remove, removals=some))
        for thin in self._batches(sorted(removals.thin)):
            self._write(len(thin), partial(self._prune, seqs=thin))

    def beat(self) -> None:
        """Extend the lease of the run once half of it is over."""
        left = datetime.fromisoformat(self.run.leased_until) - self.clock()
        if left < metabolism.LEASE / 2:
            # If it cannot be done now, the next batch does it, unless somebody else has taken the run.
            with suppress(StoreBusy):
                self.run = self.database.write(lambda tx: metabolism.extend(tx, self.access, self.run, self.clock()))

    def _write(self, items: int, work: Callable[[MeasuredGraph], Counter[str]]) -> None:
        def whole(tx: Transaction) -> tuple[Run, Counter[str], float]:
            # Before the snapshot: an edge that comes meanwhile would go without a receipt.
            locks.be_alone(tx, self.access.owner)
            # From here on others wait; what it waited itself does not count.
            started = time.perf_counter()
            run = metabolism.extend(tx, self.access, self.run, self.clock())
            return run, work(MeasuredGraph(tx, self.access, self.clocks)), time.perf_counter() - started

        self.run, counts, taken = self.database.write(whole)
        self.counts += counts
        self.counts["skipped"] += items - counts["nodes"] - counts["own"]
        self.batch.took(taken)
        self.done += items
        self.progress(self.done, self.total)

    def _settle(self, graph: MeasuredGraph, conflicting: Mapping[int, EdgeRemoval]) -> Counter[str]:
        now = graph.edges_by_seq([*conflicting, *(removal.winner.seq for removal in conflicting.values())])
        reasons = {
            seq: {"rule": lost.rule, "thickness": round(lost.edge.value, _DIGITS), "winner": lost.winner.target_id}
            for seq, lost in conflicting.items()
            if _is_same(now.get(seq), lost.edge) and now[seq].free and _is_same(now.get(lost.winner.seq), lost.winner)
        }
        self._name_edges(
            (edge for seq, edge in now.items() if seq in conflicting and seq not in reasons), _NOT_AS_THICK
        )
        return self._retire_edges(graph.tx, reasons, {removal.rule for removal in conflicting.values()})

    def _prune(self, graph: MeasuredGraph, seqs: Sequence[int], **more: Any) -> Counter[str]:
        found = [edge for edge in graph.thin_edges(seqs) if _key(edge) not in self.taken_over]
        if len(found) < len(seqs) and not more:
            missing = set(seqs).difference(edge.seq for edge in found)
            self._name_edges(graph.edges_by_seq(missing).values(), _NOT_THIN)
        reasons = {edge.seq: {"rule": "thin", "thickness": round(edge.value, _DIGITS), **more} for edge in found}
        return self._retire_edges(graph.tx, reasons, {"thin"})

    def _retire_edges(self, tx: Transaction, reasons: Mapping[int, Mapping[str, Any]], rules: set[str]) -> Counter[str]:
        if not reasons:
            return Counter()
        now = timestamp(self.clock())
        count = receipts.retire_edges(tx, self.access, reasons, run_id=self.run.id, now=now)
        payload = {"run_id": self.run.id, "links": count, "rules": sorted(rules)}
        events.record(tx, self.access, "metabolism", payload, about=events.shown_to_nobody(self.access.root), at=now)
        return Counter(links=count, own=count)

    def _remove(self, graph: MeasuredGraph, removals: Sequence[NodeRemoval]) -> Counter[str]:
        tx, measured = graph.tx, list(graph.edges_of([removal.id for removal in removals]))
        may = self._still_removable(graph, removals, measured)
        if not may:
            return Counter()
        now = timestamp(self.clock())
        figures = {removal.id: _figures(removal) for removal in may}
        stand_ins = {removal.id: removal.neighbour.id for removal in may if removal.neighbour is not None}
        thickness = {edge.seq: round(edge.value, _DIGITS) for edge in measured}
        moved = self._hand_over(tx, stand_ins)
        receipt = receipts.Receipt(self.run.id, now, "metabolism", figures, stand_ins, thickness, moved)
        # What was made for one stand-in and moves on to the next is no relation that went.
        touching = [edge for edge in measured if figures.keys() & {edge.source_id, edge.target_id}]
        passing = sum(self.taken_over.get(_key(edge), False) for edge in touching)
        gone, count = receipts.retire_nodes(tx, self.access, list(figures), receipt)
        count -= passing
        told = [{"id": node_id, **why} for node_id, why in figures.items()]
        payload = {"run_id": self.run.id, "nodes": told, "links": count}
        events.record(tx, self.access, "metabolism", payload, about=events.shown_to_nobody(self.access.root), at=now)
        return Counter(nodes=len(gone), links=count)

    def _hand_over(self, tx: Transaction, stand_ins: Mapping[str, str]) -> dict[str, inheritance.Record]:
        """Let stand-ins take over what the nodes have that go for them, but for the relations that the plan leaves.
        What was taken over in place of one of these moves on to the next stand-in.
        """

        def is_taken(seq: int, edge: Edge) -> bool:
            return seq not in self.left or edges.key_of(edge) in self.taken_over

        moved, made = inheritance.hand_over(tx, self.access, stand_ins, is_taken)
        self.taken_over |= made
        return moved

    def _still_removable(
        self, graph: MeasuredGraph, removals: Sequence[NodeRemoval], measured: Sequence[ThickEdge]
    ) -> list[NodeRemoval]:
        """Return the removals whose nodes are as weak and as restorable as they were when the plan was made."""
        ids = [removal.id for removal in removals]
        orphans = {node.id: node for node in graph.orphan_nodes(ids)}
        weak = {node.id: node for node in graph.weakly_connected_nodes(ids)}
        near_ids = sorted({near.id for removal in removals if (near := removal.neighbour)})
        versions, disputed = graph.live_versions(near_ids), graph.disputes(sorted({*ids, *near_ids}))
        staying = dict.fromkeys(graph.standing_in(ids), WHY_SPARED["stands_in"])
        strong = {
            node.id: node for node in graph.judged_nodes([removal.id for removal in removals if removal.is_strong])
        }
        for edge in measured:
            # An edge that this access may not see is not its to let go.
            staying |= {} if edge.free else dict.fromkeys((edge.source_id, edge.target_id), _NOT_WEAK)

        def why_stays(removal: NodeRemoval) -> str | None:
            node = orphans.get(removal.id) or (weak.get(removal.id) if removal.rule == "restorable" else None)
            node = node or strong.get(removal.id)
            near = removal.neighbour
            if node is None:
                return _NOT_WEAK
            if node.rule is not None:
                return WHY_SPARED[node.rule]
            if node.version != removal.version:
                return _CHANGED
            if near is not None and versions.get(near.id) != removal.neighbour_version:
                return _NOTHING_NEAR
            if near is not None and frozenset((removal.id, near.id)) in disputed:
                return WHY_SPARED["disputed"]
            return staying.get(removal.id)

        reasons = {removal.id: why for removal in removals if (why := why_stays(removal)) is not None}
        self._name_nodes(graph, reasons)
        return [removal for removal in removals if removal.id not in reasons]

    def _name_nodes(self, graph: MeasuredGraph, reasons: Mapping[str, str]) -> None:
        """Note why some nodes stay; those that are not here do not."""
        some = list(reasons)[: _MAX_NAMED - len(self.stayed)]
        here = nodes.refs(graph.tx, self.access, some) if some else ()
        self.stayed |= {ref.id: reasons[ref.id] for ref in here}

    def _name_edges(self, some: Iterable[ThickEdge], why: str) -> None:
        """Note why some edges stay."""
        for edge in islice(some, _MAX_NAMED - len(self.stayed)):
            self.stayed[f"{edge.source_id} {edge.tag} {edge.target_id}"] = why

    def _batches(self, items: Sequence[Item]) -> Iterator[list[Item]]:
        start = 0
        while start < len(items):
            batch = list(items[start : start + self.batch.size])
            start += len(batch)
            yield batch

    def _node_batches(self, removals: Sequence[NodeRemoval]) -> Iterator[list[NodeRemoval]]:
        batch: list[NodeRemoval] = []
        seen: set[int] = set()
        for removal in removals:
            full = len(batch) >= self.batch.size or len(seen) + len(removal.edges) > _MAX_EDGES_PER_BATCH
            # An edge between two nodes that go is handed over by one after the other.
            if batch and (full or batch[-1].wave != removal.wave or not seen.isdisjoint(removal.edges)):
                yield batch
                batch, seen = [], set()
            # The thinnest edges of a node that has very many may go, whatever becomes of it.
            spare = [seq for seq in removal.edges[:-_MAX_EDGES_PER_BATCH] if seq in self.left]
            for seqs in self._batches(spare):
                self.total += len(seqs)
                self._write(len(seqs), partial(self._prune, seqs=seqs, end=True))
            batch.append(removal)
            seen.update(removal.edges[-_MAX_EDGES_PER_BATCH:])
        if batch:
            yield batch


def _is_same(now: ThickEdge | None, planned: ThickEdge) -> bool:
    """True if an edge is as thick as it was when the plan was made."""
    return now is not None and abs(now.value - planned.value) < 10**-_DIGITS


def _key(edge: ThickEdge) -> edges.Key:
    return edge.source_id, edge.target_id, edge.tag


def _figures(removal: NodeRemoval) -> dict[str, Any]:
    """Return why a node went, as its receipt and the event say it."""
    figures: dict[str, Any] = {"rule": removal.rule}
    if removal.thickness is not None:
        figures["thickness"] = round(removal.thickness, _DIGITS)
    if removal.neighbour is not None:
        figures |= {"difficulty": removal.neighbour.difficulty, "neighbour_id": removal.neighbour.id}
    return figures
