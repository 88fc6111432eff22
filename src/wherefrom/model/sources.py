"""The source of a node, in words that people and agents read: `Soak tests at scale, example.org, p. 3, 2024`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from wherefrom.model.graph import Node

_MAX_CHARACTERS: Final = 200
_MAX_URL_CHARACTERS: Final = 2_000
_MAX_YEAR: Final = 9999
# A title that is cut to less says nothing.
_MIN_TITLE_BYTES: Final = 12
_ELLIPSIS: Final = "…"
# The order is that of preference. Provenance is given freely: these are the names that callers use.
_TITLES: Final = ("source_title", "title")
_ADDRESSES: Final = ("url", "uri", "source", "link", "doi")
_FILES: Final = ("file", "file_name", "filename", "path")
_ACTORS: Final = ("actor", "author", "authors", "speaker")
_PAGES: Final = ("page", "page_number", "pages")
_YEARS: Final = ("year", "date", "published", "published_at")
# Other keys of the metadata are about the node itself and not about its source.
_IN_METADATA: Final = ("source", "url", "doi", "file", "author", "page", "heading", "year")
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]{1,30}:[^\s]+", re.IGNORECASE)
_DOI: Final = re.compile(r"10\.[0-9]{4,9}/\S+")
# The heading that readers of documents with pages put above what stands on one.
_PAGE_HEADING: Final = re.compile(r"page ([0-9]{1,6})", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")
_JOINERS: Final = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text comes from. `site` is the domain of a page or the name of a file, `page` and `heading` the place in
    it, `actor` who said or saved it, `url` the whole address. All texts are on one line, without control characters.
    """

    title: str | None = None
    site: str | None = None
    page: str | None = None
    heading: str | None = None
    year: int | None = None
    actor: str | None = None
    url: str | None = None

    def words(self, limit_bytes: int | None = None) -> str:
        """Return the source on one line, in at most so many bytes of UTF-8.

        What does not fit goes in this order: the heading, the actor, the end of the title, the title, the rest.
        """
        whole = self._joined()
        if limit_bytes is None or _size(whole) <= limit_bytes:
            return whole
        bare = replace(self, heading=None)
        if _size(bare._joined()) > limit_bytes and (self.title or self.site):
            bare = replace(bare, actor=None)
        words = bare._joined()
        if self.title and _size(words) > limit_bytes:
            room = limit_bytes - _size(words) + _size(self.title)
            rest = replace(bare, title=None)._joined()
            words = replace(bare, title=cut_to_bytes(self.title, room))._joined() if room >= _MIN_TITLE_BYTES else rest
            words = words or self.title
        return cut_to_bytes(words, limit_bytes)

    def _joined(self) -> str:
        parts = (
            self.title,
            self.site,
            self.page and f"p. {self.page}",
            self.heading,
            None if self.year is None else str(self.year),
            self.actor and f"by {self.actor}",
        )
        return ", ".join(part for part in parts if part)


def source_of(node: Node) -> Source | None:
    """Return the source that a node names; None for a note that names none."""
    said = _said(node)
    title, plain = _first(said, _TITLES), _first(said, ("source",))
    url = next((url for name in _ADDRESSES if (url := _address(said.get(name))) is not None), None)
    site = (url and _site(url)) or (node.domain and _line(node.domain)) or _file_name(_first(said, _FILES))
    if plain and not _address(plain):
        title, site = (plain, site) if title is None else (title, site or plain)
    actor = _first(said, _ACTORS)
    if title and site and title.casefold() == site.casefold():
        title = None
    if not (title or site or actor):
        return None
    page, heading = _first(said, _PAGES), _first(said, ("heading",))
    if numbered := _PAGE_HEADING.fullmatch(heading or ""):
        page, heading = page or numbered.group(1), None
    return Source(
        title=title,
        site=site or None,
        page=page,
        heading=None if heading == title else heading,
        year=_year(node.year) or next((year for name in _YEARS if (year := _year(said.get(name)))), None),
        actor=actor,
        url=url,
    )


def cut_to_bytes(text: str, size: int) -> str:
    """Return the beginning of a text in so many bytes, ended by an ellipsis where it fits, never inside a character."""
    if _size(text) <= size:
        return text
    mark = _ELLIPSIS if size > _size(_ELLIPSIS) else ""
    kept = text.encode()[: max(size - _size(mark), 0)].decode(errors="ignore")
    # A mark belongs to the letter before it, as does what a joiner joins.
    while kept and _continues(text[len(kept)], kept[-1]):
        kept = kept[:-1]
    if (space := kept.rfind(" ")) > len(kept) // 2:
        kept = kept[:space]
    return kept.rstrip(" ,") + mark


def names_document(node: Node) -> bool:
    """Return True if the source that a node names is something to read: a page, a file or a titled work. Who said it,
    and a source in words of its own such as "the user", are none.
    """
    said = _said(node)
    is_titled = any(_line(said.get(name)) for name in (*_TITLES, *_FILES, *_PAGES))
    return is_titled or any(_address(said.get(name)) for name in _ADDRESSES)


def is_from(node: Node, wanted: str) -> bool:
    """Return True if a node names this source: by its URL, its domain or one above it, its title, or its file."""
    said = _said(node)
    lines = {line.casefold() for name in (*_TITLES, *_FILES, *_ADDRESSES) if (line := _line(said.get(name)))}
    urls = {url for name in _ADDRESSES if (url := _address(said.get(name))) is not None}
    sites = {site.casefold() for url in urls if (site := _site(url))} | {(node.domain or "").casefold()}
    files = {name.casefold() for file in _FILES if (name := _file_name(_first(said, (file,))))}
    asked = wanted.strip().casefold()
    same_page = {_without_ending(url).casefold() for url in urls}
    domain = asked.removeprefix("www.")
    is_below = "." in domain and any(site.endswith(f".{domain}") for site in sites)
    return asked in lines | files or domain in sites or _without_ending(asked) in same_page or is_below


def _said(node: Node) -> Mapping[str, Any]:
    """Return what a node says of its source, by the names that callers use."""
    if node.kind == "page":
        return {"title": node.title, "url": node.content}
    return {**{name: node.metadata[name] for name in _IN_METADATA if name in node.metadata}, **node.provenance}


def _without_ending(url: str) -> str:
    """Return a URL without what does not tell pages apart: the part after '#', and a slash at its end."""
    return url.partition("#")[0].removesuffix("/")


def _first(said: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first of these values that can be shown."""
    return next((line for name in names if (line := _line(said.get(name)))), None)


def _line(value: object, *, characters: int = _MAX_CHARACTERS) -> str | None:
    """Return a text, a number or the first of a list on one line; None for anything else and for what is blank."""
    if isinstance(value, list | tuple):
        value = value[0] if value else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        value = str(value)
    if not isinstance(value, str):
        return None
    visible = "".join(filter(_is_visible, value[: 4 * characters]))
    return " ".join(visible.split())[:characters].rstrip() or None


def _is_visible(character: str) -> bool:
    if character.isspace() or character in _JOINERS:
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def _address(value: object) -> str | None:
    """Return a URL, or the address of a DOI; None if the value is neither."""
    line = _line(value, characters=_MAX_URL_CHARACTERS)
    if line is None:
        return None
    if _DOI.fullmatch(line.removeprefix("doi:")):
        return f"https://doi.org/{line.removeprefix('doi:')}"
    return line if _ADDRESS.fullmatch(line) else None


def _site(url: str) -> str | None:
    """Return the host of a URL without `www.`, or the name of the file; of other addresses what is after the scheme."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() == "file":
        return _file_name(unquote(parts.path, errors="replace"))
    if host:
        return host.removeprefix("www.")[:_MAX_CHARACTERS]
    return _line(unquote(url.removeprefix("urn:bib:"), errors="replace"))


def _file_name(path: str | None) -> str | None:
    names = [name for name in re.split(r"[/\\]", path or "") if name]
    return _line(names[-1]) if names else None


def _year(value: object) -> int | None:
    """Return the year in a number, or the first from 1000 to 2999 in a text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) <= _MAX_YEAR else None
    found = _YEAR.search(value[:_MAX_CHARACTERS]) if isinstance(value, str) else None
    return int(found.group()) if found else None


def _size(text: str) -> int:
    return len(text.encode())


def _continues(character: str, before: str) -> bool:
    return unicodedata.category(character).startswith("M") or "\u200d" in (character, before)
