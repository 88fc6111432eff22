"""Takes greetings and closing words off a text: two texts that differ in them say the same."""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = r"(?:\s+[^\W\d_][\w'’-]*){0,3}"
_GREETINGS: Final = (
    r"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:morgen|tag|abend)|liebe[rs]?)" + _NAMES
)
_REMARKS: Final = (
    r"(?:just )?(?:a )?(?:quick |short |small )?(?:reminder|note|note to self|heads[- ]up|fyi|for the record|by the way"
    r"|btw|in short|p\.?s\.?|(?:zur |kurze )?(?:erinnerung|notiz|info)|nur zur info|übrigens|nebenbei)"
)
_ASIAN_OPENINGS: Final = (
    "お疲れ(?:様|さま)です|お世話になって(?:おり|い)ます|こんにちは|こんばんは|おはようございます|念のため|ちなみに|メモ|再掲"
    "|リマインド(?:です)?|皆さん?(?:へ)?|你好|您好|大家好|提醒(?:一下)?|备注|備註|顺便说一下|안녕하세요|참고로|메모|알림"
)
_OPENING: Final = re.compile(
    rf"\s*(?:(?:{_GREETINGS}|{_REMARKS})\s*[,:!.–—-]|(?:{_ASIAN_OPENINGS})\s*[、。，,：:!！.])\s*(?=\w)", re.IGNORECASE
)
_THANKS: Final = (
    r"(?:many )?thanks(?: a lot| again)?|thank you|thx|cheers|best(?: wishes)?|(?:kind |best |warm )?regards|yours"
    r"|(?:vielen |besten )?dank|danke(?: euch)?|(?:viele |liebe |beste )?grüße|gruß|lg|vg|mfg"
)
_ASIAN_CLOSINGS: Final = (
    "(?:どうぞ)?(?:よろしく|宜しく)(?:お願い(?:いた|致)?します)?|以上(?:です)?|ありがとうございます|谢谢|多谢|謝謝|以上"
    "|감사합니다|고맙습니다|이상입니다"
)
_CLOSING: Final = re.compile(
    rf"(?<=[.!?…)])\s+(?:{_THANKS})\s*(?:[,!.–—-]{_NAMES})?\s*[.!]*\s*$|(?<=[。！？!?.])\s*(?:{_ASIAN_CLOSINGS})[。！!.]?\s*$",
    re.IGNORECASE,
)


def without_courtesies(text: str) -> str:
    """Return a text without the greeting or remark that it opens with, and without the thanks that it closes with; a
    text that is nothing else stays as it is.
    """
    plain = _CLOSING.sub("", text, count=1)
    opening = _OPENING.match(plain)
    if opening:
        plain = plain[opening.end() :]
        plain = plain[:1].upper() + plain[1:]
    return plain if plain.strip() else text
