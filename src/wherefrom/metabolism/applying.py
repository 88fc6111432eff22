"""Applies a plan in short transactions, each of which looks again whether what it removes may still go.

First the relations that lose a conflict, then nodes, then thin relations: wherever it is cut off, a plan made by the
same times has exactly the rest to do.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from wherefrom.metabolism.conflicts import Losing
from wherefrom.metabolism.pace import Pace
from wherefrom.metabolism.plan import Going, Planned
from wherefrom.model.access import Access
from wherefrom.model.errors import StoreBusy
from wherefrom.model.identifiers import timestamp
from wherefrom.storage import events, metabolism, retired
from wherefrom.storage.metabolism import Clocks, Run, Thickness
from wherefrom.storage.port import Database, Progress, Transaction
from wherefrom.text.check import json_text

# So many edges of nodes that go are moved at once; a node with more loses them before it goes itself.
_LINKS: Final = 300
_DIGITS: Final = 9

Item = TypeVar("Item")


@dataclass(slots=True)
class Applying:
    """One application of a plan."""

    database: Database
    access: Access
    clocks: Clocks
    clock: Callable[[], datetime]
    run: Run
    progress: Progress
    counts: Counter[str] = field(default_factory=Counter)
    total: int = 0
    done: int = 0
    pace: Pace = field(default_factory=Pace)

    def apply(self, planned: Planned) -> None:
        """All of a plan; whatever interrupts it, what is done stays done."""
        self.total = len(planned.losing) + len(planned.going) + len(planned.thin)
        for losing in self._batches(sorted(planned.losing.items())):
            self._write(len(losing), lambda tx, some=dict(losing): self._lose(tx, some))  # type: ignore[misc]
        for going in self._node_batches(planned.going):
            self._write(len(going), lambda tx, some=going: self._remove(tx, some))  # type: ignore[misc]
        for thin in self._batches(sorted(planned.thin)):
            self._write(len(thin), lambda tx, some=thin: self._prune(tx, some))  # type: ignore[misc]

    def beat(self) -> None:
        """Go on holding the run, if the lease is half over."""
        left = datetime.fromisoformat(self.run.leased_until) - self.clock()
        if left < metabolism.LEASE / 2:
            # If it cannot be done now, the next batch does it, unless somebody else has taken the run.
            with suppress(StoreBusy):
                self.run = self.database.write(lambda tx: metabolism.extend(tx, self.access, self.run, self.clock()))

    def _write(self, items: int, work: Callable[[Transaction], Counter[str]]) -> None:
        def whole(tx: Transaction) -> tuple[Run, Counter[str], float]:
            # Before the snapshot: an edge that comes meanwhile would go without a receipt.
            tx.run("lock_edges_alone", {})
            # From here on others wait; what it waited itself does not count.
            started = time.perf_counter()
            run = metabolism.extend(tx, self.access, self.run, self.clock())
            metabolism.set_clocks(tx, self.clocks)
            return run, work(tx), time.perf_counter() - started

        self.run, counts, taken = self.database.write(whole)
        self.counts += counts
        self.counts["skipped"] += items - counts["nodes"] - counts["own"]
        self.pace.took(taken)
        self.done += items
        self.progress(self.done, self.total)

    def _lose(self, tx: Transaction, losing: Mapping[int, Losing]) -> Counter[str]:
        values = metabolism.thickness_of(tx, self.access, [*losing, *(each.winner.seq for each in losing.values())])
        reasons = {
            seq: {"rule": each.rule, "thickness": round(each.edge.value, _DIGITS), "winner": each.winner.target_id}
            for seq, each in losing.items()
            if _same(values.get(seq), each.edge, free=True) and _same(values.get(each.winner.seq), each.winner)
        }
        return self._retire_edges(tx, reasons, {each.rule for each in losing.values()})

    def _prune(self, tx: Transaction, thin: Sequence[int], *, end: bool = False) -> Counter[str]:
        found = metabolism.thin_edges(tx, self.access, seqs=thin)
        more = {"end": True} if end else {}
        reasons = {edge.seq: {"rule": "thin", "thickness": round(edge.value, _DIGITS), **more} for edge in found}
        return self._retire_edges(tx, reasons, {"thin"})

    def _retire_edges(self, tx: Transaction, reasons: Mapping[int, Mapping[str, Any]], rules: set[str]) -> Counter[str]:
        if not reasons:
            return Counter()
        now = timestamp(self.clock())
        count = retired.retire_edges(tx, self.access, reasons, run_id=self.run.id, now=now)
        payload = {"run_id": self.run.id, "links": count, "rules": sorted(rules)}
        events.record(tx, self.access, "metabolism", payload, namespace=self.access.root, at=now)
        return Counter(links=count, own=count)

    def _remove(self, tx: Transaction, going: Sequence[Going]) -> Counter[str]:
        links = list(metabolism.edges_of(tx, self.access, [each.id for each in going]))
        may = self._still(tx, going, links)
        if not may:
            return Counter()
        now = timestamp(self.clock())
        figures = {each.id: _figures(each) for each in may}
        stand_ins = {each.id: each.neighbour_id for each in may if each.neighbour_id is not None}
        thickness = {edge.seq: round(edge.value, _DIGITS) for edge in links}
        receipt = retired.Receipt(self.run.id, now, "metabolism", figures, stand_ins, thickness)
        gone, count = retired.retire_nodes(tx, self.access, [each.id for each in may], receipt)
        payload = {"run_id": self.run.id, "nodes": [{"id": each.id, **figures[each.id]} for each in may]}
        events.record(tx, self.access, "metabolism", {**payload, "links": count}, namespace=self.access.root, at=now)
        return Counter(nodes=len(gone), links=count)

    def _still(self, tx: Transaction, going: Sequence[Going], links: Sequence[Thickness]) -> list[Going]:
        """Those that are as weak and as restorable as they were when the plan was made."""
        now, ids = timestamp(self.clocks.moment), [each.id for each in going]
        weak = {node.id: node for node in metabolism.weakly_connected_nodes(tx, self.access, now=now, ids=ids)}
        orphans = {node.id: node for node in metabolism.orphan_nodes(tx, self.access, now=now, ids=ids)}
        near = sorted({each.neighbour_id for each in going if each.neighbour_id is not None})
        where = {"owner": self.access.owner, "ids": json_text(near), "now": now}
        versions: dict[str, int] = dict(tx.rows("versions_that_live", where)) if near else {}
        staying = metabolism.standing_in(tx, self.access, ids)
        for edge in links:
            # What this access may not see is not its to let go.
            staying.update(() if edge.free else (edge.source_id, edge.target_id))
        may = []
        for each in going:
            node = orphans.get(each.id) or (weak.get(each.id) if each.rule == "restorable" else None)
            same = node is not None and node.rule is None and node.version == each.version
            kept = each.neighbour_id is None or versions.get(each.neighbour_id) == each.neighbour_version
            if same and kept and each.id not in staying:
                may.append(each)
        return may

    def _batches(self, items: Sequence[Item]) -> Iterator[list[Item]]:
        start = 0
        while start < len(items):
            batch = list(items[start : start + self.pace.size])
            start += len(batch)
            yield batch

    def _node_batches(self, going: Sequence[Going]) -> Iterator[list[Going]]:
        batch: list[Going] = []
        links = 0
        for each in going:
            full = len(batch) >= self.pace.size or links + len(each.links) > _LINKS
            if batch and (full or batch[-1].wave != each.wave):
                yield batch
                batch, links = [], 0
            if len(each.links) > _LINKS:
                self._detach(each)
            batch.append(each)
            links += min(len(each.links), _LINKS)
        if batch:
            yield batch

    def _detach(self, node: Going) -> None:
        """Move the thinnest edges of a node that has very many: they may go, whatever becomes of it."""
        for some in self._batches(node.links[:-_LINKS]):
            self.total += len(some)
            self._write(len(some), lambda tx, some=some: self._prune(tx, some, end=True))  # type: ignore[misc]


def _same(now: Thickness | None, planned: Thickness, *, free: bool = False) -> bool:
    """Whether an edge is as it was planned, and old enough to go."""
    return now is not None and abs(now.value - planned.value) < 10**-_DIGITS and (now.free or not free)


def _figures(each: Going) -> dict[str, Any]:
    """Why a node went, as its receipt and the event say it."""
    figures = {
        "thickness": None if each.thickness is None else round(each.thickness, _DIGITS),
        "difficulty": each.difficulty,
        "neighbour_id": each.neighbour_id,
    }
    return {"rule": each.rule, **{name: value for name, value in figures.items() if value is not None}}
