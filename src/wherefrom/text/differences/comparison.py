"""Compares two nearly equal texts: do they differ in a number, a date, a negation or a name, or does one say more?

It errs on one side: what may be a difference is one, as a text is let go only if another says the same. What two texts
say of facts is compared in order, not as sets: "Ann owes Bob 5" is not "Bob owes Ann 5". Names are what has a capital
or stands in katakana; scripts without capitals or spaces do not show them, so there any word exchanged may be one.
What is not seen: an exchanged word of another kind ("a red car", "a fast car"), unless a list here has both, and names
in lower case in a text that has capitals elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.added_content import adds, adds_unspaced, changed, is_same_word
from wherefrom.text.differences.fact_words import Difference
from wherefrom.text.differences.unspaced_facts import unspaced_difference
from wherefrom.text.tokens import STOP_WORDS, UNSPACED, is_unspaced

# The marks of a word; with one of the first three it is a fact, whatever the other text says.
_NUMBER, _DATE, _NEGATION, _CAPITAL, _START, _SURE, _COMMON, _NOUN = (1 << bit for bit in range(8))
_FACT: Final = _NUMBER | _DATE | _NEGATION
# How a word is met before its neighbours are known: a date beside a number or after "in", a verb elsewhere.
_MAYBE: Final = 1 << 8
# From this bit on, the part that a Korean word plays by its particle.
_ROLE: Final = 9
_NAMED: Final = _CAPITAL | _SURE
# A word that begins a sentence without a capital has only the second of these.
_LOOSE: Final = _CAPITAL | _START
_OPENING: Final = _CAPITAL | _START | _COMMON | _FACT | _SURE
_WORD_LISTS: Final = {_MAYBE: known.MAYBE_DATES, _NEGATION: known.NEGATIONS, _DATE: known.DATES}
_MARK_OF: Final = {word: mark for mark, words in _WORD_LISTS.items() for word in words}
_KINDS: Final[dict[int, Difference]] = {_NUMBER: "number", _DATE: "date", _NEGATION: "negation", 0: "name"}

_MARKED: Final = "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff]"
_LETTERS: Final = f"(?:[A-Za-z]++|[^\\W\\d_{UNSPACED}]++|{_MARKED})++"
_SOLID: Final = f"[^\\W{UNSPACED}]"
_HANGUL: Final = "\u1100-\u11ff\uac00-\ud7af"
_CASED: Final = f"[^\\W\\d_{UNSPACED}]"
# A plain text: compiled at first use and kept by `re`, as importing must be quick.
_TOKEN: Final = (
    "(?s)"
    "([^\\w<>≤≥@#/~+\\-−±$€£¥₩%‰\\\\]*)(?:"  # what stands before
    f"({_LETTERS}(?:['’]{_LETTERS})?+)(?![\\w@/\\\\]|[.:][\\w/])"  # a word by itself
    "|(https?://[^\\s<>\"'、。]+|[\\w.+-]{1,64}@[\\w-]+(?:\\.[\\w-]+)+|[@#]\\w+"  # an address, a name of one's own
    "|(?<!\\w)[~.]{0,2}(?:/[\\w.@-]+){2,}|[A-Za-z]:\\\\\\S+|[A-Za-z][\\w-]{0,64}(?:/[\\w.-]{1,64}){1,16}\\.[a-z]\\w*"
    "|[A-Za-z][A-Za-z\\d_-]{0,64}(?:/[A-Za-z\\d_.-]{1,64}){1,16}"  # a path
    f"|{_CASED}{{2,}}(?:\\.[a-z][a-z0-9]+)+|{_CASED}{_SOLID}*[\\d_]{_SOLID}*|_+{_SOLID}+)"
    "|((?:(?<![\\w)\\]])[+\\-−±])?\\d+(?:[.,:/⁄]\\d+)*|[<>≤≥]=?(?=\\s?[\\d.])|[$€£¥₩](?=\\s?\\d)|[%‰])"  # a number
    f"|([apAP]\\.\\s?[mM]\\b|{_LETTERS}(?:['’]{_LETTERS})?+)"  # a word that touches something
    f"|([{known.HAN_NUMERALS}]+)|([{_HANGUL}]+)"
    f"|((?:(?:星期|礼拜|禮拜|[周週])[一二三四五六]|(?![{known.HAN_NUMERALS}{_HANGUL}])[{UNSPACED}])+)"
    "|(.))"
)
# A sentence begins after these; a title before a name does not end one.
_OPENS: Final = re.compile('[.!?…:;。！？\\n•*|]|["“«„「『([{]$|[^\\x00-\u2fff]')
_THOUSANDS: Final = re.compile(r"[+\-−±]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")

# Words this long that differ by two letters exchanged or one doubled are the same word.
_MIN_LONG_WORD: Final = 7


@dataclass(frozen=True, slots=True)
class Facts:
    """The part of a text that is compared: its words in order, folded, numbers as values, with marks; which of them are
    names by their form (sure) and which only begin a sentence (openers); the words it has of lists of opposites; its
    runs without spaces, a nought for each number; and whether it has no capital at all.
    """

    words: tuple[str, ...]
    marks: tuple[int, ...]
    sure: frozenset[str]
    openers: frozenset[str]
    sides: tuple[tuple[int, int], ...]
    unspaced: str
    plain: bool

    def marked(self) -> Iterator[tuple[str, int]]:
        """Each word with its marks."""
        return zip(self.words, self.marks, strict=True)

    def starts(self) -> list[bool]:
        """For each word, whether a sentence begins with it."""
        return [bool(mark & _START) for mark in self.marks]

    def of_kind(self, kind: Difference) -> tuple[str, ...]:
        """The words that state facts of a kind: numbers, dates, negations or names."""
        bit = next((bit for bit, name in _KINDS.items() if bit and name == kind), 0)
        named = frozenset[str]() if bit else self.sure | self.openers
        return tuple(word for word, mark in self.marked() if mark & bit or word in named)


def facts_of(text: str) -> Facts:
    """The facts of a text, to compare with those of others."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    surely = 0 if plain.isascii() or not is_unspaced(plain) else _SURE
    words: list[str] = []
    marks: list[int] = []
    runs: list[str] = []
    gaps, start = "", True
    for gap, word, identifier, number, part, numeral, hangul, run, other in re.findall(_TOKEN, plain):
        if other or run:
            gaps += gap + other
            runs.append(run)
            continue
        gap, gaps = gaps + gap, ""
        if number or numeral:
            words.append(known.han_value(numeral) if numeral else _value(number, gap))
            marks.append(_NUMBER)
            runs.append("0")
            start = False
            continue
        if gap != " " and words and _OPENS.search(gap):
            abbreviated = words[-1] in known.TITLES or (len(words[-1]) == 1 and marks[-1] & _CAPITAL)
            start = not (gap[0] == "." and abbreviated)
        if word or part:
            folded, mark = _met(word or part)
            mark |= surely
        elif hangul:
            folded, mark = _hangul(hangul)
        else:
            folded, mark = identifier.rstrip(".,;:!?)").casefold(), _SURE | _CAPITAL
        # A word that is said twice is a slip, but not within another: great-great-aunt.
        is_part = gap == "-" or (gap != " " and not mark & _COMMON)
        if not words or folded != words[-1] or mark & _FACT or is_part:
            words.append(folded)
            marks.append(mark | _START if start else mark)
        start = False
    _settle_dates(words, marks)
    met = [*zip(words, marks, strict=True)]
    return Facts(
        tuple(words),
        tuple(marks),
        frozenset([word for word, mark in met if mark & _NAMED and _is_sure(word, mark)]),
        frozenset([word for word, mark in met if mark & _OPENING == _CAPITAL | _START]),
        tuple(sorted([known.SIDE_OF[word] for word in words if word in known.SIDE_OF])),
        "".join(runs).strip("0"),
        not any(map(_CAPITAL.__and__, marks)),
    )


def difference(one: Facts, other: Facts) -> Difference | None:
    """The kind of fact in which two texts differ; None if the other says all that the one says, as far as can be seen.

    one: the text that would go. "content": it says what the other does not say at all. The other may say more, as far
    as no number, date, negation or name is in it: in these four a difference is one in both directions.
    """
    if one.words == other.words and one.unspaced == other.unspaced:
        return "name" if _other_role(one, other) else None
    names = one.sure | other.sure | (one.openers & other.openers)
    names -= _lower(one, names) | _lower(other, names)
    mine, theirs = _sequence(one, names), _sequence(other, names)
    if mine != theirs:
        return _kind_of(mine, theirs)
    gone, come = {*one.words} - {*other.words}, {*other.words} - {*one.words}
    return (
        _opposite(one, other, gone, come)
        or unspaced_difference(one.unspaced, other.unspaced)
        or ("name" if _renamed(one, other, gone, come) or _moved(one, other) or _other_role(one, other) else None)
        or ("number" if _other_quantity(one, other, gone) or _other_quantity(other, one, come) else None)
        or ("content" if adds(one.words, other.words) or adds_unspaced(one.unspaced, other.unspaced) else None)
    )


def all_differences(one: Facts, other: Facts) -> tuple[Difference, ...]:
    """All kinds of facts in which two texts differ in either direction; without any, none is found by `difference`."""
    names = one.sure | other.sure | (one.openers & other.openers)
    names -= _lower(one, names) | _lower(other, names)
    mine, theirs = _sequence(one, names), _sequence(other, names)
    words = {bit: [[word for mark, word in side if mark == bit] for side in (mine, theirs)] for bit in _KINDS}
    found = dict.fromkeys(kind for bit, kind in _KINDS.items() if words[bit][0] != words[bit][1])
    kinds = (difference(one, other), difference(other, one))
    found |= dict.fromkeys(kind for kind in kinds if kind is not None and (kind != "content" or not found))
    return tuple(found)


def _value(number: str, gap: str) -> str:
    if not number.isascii():
        number = "".join(str(unicodedata.digit(c, c)) for c in number.replace("−", "-").replace("⁄", "/"))
    number = number.replace(",", "") if _THOUSANDS.fullmatch(number) else number
    return f".{number}" if gap.endswith(".") and number[0].isdigit() else number


@lru_cache(maxsize=65_536)
def _met(word: str) -> tuple[str, int]:
    """A word's folded form and the marks that it has wherever it stands."""
    folded = word.casefold().replace("’", "'")
    mark = _CAPITAL if word[0].isupper() else 0
    stem, apostrophe, ending = folded.partition("'")
    if apostrophe and ending in ("s", "m", "re", "ve", "ll", "d"):
        folded = stem
    if folded == "cannot" or folded in known.SHORT_NOTS or (apostrophe and folded.endswith("n't")):
        return "not", mark | _NEGATION | _COMMON
    if folded in known.NUMBERS:
        return known.NUMBERS[folded], mark | _NUMBER
    if folded[1:2] == "." and folded[0] in "ap":
        return f"{folded[0]}m", mark | _DATE
    mark |= _MARK_OF.get(folded, 0)
    if folded in known.USUAL:
        return folded, mark | _COMMON
    return folded, mark | (_SURE if word[1:] != word[1:].lower() else 0)


@lru_cache(maxsize=65_536)
def _hangul(word: str) -> tuple[str, int]:
    particle = known.KOREAN_PARTICLES.search(word)
    stem = word[: particle.start()] if particle else word
    role = known.KOREAN_ROLES.get(particle[0] if particle else "", known.NO_ROLE) << _ROLE
    noun = role | _NOUN if particle else role
    for form in (word, stem):
        if form in _MARK_OF:
            return form, role | _MARK_OF[form]
        if form in known.NUMBERS:
            return known.NUMBERS[form], role | _NUMBER
    if known.KOREAN_NOT.search(word):
        return stem, noun | _NEGATION
    if word in "한두세네":
        return stem, role | _NUMBER
    return stem, noun | (_NOUN if stem[-1] in "씨님" else 0)


def _settle_dates(words: list[str], marks: list[int]) -> None:
    """Mark the words that are dates by their neighbours: "in May", "May 5", "last week"; not "it may", "at last"."""
    for at in [at for at, mark in enumerate(marks) if mark & _MAYBE]:
        if words[at] in ("last", "next", "this", "previous"):
            dated = words[at + 1 : at + 2] and words[at + 1] in known.AFTER_LAST
        else:
            numbered = any(mark & _NUMBER for mark in marks[max(at - 1, 0) : at + 2])
            inside = marks[at] & (_CAPITAL | _START) == _CAPITAL
            dated = numbered or inside or (at > 0 and words[at - 1] in known.BEFORE_DATES)
        if dated:
            marks[at] |= _DATE


def _is_sure(word: str, mark: int) -> bool:
    if mark & _SURE:
        return True
    inside = mark & (_CAPITAL | _START | _FACT) == _CAPITAL
    return inside and (word not in STOP_WORDS or (len(word) == 1 and word not in "ai"))


def _lower(facts: Facts, names: frozenset[str]) -> set[str]:
    """The names that a text also writes without a capital, which makes them ordinary words."""
    return {word for word, mark in facts.marked() if word in names and not mark & _NAMED and word[0] != word[0].upper()}


def _sequence(facts: Facts, names: frozenset[str]) -> list[tuple[int, str]]:
    return [(mark & _FACT, word) for word, mark in facts.marked() if mark & _FACT or word in names]


def _kind_of(mine: list[tuple[int, str]], theirs: list[tuple[int, str]]) -> Difference:
    for bit, kind in _KINDS.items():
        if [word for mark, word in mine if mark == bit] != [word for mark, word in theirs if mark == bit]:
            return kind
    # The same facts in another order: what is denied, dated or counted is another.
    first, second = next(pair for pair in zip_longest(mine, theirs, fillvalue=(0, "")) if pair[0] != pair[1])
    return next(kind for bit, kind in _KINDS.items() if bit in (first[0], second[0]))


def _opposite(one: Facts, other: Facts, gone: set[str], come: set[str]) -> Difference | None:
    """The kind of an opposite: a word of one side of a list for one of another side, or a word with another prefix."""
    if one.sides != other.sides:
        mine, theirs = Counter(one.sides), Counter(other.sides)
        groups = {group for group, _ in mine - theirs} & {group for group, _ in theirs - mine}
        if groups:
            return known.GROUPS[min(groups)][0]
    return "negation" if gone and come and known.without_prefixes(gone) & known.without_prefixes(come) else None


def _renamed(one: Facts, other: Facts, gone: set[str], come: set[str]) -> bool:
    """True if a word that came or went is a name, though its form does not say so."""
    if _hidden(one, gone, other.plain) and _hidden(other, come, one.plain):
        return True
    for facts, others, words, instead in ((one, other, gone, come), (other, one, come, gone)):
        if any(mark & _NOUN and word in words for word, mark in facts.marked()):
            return True
        if not all(_slipped(word, facts, others, instead) for word in facts.openers & words):
            return True
    return False


def _hidden(facts: Facts, words: set[str], plain: bool) -> bool:
    """True if one of these words may be a name, because nothing in these texts has a capital or its script has none."""
    return any((plain and facts.plain) or word[0].upper() == word[0].lower() for word in words - known.USUAL)


def _slipped(word: str, facts: Facts, other: Facts, instead: set[str]) -> bool:
    """True if a word that begins a sentence is no name but was misspelt or left out in the other text."""
    if any(_is_slip(word, other_word) for other_word in instead):
        return True
    if other.plain:
        return False
    loose, others_loose = (sum(mark & _LOOSE == _START for mark in some.marks) for some in (facts, other))
    at = facts.words.index(word)
    before, after = ("", *facts.words)[at], (*facts.words, "")[at + 1]
    # A sentence of the other text that begins beside the same neighbour.
    return any(
        mark & _START
        and (previous == before or here == after)
        and (_is_slip(word, here) or (others_loose > loose and not mark & _CAPITAL))
        for previous, (here, mark) in zip(("", *other.words), other.marked(), strict=False)
    )


def _is_slip(word: str, other: str) -> bool:
    """True if a word is another one with a slip in it, and not a name like it: Jon and Joan, Johnson and Johnston."""
    mine, theirs = changed(word, other)
    least, rest, changed_letters = min(len(word), len(other)), mine + theirs, max(len(mine), len(theirs))
    if changed_letters <= 2 and (mine == theirs[::-1] or (len(rest) == 1 and rest * 2 in word + " " + other)):
        return other in known.USUAL or least >= _MIN_LONG_WORD
    return changed_letters == 1 and other in known.USUAL and least >= _MIN_LONG_WORD - 2


def _moved(one: Facts, other: Facts) -> bool:
    """True if two words changed places that are no neighbours: who bit whom; or a negation moved past a word."""
    row, instead = changed(one.words, other.words)
    places = _places(instead)
    pairs = [(at, places[word]) for word, at in _places(row).items() if word in places]
    if all(first[1] < second[1] for first, second in pairwise(pairs)):
        return False
    denied = {word for facts in (one, other) for word, mark in facts.marked() if mark & _NEGATION}
    furthest, behind = -1, 0
    for at, place in pairs:
        while pairs[behind][0] <= at - 2:
            furthest = max(furthest, pairs[behind][1])
            behind += 1
        if furthest >= place + 2:
            return True
        if row[at] in denied and any(
            (at < my) != (place < their) and max(abs(at - my), abs(place - their)) > 1 for my, their in pairs
        ):
            return True
    return False


def _places(words: tuple[str, ...]) -> dict[str, int]:
    """The places of the words that occur only once, in order; an article may stand anywhere."""
    counts = Counter(words)
    return {word: at for at, word in enumerate(words) if counts[word] == 1 and word not in known.ARTICLES}


def _other_role(one: Facts, other: Facts) -> bool:
    """True if a Korean word has a particle in the other text that gives it another part."""
    if max(one.marks, default=0) >> _ROLE == 0:
        return False
    roles: tuple[dict[str, list[int]], ...] = (defaultdict(list), defaultdict(list))
    for facts, found in zip((one, other), roles, strict=True):
        for word, mark in facts.marked():
            if role := mark >> _ROLE:
                found[word].append(role)
    mine, theirs = roles
    return any(not role & their for word in mine for role, their in zip(mine[word], theirs[word], strict=False))


def _other_quantity(facts: Facts, other: Facts, gone: set[str]) -> bool:
    """True if the other text has another word in the place of "all" or "only": "all guests", "new guests"."""
    for word in gone & known.QUANTITIES:
        at = facts.words.index(word)
        beside = facts.words[at - 1 : at] + facts.words[at + 1 : at + 2]
        for before, here, after in zip(other.words, other.words[1:], other.words[2:], strict=False):
            same = known.SIDE_OF.get(word, word) == known.SIDE_OF.get(here, here) or is_same_word(word, here)
            if (before, after) == beside and here not in STOP_WORDS and not same:
                return True
    return False
