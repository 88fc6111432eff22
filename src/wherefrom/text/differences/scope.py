"""Tells whether two texts of the same words are read otherwise: by a comma, or by what "only" bears on."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences.fact_words import DATES, NEGATIONS, TITLES

_TOKEN: Final = re.compile(r"[^\W_]+(?:['’.:/@-][^\W_]+)*")
_MARK: Final = re.compile(r"[,.;:!?()–—…\n]|\s-\s")
# What stands behind one of these is what it bears on.
_FOCUS: Final = re.compile(
    r"\b(only|even|just|almost|nearly|not|merely|solely|never|nur|sogar|nicht|nie|fast)\b(?: (?:the |an? )?([^\W_]+))?"
)
# A comma behind one of these makes it an answer or an order: "No, parking is free".
_ANSWERS: Final = NEGATIONS | frozenset("yes stop quit please".split())
# A clause that begins with one of these says of which it is, or tells more, as a comma parts it or not.
_RELATIVES: Final = frozenset("who whom whose which where".split())
_TITLES: Final = TITLES - NEGATIONS
_MIN_PARTICIPLE: Final = 6
# At the end of a text so many names are whom it speaks to.
_MAX_CALLED: Final = 2


def reads_otherwise(one: str, other: str) -> bool:
    """True if words like "only" bear on other words, or a comma makes other parts of the same words."""
    if one == other:
        return False
    mine, theirs = ([match.groups("") for match in _FOCUS.finditer(text.casefold())] for text in (one, other))
    # Where one has more of them, that is for others to tell.
    is_focus_moved = sorted(word for word, _ in mine) == sorted(word for word, _ in theirs)
    if is_focus_moved and sorted(mine) != sorted(theirs):
        return True
    words, others = _TOKEN.findall(one), _TOKEN.findall(other)
    is_same = [word.casefold() for word in words] == [word.casefold() for word in others]
    return is_same and _is_parted_otherwise(one, other, words)


def _is_parted_otherwise(one: str, other: str, words: list[str]) -> bool:
    mine, theirs = _parted(one), _parted(other)
    for at in range(1, len(words)):
        before, word = words[at - 1], words[at]
        if mine[at] == theirs[at] or before.casefold() in _TITLES:
            continue
        if before.casefold() in _ANSWERS or word.casefold() in _RELATIVES:
            return True
        if word.endswith("ing") and len(word) >= _MIN_PARTICIPLE:
            return True
        is_named = word[0].isupper() and word.casefold() not in DATES
        if is_named and before[0].isupper() and before.casefold() not in DATES and at > 1:
            return True
        if is_named and len(words) - at <= _MAX_CALLED and all(each[0].isupper() for each in words[at:]):
            return True
    return False


def _parted(text: str) -> list[bool]:
    """For each word, whether a mark stands before it."""
    found, end = [], 0
    for match in _TOKEN.finditer(text):
        found.append(bool(_MARK.search(text, end, match.start())))
        end = match.end()
    return found
