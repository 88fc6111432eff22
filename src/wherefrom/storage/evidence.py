"""Pages, fragments and claims, and the judgements between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from wherefrom.graph.posterior import posterior
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput, NotFound
from wherefrom.model.evidence import Added, Correction, Posterior
from wherefrom.model.graph import HUMAN, JUDGEMENTS, BoundaryClass, Edge, Node
from wherefrom.storage import edges, embeddings, mentions, nodes, text_index
from wherefrom.storage.embeddings import Made
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.statements import scope_parameters
from wherefrom.text.check import content_hash, json_text

CITES: Final = "cites"
_HISTORY: Final = 50
_NO_EVIDENCE: Final = (0.0, 0.0, 0, 0, 0, 0, 0, None, None)


@dataclass(frozen=True, slots=True)
class Judgement:
    """An edge that says what its source makes of its target."""

    source_id: str
    target_id: str
    relation: str
    confidence: float
    reason: str | None
    judge: str | None


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
    known: dict[tuple[Any, ...], str] = {}
    for row in rows:
        known.setdefault(tuple(row[2:]), row[0])
    exact = {(*row[2:], row[1]): row[0] for row in rows}
    fresh: list[Node] = []
    added: list[Added] = []
    for node in wanted:
        key = (node.namespace, node.kind, node.content_hash, node.task_id, node.page_id, node.position)
        if key not in known:
            known[key] = node.id
            fresh.append(node)
            added.append(Added(node.id, "created"))
        else:
            added.append(Added(exact.get((*key, node.boundary_class), known[key]), "unchanged"))
    _insert(tx, access, fresh, made)
    again: dict[str, Node] = {}
    for each, node in zip(added, wanted, strict=True):
        if each.status == "unchanged":
            before = again.get(each.id, node)
            again[each.id] = node.restricted(before.boundary_class, before.open_class)
    restrict(tx, access, again)
    return added


def place(tx: Transaction, access: Access, page: Node, wanted: Sequence[Node]) -> list[Node]:
    """Fragments with their positions on a page: those without one go where their text is already, or to the end."""
    rows = tx.rows("fragments_of_page", {**scope_parameters(access), "page_id": page.id})
    where = {hashed: position for hashed, position, _ in reversed(rows)}
    given = [node.position for node in wanted]
    there = [position for _, position, _ in rows]
    end = max((position for position in (*given, *there) if position is not None), default=-1)
    placed: list[Node] = []
    for node in wanted:
        position = node.position
        if position is None:
            if node.content_hash not in where:
                end += 1
                where[node.content_hash] = end
            position = where[node.content_hash]
        kept = node.restricted(page.open_class)
        placed.append(replace(kept, page_id=page.id, position=position, domain=page.domain, year=page.year))
    return placed


def page_at(
    tx: Transaction, access: Access, namespace: str, url: str, *, boundary_class: BoundaryClass | None = None
) -> Node | None:
    """The page with this URL, if it is there and may be seen; of this class, if several classes have it."""
    where = {**scope_parameters(access), "namespace": namespace, "kind": "page", "content_hash": content_hash(url)}
    where |= {"task_id": None, "page_id": None, "position": None, "boundary_class": boundary_class}
    row = tx.row("node_same_text", where)
    return None if row is None else nodes.from_row(row)


def move_fragments(
    tx: Transaction, access: Access, page_id: str, wanted: Sequence[tuple[str, int]], *, now: str
) -> None:
    """Give fragments whose text now stands elsewhere on the page their new place, so that what refers to them stays.

    `wanted` are the hashes and positions of what the page has now.
    """
    rows = tx.rows("fragments_of_page", {**scope_parameters(access), "page_id": page_id})
    there = {(hashed, position) for hashed, position, _ in rows}
    free: dict[str, list[int]] = {}
    for hashed, position in wanted:
        if (hashed, position) not in there:
            free.setdefault(hashed, []).append(position)
    kept = set(wanted)
    moves = [
        {"owner": access.owner, "id": node_id, "position": free[hashed].pop(0), "now": now}
        for hashed, position, node_id in rows
        if (hashed, position) not in kept and free.get(hashed)
    ]
    tx.run_many("fragment_move", moves)


def drop_fragments(tx: Transaction, access: Access, page_id: str, kept: Iterable[str], *, now: str) -> int:
    """Let go of what is no longer on a page, and say how many went; what something was judged by stays, marked."""
    where = {**scope_parameters(access), "page_id": page_id, "kept": json_text(sorted(kept)), "now": now}
    unused = [row[0] for row in tx.rows("fragments_unused", where)]
    if unused:
        tx.run("nodes_delete", {"owner": access.owner, "ids": json_text(unused)})
    tx.run("fragments_outdated", where)
    tx.run("fragments_back", where)
    return len(unused)


def judge(tx: Transaction, access: Access, wanted: Sequence[Judgement], *, now: str) -> Counter[str]:
    """Store what sources make of claims. A pair has one judgement: a new one replaces it, unless a person made it."""
    if not wanted:
        return Counter()
    ids = sorted({end for each in wanted for end in (each.source_id, each.target_id)})
    ends = nodes.by_ids(tx, access, ids)
    pairs = {"claims": json_text(sorted({each.target_id for each in wanted}))}
    pairs |= {"sources": json_text(sorted({each.source_id for each in wanted}))}
    rows = tx.rows("judgements_between", {"owner": access.owner, **pairs})
    known = {_slot(edge.source_id, edge.target_id, edge.tag): edge for edge in map(edges.from_row, rows)}
    counts: Counter[str] = Counter()
    for each in wanted:
        slot = _slot(each.source_id, each.target_id, each.relation)
        status, known[slot] = _settle(tx, access, known.get(slot), _edge(each, ends, now=now))
        counts[status] += 1
    return counts


def cite(tx: Transaction, access: Access, page_id: str, cited: Sequence[str], *, source: str | None, now: str) -> int:
    """Link a page to those that it cites; returns how many links are new."""
    wanted = [Judgement(page_id, target, CITES, 1.0, None, source) for target in cited if target != page_id]
    ends = nodes.by_ids(tx, access, [page_id, *cited])
    rows = tx.rows("edges_from", {"owner": access.owner, "ids": json_text([page_id])})
    known = {edge.target_id for edge in map(edges.from_row, rows) if edge.tag == CITES}
    fresh = {each.target_id: each for each in wanted if each.target_id not in known and each.target_id in ends}
    parameters = [edges.to_parameters(_edge(each, ends, now=now)) for each in fresh.values()]
    tx.run_many("edge_insert", [{"owner": access.owner, **each} for each in parameters])
    return len(fresh)


def correct(tx: Transaction, access: Access, edge: Edge, relation: str, *, now: str) -> bool:
    """Make a judgement a person's: with another relation it is certain, otherwise it stays as sure as it was."""
    corrected = replace(edge, judge=HUMAN)
    if relation != edge.tag:
        corrected = replace(corrected, tag=relation, confidence=1.0)
    return _settle(tx, access, edge, corrected, firm=True, now=now)[0] != "unchanged"


def judgement(tx: Transaction, access: Access, source_id: str, claim_id: str) -> Edge:
    """What a fragment or claim makes of a claim."""
    nodes.refuse_read_only(tx, access, [source_id], label="source")
    where = {"owner": access.owner, "claims": json_text([claim_id]), "sources": json_text([source_id])}
    found = [edge for edge in map(edges.from_row, tx.rows("judgements_between", where)) if edge.tag in JUDGEMENTS]
    if not found:
        raise NotFound(
            f"{source_id} makes no judgement about {claim_id}", hint="query_graph on edges shows who judges a claim"
        )
    return found[0]


def reject(tx: Transaction, access: Access, claim_id: str, *, rejected_at: str | None, now: str) -> None:
    """Reject a claim, or with None take that back."""
    tx.run("claim_reject", {"owner": access.owner, "id": claim_id, "rejected_at": rejected_at, "now": now})


def note(tx: Transaction, access: Access, correction: Correction) -> None:
    """Add to the history of corrections."""
    values = {name: getattr(correction, name) for name in Correction.__slots__}
    tx.run("correction_add", {"owner": access.owner, **values})


def load_corrections(tx: Transaction, access: Access, batch: Sequence[Correction]) -> int:
    """Import corrections of claims that are here; returns how many are new."""
    scope = scope_parameters(access)
    rows = ({**scope, **{name: getattr(each, name) for name in Correction.__slots__}} for each in batch)
    return sum(tx.count("correction_load", row) for row in rows)


def clean_corrections(tx: Transaction, access: Access, clean: Callable[[str, str], str]) -> None:
    """Bring the reasons of corrections in line with the policies."""
    for row in tx.rows("correction_export", scope_parameters(access)):
        known = Correction(*row)
        kept = clean(known.reason, access.root)
        if kept != known.reason:
            key = {"claim_id": known.claim_id, "at": known.at, "action": known.action}
            tx.run("correction_clean", {"owner": access.owner, "reason": kept, **key})


def history(tx: Transaction, access: Access, claim_id: str) -> tuple[Correction, ...]:
    """What was corrected about a claim, newest first."""
    rows = tx.rows("corrections_of", {**scope_parameters(access), "id": claim_id, "limit": _HISTORY})
    return tuple(Correction(*row) for row in rows)


def rival(edge: Edge, known: Mapping[tuple[str, str, str], Edge]) -> Edge | None:
    """What the same fragment says about the same claim by another tag: a pair has one judgement."""
    if (edge.source_kind, edge.target_kind) != ("fragment", "claim") or edge.tag not in JUDGEMENTS:
        return None
    keys = ((edge.source_id, edge.target_id, tag) for tag in JUDGEMENTS if tag != edge.tag)
    return next((known[key] for key in keys if key in known), None)


def posteriors(tx: Transaction, access: Access, claims: Iterable[str]) -> dict[str, Posterior]:
    """What the evidence says about each of these claims."""
    wanted = sorted(set(claims))
    rows = tx.rows("posteriors", {**scope_parameters(access), "claims": json_text(wanted)})
    found = {row[0]: _posterior(row[1:]) for row in rows}
    return {claim: found.get(claim) or _posterior(_NO_EVIDENCE) for claim in wanted}


def claim(tx: Transaction, access: Access, claim_id: str) -> Node:
    """The claim with this id."""
    node = nodes.get(tx, access, claim_id, label="claim")
    if node.kind != "claim":
        raise InvalidInput(f"{claim_id} is a {node.kind} and no claim")
    return node


def _insert(tx: Transaction, access: Access, fresh: Sequence[Node], made: Made | None) -> None:
    if not fresh:
        return
    now = fresh[0].updated_at
    tx.run_many("node_insert", [{"owner": access.owner, **nodes.to_parameters(node)} for node in fresh])
    text_index.write(tx, access, fresh, new=True)
    embeddings.write(tx, access, fresh, made, new=True, now=now)
    mentions.add_names(tx, access, fresh)
    mentions.link_texts(tx, access, fresh, now=now)
    mentions.link_names(tx, access, fresh, now=now)


def restrict(tx: Transaction, access: Access, said_again: Mapping[str, Node]) -> None:
    """What is said again in a stricter class becomes as strict; a class never goes down by itself."""
    known = nodes.by_ids(tx, access, list(said_again))
    for node_id, again in said_again.items():
        old = known[node_id]
        stricter = old.restricted(again.boundary_class, again.open_class)
        if stricter != old:
            changed = replace(stricter, updated_at=again.updated_at, version=old.version + 1)
            nodes.replace_node(tx, access, old, changed, None)


def _slot(source_id: str, target_id: str, relation: str) -> tuple[str, str, bool]:
    """A pair has one judgement, and beside it the origin of the claim."""
    return source_id, target_id, relation in JUDGEMENTS


def _settle(
    tx: Transaction, access: Access, known: Edge | None, edge: Edge, *, firm: bool = False, now: str | None = None
) -> tuple[str, Edge]:
    """Put an edge in the place of another; says what became of it, and which one holds now."""
    if known is None:
        tx.run("edge_insert", {"owner": access.owner, **edges.to_parameters(edge)})
        return "created", edge
    if known.judge == HUMAN and not firm:
        return "kept", known
    said = ("tag", "confidence", "reason", "judge")
    if all(getattr(known, name) == getattr(edge, name) for name in said):
        return "unchanged", known
    at = now or edge.updated_at
    changed = replace(edge, created_at=known.created_at, updated_at=at, observed_at=at, version=known.version + 1)
    if known.tag == edge.tag:
        tx.run("edge_replace", {"owner": access.owner, **edges.to_parameters(changed)})
    else:
        tx.run("edge_delete", {"owner": access.owner, **edges.to_parameters(known)})
        tx.run("edge_insert", {"owner": access.owner, **edges.to_parameters(changed)})
    return "updated", changed


def _edge(each: Judgement, ends: Mapping[str, Node], *, now: str) -> Edge:
    for end in (each.source_id, each.target_id):
        if end not in ends:
            raise NotFound(f"there is no node {end} here", hint="use ids that an earlier answer gave")
    edge = edges.between(ends[each.source_id], ends[each.target_id], each.relation, now=now)
    return replace(edge, confidence=each.confidence, reason=each.reason, judge=each.judge)


def _posterior(figures: Row) -> Posterior:
    support, refutation, supports, refutes, neutral, pages, domains, oldest, newest = figures
    beta = posterior(support, refutation)
    return Posterior(
        confidence=beta.confidence,
        uncertainty=beta.uncertainty,
        controversy=beta.controversy,
        supports=supports,
        refutes=refutes,
        neutral=neutral,
        pages=pages,
        domains=domains,
        oldest_year=oldest,
        newest_year=newest,
    )
