"""One way to read a document of any format: which reader takes it, and what no reader takes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from wherefrom.evidence.documents.document import TEXT_BYTES, Document, one_line, parsing, split
from wherefrom.evidence.documents.html import read_html
from wherefrom.evidence.documents.markdown import read_markdown
from wherefrom.evidence.documents.pdf import read_pdf
from wherefrom.evidence.documents.plain import read_plain
from wherefrom.model.errors import InvalidInput, shown

DOCUMENT_BYTES: Final = 64 * 1024 * 1024
# The reader of each format, and its suffixes and content types.
_READERS: Final[dict[str, tuple[Callable[[bytes, str | None], Document], tuple[str, ...]]]] = {
    "Markdown": (read_markdown, (".md", ".markdown", "text/markdown", "text/x-markdown")),
    "HTML": (read_html, (".html", ".htm", ".xhtml", "text/html", "application/xhtml+xml")),
    "PDF": (read_pdf, (".pdf", "application/pdf")),
    "text": (read_plain, (".txt", ".text", ".rst", ".org")),
}
_FORMATS: Final = {name: kind for kind, (_, names) in _READERS.items() for name in names}
# The files of a folder that are read. Others only if they are named: CSV, JSON and source code are rather data.
READABLE: Final = frozenset({*(name for name in _FORMATS if name[0] == "."), ".bib", ".bibtex"})
BIBLIOGRAPHIES: Final = frozenset({".bib", ".bibtex", ".json", ".jsonl", ".ndjson"})

_UNREADABLE: Final = ("image/", "audio/", "video/", "font/")
_SNIFFED_BYTES: Final = 1_024
_UTF_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_CHARSET: Final = re.compile(r"charset\s*=\s*([^;\s]{1,40})", re.IGNORECASE)
_HTML: Final = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,200}?-->\s*)?<(?:!doctype html|html)\b", re.IGNORECASE
)
_PAPER_KEYS: Final = frozenset({"title", "doi", "url", "author", "authors", "issued", "arxiv", "cites", "abstract"})


def read(name: str, data: bytes, content_type: str | None = None) -> Document:
    """The document that these bytes are, in pieces that fit into a memo; InvalidInput when they are none.

    `name` is a path or a URL. Its title is the file's name where the document states none.
    """
    if not data.strip(b" \t\r\n\0"):
        raise InvalidInput(f"{shown(name)} is empty")
    if len(data) > DOCUMENT_BYTES:
        raise InvalidInput(f"{shown(name)} has {len(data):,} bytes; at most {DOCUMENT_BYTES:,} are read")
    kind = _format(name, data, (content_type or "").lower())
    declared = _CHARSET.search(content_type or "")
    with parsing(name, kind):
        document = split(_READERS[kind][0](data, declared.group(1) if declared else None))
    if not document.pieces:
        raise InvalidInput(f"{shown(name)} holds no text")
    if len(document.text.encode()) > TEXT_BYTES:
        raise InvalidInput(f"{shown(name)} holds more than {TEXT_BYTES:,} bytes of text", hint="split it")
    return document if document.title else replace(document, title=_stem(name))


def is_bibliography(name: str, data: bytes) -> bool:
    """True if a file lists papers: BibTeX, CSL-JSON, or one JSON object a line."""
    suffix = _suffix(name)
    if suffix in (".bib", ".bibtex"):
        return True
    if suffix not in BIBLIOGRAPHIES:
        return False
    opening = data.removeprefix(b"\xef\xbb\xbf").lstrip()[: 256 * 1024]
    if suffix != ".json":
        opening, _, _ = opening.partition(b"\n")
    try:
        text = opening.decode(errors="ignore")
        first, _ = json.JSONDecoder().raw_decode(text[text.index("{") :] if text[:1] in "[{" else text)
    except (ValueError, RecursionError):
        return False
    if isinstance(first, dict) and isinstance(first.get("items"), list) and first["items"]:
        first = first["items"][0]
    return isinstance(first, dict) and len(_PAPER_KEYS & {str(key).lower() for key in first}) >= 2


def _format(name: str, data: bytes, content_type: str) -> str:
    if b"%PDF-" in data[:_SNIFFED_BYTES]:
        return "PDF"
    if content_type.startswith(_UNREADABLE):
        raise InvalidInput(f"{shown(name)} is {content_type.split(';')[0]}, which holds no text to read")
    stated = _FORMATS.get(content_type.split(";")[0].strip()) or _FORMATS.get(_suffix(name))
    if stated is not None:
        return stated
    if b"\0" in data[:_SNIFFED_BYTES] and not data.startswith(_UTF_MARKS):
        raise InvalidInput(
            f"{shown(name)} is binary and of no format that can be read",
            hint="Markdown, HTML, PDF and plain text are read",
        )
    return "HTML" if _HTML.match(data, 0, _SNIFFED_BYTES) else "text"


def _path(name: str) -> PurePosixPath:
    if "://" not in name:
        return PurePosixPath(name.replace("\\", "/"))
    try:
        address = urlsplit(name)
    except ValueError:
        return PurePosixPath(name)
    return PurePosixPath(unquote(address.path) if address.path.strip("/") else f"/{address.netloc} ")


def _suffix(name: str) -> str:
    # The space after a host keeps example.org from being a file of Org mode.
    return _path(name).suffix.lower()


def _stem(name: str) -> str:
    path = _path(name)
    return one_line(path.stem if path.suffix.lower() in READABLE else path.name) or "untitled"
