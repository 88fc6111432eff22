"""A document and its pieces: verbatim spans of one text, each with its type and the headings above it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

PieceType = Literal["paragraph", "heading", "list", "table", "quote", "code", "abstract", "figure"]

PIECE_BYTES: Final = 16 * 1024
TEXT_BYTES: Final = 20 * 1024 * 1024
# Shorter paragraphs say little without their neighbours; what is merged stays about as long as a paragraph.
_SHORT_CHARACTERS: Final = 80
_MERGED_CHARACTERS: Final = 480
_LEAST_LIMIT: Final = 64

_ABSTRACT: Final = frozenset({"abstract", "summary", "概要", "要旨", "要約", "摘要", "초록", "요약"})
_SENTENCE_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]»]*+(?=\s)|[。！？．｡]++[」』）”’】]*+|[\r\n]++")
_SPACE: Final = re.compile(r"\s++")
_YEAR: Final = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document: `document.text[piece.start : piece.end] == piece.text`.

    `headings` are those above it, outermost first; `heading` is the last of them.
    """

    text: str
    type: PieceType
    heading: str | None
    headings: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One text, its pieces in order, and what is known about it; `metadata` is a JSON object."""

    title: str
    text: str
    pieces: tuple[Piece, ...]
    language: str | None = None
    year: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """What a reader finds: a span of the text and its type; a heading has a level and its words without markup."""

    type: PieceType
    start: int
    end: int
    level: int = 0
    title: str = ""


def pieces_of(text: str, blocks: Iterable[Block]) -> tuple[Piece, ...]:
    """The blocks as pieces. A heading is context and no piece, unless the document has nothing else."""
    above: list[tuple[int, str]] = []
    pieces, headings = [], []
    for block in blocks:
        start, end = _trimmed(text, block)
        if start == end:
            continue
        if block.type != "heading":
            pieces.append(_piece(text, block.type, (start, end), above))
            continue
        while above and above[-1][0] >= block.level:
            above.pop()
        headings.append(_piece(text, "heading", (start, end), above))
        above.append((block.level, block.title or text[start:end]))
    return tuple(pieces or headings)


def split(document: Document, *, limit_bytes: int = PIECE_BYTES) -> Document:
    """The same document with short neighbours merged, and what is longer than the limit cut at sentences or lines."""
    limit = max(limit_bytes, _LEAST_LIMIT)
    merged = _merged(document.text, document.pieces)
    return replace(document, pieces=tuple(part for piece in merged for part in _cut(document.text, piece, limit)))


def year_in(value: object) -> int | None:
    """The first year from 1000 to 2999 in a number or a text, or None."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int):
        return value if 1000 <= value <= 2999 else None
    found = _YEAR.search(value[:200])
    return int(found.group()) if found else None


def tidy(text: str) -> str:
    """A text that was extracted, without NUL and lone surrogates, which no store takes."""
    if "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return re.sub("[\0\ud800-\udfff]", "", text)


def one_line(text: str, *, characters: int = 300) -> str:
    """A title or a name: one line of bounded length."""
    return " ".join(tidy(text[: 4 * characters]).split())[:characters].rstrip()


def _trimmed(text: str, block: Block) -> tuple[int, int]:
    start, end = block.start, block.end
    while end > start and text[end - 1].isspace():
        end -= 1
    # The first line of code keeps its indentation, which is part of it.
    first = start
    while first < end and text[first].isspace():
        first += 1
        if block.type != "code" or text[first - 1] in "\r\n":
            start = first
    return start, end


def _piece(text: str, kind: PieceType, span: tuple[int, int], above: list[tuple[int, str]]) -> Piece:
    headings = tuple(title for _, title in above)
    heading = headings[-1] if headings else None
    if kind == "paragraph" and heading is not None and heading.strip(" :.：").casefold() in _ABSTRACT:
        kind = "abstract"
    return Piece(text[slice(*span)], kind, heading, headings, *span)


def _merged(text: str, pieces: Iterable[Piece]) -> Iterator[Piece]:
    group: list[Piece] = []
    for piece in pieces:
        if group and not _joins(text, group, piece):
            yield _joined(text, group)
            group = []
        group.append(piece)
    if group:
        yield _joined(text, group)


def _joins(text: str, group: list[Piece], piece: Piece) -> bool:
    last = group[-1]
    return (
        last.type == piece.type == "paragraph"
        and len(last.text) < _SHORT_CHARACTERS
        and len(piece.text) < _SHORT_CHARACTERS
        and last.headings == piece.headings
        and piece.end - group[0].start <= _MERGED_CHARACTERS
        and not text[last.end : piece.start].strip()
    )


def _joined(text: str, group: list[Piece]) -> Piece:
    first, end = group[0], group[-1].end
    return first if len(group) == 1 else replace(first, text=text[first.start : end], end=end)


def _cut(text: str, piece: Piece, limit: int) -> Iterator[Piece]:
    start, end = piece.start, piece.end
    while end - start > limit or len(text[start:end].encode()) > limit:
        # A prefix of so many bytes, without the character that the limit may fall into.
        fits = start + len(text[start : start + limit].encode()[:limit].decode(errors="ignore"))
        stop = _break(text, start, fits)
        yield replace(piece, text=text[start:stop].rstrip(), start=start, end=start + len(text[start:stop].rstrip()))
        start = stop
        while start < end and text[start].isspace() and (piece.type != "code" or text[start] in "\r\n"):
            start += 1
    if start < end:
        yield replace(piece, text=text[start:end], start=start, end=end)


def _break(text: str, start: int, fits: int) -> int:
    """Where to cut: after the last sentence or line of the second half, else after a word, else between characters."""
    middle = start + (fits - start) // 2
    for pattern in (_SENTENCE_END, _SPACE):
        ends = [match.end() for match in pattern.finditer(text, middle, fits)]
        if ends:
            return ends[-1]
    stop = fits
    while stop > middle and _belongs(text[stop], text[stop - 1]):
        stop -= 1
    return stop if stop > middle else fits


def _belongs(character: str, before: str) -> bool:
    """Whether a character is seen as part of the one before: a combining mark, a variation, a joined emoji."""
    joined = "\u200d" in (character, before) or "\U0001f3fb" <= character <= "\U0001f3ff"
    return joined or unicodedata.category(character)[0] == "M"
