"""Bibliographies in BibTeX, CSL-JSON or one JSON object a line, as papers; an entry that cannot be read is reported."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

from wherefrom.engine.checking import checked_fields
from wherefrom.evidence.documents.document import one_line, parsing, year_in
from wherefrom.evidence.documents.plain import decode
from wherefrom.evidence.input import NewPage, check_fragment
from wherefrom.lazy import bibtexparser, latex2text
from wherefrom.model.errors import InvalidInput, WherefromError, shown
from wherefrom.model.param import Param

if TYPE_CHECKING:
    from bibtexparser.model import Entry

_MAX_URL_CHARACTERS: Final = 2_000
# Collaborations sign with thousands of names, and metadata is bounded.
_MAX_AUTHORS: Final = 100
_MAX_CITATIONS: Final = 5_000

_DOI: Final = re.compile(r"(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}/\S{1,500})", re.IGNORECASE)
_ARXIV: Final = re.compile(
    r"(?:https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/|arxiv:\s*)?([0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})(?:v[0-9]+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]{1,20}:[^\s<>\"]+", re.IGNORECASE)
_VENUES: Final = ("venue", "journal", "booktitle", "container-title", "journaltitle", "series", "school", "institution")
_OTHERS: Final = ("publisher", "volume", "issue", "number", "page", "pages", "isbn", "issn", "language", "keywords")

# A value may be put together from others, each twice as long as the last; abstracts are shorter than this.
_MAX_VALUE_CHARACTERS: Final = 64 * 1024
_MAX_BRACE_DEPTH: Final = 40
_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MARK: Final = re.compile(r'\\.|[{}"#]|\s+|[^\s#{}"\\]+|\\', re.DOTALL)
# A percent sign begins a comment in LaTeX, and stands for itself in every abstract.
_PERCENT: Final = re.compile(r"(?<!\\)%")
_BRACES: Final = re.compile(r"[{}]")
# Fields that are addresses or keys: their underscores and tildes are no LaTeX.
_VERBATIM_FIELDS: Final = frozenset(
    {"url", "doi", "eprint", "archiveprefix", "howpublished", "note", "file", "keywords"}
)

Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Paper(NewPage):
    """One entry of a bibliography: a page with what the entry states, and its abstract."""

    cites: Annotated[Sequence[NewPage], Param(only="code")] = ()
    abstract: Annotated[str | None, Param(only="code", check=check_fragment)] = None


def read_bibliography(name: str, data: bytes) -> tuple[list[Paper], list[Fault]]:
    """The papers of a file, each URL once, and the entries that cannot be read; raises if it holds no paper."""
    with parsing(name, "a bibliography"):
        entries, faults = _entries(decode(data))
        papers = _papers(entries, faults)
    if not papers:
        reason = f"; the first fault: {faults[0][1]}" if faults else ""
        raise InvalidInput(f"{shown(name)} holds no papers{reason}", hint="BibTeX, CSL-JSON and JSONL are read")
    return papers, faults


def doi_of(value: object) -> str | None:
    """The DOI that a text is, in lower case, as DOIs are compared; else None."""
    found = _DOI.fullmatch(value.strip()) if isinstance(value, str) else None
    return found.group(1).rstrip(".,;").lower() if found else None


def url_of(value: object) -> str | None:
    """The address that a DOI, an arXiv number or a URL stands for; DOI and arXiv have one address each."""
    if not isinstance(value, str) or len(value) > _MAX_URL_CHARACTERS:
        return None
    text = value.strip()
    if doi := doi_of(text):
        return f"https://doi.org/{quote(doi, safe='/:;()._-<>[]')}"
    if arxiv := _ARXIV.fullmatch(text):
        return f"https://arxiv.org/abs/{arxiv.group(1)}"
    return text if _URL.fullmatch(text) else None


def _entries(text: str) -> tuple[Iterable[Any], list[Fault]]:
    """The entries of BibTeX, of one JSON value, or of one JSON object a line; and the lines that cannot be read."""
    opening = text.lstrip()[:1]
    if opening not in ("[", "{"):
        return _read_bibtex(text)
    try:
        whole = json.loads(text)
        items = whole if opening == "[" else whole.get("items")
        return (items if isinstance(items, list) else [whole]), []
    except ValueError:
        if opening == "[":
            raise
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
            paper = checked_fields(_paper({str(key).lower(): value for key, value in entry.items()}))
            known = by_url.get(paper.url)
            if known is not None and paper.url.startswith("urn:bib:") and known.title != paper.title:
                raise InvalidInput("its key belongs to another entry")
            by_url[paper.url] = paper if known is None else _merged(known, paper)
        except WherefromError as error:
            key = (entry.get("key") or entry.get("id") or entry.get("title")) if isinstance(entry, Mapping) else None
            faults.append((one_line(str(key)) if key else f"entry {number}", error.message))
    return list(by_url.values())


def _paper(entry: Mapping[str, Any]) -> Paper:
    title = one_line(_plain(entry.get("title")))
    year = next((year for name in ("year", "issued", "date", "published") if (year := _year(entry.get(name)))), None)
    return Paper(
        _address(entry, title, year),
        title,
        year,
        _metadata(entry, year),
        _cited(entry.get("cites") or entry.get("references")),
        citation_source="bibliography",
        abstract=_plain(entry.get("abstract")) or None,
    )


def _address(entry: Mapping[str, Any], title: str, year: int | None) -> str:
    """The address of a paper: the URL given, else its DOI, else arXiv, else a name made from its key."""
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
        "authors": names[:_MAX_AUTHORS],
        "author_count": len(names) if len(names) > _MAX_AUTHORS else None,
        "year": year,
        "type": one_line(_plain(entry.get("type"))),
        **{name: one_line(_plain(entry.get(name))) for name in _OTHERS},
    }
    return {name: value for name, value in stated.items() if value}


def _people(value: object) -> Iterator[str]:
    """The names of people, from `["A B"]`, `"A B; C D"`, or objects with given and family names."""
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


def _cited(value: object) -> tuple[NewPage, ...]:
    """The papers that an entry cites, each address once; one without an address is left out."""
    pages: dict[str, NewPage] = {}
    for item in value[:_MAX_CITATIONS] if isinstance(value, list) else ():
        stated = {str(key).lower(): part for key, part in item.items()} if isinstance(item, Mapping) else {"url": item}
        if url := url_of(stated.get("url")) or url_of(stated.get("doi")):
            title = one_line(_plain(stated.get("title"))) or None
            pages.setdefault(url, NewPage(url, title, _year(stated.get("year"))))
    return tuple(pages.values())


def _year(value: object) -> int | None:
    """The year of a number, a text, or a date of CSL: `{"date-parts": [[2020, 1]]}` or `{"raw": "2020"}`."""
    if not isinstance(value, Mapping):
        return year_in(value)
    parts = value.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    return year_in(parts) or year_in(value.get("raw")) or year_in(value.get("literal"))


def _plain(value: object) -> str:
    """A value as text: a text stripped, a number as written, of a list (Crossref's titles) the first; else empty."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _merged(first: Paper, second: Paper) -> Paper:
    """Two entries as one paper: the fields of the first, and of the second what the first lacks."""
    known = {cited.url for cited in first.cites}
    return replace(
        first,
        year=first.year or second.year,
        paper_metadata={**second.paper_metadata, **first.paper_metadata},
        abstract=first.abstract or second.abstract,
        cites=(*first.cites, *(cited for cited in second.cites if cited.url not in known)),
    )


def _read_bibtex(text: str) -> tuple[list[dict[str, Any]], list[Fault]]:
    """The entries as fields by lower-case name, with `key` and `type`; and the unreadable blocks with reasons."""
    model = bibtexparser.model
    # Both log a line for each fault, which is in the blocks as well.
    for name in ("bibtexparser", "pylatexenc"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    strings = {month: month.capitalize() for month in _MONTHS}
    entries: list[dict[str, Any]] = []
    faults: list[Fault] = []
    for found in bibtexparser.splitter.Splitter(text).split().blocks:
        # A key or a field that stands there twice is no reason to lose the entry.
        block = (found.ignore_error_block or found) if isinstance(found, model.ParsingFailedBlock) else found
        if isinstance(block, model.String):
            strings[block.key.lower()] = _value(str(block.value), strings)
        elif isinstance(block, model.Entry):
            entries.append(_bibtex_fields(block, strings))
        elif isinstance(block, model.ParsingFailedBlock):
            reason = one_line(getattr(block.error, "abort_reason", "") or str(block.error or "")) or "it is not BibTeX"
            faults.append((one_line(str(block.raw or ""), characters=80), reason))
    return entries, faults


def _bibtex_fields(entry: Entry, strings: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {"key": entry.key, "type": entry.entry_type.lower()}
    for field in entry.fields:
        name = field.key.lower()
        if name in fields:
            continue
        value = _value(str(field.value), strings)
        if name in ("author", "editor"):
            fields[name] = [_as_text(person) for person in _persons(value)]
        else:
            fields[name] = _as_verbatim(value) if name in _VERBATIM_FIELDS else _as_text(value)
    return fields


def _value(source: str, strings: Mapping[str, str]) -> str:
    """A value without its delimiters: `{text}`, `"text"`, a number, a name of a @string, or several joined by #, which
    bibtexparser's own middleware leaves as they are.

    Names stand for what was defined before them, as in BibTeX, so that a loop cannot be written.
    """
    parts: list[str] = []
    closing, depth = "", 0
    for mark in _MARK.findall(source):
        if closing and (depth or mark != closing):
            depth += (mark == "{") - (mark == "}")
            parts.append(mark)
        elif closing or mark in ("{", '"'):
            closing = "" if closing else {"{": "}"}.get(mark, mark)
        elif mark not in ("}", "#") and not mark.isspace():
            parts.append(strings.get(mark.lower(), mark))
    return "".join(parts)[:_MAX_VALUE_CHARACTERS]


def _persons(value: str) -> list[str]:
    """The persons of an author field, each as `First von Last Jr`; `and others` is nobody."""
    names = bibtexparser.middlewares.names
    people = (person for person in names.split_multiple_persons_names(value) if person.strip() not in ("", "others"))
    return [names.parse_single_name_into_parts(person, strict=False).merge_first_name_first for person in people]


def _as_text(value: str) -> str:
    """LaTeX as text: accents and commands read, mathematics left as it is."""
    text = value
    if any(mark in value for mark in "\\{}$~`'-"):
        text = _BRACES.sub("", value)
        depths = accumulate(1 if brace == "{" else -1 for brace in _BRACES.findall(value))
        if max(depths, default=0) <= _MAX_BRACE_DEPTH:
            with suppress(Exception):  # commands without what belongs to them; the text stays as it is
                text = str(_decoder().latex_to_text(_PERCENT.sub(r"\\%", value)))
    return " ".join(text.split())


def _as_verbatim(value: str) -> str:
    return re.sub(r"\\url\{([^{}]*)\}", r"\1", re.sub(r"\\([_%&#~{}])", r"\1", value)).strip("{} \t\r\n")


@cache
def _decoder() -> Any:
    return latex2text.LatexNodes2Text(math_mode="verbatim", keep_comments=True)
