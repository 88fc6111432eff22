"""Tells whether two texts differ in their signs, which say something as words do."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

_WORD: Final = re.compile(r"[^\W_]+")
# What says something by a sign: a grade or blood type (A-), a language (C#), a box that is ticked.
_WRITTEN_SIGN: Final = re.compile(r"(?<=\w)-(?!\w)|(?<=\w)#|!=|\[[ xX]\]")
# Signs between two things say which of them is more, or where something goes: these do not change places.
_RELATION: Final = frozenset("<>=≠≤≥→←⇒⇐")
_ASCII_SIGN: Final = re.compile(r"[-+<>=~|#!\[]")
# Other words say the same as these.
_SPELLED_SIGN: Final = frozenset("°™®©")
# Units that are others in small letters: MW and mW, GB and Gb.
_CASED_UNIT: Final = re.compile(r"\d\s?([mM]g|[kmgtKMGT]?(?:[wW]h?|[bB](?:it)?(?:ps|/s)?|[vV]|[hH]z|[pP]a)|[mM])\b")


def has_other_signs(one: str, other: str) -> bool:
    """True if two texts differ in signs, in the case of a unit, or in what stands on which side of a sign."""
    signs, units, others = _signs(one), _CASED_UNIT.findall(one), _CASED_UNIT.findall(other)
    if signs != _signs(other) or (units != others and [*map(str.casefold, units)] == [*map(str.casefold, others)]):
        return True
    return not _RELATION.isdisjoint(signs) and _WORD.findall(one.casefold()) != _WORD.findall(other.casefold())


def _signs(text: str) -> list[str]:
    """The signs of a text that are no punctuation: arrows, emoji, stars, plus, and those that are written."""
    if text.isascii() and not _ASCII_SIGN.search(text):
        return []
    signs = [sign for sign in text if category(sign) in ("So", "Sm") and sign not in _SPELLED_SIGN]
    return signs + _WRITTEN_SIGN.findall(text)
