"""Evens out how two nearly equal texts are written, so that only what they say is compared: spellings, slips of the
fingers, words in kana that the other has in kanji.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import Final

from wherefrom.text.differences.kana_readings import reads_alike
from wherefrom.text.differences.notation import in_one_notation, in_same_compounds
from wherefrom.text.differences.slips import Vocabulary, is_slip
from wherefrom.text.differences.spellings import spelled
from wherefrom.text.differences.unspaced_words import (
    in_one_writing,
    is_slip_in_katakana,
    plain_katakana,
    without_fillers,
)
from wherefrom.text.tokens import UNSPACED, is_unspaced

# A word by itself, and not a part of an address, a path or a code.
_WORD: Final = re.compile(
    f"(?<![\\w@/\\\\.#'’-])[^\\W\\d_{UNSPACED}]+(?:['’](?!s\\b)[^\\W\\d_{UNSPACED}]+)?(?![\\w@/\\\\-]|[.:][\\w/])"
)
_LETTER: Final = re.compile("[a-zA-Z]")
# An article says nothing, but for these: few guests, a few guests.
_A_FEW: Final = re.compile(r"\b[Aa] (few|little)\b")
_HAS_GOT: Final = re.compile(r"\b(has|have|'s|'ve) got\b(?! to\b)")
_SPACE: Final = re.compile(f"(?<=[{UNSPACED}、。]) +(?=[{UNSPACED}、。])")
_THOUSANDS: Final = re.compile(f"(?<=\\d),(?=\\d{{3}}[{UNSPACED}])")
_KANJI: Final = re.compile("[\u3400-\u9fff々]+")
_ENDING: Final = re.compile("[\u3400-\u9fff々][いえきぎけげしじせちてびべみめりれ]")
_LONG_KATAKANA: Final = re.compile("[\u30a1-\u30fc]{6,}")
# Kana or kanji behind which a word goes on, rather than a particle.
_WITHIN: Final = re.compile("[っいんしてれけりるきえ\u3400-\u9fff々\u30a1-\u30fc]")
_MAX_SWAPPED: Final = 3
# Texts that differ in more words, or are longer, are not evened out.
_MAX_WORDS, _MAX_CHARACTERS = 12, 1_500
# Behind kana, these make a verb of it, and of another kana another verb: 降りる, 降る.
_OF_VERB: Final = re.compile("[るたまなてんれらろうくぐすつぬぶむ]")
# Characters between two stretches that may be one word.
_MAX_BETWEEN: Final = 2

_Stretch = tuple[int, int, int, int]


def evened(one: str, other: str, vocabulary: Vocabulary | None) -> tuple[str, str]:
    """Two texts, each word that both have in two spellings in one of these. Without a vocabulary slips stay."""
    if one == other:
        return one, other
    texts = (one, other)
    if not (one.isascii() and other.isascii()):
        texts = without_fillers(_plain(one), _plain(other))
        if max(map(len, texts)) <= _MAX_CHARACTERS and is_unspaced(texts[0]) and is_unspaced(texts[1]):
            texts = _in_one_script(*texts), texts[1]
    mine, theirs = (_respelled(text) for text in _in_one_case(*texts))
    if mine == theirs or not (_LETTER.search(mine) and _LETTER.search(theirs)):
        return mine, theirs
    words, others = _each_word(mine), _each_word(theirs)
    if sorted(words) != sorted(others):
        if vocabulary is not None:
            mine, theirs = _parted(mine, theirs, vocabulary), _parted(theirs, mine, vocabulary)
            mine, theirs = _without_slips(mine, theirs, vocabulary)
        mine, theirs = in_same_compounds(mine, theirs), in_same_compounds(theirs, mine)
    return in_one_notation(mine), in_one_notation(theirs)


def _in_one_case(mine: str, theirs: str) -> tuple[str, str]:
    """Two texts; one that has nothing but capitals is written as the other one."""
    if mine.isupper() == theirs.isupper():
        return mine, theirs
    if theirs.isupper():
        theirs, mine = _in_one_case(theirs, mine)
        return mine, theirs
    known = {match[0].upper(): match[0] for match in _WORD.finditer(theirs)}
    return _WORD.sub(lambda match: known.get(match[0], match[0]), mine), theirs


@lru_cache(maxsize=1_024)
def _plain(text: str) -> str:
    return in_one_writing(plain_katakana(_THOUSANDS.sub("", _SPACE.sub("", unicodedata.normalize("NFKC", text)))))


@lru_cache(maxsize=1_024)
def _respelled(text: str) -> str:
    return _HAS_GOT.sub(r"\1", _A_FEW.sub(r"some \1", _WORD.sub(_respelled_word, text)))


def _respelled_word(match: re.Match[str]) -> str:
    word = match[0].casefold()
    return _with_case(form, match[0]) if (form := spelled(word)) != word else match[0]


def _with_case(form: str | None, word: str) -> str:
    if form is None:
        return word
    return form[:1].upper() + form[1:] if word[:1].isupper() else form


def _without_slips(mine: str, theirs: str, vocabulary: Vocabulary) -> tuple[str, str]:
    """Two texts with the words as they were meant that are slips of words of the other."""
    words, others = _words(mine), _words(theirs)
    gone, come = (
        Counter(one) - Counter(two)
        for one, two in ((_each_word(mine), _each_word(theirs)), (_each_word(theirs), _each_word(mine)))
    )
    if not gone or not come or max(len(gone), len(come)) > _MAX_WORDS:
        return mine, theirs
    found: tuple[dict[str, str], dict[str, str]] = {}, {}
    meant: set[str] = set()
    for word in sorted(gone):
        slips = [
            each
            for each in come
            if is_slip(word, each, vocabulary, is_name=words.get(word, False) or others.get(each, False))
        ]
        if len(slips) == 1 and slips[0] not in meant:
            meant.add(slips[0])
            is_mine = vocabulary.count_uses(word) <= vocabulary.count_uses(slips[0])
            found[not is_mine][word if is_mine else slips[0]] = slips[0] if is_mine else word
    return _as_meant(mine, found[0]), _as_meant(theirs, found[1])


def _as_meant(text: str, meant: Mapping[str, str]) -> str:
    return _WORD.sub(lambda match: _with_case(meant.get(match[0].casefold()), match[0]), text) if meant else text


def _each_word(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


def _parted(text: str, other: str, vocabulary: Vocabulary) -> str:
    """A text with a space in each word that is none, and that is two words of the other: "soaktest", "soak test"."""
    found = [match[0].casefold() for match in _WORD.finditer(other)]
    pairs = {first + second: len(first) for first, second in pairwise(found)}

    def parted(match: re.Match[str]) -> str:
        word = match[0].casefold()
        at = 0 if word in found or word not in pairs or vocabulary.is_word(word) else pairs[word]
        return f"{match[0][:at]} {match[0][at:]}" if at else match[0]

    return _WORD.sub(parted, text)


def _words(text: str) -> Mapping[str, bool]:
    """The words of a text in lower case, and whether each may be a name: it never has a small letter."""
    found: dict[str, bool] = {}
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        found[word] = match[0][:1].isupper() and found.get(word, True)
    return found


def _in_one_script(mine: str, theirs: str) -> str:
    """The first text with words as the second writes them, where both read alike."""
    parts, end = [], 0
    for at in _stretches(mine, theirs):
        start, stop, other_start, other_stop = at
        parts += [mine[end:start], theirs[other_start:other_stop] if _is_same(mine, theirs, at) else mine[start:stop]]
        end = stop
    return "".join((*parts, mine[end:]))


def _is_same(mine: str, theirs: str, at: _Stretch) -> bool:
    start, stop, other_start, other_stop = at
    return (
        reads_alike(mine[start:stop], theirs[other_start:other_stop])
        or _is_slip(mine, theirs, at)
        or _is_swapped(mine, theirs, at)
        or (
            _is_ending(mine[start:stop], theirs[other_start:other_stop])
            and not _OF_VERB.match(mine, stop)
            and not _OF_VERB.match(theirs, other_stop)
        )
    )


def _stretches(mine: str, theirs: str) -> Iterator[_Stretch]:
    """Where two texts differ; neighbours that only read alike together are one: 申込, 申し込み."""
    found: list[_Stretch] = []
    for kind, start, stop, other_start, other_stop in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace" and start and other_start and _KANJI.fullmatch(mine[start - 1]):
            # An ending that only one has belongs to the character before.
            start, other_start = start - 1, other_start - 1
        at = start, stop, other_start, other_stop
        if (
            found
            and start - found[-1][1] <= _MAX_BETWEEN
            and not (_is_same(mine, theirs, found[-1]) and _is_same(mine, theirs, at))
        ):
            both = found[-1][0], stop, found[-1][2], other_stop
            if _is_same(mine, theirs, both):
                found[-1] = both
                continue
        found.append(at)
    yield from found


def _is_swapped(mine: str, theirs: str, at: _Stretch) -> bool:
    """True if neighbours within a long word in katakana changed places."""
    start, stop, other_start, other_stop = at
    here, there = mine[start:stop], theirs[other_start:other_stop]
    if not (start and _WITHIN.match(mine[start - 1]) and 1 < len(here) <= _MAX_SWAPPED and here != there):
        return False
    if sorted(here) != sorted(there):
        return False
    return any(found.start() < start < found.end() for found in _LONG_KATAKANA.finditer(mine))


def _is_ending(one: str, other: str) -> bool:
    """True if a character of a compound has its ending in kana in one of two texts only: 受け取り, 受取り."""
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and long[:-1] == short and bool(_ENDING.fullmatch(long))


def _is_slip(mine: str, theirs: str, at: _Stretch) -> bool:
    """True if a character of a word in katakana was left out in one of two texts."""
    start, stop, other_start, other_stop = at
    here, there = mine[start:stop], theirs[other_start:other_stop]
    if here and there:
        return False
    return is_slip_in_katakana(here, mine, start) if here else is_slip_in_katakana(there, theirs, other_start)
