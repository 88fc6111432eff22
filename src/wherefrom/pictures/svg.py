"""A drawing as SVG: elements in order, text escaped, numbers rounded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any, Final

Point = tuple[float, float]

INK: Final = "#1f2933"
_GRID: Final = "#e3e8ed"


class Drawing:
    """An SVG picture that grows by elements."""

    def __init__(self, width: float, height: float, *, heading: str, at: Point, font: float) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
            f' font-size="{font:g}" fill="{INK}" role="img" aria-label="{escape(heading)}">'
        ]
        self.add("rect", width=width, height=height, fill="white")
        self.text(*at, heading, font_size=font + 4)

    def add(self, element: str, words: str = "", *, title: str = "", **attributes: Any) -> None:
        """Add an element with its words. title: shown when a reader points at the element."""
        given = "".join(f' {name.replace("_", "-")}="{_shown(value)}"' for name, value in attributes.items())
        inner = escape(words) + (f"<title>{escape(title)}</title>" if title else "")
        self._parts.append(f"<{element}{given}>{inner}</{element}>" if inner else f"<{element}{given}/>")

    def text(self, x: float, y: float, words: str, **attributes: Any) -> None:
        """Write words from a point on, or around it with another `text_anchor`."""
        self.add("text", words, x=x, y=y, **attributes)

    def line(self, start: Point, end: Point, stroke: str, **attributes: Any) -> None:
        """Draw a line from one point to another."""
        self.add("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=stroke, **attributes)

    def axes(
        self, width: float, height: float, names: tuple[str, str], x: Mapping[float, str], y: Mapping[float, str]
    ) -> None:
        """Draw the frame of a chart, from its upper left corner: x from the left and y from the bottom up, as shares of
        the frame with what is written there, and the names of both.
        """
        self.add("rect", width=width, height=height, fill="none", stroke=_GRID)
        for share, words in x.items():
            self.line((share * width, height), (share * width, height + 5), INK)
            self.text(share * width, height + 20, words, text_anchor="middle")
        for share, words in y.items():
            at = height * (1 - share)
            self.line((0, at), (width, at), _GRID)
            self.text(-8, at + 4.5, words, text_anchor="end")
        self.text(width / 2, height + 42, names[0], text_anchor="middle")
        self.add("text", names[1], transform=f"translate(-84 {height / 2:g}) rotate(-90)", text_anchor="middle")

    @contextmanager
    def moved(self, x: float, y: float) -> Iterator[None]:
        """Draw what is added inside from another origin."""
        self._parts.append(f'<g transform="translate({x:g} {y:g})">')
        yield
        self._parts.append("</g>")

    def __str__(self) -> str:
        return "\n".join([*self._parts, "</svg>"]) + "\n"


def plain(text: str, columns: int) -> str:
    """Stored text on one line of at most so many columns; what XML cannot hold, and what would turn or hide letters, is
    replaced.
    """
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text[:1_000].split()))
    if columns_of(line) <= columns:
        return line
    while columns_of(line) > columns - 1:
        line = line[:-1]
    return line.rstrip() + "…"


def columns_of(text: str) -> int:
    """The columns that a text takes in a fixed width; characters of East Asia take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def count(number: int, noun: str) -> str:
    """A number with its noun in the singular or plural."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shown(value: object) -> str:
    return f"{round(value, 2):g}" if isinstance(value, float) else escape(str(value))
