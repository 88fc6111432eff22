"""Finds what a text says and a nearly equal one does not: a sentence or a clause added or exchanged.

The two are laid side by side, each stretch that both have against the other; what is left over is new unless the
other text has it at the same place, in any order or with a slip. So a sentence is found even if each of its words
stands somewhere else in the other text. Single words that were left out, here and there, add nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from wherefrom.text.tokens import STOP_WORDS

# New words that say something, and the number of neighbouring words they stand among; below, the same of characters.
_MIN_NEW_WORDS, _AMONG_WORDS = 3, 6
_MIN_NEW_CHARACTERS, _AMONG_CHARACTERS = 4, 8
# Two empty words are put at the end of both texts, so that the texts always meet there.
_END: Final = ("", "")
# The words of the other text with which a word is compared for slips.
_MAX_COMPARED: Final = 16
_MIN_WORD, _MIN_STEM, _MAX_ENDING = 3, 4, 3

_Text = TypeVar("_Text", str, tuple[str, ...])


def adds(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """True if some words, in order and folded, say something that other words do not say."""
    mine, theirs = changed(mine, theirs)
    told = [word for word in mine if word not in STOP_WORDS]
    others = [word for word in theirs if word not in STOP_WORDS]
    return len(told) >= _MIN_NEW_WORDS and _adds(told, others, _MIN_NEW_WORDS, _AMONG_WORDS)


def adds_unspaced(mine: str, theirs: str) -> bool:
    """True if a text without spaces says something that another does not say, by its characters."""
    mine, theirs = changed(mine, theirs)
    return len(mine) >= _MIN_NEW_CHARACTERS and _adds(mine, theirs, _MIN_NEW_CHARACTERS, _AMONG_CHARACTERS)


def changed(mine: _Text, theirs: _Text) -> tuple[_Text, _Text]:
    """The parts of two texts between their common beginning and end."""
    start, least = 0, min(len(mine), len(theirs))
    while start < least and mine[start] == theirs[start]:
        start += 1
    end = 0
    while end < least - start and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    return mine[start : len(mine) - end], theirs[start : len(theirs) - end]


def is_same_word(word: str, other: str) -> bool:
    """True if a word may be another one with a slip of one letter, or with another ending."""
    shorter, longer = (word, other) if len(word) < len(other) else (other, word)
    is_hangul = _is_hangul(word)
    if not is_hangul and (len(shorter) < _MIN_WORD or len(longer) - len(shorter) > _MAX_ENDING):
        return False
    stem = 0
    for mine, theirs in zip(word, other, strict=False):
        if mine != theirs:
            break
        stem += 1
    rest, others = shorter[stem:], longer[stem:]
    # One letter less, another one, or two that changed places.
    if rest == others[1:] or rest[1:] == others[1:] or (rest[:2] == others[1::-1] and rest[2:] == others[2:]):
        return True
    if is_hangul:
        return 2 * stem >= len(shorter)
    return stem >= _MIN_STEM and len(longer) - stem <= _MAX_ENDING


def _is_hangul(word: str) -> bool:
    return "가" <= word[:1] <= "힣"


def _adds(mine: Sequence[str], theirs: Sequence[str], enough: int, among: int) -> bool:
    new: list[int] = []
    for start, gone, come in _gaps((*mine, *_END), (*theirs, *_END)):
        for place in _unsaid(gone, come):
            at = start + place
            if mine[at] in mine[max(at - 2, 0) : at]:
                continue  # said twice
            new.append(at)
            if len(new) >= enough and new[-1] - new[-enough] < among:
                return True
    return False


def _gaps(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...], tuple[str, ...]]]:
    """Yields each stretch in which two texts differ: its place in the first text, and the words of each text there."""
    places: dict[tuple[str, str], list[int]] = {}
    for at, pair in enumerate(pairwise(theirs)):
        places.setdefault(pair, []).append(at)
    here = there = 0
    while here < len(mine) - len(_END):
        if mine[here] == theirs[there]:
            here, there = here + 1, there + 1
            continue
        # They meet at the two words that both have with the least between.
        least, meet = len(mine) + len(theirs), (here, there)
        for at in range(here, len(mine) - 1):
            if at - here >= least:
                break
            found = places.get((mine[at], mine[at + 1]), ())
            following = bisect_left(found, there)
            if following < len(found) and (between := at - here + found[following] - there) < least:
                least, meet = between, (at, found[following])
        yield here, mine[here : meet[0]], theirs[there : meet[1]]
        here, there = meet


def _unsaid(gone: tuple[str, ...], come: tuple[str, ...]) -> list[int]:
    """The places of the words of `gone` that `come` does not have, in any order or with slips."""
    said = Counter(come)
    new = []
    for place, word in enumerate(gone):
        said[word] -= 1
        if said[word] < 0:
            new.append(place)
    left = [*said.elements()][:_MAX_COMPARED]
    unsaid = []
    for place in new:
        if same := next((word for word in left if is_same_word(gone[place], word)), None):
            left.remove(same)
        else:
            unsaid.append(place)
    return unsaid
