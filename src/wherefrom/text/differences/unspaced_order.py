"""Tells whether two Japanese texts say the same in another order: 明日父が病院に行く, 父が明日病院に行く.

A noun keeps its particle, and the predicate stays at the end; clauses with a topic of their own and items of a list may
stand anywhere. AはBより大きい and BはAより大きい stay apart, and so do steps and what happened one after another.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import Final

from wherefrom.text.differences import fact_words as known

_MARKS: Final = re.compile("[。．.!！\\n、,，;；「」『』()（）:：…\\s]+")
_SPACE: Final = re.compile("\\s+")
# A comma behind a particle parts nothing.
_NEEDLESS_COMMA: Final = re.compile("(?<=[はがもにでを])[、,，]")
_NUMERAL: Final = re.compile(f"[{known.HAN_NUMERALS}]+(?=[^\u3041-\u3096・]|$)|(?<=第)[{known.HAN_NUMERALS}]+")
_FILLERS: Final = re.compile(
    "必ず|かならず|ちなみに|とりあえず|取り急ぎ|一応|いちおう|念のため|実は|じつは|もちろん|やはり|ぜひ|なお、|また、|(?<=は)(?:今|いま|現在)は"
)
_POLITE: Final = (
    (re.compile("(?:です|である|であります|でございます|だ(?<!った|んだ))$"), ""),
    (re.compile("(?<=[がにもは])あります$"), "ある"),
    (re.compile("(?<=[がにもはて])います$"), "いる"),
    (re.compile("します$"), "する"),
    (re.compile("できます$"), "できる"),
    (re.compile("なります$"), "なる"),
    (re.compile("(?<=[べめれけせてねげじえ])ます$"), "る"),
)
_ORDERED: Final = re.compile("順|まず|次に|つぎに|それから|そのあと|その後|最初|最後|それぞれ|手順|から始")
_CONNECTED: Final = re.compile(
    "^(?:そして|それ|その|そこ|これ|この|ここ|あれ|あの|しかし|でも|また|だから|つまり|ただ|但し|彼|同じ|他|ほか|以外|では|なので|だが|ならば)"
)
_TOPIC: Final = re.compile("^[^はがも]+[はがも].+")
_EVENT: Final = re.compile("(?:[たてで]|ました|った|んだ)$")
_NOUN_END: Final = "[^\u3041-\u3096]|[みりめしさ]"
_ITEM: Final = re.compile(f"(?!.*などの)[^はがをへ]*(?:{_NOUN_END})")
_BETWEEN: Final = re.compile("[、,，・]|および|及び|と|や")
_TIME: Final = "明日|今日|昨日|毎日|毎朝|毎晩|毎週|毎月|毎年|来週|来月|来年|今週|今月|今年|先週|先月"
_CHUNK: Final = re.compile(
    f"(?:{_TIME})(?![はがをにでへもの])|[おご]?[^\u3041-\u3096]+(?:の[おご]?[^\u3041-\u3096]+)*"
    "(?:には|では|へは|からは|までは|にも|でも|から|まで|より|[はがをにでへも])"
)
_PARTICLE: Final = re.compile("[はがをへ]|から|まで|より")
_MAX_CHARACTERS: Final = 600
_KANA: Final = re.compile("[ぁ-ゖ]")
# Kana that may be left out: some particles, endings that are polite or warm, and words that say nothing.
_EMPTY: Final = re.compile(
    "[はがをのねよ]|です|だ|である|ます|よね|こと|ということ|すべて|いつも|ちゃんと|きちんと|いちおう|もちろん|やはり|ください|ので|また"
)


def is_unspaced_reordered(one: str, other: str) -> bool:
    """True if two texts are the same, but for marks, politeness and words that say nothing, in an order that says the
    same.
    """
    if max(len(one), len(other)) > _MAX_CHARACTERS or "?" in one + other or "？" in one + other:
        return False
    mine, theirs = _plain(one), _plain(other)
    units, others = _units(mine), _units(theirs)
    if "".join(units) == "".join(others):
        return True
    if Counter("".join(units)) - Counter("とや、・") != Counter("".join(others)) - Counter("とや、・"):
        return False
    if _ORDERED.search(mine + theirs):
        return False
    return (
        _are_clauses_moved(units, others)
        or _are_items_moved(mine, theirs)
        or (len(units) == len(others) and all(map(_are_chunks_moved, units, others)))
    )


def exchanges_kana(mine: str, theirs: str) -> bool:
    """True if two texts without spaces, of which only kana differ, have other kana in a place, or more that say
    something: 火曜に and 火曜も, 行く and 行くつもり. A particle may be left out, and a kana doubled.
    """
    if mine == theirs or not _KANA.search(mine + theirs):
        return False
    if max(len(mine), len(theirs)) > _MAX_CHARACTERS:
        return True
    for _, start, stop, other_start, other_stop in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        here, there = mine[start:stop], theirs[other_start:other_stop]
        if here == there or sorted(here) == sorted(there):
            continue
        more, text, place = (here, mine, start) if here else (there, theirs, other_start)
        is_doubled = more * 2 in text[max(place - len(more), 0) : place + 2 * len(more)]
        if (here and there) or not (is_doubled or _EMPTY.fullmatch(more)):
            return True
    return False


def _plain(text: str) -> str:
    plain = _SPACE.sub(lambda match: "\n" if "\n" in match[0] else "", unicodedata.normalize("NFKC", text).strip())
    plain = _FILLERS.sub("", _NEEDLESS_COMMA.sub("", plain))
    return _NUMERAL.sub(lambda match: known.han_value(match[0]), plain)


def _units(text: str) -> list[str]:
    """The clauses of a text, plain where one of both may be polite."""
    found = []
    for unit in filter(None, _MARKS.split(text)):
        for ending, plain in _POLITE:
            short = ending.sub(plain, unit)
            if short != unit:
                unit = short
                break
        found.append(unit)
    return [unit for unit in found if unit]


def _are_clauses_moved(units: list[str], others: list[str]) -> bool:
    if Counter(units) != Counter(others):
        return False
    moved = {unit for unit, other in zip(units, others, strict=True) if unit != other}
    return all(_TOPIC.match(unit) and not _CONNECTED.match(unit) and not _EVENT.search(unit) for unit in moved)


def _are_items_moved(mine: str, theirs: str) -> bool:
    """True if two texts differ in the order of the items of one list."""
    mine, theirs = mine.rstrip("。.!"), theirs.rstrip("。.!")
    start = next((at for at, (one, two) in enumerate(zip(mine, theirs, strict=False)) if one != two), None)
    if start is None or len(mine) != len(theirs):
        return False
    end = next(at for at in range(1, len(mine) + 1) if mine[-at] != theirs[-at]) - 1
    # A list begins behind a particle or a mark, and ends before one.
    before = max((mine.rfind(mark, 0, start) for mark in "はがをにでの。:"), default=-1) + 1
    after = next((at for at in range(len(mine) - end, len(mine)) if mine[at] in "はがをにでへもの。"), len(mine))
    items, others = ([*filter(None, _BETWEEN.split(text[before:after]))] for text in (mine, theirs))
    if (before and mine[before - 1] == "の") or len(items) < 2 or Counter(items) != Counter(others):
        return False
    return all(_ITEM.fullmatch(item) and not _CONNECTED.match(item) for item in items)


def _are_chunks_moved(unit: str, other: str) -> bool:
    """True if two clauses have the same nouns with the same particles before the same predicate."""
    if unit == other:
        return True
    (chunks, predicate), (others, same) = _chunks(unit), _chunks(other)
    if predicate != same or not predicate or _PARTICLE.search(predicate):
        return False
    # Of two topics or subjects it is the order that says what is said of which.
    roles = Counter(chunk[-1] for chunk in chunks)
    return roles["は"] < 2 and roles["が"] < 2 and Counter(chunks) == Counter(others)


def _chunks(unit: str) -> tuple[list[str], str]:
    found, at = [], 0
    while match := _CHUNK.match(unit, at):
        found.append(match[0])
        at = match.end()
    return found, unit[at:]
