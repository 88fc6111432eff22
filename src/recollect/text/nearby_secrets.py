"""Secrets near a word for them, which no sign or verb joins to it: in a sentence of any order, a table, a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from recollect.text.patterns import compiled
from recollect.text.secret_ends import end_of_secret
from recollect.text.secret_values import Announcement, Value, is_secret, looks_like_password

_WORDS: Final = (
    r"p(?:ass(?:word|phrase|code|wd|wort)|wd)|kennwort|mot de passe|senha|contraseña|пароль"
    r"|パスワード|パスフレーズ|비밀번호|암호|密码|密碼|口令"
)
# How far from the word its password may stand: in the same sentence, or in the answer to it.
_BEFORE, _AFTER = 40, 70
_PIECE: Final = r"(?<![!-~])[\"'`(\[<*_]{0,3}([!-~]{7,64})"
_PAIR: Final = r"(?i)(?:log ?in|sign in|credential|creds|admin|root|ログイン|管理画面)[^\n/]{0,40}\s?/\s?([!-~]{7,64})"
_CALL: Final = (
    r"(?i)(?:auth|login|credentials?|pdo|connect|sign_?in)\w{0,12}\s?=?\s?\((?:[^()\n]{0,120},\s?)?"
    r"([\"'])[^\"'\n]{1,64}\1,\s?([\"'])([^\s\"']{6,64})\2\s?[),]"
)
_TABLE: Final = r"(?m)^[^\S\n]*\|[^\n]*\n[^\S\n]*\|[\s:|-]{3,200}\n(?:[^\S\n]*\|[^\n]*(?:\n|\Z)){1,200}"


def nearby_spans(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password near a word for it."""
    reached = 0
    for word in compiled(_WORDS).finditer(lowered):
        line = text.rfind("\n", 0, word.start()) + 1
        first = max(reached, line, word.start() - _BEFORE)
        for piece in compiled(_PIECE).finditer(text, first, min(len(text), word.end() + _AFTER)):
            start = piece.start(1)
            end = end_of_secret(text, start, start)
            reached = max(reached, end)
            called = text.startswith(("(", "["), end)
            if not called and looks_like_password(text[start:end]) and text.count("\n", word.end(), start) < 3:
                yield start, end
    if "|" in text and "--" in text:
        for table in compiled(_TABLE).finditer(text):
            yield from _in_table(text, lowered, *table.span())


def paired_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yields the start and end of each password that follows its user's name."""
    if "/" in text:
        for match in compiled(_PAIR).finditer(text):
            end = end_of_secret(text, match.start(1), match.start(1))
            if looks_like_password(compiled(r"\(.*").sub("", text[match.start(1) : end])):
                yield match.start(1), end
    if '("' in text or "('" in text:
        for match in compiled(_CALL).finditer(text):
            if is_secret(Value(match[3], quoted=True, continues=False), Announcement.BESIDE):
                yield match.span(3)


def _in_table(text: str, lowered: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The cells below a word for passwords."""
    lines = list(compiled(r"[^\n]+").finditer(text, start, end))
    heads = lowered[lines[0].start() : lines[0].end()].split("|")
    columns = [column for column, head in enumerate(heads) if compiled(_WORDS).search(head)]
    for line in lines[2:] if columns else ():
        cells = list(compiled(r"[^|]*").finditer(text, *line.span()))
        cells = [cell for cell in cells if cell.start() == line.start() or text[cell.start() - 1] == "|"]
        for column in columns:
            if column < len(cells) and (value := compiled(r"[^\s`*]+").search(text, *cells[column].span())):
                lone = not text[value.end() : cells[column].end()].strip(" `*")
                if lone and is_secret(Value(value[0], quoted=False, continues=False), Announcement.ASSIGNED):
                    yield value.span()
