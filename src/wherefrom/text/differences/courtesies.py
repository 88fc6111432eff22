"""Takes greetings and closing words off a text: two texts that differ in them say the same. Names are told apart: they
say whom it is for or from.
"""

from __future__ import annotations

import re
from typing import Final

# A courtesy stands within so many characters of the beginning or the end; patterns see no more of a text.
_REACH: Final = 60
# So many follow each other at most: "Hi all, quick reminder: …".
_MAX_COURTESIES: Final = 3

_ALL: Final = (
    r"(?: (?:all|everyone|everybody|team|folks|guys|there|both|together|friends|guests|colleagues|neighbours|neighbors"
    r"|members|parents|customers|residents|tenants|volunteers|alle|zusammen|ihr beiden|leute|(?:liebe )?gäste|kollegen"
    r"|nachbarn|freunde))?"
)
_GREETINGS: Final = rf"(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|guten (?:morgen|tag|abend)){_ALL}"
_REMARKS: Final = (
    r"(?:just )?(?:a )?(?:quick |short |small )?(?:reminder|note|note to self|heads[- ]up|fyi|for the record|by the way"
    r"|btw|p\.s\.|ps|memo|note well|nb|n\.b\.|important|tip|hint|info|just so you know|just to confirm|to confirm"
    r"|please note|note|remember|don't forget|do not forget|as (?:mentioned|discussed|agreed|promised|you know)"
    r"|once more|once again|for (?:your )?information|for reference|(?:zur |kurze )?(?:erinnerung|notiz|info)"
    r"|nur zur info|zur info|nicht vergessen|wichtig|hinweis|bitte beachten|wie (?:besprochen|gesagt|erwähnt)|übrigens"
    r"|nebenbei)"
)
_ASIAN_OPENINGS: Final = (
    "お疲れ(?:様|さま)です|(?:いつも)?お世話になって(?:おり|い)ます|お世話になります|こんにちは|こんばんは|おはようございます"
    "|念のため(?:です)?が?|ちなみに|メモ(?:です)?|再掲(?:です)?|リマインド(?:です)?|覚え?書き?|備忘(?:録)?|忘れずに"
    "|お知らせ(?:です)?|(?:業務|ご)?連絡(?:です)?|(?:情報)?共有(?:です)?|重要|参考(?:まで)?(?:に)?|ご参考まで(?:に)?"
    "|追伸|確認(?:です)?(?:が)?|前にも(?:言|書)(?:い|き)(?:た|まし)たが|(?:皆|みな)(?:さん|様|さま)(?:へ)?|各位|失礼します"
    "|取り急ぎ|なお|你好|您好|大家好|提醒(?:一下)?|备注|備註|顺便说一下|안녕하세요|참고로|메모|알림"
)
_OPENING: Final = re.compile(
    rf"(?:(?:{_GREETINGS}|{_REMARKS})(?:[,:!.]| [–—-]) |(?:{_ASIAN_OPENINGS})[、。，,：:!！.] ?)(?=\w)", re.IGNORECASE
)
_THANKS: Final = (
    r"(?:many )?thanks(?: a lot| again| all| everyone)?|thank you(?: all)?|thx|cheers|best(?: wishes)?|all the best"
    r"|(?:kind |best |warm )?regards|yours(?: sincerely)?|sincerely|see you(?: soon)?|bye"
    r"|have a (?:nice|good|great) day|hope (?:that|this) helps"
    r"|just a reminder|for the record|just so you know|fyi|btw|by the way|bis dann"
    r"|(?:vielen |besten )?dank|danke(?: euch)?|(?:viele |liebe |beste )?grüße|lg|vg|mfg"
)
_ASIAN_CLOSINGS: Final = (
    "(?:どうぞ|以上)?、?(?:よろしく|宜しく)(?:お願い(?:いた|致)?し(?:ます|ます。))?|以上(?:です)?|ありがとうございま(?:す|した)"
    "|お疲れ(?:様|さま)でした|失礼(?:いた)?します|(?:取り急ぎ)?ご?(?:連絡|報告|共有)まで|ご確認ください|ご参考まで(?:に)?"
    "|(?:念のため|メモ|覚え書き)(?:です)?|谢谢|多谢|謝謝|以上"
    "|감사합니다|고맙습니다|이상입니다"
)
_CLOSING: Final = re.compile(
    rf"(?:(?<=[.!?…)]) (?:{_THANKS})|(?<=[。！？!?.]) ?(?:{_ASIAN_CLOSINGS}))[.!。！]?$", re.IGNORECASE
)


# A name in a greeting or below the text; one that writes of "me", or to "you", says who that is.
_NAME: Final = r"(?!The\b|I\b|We\b|It\b)[^\W\d_a-z][\w'’.-]{1,20}"
_NAMES: Final = rf"{_NAME}(?:(?: and | und | & |, | ){_NAME}){{0,2}}"
_ADDRESS: Final = re.compile(
    rf"(?i:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|guten (?:morgen|tag|abend))) "
    rf"({_NAMES})(?:[,:!]| [–—-])\s(?=\w)"
)
_ASIAN_ADDRESS: Final = re.compile(
    r"([^\s、。,はがをにでのも]{1,8}(?:さん|様|さま|先生|くん|ちゃん)(?:へ|、お疲れ(?:様|さま)です))[、。,:：]"
)
_SIGNATURE: Final = re.compile(rf"(?<=[.!?…)])\s(?:(?i:{_THANKS})[,.!]?\s|[–—-]+ ?)({_NAMES})[.!]?$")
_SPEAKS: Final = re.compile(
    r"\b(?:i|me|my|mine|myself|you|your|yours|we|us|our|ours|ich|mir|mich|mein\w*|du|dir|dich|dein\w*|ihr|euch|euer|wir|uns\w*)\b"
    "|私|僕|俺|自分|あなた|君",
    re.IGNORECASE,
)


def without_courtesies(text: str) -> str:
    """Return a text without the greetings or remarks that it opens with, and without the thanks that it closes with; a
    text that is nothing else stays as it is.
    """
    plain = text.strip()
    for _ in range(_MAX_COURTESIES):
        shorter = _without_one(plain)
        if shorter == plain:
            break
        plain = shorter
    return plain if plain.strip() else text


def without_names(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without the name of whom it greets and of who signed it, and these names. They stay where the text
    speaks of "me" or to "you".
    """
    plain, names = text, []
    if (found := _SIGNATURE.search(plain[-_REACH:])) and _is_telling(shorter := plain[: len(plain) - len(found[0])]):
        plain = shorter
        names.append(found[1].rstrip(".").casefold())
    for pattern in (_ADDRESS, _ASIAN_ADDRESS):
        if (found := pattern.match(plain[:_REACH])) and _is_telling(shorter := plain[found.end() :]):
            plain = _capitalised(shorter)
            names.append(found[1].rstrip(".").casefold())
    return plain, tuple(names)


def _is_telling(text: str) -> bool:
    """True if a text says something, whoever says it to whomever."""
    return bool(text.strip()) and not _SPEAKS.search(text)


def _without_one(text: str) -> str:
    """A text without one opening and one closing."""
    closing = _CLOSING.search(text[-_REACH:])
    if closing:
        text = text[: len(text) - len(closing[0])]
    opening = _OPENING.match(text[:_REACH])
    return _capitalised(text[opening.end() :]) if opening else text


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
