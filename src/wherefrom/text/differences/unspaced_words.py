"""Brings Japanese texts to one form where they may differ and say the same: words that say nothing, endings that are
polite or plain, small words in kanji or kana.

An ending is not looked up but brought to one form: 終わります and 終わる, 行きません and 行かない.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final

_KANJI: Final = "\u3400-\u9fff々"
_HIRAGANA: Final = "\u3041-\u3096"
# Words that say nothing where they stand at a beginning, behind a mark or behind a particle.
_FILLERS: Final = re.compile(
    "(?<![^はがをにでも、。\\s])(?:ちなみに|実は|じつは|実際は|もちろん|勿論|当然|やはり|やっぱり|そういえば|要するに"
    "|えっと|ええと|えーと|まあ(?=、))[、,]?"
)
_DENIES: Final = re.compile("な[いくけかし]|ませ|[ずぬ](?=[、。に]|$)|[不無非未禁]")

_I: Final = "いきぎしじちにびみりひ"
_U: Final = "うくぐすずつぬぶむるふ"
_TO_U: Final = str.maketrans(f"{_I}わかがさざたなばまらは", f"{_U}うくぐすずつぬぶむるふ")
_E: Final = "えけげせぜてでねべめれへ"
_A: Final = "わかがさたなばまら"
# Endings that warm or soften what is said.
# Not こと or ように, which make an order of it.
_SOFT: Final = re.compile(
    "(?:(?<=[るうくすむぶぐつぬただいよ])(?:よね|よ|ね|わ)|(?<=[るうくすむぶぐつぬたい])(?:のです|んです|のだ|んだ))$"
)
_COPULA: Final = re.compile("(?:です|である|であります|でございます|(?<![んっ])だ)$")
_PAST_COPULA: Final = re.compile("(?:(?<!ん)でした|であった)$")
_STILL: Final = re.compile("(?<=[てで])(?:おります|います|いる|る)$")
# Of these the polite form is that of two verbs: 降りました is of 降りる and of 降る.
_TWO_VERBS: Final = "(?<![降下])"
_NOT: Final = re.compile(f"(?:(?<=[{_KANJI}])|{_TWO_VERBS}(?P<i>[{_I}])|(?P<e>[{_E}]))ませ(?:ん(?P<past>でした)?)$")
_PLAIN_NOT: Final = re.compile(f"(?P<row>[{_A}])(?P<no>な(?:い|かった))$")
_PAST: Final = re.compile(f"(?<=[{_KANJI}])(?P<kana>[{_HIRAGANA}]?)(?P<i>{_TWO_VERBS}[いきぎちにびみり])ました$")
_TO_PAST: Final = {
    "き": "いた",
    "ぎ": "いだ",
    "に": "んだ",
    "び": "んだ",
    "み": "んだ",
    **dict.fromkeys("いちり", "った"),
}
_OTHER_PAST: Final = re.compile(f"(?<=[し{_E}{_KANJI}])ました$")
_POLITE: Final = re.compile(f"(?:{_TWO_VERBS}(?P<i>[{_I}])|(?P<e>[{_E}])|(?<=[{_KANJI}]))ます$")


def without_fillers(text: str) -> str:
    """Return a text without words that say nothing; one that denies something keeps them."""
    return text if _DENIES.search(text) else _FILLERS.sub("", text)


# Small words that are written in kanji as well.
_USUALLY_KANA: Final = dict(
    pair.split("/")
    for pair in """
    下さ/くださ 子供/子ども
    先ず/まず 直ぐ/すぐ 全て/すべて 総て/すべて 貰/もら 但し/ただし 殆ど/ほとんど 丁度/ちょうど 沢山/たくさん
    何時も/いつも 迄/まで 為/ため 更に/さらに 既に/すでに 暫く/しばらく 勿論/もちろん 若し/もし 又は/または
    若しくは/もしくは 及び/および 其の/その 此の/この 無くな/なくな 出来/でき 易い/やすい 宜しく/よろしく
    頂/いただ 戴/いただ そのあと/その後 あさって/明後日 無い/ない 無し/なし 必らず/必ず
    """.split()
)
_IN_KANJI: Final = re.compile("|".join(_USUALLY_KANA))
# These are written with and without the long vowel. Of other words it makes another one: ローラ, ローラー.
_LONG: Final = re.compile(
    "(サーバ|ユーザ|センサ|モータ|ルータ|カウンタ|プリンタ|ブラウザ|フォルダ|ドライバ|スキャナ|アダプタ|コンピュータ"
    "|エレベータ)ー"
)
_WRITTEN: Final = (
    (_LONG, r"\1"),
    (re.compile("(?<=[月火水木金土日]曜)日"), ""),
    (re.compile("(?<=[\\d一二三四五六七八九十百数何])[ヶヵケカ箇個ｹ](?=[月所国年条])"), "か"),
    (re.compile("(?:（株）|\\(株\\)|㈱|株式会社)"), "㈱"),
)


def in_one_writing(text: str) -> str:
    """Return a text with one writing of what is written in several ways, ."""
    text = _IN_KANJI.sub(lambda match: _USUALLY_KANA[match[0]], text)
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    return text


def plain_ending(clause: str) -> str:
    """Return a clause with its last word in the one form that its polite and its plain forms have here."""
    short = _SOFT.sub("", _COPULA.sub("", _SOFT.sub("", _SOFT.sub("", clause))))
    short = _PAST_COPULA.sub("だった", _COPULA.sub("", short))
    short = _STILL.sub("いる", short)
    if short.endswith("ありません"):
        return f"{short[:-5]}ない"
    if found := _NOT.search(short):
        row = (found["i"] or "").translate(_TO_U) or found["e"] or ""
        return f"{short[: found.start()]}{row}{'なかった' if found['past'] else 'ない'}"
    if found := _PLAIN_NOT.search(short):
        return f"{short[: found.start()]}{found['row'].translate(_TO_U)}{found['no']}"
    if found := _PAST.search(short):
        is_going = short[: found.start()].endswith("行")
        if is_going and found["i"] == "い":
            return short
        past = "った" if is_going else _TO_PAST[found["i"]]
        return f"{short[: found.start()]}{found['kana']}{past}"
    short = _OTHER_PAST.sub("た", short)
    if found := _POLITE.search(short):
        row = found["i"].translate(_TO_U) if found["i"] else f"{found['e'] or ''}る"
        return short[: found.start()] + row
    return short
