"""The words of a short statement with their marks, and the statement as a value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from wherefrom.text.differences import exchange_words as lists
from wherefrom.text.differences import fact_words as known
from wherefrom.text.tokens import UNSPACED, folded, terms

# The marks of a word.
NUMBER, PERIOD, DAY, ROUTINE, CLOCK, IDENTIFIER, FUNCTION, VERB, NAME, QUALIFIER, BREAK, UNIT, UNSURE, VERB_LIKE = (
    1 << bit for bit in range(14)
)
DATE: Final = PERIOD | DAY | ROUTINE | CLOCK
VALUE: Final = NUMBER | DATE

_HAN: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA: Final = "\u30a0-\u30ff\u31f0-\u31ff"
_LETTER: Final = f"[^\\W\\d_{UNSPACED}]"
# A plain text: compiled at first use and kept by `re`, as importing must be quick.
TOKEN: Final = (
    "(`[^`]*`|https?://\\S+|www\\.\\S+|[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+|[@#]\\w+|[A-Za-z]:\\\\\\S+|~?\\.{0,2}(?:/[\\w.@-]+)+"
    "|[A-Za-z][\\w.-]*(?:/[\\w.-]+)+|\\w+\\(\\)|[A-Za-z]\\w*(?:::|->)\\w+"
    f"|{_LETTER}+-\\d[\\w-]*|{_LETTER}{{2,}}(?:\\.[a-z][a-z0-9]+)+|(?![vV]\\d){_LETTER}[^\\W{UNSPACED}]*[\\d_][^\\W{UNSPACED}]*"
    "|[0-9a-f]*\\d[0-9a-f]*[a-f][0-9a-f]{5,}|_+\\w+)"  # an identifier
    "|([$€£¥₩]?\\s?[vV]?[+\\-−±]?\\d+(?:[.,:/\\-]\\d+)*)"  # a number
    f"|([%€£¥₩$]|{_LETTER}+(?:['’\\-]{_LETTER}+)*)"  # a word
    f"|([{_HAN}]+|[{_KATAKANA}]+|[\u3041-\u309f]+|[{UNSPACED}]+)"  # a run of one script
    "|([.!;。！；\\n](?!\\d)|[:=：、,，]|[-–—]>?\\s)"  # a mark between words
)
_YEAR: Final = re.compile("(?:19|20)\\d\\d")
_CLOCK: Final = re.compile(
    "\\d{1,2}:\\d{2}(?::\\d{2})?|\\d{4}-\\d{2}(?:-\\d{2})?|\\d{1,2}[./]\\d{1,2}[./](?:\\d{2,4})?"
)
_CODE: Final = re.compile("[a-z]+[A-Z]")
_THIRD_PERSON: Final = re.compile("[a-z]{3,}(?<![sui])s")
_POSSESSIVE: Final = re.compile("['’]s?$")


class Word(NamedTuple):
    """A word of a statement, folded, and its marks."""

    text: str
    marks: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A short statement, ready to be compared.

    words, marks: what it says, in order. behind: where its value may begin, behind the subject and its verb; 0 if
    there is no such place. script: how it is read (spaced, ja, zh, ko). title: its title, if that says more than the
    text. changes: it says that something holds now. planned: it says what is meant to be. negations: how often it
    denies something. stems: its words without endings, to compare it with its denial. head: the last word of its
    subject. single: its subject has one value, such as a price. named: its subject is a name alone, of which "is" can
    say anything. routine: it tells of something that is once a week.
    """

    words: tuple[str, ...]
    marks: tuple[int, ...]
    behind: int
    script: str
    title: str
    changes: bool
    planned: bool
    negations: int
    stems: tuple[str, ...]
    head: str
    single: bool
    named: bool
    routine: bool


Piece = list[tuple[str, int]]
"""Some words of a statement, with their marks."""


class Exchange(NamedTuple):
    """A stretch in which two statements differ: where it begins in both and ends in each, the words of each there, and
    all marks of these words together.
    """

    earlier: Statement
    later: Statement
    start: int
    end: int
    later_end: int
    mine: Piece
    theirs: Piece
    marks: int

    @classmethod
    def of(cls, earlier: Statement, later: Statement, start: int, end: int, later_end: int) -> Exchange:
        """Return the exchange at these places."""
        mine = [*zip(earlier.words[start:end], earlier.marks[start:end], strict=True)]
        theirs = [*zip(later.words[start:later_end], later.marks[start:later_end], strict=True)]
        marks = 0
        for _, mark in mine:
            marks |= mark
        for _, mark in theirs:
            marks |= mark
        return cls(earlier, later, start, end, later_end, mine, theirs, marks)

    @property
    def is_dated(self) -> bool:
        """True if there is a date, a weekday or a time among the words there."""
        return bool(self.marks & DATE)


@lru_cache(maxsize=16_384)
def word_of(word: str) -> Word:
    plain = _POSSESSIVE.sub("", word).lower()
    capital = word[:1].isupper()
    if plain in ("n't", "cannot") or plain.endswith(("n't", "n’t")) or plain in known.SHORT_NOTS:
        return Word("not", FUNCTION)
    if plain in lists.UNSURE and not (capital and plain in ("may", "will")):
        return Word(plain, UNSURE)
    if _CODE.match(word):
        return Word(plain, IDENTIFIER)
    marks = NAME if capital else 0
    if len(word) > 1 and word.isupper():
        return Word(plain, NAME)  # MIT is not the German "mit"
    if plain in lists.NUMBERS and plain not in lists.KINDS_OF_VALUES:
        return Word(lists.NUMBERS[plain], marks | NUMBER)
    for mark, words in (
        (VERB, lists.VERBS),
        (FUNCTION, lists.FUNCTION),
        (QUALIFIER, lists.QUALIFIERS),
        (DAY, lists.WEEKDAYS),
        (ROUTINE | DAY, lists.ROUTINE_DAYS),
        (UNIT, lists.UNITS),
    ):
        if plain in words and word != "Max":
            marks |= mark
    if plain in lists.MONTHS and (capital or plain not in ("may", "march", "mar")):
        marks |= PERIOD
    # A word in the form of a third person: whoever "seats 20" has a number behind it, and no other value.
    return Word(plain, marks or (VERB_LIKE if _THIRD_PERSON.fullmatch(word) else 0))


def identifier_of(text: str) -> Word:
    return Word(text.strip(".,;:!)").casefold(), IDENTIFIER)


def number_of(text: str) -> Word:
    plain = re.sub("[\\sv]", "", text.casefold())
    value = plain.replace(",", "") if re.fullmatch(r"\D?\d{1,3}(,\d{3})+", plain) else plain
    if _CLOCK.fullmatch(value):
        return Word(value, NUMBER | CLOCK)
    return Word(value, NUMBER | PERIOD if _YEAR.fullmatch(value) else NUMBER)


def told_title(title: str | None, text: str) -> str:
    """A title in one form; nothing if the text has all its words."""
    said = {*terms(text)}
    return "" if title is None or said.issuperset(terms(title)) else folded(title).strip()
