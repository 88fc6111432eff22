"""Imports a JSONL file: reads all of it first, then writes it in short transactions.

A line that cannot be stored is rejected, and the import goes on. Every record is written at most once: running an
import again, or going on after it was cut off, completes it. Where the store has its own row, the higher version
wins, then the later change. What the access does not see is as if it were not there.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import IO, Any, Final, Protocol

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, WherefromError
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.results import Imported
from wherefrom.storage import bulk_mentions, embeddings, events, nodes, tasks
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Database, Progress
from wherefrom.storage.transfer import load_nodes, load_rest, splitting
from wherefrom.storage.transfer.identities import Identities
from wherefrom.storage.transfer.loaded import missing_reference, name_of
from wherefrom.storage.transfer.reading import Fault, Place, Read, Rejections, batches, parsed
from wherefrom.storage.transfer.records import Record, horizon, refuse_future

# From here on an import changes what the planner should know.
MIN_RECORDS_TO_REFRESH_STATISTICS: Final = 1_000
# The order in which what came too early is tried again: what is named before what names it.
_ORDER: Final = (Task, Query, Node, Edge, Correction)


_VALUES: Final = {kind: attrgetter(*(field.name for field in fields(kind))) for kind in _ORDER}


class Guard(Protocol):
    """What the policies leave of records."""

    def node(self, node: Node) -> Node | None:
        """What may be stored of a node; None if nothing may."""
        ...

    def admitted(self, node: Node) -> Node:
        """What may be stored of a node; raises if nothing may."""
        ...

    def lifetime(self, node: Node) -> timedelta | None:
        """How long a node may live from now on; None is without end."""
        ...

    def refuse_secret(self, text: str, field: str) -> None:
        """Raises if a name, which is kept as it is, holds a secret."""
        ...

    def edge(self, edge: Edge) -> Edge:
        """What may be stored of an edge."""
        ...

    def text(self, text: str, namespace: str) -> str:
        """What may be stored of another text."""
        ...


@dataclass(frozen=True, slots=True)
class Options:
    """How to import: whether long memos are split, where rejected lines are written, and who is told how far it is."""

    progress: Progress
    split: bool = False
    rejects: IO[str] | None = None


def load(
    database: Database,
    access: Access,
    source: IO[bytes],
    *,
    guard: Guard,
    embedder: Embedder | None,
    now: str,
    options: Options,
) -> Imported:
    """Import a seekable file of either format into the access's root."""
    rejections = Rejections(source, options.rejects)
    access = access.writing()
    loader = _Loader(database, access, guard, rejections, now)
    with tempfile.TemporaryFile() as spool, ThreadPoolExecutor(1) as beside:
        read = parsed(source, access, rejections, split=options.split, now=now)
        total = loader.prepare(read, spool)
        for done, batch, made in _embedded(_spooled(spool), embedder, beside):
            loader.write(batch, made)
            options.progress(done, total)
            if done == len(batch) and loader.fills(total):
                database.refresh_statistics()
        for _, batch, made in _embedded(batches(loader.take_postponed()), embedder, beside):
            loader.write(batch, made, final=True)
        loader.finish()
    if total >= MIN_RECORDS_TO_REFRESH_STATISTICS:
        database.refresh_statistics()
        embeddings.prepare(database)
    counts = loader.counts
    payload = {"nodes": counts["nodes_created"], "edges": counts["edges_created"]}
    payload |= {"rejected": rejections.total} if rejections.total else {}
    database.write(lambda tx: events.record(tx, access, "import", payload, namespace=access.namespace, at=now))
    return Imported(**dict[str, Any](counts), rejected=rejections.total, rejections=rejections.shown())


class _Loader:
    """One import: what it did so far, and what came before that which it names."""

    def __init__(self, database: Database, access: Access, guard: Guard, rejections: Rejections, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self._database = database
        self._access = access
        self._guard = guard
        self._rejections = rejections
        self._now = now
        self._horizon = horizon(now)
        self._identities = Identities(access)
        self._postponed: list[Read] = []
        self._last_before = 0
        self._changed: list[str] = []
        self._superseded: dict[str, str] = {}

    def prepare(self, reads: Iterator[Read], spool: IO[bytes]) -> int:
        """Read the whole file before anything is written, and keep what was read; returns how many records it has."""
        total = 0
        for total, batch in batches(self._admitted(reads)):  # the last count is the answer
            # As plain tuples, which are written and read back faster than objects.
            kind = type(batch[0][1])
            kept = total, kind, [(*place, _VALUES[kind](record)) for place, record in batch]
            pickle.dump(kept, spool, protocol=pickle.HIGHEST_PROTOCOL)
            self._database.read(lambda tx, batch=batch: self._identities.rename_hidden(tx, batch))  # type: ignore[misc]
        self._last_before = self._database.read(lambda tx: nodes.last_seq(tx, self._access))
        return total

    def fills(self, total: int) -> bool:
        """True if most of the store will be of this import: plans that were made for an empty store are then slow."""
        return total >= MIN_RECORDS_TO_REFRESH_STATISTICS and total > self._last_before

    def write(self, batch: list[Read], made: Made | None = None, *, final: bool = False) -> None:
        """Write records of one kind in one transaction; unless it is the final try, what comes too early waits."""
        known = self._identities.applied(batch)
        match batch[0][1]:
            case Node():
                loading = load_nodes.Loading(self._access, self._identities, made, self._now, final)
                nodes = self._database.write(lambda tx: load_nodes.load(tx, loading, known))
                self._identities.add(nodes.aliases)
                self._changed += nodes.changed
                self._superseded |= nodes.superseded
                loaded = nodes.loaded
            case Edge():
                loaded = self._database.write(
                    lambda tx: load_rest.load_edges(tx, self._access, known, self._guard.edge)
                )
            case Correction():
                loaded = self._database.write(lambda tx: load_rest.load_corrections(tx, self._access, known))
            case Task() | Query():
                loaded = self._database.write(lambda tx: load_rest.load_tasks(tx, self._access, known))
        self.counts += loaded.counts
        for fault in loaded.faults:
            self._rejections.add(fault)
        if not final:
            self._postponed += loaded.early
            return
        self.counts["edges_skipped"] += sum(isinstance(record, Edge) for _, record in loaded.early)
        for place, record in loaded.early:
            self._rejections.add(missing_reference(place, record))

    def take_postponed(self) -> list[Read]:
        """What came too early, in an order in which each may find what it names."""
        early, self._postponed = self._postponed, []
        return sorted(early, key=lambda read: _ORDER.index(type(read[1])))

    def finish(self) -> None:
        """Find the mentions of all that came in, and what it was replaced by, when all of it is there."""
        self._database.write(
            lambda tx: load_nodes.link_successors(tx, self._access, self._identities, self._superseded)
        )
        bulk_mentions.link_since(
            self._database, self._access, after=self._last_before, changed=self._changed, now=self._now
        )

    def _admitted(self, reads: Iterator[Read]) -> Iterator[Read]:
        """The records as the policies leave them; long memos in parts."""
        for place, record in reads:
            try:
                refuse_future(record, self._horizon)
                if isinstance(record, Node):
                    yield from self._admitted_node(place, record)
                else:
                    yield place, self._cleaned(record)
            except WherefromError as error:
                self.counts["nodes_denied"] += isinstance(record, Node) and isinstance(error, BoundaryDenied)
                self._rejections.add(Fault(place, name_of(record), error))

    def _admitted_node(self, place: Place, node: Node) -> Iterator[Read]:
        self._guard.refuse_secret(node.id, "id")
        self._guard.refuse_secret(node.namespace, "namespace")
        kept = self._guard.admitted(node)
        _refuse_unseen(self._access, kept)
        lifetime = self._guard.lifetime(kept)
        if lifetime is not None:
            latest = timestamp(datetime.fromisoformat(self._now) + lifetime)
            kept = replace(kept, expires_at=min(kept.expires_at or latest, latest))
        if not splitting.is_long(kept):
            yield place, kept
            return
        parts = [self._guard.admitted(part) for part in splitting.parts(kept)]
        self.counts["nodes_split"] += 1
        self._postponed += [(place, link) for link in splitting.links(parts)]
        for part in parts:
            yield place, part

    def _cleaned(self, record: Record) -> Record:
        """A record other than a node, as the policies leave it."""
        match record:
            case Correction():
                return replace(record, reason=self._guard.text(record.reason, self._access.root))
            case Task():
                self._guard.refuse_secret(record.namespace, "namespace")
                _refuse_unseen(self._access, record)
                return tasks.cleaned(record, self._guard.text, elsewhere=self._access.root)
            case Query():
                return tasks.cleaned(record, self._guard.text, elsewhere=self._access.root)
            case Edge():
                self._guard.refuse_secret(record.tag, "tag")
        return record


def _refuse_unseen(access: Access, record: Node | Task) -> None:
    if not access.sees(record.namespace, record.boundary_class):
        raise BoundaryDenied(
            f"this access may not see the boundary class {record.boundary_class!r}, so it cannot save in it",
            hint="open the memory with a tag that this class allows",
        )


def _spooled(spool: IO[bytes]) -> Iterator[tuple[int, list[Read]]]:
    """What `prepare` has read, without parsing and checking it once more."""
    end = spool.tell()
    spool.seek(0)
    while spool.tell() < end:
        total, kind, rows = pickle.load(spool)  # noqa: S301  # a nameless file that only this process has written
        yield total, [(Place(number, offset), kind(*values)) for number, offset, values in rows]


def _embedded(
    batches: Iterator[tuple[int, list[Read]]], embedder: Embedder | None, beside: Executor
) -> Iterator[tuple[int, list[Read], Made | None]]:
    """Each batch with its vectors; those of the next are made while one is written."""

    def make(batch: list[Read]) -> Made | None:
        texts = [embeddings.embedded_text(record) for _, record in batch if isinstance(record, Node)]
        return None if embedder is None else embeddings.made(embedder, texts)

    waiting: tuple[int, list[Read], Future[Made | None]] | None = None
    for done, batch in batches:
        ahead = (done, batch, beside.submit(make, batch))
        if waiting is not None:
            yield waiting[0], waiting[1], waiting[2].result()
        waiting = ahead
    if waiting is not None:
        yield waiting[0], waiting[1], waiting[2].result()
