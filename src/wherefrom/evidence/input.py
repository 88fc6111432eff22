"""Evidence as a caller gives it, each field with its check, and as the nodes and links to be stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Final, Literal

from wherefrom.engine.params import check_query, id_param
from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput
from wherefrom.model.graph import ClaimKind, Node, QueryType, Relation
from wherefrom.model.param import Param
from wherefrom.text import check
from wherefrom.text.urls import check_url, domain_of

FragmentType = Literal["paragraph", "heading", "list", "table", "quote", "figure", "code", "abstract"]

_MAX_OFFSET: Final = 2**31 - 1
MAX_YEAR: Final = 9999
# The key of a page's metadata that lists what a person has corrected: its source does not change that any more.
CORRECTED: Final = "corrected"
_DETAILS: Final = frozenset({"content_type", "fetched_at", "file_hash"})


def _check_source(value: object, *, field: str) -> int | str:
    """The number of a fragment or claim in the call, or its id."""
    return value if type(value) is int else check.check_reference(value, field=field)


def _source(text: str) -> Param:
    return Param(text, check=_check_source, refers="node")


check_fragment = partial(check.check_text, size=limits.FRAGMENT_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuery:
    """The search that found some evidence: what was asked, and how many results there were."""

    text: Annotated[str, Param("What was asked.", check=check_query)]
    type: Annotated[QueryType, Param("How it came about.")] = "initial"
    language: Annotated[str | None, Param("The language that it is in.", check=check.check_tag)] = None
    parent_id: Annotated[str | None, id_param("The query that it follows from.", refers="query")] = None
    result_count: Annotated[int | None, Param("How many results there were.", 0, 10**9)] = None


@dataclass(frozen=True, slots=True)
class NewPage:
    """A source. `cites` holds the pages that it cites, or just their URLs."""

    url: Annotated[str, Param("Its address; a page is known by it.", check=check_url)]
    title: Annotated[str | None, Param("Its title.", check=check.check_title)] = None
    year: Annotated[int | None, Param("When it was published.", -MAX_YEAR, MAX_YEAR)] = None
    paper_metadata: Annotated[
        Mapping[str, Any], Param("For papers: doi, venue, authors, …", check=check.check_metadata)
    ] = field(default_factory=dict)
    cites: Annotated[Sequence[NewPage | str], Param("Pages that it cites, by URL.", high=limits.CITATIONS)] = ()
    citation_source: Annotated[str | None, Param(only="code", check=check.check_tag)] = None
    """The program that found the citations; without it, the caller read them on the page."""
    details: Annotated[Mapping[str, Any], Param(only="code")] = field(default_factory=dict)
    """Further facts about the page: content_type, fetched_at, file_hash."""


@dataclass(frozen=True, slots=True)
class NewFragment:
    """A verbatim piece of a page. Without a position it comes after those that are there.

    `headings` are all those above it, outermost first; `start` and `end` say where it stands in the document's text.
    """

    text: Annotated[str, Param("Copied word for word from the page.", check=check_fragment)]
    position: Annotated[int | None, Param("Its place on the page; omit: after the others.", 0, _MAX_OFFSET)] = None
    heading: Annotated[str | None, Param("The heading that it stands under.", check=check.check_title)] = None
    type: Annotated[FragmentType, Param("What it is.")] = "paragraph"
    headings: Annotated[Sequence[str], Param(only="code")] = ()
    start: Annotated[int | None, Param("", 0, _MAX_OFFSET, only="code")] = None
    end: Annotated[int | None, Param("", 0, _MAX_OFFSET, only="code")] = None


@dataclass(frozen=True, slots=True)
class NewEvidence:
    """The judgement of a fragment, or of another claim, about a claim.

    `fragment` and `claim` name it: a number counts what is given in the same call, from 0; a text is an id.
    `quote` must stand in the fragment, letter for letter; line breaks, hyphenation and typography may differ.
    """

    relation: Annotated[Relation, Param("origin: the claim was taken from here; it is no judgement.")]
    fragment: Annotated[int | str | None, _source("Its number in this call from 0, or a fragment's id.")] = None
    claim: Annotated[int | str | None, _source("Instead: another claim that speaks for or against it.")] = None
    confidence: Annotated[float, Param("How sure you are of the relation.", 0, 1)] = 1.0
    quote: Annotated[
        str | None, Param("The words that say so; refused unless they stand there.", check=check_fragment)
    ] = None
    reason: Annotated[str | None, Param("Why, in one plain sentence.", check=check.check_reason)] = None


@dataclass(frozen=True, slots=True)
class NewClaim:
    """A statement, new or known by its id, with what speaks for and against it."""

    text: Annotated[
        str | None, Param("One statement. Or give claim_id.", check=partial(check.check_text, size=limits.CLAIM_BYTES))
    ] = None
    claim_id: Annotated[str | None, id_param("A claim that is stored already.", metavar="CLAIM_ID")] = None
    evidence: Annotated[Sequence[NewEvidence], Param("What speaks for and against it.", high=limits.EVIDENCE)] = ()
    kind: Annotated[ClaimKind, Param(only="code")] = "fact"
    confidence: Annotated[float | None, Param("How well it was extracted.", 0, 1)] = None
    """How well it was taken from its source, not how true it is."""


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """The judgement of a fragment or claim about a given claim; messages name its place in the call by `where`.

    `source` is the index of a fragment or claim of the call, or the id of a stored one. `cleaned_quote` is the quote
    as the policy leaves it, for a fragment that was stored so; neither quote is kept.
    """

    where: str
    claim: int
    source_kind: Literal["fragment", "claim"]
    source: int | str
    given: NewEvidence
    cleaned_quote: str | None


@dataclass(frozen=True, slots=True)
class CheckedEvidence:
    """Evidence as nodes that are not stored yet, and the links between them. A claim may be the id of a stored one."""

    page: Node | None
    cited: tuple[Node, ...]
    citation_source: str | None
    fragments: tuple[Node, ...]
    claims: tuple[Node | str, ...]
    links: tuple[EvidenceLink, ...]

    @property
    def new_claims(self) -> tuple[Node, ...]:
        """The claims that are given with their text rather than an id."""
        return tuple(claim for claim in self.claims if isinstance(claim, Node))


def evidence_of(
    page: NewPage | None,
    fragments: Sequence[NewFragment],
    claims: Sequence[NewClaim],
    *,
    new: Callable[..., Node],
    clean: Callable[[str], str],
    task_id: str | None,
) -> CheckedEvidence:
    """The nodes and links of what is given; new claims belong to the task.

    `new` makes a node of its place in the call and its fields; `clean` returns a text as the policy leaves it.
    """
    if page is None and not claims and not fragments:
        raise InvalidInput("there is nothing to add", hint="give a page, fragments of it, or claims")
    if page is None and fragments:
        raise InvalidInput("fragments need their page", hint="give page, at least its url")
    sizes = {"fragment": len(fragments), "claim": len(claims)}
    links = tuple(
        _link(given, at, f"claims.{at}.evidence.{number}", sizes, clean)
        for at, claim in enumerate(claims)
        for number, given in enumerate(claim.evidence)
    )
    source = page or NewPage("")
    cited = [NewPage(check_url(cited)) if isinstance(cited, str) else cited for cited in source.cites]
    provenance = _known(url=source.url, source_title=source.title)
    new_claim = partial(new, task_id=task_id, provenance={**provenance, **_known(task_id=task_id)})
    return CheckedEvidence(
        page=None if page is None else _page(page, partial(new, "page")),
        cited=tuple(
            _page(given, partial(new, f"page.cites.{at}"))
            for at, given in enumerate({given.url: given for given in cited}.values())
        ),
        citation_source=source.citation_source,
        fragments=tuple(
            _fragment(given, partial(new, f"fragments.{at}"), provenance) for at, given in enumerate(fragments)
        ),
        claims=tuple(_claim(given, new_claim, f"claims.{at}") for at, given in enumerate(claims)),
        links=links,
    )


def corrected_by_person(page: Node) -> tuple[str, ...]:
    """The facts about a page that a person has corrected."""
    said = page.metadata.get(CORRECTED)
    return tuple(name for name in ("title", "year") if isinstance(said, list) and name in said)


def _known(**values: Any) -> dict[str, Any]:
    """The values that are given and not empty."""
    return {name: value for name, value in values.items() if value}


def _page(page: NewPage, new: Callable[..., Node]) -> Node:
    details = {name: value for name, value in page.details.items() if name in _DETAILS and value is not None}
    stated = page.paper_metadata.get("year")
    known = stated if type(stated) is int and abs(stated) <= MAX_YEAR else None
    return new(
        kind="page",
        content=page.url,
        title=page.title,
        metadata=check.check_metadata({**details, **_known(paper=page.paper_metadata)}),
        provenance={"url": page.url},
        domain=domain_of(page.url),
        year=known if page.year is None else page.year,
    )


def _fragment(given: NewFragment, new: Callable[..., Node], provenance: Mapping[str, Any]) -> Node:
    facts: dict[str, Any] = {"type": given.type, "heading": given.heading, "headings": list(given.headings) or None}
    facts |= {"start": given.start, "end": given.end}
    return new(
        kind="fragment",
        content=given.text,
        metadata=check.check_metadata({name: value for name, value in facts.items() if value is not None}),
        provenance={**provenance, **_known(heading=given.heading)},
        position=given.position,
    )


def _claim(given: NewClaim, new: Callable[..., Node], where: str) -> Node | str:
    if given.text is None and given.claim_id is not None:
        return given.claim_id
    if given.text is None or given.claim_id is not None:
        raise InvalidInput(f"{where} needs either a text or a claim_id")
    confidence = 0.5 if given.confidence is None else given.confidence
    return new(where, kind="claim", claim_kind=given.kind, content=given.text, confidence=confidence)


def _link(
    given: NewEvidence, claim: int, where: str, sizes: Mapping[str, int], clean: Callable[[str], str]
) -> EvidenceLink:
    """The link of one piece of evidence; `sizes` holds how many fragments and claims the call has."""
    if (given.fragment is None) == (given.claim is None):
        raise InvalidInput(f"{where} needs either fragment or claim", hint="a number counts from 0, a text is an id")
    kind: Literal["fragment", "claim"] = "claim" if given.fragment is None else "fragment"
    source = getattr(given, kind)
    if type(source) is int and not 0 <= source < sizes[kind]:
        raise InvalidInput(
            f"{where}.{kind} {source} is not one of the {sizes[kind]} given", hint="numbers count from 0"
        )
    if kind == "claim" and (given.relation == "origin" or given.quote is not None):
        raise InvalidInput(f"{where}: only a fragment can be quoted or be the origin of a claim")
    if kind == "claim" and source == claim:
        raise InvalidInput(f"{where}: a claim cannot speak for itself")
    reason = clean(given.reason)[: limits.REASON_CHARACTERS] if given.reason else None
    quote = None if given.quote is None else clean(given.quote)
    return EvidenceLink(where, claim, kind, source, replace(given, reason=reason), quote)
