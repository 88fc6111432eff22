"""Whether one adverbial part of a Japanese sentence stands elsewhere: 来週、父は行く and 父は来週行く.

A part is adverbial if it says when, or is a clause that says why, when or if. It may pass phrases of its sentence that
end in a particle, but no predicate, as it would belong to another one behind it.
"""

from __future__ import annotations

import re
from typing import Final

from wherefrom.text.differences.unspaced_words import plain_ending

_SENTENCE: Final = re.compile("[。．!！\\n]+")
_COMMA: Final = re.compile("[、，,]")
_NUMBER: Final = "[\\d一二三四五六七八九十]"
# When something is, with what belongs to it.
_WHEN: Final = re.compile(
    "(?:(?:毎|来|先|今|翌|再来|先々)[日朝晩夜週月年回]|昨日|今日|明日|明後日|昨年|去年|週末|平日|休日|年末|月末"
    "|月初|春|夏|秋|冬|朝|夜|夕方|午前|午後"
    f"|第?{_NUMBER}+(?:年|月|日|時|週)|[月火水木金土日]曜)"
    f"(?:の|第|[月火水木金土日]曜日?|{_NUMBER}+(?:年|月|日|時半?|分)|[朝昼夜晩]|夕方|午前|午後|週末|初め|終わり"
    f"|中旬|上旬|下旬|月末|半ば)*"
)
_CLAUSE: Final = re.compile(
    "[^、。]{3,40}(?:ので|ため(?:に)?|[るたいだ]から|たら|[えけげせてねべめれ]ば|なら|[るたい]とき(?:に|は)?"
    "|[るたい]時(?:に|は)?|[るたの]場合(?:に|は)?|[るた]際(?:に|は)?"
    "|[るたの](?:前|後|あと|まえ)に|ながら|ても|でも|[るた]まで|[るた]間は?)"
)
_PASSED: Final = re.compile("[^、。]{1,24}?(?:は|が|を|に|で|へ|と|も|から|まで|には|では|とは)")
_PREDICATE: Final = re.compile(
    "[うくぐすつぬぶむるたいだ](?:から|が|と|ので|のに|けど|なら|は)|[てで](?:は|も)?$|(?:ば|たら)"
)
_ATTRIBUTE: Final = re.compile("[うくぐすつぬぶむるたいだ](?=[\u3400-\u9fff々\u30a1-\u30fa])")
_BEHIND_TIME: Final = re.compile("(?:に|は)?[、，,]|に|")
# A clause that goes on, with the ending that it would have at the end.
_GOING_ON: Final = re.compile("(?<=[はがを])([^、。はがをの]{0,8}[\u3400-\u9fff々])([いきぎちびみり])(?=[、。\\n]|$)")
_DOING: Final = re.compile("(?<=[がをはに\u3400-\u9fff々])し、")
_BEING: Final = re.compile("(?<=[はが])([^はがをにでへと、。]{1,10})(?<![んいの])で、")
_TO_U: Final = str.maketrans("いきぎちびみり", "うくぐつぶむる")
_BECAUSE: Final = re.compile("(?:だから|なので|からな?|ため|ので)(?:だ|です|である)?(?=[。\\n]|$)")
_REASON: Final = re.compile("(?:だから|なので|な?ため(?:に)?|(?<=[るたいだ])から)、")
_MAX_CHARACTERS: Final = 200


def in_ended_clauses(text: str) -> str:
    """A text whose clauses end as at the end of a sentence where they only go on: 父が書き、 as 父が書く、."""
    text = _DOING.sub("する、", _GOING_ON.sub(lambda match: match[1] + match[2].translate(_TO_U), text))
    return _REASON.sub("ので、", _BECAUSE.sub("ので", _BEING.sub(r"\1、", text)))


def is_adverb_moved(mine: str, theirs: str) -> bool:
    """True if two texts are the same but for an adverbial part of one sentence that stands elsewhere in it."""
    if max(len(mine), len(theirs)) > _MAX_CHARACTERS:
        return False
    sentences, others = (list(filter(None, _SENTENCE.split(text))) for text in (mine, theirs))
    if len(sentences) != len(others):
        return False
    moved = [pair for pair in zip(sentences, others, strict=True) if _plain(pair[0]) != _plain(pair[1])]
    if len(moved) != 1:
        return False
    ((one, other),) = moved
    return _is_moved(one, other) or _is_moved(other, one)


def _plain(sentence: str) -> str:
    return plain_ending(_COMMA.sub("", sentence))


def _is_moved(one: str, other: str) -> bool:
    """True if an adverbial part that opens the first sentence stands behind phrases of the second."""
    for part, end in _parts(one):
        rest = _plain(one[end:])
        for match in re.finditer(re.escape(part), other):
            passed = _COMMA.sub("", other[: match.start()])
            if not _PASSED.fullmatch(passed) or _PREDICATE.search(passed):
                continue
            # In front of a clause within a clause it may belong to either.
            if passed[-1] != "は" and _ATTRIBUTE.search(rest, len(passed)):
                continue
            behind = other[match.end() :]
            for gap in {"", *(found[0] for found in [_BEHIND_TIME.match(behind)] if found)}:
                if _plain(passed + behind[len(gap) :]) == rest:
                    return True
    return False


def _parts(sentence: str) -> list[tuple[str, int]]:
    """The adverbial part that opens a sentence, and where what is behind it begins."""
    found: list[tuple[str, int]] = []
    if match := _WHEN.match(sentence):
        gap = _BEHIND_TIME.match(sentence, match.end())
        if gap is not None and gap[0] and not gap[0].startswith("は"):
            found.append((match[0], gap.end()))
        elif gap is not None and not gap[0]:
            found.append((match[0], match.end()))
    comma = _COMMA.search(sentence)
    if comma and _CLAUSE.fullmatch(sentence, 0, comma.start()):
        found.append((sentence[: comma.start()], comma.end()))
    return found
