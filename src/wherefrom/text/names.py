"""Finds the titles and entities that a text mentions, in any script.

A name is a row of words; in scripts without spaces each character is a word. Where several names fit, the longest
counts, also where it is the text's own (a text titled "John Smith Jr." does not mention "John Smith"). A name of one
word with a capital is found only where the text has a capital, too ("Apple" is not "an apple"), and is no part of a
longer name ("United" is not "United States"); it is kept with a `^`. Scripts without spaces hide where words end: a
name in katakana is not found inside a longer run of katakana, one in Hangul not after other Hangul (what follows may
be a particle), and in Japanese one of two Han characters not after another (京都 is not in 東京都).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from wherefrom.text.tokens import STOP_WORDS, UNSPACED

# Longer titles are sentences; nobody repeats them word by word.
_MAX_NAME_WORDS: Final = 16
_MIN_NAME_CHARACTERS: Final = 3
_MIN_UNSPACED_CHARACTERS: Final = 2
_WORD: Final = re.compile(f"[{UNSPACED}]|(?:[^\\W_{UNSPACED}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])+")
_IS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_KATAKANA: Final = re.compile("[\u30a0-\u30ff\u31f0-\u31ff]")
_KANA: Final = re.compile("[\u3040-\u30ff]")
_HANGUL: Final = re.compile("[\u1100-\u11ff\uac00-\ud7af]")
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# "Mercury (planet)", "東京（曖昧さ回避）": what stands in brackets tells names apart and is not said.
_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
CAPITAL: Final = "^"
_SEAMS: Final = {" ": " ", "-": "-", "": "-", "'": "-", "’": "-"}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, folded; for each, whether it has a capital, whether it touches the word before, and what
    joins it to that word: a space, a hyphen (or the like), or nothing of the kind.
    """

    folded: tuple[str, ...]
    capital: tuple[bool, ...]
    touches: tuple[bool, ...]
    joined: tuple[str, ...]

    def heads(self) -> set[str]:
        """The beginnings of all names that the text could mention: its words and its pairs of words."""
        return {*self.folded, *map(" ".join, pairwise(self.folded))}


def words_of(text: str) -> Words:
    """The words of a text."""
    plain = unicodedata.normalize("NFKC", text)
    found, capital, touches, joined, end = [], [], [], [], -1
    for match in _WORD.finditer(plain):
        word = match.group()
        found.append(word.casefold())
        capital.append(word[0].isupper())
        touches.append(match.start() == end)
        joined.append(_SEAMS.get(plain[end : match.start()], "") if end >= 0 else "")
        end = match.end()
    return Words(tuple(found), tuple(capital), tuple(touches), tuple(joined))


def names_of(title: str | None) -> tuple[str, ...]:
    """The names that a title stands for: itself, and itself without what it has in brackets at its end."""
    if title is None:
        return ()
    forms = (_name(title), _name(_BRACKETS.sub("", title)))
    return tuple(dict.fromkeys(name for name in forms if name is not None))


def names_in_any_case(title: str) -> tuple[str, ...]:
    """The names of a title, and of the same title with other capitals."""
    plain = dict.fromkeys(name.removeprefix(CAPITAL) for name in names_of(title))
    return *plain, *(CAPITAL + name for name in plain)


def head_of(name: str) -> str:
    """The first two words of a name, by which it is looked up."""
    return " ".join(_parts(name)[:2])


def phrase_of(name: str) -> str:
    """A name as a text writes it, to search for."""
    parts = _parts(name)
    return ("" if _IS_UNSPACED.match(parts[0]) else " ").join(parts)


def mentioned(words: Words, by_head: Mapping[str, Collection[str]], *, strict: bool = True) -> Iterator[str]:
    """The names that the text mentions, from left to right, the longest at each place; `by_head` holds those known.

    Not strict: a name of one word also where it has no capital, as in a question.
    """
    at, end = 0, len(words.folded)
    while at < end:
        first = words.folded[at]
        names = (*by_head.get(first, ()), *(by_head.get(f"{first} {words.folded[at + 1]}", ()) if at + 1 < end else ()))
        fitting = [name for name in names if _stands_at(name, words, at, strict=strict)]
        if longest := max(fitting, key=lambda name: len(_parts(name)), default=None):
            yield longest
        at += len(_parts(longest)) if longest else 1


def _name(title: str) -> str | None:
    words = words_of(title)
    if not words.folded or len(words.folded) > _MAX_NAME_WORDS:
        return None
    joined = "".join(words.folded)
    least = _MIN_UNSPACED_CHARACTERS if all(map(_IS_UNSPACED.match, words.folded)) else _MIN_NAME_CHARACTERS
    if len(joined) < least or joined.isnumeric() or all(word in STOP_WORDS for word in words.folded):
        return None
    return (CAPITAL if len(words.folded) == 1 and words.capital[0] else "") + " ".join(words.folded)


def _parts(name: str) -> list[str]:
    return name.removeprefix(CAPITAL).split(" ")


def _stands_alone(words: Words, at: int) -> bool:
    """True if a word has a capital and is no part of a longer name: "United" is not in "United States"."""

    def is_part(other: int, seam: int) -> bool:
        return bool(words.joined[seam]) and words.capital[other] and words.folded[other] not in STOP_WORDS

    # At the beginning of a sentence every word has a capital: there it says something only with a hyphen.
    before = at > 0 and is_part(at - 1, at) and (words.joined[at] == "-" or bool(words.joined[at - 1]))
    after = at + 1 < len(words.folded) and is_part(at + 1, at + 1)
    return words.capital[at] and not before and not after


def _stands_at(name: str, words: Words, at: int, *, strict: bool) -> bool:
    parts = _parts(name)
    end = at + len(parts)
    if words.folded[at:end] != tuple(parts):
        return False
    if strict and name.startswith(CAPITAL) and not _stands_alone(words, at):
        return False
    before = words.folded[at - 1] if words.touches[at] else ""
    after = words.folded[end] if end < len(words.folded) and words.touches[end] else ""
    if _KATAKANA.match(parts[-1]) and _KATAKANA.match(after):
        return False
    # In Chinese, which has no kana, names stand between other characters as a rule.
    han = (_HAN,) if len(parts) == _MIN_UNSPACED_CHARACTERS and any(map(_KANA.match, words.folded)) else ()
    scripts = (_KATAKANA, _HANGUL, *han)
    return not any(script.match(parts[0]) and script.match(before) for script in scripts)
