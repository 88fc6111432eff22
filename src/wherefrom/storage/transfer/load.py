"""Imports a JSONL file in short transactions.

A line that cannot be stored is rejected, and the import goes on. Every record is written at most once: running an
import again, or going on after it was cut off, completes it. Where the store has its own row, the higher version
wins, then the later change. What the access does not see is as if it were not there.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import IO, Any, Final, NamedTuple

from wherefrom.embedding.port import Embedder
from wherefrom.model.access import Access
from wherefrom.model.errors import Conflict, NotFound
from wherefrom.model.evidence import Correction, Query, Task
from wherefrom.model.graph import HUMAN, Edge, Node
from wherefrom.model.results import Imported
from wherefrom.model.stand_ins import StandIn
from wherefrom.storage import (
    bulk_mentions,
    edges,
    embeddings,
    events,
    evidence,
    locks,
    nodes,
    stand_ins,
    tasks,
    versions,
)
from wherefrom.storage.embeddings import Made
from wherefrom.storage.node_texts import NodeText
from wherefrom.storage.port import Database, Progress, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer.admission import CONTINUES, Guard
from wherefrom.storage.transfer.collecting import collecting_seldom
from wherefrom.storage.transfer.load_nodes import Loaded, NodeBatch, is_later, store_successors
from wherefrom.storage.transfer.preparing import Prepared, Preparer
from wherefrom.storage.transfer.processes import prepared_blocks
from wherefrom.storage.transfer.reading import Block, Read, Rejections, batches, blocks, header_of, line_count
from wherefrom.storage.transfer.records import RECORDS, Record
from wherefrom.storage.versions import Version
from wherefrom.text.check import json_text

# From here on an import that is a tenth of the store changes what the planner should know.
_MIN_LINES_TO_REFRESH_STATISTICS: Final = 200
_MIN_LINES_TO_PREPARE_VECTORS: Final = 1_000
# The order in which records that came too early are tried again: those that are named before those that name them.
_FINAL_ORDER: Final = tuple(RECORDS.values())
_ID_SPACE: Final = uuid.UUID("7a0c5c53-3f0e-5b3d-9a64-6a1c2f7a9e05")
# The statements that find ids which are taken out of sight, by the kind of record.
_HIDDEN: Final = {Node: "nodes_hidden", Task: "tasks_hidden", Query: "queries_hidden"}
# The fields of a record that name other records, and the kinds of those.
_REFERENCES: Final[Mapping[type, Mapping[str, type]]] = {
    Task: {},
    Query: {"task_id": Task, "parent_query_id": Query},
    Node: {"page_id": Node, "task_id": Task},
    Edge: {"source_id": Node, "target_id": Node},
    Correction: {"claim_id": Node, "source_id": Node},
    StandIn: {"stand_in_id": Node, "leads_to_id": Node},
}
# The words for what a record names, in the error that it is missing.
_NAMED: Final[Mapping[type, str]] = {
    Query: "its task {record.task_id}",
    Node: "its page {record.page_id}",
    Version: "the memo that it is a version of",
    Edge: "an end of the edge",
    Correction: "the claim that it corrects, or its source,",
    StandIn: "the node that stands for it, {record.leads_to_id},",
}


@dataclass(frozen=True, slots=True)
class Options:
    """How to import: who is told of the bytes done, whether long memos are split, where rejected lines are written."""

    progress: Progress
    split: bool = False
    rejects: IO[str] | None = None


class _Steps:
    """Tells how far an import is. Half of the progress is storing, half is finding mentions."""

    def __init__(self, progress: Progress, size: int) -> None:
        self._progress = progress
        self._size = size
        progress(0, 2 * size)

    def read(self, position: int) -> None:
        """Tell that a file is stored up to a position."""
        self._progress(min(position, self._size), 2 * self._size)

    def linking(self, total: int) -> Callable[[int], None]:
        """Return what is called with each number of nodes, of so many, whose mentions are found."""
        left = total

        def linked(number: int) -> None:
            nonlocal left
            left = max(left - number, 0)
            self._progress(2 * self._size - self._size * left // max(total, 1), 2 * self._size)

        return linked


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
    access = access.writing()
    rejections = Rejections(options.rejects)
    lines = line_count(source)
    steps = _Steps(options.progress, source.tell())
    rejections.header = header_of(source, access=access, split=options.split, now=now)
    is_ours = rejections.header is not None
    preparer = Preparer(access, guard, embedder, is_ours=is_ours, split=options.split, now=now)
    loader = _Loader(database, access, guard, rejections, now)
    is_felt = lines >= _MIN_LINES_TO_REFRESH_STATISTICS and lines > loader.last_before // 10
    # Plans that were made for an empty store are slow if most of the store comes in now.
    is_stale = is_felt and lines > loader.last_before
    given = blocks(source, rejections, split=options.split)
    with collecting_seldom(), prepared_blocks(given, preparer, lines=lines, beside=loader.is_far) as prepared:
        for block, found in prepared:
            loader.take(block, found)
            steps.read(block.end)
            if is_stale:
                database.refresh_statistics(access.owner)
                is_stale = False
    loader.write_early(embedder)
    if is_felt:  # also for the statements that link mentions
        database.refresh_statistics(access.owner)
    loader.finish(steps)
    if lines >= _MIN_LINES_TO_PREPARE_VECTORS:
        database.refresh_statistics(access.owner)
        embeddings.prepare(database)
    counts = loader.counts
    payload = {"nodes": counts["nodes_created"], "edges": counts["edges_created"]}
    payload |= {"rejected": rejections.total} if rejections.total else {}
    about = events.about_place(access, access.namespace)
    database.write(lambda tx: events.record(tx, access, "import", payload, about=about, at=now))
    told: dict[str, Any] = {"rejected": rejections.total, "rejections": rejections.shown()}
    return Imported(**dict[str, Any](counts), **told, redacted=dict(loader.redacted))


class _Batch(NamedTuple):
    """Records of one kind, with the vectors and what else was made of the nodes among them."""

    reads: list[Read]
    made: Made | None
    texts: Mapping[str, NodeText] = MappingProxyType({})


class _Loader:
    """Writes the records of one import.

    An owner has an id once. A record whose id belongs to something that the access does not see gets another id; all
    records that name the old id then name the new one. A node whose text is here already is an alias of the one here.
    """

    def __init__(self, database: Database, access: Access, guard: Guard, rejections: Rejections, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self.last_before, self.is_far = database.read(lambda tx: (nodes.last_seq(tx, access), tx.dialect.is_far))
        self._database = database
        self._early: list[Read] = []
        self._access = access
        self._guard = guard
        self._rejections = rejections
        self._now = now
        self._aliases: dict[str, str] = {}
        self._replaced: dict[tuple[type, str], str] = {}
        self._superseded: dict[str, str] = {}

    def take(self, block: Block, prepared: Prepared) -> None:
        """Write what was prepared of a block, in one transaction for each run of records of one kind."""
        for place, error in prepared.rejected:
            self._rejections.add(block.lines[place], error)
        self.counts += prepared.counts
        self.redacted += prepared.redacted
        # Links wait until the end, and the texts of the file must not wait with them.
        for place, memo_id, link in prepared.links:
            line = block.lines[place]._replace(text=json_text({"id": memo_id}).encode())
            self._early.append((line, link))
        reads = ((block.lines[place], record) for place, record in prepared.reads)
        for batch in batches(reads):
            self._write(_Batch(batch, prepared.made, prepared.texts))

    def write_early(self, embedder: Embedder | None) -> None:
        """Write the records that came before those that they name."""
        for batch in batches(sorted(self._early, key=lambda read: _FINAL_ORDER.index(type(read[1])))):
            texts = [embeddings.embedded_text(record) for _, record in batch if isinstance(record, Node)]
            made = None if embedder is None else embeddings.made(embedder, texts)
            self._write(_Batch(batch, made), final=True)

    def _write(self, batch: _Batch, *, final: bool = False) -> None:
        """Write records of one kind in one transaction; a record that comes too early waits for the final try."""
        # The last write of an import waits for the disk, and with it for all that came before.
        loaded = self._database.write_unsynced(lambda tx: self._loaded(tx, batch, final=final))
        self.counts += loaded.counts
        self._aliases |= loaded.aliases
        self._superseded |= loaded.superseded
        for line, error in loaded.faults:
            self._rejections.add(line, error)
        if not final:
            self._early += loaded.early
            return
        for line, record in loaded.early:
            self.counts["edges_skipped"] += isinstance(record, Edge)
            what = _NAMED[type(record)].format(record=record)
            reason = f"{what} is neither here nor in a line that can be stored"
            self._rejections.add(line, NotFound(reason, hint="import it together with what it names"))

    def finish(self, steps: _Steps) -> None:
        """Note the successors of nodes, and find the mentions in all that came in, now that all of it is there."""
        successors = {node_id: self._node_id(heir) for node_id, heir in self._superseded.items()}
        self._database.write(lambda tx: store_successors(tx, self._access, successors))
        stored = self.counts["nodes_created"] + self.counts["nodes_updated"]
        bulk_mentions.link_due(
            self._database,
            self._access,
            had_nodes=self.last_before > 0,
            now=self._now,
            linked=steps.linking(stored),
        )

    def _loaded(self, tx: Transaction, batch: _Batch, *, final: bool) -> Loaded:
        kind = type(batch.reads[0][1])
        if kind in (Node, Version):
            locks.be_alone(tx, self._access.owner)
        known = self._with_own_ids(tx, batch.reads)
        if kind is Node:
            return NodeBatch(tx, self._access, known, now=self._now, final=final).load(batch.made, batch.texts)
        if kind is Version:
            return _load_versions(tx, self._access, known, self._aliases)
        if kind is Edge:
            return _load_edges(tx, self._access, known, self._guard.edge)
        if kind is StandIn:
            return _load_stand_ins(tx, self._access, known)
        return _load_others(tx, self._access, known)

    def _with_own_ids(self, tx: Transaction, batch: Sequence[Read]) -> list[Read]:
        """Return records of one kind with the ids that they have here."""
        ids = [record.id for _, record in batch if isinstance(record, Node | Task | Query)]
        if ids:
            self._replace_hidden(tx, type(batch[0][1]), ids)
        if not self._replaced and not self._aliases:
            return list(batch)
        return [(line, self._renamed(record)) for line, record in batch]

    def _node_id(self, node_id: str) -> str:
        """Return the id of the node that stands for this one here."""
        own = self._replaced.get((Node, node_id), node_id)
        return self._aliases.get(own, own)

    def _renamed(self, record: Record) -> Record:
        if isinstance(record, Version):
            node = self._renamed(record.node)
            assert isinstance(node, Node)
            return replace(record, node=node)
        ids: dict[str, Any] = {}
        for field, kind in _REFERENCES[type(record)].items():
            named = getattr(record, field)
            ids[field] = self._node_id(named) if named and kind is Node else self._replaced.get((kind, named), named)
        if isinstance(record, Node | Task | Query):
            # Not the alias of a node: its text may have become another one since.
            ids["id"] = self._replaced.get((type(record), record.id), record.id)
        return replace(record, **ids)

    def _replace_hidden(self, tx: Transaction, kind: type, ids: Iterable[str]) -> None:
        """Give ids that are taken out of sight another one, made from them, so that importing them again finds it."""
        access, scope = self._access, scope_parameters(self._access)
        sight = "\n".join([access.root, *access.classes, *access.hidden, ""])
        names = {old: old for old in ids}
        while hidden := {row[0] for row in tx.rows(_HIDDEN[kind], {**scope, "ids": json_text([*names.values()])})}:
            # Another access may have taken the new id as well.
            names = {old: str(uuid.uuid5(_ID_SPACE, f"{sight}\n{new}")) for old, new in names.items() if new in hidden}
            self._replaced |= {(kind, old): new for old, new in names.items()}


def _load_others(tx: Transaction, access: Access, batch: Sequence[Read]) -> Loaded:
    """Import tasks, or queries of tasks, or corrections of claims, as far as the access sees what they name."""
    loaded = Loaded()
    wanted = json_text(sorted({record.task_id for _, record in batch if isinstance(record, Query)}))
    seen_tasks = {row[0] for row in tx.rows("tasks_here", {**scope_parameters(access), "ids": wanted})}
    corrections = [record for _, record in batch if isinstance(record, Correction)]
    named = {name for record in corrections for name in (record.claim_id, record.source_id) if name is not None}
    kinds = {node.id: node.kind for node in nodes.by_ids(tx, access, sorted(named)).values()}
    for line, record in batch:
        if isinstance(record, Task):
            loaded.counts["tasks"] += tasks.save(tx, access, record, imported=True)
        elif isinstance(record, Query) and record.task_id in seen_tasks:
            loaded.counts["queries"] += tasks.save_query(tx, access, record, imported=True)
        elif (
            isinstance(record, Correction)
            and kinds.get(record.claim_id) == "claim"
            and (record.source_id is None or record.source_id in kinds)
        ):
            loaded.counts["corrections"] += evidence.note(tx, access, record, imported=True)
        else:
            loaded.early.append((line, record))
    return loaded


def _load_stand_ins(tx: Transaction, access: Access, batch: Sequence[Read]) -> Loaded:
    """Store which nodes stand for others that went, as far as the access sees them."""
    loaded, given = Loaded(), [(line, record) for line, record in batch if isinstance(record, StandIn)]
    here = nodes.by_ids(tx, access, sorted({pointer.leads_to_id for _, pointer in given}))
    loaded.early.extend(read for read in given if read[1].leads_to_id not in here)
    refused = stand_ins.add(tx, access, [pointer for _, pointer in given if pointer.leads_to_id in here])
    loaded.faults.extend((line, refused[pointer]) for line, pointer in given if pointer in refused)
    return loaded


def _load_versions(tx: Transaction, access: Access, batch: Sequence[Read], aliases: Mapping[str, str]) -> Loaded:
    """Store the former versions of nodes that are here, but not of a node whose text another one has here."""
    loaded, given = Loaded(), [(line, record) for line, record in batch if isinstance(record, Version)]
    here = nodes.by_ids(tx, access, sorted({former.node.id for _, former in given}))
    new: list[Version] = []
    for line, former in given:
        node = here.get(former.node.id)
        if node is None and former.node.id not in aliases:
            loaded.early.append((line, former))
        elif node is not None and node.kind == former.node.kind and former.node.version < node.version:
            new.append(former)
    loaded.counts["versions"] += versions.add(tx, access, new, here)
    return loaded


def _load_edges(tx: Transaction, access: Access, batch: Sequence[Read], guard: Callable[[Edge], Edge]) -> Loaded:
    """Insert or update edges between nodes that the access sees."""
    locks.share(tx, access.owner)
    given = [(line, edge) for line, edge in batch if isinstance(edge, Edge)]
    ends = edges.ends_of(tx, access, (edge for _, edge in given))
    sources = json_text(sorted({edge.source_id for _, edge in given}))
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": sources})
    stored = {edges.key_of(edge): edge for edge in (Edge(*row) for row in rows)}
    known = dict(stored)
    loaded = Loaded()
    for line, incoming in given:
        if incoming.source_id not in ends or incoming.target_id not in ends:
            loaded.early.append((line, incoming))
            continue
        edge = guard(edges.placed(incoming, ends[incoming.source_id], ends[incoming.target_id]))
        key, rival = edges.key_of(edge), evidence.rival(edge, known)
        held = rival or known.get(key)
        # Parts of a split memo with the same text are one memo.
        is_loop = edge.tag == CONTINUES and edge.source_id == edge.target_id
        if is_loop or (held is not None and not is_later(edges.to_parameters(edge), edges.to_parameters(held))):
            loaded.counts["edges_unchanged"] += 1
            continue
        if held is not None and held.judge == HUMAN != edge.judge:
            error = Conflict("a person has corrected this judgement", hint="correct it again to change it")
            loaded.faults.append((line, error))
            continue
        if key not in known:
            loaded.counts["edges_created"] += 1
        else:
            loaded.counts["edges_updated" if key in stored else "edges_unchanged"] += 1
        if rival is not None:
            del known[edges.key_of(rival)]
        known[key] = edge
    edges.remove(tx, access, [edge for key, edge in stored.items() if key not in known])
    edges.insert(tx, access, [edge for key, edge in known.items() if key not in stored])
    edges.replace_many(tx, access, [edge for key, edge in known.items() if edge is not stored.get(key, edge)])
    return loaded
