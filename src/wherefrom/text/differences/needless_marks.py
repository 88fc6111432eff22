"""Tells which marks of a text say nothing: some commas, and the bullets or numbers of a list."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wherefrom.text.differences.fact_words import NEGATIONS

_NUMBERED: Final = re.compile(r"\s*(\d{1,2})[.)]\s+")
_BULLETED: Final = re.compile(r"\s*[-–—*•·]\s+")
# Before these a comma says nothing, nor behind what such a word opens.
_JOINING: Final = frozenset(("and", "but", "so", "because"))
_OPENING: Final = frozenset(
    "in on at by after before during since from until every this next last today tomorrow yesterday tonight now".split()
)
# So many words of a sentence at most stand before such a comma.
_MAX_OPENING: Final = 6
# Beside these a comma may tell what is meant by them.
_BOUND: Final = NEGATIONS | frozenset("if unless when only except while until or nor whether than".split())


def needless_commas(words: Sequence[str]) -> frozenset[int]:
    """The places of the commas of a sentence, in small letters, that say nothing: before "and", "but", "so" or
    "because", and behind "On Monday" at its beginning, unless between numbers. None if it denies something or names a
    condition.
    """
    if not _BOUND.isdisjoint(words):
        return frozenset()
    places = {at - 1 for at, word in enumerate(words) if word in _JOINING and at and words[at - 1] == ","}
    if words and words[0] in _OPENING and "," in words[:_MAX_OPENING]:
        at = words.index(",")
        if not any(word[:1].isdigit() for word in words[at - 1 : at + 2]):
            places.add(at)
    return frozenset(places)


def without_numbering(text: str) -> str:
    """A list without its bullets, or without its numbers if these count from one."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return text
    numbers = [int(found[1]) if (found := _NUMBERED.match(line)) else 0 for line in lines]
    start = next((at for at, number in enumerate(numbers) if number), len(lines))
    if len(lines) - start > 1 and numbers[start:] == [*range(1, len(lines) - start + 1)]:
        lines = [*lines[:start], *(_NUMBERED.sub("", line) for line in lines[start:])]
    return "\n".join(_BULLETED.sub("", line) for line in lines)
