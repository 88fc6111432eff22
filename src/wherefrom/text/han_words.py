"""Tells a word of two Han characters from the same characters across the border of two other words.

京都 is a word in 京都市 and in 来週京都に; in 東京都 its characters only meet across the border of 東京 and 都. No
dictionary is at hand, so the run of Han characters around a place is cut into words in the cheapest way: most words
have two characters, and those of one character are particles, prefixes or suffixes. A place has the word unless a cut
through it is cheaper than every cut that leaves it whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_HAN: Final = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN: Final = re.compile(f"[{_HAN}]+")
_START_OF_RUN: Final = re.compile(f"[{_HAN}]*")
_END_OF_RUN: Final = re.compile(f"[0-9０-９]?[{_HAN}]*$")
# Characters of a run that are looked at on each side of a place.
_REACH: Final = 8
_PAIR: Final = 2

# Chinese particles, pronouns and conjunctions, which are words by themselves.
_PARTICLES: Final = frozenset("的了和与及或是在我你他她它这那也都就把被从跟让并而又很还再已将吧呢吗着说")
# Characters that stand before a word of two by themselves: 新会社, 各大学, 前社長; 去法国, 对中国.
_PREFIXES: Final = frozenset(
    "新旧各全同本前元両总総副超再未不無无非反最第毎每今昨来翌現现当初諸诸某約约老大小"
    "对去到给向为以于有要会能可没读看买做用叫请想一二三四五六七八九十百千万"
)
# Characters that stand after a word of two as a part of its own: 東京都, 登山口, 工程师.
_KINDS_OF_PLACES: Final = frozenset("都道府県县市区區町村郡州省駅站")
_SUFFIXES: Final = _KINDS_OF_PLACES | frozenset(
    "国國港山川河湖海島岛路街口者人員员長长部課课室局所署院館馆店屋社会會党軍军隊队校学學科系"
    "生師师士家手的性化率量力費费料品物器機机車车船線线法論论書书式型形金税権权点點地場场園园内外中上下前後后間间時时年月日"
    "期代度用製制产産業业団团組组氏様君们証证票表集案賞奖展版号級级層层類类種种"
)

_PAIR_COST: Final = 1.0
_AFFIX_COST: Final = 0.7
_PARTICLE_COST: Final = 0.5
# Particles are seldom a part of words of two characters.
_PAIR_WITH_PARTICLE_COST: Final = 1.3
_SINGLE_COST: Final = 1.3
# The least by which a cut through the word must be cheaper to count: more than a rounding error.
_MARGIN: Final = 1e-9
_DIGITS: Final = frozenset("0123456789０１２３４５６７８９")
_NEVER: Final = 100.0


@dataclass(frozen=True, slots=True)
class Flank:
    """A word of two characters beside a border.

    word: the word on one side of the border (東京).
    across: that word with the one character beyond the border (東京都).
    is_place: that character names a kind of place (都, 市).
    """

    word: str
    across: str
    is_place: bool = False


def short_words(question: str) -> list[str]:
    """The words of two Han characters in a folded question: runs of exactly two."""
    return list(dict.fromkeys(run for run in _RUN.findall(question) if len(run) == _PAIR))


def crossings(word: str, text: str) -> list[tuple[Flank, ...]]:
    """For each place where a text has a word's characters only across a border, the words beside the border. Empty
    if the text has the word itself anywhere.
    """
    found = []
    at = text.find(word)
    while at >= 0:
        before = _END_OF_RUN.search(text[max(0, at - _REACH) : at])
        after = _START_OF_RUN.match(text[at + _PAIR : at + _PAIR + _REACH])
        left, right = before.group() if before else "", after.group() if after else ""
        flanks = _flanks(left + word + right, len(left))
        if flanks is None:
            return []
        found.append(flanks)
        at = text.find(word, at + 1)
    return found


@lru_cache(maxsize=4_096)
def _flanks(run: str, at: int) -> tuple[Flank, ...] | None:
    """The words of two characters beside the border that goes through a place of a run; None if none goes through."""
    places = range(len(run))
    left, right = _costs(run, places, -1), _costs(run, places[::-1], 0)[::-1]
    if left[at] + _PAIR_COST + right[at + _PAIR] <= left[at + 1] + right[at + 1] + _MARGIN:
        return None
    flanks = []
    if at + 2 < len(run) and right[at + 1] == right[at + 3] + _pair(run, at + 1):
        flanks.append(Flank(run[at + 1 : at + 3], run[at : at + 3]))
    if at > 0 and left[at + 1] == left[at - 1] + _pair(run, at - 1):
        name = Flank(run[at - 1 : at + 1], run[at - 1 : at + 2], run[at + 1] in _KINDS_OF_PLACES)
        if name.is_place:  # whatever follows it: 東京都, 東京都庁
            return (name,)
        flanks.append(name)
    return tuple(flanks)


def _costs(run: str, places: range, pair_from: int) -> list[float]:
    """The least cost of the words up to each of the places; a pair that ends there begins at `place + pair_from`."""
    found = [0.0]
    for place in places:
        single = found[-1] + _single(run, place)
        found.append(min(single, found[-_PAIR] + _pair(run, place + pair_from)) if len(found) >= _PAIR else single)
    return found


def _pair(run: str, at: int) -> float:
    if run[at] in _DIGITS:
        return _NEVER
    return _PAIR_COST if _PARTICLES.isdisjoint(run[at : at + _PAIR]) else _PAIR_WITH_PARTICLE_COST


def _single(run: str, at: int) -> float:
    character = run[at]
    if character in _DIGITS:
        return 0.0
    if at > 0 and run[at - 1] in _DIGITS:  # what is counted: 20歳以上
        return _AFFIX_COST
    if character in _PARTICLES:
        return _PARTICLE_COST
    if character in _SUFFIXES and at >= _PAIR:
        return _AFFIX_COST
    if character in _PREFIXES and at + _PAIR < len(run):
        return _AFFIX_COST
    return _SINGLE_COST
