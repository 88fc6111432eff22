"""Tells whether two Japanese texts say the same in another order: 明日父が病院に行く, 父が明日病院に行く.

A text is read as clauses, and a clause as phrases before a predicate, each with the particle that says what part it
plays. What must not differ: the phrases with their particles, what belongs to one clause, the predicate. AはBより大きい
and BはAより大きい stay apart, and so do steps, rankings, and what happened one after another.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.told_words import numbers
from wherefrom.text.differences.unspaced_moves import in_ended_clauses, is_adverb_moved
from wherefrom.text.differences.unspaced_words import plain_ending

_MARKS: Final = re.compile("[。．.!！\\n、,，;；「」『』()（）【】:：…・\\s]+")
_SPACE: Final = re.compile("\\s+")
# A comma behind a particle parts nothing; behind an inner clause it may.
_NEEDLESS_COMMA: Final = re.compile("(?<=[はがもにでを])[、,，]")
_COMMA_OF_PHRASE: Final = re.compile("(?<=[はがもにを])[、,，]|(?<=[^のんい]で)[、,，]")
_NO_COMMA: Final = re.compile("(?!)")
_NUMERAL: Final = re.compile(f"[{known.HAN_NUMERALS}]+")
_ORDERED: Final = re.compile(
    "順|優先|ランキング|[1一]位|まず|次に|つぎに|それから|そのあと|その後|最初|最後|それぞれ|手順|から始|経由|巡|→"
    "|[上下左右前奥]から|回[るっりら]|通[るっり]"
)
_CONNECTED: Final = re.compile(
    "^(?:そして|それ|その|そこ|これ|この|ここ|あれ|あの|しかし|でも|また|だから|つまり|ただ|但し|彼|同じ|他"
    "|ほか|以外|では|なので|だが|ならば|どちら|両方)"
)
_TOPIC: Final = re.compile("[^はがも]+[はがも].+")
_EVENT: Final = re.compile("(?:[たて]|[いん]で|んだ)$")
# Behind a predicate, these say what its clause is to another one, wherever it stands.
_BOUND: Final = re.compile("(?:ので|ため|[うくぐすつぬぶむるたいだ]から|とき|時|たら|れば|けば|えば|なら|場合|際)は?$")
_BOUND_WITHIN: Final = re.compile("(?:ので|[るただな]ため|[るたい]とき|たら|[えけげせてねべめれ]ば|場合)は?+(?![、。])")
_VERBAL: Final = re.compile("[\u3041-\u3096](?<=[うくぐすつぬぶむるいたてで])$")
_HIRAGANA: Final = "\u3041-\u3096"
_TIME: Final = re.compile(
    "(?:明日|今日|昨日|毎[日朝晩週月年]|[来今先翌][週月年]|[来今先翌]々[週月]|平日|休日|週末"
    "|普段)(?![はがをにでへもの])"
)
# A phrase ends where hiragana do, but within a verb of two verbs: 連れて行く; and behind お and ご.
_PHRASE: Final = re.compile(
    f"[^{_HIRAGANA}]*[{_HIRAGANA}]+(?:(?:(?<=て)|(?<=[んい]で))(?:行|来|見|置|頂|欲)[{_HIRAGANA}]*)?|[^{_HIRAGANA}]+$"
)
_MARKED: Final = re.compile("(?:には|では|へは|とは|からは|までは|にも|でも|から|まで|より|[はがをにでへもと])$")
_GENITIVE: Final = re.compile(f"[^{_HIRAGANA}]の$|(?:さん|くん|ちゃん|さま|これ|それ|あれ|ここ|そこ)の$")
# The first of two verbs that are one: 振り込む.
_STEM: Final = re.compile("[\u3400-\u9fff々][いきぎしじちにびみりけげせねべめれえ]$")
# The end of a clause within another one.
_INNER: Final = re.compile(
    "(?:[うくぐすつぬぶむるたいだ](?:から|が|と|ので|のに|けど|なら|まで|より|に)|たら|[えけげせてねべめれ]ば"
    "|ので|ながら|[るただな]ため|[るたい]とき"
    "|(?<=[っいんしきちにびみりえけげせべめれ])[てで])は?$"
)
_ITEM: Final = "[^はがをにでへもとやの、。・\\s]{1,12}"
_ITEMS: Final = re.compile(
    f"(?<![^はがをにでへもの、。・\\s]){_ITEM}(?:[とや・]{_ITEM})+(?=[はがをにでへも、。\\s]|だけ|$)"
)
_BETWEEN: Final = re.compile("[とや・]")
# Parts before and behind which clauses or items may have changed places.
_AFTER_HEAD: Final = re.compile("[はがをにで:：。]")
_MAX_CHARACTERS: Final = 600
_MAX_CUTS: Final = 6
_KANA: Final = re.compile("[ぁ-ゖ]")
# Kana that may be left out: some particles, endings that are polite or warm, and words that say nothing.
_EMPTY: Final = re.compile(
    "[はがをのねよ]|です|だ|である|ます|よね|いつも|ちゃんと|きちんと|いちおう|もちろん|やはり|ください|ので|また"
)

Key = tuple[object, ...]


def is_unspaced_reordered(one: str, other: str) -> bool:
    """True if two texts are the same, but for marks, politeness and words that say nothing, in an order that says the
    same.
    """
    if max(len(one), len(other)) > _MAX_CHARACTERS or "?" in one + other or "？" in one + other:
        return False
    mine, theirs = (in_ended_clauses(_plain(text)) for text in (one, other))
    if numbers(mine) != numbers(theirs):
        return False
    joined, others = "".join(_units(mine)), "".join(_units(theirs))
    if joined == others:
        return True
    if is_adverb_moved(mine, theirs):
        return True
    if Counter(joined) - Counter("とや") != Counter(others) - Counter("とや") or _ORDERED.search(mine + theirs):
        return False
    # と parts items, or says with whom.
    sorted_mine, sorted_theirs = _with_sorted_items(mine), _with_sorted_items(theirs)
    return any(
        _are_clauses_moved(_units(first, commas), _units(second, commas), within=is_within)
        for is_within, first, second in (
            (False, mine, theirs),
            (False, sorted_mine, sorted_theirs),
            (False, _BOUND_WITHIN.sub(r"\g<0>、", mine), _BOUND_WITHIN.sub(r"\g<0>、", theirs)),
            *((True, *parts) for parts in _within(sorted_mine, sorted_theirs)),
        )
        for commas in (_NEEDLESS_COMMA, _COMMA_OF_PHRASE, _NO_COMMA)
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
    return _NUMERAL.sub(lambda match: known.han_value(match[0]), plain)


def _with_sorted_items(plain: str) -> str:
    """A text with the items of its list in one order; of two lists one may go with the other."""
    if len(_ITEMS.findall(plain)) != 1:
        return plain
    return _ITEMS.sub(lambda match: "と".join(sorted(_BETWEEN.split(match[0]))), plain)


def _units(text: str, commas: re.Pattern[str] = _NEEDLESS_COMMA) -> list[str]:
    """The clauses of a text, with plain endings. commas: those that part nothing."""
    return [plain_ending(unit) for unit in filter(None, _MARKS.split(commas.sub("", text)))]


def _within(mine: str, theirs: str) -> Iterator[tuple[str, str]]:
    """Two texts without the same beginning, up to a particle, and without the same end, from a predicate or particle
    on: in 庭は夏は朝、冬は昼 and in 姉は大阪に、弟は札幌に住む the clauses have a part in common.
    """
    mine, theirs = mine.rstrip("。.!！"), theirs.rstrip("。.!！")
    least = min(len(mine), len(theirs))
    start = next((at for at in range(least) if mine[at] != theirs[at]), least)
    end = next((at for at in range(least - start) if mine[-1 - at] != theirs[-1 - at]), least - start)
    heads = [0, *(match.end() for match in _AFTER_HEAD.finditer(mine, 0, start))][-_MAX_CUTS:]
    # A topic belongs to the last clause alone.
    end = min(end, next((at for at in range(end) if mine[-1 - at] in "は。"), end))
    tails = [
        length
        for length in range(end, 0, -1)
        if mine[-length] in "がをにで" or (not _KANA.match(mine[-length]) and _KANA.match(mine[-length - 1 : -length]))
    ]
    for head in heads:
        for tail in (*tails[:_MAX_CUTS], 0):
            if head or tail:
                yield mine[head : len(mine) - tail], theirs[head : len(theirs) - tail]


def _are_clauses_moved(units: list[str], others: list[str], *, within: bool = False) -> bool:
    """True if two texts have the same clauses, and those that moved can stand anywhere. within: they are parts of one
    sentence.
    """
    keys, other_keys = [*map(_key, units)], [*map(_key, others)]
    if Counter(keys) != Counter(other_keys) or (within and len(units) < 2):
        return False
    moved = [unit for unit, key, other in zip(units, keys, other_keys, strict=True) if key != other]
    if len(units) == 2 and len(moved) == 2 and any(map(_BOUND.search, units)) and not any(map(_CONNECTED.match, units)):
        return True
    # A condition bears on the clause behind it.
    return all(map(_stands_alone, moved)) and (len(units) < 3 or not any(map(_BOUND.search, moved)))


def _stands_alone(unit: str) -> bool:
    """True if a clause says how something is, rather than what is done or happened next, and refers to no other."""
    if _CONNECTED.match(unit) or _EVENT.search(unit):
        return False
    return bool(_TOPIC.match(unit)) or not _VERBAL.search(unit)


def _key(unit: str) -> Key:
    """What must not differ in a clause: its phrases with their particles, in any order, and its predicate. Of two
    topics, subjects or objects it is the order that says what is said of which.
    """
    *phrases, predicate = _phrases(unit)
    roles = Counter(phrase[-1] for phrase in phrases)
    if not phrases or max(roles["は"], roles["が"], roles["を"]) > 1 or _MARKED.search(predicate):
        return (unit,)
    return (*sorted(phrases), predicate)


def _phrases(unit: str) -> list[str]:
    """The phrases of a clause; what stands before a noun belongs to it, as does the rest of an inner clause."""
    found: list[str] = []
    pending, at = "", 0
    while at < len(unit):
        match = _TIME.match(unit, at) or _PHRASE.match(unit, at)
        if match is None:
            break
        at = match.end()
        phrase = pending + match[0]
        is_time = bool(_TIME.fullmatch(match[0]))
        is_stem = bool(_STEM.search(match[0])) and at < len(unit)
        if (
            not is_time
            and not is_stem
            and (_INNER.search(phrase) or not (_MARKED.search(phrase) or _GENITIVE.search(phrase)))
        ):
            # An inner clause, or a word that belongs to what follows, has all that stands before but for the topic.
            if at < len(unit):
                while found and found[-1][-1] not in "は":
                    phrase = found.pop() + phrase
            elif pending:
                phrase = pending + match[0]
        if at < len(unit) and not is_time and not (_MARKED.search(phrase) or _INNER.search(phrase)):
            pending = phrase
            continue
        pending = ""
        found.append(phrase)
    rest = pending + unit[at:]
    return [*found, rest] if rest or not found else found
