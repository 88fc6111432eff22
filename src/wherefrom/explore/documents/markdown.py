"""Markdown (CommonMark with tables): blocks by the parser's line numbers, so that pieces are spans of the source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from wherefrom.explore.documents.document import Block, Document, PieceType, one_line, pieces_of, year_in
from wherefrom.explore.documents.plain import decode, paragraphs

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# The parser takes up to 10 s for a megabyte of list items; more than this is no document that someone wrote.
_PARSED_CHARACTERS: Final = 2_000_000
_HEADING_CHARACTERS: Final = 300

_LINE: Final = re.compile(r"\r\n?+|\n")
_FRONT: Final = re.compile(
    r"---[ \t]*+(?:\r\n?+|\n)((?:(?!---|\.\.\.)[^\r\n]*+(?:\r\n?+|\n)){1,100}?)(?:---|\.\.\.)[ \t]*+(?=[\r\n]|\Z)"
)
_PAIR: Final = re.compile(r"([A-Za-z][\w -]{0,40}?)[ \t]*:(?:[ \t]+(.*))?")
_IMAGES: Final = re.compile(r"(?:!\[[^\[\]\n]{0,500}+\]\([^()\n]{0,1000}+\)\s*+)+")
_NOT_SHOWN: Final = re.compile(r"\s*<(?:!--|script\b|style\b)", re.IGNORECASE)

_TYPES: Final[dict[str, PieceType]] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "blockquote_open": "quote",
    "fence": "code",
    "code_block": "code",
    "html_block": "paragraph",
}


def read_markdown(data: bytes, *, charset: str | None = None) -> Document:
    """The source is the text. Title, date and authors come from the front matter, a title also from the headings."""
    text = decode(data, charset=charset)
    front = _FRONT.match(text)
    known = _pairs(front.group(1)) if front else {}
    body = front.end() if front and known else 0
    blocks = list(_blocks(text, body)) if len(text) <= _PARSED_CHARACTERS else list(paragraphs(text))
    headings = sorted((block for block in blocks if block.type == "heading"), key=lambda block: block.level)
    title = known.get("title") or next((block.title for block in headings), "")
    return Document(
        one_line(title),
        text,
        pieces_of(text, blocks),
        known.get("lang") or known.get("language") or None,
        year_in(known.get("date") or known.get("year")),
        _metadata(known),
    )


def _blocks(text: str, body: int) -> Iterator[Block]:
    # Lines end as the parser sees them, which is not as str.splitlines does.
    starts = [body, *(match.end() for match in _LINE.finditer(text, body)), len(text)]
    tokens = _parser().parse(text[body:])
    for at, token in enumerate(tokens):
        kind = _TYPES.get(token.type)
        if token.level or token.map is None or kind is None:
            continue
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if kind == "heading":
            yield Block(kind, start, end, level=int(token.tag[1:]), title=_words(tokens[at + 1].content))
        elif token.type == "paragraph_open" and _IMAGES.fullmatch(tokens[at + 1].content):
            yield Block("figure", start, end)
        elif token.type != "html_block" or not _NOT_SHOWN.match(token.content):
            yield Block(kind, start, end)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Inline markup is not needed for blocks, and most hostile input aims at its parser.
    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _words(source: str) -> str:
    """A heading without its markup."""
    inline = _inline_parser().parseInline(source[:_HEADING_CHARACTERS])
    return one_line("".join(_shown(inline[0].children or []))) or one_line(source)


def _shown(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.type != "html_inline":
            yield token.content


def _pairs(source: str) -> dict[str, str]:
    """The `key: value` lines of front matter; none when it holds anything that is not of that kind."""
    known: dict[str, str] = {}
    key = ""
    for line in _LINE.split(source):
        pair = _PAIR.fullmatch(line)
        if pair:
            key = pair.group(1).lower()
            known[key] = (pair.group(2) or "").strip()
        elif key and line.strip().startswith("- "):
            known[key] = f"{known[key]}; {line.strip()[2:]}".lstrip("; ")
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            return {}
    return {key: _unquoted(value) for key, value in known.items() if value}


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _metadata(known: dict[str, str]) -> dict[str, Any]:
    authors = known.get("authors") or known.get("author") or ""
    names = authors[1:-1].split(",") if authors.startswith("[") and authors.endswith("]") else authors.split(";")
    listed = [one_line(_unquoted(name.strip())) for name in names if name.strip()]
    date = one_line(known.get("date", ""))
    return {**({"authors": listed} if listed else {}), **({"date": date} if date else {})}
