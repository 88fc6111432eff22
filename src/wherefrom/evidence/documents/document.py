"""A document: one text, and pieces that are verbatim spans of it, each with its type and the headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from wherefrom.evidence.input import FragmentType, NewFragment
from wherefrom.model import limits
from wherefrom.model.errors import InvalidInput, WherefromError, shown
from wherefrom.text.split import split_text

TEXT_BYTES: Final = 20 * 1024 * 1024
# Shorter paragraphs say little without their neighbours; what is merged stays about as long as a paragraph.
_MAX_SHORT_CHARACTERS: Final = 80
_MAX_MERGED_CHARACTERS: Final = 480

_ABSTRACT: Final = frozenset({"abstract", "summary", "概要", "要旨", "要約", "摘要", "초록", "요약"})
_YEAR: Final = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")


@dataclass(frozen=True, slots=True)
class Piece(NewFragment):
    """A fragment whose place is known: `document.text[piece.start : piece.end] == piece.text`."""

    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One text, its pieces in order, and what is known about it; `metadata` is a JSON object."""

    title: str
    text: str
    pieces: tuple[Piece, ...]
    year: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """A span of the text that a reader found, with its type; a heading has a level and its words without markup."""

    type: FragmentType
    start: int
    end: int
    level: int = 0
    title: str = ""


class Part(NamedTuple):
    """A text with its type; a heading has a level and a title, and may stand nowhere in the text."""

    type: FragmentType
    text: str
    level: int = 0
    title: str = ""


@contextmanager
def parsing(name: str, kind: str) -> Iterator[None]:
    """Turn whatever a parser of foreign bytes raises inside into an InvalidInput that names the document."""
    what = f"{shown(name)} cannot be read as {kind}"
    try:
        yield
    except WherefromError as error:
        raise InvalidInput(f"{what}: {error.message}", hint=error.hint) from None
    except ImportError as error:
        raise InvalidInput(f"{what}: that needs {error.name}", hint="pip install 'wherefrom[documents]'") from None
    except Exception as error:
        raise InvalidInput(f"{what}: {one_line(str(error)) or type(error).__name__}") from error


def pieces_of(text: str, blocks: Iterable[Block]) -> tuple[Piece, ...]:
    """The blocks of a text as pieces. A heading is context of what is below, and a piece only if there is no other."""
    above: list[tuple[int, str]] = []
    pieces, headings = [], []
    for block in blocks:
        start, end = _trimmed(text, block.type, block.start, block.end)
        if block.type == "heading" and (start < end or block.title):
            while above and above[-1][0] >= block.level:
                above.pop()
            headings += [_piece(text, "heading", (start, end), above)] if start < end else []
            above.append((block.level, block.title or text[start:end]))
        elif start < end:
            pieces.append(_piece(text, block.type, (start, end), above))
    return tuple(pieces or headings)


def document_of(
    title: str, text: str, blocks: Iterable[Block], facts: Mapping[str, Any] | None = None, year: int | None = None
) -> Document:
    """The document with this text and these blocks, and the facts about it that are not empty."""
    known = {name: fact for name, fact in (facts or {}).items() if fact}
    return Document(one_line(title), text, pieces_of(text, blocks), year, known)


def composed(title: str, parts: Iterable[Part], facts: Mapping[str, Any], year: int | None = None) -> Document:
    """The document whose text is that of some parts, with blank lines between them."""
    texts: list[str] = []
    blocks: list[Block] = []
    length = 0
    for part in parts:
        text = tidy(part.text)
        blocks.append(Block(part.type, length, length + len(text), part.level, part.title))
        if text:
            texts.append(text)
            length += len(text) + 2
    return document_of(title, "\n\n".join(texts), blocks, facts, year)


def split(document: Document, *, limit_bytes: int = limits.FRAGMENT_BYTES) -> Document:
    """The same document with short neighbours merged, and what is longer than the limit cut where `split_text` cuts."""
    pieces: list[Piece] = []
    for piece in _merged(document.text, document.pieces):
        start = piece.start
        for part in split_text(piece.text, size=limit_bytes):
            first, last = _trimmed(document.text, piece.type, start, start + len(part))
            if first < last:
                pieces.append(replace(piece, text=document.text[first:last], start=first, end=last))
            start += len(part)
    return replace(document, pieces=tuple(pieces))


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
    return re.sub("[\0\ud800-\udfff]", "", text)


def one_line(text: str, *, characters: int = 300) -> str:
    """A text as a title or name: on one line, of bounded length."""
    return " ".join(tidy(text[: 4 * characters]).split())[:characters].rstrip()


def _trimmed(text: str, kind: FragmentType, start: int, end: int) -> tuple[int, int]:
    """A span without the blanks around it; the first line of code keeps its indentation, which is part of it."""
    inner = text[start:end].rstrip()
    blank = len(inner) - len(inner.lstrip())
    if kind == "code":
        blank = max(inner.rfind("\n", 0, blank), inner.rfind("\r", 0, blank)) + 1
    return start + blank, start + len(inner)


def _piece(text: str, kind: FragmentType, span: tuple[int, int], above: list[tuple[int, str]]) -> Piece:
    headings = tuple(title for _, title in above)
    heading = headings[-1] if headings else None
    if kind == "paragraph" and heading is not None and heading.strip(" :.：").casefold() in _ABSTRACT:
        kind = "abstract"
    start, end = span
    return Piece(text[start:end], None, heading, kind, headings, start, end)


def _merged(text: str, pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces with runs of short paragraphs under the same headings in one piece, up to a paragraph's length."""
    merged: list[Piece] = []
    last = None
    for piece in pieces:
        if (
            last is not None
            and last.type == piece.type == "paragraph"
            and max(len(last.text), len(piece.text)) < _MAX_SHORT_CHARACTERS
            and piece.end - merged[-1].start <= _MAX_MERGED_CHARACTERS
            and last.headings == piece.headings
            and not text[last.end : piece.start].strip()
        ):
            merged[-1] = replace(merged[-1], text=text[merged[-1].start : piece.end], end=piece.end)
        else:
            merged.append(piece)
        last = piece
    return merged
