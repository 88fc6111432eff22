"""Receipts: nodes and edges that are let go are kept in full, can be brought back as they were, and are purged."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from wherefrom.lazy import np
from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Edge, Node, NodeRef
from wherefrom.model.identifiers import timestamp
from wherefrom.model.metabolism import Restored
from wherefrom.model.results import SweepResult
from wherefrom.storage import (
    edges,
    embeddings,
    events,
    inheritance,
    node_texts,
    nodes,
    replacing,
    stand_ins,
    upkeep_counts,
    versions,
)
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.sql import reference_parameters, scope_parameters
from wherefrom.storage.transfer.records import line
from wherefrom.text.check import content_hash, json_text

if TYPE_CHECKING:
    from wherefrom.storage.transfer.admission import Guard

KEPT: Final = timedelta(days=30)
MAX_NODES_PER_EDGE_SIDE: Final = 100
_MAX_PURGED_AT_ONCE: Final = 2_000
_MAX_FOUND: Final = 20
# A row that marks a node as restored: it is not let go again as long as receipts are kept.
_MARK: Final = {"kind": "restored", "content": "{}", "reason": '{"rule":"restored"}'}
_FEEDBACK: Final = ("id", "context_id", "signal", "root", "request_id", "at")
_CORRECTION: Final = ("action", "source_id", "relation_before", "relation_after", "confidence_before", "reason", "at")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The facts that `retired` keeps beside the rows: the run, the time, why each node went, which node stands in for
    it, how thick the edges were that went with it, and what it left to its stand-in.
    """

    run_id: str
    now: str
    rule: str
    reasons: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)
    thickness: Mapping[int, float] = field(default_factory=dict)
    moved: Mapping[str, inheritance.Record] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LetGo:
    """A node that was let go, as an access would see it: when and by which run, by which rule, and the node that stands
    in for it, if that is here and may be seen. is_theirs: the access may bring it back, for it sees the whole of it.
    """

    node: Node
    run_id: str
    at: str
    rule: str
    stand_in: NodeRef | None
    is_theirs: bool


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """Asks for one node back, for all that one run let go, or for everything since a time; or for the edges that went
    with nodes that are back, and led out of them (`sources`) or into them (`targets`).
    """

    node_id: str | None = None
    run_id: str | None = None
    since: str | None = None
    sources: Sequence[str] | None = None
    targets: Sequence[str] | None = None

    def parameters(self) -> dict[str, Any]:
        """The request as parameters of a statement."""
        ids = {"sources": self.sources and json_text(self.sources), "targets": self.targets and json_text(self.targets)}
        return {"node_id": self.node_id, "run_id": self.run_id, "since": self.since, **ids}


def retire_nodes(
    tx: Transaction, access: Access, ids: Sequence[str], receipt: Receipt, *, instead: Mapping[str, Node] | None = None
) -> tuple[list[str], int]:
    """Move nodes to `retired` with all that belongs to them; returns the nodes and how many edges went with them.
    instead: what to keep of a node, where it may not be kept as it is.
    """
    access = access.writing()
    where = {"owner": access.owner, "ids": json_text(ids)}
    going = [(row[0], nodes.from_row(row[1:])) for row in tx.rows("nodes_going", where)]
    place = {node_id: at for at, node_id in enumerate(ids)}
    going.sort(key=lambda numbered: (numbered[1].kind != "page", place.get(numbered[1].id, len(place))))
    if instead is not None:
        going = [(seq, instead.get(node.id, node)) for seq, node in going]
    gone = [node.id for _, node in going]
    where = {"owner": access.owner, "ids": json_text(gone)}
    touching = [(row[0], Edge(*row[1:])) for row in tx.rows("edges_going", where)]
    rule = {"rule": receipt.rule}
    # Where a node may not be kept as it is, its former versions may not either.
    former = versions.by_node(tx, access, gone) if instead is None else {}
    rows = [_node_row(seq, node, receipt, former.get(node.id, ())) for seq, node in going]
    places = {node.id: {"namespace": node.namespace, "reason": json_text(rule)} for _, node in going}
    rows += [{**row, **places[row["node_id"]]} for row in _attached(tx, where, vectors=instead is None)]
    for seq, edge in touching:
        figures = {"thickness": receipt.thickness[seq]} if seq in receipt.thickness else {}
        rows.append(_edge_row(seq, edge, {**rule, "end": True, **figures}))
    _insert(tx, access, rows, run_id=receipt.run_id, now=receipt.now)
    stand_ins.lead_on(tx, access, gone, receipt.stand_ins, now=receipt.now)
    nodes.remove(tx, access, gone)
    events.append(tx, [_event_row(access, node, receipt) for _, node in going])
    return gone, len(touching)


def retire_edges(
    tx: Transaction, access: Access, reasons: Mapping[int, Mapping[str, Any]], *, run_id: str, now: str
) -> int:
    """Move edges to `retired`, each with its reason; returns how many there were."""
    access = access.writing()
    where = {"owner": access.owner, "seqs": json_text(sorted(reasons))}
    found = tx.rows("edges_numbered", where)
    rows = [_edge_row(seq, Edge(*values), reasons[seq]) for seq, *values in found]
    _insert(tx, access, rows, run_id=run_id, now=now)
    tx.run("edges_delete", where)
    return len(found)


def find(tx: Transaction, access: Access, given: str) -> list[LetGo]:
    """The nodes that were let go and are not here, each with its last receipt: with this id, or else with an id that
    ends so; without those that the access could not have seen.
    """
    rows = tx.rows(
        "receipts_referred", {**scope_parameters(access), **reference_parameters(given), "limit": _MAX_FOUND}
    )
    newest = {row[2]: row for row in reversed(rows)}
    found = [newest[given]] if given in newest else list(newest.values())
    names = {ref.id: ref for ref in nodes.refs(tx, access, [row[8] for row in found if row[8]], beginnings=True)}
    gone = []
    for row in found:
        was, own = _node(row), access.own()
        if (node := nodes.seen(access, was)) is not None:
            is_theirs = access.writes and own.sees(was.namespace, was.boundary_class)
            gone.append(LetGo(node, row[1], row[7], json.loads(row[6])["rule"], names.get(row[8]), is_theirs))
    return gone


def fragments_of(tx: Transaction, access: Access, page_id: str) -> list[Node]:
    """The fragments of a page that were let go, as far as the access may bring them back."""
    rows = tx.rows("fragments_let_go", {"owner": access.owner, "id": page_id})
    return [node for node in map(_node, rows) if access.own().sees(node.namespace, node.boundary_class)]


def restore_nodes(
    tx: Transaction, access: Access, wanted: RestoreRequest, guard: Guard, *, after: int, limit: int, now: str
) -> tuple[tuple[list[str], dict[str, str]], int | None]:
    """Bring back some nodes with all that belongs to them but their edges, as the policies leave them. Returns their
    ids, and why others cannot come back; and after which receipt to go on, or None if that was all.
    """
    access, limit = access.writing(), 1 if wanted.node_id is not None else limit
    rows = tx.rows("retired_nodes", {**scope_parameters(access), **wanted.parameters(), "after": after, "limit": limit})
    were = {node.id: node for node in map(_node, rows) if access.sees(node.namespace, node.boundary_class)}
    found, denied = _guarded(access, were, guard)
    found = {node_id: replacing.renewed(node, guard.lifetime(node), now=now) for node_id, node in found.items()}
    skipped = denied | _refused(tx, access, found)
    back = {node_id: node for node_id, node in found.items() if node_id not in skipped}
    texts = {(node.id, node.title, node.content) for node in were.values()}
    cleaned = [node.id for node in back.values() if (node.id, node.title, node.content) not in texts]
    tx.run("retired_vectors_forget", {"owner": access.owner, "ids": json_text(cleaned)})
    former_seqs = {row[2]: row[4] for row in rows}
    texts_back = [node_texts.of_node(node) for node in back.values()]
    seqs = nodes.store(tx, access, texts_back, None, now=now, former_seqs=former_seqs)
    receipts = [row for row in rows if row[2] in back]
    inheritance.give_back(tx, access, [(row[0], were[row[2]], row[6]) for row in receipts])
    _restore_attached(tx, access, receipts)
    _restore_versions(tx, access, receipts, guard)
    embeddings.settle(tx, access, seqs.values())
    marks = [{**_MARK, "node_id": node.id, "namespace": node.namespace} for node in back.values()]
    _insert(tx, access, marks, run_id="restored", now=now)
    stand_ins.come_back(tx, access, list(back))
    events.follow_nodes(tx, access, list(back))
    abouts = [events.about_node(back[row[2]], part_of=row[1]) for row in receipts]
    events.append(tx, [events.row_of(access, "return", {}, about=about, at=now) for about in abouts])
    tx.run("retired_delete", {"owner": access.owner, "seqs": json_text([row[0] for row in receipts])})
    return (list(back), skipped), rows[-1][0] if len(rows) == limit and wanted.node_id is None else None


def restore_edges(
    tx: Transaction, access: Access, wanted: RestoreRequest, guard: Guard, *, after: int, limit: int
) -> tuple[int, int | None]:
    """Bring back edges whose ends are both here; returns how many, and after which receipt to go on."""
    access = access.writing()
    rows = tx.rows("retired_edges", {**scope_parameters(access), **wanted.parameters(), "after": after, "limit": limit})
    with_end = wanted.sources is not None or wanted.targets is not None
    kept = [(row[0], row[1], Edge(**_values(row[2]))) for row in rows if not with_end or json.loads(row[3]).get("end")]
    ends = edges.ends_of(tx, access, (edge for _, _, edge in kept))
    back = [
        (receipt, seq, guard.edge(edges.placed(edge, ends[edge.source_id], ends[edge.target_id])))
        for receipt, seq, edge in kept
        if edge.source_id in ends and edge.target_id in ends
    ]
    new = [edge for _, _, edge in back]
    stored = edges.insert(tx, access, new, seqs=[seq for _, seq, _ in back], skip_known=True)
    done = [receipt for receipt, _, edge in back if edges.key_of(edge) in stored]
    tx.run("retired_delete", {"owner": access.owner, "seqs": json_text(done)})
    return len(done), rows[-1][0] if len(rows) == limit else None


def nothing_there(access: Access, wanted: RestoreRequest) -> NotFound:
    """The error for a node or a run of which nothing came back: there is none, or none that this access may see."""
    what, hint = f"no receipt of {wanted.node_id}", f"receipts are kept for {KEPT.days} days"
    if wanted.node_id is None:
        what, hint = f"nothing to bring back of run {wanted.run_id}", f"{hint}; each node comes back once"
    return NotFound(f"there is {what} in {access.root!r}", hint=hint)


def note(tx: Transaction, access: Access, wanted: RestoreRequest, restored: Restored, *, now: str) -> None:
    """Record what came back as an event, and count what waits with it."""
    upkeep_counts.recount(tx, access)
    asked = {name: value for name, value in wanted.parameters().items() if value is not None}
    payload = {**asked, "nodes": len(restored.node_ids), "links": restored.links, "skipped": len(restored.skipped)}
    events.record(tx, access, "restore", payload, about=events.shown_to_nobody(access.root), at=now)


def rewrite(tx: Transaction, access: Access, changed: Mapping[tuple[int, str], str]) -> None:
    """Replace the contents of receipts, by their seqs and nodes; the vectors of the old texts go."""
    rows = [{"seq": seq, "content": content} for (seq, _), content in changed.items()]
    tx.many("retired_replace", rows, {"owner": access.owner})
    tx.run("retired_vectors_forget", {"owner": access.owner, "ids": json_text([node_id for _, node_id in changed])})


def purge(tx: Transaction, access: Access, moment: datetime) -> int:
    """Delete some receipts that are older than the period for which they are kept; returns how many. What stands for
    their nodes goes on doing so.
    """
    where = {"before": timestamp(moment - KEPT), "limit": _MAX_PURGED_AT_ONCE}
    purged = tx.count("retired_purge", {**scope_parameters(access), **where})
    if purged:
        stand_ins.purge(tx, access)
    return purged


def sweep(
    tx: Transaction, access: Access, ids: Sequence[str], receipt: Receipt, *, instead: Mapping[str, Node] | None = None
) -> SweepResult:
    """Retire nodes with their edges, and write an event."""
    gone, links = retire_nodes(tx, access, ids, receipt, instead=instead)
    upkeep_counts.recount(tx, access)
    payload = {"run_id": receipt.run_id, "rule": receipt.rule, "node_ids": gone, "edges": links}
    events.record(tx, access, "sweep", payload, about=events.shown_to_nobody(access.root), at=receipt.now)
    return SweepResult(receipt.run_id, tuple(gone), links)


def _node_row(seq: int, node: Node, receipt: Receipt, former: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    content = line("node", node)
    if former:
        content = json_text({**json.loads(content), "versions": former})
    row = {"kind": "node", "node_id": node.id, "namespace": node.namespace, "content": content}
    moved = {"moved": receipt.moved[node.id]} if node.id in receipt.moved else {}
    reason = {"rule": receipt.rule, **receipt.reasons.get(node.id, {}), **moved}
    return {**row, "row_seq": seq, "reason": json_text(reason), "stand_in": receipt.stand_ins.get(node.id)}


def _event_row(access: Access, node: Node, receipt: Receipt) -> dict[str, Any]:
    """The event of a node that goes. Its stand-in, which fewer may see than the node, stands in the receipt alone."""
    figures = {"rule": receipt.rule, **receipt.reasons.get(node.id, {})}
    figures.pop("neighbour_id", None)
    about = events.about_node(node, part_of=receipt.run_id)
    return events.row_of(access, "retire", figures, about=about, at=receipt.now)


def _edge_row(seq: int, edge: Edge, reason: Mapping[str, Any]) -> dict[str, Any]:
    row = {"kind": "edge", "node_id": edge.source_id, "target_id": edge.target_id, "row_seq": seq}
    return {**row, "namespace": edge.source_namespace, "content": line("edge", edge), "reason": json_text(reason)}


def _attached(tx: Transaction, where: Mapping[str, Any], *, vectors: bool) -> Iterator[dict[str, Any]]:
    """Vectors, feedback and corrections of nodes, as rows of `retired`."""
    found = tx.rows("vectors_going", where) if vectors else []
    matrix = tx.dialect.from_vectors([row[3] for row in found])
    for (node_id, model_id, made_of, _, created_at), vector in zip(found, matrix, strict=True):
        coded = b64encode(vector.astype("<f4").tobytes()).decode()
        row = {"model_id": model_id, "content_hash": made_of, "vector": coded, "created_at": created_at}
        yield {"kind": "embedding", "node_id": node_id, "content": json_text(row)}
    for node_id, *values in tx.rows("feedback_going", where):
        row = dict(zip(_FEEDBACK, values, strict=True))
        yield {"kind": "feedback", "node_id": node_id, "content": json_text(row)}
    for node_id, seq, *values in tx.rows("corrections_going", where):
        row = dict(zip(_CORRECTION, values, strict=True))
        yield {"kind": "correction", "node_id": node_id, "row_seq": seq, "content": json_text(row)}


def _node(row: Row) -> Node:
    """A node as it was; in the namespace that it would be in now, and with the hash of what is left of its text."""
    values = _values(row[5])
    values |= {"aliases": tuple(values.get("aliases", ())), "content_hash": content_hash(values["content"])}
    return Node(**{**values, "namespace": row[3]})


def _values(content: str) -> dict[str, Any]:
    """The values of a retired row by the names of their fields."""
    return {name: value for name, value in json.loads(content).items() if name not in ("type", "versions")}


def _restore_versions(tx: Transaction, access: Access, receipts: Sequence[Row], guard: Guard) -> None:
    """Bring back the former versions of nodes, as far as the policies let them be kept."""
    rows = []
    for row in receipts:
        for former in json.loads(row[5]).get("versions", ()):
            node = versions.from_values(former["content"], row[3])
            kept = guard.node(replace(node, content_hash=content_hash(node.content)))
            if kept is not None:
                rows.append({**former, "node_id": row[2], "content": versions.as_json(kept)})
    versions.insert(tx, access, rows)


def _insert(tx: Transaction, access: Access, rows: Sequence[Mapping[str, Any]], *, run_id: str, now: str) -> None:
    """Write rows of `retired`."""
    rows = [{"target_id": None, "stand_in": None, "row_seq": None, **row} for row in rows]
    tx.many("retire", rows, {"owner": access.owner, "run_id": run_id, "now": now})


def _guarded(access: Access, were: Mapping[str, Node], guard: Guard) -> tuple[dict[str, Node], dict[str, str]]:
    """The nodes as the policies leave them now, and why others may not come back at all."""
    found, denied = {}, {}
    for node in were.values():
        kept = guard.node(node)
        if kept is None or not access.sees(kept.namespace, kept.boundary_class):
            denied[node.id] = "the policy refuses it"
        else:
            found[node.id] = replace(kept, content_hash=content_hash(kept.content))
    return found, denied


def _refused(tx: Transaction, access: Access, found: Mapping[str, Node]) -> dict[str, str]:
    """The nodes among these that cannot come back, each with the reason."""
    owner = {"owner": access.owner}
    pages = {node.page_id for node in found.values() if node.page_id is not None}
    here = {row[0] for row in tx.rows("node_places", {**owner, "ids": json_text([*found, *sorted(pages)])})}
    hashes = json_text(sorted({node.content_hash for node in found.values()}))
    taken = {tuple(row[1:]) for row in tx.rows("nodes_with_texts", {**scope_parameters(access), "hashes": hashes})}
    holders = replacing.in_slots(tx, access, [node.slot for node in found.values() if node.slot is not None])
    slots = {nodes.slot_key(holder) for holder in holders}
    refused = {}
    for node in found.values():
        key = (node.boundary_class, *nodes.text_key(node))
        if node.id in here:
            refused[node.id] = "it is here already"
        elif key in taken:
            refused[node.id] = "another node has its text"
        elif nodes.slot_key(node) is not None and nodes.slot_key(node) in slots:
            refused[node.id] = "another node has its slot"
        elif node.page_id is not None and node.page_id not in here:
            refused[node.id] = "its page is not here"
        else:
            taken.add(key)
            slots.add(nodes.slot_key(node))
            here.add(node.id)
    return refused


def _restore_attached(tx: Transaction, access: Access, receipts: Sequence[Row]) -> None:
    runs, ids = (sorted({row[column] for row in receipts}) for column in (1, 2))
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
