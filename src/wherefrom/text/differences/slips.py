"""Tells a slip of the fingers from another word: "pasword" is no word, "causal" is one beside "casual".

A slip is one letter too few, too many or exchanged, or two neighbours that changed places; and it is no word, while
what it was meant to be is one. Two words that are known are two words.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

from typing import Final, Protocol

from wherefrom.text.differences.added_content import changed
from wherefrom.text.differences.fact_words import DATES, MAYBE_DATES


class Vocabulary(Protocol):
    """What is known of single words."""

    def is_word(self, word: str, /) -> bool:
        """Return True for a word, in lower case, that is known."""

    def count_uses(self, word: str, /) -> int:
        """Return how often a word, in lower case, is used; 0 for one that is not known."""


# Words that dictionaries lack and that are one letter away from another word.
_WORDS: Final = frozenset(
    """
    aise animalis apnoea attaches aurea bater chimaeric cohesin complexed corin deamination dopped ductal episomes fibre
    formylated gametocytaemia gametocytemia garde genotyped glycaemia glycaemic glycemia homologs hydroxymethyl
    hyperglycaemia hyperglycaemic hyperlipidemia hypoglycaemic influencer influencers ischaemic leukaemic maritima metre
    mumol programmes raion selectin statin statins striatum tech templated thalassaemia thalassemia transduces translit
    translocates trisphosphate upregulates voila
    """.split()
)
# Shorter words are another word too often, above all where one letter stands for another; so are names.
_MIN_SWAPPED, _MIN_LENGTH, _MIN_EXCHANGED, _MIN_NAME = 3, 4, 6, 9
# A word that is used as often is no name, though it has a capital at the beginning of a sentence.
_MIN_USUAL_USES: Final = 4_000
# Beside a word that is used as often, one that is not known at all is no other word.
_MIN_EVERYDAY_USES: Final = 1_000
# Letters that make another form of a word at its end.
_ENDINGS: Final = ("s", "d", "r")
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def is_slip(word: str, other: str, vocabulary: Vocabulary, *, is_name: bool = False) -> bool:
    """True if one of two words, in lower case, is the other one with a slip. is_name: they may be names, in which only
    two letters that changed places within nine or more are a slip.
    """
    longest = max(len(word), len(other))
    if longest < _MIN_SWAPPED or abs(len(word) - len(other)) > 1 or not (word + other).isalpha():
        return False
    mine, theirs = changed(word, other)
    rest = mine + theirs
    is_swap = len(mine) == 2 and mine == theirs[::-1]
    is_doubled = len(rest) == 1 and rest * 2 in f"{word} {other}"
    if not is_swap and (max(len(mine), len(theirs)) > 1 or longest < _MIN_LENGTH):
        return False
    # With an umlaut, written here as two letters, it is another word: schon, schoen.
    if rest == "e" and max(word, other, key=len)[_place(word, other) - 1] in "aou":
        return False
    is_within = word[0] == other[0] and word[-1] == other[-1]
    known = [_is_known(some, beside, vocabulary) for some, beside in ((word, other), (other, word))]
    if is_name and not _is_no_name(word, other, vocabulary, is_within=is_within):
        # Of two names that differ so, one is hardly ever another: "Margeurite". Greiner is not Griener.
        return is_swap and is_within and longest >= _MIN_NAME and sorted(mine) != ["e", "i"] and not all(known)
    uses = max(vocabulary.count_uses(word), vocabulary.count_uses(other))
    # Two words that are known are two words, and so are two of which none is known: names, medicines.
    if all(known) or not any(known) or (uses < _MIN_EVERYDAY_USES and DATES.isdisjoint((word, other))):
        return False
    # What differs at the end may be an ending.
    at_end = word.startswith(other) or other.startswith(word)
    # A letter before a word may make another one: reheat, preheat.
    if len(rest) == 1 and word[0] != other[0]:
        return False
    if at_end and rest in _ENDINGS:
        return False
    if is_swap or is_doubled:
        return True
    if len(mine) == len(theirs) and longest < _MIN_EXCHANGED:
        return is_within and (_are_neighbours(mine, theirs) or _is_repeated(word, other, vocabulary))
    return True


def _is_repeated(word: str, other: str, vocabulary: Vocabulary) -> bool:
    """True if the letter beside was typed again in the place of another: "florr", and the word is none."""
    at = _place(word, other)
    wrong, right = (word, other) if vocabulary.count_uses(word) < vocabulary.count_uses(other) else (other, word)
    is_none = not vocabulary.count_uses(wrong) and vocabulary.count_uses(right) >= _MIN_USUAL_USES
    return is_none and wrong[at] in (wrong[at - 1 : at], wrong[at + 1 : at + 2])


def _is_known(word: str, other: str, vocabulary: Vocabulary) -> bool:
    """True for a word that is known; beside a usual one by the dictionary, as a tokenizer has parts of words, too."""
    if word in _WORDS or vocabulary.count_uses(word):
        return True
    return vocabulary.is_word(word) and vocabulary.count_uses(other) < _MIN_USUAL_USES


def _is_no_name(word: str, other: str, vocabulary: Vocabulary, *, is_within: bool) -> bool:
    """True if one of two words with a capital is a date or a word that is used much."""
    if {word, other} & (DATES | MAYBE_DATES):
        return True
    return is_within and max(vocabulary.count_uses(word), vocabulary.count_uses(other)) >= _MIN_USUAL_USES


def _are_neighbours(one: str, other: str) -> bool:
    """True if two letters are beside each other on a keyboard."""
    (row, at), (other_row, other_at) = (
        next(((row, keys.index(key)) for row, keys in enumerate(_ROWS) if key in keys), (9, 0)) for key in (one, other)
    )
    return max(row, other_row) < len(_ROWS) and abs(row - other_row) <= 1 and abs(at - other_at) <= 1


def _place(word: str, other: str) -> int:
    """Where two words begin to differ."""
    return next(
        (at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), len(min(word, other))
    )
