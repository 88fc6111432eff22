"""HTML: the main content of a page by trafilatura, or all that is visible where it finds none."""

from __future__ import annotations

import re
from typing import Any, Final

from wherefrom.explore.documents.document import Block, Document, PieceType, one_line, pieces_of, tidy, year_in
from wherefrom.explore.documents.plain import decode
from wherefrom.model.errors import InvalidInput

# trafilatura takes 70–120 µs for an element and several passes; larger pages are read as what is visible.
_ELEMENTS: Final = 30_000
_HEAD_BYTES: Final = 4_096
_DECLARED: Final = re.compile(
    rb"""(?:charset|encoding)\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_-]{3,20})""", re.IGNORECASE
)
_HIDDEN_STYLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDDEN_TAGS: Final = frozenset(
    """
    script style noscript template iframe object embed canvas svg audio video map dialog select textarea
    """.split()  # noqa: SIM905  # a list of words is read as words
)
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_AROUND_BREAKS: Final = re.compile(r" *\n *")

_SHARED: Final[dict[str, PieceType]] = {"p": "paragraph", "table": "table"}
# The tags of trafilatura's tree.
_EXTRACTED: Final[dict[str, PieceType]] = {
    **_SHARED,
    "head": "heading",
    "list": "list",
    "quote": "quote",
    "code": "code",
}
_VISIBLE: Final[dict[str, PieceType]] = {
    **_SHARED,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("ul", "ol", "dl"), "list"),
    "blockquote": "quote",
    "pre": "code",
    "figure": "figure",
}
_CONTAINERS: Final = frozenset(
    """
    body div section article main header footer aside nav form fieldset details summary center figcaption address hr
    tbody thead tfoot tr td th li dd dt caption
    """.split()  # noqa: SIM905
)
_BLOCKS: Final = _CONTAINERS | _VISIBLE.keys()
_LISTS: Final = frozenset({"list", "ul", "ol", "dl"})
_ITEMS: Final = frozenset({"item", "li", "dt", "dd"})
_ROWS: Final = ("row", "tr")
_CELLS: Final = ("cell", "td", "th")


def read_html(data: bytes, *, charset: str | None = None) -> Document:
    """The page's main text, with its title, language, authors and date."""
    tree = _visible_tree(data, charset)
    title = one_line(tree.findtext(".//title") or "")
    language = one_line(tree.get("lang") or "", characters=35) or None
    found = _extracted(tree)
    writer = _Writer(_EXTRACTED)
    if found is not None and found.body is not None:
        writer.visit(found.body)
    if not writer.blocks:
        writer = _Writer(_VISIBLE)
        body = tree.find("body")
        writer.visit(tree if body is None else body)
    text = writer.text()
    date = (found.date if found is not None else None) or ""
    authors = [one_line(name) for name in ((found.author if found is not None else None) or "").split(";")]
    known: dict[str, Any] = {"authors": [name for name in authors if name], "date": one_line(date)}
    known |= {"site": one_line((found.sitename if found is not None else None) or "")}
    return Document(
        one_line((found.title if found is not None else None) or "") or title,
        text,
        pieces_of(text, writer.blocks),
        language,
        year_in(date),
        {key: value for key, value in known.items() if value},
    )


def _visible_tree(data: bytes, charset: str | None) -> Any:
    """The parsed page without scripts, comments and what is hidden."""
    try:
        from lxml import etree, html  # type: ignore[import-untyped]
    except ImportError:
        raise InvalidInput("reading HTML needs trafilatura", hint="pip install 'wherefrom[documents]'") from None
    declared = _DECLARED.search(data, 0, _HEAD_BYTES)
    text = decode(data, charset=charset or (declared.group(1).decode() if declared else None))
    # Bytes again, as lxml refuses a text that declares an encoding. Its limit of 256 levels is left in force.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        tree = html.document_fromstring(text.encode(), parser=parser)
    except etree.ParserError:
        raise InvalidInput("the page is empty") from None
    for element in [element for element in tree.iter() if _hidden(element)]:
        if element.getparent() is not None:
            element.drop_tree()
    return tree


def _wrap_loose(element: Any) -> None:
    """Put sentences that stand between blocks into paragraphs; trafilatura tears them apart at each link or bold word.

    Without blocks in it an element is one paragraph already.
    """
    blocks = {child for child in element if _holds_blocks(child)}
    if not blocks:
        return
    run = None
    if (element.text or "").strip():
        run = element.makeelement("p")
        run.text, element.text = element.text, None
        element.insert(0, run)
    for child in [child for child in element if child is not run]:
        if child not in blocks:
            if run is None:
                run = element.makeelement("p")
                child.addprevious(run)
            run.append(child)
            continue
        run = None
        if (child.tail or "").strip():
            run = element.makeelement("p")
            run.text, child.tail = child.tail, None
            child.addnext(run)


def _holds_blocks(node: Any) -> bool:
    return node.tag in _BLOCKS or next(node.iterdescendants(*_BLOCKS), None) is not None


def _hidden(element: Any) -> bool:
    return (
        element.tag in _HIDDEN_TAGS
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN_STYLE.search(element.get("style") or "") is not None
    )


def _extracted(tree: Any) -> Any:
    """What trafilatura makes of a page, or None."""
    try:
        from trafilatura import bare_extraction
        from trafilatura.settings import use_config
    except ImportError:
        raise InvalidInput("reading HTML needs trafilatura", hint="pip install 'wherefrom[documents]'") from None
    if sum(1 for _ in tree.iter()) > _ELEMENTS:
        return None
    for element in list(tree.iter("body", "div", "section", "article", "main", "center")):
        _wrap_loose(element)
    # Below these sizes it would put the page into one paragraph, and short pages, above all in Chinese or Japanese,
    # are pages.
    settings = use_config()
    settings["DEFAULT"].update({"MIN_EXTRACTED_SIZE": "1", "MIN_OUTPUT_SIZE": "1"})
    return bare_extraction(
        tree,
        config=settings,
        include_comments=False,
        with_metadata=True,
        # Only dates that the page states; the extensive search guesses.
        date_extraction_params={"extensive_search": False, "original_date": True},
    )


class _Writer:
    """Writes a tree as text, and notes where each block begins and ends."""

    def __init__(self, roles: dict[str, PieceType]) -> None:
        self.blocks: list[Block] = []
        self._roles = roles
        self._parts: list[str] = []
        self._length = 0
        self._inline: list[str] = []

    def visit(self, node: Any) -> None:
        """Write a container: its blocks, and as paragraphs what stands between them."""
        self._flush()
        self._enter(node)
        self._flush()

    def text(self) -> str:
        """All that was written."""
        return "".join(self._parts)

    def _enter(self, node: Any) -> None:
        self._inline.append(_SPACES.sub(" ", node.text or ""))
        for child in node:
            role = self._roles.get(child.tag)
            if role == "table" and _is_layout(child):
                self.visit(child)
            elif role is not None:
                self._flush()
                self._write(role, _rendered(role, child), level=_level(child))
            elif child.tag in _CONTAINERS:
                self.visit(child)
            elif child.tag in ("br", "lb"):
                self._inline.append("\n")
            else:
                self._enter(child)
            self._inline.append(_SPACES.sub(" ", child.tail or ""))

    def _flush(self) -> None:
        text = _joined(self._inline)
        self._inline = []
        self._write("paragraph", text)

    def _write(self, role: PieceType, text: str, *, level: int = 0) -> None:
        text = tidy(text)
        if not text.strip():
            return
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        self._parts.append(text)
        title = one_line(text) if role == "heading" else ""
        self.blocks.append(Block(role, self._length, self._length + len(text), level, title))
        self._length += len(text)


def _level(node: Any) -> int:
    name = node.get("rend") or "" if node.tag == "head" else node.tag
    return int(name[1]) if len(name) == 2 and name[0] == "h" and name[1] in "123456" else 2


def _is_layout(table: Any) -> bool:
    """Whether a table arranges a page rather than shows data."""
    return next(table.iterdescendants("table", "h1", "h2", "h3", "p", "div"), None) is not None


def _rendered(role: PieceType, node: Any) -> str:
    if role == "code":
        return "".join(node.itertext()).strip("\r\n")
    if role == "list":
        return "\n".join(_items(node, depth=0))
    if role == "table":
        rows = ([_inline_text(cell) for cell in row.iter(*_CELLS)] for row in node.iter(*_ROWS))
        return "\n".join(" | ".join(cells) for cells in rows if any(cells))
    return _inline_text(node)


def _items(node: Any, *, depth: int) -> list[str]:
    lines: list[str] = []
    number = 0
    for item in node:
        if item.tag in _LISTS:
            lines += _items(item, depth=depth + 1)
        elif item.tag in _ITEMS:
            number += 1
            ordered = "ol" in (node.tag, node.get("rend"))
            lines.append("  " * depth + (f"{number}. " if ordered else "- ") + _inline_text(item, nested=False))
            lines += [line for child in item if child.tag in _LISTS for line in _items(child, depth=depth + 1)]
    return lines


def _inline_text(node: Any, *, nested: bool = True) -> str:
    parts: list[str] = []
    _collect(node, parts, nested=nested)
    return _joined(parts)


def _collect(node: Any, parts: list[str], *, nested: bool) -> None:
    parts.append(_SPACES.sub(" ", node.text or ""))
    for child in node:
        if child.tag in _LISTS:
            if nested:
                parts.append("\n" + "\n".join(_items(child, depth=0)) + "\n")
        elif child.tag in ("br", "lb"):
            parts.append("\n")
        else:
            block = child.tag in _CONTAINERS or child.tag in _SHARED or child.tag in _ROWS
            parts.append("\n" if block else "")
            _collect(child, parts, nested=nested)
            parts.append("\n" if block else "")
        parts.append(_SPACES.sub(" ", child.tail or ""))


def _joined(parts: list[str]) -> str:
    lines = _AROUND_BREAKS.sub("\n", re.sub(" {2,}", " ", "".join(parts)))
    return re.sub("\n{2,}", "\n", lines).strip()
