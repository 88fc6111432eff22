"""Takes greetings and closing words off a text: two texts that differ in them say the same. Names are left: they say
whom it is for or from.
"""

from __future__ import annotations

import re
from typing import Final

# A courtesy stands within so many characters of the beginning or the end; patterns see no more of a text.
_REACH: Final = 60

_ALL: Final = r"(?: (?:all|everyone|everybody|team|folks|guys|there|both|together|alle|zusammen|ihr beiden))?"
_GREETINGS: Final = rf"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:morgen|tag|abend)){_ALL}"
_REMARKS: Final = (
    r"(?:just )?(?:a )?(?:quick |short |small )?(?:reminder|note|note to self|heads[- ]up|fyi|for the record|by the way"
    r"|btw|p\.s\.|ps|(?:zur |kurze )?(?:erinnerung|notiz|info)|nur zur info|übrigens|nebenbei)"
)
_ASIAN_OPENINGS: Final = (
    "お疲れ(?:様|さま)です|お世話になって(?:おり|い)ます|こんにちは|こんばんは|おはようございます|念のため|ちなみに|メモ|再掲"
    "|リマインド(?:です)?|你好|您好|大家好|提醒(?:一下)?|备注|備註|顺便说一下|안녕하세요|참고로|메모|알림"
)
_OPENING: Final = re.compile(
    rf"(?:(?:{_GREETINGS}|{_REMARKS})(?:[,:!.]| [–—-]) |(?:{_ASIAN_OPENINGS})[、。，,：:!！.] ?)(?=\w)", re.IGNORECASE
)
_THANKS: Final = (
    r"(?:many )?thanks(?: a lot| again)?|thank you|thx|cheers|best(?: wishes)?|(?:kind |best |warm )?regards"
    r"|(?:vielen |besten )?dank|danke(?: euch)?|(?:viele |liebe |beste )?grüße|lg|vg|mfg"
)
_ASIAN_CLOSINGS: Final = (
    "(?:どうぞ)?(?:よろしく|宜しく)(?:お願い(?:いた|致)?します)?|以上(?:です)?|ありがとうございます|谢谢|多谢|謝謝|以上"
    "|감사합니다|고맙습니다|이상입니다"
)
_CLOSING: Final = re.compile(
    rf"(?:(?<=[.!?…)]) (?:{_THANKS})|(?<=[。！？!?.]) ?(?:{_ASIAN_CLOSINGS}))[.!。！]?$", re.IGNORECASE
)


def without_courtesies(text: str) -> str:
    """Return a text without the greeting or remark that it opens with, and without the thanks that it closes with; a
    text that is nothing else stays as it is.
    """
    plain = text.strip()
    closing = _CLOSING.search(plain[-_REACH:])
    if closing:
        plain = plain[: len(plain) - len(closing[0])]
    opening = _OPENING.match(plain[:_REACH])
    if opening:
        plain = plain[opening.end() :]
        plain = plain[:1].upper() + plain[1:]
    return plain if plain.strip() else text
