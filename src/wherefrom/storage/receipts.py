"""Receipts: nodes and edges that are let go are kept in full, can be brought back as they were, and are purged."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Edge, Node
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import Restored
from wherefrom.storage import edges, embeddings, events, nodes
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.storage.transfer.records import line
from wherefrom.text.check import content_hash, json_text

if TYPE_CHECKING:
    from wherefrom.storage.transfer.load import Guard

KEPT: Final = timedelta(days=30)
MAX_NODES_PER_EDGE_SIDE: Final = 100
_MAX_PURGED_AT_ONCE: Final = 2_000
# Remembers that somebody wanted a node back: it is not let go again as long as receipts are kept.
_MARK: Final = {
    "kind": "restored",
    "content": "{}",
    "reason": '{"rule":"restored"}',
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What stands in `retired` beside the rows: the run, the time, why each node went, what stands in for it, and how
    thick the edges were that go with it.
    """

    run_id: str
    now: str
    rule: str
    reasons: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    thickness: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """What to bring back: one node, what one run let go, or everything since a time."""

    node_id: str | None = None
    run_id: str | None = None
    since: str | None = None


@dataclass(frozen=True, slots=True)
class RestoredBatch:
    """Nodes that came back, and those that cannot, with the reason."""

    node_ids: list[str]
    skipped: dict[str, str]


@dataclass(frozen=True, slots=True)
class EdgeSide:
    """Nodes whose edges are to come back: the edges into them, or the edges out of them."""

    ids: Sequence[str]
    into: bool


def retire_nodes(
    tx: Transaction, access: Access, ids: Sequence[str], receipt: Receipt, *, instead: Mapping[str, Node] | None = None
) -> tuple[list[str], int]:
    """Move nodes to `retired` with all that belongs to them; returns the nodes and how many edges went with them.
    instead: what to keep of a node, where it may not be kept as it is.
    """
    access = access.writing()
    where = {"owner": access.owner, "ids": json_text(ids)}
    going = [(row[0], nodes.from_row(row[1:])) for row in tx.rows("nodes_going", where)]
    if instead is not None:
        going = [(seq, instead.get(node.id, node)) for seq, node in going]
    gone = [node.id for _, node in going]
    where = {"owner": access.owner, "ids": json_text(gone)}
    touching = [(row[0], edges.from_row(row[1:])) for row in tx.rows("edges_going", where)]
    places = {node.id: node.namespace for _, node in going}
    rows = [_node_row(seq, node, receipt) for seq, node in going]
    rows += _attached(tx, where, places, vectors=instead is None)
    rows += [_edge_row(seq, edge, _with_end(seq, receipt)) for seq, edge in touching]
    plain = {"reason": json_text({"rule": receipt.rule})}
    _keep(tx, access, [{**plain, **row} for row in rows], run_id=receipt.run_id, now=receipt.now)
    nodes.remove(tx, access, gone)
    return gone, len(touching)


def retire_edges(
    tx: Transaction, access: Access, reasons: Mapping[int, Mapping[str, Any]], *, run_id: str, now: str
) -> int:
    """Move edges to `retired`, each with its reason; returns how many there were."""
    access = access.writing()
    where = {"owner": access.owner, "seqs": json_text(sorted(reasons))}
    found = [(row[0], edges.from_row(row[1:])) for row in tx.rows("edges_numbered", where)]
    _keep(tx, access, [_edge_row(seq, edge, reasons[seq]) for seq, edge in found], run_id=run_id, now=now)
    tx.run("edges_delete", where)
    return len(found)


def restore_nodes(
    tx: Transaction, access: Access, wanted: RestoreRequest, guard: Guard, *, after: int, limit: int, now: str
) -> tuple[RestoredBatch, int | None]:
    """Bring back some nodes with all that belongs to them but their edges, as the policies leave them. Also returns
    after which receipt to go on; None if that was all.
    """
    access, limit = access.writing(), 1 if wanted.node_id is not None else limit
    rows = tx.rows("retired_nodes", {**_where(access, wanted), "after": after, "limit": limit})
    were = {node.id: node for node in map(_node, rows) if access.sees(node.namespace, node.boundary_class)}
    found, denied = _guarded(access, were, guard)
    skipped = denied | _refused(tx, access, found, now=now)
    back = {node_id: node for node_id, node in found.items() if node_id not in skipped}
    texts = {node_id: (node.title, node.content) for node_id, node in were.items()}
    cleaned = [node.id for node in back.values() if (node.title, node.content) != texts[node.id]]
    tx.run("retired_vectors_forget", {"owner": access.owner, "ids": json_text(cleaned)})
    numbers = {row[2]: row[4] for row in rows}
    seqs = _insert(tx, access, list(back.values()), numbers, now=now)
    receipts = [row for row in rows if row[2] in back]
    _restore_attached(tx, access, receipts)
    embeddings.settle(tx, access, seqs.values())
    marks = [{**_MARK, "node_id": node.id, "namespace": node.namespace} for node in back.values()]
    _keep(tx, access, marks, run_id="restored", now=now)
    tx.run("retired_delete", {"owner": access.owner, "seqs": json_text([row[0] for row in receipts])})
    last = rows[-1][0] if len(rows) == limit and wanted.node_id is None else None
    return RestoredBatch(list(back), skipped), last


def restore_edges(
    tx: Transaction,
    access: Access,
    wanted: RestoreRequest,
    around: EdgeSide | None,
    guard: Guard,
    *,
    after: int,
    limit: int,
) -> tuple[int, int | None]:
    """Bring back edges whose ends are both here: those of a run or since a time; or, around some nodes, those that
    went with one of their ends.

    Returns how many, and after which receipt to go on.
    """
    access = access.writing()
    ids = None if around is None else json_text(around.ids)
    into = around is not None and around.into
    where = {"sources": None if into else ids, "targets": ids if into else None, "after": after, "limit": limit}
    rows = tx.rows("retired_edges", {**_where(access, wanted), **where})
    kept = [(row[0], row[1], _edge(row[2])) for row in rows if around is None or json.loads(row[3]).get("end")]
    ends = sorted({end for _, _, edge in kept for end in (edge.source_id, edge.target_id)})
    found = tx.rows("node_places", {"owner": access.owner, "ids": json_text(ends)}) if ends else []
    places = {row[0]: row[1:] for row in found if access.sees(row[1], row[2])}
    links = [
        (receipt, seq, guard.edge(edges.placed(edge, places[edge.source_id], places[edge.target_id])))
        for receipt, seq, edge in kept
        if edge.source_id in places and edge.target_id in places
    ]
    done = _insert_edges(tx, access, links)
    if done:
        tx.run("retired_delete", {"owner": access.owner, "seqs": json_text(done)})
    return len(done), rows[-1][0] if len(rows) == limit else None


def nothing_there(access: Access, wanted: RestoreRequest) -> NotFound:
    """The error for a node or a run of which nothing came back: there is none, or none that this access may see."""
    if wanted.node_id is not None:
        return NotFound(
            f"there is no receipt of {wanted.node_id} in {access.root!r}",
            hint=f"receipts are kept for {KEPT.days} days",
        )
    return NotFound(
        f"there is nothing to bring back of run {wanted.run_id} in {access.root!r}",
        hint=f"receipts are kept for {KEPT.days} days; each node comes back once",
    )


def note(tx: Transaction, access: Access, wanted: RestoreRequest, restored: Restored, *, now: str) -> None:
    """Say in an event what came back."""
    asked = {name: value for name in RestoreRequest.__slots__ if (value := getattr(wanted, name)) is not None}
    payload = {**asked, "nodes": len(restored.node_ids), "links": restored.links, "skipped": len(restored.skipped)}
    events.record(tx, access, "restore", payload, namespace=access.root, at=now)


def purge(tx: Transaction, access: Access, moment: datetime) -> int:
    """Delete some receipts that are older than the period for which they are kept; returns how many."""
    before = timestamp(moment - KEPT)
    where = {**scope_parameters(access), "before": before, "limit": _MAX_PURGED_AT_ONCE}
    return tx.count("retired_purge", where)


def _insert_edges(tx: Transaction, access: Access, links: Sequence[tuple[int, int | None, Edge]]) -> list[int]:
    """Put edges back in their places, apart from those that were made again meanwhile; returns their receipts."""
    known = [(seq, edge) for _, seq, edge in links if seq is not None]
    # Those retired before their numbers were kept get new ones.
    new = [edge for _, seq, edge in links if seq is None]
    stored = edges.insert(
        tx, access, [edge for _, edge in known], numbers=[seq for seq, _ in known], unless_known=True
    ) | edges.insert(tx, access, new, unless_known=True)
    return [receipt for receipt, _, edge in links if edges.key_of(edge) in stored]


def _node_row(seq: int, node: Node, receipt: Receipt) -> dict[str, Any]:
    row = {"kind": "node", "node_id": node.id, "namespace": node.namespace, "content": line("node", node)}
    reason = {"rule": receipt.rule, **receipt.reasons.get(node.id, {})}
    return {**row, "row_seq": seq, "reason": json_text(reason), "stand_in": receipt.stand_ins.get(node.id)}


def _with_end(seq: int, receipt: Receipt) -> dict[str, Any]:
    figures = {"thickness": receipt.thickness[seq]} if seq in receipt.thickness else {}
    return {"rule": receipt.rule, "end": True, **figures}


def _edge_row(seq: int, edge: Edge, reason: Mapping[str, Any]) -> dict[str, Any]:
    row = {"kind": "edge", "node_id": edge.source_id, "target_id": edge.target_id, "row_seq": seq}
    return {**row, "namespace": edge.source_namespace, "content": line("edge", edge), "reason": json_text(reason)}


def _attached(
    tx: Transaction, where: Mapping[str, Any], places: Mapping[str, str], *, vectors: bool
) -> list[dict[str, Any]]:
    """Vectors, feedback and corrections of nodes, as rows of `retired`."""
    rows = []
    found = tx.rows("vectors_going", where) if vectors else []
    matrix = tx.dialect.from_vectors([row[3] for row in found])
    for (node_id, model_id, made_of, _, created_at), vector in zip(found, matrix, strict=True):
        coded = b64encode(vector.astype("<f4").tobytes()).decode()
        row = {"model_id": model_id, "content_hash": made_of, "vector": coded, "created_at": created_at}
        rows.append(("embedding", node_id, None, row))
    for node_id, *values in tx.rows("feedback_going", where):
        names = ("id", "context_id", "signal", "root", "request_id", "at")
        rows.append(("feedback", node_id, None, dict(zip(names, values, strict=True))))
    for node_id, seq, *values in tx.rows("corrections_going", where):
        rows.append(("correction", node_id, seq, dict(zip(_CORRECTION, values, strict=True))))
    return [
        {
            "kind": kind,
            "node_id": node_id,
            "row_seq": seq,
            "namespace": places[node_id],
            "content": json_text(content),
        }
        for kind, node_id, seq, content in rows
    ]


_CORRECTION: Final = (
    "action",
    "source_id",
    "relation_before",
    "relation_after",
    "confidence_before",
    "reason",
    "at",
)


def _where(access: Access, wanted: RestoreRequest) -> dict[str, Any]:
    return {**scope_parameters(access), "node_id": wanted.node_id, "run_id": wanted.run_id, "since": wanted.since}


def _node(row: Row) -> Node:
    """A node as it was; in the namespace that it would be in now, and with the hash of what is left of its text."""
    values = json.loads(row[5])
    del values["type"]
    node = Node(**{**values, "aliases": tuple(values.get("aliases", ()))})
    return replace(node, namespace=row[3], content_hash=content_hash(node.content))


def _edge(content: str) -> Edge:
    values = json.loads(content)
    del values["type"]
    return Edge(**values)


def _keep(tx: Transaction, access: Access, rows: Sequence[Mapping[str, Any]], *, run_id: str, now: str) -> None:
    """Write rows of `retired`."""
    plain = dict.fromkeys(("target_id", "stand_in", "row_seq"))
    common = {"owner": access.owner, "run_id": run_id, "now": now}
    tx.many("retire", [{**plain, **row} for row in rows], common)


def _insert(
    tx: Transaction, access: Access, back: Sequence[Node], numbers: Mapping[str, int | None], *, now: str
) -> dict[str, int]:
    """Store nodes again under their former numbers; those retired before numbers were kept get new ones."""
    known = {node.id: number for node in back if (number := numbers[node.id]) is not None}
    had = nodes.insert(
        tx, access, [node for node in back if node.id in known], None, numbers=known, now=now, link=False
    )
    return had | nodes.insert(tx, access, [node for node in back if node.id not in known], None, now=now, link=False)


def _guarded(access: Access, were: Mapping[str, Node], guard: Guard) -> tuple[dict[str, Node], dict[str, str]]:
    """What the policies leave of some nodes by now, and which of them may not come back at all."""
    found, denied = {}, {}
    for node in were.values():
        kept = guard.node(node)
        if kept is None or not access.sees(kept.namespace, kept.boundary_class):
            denied[node.id] = "the policy refuses it"
        else:
            found[node.id] = replace(kept, content_hash=content_hash(kept.content))
    return found, denied


def _refused(tx: Transaction, access: Access, found: Mapping[str, Node], *, now: str) -> dict[str, str]:
    """Which of these nodes cannot come back, and why."""
    owner = {"owner": access.owner}
    pages = {node.page_id for node in found.values() if node.page_id is not None}
    here = {row[0] for row in tx.rows("node_places", {**owner, "ids": json_text([*found, *sorted(pages)])})}
    hashes = json_text(sorted({node.content_hash for node in found.values()}))
    taken = {tuple(row[1:]) for row in tx.rows("nodes_with_texts", {**scope_parameters(access), "hashes": hashes})}
    refused = {}
    for node in found.values():
        key = (node.boundary_class, *nodes.text_key(node))
        if node.id in here:
            refused[node.id] = "it is here already"
        elif node.expires_at is not None and node.expires_at <= now:
            refused[node.id] = "its time is over"
        elif key in taken:
            refused[node.id] = "another node has its text"
        elif node.page_id is not None and node.page_id not in here:
            refused[node.id] = "its page is not here"
        else:
            taken.add(key)
            here.add(node.id)
    return refused


def _restore_attached(tx: Transaction, access: Access, receipts: Sequence[Row]) -> None:
    runs, ids = sorted({row[1] for row in receipts}), sorted({row[2] for row in receipts})
    if not ids:
        return
    owner = {"owner": access.owner}
    rows = tx.rows("retired_with", {**owner, "ids": json_text(ids), "runs": json_text(runs)})
    by_kind: dict[str, list[dict[str, Any]]] = {"embedding": [], "feedback": [], "correction": []}
    for _, kind, node_id, seq, content in rows:
        # Receipts of judgements from before roots were kept have none.
        row = {**owner, "id": node_id, "node_id": node_id, "seq": seq, "root": "", **json.loads(content)}
        by_kind[kind].append(row)
    tx.run_many("vector_restore", [_with_vector(tx, row) for row in by_kind["embedding"]])
    tx.run_many("feedback_restore", by_kind["feedback"])
    tx.run_many("correction_restore", [{**row, "claim_id": row["node_id"]} for row in by_kind["correction"]])
    tx.run("retired_delete", {**owner, "seqs": json_text([row[0] for row in rows])})


def _with_vector(tx: Transaction, row: Mapping[str, Any]) -> dict[str, Any]:
    vector = np.frombuffer(b64decode(row["vector"]), dtype="<f4").astype(np.float32)
    # Receipts that were written before its time was noted have none.
    return {"created_at": None, **row, "vector": tx.dialect.to_vector(vector)}
