"""Entries and texts that are laid out for the width of a terminal, also with characters that are two cells wide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

# A line may begin with any Han or kana character, but for those that belong to the one before, and end before an
# opening bracket only.
_WIDE: Final = "\u2e80-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_OPENING: Final = "「『（【〈《〔［｛"
_CLOSING: Final = "、。，．・：；？！゛゜ー々〉》」』】〕）］｝ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
_TOKEN: Final = re.compile(rf"\s+|[{_OPENING}]*[{_WIDE}](?:[{_CLOSING}]|[\u3099\u309a\ufe00-\ufe0f])*|[^\s{_WIDE}]+")
_MIN_WIDTH: Final = 16
_SEPARATOR: Final = " · "
_JOINER: Final = "\u200d"


def spans(text: str, width: int, *, fold: bool = True) -> Iterator[tuple[int, int]]:
    """Where the lines of a text begin and end, if each may have so many cells; blanks around a line are none of it.

    A word that is wider than a line is broken; without `fold` it stays whole.
    """
    width = max(width, _MIN_WIDTH)
    start: int | None = None
    end = used = 0
    for first, last in _tokens(text, width if fold else 2 * len(text)):
        size = cell_len(text[first:last])
        if text[first:last].isspace():
            used += size
            continue
        if start is not None and used + size > width:
            yield start, end
            start = None
        if start is None:
            start, used = first, 0
        used += size
        end = last
    if start is not None:
        yield start, end


def wrapped(text: Text, width: int, *, lines: int | None = None) -> list[Text]:
    """A text in lines of at most so many cells; of a text with more `lines` than these the last ends in an ellipsis."""
    found: list[Text] = []
    for start, end in spans(text.plain, width):
        if lines is not None and len(found) == lines:
            found[-1] = Text.assemble(wrapped(found[-1], width - 1)[0], "…")
            break
        found.append(text[start:end])
    return found


def shortened(text: Text, width: int) -> Text:
    """A text in at most so many cells: what is too long ends in an ellipsis."""
    if cell_len(text.plain) <= width:
        return text
    kept, used = 0, 1
    for start, end in _characters(text.plain, 0, len(text.plain)):
        used += cell_len(text.plain[start:end])
        if used > width:
            break
        kept = end
    return Text.assemble(text[:kept], "…")


def sentence(text: Text, width: int) -> Iterator[Text]:
    """A sentence in lines that end between words, each indented as the first; what can be copied is not broken."""
    for line in text.split(allow_blank=True):
        indent = len(line.plain) - len(line.plain.lstrip(" "))
        found = [line[start:end] for start, end in spans(line.plain, width - indent, fold=False)]
        yield from (Text.assemble(" " * indent, part) for part in found or [Text()])


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list: a mark, such as its number; a head; its text, or the first lines of it; below that some facts
    side by side, and notes.
    """

    mark: str
    head: Text
    text: Text | None = None
    facts: Sequence[str] = ()
    notes: Sequence[Text] = ()
    text_lines: int | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the entry: all but the first begin below the head."""
        indent = " " * (cell_len(self.mark) + 2) if self.mark else ""
        width = options.max_width - len(indent)
        lines = wrapped(self.head, width, lines=3)
        lines += wrapped(self.text, width, lines=self.text_lines) if self.text else []
        for note in (*_side_by_side(self.facts, width), *self.notes):
            lines += wrapped(note, width)
        for number, line in enumerate(lines):
            yield Text.assemble(Text(self.mark + "  ", style="dim") if self.mark and not number else indent, line)


@dataclass(frozen=True, slots=True)
class Prose:
    """A whole text: wrapped in a terminal, elsewhere with the lines that it has."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the text."""
        for line in self.text.split(allow_blank=True):
            if console.is_terminal:
                line.expand_tabs(4)
                yield Group(*(wrapped(line, options.max_width) or [Text()]))
            else:
                yield Text(line.plain, no_wrap=True, overflow="ignore")


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A text that is copied: its lines are as long as they are, in a terminal, too."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the text."""
        for line in self.text.split(allow_blank=True):
            line.no_wrap, line.overflow, line.justify = True, "ignore", None
            yield line


def _side_by_side(facts: Sequence[str], width: int) -> Iterator[Text]:
    """Facts in lines that end between two of them where they can."""
    line = ""
    for fact in facts:
        if line and cell_len(line + _SEPARATOR + fact) > width:
            yield Text(line, style="dim")
            line = ""
        line = f"{line}{_SEPARATOR}{fact}" if line else fact
    yield Text(line, style="dim")


def _tokens(text: str, width: int) -> Iterator[tuple[int, int]]:
    """The parts between which a line may be broken; one that is wider than a line is broken anywhere."""
    for token in _TOKEN.finditer(text):
        first, last = token.span()
        if cell_len(token.group()) <= width or token.group().isspace():
            yield first, last
            continue
        yield from _characters(text, first, last)


def _characters(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The places of the characters in a part of a text, each with the marks that belong to it."""
    start = first
    for at in range(first + 1, last + 1):
        if at == last or not _continues(text, at):
            yield start, at
            start = at


def _continues(text: str, at: int) -> bool:
    """True if the character there belongs to the one before: a mark, or one that is joined to it."""
    return unicodedata.category(text[at]) in ("Mn", "Me", "Mc") or _JOINER in (text[at], text[at - 1])
