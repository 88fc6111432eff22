"""Finds the names that stand in a text, without knowing any beforehand: of people, places, works and things.

Where a script has capitals, a name is a row of one to seven words with capitals ("Ada Lovelace", "Bank of England").
Articles before it are left out. At the beginning of a sentence, where every word has a capital, one word is no name,
and a row of three counts with and without its first word; but what the whole text begins with may be one word. Months,
weekdays, headings and labels ("Key Points:") are no names. In scripts without spaces a name is what stands in the
brackets of a title (『源氏物語』), katakana with a dot in it or a longer run of it, and what an address follows
(田中さん).

A name is written as `text/names.py` writes titles: folded words, and a `^` before a single one with a capital.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from wherefrom.text.names import CAPITAL, words_of
from wherefrom.text.tokens import STOP_WORDS, UNSPACED

# Of one text; in a long list of names each says little.
MAX_NAMES: Final = 32
MAX_WORDS: Final = 7
_MAX_CHARACTERS: Final = 120
_MIN_CHARACTERS: Final = 3
_MAX_KEPT_NAMES: Final = 8_192
# How much of what stands before a name tells whether a sentence, a line or the text begins with it.
_LOOK_BACK: Final = 16

# Of Latin, Greek, Cyrillic and Armenian.
_CAPITALS: Final = "".join(filter(str.isupper, map(chr, range(0x557))))
_LETTER: Final = f"[^\\W_{UNSPACED}]"
_JOINING: Final = "(?:of|the|for|de|del|della|von|van|der|den|di|da|do|dos|du|la|le|el|al|bin|ibn|y|zu) "
# After an initial or a short form a full stop ends no sentence.
_SEAM: Final = r"(?:[ -]|(?<=[A-Z])\. |(?<=St)\. |(?<=Dr)\. |(?<=M[rst])\. |(?<=[JS]r)\. )"
_BEFORE_SENTENCE: Final = re.compile(r"(?:^|[.!?:;\n\"“”«»()\[\]*_#|>—–-])[\s\"“‘'«(\[*_>]*\Z")
_BEFORE_LINE: Final = re.compile(r"(?:^|\n)[ \t]*(?:[-*•]|\d+[.)])?[ \t*_]*\Z")
_BEFORE_TEXT: Final = " \n\t\"“‘'«([*_>"
_LABEL: Final = re.compile(r"[*_]*:")
_HEADING: Final = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
IN_NO_NAME: Final = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
    i'm i've i'll i'd ok okay yes oh hi hey hello thanks thank wow please sure however although though since despite
    born according later additionally furthermore moreover meanwhile therefore thus today yesterday tomorrow step steps
    example examples chapter section figure table part page note notes option question answer day week summary
    introduction conclusion overview appendix let it's that's there's here's what's don't can't
    """.split()  # noqa: SIM905  # a list of words is read as words
)
_IS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_QUOTED: Final = re.compile("[『《]([^『』《》。、，\\n]{2,24})[』》]")
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc]{2,}(?:[・=][\u30a1-\u30fa\u30fc]{2,})+|[\u30a1-\u30fa\u30fc]{5,}")
_IS_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc ]+")
_ADDRESSED: Final = re.compile(
    "([\u4e00-\u9fff々]{2,4})(?:さん|氏|くん|ちゃん)"
    "|([\uac00-\ud7af]{2,4}) ?씨(?=[가는를의와도께에]|[^\uac00-\ud7af]|$)"
)


def _patterns(capital: str, letter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds a row of words with capitals, and the words of such a row."""
    word = f"{capital}{letter}*(?:['’](?!s\\b){letter}+)*"
    row = re.compile(f"(?<!{letter})(?<!['’]){word}(?:{_SEAM}(?:{_JOINING}){{0,2}}{word})*")
    return row, re.compile(f"{letter}+(?:['’]{letter}+)*")


# In a text of ASCII the short list of letters finds the same in half the time.
_ROW, _WORD = _patterns(f"[{_CAPITALS}]", _LETTER)
_ASCII_ROW, _ASCII_WORD = _patterns("[A-Z]", "[A-Za-z0-9]")


class FoundName(NamedTuple):
    """A name in a text; begins: the text begins with it, so that it is what the text is about."""

    name: str
    begins: bool


def names_in(text: str) -> list[FoundName]:
    """The names that stand in a text, each once, in the order in which they come."""
    plain = unicodedata.normalize("NFKC", text)
    found: dict[str, bool] = {}
    marked = () if plain.isascii() or not _IS_UNSPACED.search(plain) else _by_marks(plain)
    for name, begins in (*_by_capitals(plain), *marked):
        if len(name) <= _MAX_CHARACTERS:
            found[name] = begins or found.get(name, False)
    return [FoundName(name, begins) for name, begins in found.items()][:MAX_NAMES]


def is_one_word(name: str) -> bool:
    """True if a name is one word, with a capital or in katakana: many things are called so."""
    return name.startswith(CAPITAL) or _IS_KATAKANA.fullmatch(name) is not None


def _by_capitals(plain: str) -> Iterator[tuple[str, bool]]:
    text = _HEADING.sub(lambda match: " " * len(match[0]), plain) if "#" in plain else plain
    rows, words_in = (_ASCII_ROW, _ASCII_WORD) if text.isascii() else (_ROW, _WORD)
    for row in rows.finditer(text):
        before = text[max(row.start() - _LOOK_BACK, 0) : row.start()]
        begins = row.start() <= _LOOK_BACK and not before.strip(_BEFORE_TEXT)
        if not begins and _LABEL.match(text, row.end()) and _BEFORE_LINE.search(before):
            continue
        opens = begins or _BEFORE_SENTENCE.search(before) is not None
        for words in _parted(words_in.findall(row[0])):
            for name in _names(words, opens=opens and not begins):
                yield name, begins
            opens = begins = False


def _parted(words: Sequence[str]) -> Iterator[list[str]]:
    """The words of a row, cut at those that are in no name; the first part may be empty."""
    part: list[str] = []
    for word in words:
        if word.casefold() in IN_NO_NAME or word == "I":
            yield part
            part = []
        else:
            part.append(word)
    yield part


def _names(words: list[str], *, opens: bool) -> Iterator[str]:
    """The names of one row of words; opens: a sentence opens with it, though not the text."""
    first, end = 0, len(words)
    while first < end and (words[first].casefold() in STOP_WORDS or words[first][0].islower()):
        first += 1
    while first < end and words[end - 1][0].islower():
        end -= 1
    telling = words[first:end]
    if len(telling) > MAX_WORDS or (len(telling) > 1 and all(map(_is_shouted, telling))):
        return
    folded = _folded(" ".join(telling))
    if len(folded) > 1:
        yield " ".join(folded)
    elif folded and len(folded[0]) >= _MIN_CHARACTERS and not (opens and first == 0):
        yield CAPITAL + folded[0]
    if opens and first == 0 and len(telling) > 2 and telling[1][0].isupper():
        yield " ".join(_folded(" ".join(telling[1:])))


@lru_cache(maxsize=_MAX_KEPT_NAMES)
def _folded(words: str) -> tuple[str, ...]:
    """The words of a name, folded. The names in the texts of one store come again and again."""
    return words_of(words).folded


def _is_shouted(word: str) -> bool:
    """True if a word is in capitals and no short form."""
    return len(word) > _MIN_CHARACTERS and word.isupper()


def _by_marks(plain: str) -> Iterator[tuple[str, bool]]:
    """Names by what stands around them, in scripts without spaces."""
    for pattern in (_QUOTED, _KATAKANA, _ADDRESSED):
        for match in pattern.finditer(plain):
            words = words_of(next(filter(None, match.groups()), match[0])).folded
            if len(words) > 1:
                yield " ".join(words), match.start() == 0
