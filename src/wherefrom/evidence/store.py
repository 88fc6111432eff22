"""The verb that adds evidence: a page, fragments of it, claims, and what is said about them, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final

from wherefrom.engine.boundary import cleaned, guarded, keep_invariants
from wherefrom.engine.params import Class, RequestId, check_place, id_param
from wherefrom.engine.view import Engine
from wherefrom.evidence.input import (
    CheckedEvidence,
    EvidenceLink,
    NewClaim,
    NewFragment,
    NewPage,
    NewQuery,
    corrected_by_person,
    evidence_of,
)
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import BoundaryDenied, InvalidInput, NotFound, shown_id
from wherefrom.model.evidence import Added, AddedClaim, AddedStatus, EvidenceAdded, Query
from wherefrom.model.graph import HUMAN, BoundaryClass, Edge, Node, node_at, strictest
from wherefrom.model.param import Param
from wherefrom.storage import embeddings, events, evidence, locks, node_saving, nodes, tasks
from wherefrom.storage.embeddings import Made
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.text import check
from wherefrom.text.quotes import find_quote

# The relations of a fragment to a claim that make it the claim's source.
_SPEAKS: Final = ("origin", "supports")
# The keys by which a fragment names its source.
_SOURCE: Final = ("url", "source_title", "heading")


def _check_judge(value: object, *, field: str) -> str:
    """The name of a program that judges; `human` is refused."""
    if value == HUMAN:
        raise InvalidInput("a person's judgement is made by correcting", hint="`wherefrom correct`")
    return check.check_tag(value, field=field)


_Page = Annotated[NewPage | None, Param("The source; needed for new fragments.", only="agents")]
_Fragments = Annotated[
    Sequence[NewFragment], Param("Pieces of the page, word for word.", high=limits.FRAGMENTS, only="agents")
]
_Claims = Annotated[Sequence[NewClaim], Param("Statements with their evidence.", high=limits.CLAIMS, only="agents")]
_TaskId = Annotated[str | None, id_param("The task that the claims belong to.", refers="task", option="--task")]
_Query = Annotated[NewQuery | None, Param("The search that found this page.", only="agents")]
_QueryId = Annotated[str | None, id_param("Or its id from an earlier answer.", refers="query", only="agents")]


class EvidenceEngine(Engine):
    """Adds evidence."""

    def add_evidence(
        self,
        page: _Page = None,
        *,
        fragments: _Fragments = (),
        claims: _Claims = (),
        task_id: _TaskId = None,
        query: _Query = None,
        query_id: _QueryId = None,
        judge: Annotated[str | None, Param("Who judges: your model's name.", check=_check_judge)] = None,
        namespace: Annotated[
            str | None,
            Param(
                "Namespace path. Omit for the task's, or without a task for the default.",
                option="--namespace,-n",
                check=check_place,
            ),
        ] = None,
        boundary_class: Class = None,
        request_id: RequestId = None,
    ) -> EvidenceAdded:
        """Store a page, verbatim fragments of it, claims, and what the fragments say about the claims: all or nothing.

        The same again changes nothing. A quote that does not stand in its fragment is refused. `judge` says who
        judges; what a person has corrected stays. `query` is the search that found it, for the task.
        """
        trace = Trace(request_id)
        access = self.view.access
        task = None if task_id is None else self.store.database.read(lambda tx: tasks.get_open(tx, access, task_id))
        if task is None and (query is not None or query_id is not None):
            raise InvalidInput("a query belongs to a task", hint="give task_id, too")
        place = access.resolve(namespace) if namespace is not None or task is None else task.namespace
        shown_as = strictest(boundary_class or "internal", "public" if task is None else task.boundary_class)
        with self.view.noting_refusal("add_evidence", place, trace):
            given, redacted = self.checked(
                page, fragments, claims, namespace=place, boundary_class=shown_as, task_id=task_id
            )
        texts = [embeddings.embedded_text(node) for node in (*given.fragments, *given.new_claims)]
        made = None if self.store.embedder is None else embeddings.made(self.store.embedder, texts)
        asked = None
        if query is not None and task_id is not None:
            text, now = self.view.boundary.cleaned(query.text, place), self.view.now()
            asked = Query(self.store.new_id(), task_id, text, now, query.type, query.language, query.parent_id)
            asked = replace(asked, result_count=query.result_count)

        def work(tx: Transaction) -> EvidenceAdded:
            storing = _Storing(tx, access, made, judge, self.view.now())
            known = storing.begin(task_id, asked, query_id)
            added = storing.add(given, None if known is None else known.id, redacted)
            if known is not None and (fresh := _created(added.fragments)):
                tasks.save_query(tx, access, replace(known, useful_fragments=known.useful_fragments + fresh))
            storing.note(added, given, task_id, place=place, trace=trace)
            return added

        with self.view.noting_refusal("add_evidence", place, trace):
            added = self.store.database.write(work)
        if not embeddings.is_instant(self.store.embedder):
            self.store.worker.wake(self.view.access)
        return added

    def checked(
        self,
        page: NewPage | None,
        fragments: Sequence[NewFragment],
        claims: Sequence[NewClaim],
        *,
        namespace: str,
        boundary_class: BoundaryClass,
        task_id: str | None = None,
    ) -> tuple[CheckedEvidence, Counter[str]]:
        """The nodes and links as the policy leaves them, with counts of what was taken out; raises if one is barred."""
        rules, now = self.view.boundary.at(namespace), self.view.now()
        taken: Counter[str] = Counter()

        def new(where: str, **values: Any) -> Node:
            given = node_at(now, id=self.store.new_id(), namespace=namespace, boundary_class=boundary_class, **values)
            try:
                node, counts = guarded(given, rules)
                node = replace(node, content_hash=check.content_hash(node.content))
                keep_invariants(node, rules)
            except BoundaryDenied as error:
                raise BoundaryDenied(f"{where}: {error.message}", hint=error.hint) from None
            taken.update(counts)
            return node

        clean = partial(cleaned, rules=rules)
        return evidence_of(page, fragments, claims, new=new, clean=clean, task_id=task_id), taken


@dataclass(frozen=True, slots=True)
class _Storing:
    """One transaction that stores evidence, for one judge and as of one time."""

    tx: Transaction
    access: Access
    made: Made | None
    judge: str | None
    now: str

    def begin(self, task_id: str | None, asked: Query | None, query_id: str | None) -> Query | None:
        """Set a new task to exploring; returns the stored query that found the evidence, if one is given."""
        locks.share(self.tx, self.access.owner)
        if task_id is None:
            return None
        task = tasks.get_open(self.tx, self.access, task_id)
        if task.status == "created":
            begun = replace(task, status="exploring", started_at=self.now, updated_at=self.now)
            tasks.save(self.tx, self.access, begun)
        if query_id is not None:
            return tasks.query(self.tx, self.access, task_id, query_id)
        return None if asked is None else tasks.query_for(self.tx, self.access, asked)

    def add(self, given: CheckedEvidence, query_id: str | None, redacted: Mapping[str, int]) -> EvidenceAdded:
        """Store the evidence; returns what became of each part."""
        tx, access = self.tx, self.access
        page, stored, pieces, cites = None, None, [], 0
        if given.page is not None:
            page, stored = self._put_page(given.page)
            cited = self._put_cited(given.cited)
            cites = evidence.cite(tx, access, stored.id, cited, source=given.citation_source, now=self.now)
            pieces = evidence.place(tx, access, stored, given.fragments)
        fragments = evidence.put(tx, access, pieces, self.made)
        fresh = iter(evidence.put(tx, access, self._sourced_claims(given, stored), self.made))
        claims = [
            next(fresh) if isinstance(claim, Node) else Added(evidence.claim(tx, access, claim).id, "unchanged")
            for claim in given.claims
        ]
        edges = evidence.judge(tx, access, self._judgements(given.links, fragments, claims))
        known = nodes.by_ids(tx, access, [claim.id for claim in claims])
        posteriors = evidence.posteriors(tx, access, known)
        answers = (
            AddedClaim(claim.id, claim.status, known[claim.id].rejected_at is not None, posteriors[claim.id])
            for claim in claims
        )
        return EvidenceAdded(page, tuple(fragments), tuple(answers), dict(edges), cites, query_id, dict(redacted))

    def note(
        self, added: EvidenceAdded, given: CheckedEvidence, task_id: str | None, *, place: str, trace: Trace
    ) -> None:
        """Record what was added as an event, if anything was; and one of the page, if it is new or has new fragments,
        and of each claim that is new or was judged.
        """
        payload = _payload(added, task_id)
        if payload is None:
            return
        unseen = events.shown_to_nobody(place)
        events.record(self.tx, self.access, "evidence", payload, about=unseen, at=self.now, trace=trace)
        judged = {added.claims[link.claim].id for link in given.links} if _judged(added) else set()
        said = {claim.id: claim.status for claim in added.claims if claim.status != "unchanged" or claim.id in judged}
        if added.page is not None and (added.page.status != "unchanged" or _created(added.fragments)):
            said[added.page.id] = added.page.status
        known = nodes.by_ids(self.tx, self.access, list(said))
        rows = [
            events.row_of(
                self.access,
                "evidence",
                {"memo_id": node.id, "status": said[node.id], "task_id": task_id},
                about=events.about_node(node, part_of=task_id),
                at=self.now,
                trace=trace,
            )
            for node in known.values()
        ]
        events.append(self.tx, rows)

    def _put_page(self, page: Node) -> tuple[Added, Node]:
        """Store a page, which is known by its URL; merge in what is new about it."""
        tx, access = self.tx, self.access
        known = evidence.page_at(tx, access, page.namespace, page.content, boundary_class=page.boundary_class)
        if known is not None:
            locks.hold_nodes(tx, access.owner, [known.id])
            paper = {**known.metadata.get("paper", {}), **page.metadata.get("paper", {})}
            page = replace(page, metadata={**page.metadata, **({"paper": paper} if paper else {})})
            page = replace(page, **{name: getattr(known, name) for name in corrected_by_person(known)})
        saved = node_saving.create(tx, access, page, None)
        changed: AddedStatus = "updated" if saved.node.updated_at == page.updated_at else "unchanged"
        return Added(saved.node.id, "created" if saved.status == "created" else changed), saved.node

    def _sourced_claims(self, given: CheckedEvidence, page: Node | None) -> list[Node]:
        """The new claims with the title and year of their page; without a page, with the source of the first stored
        fragment that they come from or that speaks for them.
        """
        if page is not None:
            return [nodes.sourced(claim, page) for claim in given.new_claims]
        speaking = [link for link in given.links if link.source_kind == "fragment" and link.given.relation in _SPEAKS]
        stated = {link.claim: str(link.source) for link in reversed(speaking)}
        known = nodes.by_ids(self.tx, self.access, sorted(set(stated.values())))
        return [
            _with_source(claim, known.get(stated.get(at, "")))
            for at, claim in enumerate(given.claims)
            if isinstance(claim, Node)
        ]

    def _put_cited(self, cited: Sequence[Node]) -> list[str]:
        """Store cited pages, most of which are known by their URL alone and put at once; returns their ids."""
        told = [node for node in cited if node.title is not None or node.year is not None]
        bare = [node for node in cited if node.title is None and node.year is None]
        ids = [self._put_page(node)[1].id for node in told]
        return [*ids, *(page.id for page in evidence.put(self.tx, self.access, bare, None))]

    def _judgements(
        self, links: Sequence[EvidenceLink], fragments: Sequence[Added], claims: Sequence[Added]
    ) -> list[Edge]:
        """The links as judgements between ids; raises if a source is missing or a quote does not stand in it."""
        given = {"fragment": fragments, "claim": claims}
        sources = {
            link: link.source if isinstance(link.source, str) else given[link.source_kind][link.source].id
            for link in links
        }
        known = nodes.by_ids(self.tx, self.access, sorted(set(sources.values())))
        judgements: list[Edge] = []
        for link, source_id in sources.items():
            if source_id not in known or known[source_id].kind != link.source_kind:
                missing = f"{link.where}: there is no {link.source_kind} {shown_id(source_id)}"
                raise NotFound(missing, hint="ids come from answers")
            if claims[link.claim].id == source_id:
                raise InvalidInput(f"{link.where}: a claim cannot speak for itself")
            said = link.given
            edge = Edge(source_id, claims[link.claim].id, said.relation, 1.0, "", "", self.now, self.now, self.now)
            judgements.append(replace(edge, confidence=said.confidence, reason=said.reason, judge=self.judge))
        _refuse_misquoted({link: known[source_id].content for link, source_id in sources.items()})
        return judgements


def _refuse_misquoted(texts: Mapping[EvidenceLink, str]) -> None:
    """Refuse the first link whose quote does not stand in its fragment, neither as given nor cleaned."""
    # By text, because a text is prepared for comparing once for quotes that follow each other.
    wrong = {
        link
        for link in sorted(texts, key=texts.__getitem__)
        if link.given.quote is not None
        and not any(find_quote(texts[link], quote) for quote in (link.given.quote, link.cleaned_quote) if quote)
    }
    if wrong:
        first = next(link for link in texts if link in wrong)
        raise InvalidInput(
            f"{first.where}: the quote does not stand in its fragment",
            hint="copy it word for word from the fragment, or leave quote out",
        )


def _with_source(claim: Node, fragment: Node | None) -> Node:
    """A claim with the source of a fragment, unless that is more restricted than the claim."""
    if fragment is None or strictest(claim.open_class, fragment.boundary_class) != claim.open_class:
        return claim
    said = {name: fragment.provenance[name] for name in _SOURCE if name in fragment.provenance}
    year = {} if fragment.year is None else {"year": fragment.year}
    return replace(claim, provenance={**said, **year, **claim.provenance})


def _created(added: Sequence[Added]) -> int:
    return sum(one.status == "created" for one in added)


def _judged(added: EvidenceAdded) -> int:
    """The number of judgements that are new or changed."""
    return added.edges.get("created", 0) + added.edges.get("updated", 0)


def _payload(added: EvidenceAdded, task_id: str | None) -> dict[str, Any] | None:
    """The payload of the event about what was added; None if nothing changed."""
    counts = {"fragments": _created(added.fragments), "claims": _created(added.claims), "cites": added.cites}
    edges = _judged(added)
    if not any(counts.values()) and not edges and (added.page is None or added.page.status == "unchanged"):
        return None
    new = {name: count for name, count in counts.items() if count}
    payload = {"page_id": added.page and added.page.id, "task_id": task_id, **new, "edges": edges}
    return payload | ({"redacted": dict(added.redacted)} if added.redacted else {})
