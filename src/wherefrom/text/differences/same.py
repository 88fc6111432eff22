"""Tells whether two statements say the same in other words, as metabolism does of copies, or in what kind of fact not.

`metabolism.bodies.Bodies` asks the same questions with the same functions, of many nodes at once. What stands under
other titles, greets or is signed by another, or has other signs says something else, however near its words are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from wherefrom.text.differences.comparison import difference, facts_of
from wherefrom.text.differences.courtesies import is_courtesy, without_courtesies, without_names
from wherefrom.text.differences.fact_words import Difference
from wherefrom.text.differences.restated import says_the_same
from wherefrom.text.differences.slips import Vocabulary
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.titled import are_apart, titles_difference
from wherefrom.text.tokens import STOP_WORDS, is_unspaced, text_of

# Texts that say the same have at least so much of the words of the longer one, in whatever order and spelling.
_LEAST_SHARE: Final = 0.4
_WORD: Final = re.compile(r"[^\W_]+")
# Numerals may be figures in the other text.
_KANJI: Final = re.compile("(?![〇一二三四五六七八九十百千万])[\u3400-\u9fff々]")
# The letters in which a word and a slip of it differ, and in how many words texts differ that are the same with slips.
_MAX_LETTERS, _MAX_OWN = 3, 12


@dataclass(frozen=True, slots=True)
class Said:
    """A statement without its courtesies: its title and body, the names of whom it greets and of who signed it, and the
    words of the body in one spelling; of a text without spaces, its characters.
    """

    title: str | None
    body: str
    names: tuple[str, ...]
    words: frozenset[str]


@lru_cache(maxsize=64)
def said(text: str, title: str | None = None) -> Said:
    """Return a statement ready to be compared for what it says."""
    signed, names = without_names(text)
    plain, more = without_names(without_courtesies(signed))
    body = without_courtesies(plain)
    return Said(title, body, names + more, words_of(body))


def words_of(text: str) -> frozenset[str]:
    """The words of a text in one spelling; of a text without spaces, its characters."""
    return frozenset(text if is_unspaced(text) else map(spelled, _WORD.findall(text.casefold())))


def may_say_the_same(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """True unless each of two texts, by their words, surely has one of its own: one that is no courtesy, and that no
    word of the other is another form of. Sorts out nearly all pairs before they are compared at length.
    """
    gone, come = mine - theirs, theirs - mine
    if len(mine) - len(gone) < _LEAST_SHARE * min(len(mine), len(theirs)):
        return False
    if len(gone) == len(come) == 1:
        (one,), (other,) = gone, come
        if one.isdecimal() and other.isdecimal():
            return int(one) == int(other)
    return not (_has_own(gone, come) and _has_own(come, gone))


def differs_in(one: Said, other: Said, vocabulary: Vocabulary | None) -> Difference | None:
    """The kind of fact in which two statements differ, in whichever direction; None if they say the same, in another
    spelling or order, with other courtesies, or with a slip as far as the vocabulary tells slips.
    """
    if one.names and other.names and one.names != other.names:
        return "name"
    known = vocabulary if vocabulary is not None and _may_be_slips(one.words, other.words) else None
    titled, others = (one.title, one.body), (other.title, other.body)
    if says_the_same(one.body, other.body, known) and not are_apart(titled, others):
        return None
    is_one_titled = bool(one.title) != bool(other.title)
    if is_one_titled and says_the_same(text_of(*titled), text_of(*others), known):
        return None
    return titles_difference(titled, others) or _difference(one.body, other.body)


def _difference(one: str, other: str) -> Difference:
    mine, theirs = facts_of(one), facts_of(other)
    return difference(mine, theirs) or difference(theirs, mine) or "content"


def _has_own(words: frozenset[str], others: frozenset[str]) -> bool:
    """True if one of the words that only one text has is no courtesy and no other form of one of the others: forms of a
    word begin with the same letter, or with two that changed places. In kanji, as each may have a reading in kana, any
    will do.
    """
    starts = {word[0] for word in others} | {word[1::-1] for word in others}
    return any(
        (word.isalpha() and word not in STOP_WORDS and starts.isdisjoint((word[0], word[:2])) and not is_courtesy(word))
        if len(word) > 1
        else bool(_KANJI.match(word))
        for word in words
    )


def _may_be_slips(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """True if words that only one text has are nearly the same: only then is it worth the time to read a dictionary."""
    gone, come = mine - theirs, theirs - mine
    return len(gone) + len(come) <= _MAX_OWN and any(_is_near(word, other) for word in gone for other in come)


def _is_near(word: str, other: str) -> bool:
    if word[0] != other[0] and word[:2] != other[1::-1]:
        return False
    letters, others = Counter(word), Counter(other)
    return ((letters - others) + (others - letters)).total() <= _MAX_LETTERS
