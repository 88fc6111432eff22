"""What a text says and a nearly equal one does not say at all: a sentence or a clause added or exchanged.

The two are laid side by side, each stretch that both have against the other; what is left over is new unless the
other text has it at the same place, in any order or with a slip. So a sentence is found even if each of its words
stands somewhere else in the other text. Single words that were left out or exchanged, here and there, add nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from wherefrom.text.tokens import STOP_WORDS

# So many new ones among so many that follow each other are something said.
_WORDS, _AMONG_WORDS = 3, 6
_CHARACTERS, _AMONG_CHARACTERS = 4, 8
# What ends both texts, twice, so that they always meet.
_END: Final = ("", "")
# With how many words of the other text a word is compared for slips.
_NEAR: Final = 16
_SHORTEST, _STEM, _ENDING = 3, 4, 3

_Text = TypeVar("_Text", str, tuple[str, ...])


def adds(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether some words, in order and folded, say what the others do not."""
    mine, theirs = changed(mine, theirs)
    told = [word for word in mine if word not in STOP_WORDS]
    if len(told) < _WORDS:
        return False
    return _adds(told, [word for word in theirs if word not in STOP_WORDS], _WORDS, _AMONG_WORDS)


def adds_unspaced(mine: str, theirs: str) -> bool:
    """The same of a text without spaces, by its characters."""
    mine, theirs = changed(mine, theirs)
    return len(mine) >= _CHARACTERS and _adds(mine, theirs, _CHARACTERS, _AMONG_CHARACTERS)


def changed(mine: _Text, theirs: _Text) -> tuple[_Text, _Text]:
    """What two texts have between their common beginning and end."""
    start, least = 0, min(len(mine), len(theirs))
    while start < least and mine[start] == theirs[start]:
        start += 1
    end = 0
    while end < least - start and mine[-1 - end] == theirs[-1 - end]:
        end += 1
    return mine[start : len(mine) - end], theirs[start : len(theirs) - end]


def is_same_word(word: str, other: str) -> bool:
    """Whether a word may be another one with a slip of one letter, or with another ending."""
    if min(len(word), len(other)) < _SHORTEST and not _is_hangul(word):
        return False
    mine, theirs = changed(word, other)
    if max(len(mine), len(theirs)) <= 1 or (len(mine) == 2 and mine == theirs[::-1]):
        return True
    shorter = min(len(word), len(other))
    stem = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    if _is_hangul(word):
        return 2 * stem >= shorter
    return stem >= _STEM and max(len(word), len(other)) - stem <= _ENDING


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
    """The stretches in which two texts differ: where it begins in the first, what that has there and what the other."""
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
    """Which of some words others do not say: not the same ones in any order, nor with slips."""
    said = Counter(come)
    new = []
    for place, word in enumerate(gone):
        if said[word]:
            said[word] -= 1
        else:
            new.append(place)
    left = [*said.elements()][:_NEAR]
    unsaid = []
    for place in new:
        same = next((word for word in left if is_same_word(gone[place], word)), None)
        if same is None:
            unsaid.append(place)
        else:
            left.remove(same)
    return unsaid
