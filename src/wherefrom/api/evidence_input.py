"""What a caller adds as evidence, checked: nodes that are not stored yet, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.evidence import FragmentType, NewClaim, NewEvidence, NewFragment, NewPage
from wherefrom.model.graph import ClaimKind, Node, Relation
from wherefrom.text import check
from wherefrom.text.urls import check_url, domain_of

FRAGMENT_TYPES: Final[tuple[FragmentType, ...]] = get_args(FragmentType)
_DETAILS: Final = frozenset({"content_type", "fetched_at", "file_hash"})


@dataclass(frozen=True, slots=True)
class Reference:
    """What a judgement is by: the so-manieth of the call, or one that is stored."""

    kind: Literal["fragment", "claim"]
    index: int | None
    id: str | None


@dataclass(frozen=True, slots=True)
class Saying:
    """What something says about a claim of the call; `where` names it in messages."""

    where: str
    claim: int
    source: Reference
    relation: Relation
    confidence: float
    quote: str | None
    reason: str | None
    cleaned_quote: str | None = None
    """The quote as the policy would leave it, if its fragment was stored so. Neither is kept."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Checked evidence. A claim is a node, or the id of one that is stored."""

    namespace: str
    page: Node | None
    cited: tuple[Node, ...]
    citation_source: str | None
    fragments: tuple[Node, ...]
    claims: tuple[Node | str, ...]
    sayings: tuple[Saying, ...]

    @property
    def new_claims(self) -> tuple[Node, ...]:
        """The claims that are given with their text."""
        return tuple(claim for claim in self.claims if isinstance(claim, Node))

    def mapped(self, change: Callable[[Node, str], Node]) -> Prepared:
        """The same with each node changed; it is given with its place in the call."""
        return replace(
            self,
            page=None if self.page is None else change(self.page, "page"),
            cited=tuple(change(node, f"page.cites.{at}") for at, node in enumerate(self.cited)),
            fragments=tuple(change(node, f"fragments.{at}") for at, node in enumerate(self.fragments)),
            claims=tuple(
                change(claim, f"claims.{at}") if isinstance(claim, Node) else claim
                for at, claim in enumerate(self.claims)
            ),
        )

    def cleaned(self, clean: Callable[[str], str]) -> Prepared:
        """The same with reasons cleaned, and quotes also as they would be."""
        sayings = (
            replace(
                saying,
                cleaned_quote=None if saying.quote is None else clean(saying.quote),
                reason=None if saying.reason is None else clean(saying.reason)[: limits.REASON_CHARACTERS],
            )
            for saying in self.sayings
        )
        return replace(self, sayings=tuple(sayings))

    def stamped(self, now: str, new_id: Callable[[], str]) -> Prepared:
        """The same with ids and times."""
        times: dict[str, Any] = dict.fromkeys(("observed_at", "recency_anchor", "created_at", "updated_at"), now)
        return self.mapped(lambda node, _: replace(node, id=new_id(), **times))


def prepare(
    page: NewPage | None, fragments: Sequence[NewFragment], claims: Sequence[NewClaim], *, like: Node
) -> Prepared:
    """Check what is given. `like` is an empty node with the place, class and task that all of it gets."""
    _bounded(fragments, limits.FRAGMENTS, "fragments")
    _bounded(claims, limits.CLAIMS, "claims")
    if page is None and not claims and not fragments:
        raise InvalidInput("there is nothing to add", hint="give a page, fragments of it, or claims")
    if page is None and fragments:
        raise InvalidInput("fragments need their page", hint="give page, at least its url")
    bare = replace(like, task_id=None)
    source = None if page is None else _page(page, bare)
    provenance = {} if source is None else _source(source)
    sayings = tuple(
        _saying(given, at, number, (len(fragments), len(claims)))
        for at, claim in enumerate(claims)
        for number, given in enumerate(_bounded(claim.evidence, limits.EVIDENCE, f"claims.{at}.evidence"))
    )
    return Prepared(
        namespace=like.namespace,
        page=source,
        cited=() if page is None else _cited(page, bare),
        citation_source=None if page is None or page.citation_source is None else check.check_tag(page.citation_source),
        fragments=tuple(_fragment(given, bare, provenance, f"fragments.{at}") for at, given in enumerate(fragments)),
        claims=tuple(_claim(given, like, provenance, f"claims.{at}") for at, given in enumerate(claims)),
        sayings=sayings,
    )


def _refuse_other(value: object, kind: type, where: str) -> None:
    if not isinstance(value, kind):
        raise InvalidInput(f"{where} must be a {kind.__name__}, not {type(value).__name__}")


def _page(page: NewPage, like: Node) -> Node:
    _refuse_other(page, NewPage, "page")
    url = check_url(page.url)
    paper = check.check_metadata(page.paper_metadata, field="paper_metadata")
    details = {name: value for name, value in page.details.items() if name in _DETAILS and value is not None}
    stated = paper.get("year")
    known = stated if isinstance(stated, int) and not isinstance(stated, bool) and -9999 <= stated <= 9999 else None
    year = known if page.year is None else check.check_year(page.year)
    return replace(
        like,
        kind="page",
        content=url,
        title=check.check_title(page.title),
        metadata=check.check_metadata({**details, **({"paper": paper} if paper else {})}),
        provenance={"url": url},
        domain=domain_of(url),
        year=year,
    )


def _cited(page: NewPage, like: Node) -> tuple[Node, ...]:
    cited = _bounded(page.cites, limits.CITATIONS, "page.cites")
    found = [_page(NewPage(other) if isinstance(other, str) else other, like) for other in cited]
    return tuple({node.content: node for node in found}.values())


def _fragment(given: NewFragment, like: Node, provenance: dict[str, Any], where: str) -> Node:
    text = check.check_text(given.text, field=f"{where}.text", size=limits.FRAGMENT_BYTES)
    kind = check.check_choice(given.type, FRAGMENT_TYPES, field=f"{where}.type") or "paragraph"
    facts: dict[str, Any] = {"type": kind, "heading": given.heading, "headings": list(given.headings) or None}
    for name, value in (("start", given.start), ("end", given.end)):
        facts[name] = (
            None if value is None else check.check_whole(value, field=f"{where}.{name}", low=0, high=2**31 - 1)
        )
    for heading in (given.heading, *given.headings):
        check.check_title(heading)
    position = given.position
    return replace(
        like,
        kind="fragment",
        content=text,
        metadata=check.check_metadata({name: value for name, value in facts.items() if value is not None}),
        provenance={**provenance, **({"heading": given.heading} if given.heading else {})},
        position=None if position is None else check.check_whole(position, field="position", low=0, high=2**31 - 1),
    )


def _claim(given: NewClaim, like: Node, provenance: dict[str, Any], where: str) -> Node | str:
    if (given.text is None) == (given.claim_id is None):
        raise InvalidInput(f"{where} needs either a text or a claim_id")
    if given.claim_id is not None:
        return check.check_id(given.claim_id, field=f"{where}.claim_id")
    confidence = 0.5 if given.confidence is None else check.check_weight(given.confidence, field=f"{where}.confidence")
    check.check_choice(given.kind, get_args(ClaimKind), field=f"{where}.kind")
    return replace(
        like,
        kind="claim",
        claim_kind=given.kind,
        content=check.check_text(given.text, field=f"{where}.text", size=limits.CLAIM_BYTES),
        confidence=confidence,
        provenance={**provenance, **({"task_id": like.task_id} if like.task_id else {})},
    )


def _saying(given: NewEvidence, claim: int, number: int, sizes: tuple[int, int]) -> Saying:
    where = f"claims.{claim}.evidence.{number}"
    _refuse_other(given, NewEvidence, where)
    relation: Any = check.check_choice(given.relation, get_args(Relation), field=f"{where}.relation")
    if relation is None:
        raise InvalidInput(f"{where} needs a relation", hint=f"one of {', '.join(get_args(Relation))}")
    source = _reference(given, where, sizes)
    if source.kind == "claim" and (relation == "origin" or given.quote is not None):
        raise InvalidInput(f"{where}: only a fragment can be quoted or be the origin of a claim")
    if source.kind == "claim" and source.index == claim:
        raise InvalidInput(f"{where}: a claim cannot speak for itself")
    quote = given.quote
    return Saying(
        where=where,
        claim=claim,
        source=source,
        relation=relation,
        confidence=check.check_weight(given.confidence, field=f"{where}.confidence"),
        quote=None if quote is None else check.check_text(quote, field=f"{where}.quote", size=limits.FRAGMENT_BYTES),
        reason=check.check_reason(given.reason) or None,
    )


def _reference(given: NewEvidence, where: str, sizes: tuple[int, int]) -> Reference:
    if (given.fragment is None) == (given.claim is None):
        raise InvalidInput(f"{where} needs either fragment or claim", hint="a number counts from 0, a text is an id")
    kind: Literal["fragment", "claim"] = "claim" if given.fragment is None else "fragment"
    named = given.claim if given.fragment is None else given.fragment
    if isinstance(named, int) and not isinstance(named, bool):
        size = sizes[0] if kind == "fragment" else sizes[1]
        if not 0 <= named < size:
            raise InvalidInput(f"{where}.{kind} {named} is not one of the {size} given", hint="numbers count from 0")
        return Reference(kind, named, None)
    return Reference(kind, None, check.check_id(named, field=f"{where}.{kind}"))


def _source(page: Node) -> dict[str, Any]:
    """What fragments and claims say about where they come from."""
    return {"url": page.content, **({"source_title": page.title} if page.title else {})}


def _bounded(items: Iterable[Any], limit: int, field: str) -> Sequence[Any]:
    if isinstance(items, str | bytes) or not isinstance(items, Sequence):
        raise InvalidInput(f"{field} is not a list")
    if len(items) > limit:
        raise InvalidInput(f"{field} has {len(items)} items; at most {limit} go into one call")
    return items
