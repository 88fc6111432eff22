"""A question as tokens with their meanings: words, numbers, and dates in digits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from wherefrom.text.dates.periods import Period, of_day, of_month
from wherefrom.text.dates.words import cues, lexicon, phrases

FIRST_YEAR, LAST_YEAR = 1900, 2099
_MAX_NUMBER: Final = 999
_MAX_DAY: Final = 31
_MARKS: Final[Mapping[str, dict[str, Any]]] = {
    ".": {"dot": True},
    ",": {"comma": True},
    **{mark: {"dash": True} for mark in "-–—〜~"},
    "'s": {"possessive": True},
    "’s": {"possessive": True},
    **{mark: {"numbered": True} for mark in "§#$€£¥"},
}
_NOTHING: Final[dict[str, Any]] = {}


class Token(NamedTuple):
    """A word, number or mark of a question in lower case, with its meanings: values by role. is_capital: it begins with
    a capital. at: the place of its first character, and end: the place after its last.
    """

    text: str
    meanings: Mapping[str, Any]
    is_capital: bool
    at: int
    end: int


def may_name_time(question: str) -> bool:
    """Return True if a question has a number, or a word that times are made of. Most have neither."""
    words = _words().findall(question.casefold())
    return not cues().isdisjoint(words) or any(map(str.isdecimal, question))


def read(question: str) -> list[Token]:
    """Return the tokens of a question; words of several parts are one."""
    known = lexicon()
    tokens: list[Token] = []
    for match in _pattern().finditer(question):
        word = match.group()
        folded = word.casefold().replace("’", "'")
        if word[0].isdecimal():
            is_code = tokens and tokens[-1].end == match.start() and tokens[-1].text in ("v", "/", "#", ".")
            meanings = _NOTHING if is_code or (tokens and "numbered" in tokens[-1].meanings) else _number(folded)
        elif folded[0] == "q" and folded[1:] in ("1", "2", "3", "4"):
            meanings = {"quarter": int(folded[1:])}
        else:
            meanings = _MARKS.get(folded) or known.get(folded, _NOTHING)
        tokens.append(Token(folded, meanings, word[0].isupper(), match.start(), match.end()))
    return _with_phrases(tokens)


def _with_phrases(tokens: Sequence[Token]) -> list[Token]:
    known = phrases()
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        token, size = tokens[at], 1
        for parts, meanings in known.get(token.text, ()):
            if tuple(one.text for one in tokens[at : at + len(parts)]) == parts:
                size = len(parts)
                last = tokens[at + size - 1]
                token = Token(" ".join(parts), meanings, token.is_capital, token.at, last.end)
                break
        joined.append(token)
        at += size
    return joined


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+")


@cache
def _pattern() -> re.Pattern[str]:
    """Dates in digits, numbers with their endings (7th), words, and marks. Q3 is one word."""
    return re.compile(
        r"(?<![\d./-])(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([./])\d{1,2}\2\d{4}|\d{4}-\d{2})(?![\d/-]|\.\d)"
        r"|[Qq][1-4](?!\w)|\d+[^\W\d_]*|'s\b|’s\b|[^\W\d_]+|[^\w\s]"
    )


@cache
def _endings() -> re.Pattern[str]:
    return re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|re|e|º|ª|o|te|ten|ter|de|ste)")


def _number(text: str) -> dict[str, Any]:
    """Return the meanings of a number: how many, a day of a month, a year, or a whole date."""
    if text.isdecimal():
        value = int(text) if len(text) <= 4 else 0
        meanings: dict[str, Any] = {}
        if len(text) == 4:
            return {"year": value} if FIRST_YEAR <= value <= LAST_YEAR else meanings
        if 1 <= value <= _MAX_NUMBER:
            meanings["number"] = value
        if 1 <= value <= _MAX_DAY and len(text) <= 2:
            meanings["day"] = value
        return meanings
    if ending := _endings().fullmatch(text):
        return {"nth": int(ending.group(1))}
    parts = [int(part) for part in re.split(r"[-/.]", text) if part.isdecimal()]
    periods = _dates(parts, text)
    return {"date": periods} if periods else _NOTHING


def _dates(parts: Sequence[int], text: str) -> tuple[Period, ...]:
    """Return the days that digits can mean: 5/7/2023 is in May or in July, 7.5.2023 is in May."""
    if len(parts) == 2:
        year, month = parts
        found = [of_month(year, month)]
    elif len(parts) != 3:
        return ()
    elif parts[0] > _MAX_DAY:
        year = parts[0]
        found = [of_day(*parts)]
    else:
        year = parts[2]
        found = [of_day(year, parts[1], parts[0])]
        if "/" in text:
            found = [of_day(year, parts[0], parts[1]), *found]
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return ()
    return tuple(dict.fromkeys(period for period in found if period is not None))
