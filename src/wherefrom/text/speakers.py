"""Tells if a question names a speaker: by any word of the name, or in scripts without spaces by a part of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Final

from wherefrom.text.tokens import STOP_WORDS, UNSPACED, folded

_WORD: Final = re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}]+")
_UNSPACED_RUN: Final = re.compile(f"[{UNSPACED}]+")
_MIN_LETTERS: Final = 2


def named_in(question: str) -> Callable[[str], bool]:
    """Return a function that is true for the speakers whom a question names.

    A name has words of two letters or more; one of them in the question is enough, in capitals or not, also as a
    possessive (Anna's). A name in a script without spaces stands anywhere in the question. A name that is also one of
    the most common words (Will) must be written in the same way.
    """
    plain, as_written = _plain(question), set(_WORD.findall(unicodedata.normalize("NFC", question)))
    words = set(_WORD.findall(plain))

    @cache
    def names(speaker: str) -> bool:
        parts = [part for part in _WORD.findall(_plain(speaker)) if len(part) >= _MIN_LETTERS]
        telling = [part for part in parts if part not in STOP_WORDS]
        if not telling:
            return bool(parts) and as_written.issuperset(_WORD.findall(unicodedata.normalize("NFC", speaker)))
        return any(part in plain if _UNSPACED_RUN.fullmatch(part) else part in words for part in telling)

    return names


def _plain(text: str) -> str:
    """A text in small letters and without accents; marks of scripts other than Latin, Greek and Cyrillic stay."""
    apart = unicodedata.normalize("NFD", folded(text))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f"))
