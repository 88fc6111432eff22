"""Secrets near a word for them, which no sign or verb joins to it: in a sentence of any order, a table, a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.text.patterns import compiled
from recollect.text.secret_ends import ENOUGH, end_of_secret
from recollect.text.secret_values import Announcement, Value, is_secret, looks_like_password
from recollect.text.secret_words import LONG_WORDS

# How far from the word its password may stand: in the same sentence, or in the answer to it.
_BEFORE, _AFTER = 40, 70
_LINES: Final = 2
_PIECE: Final = r"(?<![!-~])[\"'`(\[<*_]{0,3}((?=[!-~]{0,63}[0-9])[!-~]{7,64})"
_PAIR: Final = r" / ((?=[!-~]{0,63}[0-9])[!-~]{7,64})"
_USER: Final = r"(?i)(?:log ?in|sign in|credential|creds|admin|root|ログイン|管理画面)[^\n/]{0,40}\Z"
_CALL: Final = (
    r"(?i)(?:auth|login|credentials?|pdo|connect|sign_?in)\w{0,12}\s?=?\s?\((?:[^()\n]{0,120},\s?)?"
    r"([\"'])[^\"'\n]{1,64}\1,\s?([\"'])([^\s\"']{6,64})\2\s?[),]"
)
_TABLE: Final = r"(?m)^[^\S\n]*\|[^\n]*\n[^\S\n]*\|[\s:|-]{3,200}\n(?:[^\S\n]*\|[^\n]*(?:\n|\Z)){1,200}"


def nearby_spans(text: str, words: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password near one of these words for it, which are in order."""
    reached = 0
    for first, last in _surroundings(text, words):
        for piece in compiled(_PIECE).finditer(text, first, last):
            start = piece.start(1)
            if start >= reached:
                reached = end_of_secret(text, start, start, ENOUGH)
                called = text.startswith(("(", "["), reached)
                if not called and looks_like_password(text[start:reached]):
                    yield start, reached


def _surroundings(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What stands around each word on its line and on the next ones; what overlaps is looked through once."""
    around: list[tuple[int, int]] = []
    for start, end in words:
        first = max(0, start - _BEFORE)
        first = max(first, text.rfind("\n", first, start) + 1)
        last = min(len(text), end + _AFTER)
        lines = text[end:last].split("\n", _LINES + 1)
        last = end + len("\n".join(lines[: _LINES + 1]))
        if around and first <= around[-1][1]:
            around[-1] = (around[-1][0], max(last, around[-1][1]))
        else:
            around.append((first, last))
    return around


def paired_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password that follows its user's name: "log in as deploy / …"."""
    reached = 0
    for match in compiled(_PAIR).finditer(text):
        start = match.start(1)
        if start >= reached and compiled(_USER).search(text, max(0, start - 60), match.start()):
            reached = end_of_secret(text, start, start, ENOUGH)
            if looks_like_password(compiled(r"\(.*").sub("", text[start:reached])):
                yield start, reached


def called_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password that a program gives after its user's name: login("deploy", "…")."""
    if '("' in text or "('" in text:
        for match in compiled(_CALL).finditer(text):
            if is_secret(Value(match[3], quoted=True, continues=False), Announcement.BESIDE):
                yield match.span(3)


def tabled_spans(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password in a table, in a column that is named after them."""
    for table in compiled(_TABLE).finditer(text):
        yield from _in_table(text, lowered, *table.span())


def _in_table(text: str, lowered: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The cells below a word for passwords."""
    lines = list(compiled(r"[^\n]+").finditer(text, start, end))
    heads = lowered[lines[0].start() : lines[0].end()].split("|")
    columns = [column for column, head in enumerate(heads) if compiled(LONG_WORDS).search(head)]
    for line in lines[2:] if columns else ():
        cells = list(compiled(r"[^|]*").finditer(text, *line.span()))
        cells = [cell for cell in cells if cell.start() == line.start() or text[cell.start() - 1] == "|"]
        for column in columns:
            if column < len(cells) and (value := compiled(r"[^\s`*]+").search(text, *cells[column].span())):
                lone = not text[value.end() : cells[column].end()].strip(" `*")
                if lone and is_secret(Value(value[0], quoted=False, continues=False), Announcement.ASSIGNED):
                    yield value.span()
