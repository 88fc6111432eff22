"""Compares titled texts: titles apart from bodies, as a title may be worded anew without stating anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wherefrom.text.differences.added_content import changed, is_same_word
from wherefrom.text.differences.comparison import Facts, difference, facts_of
from wherefrom.text.differences.fact_words import USUAL, Difference
from wherefrom.text.differences.slips import Vocabulary, is_ordinary
from wherefrom.text.tokens import STOP_WORDS, folded

# Words that begin with so many of the same letters and end in these are forms of one word: deploy, deployment.
_MIN_STEM: Final = 4
_ENDINGS: Final = frozenset(
    ("", "s", "es", "e", "ed", "d", "ing", "ment", "ments", "er", "ers", "or", "ion", "ions", "al", "ly", "y", "ies")
)
_NO_HIRAGANA: Final = re.compile("[^\u3040-\u309f]+")
# How many of the words that only one text has are compared with those of the other for slips.
_MAX_COMPARED: Final = 50
# Two bodies under titles say the same only if the one that stays has at least so much of the other's words.
_LEAST_SHARE: Final = 0.5
# A body of so many words that say something needs no title to say what it is about.
_MIN_TOLD: Final = 6


def titles_difference(one: tuple[str | None, str], other: tuple[str | None, str]) -> Difference | None:
    """The kind of fact in which the titles of two texts, each given with its body, differ: a number, a date, a negation
    or a name. None if one has no title, or if they differ in wording alone.

    Capitals in a title say little, so that a word is taken for a name unless it is a usual one, stands in a text in
    lower case, or is a form of a word of the other title. A name that only one title has does not count if the body of
    the other has it; two names that are exchanged always do.
    """
    if not one[0] or not other[0] or folded(one[0]) == folded(other[0]):
        return None
    mine, theirs = facts_of(one[0]), facts_of(other[0])
    for first, second in ((mine, theirs), (facts_of(one[0].lower()), facts_of(other[0].lower()))):
        if (kind := difference(first, second)) in ("number", "date", "negation"):
            return kind
    bodies = facts_of(one[1]), facts_of(other[1])
    ordinary = _in_lower_case(one[1]) | _in_lower_case(other[1])
    gone, come = _names(mine, one[0], theirs, ordinary), _names(theirs, other[0], mine, ordinary)
    if gone and come:
        return "name"
    known = {*bodies[1].words} if gone else {*bodies[0].words}
    return "name" if not (gone | come) <= known or _renamed(mine, theirs, bodies) else None


def is_retitled(title: str, other: str, body: str, vocabulary: Vocabulary | None) -> bool:
    """True if one of two titles of a statement, or both, have nothing of their own beside the other and the body; what
    the other has must be a word that a vocabulary knows in lower case alone, or a form of one of the body.

    Only for titles that state the same numbers, dates and negations.
    """
    said = {*facts_of(body).words, *facts_of(body.lower()).words}
    mine, theirs = (facts_of(text) for text in (title, other))
    own = [
        {word for word in {*one.words} - known if not any(_is_akin(word, each) for each in known)}
        for one, known in ((mine, {*theirs.words} | said | USUAL), (theirs, {*mine.words} | said | USUAL))
    ]
    han = [
        {word for word in _NO_HIRAGANA.findall(one.unspaced) if word not in two.unspaced and word not in body}
        for one, two in ((mine, theirs), (theirs, mine))
    ]
    if han[0] and han[1]:
        return False
    is_known = vocabulary is not None and all(is_ordinary(word, vocabulary) for word in own[0] | own[1])
    if own[0] and own[1]:
        # Two ways to name what the body tells in full; what they have in common would set the rest against each other.
        shared = {*mine.words} & {*theirs.words} - USUAL
        return is_known and not shared and sum(word not in USUAL for word in facts_of(body).words) >= _MIN_TOLD
    return is_known or not own[0] | own[1]


def body_difference(one: Facts, other: Facts) -> Difference | None:
    """As `difference`, for the bodies of titled texts: a short one is lost as well if the other lacks most of its
    words, however similar their titles make the whole.
    """
    return difference(one, other) or ("content" if word_share(one, other) < _LEAST_SHARE else None)


def word_share(one: Facts, other: Facts) -> float:
    """The share of the words of one text that the other has, in any order and with slips; of a text without spaces, of
    its pairs of characters. Range: [0, 1]; 1 for a text without words that say something.
    """
    mine, theirs = _told(one), _told(other)
    if not mine:
        return 1.0
    others = sorted(theirs - mine)[:_MAX_COMPARED]
    slips = sum(_is_slip_of_any(word, others) for word in sorted(mine - theirs)[:_MAX_COMPARED])
    return (len(mine & theirs) + slips) / len(mine)


def _is_slip_of_any(word: str, others: Sequence[str]) -> bool:
    # A word with a slip, or with another ending, begins or ends as it did; most pairs do neither.
    first, last = word[0], word[-1]
    return any(is_same_word(word, known) for known in others if known[0] == first or known[-1] == last)


def _told(facts: Facts) -> set[str]:
    pairs = {facts.unspaced[at : at + 2] for at in range(len(facts.unspaced) - 1)}
    return {word for word in facts.words if word not in STOP_WORDS} | pairs


def _in_lower_case(text: str) -> set[str]:
    """The words that a text writes without a capital, so that they are no names."""
    words = (word.strip(".,;:!?()[]\"'’“”") for word in text.split())
    return {word for word in words if word and word == word.lower()}


def _names(facts: Facts, title: str, other: Facts, ordinary: set[str]) -> set[str]:
    """The words of a title that the other title has in no form and that may be names."""
    plain = ordinary if title == title.lower() else ordinary | _in_lower_case(title)
    new = {*facts.words} - {*other.words} - USUAL - plain
    return {word for word in new if not any(_is_akin(word, known) for known in (*other.words, *ordinary))}


def _is_akin(word: str, other: str) -> bool:
    """True if two words are forms of one word, by their endings."""
    stem = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), None)
    stem = min(len(word), len(other)) if stem is None else stem
    ends = {word[stem:], other[stem:]}
    return (stem >= _MIN_STEM and ends <= _ENDINGS) or (stem == _MIN_STEM - 1 and ends == {"", "s"})


def _renamed(mine: Facts, theirs: Facts, bodies: tuple[Facts, Facts]) -> bool:
    """True if the titles differ in a part without spaces that may be a name: it is exchanged, or only one title has it
    and the body of the other does not.
    """
    if difference(_unspaced(mine), _unspaced(theirs)) is None:
        return False
    first, second = changed(mine.unspaced, theirs.unspaced)
    if first and second:
        return True
    said = bodies[1].unspaced if first else bodies[0].unspaced
    return any(word not in said for word in _NO_HIRAGANA.findall(first or second))


def _unspaced(facts: Facts) -> Facts:
    """The part of a text without spaces, by itself."""
    return Facts((), (), frozenset(), frozenset(), (), facts.unspaced, True)
