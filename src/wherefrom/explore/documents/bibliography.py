"""Lists of papers: BibTeX, CSL-JSON and one JSON object a line, each read as far as it can be."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from wherefrom.explore.documents.bibtex import Fault, read_bibtex
from wherefrom.explore.documents.document import one_line, year_in
from wherefrom.explore.documents.plain import decode
from wherefrom.model.errors import InvalidInput, WherefromError, shown
from wherefrom.text.check import check_metadata, check_text

_ABSTRACT_CHARACTERS: Final = 64 * 1024
_URL_CHARACTERS: Final = 2_000
# Collaborations sign with thousands of names, and metadata is bounded.
_AUTHORS: Final = 100
_CITES: Final = 5_000

_DOI: Final = re.compile(r"(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}/\S{1,500})", re.IGNORECASE)
_ARXIV: Final = re.compile(
    r"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:\s*)?([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]{1,20}:[^\s<>\"]+", re.IGNORECASE)
_VENUES: Final = ("venue", "journal", "booktitle", "container-title", "journaltitle", "series", "school", "institution")
_OTHERS: Final = ("publisher", "volume", "issue", "number", "page", "pages", "isbn", "issn", "language", "keywords")


@dataclass(frozen=True, slots=True)
class Cited:
    """A paper that another one cites, as far as it says."""

    url: str
    title: str | None = None
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One entry of a bibliography; `metadata` is a JSON object of what the entry states."""

    url: str
    title: str
    year: int | None
    metadata: Mapping[str, Any]
    abstract: str | None = None
    cites: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The papers, each URL once, and the entries that could not be read, each with the reason."""

    papers: tuple[Paper, ...]
    refused: tuple[Fault, ...]


def read_bibliography(name: str, data: bytes) -> Bibliography:
    """The papers of a file; InvalidInput when it holds none at all."""
    try:
        text = decode(data)
        entries, faults = _entries(text)
        papers = _papers(entries, faults)
    except WherefromError as error:
        raise InvalidInput(f"{shown(name)} cannot be read: {error.message}", hint=error.hint) from None
    except (Exception, RecursionError) as error:  # whatever a parser of foreign bytes may raise
        reason = one_line(str(error)) or type(error).__name__
        raise InvalidInput(f"{shown(name)} cannot be read as a bibliography: {reason}") from error
    if not papers:
        reason = f"; the first fault: {faults[0][1]}" if faults else ""
        raise InvalidInput(f"{shown(name)} holds no papers{reason}", hint="BibTeX, CSL-JSON and JSONL are read")
    return Bibliography(tuple(papers), tuple(faults))


def doi_of(value: object) -> str | None:
    """The DOI in lower case, as they are compared, or None."""
    found = _DOI.fullmatch(value.strip()) if isinstance(value, str) else None
    return found.group(1).rstrip(".,;").lower() if found else None


def url_of(value: object) -> str | None:
    """The address that a DOI, an arXiv number or a URL stands for; DOI and arXiv have one address each."""
    if not isinstance(value, str) or len(value) > _URL_CHARACTERS:
        return None
    text = value.strip()
    if doi := doi_of(text):
        return f"https://doi.org/{quote(doi, safe='/:;()._-<>[]')}"
    if arxiv := _ARXIV.fullmatch(text):
        return f"https://arxiv.org/abs/{arxiv.group(1)}"
    return text if _URL.fullmatch(text) else None


def _entries(text: str) -> tuple[Iterable[Any], list[Fault]]:
    opening = text.lstrip()[:1]
    if opening == "[":
        return json.loads(text), []
    if opening == "{":
        try:
            whole = json.loads(text)
        except ValueError:
            return _json_lines(text)
        items = whole.get("items")
        return (items if isinstance(items, list) else [whole]), []
    return read_bibtex(text)


def _json_lines(text: str) -> tuple[list[Any], list[Fault]]:
    entries: list[Any] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entries.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            faults.append((f"line {number}", f"it is not JSON: {one_line(str(error))}"))
    return entries, faults


def _papers(entries: Iterable[Any], faults: list[Fault]) -> list[Paper]:
    by_url: dict[str, Paper] = {}
    for number, entry in enumerate(entries, start=1):
        try:
            if not isinstance(entry, Mapping):
                raise InvalidInput("it is not an object")
            paper = _paper({str(key).lower(): value for key, value in entry.items()})
            known = by_url.get(paper.url)
            if known is not None and paper.url.startswith("urn:bib:") and known.title != paper.title:
                raise InvalidInput("its key belongs to another entry")
            by_url[paper.url] = paper if known is None else _merged(known, paper)
        except WherefromError as error:
            key = (entry.get("key") or entry.get("id") or entry.get("title")) if isinstance(entry, Mapping) else None
            faults.append((one_line(str(key)) if key else f"entry {number}", error.message))
    return list(by_url.values())


def _paper(entry: Mapping[str, Any]) -> Paper:
    title = one_line(check_text(_plain(entry.get("title")), field="title"))
    year = next((year for name in ("year", "issued", "date", "published") if (year := _year(entry.get(name)))), None)
    abstract = _plain(entry.get("abstract")) or None
    if abstract is not None:
        abstract = check_text(abstract, field="abstract")[:_ABSTRACT_CHARACTERS]
    return Paper(
        check_text(_address(entry, title, year), field="url"),
        title,
        year,
        check_metadata(_metadata(entry, year)),
        abstract,
        tuple(_cited(entry.get("cites") or entry.get("references"))),
    )


def _address(entry: Mapping[str, Any], title: str, year: int | None) -> str:
    """Where the paper is: the URL given, else its DOI, else arXiv, else a name made from its key."""
    given = url_of(entry.get("url")) or url_of(entry.get("doi"))
    if given:
        return given
    prefix = str(entry.get("archiveprefix") or entry.get("eprinttype") or "arxiv").lower()
    number = entry.get("arxiv") or entry.get("arxiv_id") or (entry.get("eprint") if prefix == "arxiv" else None)
    if isinstance(number, str) and _ARXIV.fullmatch(number.strip()):
        return str(url_of(number))
    key = entry.get("key") or entry.get("id")
    if not isinstance(key, str | int) or isinstance(key, bool) or not str(key).strip():
        key = hashlib.sha256(f"{title.casefold()}\n{year}".encode()).hexdigest()[:16]
    return f"urn:bib:{quote(str(key).strip()[:200], safe=':._-/+', errors='replace')}"


def _metadata(entry: Mapping[str, Any], year: int | None) -> dict[str, Any]:
    names = list(_people(entry.get("authors") or entry.get("author")))
    stated = {
        "doi": doi_of(entry.get("doi")) or doi_of(entry.get("url")),
        "venue": next((text for name in _VENUES if (text := one_line(_plain(entry.get(name))))), None),
        "authors": names[:_AUTHORS],
        "author_count": len(names) if len(names) > _AUTHORS else None,
        "year": year,
        "type": one_line(_plain(entry.get("type"))),
        **{name: one_line(_plain(entry.get(name))) for name in _OTHERS},
    }
    return {name: value for name, value in stated.items() if value}


def _people(value: object) -> Iterator[str]:
    """Names as texts: of `["A B"]`, `"A B; C D"`, or objects with given and family names."""
    people = value.split(";") if isinstance(value, str) else value if isinstance(value, list) else []
    for person in people:
        if isinstance(person, Mapping):
            parts = [person.get(part) for part in ("given", "non-dropping-particle", "family", "suffix")]
            whole = " ".join(part for part in parts if isinstance(part, str))
            name = whole or _plain(person.get("literal") or person.get("name"))
        else:
            name = _plain(person)
        if one_line(name):
            yield one_line(name)


def _cited(value: object) -> Iterator[Cited]:
    """What is cited, each address once; what has no address is left out."""
    seen: set[str] = set()
    for item in value[:_CITES] if isinstance(value, list) else ():
        stated = {str(key).lower(): part for key, part in item.items()} if isinstance(item, Mapping) else {"url": item}
        url = url_of(stated.get("url")) or url_of(stated.get("doi"))
        if url is None or url in seen:
            continue
        seen.add(url)
        title = one_line(_plain(stated.get("title")))
        yield Cited(check_text(url, field="cites"), title or None, _year(stated.get("year")))


def _year(value: object) -> int | None:
    """A year as a number or a text, or as CSL writes dates: `{"date-parts": [[2020, 1]]}` or `{"raw": "2020"}`."""
    if not isinstance(value, Mapping):
        return year_in(value)
    parts = value.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    return year_in(parts) or year_in(value.get("raw")) or year_in(value.get("literal"))


def _plain(value: object) -> str:
    """A text, or the first of a list of them (Crossref's titles); numbers as they are written."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _merged(first: Paper, second: Paper) -> Paper:
    """What the first says, and of the second what the first leaves open."""
    known = {cited.url for cited in first.cites}
    return replace(
        first,
        year=first.year or second.year,
        metadata={**second.metadata, **first.metadata},
        abstract=first.abstract or second.abstract,
        cites=(*first.cites, *(cited for cited in second.cites if cited.url not in known)),
    )
