"""Pages, fragments and claims, and the judgements between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from wherefrom.graph.posterior import posterior
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, Conflict, InvalidInput, NotFound
from wherefrom.model.evidence import Added, Correction, Posterior
from wherefrom.model.graph import HUMAN, JUDGEMENTS, BoundaryClass, Edge, Node, node_at
from wherefrom.storage import edges, locks, nodes
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Transaction
from wherefrom.storage.sql import scope_parameters
from wherefrom.text.check import content_hash, json_text

CITES: Final = "cites"
_MAX_CORRECTIONS_SHOWN: Final = 50


def put(tx: Transaction, access: Access, wanted: Sequence[Node], made: Made | None) -> list[Added]:
    """Store fragments, claims or pages that are not there yet, all at once; one that is there stays as it is."""
    if not wanted:
        return []
    access = access.writing()
    for node in wanted:
        if not access.sees(node.namespace, node.boundary_class):
            raise BoundaryDenied(f"this access may not see the boundary class {node.boundary_class!r}")
    hashes = json_text(sorted({node.content_hash for node in wanted}))
    rows = tx.rows("nodes_with_texts", {**scope_parameters(access), "hashes": hashes})
    # Several classes may have a text: the node of the wanted class, else the oldest.
    known: dict[tuple[Any, ...], str] = {tuple(row[2:]): row[0] for row in reversed(rows)}
    exact = {(*row[2:], row[1]): row[0] for row in rows}
    fresh: list[Node] = []
    added: list[Added] = []
    again: dict[str, Node] = {}
    for node in wanted:
        key = nodes.text_key(node)
        if key not in known:
            known[key] = node.id
            fresh.append(node)
            added.append(Added(node.id, "created"))
        else:
            known_id = exact.get((*key, node.boundary_class), known[key])
            added.append(Added(known_id, "unchanged"))
            before = again.get(known_id, node)
            again[known_id] = node.restricted(before.boundary_class, before.open_class)
    if fresh:
        nodes.insert(tx, access, fresh, made, now=fresh[0].updated_at)
    if again:
        restrict(tx, access, again)
    return added


def place(tx: Transaction, access: Access, page: Node, wanted: Sequence[Node]) -> list[Node]:
    """The fragments as parts of a page. One without a position takes that of the same text on the page, if it is there
    already, else the end.
    """
    locks.share(tx, access.owner)
    rows = tx.rows("fragments_of_page", {**scope_parameters(access), "page_id": page.id})
    where = {hashed: position for hashed, position, _ in reversed(rows)}
    taken = (*(node.position for node in wanted), *(position for _, position, _ in rows))
    end = max((position for position in taken if position is not None), default=-1)
    placed: list[Node] = []
    for node in wanted:
        position = node.position
        if position is None:
            if node.content_hash not in where:
                end += 1
                where[node.content_hash] = end
            position = where[node.content_hash]
        kept = nodes.sourced(node.restricted(page.open_class), page)
        placed.append(replace(kept, page_id=page.id, position=position, domain=page.domain))
    return placed


def page_at(
    tx: Transaction, access: Access, namespace: str, url: str, *, boundary_class: BoundaryClass | None = None
) -> Node | None:
    """The page with this URL, if it is there and may be seen; of this class, if several classes have it."""
    page = node_at("", namespace=namespace, kind="page", content_hash=content_hash(url), boundary_class=boundary_class)
    return nodes.same_text(tx, access, page)


def correct_page(tx: Transaction, access: Access, page: Node, corrected: Node) -> int:
    """Store a page as a person has corrected it, and what its fragments and the claims from it say of it.

    Returns how many fragments and claims changed.
    """
    ids = nodes.from_page(tx, access, page)
    before = nodes.by_ids(tx, access, ids)
    corrected = replace(nodes.written(access, corrected), imported_from=None)
    nodes.replace_many(tx, access, [(page, corrected)], None)
    after = nodes.by_ids(tx, access, ids)
    return sum(after.get(node.id) != node for node in before.values())


def move_fragments(
    tx: Transaction, access: Access, page_id: str, wanted: Sequence[tuple[str, int]], *, now: str
) -> None:
    """Give fragments whose text now stands elsewhere on the page their new position, so that what refers to them stays.

    `wanted` holds the hash and position of each text that the page has now.
    """
    rows = tx.rows("fragments_of_page", {**scope_parameters(access), "page_id": page_id})
    there = {(hashed, position) for hashed, position, _ in rows}
    free: dict[str, list[int]] = {}
    for hashed, position in wanted:
        if (hashed, position) not in there:
            free.setdefault(hashed, []).append(position)
    kept = set(wanted)
    moves = [
        {"id": node_id, "position": free[hashed].pop(0)}
        for hashed, position, node_id in rows
        if (hashed, position) not in kept and free.get(hashed)
    ]
    tx.many("fragments_move", moves, {"owner": access.owner, "now": now})


def drop_fragments(tx: Transaction, access: Access, page_id: str, kept: Iterable[str], *, now: str) -> None:
    """Delete the fragments of a page besides those kept; those that something refers to stay, marked as outdated."""
    where = {**scope_parameters(access), "page_id": page_id, "kept": json_text(sorted(kept)), "now": now}
    nodes.remove(tx, access, [row[0] for row in tx.rows("fragments_unused", where)])
    tx.run("fragments_outdated", where)
    tx.run("fragments_back", where)


def judge(tx: Transaction, access: Access, wanted: Sequence[Edge]) -> Counter[str]:
    """Store judgements of fragments and claims about claims, and count them by status. A pair has one: a new one
    replaces it, unless a person made it.
    """
    if not wanted:
        return Counter()
    sources, claims = {edge.source_id for edge in wanted}, {edge.target_id for edge in wanted}
    ends = nodes.by_ids(tx, access, sorted(sources | claims))
    known = {_slot(edge): edge for edge in _between(tx, access, sources, claims)}
    before, counts = dict(known), Counter[str]()
    for edge in wanted:
        for end in (edge.source_id, edge.target_id):
            if end not in ends:
                raise NotFound(f"there is no node {end} here", hint="use ids that an earlier answer gave")
        slot = _slot(edge)
        old, status = known.get(slot), "kept"
        if old is None or old.judge != HUMAN:
            status, known[slot] = _settled(old, edges.placed(edge, ends[edge.source_id], ends[edge.target_id]))
        counts[status] += 1
    _write(tx, access, [(before.get(slot), edge) for slot, edge in known.items()])
    return counts


def cite(tx: Transaction, access: Access, page_id: str, cited: Sequence[str], *, source: str | None, now: str) -> int:
    """Store the citations of a page; returns how many are new."""
    ends = nodes.by_ids(tx, access, [page_id, *cited])
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": json_text([page_id])})
    known = {page_id} | {edge.target_id for edge in (Edge(*row) for row in rows) if edge.tag == CITES}
    fresh = [target for target in dict.fromkeys(cited) if target not in known and target in ends]
    citations = [edges.between(ends[page_id], ends[target], CITES, now=now, judge=source) for target in fresh]
    edges.insert(tx, access, citations)
    return len(fresh)


def correct(tx: Transaction, access: Access, edge: Edge, relation: str, *, now: str) -> bool:
    """Make a judgement a person's: with another relation it is certain, otherwise it stays as sure as it was."""
    confidence = edge.confidence if relation == edge.tag else 1.0
    corrected = replace(edge, tag=relation, confidence=confidence, judge=HUMAN, updated_at=now)
    status, settled = _settled(edge, corrected)
    _write(tx, access, [(edge, settled)])
    return status != "unchanged"


def judgement(tx: Transaction, access: Access, source_id: str, claim_id: str) -> Edge:
    """The judgement of a fragment or claim about a claim."""
    nodes.refuse_read_only(tx, access, [source_id], label="source")
    found = [edge for edge in _between(tx, access, [source_id], [claim_id]) if edge.tag in JUDGEMENTS]
    if not found:
        raise NotFound(
            f"{source_id} makes no judgement about {claim_id}", hint="query_graph on edges shows who judges a claim"
        )
    return found[0]


def reject(tx: Transaction, access: Access, claim_id: str, *, rejected_at: str | None, now: str) -> None:
    """Mark a claim as rejected at a time; None restores it."""
    tx.run("claim_reject", {"owner": access.owner, "id": claim_id, "rejected_at": rejected_at, "now": now})


def note(tx: Transaction, access: Access, correction: Correction, *, imported: bool = False) -> int:
    """Add a correction to the history; an imported one only if it is new. Returns 1 if added, else 0."""
    statement = "correction_load" if imported else "correction_add"
    return tx.count(statement, {**scope_parameters(access), **asdict(correction)})


def clean_corrections(tx: Transaction, access: Access, clean: Callable[[str, str], str]) -> None:
    """Store the reasons of all corrections of the root as the policies leave them."""
    for known in [Correction(*row) for row in tx.rows("correction_export", scope_parameters(access))]:
        if (kept := clean(known.reason, access.root)) != known.reason:
            tx.run("correction_clean", {"owner": access.owner, **asdict(known), "reason": kept})


def history(tx: Transaction, access: Access, claim_id: str) -> tuple[Correction, ...]:
    """The last corrections of a claim and its evidence, newest first."""
    rows = tx.rows("corrections_of", {**scope_parameters(access), "id": claim_id, "limit": _MAX_CORRECTIONS_SHOWN})
    return tuple(Correction(*row) for row in rows)


def rival(edge: Edge, known: Mapping[tuple[str, str, str], Edge]) -> Edge | None:
    """The known judgement of the same fragment about the same claim with another tag, if any: a pair has one."""
    if (edge.source_kind, edge.target_kind) != ("fragment", "claim") or edge.tag not in JUDGEMENTS:
        return None
    keys = ((edge.source_id, edge.target_id, tag) for tag in JUDGEMENTS if tag != edge.tag)
    return next((known[key] for key in keys if key in known), None)


def posteriors(tx: Transaction, access: Access, claims: Iterable[str]) -> dict[str, Posterior]:
    """The posterior of each of these claims by its evidence."""
    wanted = sorted(set(claims))
    rows = tx.rows("posteriors", {**scope_parameters(access), "claims": json_text(wanted)})
    found = {row[0]: posterior(*row[1:]) for row in rows}
    return {claim: found.get(claim) or posterior(0, 0) for claim in wanted}


def refuse_rewording(tx: Transaction, access: Access, claim: Node, content: str) -> None:
    """Raise an error if a claim that has evidence gets other words: the evidence is about the old ones."""
    if claim.kind != "claim" or content == claim.content:
        return
    found = posteriors(tx, access, [claim.id])[claim.id]
    if found.supports + found.refutes + found.neutral:
        raise Conflict(f"claim {claim.id} has evidence about its words", hint="save the new words as a new claim")


def of_claim(tx: Transaction, access: Access, claim_id: str, *, limit: int) -> list[Edge]:
    """The judgements about a claim and where it was taken from, newest first."""
    where = {**scope_parameters(access), "claim": claim_id, "limit": limit}
    return [Edge(*row) for row in tx.rows("evidence_of_claim", where)]


def claim(tx: Transaction, access: Access, claim_id: str) -> Node:
    """The claim with this id."""
    node = nodes.get(tx, access, claim_id, label="claim")
    if node.kind != "claim":
        raise InvalidInput(f"{claim_id} is a {node.kind} and no claim")
    return node


def restrict(tx: Transaction, access: Access, said_again: Mapping[str, Node]) -> None:
    """Make nodes as strict as they were said again, by id; a class never goes down by itself."""
    known = nodes.by_ids(tx, access, list(said_again))
    pairs = []
    for node_id, again in said_again.items():
        old = known[node_id]
        stricter = old.restricted(again.boundary_class, again.open_class)
        if stricter != old:
            pairs.append((old, replace(stricter, updated_at=again.updated_at, version=old.version + 1)))
    nodes.replace_many(tx, access, pairs, None)


def _between(tx: Transaction, access: Access, sources: Iterable[str], claims: Iterable[str]) -> list[Edge]:
    """The judgements and origins that lead from these sources to these claims."""
    where = {"owner": access.owner, "claims": json_text(sorted(claims)), "sources": json_text(sorted(sources))}
    return [Edge(*row) for row in tx.rows("judgements_between", where)]


def _slot(edge: Edge) -> tuple[str, str, bool]:
    """The key of an edge among those of its pair, which has one judgement and, beside it, one origin."""
    return edge.source_id, edge.target_id, edge.tag in JUDGEMENTS


def _settled(known: Edge | None, edge: Edge) -> tuple[str, Edge]:
    """The status of a new edge in its slot (created, updated, unchanged), and the edge that is there afterwards."""
    if known is None:
        return "created", edge
    if all(getattr(known, name) == getattr(edge, name) for name in ("tag", "confidence", "reason", "judge")):
        return "unchanged", known
    now, version = edge.updated_at, known.version + 1
    return "updated", replace(edge, created_at=known.created_at, observed_at=now, version=version)


def _write(tx: Transaction, access: Access, pairs: Iterable[tuple[Edge | None, Edge]]) -> None:
    """Store edges, each in place of the one that had its slot before."""
    changed = [(before, after) for before, after in pairs if after is not before]
    edges.remove(tx, access, [before for before, after in changed if before is not None and before.tag != after.tag])
    edges.insert(tx, access, [after for before, after in changed if before is None or before.tag != after.tag])
    same = [after for before, after in changed if before is not None and before.tag == after.tag]
    edges.replace_many(tx, access, same)
