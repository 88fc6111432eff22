"""HTML: the main content of a page by trafilatura, or all that is visible where it finds none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from wherefrom.evidence.documents.document import Document, Part, composed, one_line, tidy, year_in
from wherefrom.evidence.documents.plain import decode
from wherefrom.evidence.input import FragmentType
from wherefrom.lazy import lxml_html, trafilatura
from wherefrom.model.errors import InvalidInput

# trafilatura takes 70–120 µs for an element and several passes; larger pages are read as what is visible.
_MAX_ELEMENTS: Final = 30_000
_MAX_HEAD_BYTES: Final = 4_096
_DECLARED: Final = re.compile(
    rb"""(?:charset|encoding)\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_-]{3,20})""", re.IGNORECASE
)
_HIDDEN_TAGS: Final = """
    script style noscript template iframe object embed canvas svg audio video map dialog select textarea
    """.split()  # noqa: SIM905  # a list of words is read as words
# Elements that the page itself hides; trafilatura keeps them.
_HIDDEN: Final = (
    "descendant::*[@hidden or @aria-hidden='true' or "
    r"re:test(@style, 'display\s*:\s*none|visibility\s*:\s*hidden', 'i')]"
)
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_AROUND_BREAKS: Final = re.compile(r" *\n *")

# The tags of trafilatura's tree, and those of a page.
_TYPES: Final[dict[str, FragmentType]] = {
    "p": "paragraph",
    **dict.fromkeys(("head", "h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("list", "ul", "ol", "dl"), "list"),
    **dict.fromkeys(("quote", "blockquote"), "quote"),
    **dict.fromkeys(("code", "pre"), "code"),
    "table": "table",
    "figure": "figure",
}
_CONTAINERS: Final = frozenset(
    """
    body div section article main header footer aside nav form fieldset details summary center figcaption address hr
    tbody thead tfoot tr td th li dd dt caption
    """.split()  # noqa: SIM905
)
# Inline code is no block.
_BLOCKS: Final = (_CONTAINERS | _TYPES.keys()) - {"code"}
_LISTS: Final = frozenset({"list", "ul", "ol", "dl"})
_ITEMS: Final = frozenset({"item", "li", "dt", "dd"})
_ROWS: Final = ("row", "tr")
_CELLS: Final = ("cell", "td", "th")
_PARAGRAPH_END: Final = Part("paragraph", "")


def read_html(data: bytes, charset: str | None) -> Document:
    """The main text of a page as a document, with its title, authors and date."""
    settings = trafilatura.settings.use_config()
    # Below these sizes it would put the page into one paragraph, and short pages, above all in Chinese or Japanese,
    # are pages.
    settings["DEFAULT"].update({"MIN_EXTRACTED_SIZE": "1", "MIN_OUTPUT_SIZE": "1"})
    tree = _visible_tree(data, charset)
    title = one_line(tree.findtext(".//title") or "")
    found: Any = None
    if sum(1 for _ in tree.iter()) <= _MAX_ELEMENTS:
        for element in list(tree.iter("body", "div", "section", "article", "main", "center")):
            _wrap_loose(element)
        # Only dates that the page states; the extensive search guesses.
        dates = {"extensive_search": False, "original_date": True}
        found = trafilatura.bare_extraction(
            tree, config=settings, include_comments=False, with_metadata=True, date_extraction_params=dates
        )
    stated = {name: getattr(found, name, "") or "" for name in ("title", "date", "author", "sitename")}
    parts = list(_parts(found.body)) if found is not None and found.body is not None else []
    if not parts:
        lxml_html.etree.strip_tags(tree, "code")  # within a line; blocks of code are in <pre>
        parts = list(_parts(tree.find("body") if tree.find("body") is not None else tree))
    authors = [one_line(name) for name in stated["author"].split(";") if name.strip()]
    facts = {"authors": authors, "date": one_line(stated["date"]), "site": one_line(stated["sitename"])}
    return composed(one_line(stated["title"]) or title, parts, facts, year_in(stated["date"]))


def _visible_tree(data: bytes, charset: str | None) -> Any:
    """The parsed page without scripts, comments and what is hidden."""
    declared = _DECLARED.search(data, 0, _MAX_HEAD_BYTES)
    text = decode(data, charset or (declared.group(1).decode() if declared else None))
    # Bytes again, as lxml refuses a text that declares an encoding. Its limit of 256 levels is left in force.
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = lxml_html.document_fromstring(text.encode(), parser=parser)
    except lxml_html.etree.ParserError:
        raise InvalidInput("the page is empty") from None
    lxml_html.etree.strip_elements(tree, *_HIDDEN_TAGS, with_tail=False)
    for element in tree.xpath(_HIDDEN, namespaces={"re": "http://exslt.org/regular-expressions"}):
        element.drop_tree()
    return tree


def _wrap_loose(element: Any) -> None:
    """Put text that stands between the blocks of an element into paragraphs; nothing to do if it has no blocks.

    trafilatura tears such text apart at each link or bold word, and loses some (129 of 400 random pages differed).
    """
    children = list(element)
    blocks = {child for child in children if child.tag in _BLOCKS or _first(child, *_BLOCKS) is not None}
    if not blocks:
        return
    run, element.text = _begun(element, element.text), None
    for child in children:
        if child in blocks:
            element.append(child)
            run, child.tail = _begun(element, child.tail), None
            continue
        if run is None:
            run = lxml_html.etree.SubElement(element, "p")
        run.append(child)


def _begun(element: Any, text: str | None) -> Any:
    """A new paragraph with this text at the end of an element; None for blank text."""
    if not (text or "").strip():
        return None
    paragraph = lxml_html.etree.SubElement(element, "p")
    paragraph.text = text
    return paragraph


def _first(node: Any, *tags: str) -> Any:
    return next(node.iterdescendants(*tags), None)


def _parts(node: Any) -> Iterator[Part]:
    """A tree as parts of a text: its blocks, and as paragraphs what stands between them.

    In a trial of 32 pages trafilatura's own text (2.3) differed on 7: it drops the numbers of lists, blank lines in
    code, and the paragraphs inside items; its Markdown differed on 13 and marks up what is to be verbatim.
    """
    for kind, run in groupby(_stream(node), type):
        for part in [Part("paragraph", _joined(run))] if kind is str else run:
            if tidy(part.text).strip():
                yield part._replace(title=one_line(part.text)) if part.type == "heading" else part


def _stream(node: Any) -> Iterator[Any]:
    """The texts within lines and the blocks of a container, in order; an empty part ends a paragraph."""
    yield _SPACES.sub(" ", node.text or "")
    for child in node:
        role = _TYPES.get(child.tag)
        if role is not None and not (role == "table" and _is_layout(child)):
            yield Part(role, _rendered(role, child), _level(child))
        elif role is not None or child.tag in _CONTAINERS:
            yield from (_PARAGRAPH_END, *_stream(child), _PARAGRAPH_END)
        elif child.tag in ("br", "lb"):
            yield "\n"
        else:
            yield from _stream(child)
        yield _SPACES.sub(" ", child.tail or "")


def _level(node: Any) -> int:
    name = node.get("rend") or "" if node.tag == "head" else node.tag
    return int(name[1]) if len(name) == 2 and name[0] == "h" and name[1] in "123456" else 2


def _is_layout(table: Any) -> bool:
    """True if a table arranges a page rather than shows data."""
    return _first(table, "table", "h1", "h2", "h3", "p", "div") is not None


def _rendered(role: FragmentType, node: Any) -> str:
    if role == "code":
        return "".join(node.itertext()).strip("\r\n")
    if role == "list":
        return "\n".join(_items(node, depth=0))
    if role == "table":
        rows = ([_joined(_texts(cell)) for cell in row.iter(*_CELLS)] for row in node.iter(*_ROWS))
        return "\n".join(" | ".join(cells) for cells in rows if any(cells))
    return _joined(_texts(node))


def _items(node: Any, *, depth: int) -> list[str]:
    lines: list[str] = []
    number = 0
    for item in node:
        if item.tag in _LISTS:
            lines += _items(item, depth=depth + 1)
        elif item.tag in _ITEMS:
            number += 1
            ordered = "ol" in (node.tag, node.get("rend"))
            lines.append("  " * depth + (f"{number}. " if ordered else "- ") + _joined(_texts(item, nested=False)))
            lines += [line for child in item if child.tag in _LISTS for line in _items(child, depth=depth + 1)]
    return lines


def _texts(node: Any, *, nested: bool = True) -> Iterator[str]:
    """The texts of an element, to be joined; `nested` includes lists in it."""
    yield _SPACES.sub(" ", node.text or "")
    for child in node:
        if child.tag in _LISTS:
            yield "\n" + "\n".join(_items(child, depth=0)) + "\n" if nested else ""
        elif child.tag in ("br", "lb"):
            yield "\n"
        else:
            around = "\n" if child.tag in _CONTAINERS or child.tag in ("p", "table", "row") else ""
            yield around
            yield from _texts(child, nested=nested)
            yield around
        yield _SPACES.sub(" ", child.tail or "")


def _joined(parts: Iterable[str]) -> str:
    lines = _AROUND_BREAKS.sub("\n", re.sub(" {2,}", " ", "".join(parts)))
    return re.sub("\n{2,}", "\n", lines).strip()
