"""Stores prepared evidence in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wherefrom.api.evidence_input import Prepared, Reference, Saying
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, NotFound
from wherefrom.model.evidence import Added, AddedClaim, EvidenceAdded, NewQuery
from wherefrom.model.graph import Node
from wherefrom.storage import events, evidence, nodes, tasks
from wherefrom.storage.embeddings import Made
from wherefrom.storage.events import Trace
from wherefrom.storage.evidence import Judgement
from wherefrom.storage.port import Transaction
from wherefrom.text.quotes import find_quote


@dataclass(frozen=True, slots=True)
class Adding:
    """What is about to be stored: checked, guarded and embedded."""

    prepared: Prepared
    task_id: str | None
    query: NewQuery | None
    query_id: str | None
    judge: str | None
    redacted: Mapping[str, int]
    made: Made | None
    trace: Trace


def add(tx: Transaction, access: Access, adding: Adding, *, new_id: Callable[[], str], now: str) -> EvidenceAdded:
    """Store all of it, or raise."""
    tx.run("lock_edges_shared", {})
    given = adding.prepared.stamped(now, new_id)
    query_id = _begin(tx, access, adding, new_id=new_id, now=now)
    page, stored = (None, None) if given.page is None else _put_page(tx, access, given.page, now=now)
    cites = 0
    pieces: Sequence[Node] = ()
    if page is not None and stored is not None:
        cited = _put_cited(tx, access, given.cited, now=now)
        cites = evidence.cite(tx, access, page.id, cited, source=given.citation_source, now=now)
        pieces = evidence.place(tx, access, stored, given.fragments)
    fragments = evidence.put(tx, access, pieces, adding.made)
    claims = _put_claims(tx, access, given, adding.made)
    edges = evidence.judge(tx, access, _judgements(tx, access, given, adding, fragments, claims), now=now)
    _count(tx, access, adding.task_id, query_id, sum(fragment.status == "created" for fragment in fragments))
    known = nodes.by_ids(tx, access, [claim.id for claim in claims])
    posteriors = evidence.posteriors(tx, access, known)
    added = EvidenceAdded(
        page=page,
        fragments=tuple(fragments),
        claims=tuple(
            AddedClaim(claim.id, claim.status, known[claim.id].rejected_at is not None, posteriors[claim.id])
            for claim in claims
        ),
        edges=dict(edges),
        cites=cites,
        query_id=query_id,
        redacted=adding.redacted,
    )
    _record(tx, access, adding, added, at=now)
    return added


def _begin(tx: Transaction, access: Access, adding: Adding, *, new_id: Callable[[], str], now: str) -> str | None:
    """The task explores from now on; returns the query that found the evidence."""
    if adding.task_id is None:
        return None
    task = tasks.get(tx, access, adding.task_id)
    tasks.refuse_ended(task)
    if task.status == "created":
        tasks.save(tx, access, replace(task, status="exploring", started_at=now, updated_at=now))
    if adding.query_id is not None:
        return tasks.query(tx, access, task.id, adding.query_id).id
    if adding.query is not None:
        return tasks.query_for(tx, access, task.id, adding.query, new_id=new_id(), now=now).id
    return None


def _put_page(tx: Transaction, access: Access, page: Node, *, now: str) -> tuple[Added, Node]:
    """A page is known by its URL; what is new about it is merged in."""
    known = evidence.page_at(tx, access, page.namespace, page.content, boundary_class=page.boundary_class)
    if known is not None:
        # A delete or a stricter class that began before sees a conflict, instead of missing what comes now.
        tx.run("nodes_hold", {"owner": access.owner, "id": known.id})
        paper = {**known.metadata.get("paper", {}), **page.metadata.get("paper", {})}
        page = replace(page, metadata={**page.metadata, **({"paper": paper} if paper else {})})
    saved = nodes.create(tx, access, page, None)
    if saved.status == "created":
        return Added(saved.node.id, "created"), saved.node
    return Added(saved.node.id, "updated" if saved.node.updated_at == now else "unchanged"), saved.node


def _put_cited(tx: Transaction, access: Access, cited: Sequence[Node], *, now: str) -> list[str]:
    """Pages that are cited: what is known of them is merged in, most are known by their URL alone."""
    told = [node for node in cited if node.title is not None or node.year is not None]
    bare = [node for node in cited if node.title is None and node.year is None]
    ids = [_put_page(tx, access, node, now=now)[1].id for node in told]
    return [*ids, *(page.id for page in evidence.put(tx, access, bare, None))]


def _put_claims(tx: Transaction, access: Access, given: Prepared, made: Made | None) -> list[Added]:
    """The claims of the call, in order: new ones are stored, others are looked up."""
    stored = iter(evidence.put(tx, access, given.new_claims, made))
    return [
        next(stored) if isinstance(claim, Node) else Added(evidence.claim(tx, access, claim).id, "unchanged")
        for claim in given.claims
    ]


def _judgements(
    tx: Transaction,
    access: Access,
    given: Prepared,
    adding: Adding,
    fragments: Sequence[Added],
    claims: Sequence[Added],
) -> list[Judgement]:
    """What is said about the claims, by whom; quotes are compared with what is stored."""

    def resolved(reference: Reference) -> str:
        if reference.index is None:
            return reference.id or ""
        return (fragments if reference.kind == "fragment" else claims)[reference.index].id

    sources = {saying: resolved(saying.source) for saying in given.sayings}
    known = nodes.by_ids(tx, access, sorted(set(sources.values())))
    judgements: list[Judgement] = []
    for saying, source_id in sources.items():
        source = known.get(source_id)
        if source is None or source.kind != saying.source.kind:
            raise NotFound(
                f"{saying.where}: there is no {saying.source.kind} {source_id}", hint="ids come from answers"
            )
        target = claims[saying.claim].id
        if target == source_id:
            raise InvalidInput(f"{saying.where}: a claim cannot speak for itself")
        judgements.append(Judgement(source_id, target, saying.relation, saying.confidence, saying.reason, adding.judge))
    _refuse_misquoted(sources, known)
    return judgements


def _refuse_misquoted(sources: Mapping[Saying, str], known: Mapping[str, Node]) -> None:
    """Refuse the first link whose quote does not stand in its fragment, neither as given nor as it would be cleaned."""
    quoted = [saying for saying in sources if saying.quote is not None]
    # By source, because a text is prepared for comparing once for quotes that follow each other.
    wrong = {
        saying.where
        for saying in sorted(quoted, key=sources.__getitem__)
        if not any(
            find_quote(known[sources[saying]].content, quote)
            for quote in (saying.quote, saying.cleaned_quote)
            if quote is not None
        )
    }
    for saying in quoted:
        if saying.where in wrong:
            raise InvalidInput(
                f"{saying.where}: the quote does not stand in its fragment",
                hint="copy it word for word from the fragment, or leave quote out",
            )


def _count(tx: Transaction, access: Access, task_id: str | None, query_id: str | None, created: int) -> None:
    """Note how many fragments a query was good for."""
    if task_id is not None and query_id is not None and created:
        known = tasks.query(tx, access, task_id, query_id)
        tasks.save_query(tx, access, replace(known, useful_fragments=known.useful_fragments + created))


def _record(tx: Transaction, access: Access, adding: Adding, added: EvidenceAdded, *, at: str) -> None:
    new: Counter[str] = Counter(
        {"fragments": sum(fragment.status == "created" for fragment in added.fragments)}
    ) + Counter({"claims": sum(claim.status == "created" for claim in added.claims), "cites": added.cites})
    changed = added.edges.get("created", 0) + added.edges.get("updated", 0)
    if not new and not changed and (added.page is None or added.page.status == "unchanged"):
        return
    payload: dict[str, Any] = {"page_id": added.page and added.page.id, "task_id": adding.task_id, **new}
    payload |= {"edges": changed} | ({"redacted": dict(added.redacted)} if added.redacted else {})
    namespace = adding.prepared.namespace
    events.record(tx, access, "evidence", payload, namespace=namespace, at=at, trace=adding.trace)
