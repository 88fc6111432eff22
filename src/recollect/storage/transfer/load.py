"""Imports a JSONL file: checks all of it first, then writes it in short transactions.

Every record is written at most once: running an import again, or going on after it was cut off,
completes it. Where the store has its own row, the higher version wins, then the later change.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import fields, replace
from typing import IO, Any, Final, Protocol, cast

from recollect.embedding.port import Embedder
from recollect.model.access import Access
from recollect.model.errors import Conflict
from recollect.model.evidence import Correction, Query, Task
from recollect.model.graph import BoundaryClass, Edge, Node
from recollect.model.results import Imported
from recollect.storage import edges, embeddings, events, evidence, linking, mentions, nodes, tasks, text_index
from recollect.storage.embeddings import Made
from recollect.storage.port import Database, Progress, Transaction
from recollect.storage.statements import inside_parameters
from recollect.storage.transfer import reference_server
from recollect.storage.transfer.reading import batches, parsed
from recollect.storage.transfer.records import Record, Setting
from recollect.text.check import json_text
from recollect.text.tokens import text_of

# From here on an import changes what the planner should know.
_MANY: Final = 1_000
# When a row was written does not make it another row.
_TIMES: Final = frozenset({"created_at", "updated_at", "observed_at", "recency_anchor"})
_TextKey = tuple[str, str, str, str | None, str | None, int | None]


class Guard(Protocol):
    """What the policies leave of records."""

    def node(self, node: Node) -> Node | None:
        """What may be stored of a node; None if nothing may."""
        ...

    def edge(self, edge: Edge) -> Edge:
        """What may be stored of an edge."""
        ...

    def text(self, text: str, namespace: str) -> str:
        """What may be stored of another text."""
        ...


def load(
    database: Database,
    access: Access,
    source: IO[bytes],
    *,
    guard: Guard,
    embedder: Embedder | None,
    now: str,
    progress: Progress,
) -> Imported:
    """Import a seekable file of either format into the access's root."""
    with tempfile.TemporaryFile() as spool, ThreadPoolExecutor(1) as beside:
        loader = _Loader(database, access, guard, now)
        total = _check(database, access, loader.guarded(parsed(source, access, now=now)), spool)
        loader.begin()
        for done, batch, made in _embedded(_spooled(spool), embedder, beside):
            loader.write(batch, made)
            progress(done, total)
        loader.write_postponed()
        loader.link()
    if total >= _MANY:
        database.refresh_statistics()
        embeddings.prepare(database)
    counts = loader.counts
    payload = {"nodes": counts["nodes_created"], "edges": counts["edges_created"]}
    database.write(lambda tx: events.record(tx, access, "import", payload, namespace=access.namespace, at=now))
    return Imported(**counts)


class _Loader:
    """One import: what it did so far, and the edges that came before their ends."""

    def __init__(self, database: Database, access: Access, guard: Guard, now: str) -> None:
        self.counts: Counter[str] = Counter()
        self._database = database
        self._access = access
        self._guard = guard
        self._now = now
        self._aliases: dict[str, str] = {}
        self._postponed: list[Edge] = []
        self._last_before = 0
        self._changed: list[str] = []

    def guarded(self, records: Iterator[Record]) -> Iterator[Record]:
        """The records as the policies leave them; those that may not be stored are counted."""
        for record in records:
            kept: Record | None = record
            if isinstance(record, Node):
                kept = self._guard.node(record)
            elif isinstance(record, Setting):
                kept = replace(record, value=self._guard.text(record.value, record.namespace))
            elif isinstance(record, Correction):
                kept = replace(record, reason=self._guard.text(record.reason, self._access.root))
            elif isinstance(record, Task | Query):
                kept = tasks.cleaned(record, self._guard.text, elsewhere=self._access.root)
            if kept is None:
                self.counts["nodes_denied"] += 1
            else:
                yield kept

    def begin(self) -> None:
        """Note where the new nodes will start."""
        self._last_before = self._database.read(lambda tx: linking.last(tx, self._access))

    def link(self) -> None:
        """Find the mentions of all that came in, when all of it is there."""
        linking.link_since(self._database, self._access, after=self._last_before, changed=self._changed, now=self._now)

    def write(self, batch: list[Record], made: Made | None = None) -> None:
        """Write records of one kind in one transaction."""
        match batch[0]:
            case Node():
                nodes_batch = [_on_page(node, self._aliases) for node in cast(list[Node], batch)]
                counts, aliases, changed = self._database.write(
                    lambda tx: _load_nodes(tx, self._access, nodes_batch, made, self._now)
                )
                self._aliases |= aliases
                self._changed += changed
            case Edge():
                edges_batch = [_redirected(edge, self._aliases) for edge in cast(list[Edge], batch)]
                counts, early = self._database.write(lambda tx: _load_edges(tx, self._access, edges_batch, self._guard))
                self._postponed += early
            case Correction():
                known = [_about(each, self._aliases) for each in cast(list[Correction], batch)]
                loaded = self._database.write(lambda tx: evidence.load_corrections(tx, self._access, known))
                counts = Counter(corrections=loaded)
            case Task() | Query():
                some = cast(list[Task | Query], batch)
                counts = self._database.write(lambda tx: tasks.load(tx, self._access, some))
            case Setting():
                settings = cast(list[Setting], batch)
                counts = self._database.write(lambda tx: _load_settings(tx, self._access, settings))
        self.counts += counts

    def write_postponed(self) -> None:
        """Try the edges that came too early again; those that still lack an end are skipped."""
        early, self._postponed = self._postponed, []
        for _, batch in batches(iter(early)):
            self.write(batch)
        self.counts["edges_skipped"] += len(self._postponed)


def _check(database: Database, access: Access, records: Iterator[Record], spool: IO[bytes]) -> int:
    """Read the whole file before anything is written, and keep what was read; returns how many records it has."""
    total = 0
    for total, batch in batches(records):  # the last count is the answer
        pickle.dump((total, batch), spool, protocol=pickle.HIGHEST_PROTOCOL)
        if isinstance(batch[0], Node):
            ids = json_text([node.id for node in cast(list[Node], batch)])
            for row in database.read(lambda tx, ids=ids: tx.rows("node_places", {"owner": access.owner, "ids": ids})):  # type: ignore[misc]
                _refuse_hidden(access, *row[:3])
    return total


def _spooled(spool: IO[bytes]) -> Iterator[tuple[int, list[Record]]]:
    """What `_check` has read, without parsing and checking it once more."""
    end = spool.tell()
    spool.seek(0)
    while spool.tell() < end:
        yield pickle.load(spool)  # noqa: S301  # a nameless file that only this process has written


def _embedded(
    batches: Iterator[tuple[int, list[Record]]], embedder: Embedder | None, beside: Executor
) -> Iterator[tuple[int, list[Record], Made | None]]:
    """Each batch with its vectors; those of the next are made while one is written."""

    def make(batch: list[Record]) -> Made | None:
        texts = [text_of(record.title, record.content) for record in batch if isinstance(record, Node)]
        return None if embedder is None else embeddings.made(embedder, texts)

    waiting: tuple[int, list[Record], Future[Made | None]] | None = None
    for done, batch in batches:
        ahead = (done, batch, beside.submit(make, batch))
        if waiting is not None:
            yield waiting[0], waiting[1], waiting[2].result()
        waiting = ahead
    if waiting is not None:
        yield waiting[0], waiting[1], waiting[2].result()


def _load_nodes(
    tx: Transaction, access: Access, batch: list[Node], made: Made | None, now: str
) -> tuple[Counter[str], dict[str, str], list[str]]:
    """Insert or update nodes; returns the aliases and what was updated.

    A new one whose text is already there becomes an alias of the one that has it.
    """
    tx.run("lock_edges_alone", {})
    rows = tx.rows("nodes_by_id", {"owner": access.owner, "ids": json_text([node.id for node in batch])})
    known = {node.id: node for node in map(nodes.from_row, rows)}
    for node in known.values():
        _refuse_hidden(access, node.id, node.namespace, node.boundary_class)
    hashes = json_text([node.content_hash for node in batch])
    rows = tx.rows("nodes_by_hash", {"owner": access.owner, "hashes": hashes, **inside_parameters("root", access.root)})
    holders: dict[_TextKey, str] = {row[1:]: row[0] for row in rows}
    later = {node.id: _later(node, known[node.id]) for node in batch if node.id in known}
    changed, refused = _settle([node for node in later.values() if node is not None], known, holders)
    new: list[Node] = []
    aliases: dict[str, str] = {}
    for given in batch:
        node = _on_page(given, aliases)
        if node.id not in known:
            holder = holders.setdefault(_text_key(node), node.id)
            if holder == node.id:
                new.append(node)
                known[node.id] = node
            else:
                aliases[node.id] = holder
    counts = Counter(
        nodes_created=len(new),
        nodes_updated=len(changed),
        nodes_refused=refused,
        nodes_duplicate=len(aliases),
        nodes_unchanged=len(batch) - len(new) - len(changed) - refused - len(aliases),
    )
    # Changes first: a new node may have the text that a changed one gave up.
    tx.run_many("node_replace", ({"owner": access.owner, **nodes.to_parameters(node)} for node in changed))
    tx.run_many("node_insert", ({"owner": access.owner, **nodes.to_parameters(node)} for node in new))
    text_index.write(tx, access, changed, new=False)
    text_index.write(tx, access, new, new=True)
    embeddings.write(tx, access, changed, made, new=False, now=now)
    embeddings.write(tx, access, new, made, new=True, now=now)
    mentions.forget(tx, access, changed)
    mentions.add_names(tx, access, (*changed, *new))
    fragments = [node.id for node in (*changed, *new) if node.kind == "fragment"]
    if fragments:
        tx.run("fragments_follow_pages", {"owner": access.owner, "ids": json_text(fragments)})
    moved = [node.id for node in changed]
    for page in [node for node in changed if node.kind == "page"]:
        nodes.date_fragments(tx, access, page)
        moved += nodes.restrict_fragments(tx, access, page)
    if moved:
        tx.run("edges_follow_nodes", {"owner": access.owner, "ids": json_text(moved)})
    return counts, aliases, [node.id for node in changed]


def _settle(wanted: list[Node], known: Mapping[str, Node], holders: dict[_TextKey, str]) -> tuple[list[Node], int]:
    """The changes that can be made, in an order in which each finds its text free; and how many cannot."""
    settled: list[Node] = []
    while True:
        waiting = []
        for node in wanted:
            if holders.get(_text_key(node), node.id) != node.id:
                waiting.append(node)
                continue
            holders.pop(_text_key(known[node.id]), None)
            holders[_text_key(node)] = node.id
            settled.append(node)
        if len(waiting) in (0, len(wanted)):
            return settled, len(waiting)
        wanted = waiting


def _load_edges(tx: Transaction, access: Access, batch: list[Edge], guard: Guard) -> tuple[Counter[str], list[Edge]]:
    """Insert or update edges; returns those with an end that is not there (yet)."""
    tx.run("lock_edges_shared", {})
    ids = sorted({end for edge in batch for end in (edge.source_id, edge.target_id)})
    rows = tx.rows("node_places", {"owner": access.owner, "ids": json_text(ids)})
    places = {row[0]: row[1:] for row in rows if access.sees(row[1], row[2])}
    sources = json_text(sorted({edge.source_id for edge in batch}))
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": sources})
    known = {(edge.source_id, edge.target_id, edge.tag): edge for edge in map(edges.from_row, rows)}
    counts: Counter[str] = Counter()
    new: list[Edge] = []
    changed: list[Edge] = []
    early: list[Edge] = []
    for incoming in batch:
        if incoming.source_id not in places or incoming.target_id not in places:
            early.append(incoming)
            continue
        edge = guard.edge(edges.placed(incoming, places[incoming.source_id], places[incoming.target_id]))
        mine = known.setdefault((edge.source_id, edge.target_id, edge.tag), edge)
        other = evidence.rival(edge, known)
        if other is not None and not _is_newer(edge, other):
            counts["edges_unchanged"] += 1
            if mine is edge:
                del known[edge.source_id, edge.target_id, edge.tag]
            continue
        if other is not None:
            tx.run("edge_delete", {"owner": access.owner, **edges.to_parameters(other)})
            new = [each for each in new if each is not other]
            del known[other.source_id, other.target_id, other.tag]
        if mine is edge:
            new.append(edge)
            counts["edges_created"] += 1
        elif _is_newer(edge, mine):
            changed.append(edge)
            counts["edges_updated"] += 1
        else:
            counts["edges_unchanged"] += 1
    tx.run_many("edge_insert", ({"owner": access.owner, **edges.to_parameters(edge)} for edge in new))
    tx.run_many("edge_replace", ({"owner": access.owner, **edges.to_parameters(edge)} for edge in changed))
    return counts, early


def _load_settings(tx: Transaction, access: Access, batch: list[Setting]) -> Counter[str]:
    tx.run_many(
        "setting_save",
        (
            {"owner": access.owner, **{field.name: getattr(setting, field.name) for field in fields(Setting)}}
            for setting in batch
        ),
    )
    return Counter(settings=len(batch))


def _later(incoming: Node, mine: Node) -> Node | None:
    """What an incoming node makes of ours, or None if ours stays: the higher version wins, then the later change."""
    if incoming.provenance.get("source") == reference_server.SOURCE:
        return _imported_again(incoming, mine)
    if _says_the_same(nodes.to_parameters(incoming), nodes.to_parameters(mine)):
        return None
    return incoming if (incoming.version, incoming.updated_at) > (mine.version, mine.updated_at) else None


def _imported_again(incoming: Node, mine: Node) -> Node | None:
    """A file without versions: it changes what the last import of it wrote, and not what was changed here since."""
    untouched = mine.provenance.get("imported_hash") == mine.content_hash
    if not untouched or incoming.content_hash == mine.content_hash:
        return None
    return replace(incoming, created_at=mine.created_at, version=mine.version + 1)


def _is_newer(incoming: Edge, mine: Edge) -> bool:
    if _says_the_same(edges.to_parameters(incoming), edges.to_parameters(mine)):
        return False
    return (incoming.version, incoming.updated_at) > (mine.version, mine.updated_at)


def _says_the_same(incoming: dict[str, Any], mine: dict[str, Any]) -> bool:
    return all(value == mine[name] for name, value in incoming.items() if name not in _TIMES)


def _text_key(node: Node) -> _TextKey:
    return node.namespace, node.kind, node.content_hash, node.task_id, node.page_id, node.position


def _refuse_hidden(access: Access, node_id: str, namespace: str, boundary_class: BoundaryClass) -> None:
    if not access.sees(namespace, boundary_class):
        raise Conflict(f"node {node_id} exists where this access may not see it; nothing was written")


def _on_page(node: Node, aliases: Mapping[str, str]) -> Node:
    """A fragment on the page that has its page's URL here."""
    return replace(node, page_id=aliases.get(node.page_id, node.page_id)) if node.page_id else node


def _about(correction: Correction, aliases: Mapping[str, str]) -> Correction:
    source = correction.source_id
    return replace(
        correction,
        claim_id=aliases.get(correction.claim_id, correction.claim_id),
        source_id=source and aliases.get(source, source),
    )


def _redirected(edge: Edge, aliases: Mapping[str, str]) -> Edge:
    source = aliases.get(edge.source_id, edge.source_id)
    target = aliases.get(edge.target_id, edge.target_id)
    return replace(edge, source_id=source, target_id=target)
