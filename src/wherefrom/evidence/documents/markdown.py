"""Markdown (CommonMark with tables) as a document whose text is the source: blocks are found by their line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wherefrom.evidence.documents.document import Block, Document, document_of, one_line, year_in
from wherefrom.evidence.documents.plain import decode, paragraphs
from wherefrom.evidence.input import FragmentType
from wherefrom.lazy import markdown_it

# The parser takes up to 10 s for a megabyte of list items; more than this is no document that someone wrote.
_MAX_PARSED_CHARACTERS: Final = 2_000_000
_MAX_HEADING_CHARACTERS: Final = 300

_LINE: Final = re.compile(r"\r\n?+|\n")
_FRONT: Final = re.compile(
    r"---[ \t]*+(?:\r\n?+|\n)((?:(?!---|\.\.\.)[^\r\n]*+(?:\r\n?+|\n)){1,100}?)(?:---|\.\.\.)[ \t]*+(?=[\r\n]|\Z)"
)
_PAIR: Final = re.compile(r"([A-Za-z][\w -]{0,40}?)[ \t]*:(?:[ \t]+(.*))?")
_IMAGES: Final = re.compile(r"(?:!\[[^\[\]\n]{0,500}+\]\([^()\n]{0,1000}+\)\s*+)+")
_NOT_SHOWN: Final = re.compile(r"\s*<(?:!--|script\b|style\b)", re.IGNORECASE)

_TYPES: Final[dict[str, FragmentType]] = {
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


def read_markdown(data: bytes, charset: str | None) -> Document:
    """Markdown as a document; title, date and authors are those of the front matter, else the title is a heading."""
    text = decode(data, charset)
    front = _FRONT.match(text)
    known = _pairs(front.group(1)) if front else {}
    body = front.end() if front and known else 0
    blocks = list(_blocks(text, body)) if len(text) <= _MAX_PARSED_CHARACTERS else list(paragraphs(text))
    headings = sorted((block for block in blocks if block.type == "heading"), key=lambda block: block.level)
    title = known.get("title") or next((block.title for block in headings), "")
    authors = known.get("authors") or known.get("author") or ""
    names = authors[1:-1].split(",") if authors.startswith("[") and authors.endswith("]") else authors.split(";")
    listed = [one_line(_unquoted(name.strip())) for name in names if name.strip()]
    facts = {"authors": listed, "date": one_line(known.get("date", ""))}
    return document_of(title, text, blocks, facts, year_in(known.get("date") or known.get("year")))


def _blocks(text: str, body: int) -> Iterator[Block]:
    # Lines end as the parser sees them, which is not as str.splitlines does.
    starts = [body, *(match.end() for match in _LINE.finditer(text, body)), len(text)]
    tokens = _parser(is_inline=False).parse(text[body:])
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
def _parser(*, is_inline: bool) -> markdown_it.MarkdownIt:
    """A parser of inline markup, or one of blocks alone: most hostile input aims at the parser of inline markup."""
    parser = markdown_it.MarkdownIt("commonmark")
    return parser if is_inline else parser.enable("table").disable("inline")


def _words(source: str) -> str:
    """A heading without its markup."""
    (inline,) = _parser(is_inline=True).parseInline(source[:_MAX_HEADING_CHARACTERS])
    shown = (token for token in inline.children or () if token.type != "html_inline")
    words = "".join(" " if token.type.endswith("break") else token.content for token in shown)
    return one_line(words) or one_line(source)


def _pairs(source: str) -> dict[str, str]:
    """The `key: value` lines of front matter; none at all if it has a line of another kind."""
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
