"""What Japanese texts may differ in without saying anything else: words that say nothing, endings that are polite or
plain, long vowels and slips in katakana.

An ending is not looked up but brought to one form: 終わります and 終わる, 行きません and 行かない.
"""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from typing import Final

_KANJI: Final = "\u3400-\u9fff々"
_HIRAGANA: Final = "\u3041-\u3096"
# Words that say nothing where they stand by themselves: at a beginning, behind a mark or behind a particle.
_BY_THEMSELVES: Final = (
    "(?<![^はがをにでもへと、。,.!！?？:：\\s])(?:必ら?ず|かならず|絶対に|ちなみに|とりあえず|取り敢えず"
    "|取り急ぎ|一応|いちおう"
    "|念のため|実は|じつは|実際(?:に)?は?|もちろん|勿論|当然|やはり|やっぱり|やっぱ|ぜひ|是非|とにかく|ともかく"
    "|そういえば"
    "|基本的に(?:は)?|ちゃんと|きちんと|しっかり(?:と)?|要するに|つまり|ひとまず|本当に|ほんとに|割と|わりと"
    "|比較的|わざわざ|引き続き|今のところ|現時点で(?:は)?|ご存じの(?:通り|とおり)、?"
    "|前述の(?:通り|とおり)、?|言うまでもなく|えっと|ええと|えーと|あのー?、|まあ、?|なんか"
    ")[、,]?"
)
# The same before a comma, at the beginning of a sentence.
_AT_FIRST: Final = (
    "(?<![^。.!！?？:：\\s])(?:なお|また|あと|さて|で|では|じゃあ?|そう|ほら|ねえ|ただ|そして|それと|それから)[、,]"
)
# The same, if no hiragana follows, of which they might be a part.
_SHORT: Final = f"(?<=[はがをにでもへと、。])(?:もう(?![一1少2二]|$)|まず)[、,]?(?=[^{_HIRAGANA}])"
_NOW: Final = "(?<=は)(?:今|いま|現在)は"
_FILLERS: Final = re.compile(f"{_BY_THEMSELVES}|{_AT_FIRST}|{_SHORT}|{_NOW}")
# How often or how much: one text may say it and the other not, but two may not say it otherwise.
_GRADES: Final = re.compile(
    "(?<![^はがをにでもへと、。\\s])(?:いつも|常に|だいたい|大体|たいてい|大抵|普通(?:は)?|普段(?:は)?|通常(?:は)?"
    "|毎回|とても|非常に|かなり|結構|けっこう|すごく|ずいぶん|少し|すこし|ちょっと|およそ|おおよそ)[、,]?"
    f"|(?<![{_KANJI}])約(?=[\\d一二三四五六七八九十百千万])"
)
# What follows a number and says that it is about so much.
_ABOUT: Final = re.compile(
    "(?<=[\\d一二三四五六七八九十百千万半個円人分時日週月年度枚本台回杯粒軒間])(?:ほど|くらい|ぐらい|程度)"
)

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

_KATAKANA: Final = re.compile("[\u30a1-\u30fc]{3,}")
_V: Final = (("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴ", "ブ"))
_LONG: Final = re.compile("(?<=[キギシジチニヒビピミリィ])イ(?=$|ー)|(?<=[エケゲセゼテデネヘベペメレェ])イ")
_LARGE: Final = str.maketrans("ャュョァィゥェォッ", "ヤユヨアイウエオツ")
_LARGE_SOUNDS: Final = str.maketrans("ャュョッ", "ヤユヨツ")
_MIN_LONG, _MIN_SHORTENED, _MIN_DOUBLED, _MIN_SLIPPED = 5, 4, 5, 6


def without_fillers(one: str, other: str) -> tuple[str, str]:
    """Return two texts without words that say nothing, as long as they do not say otherwise how often or how much."""
    mine, theirs = _FILLERS.sub("", one), _FILLERS.sub("", other)
    for grades in (_GRADES, _ABOUT):
        if not (grades.search(mine) and grades.search(theirs)):
            mine, theirs = grades.sub("", mine), grades.sub("", theirs)
    return mine, theirs


# Small words that are written in kanji as well.
_USUALLY_KANA: Final = dict(
    pair.split("/")
    for pair in """
    下さ/くださ 子供/子ども
    先ず/まず 直ぐ/すぐ 全て/すべて 総て/すべて 貰/もら 但し/ただし 殆ど/ほとんど 丁度/ちょうど 沢山/たくさん
    何時も/いつも 迄/まで 為/ため 更に/さらに 既に/すでに 暫く/しばらく 勿論/もちろん 若し/もし 又は/または
    若しくは/もしくは 及び/および 其の/その 此の/この 無くな/なくな 出来/でき 易い/やすい 宜しく/よろしく
    頂/いただ 戴/いただ そのあと/その後 あさって/明後日 無い/ない 無し/なし 必らず/必ず 程度/ほど
    """.split()
)
_IN_KANJI: Final = re.compile("|".join(_USUALLY_KANA))
# Slips that no word is made of, and what is written in several ways.
_WRITTEN: Final = (
    (re.compile(f"(?<=[{_KANJI}な])つ(?=[てた])"), "っ"),
    (re.compile("(?<![捨建立育当充隔企慌茹撫奏すたあだゆ][てで])(?<=[てで])(?=ま(?:す|した|せん))"), "い"),
    (re.compile(f"(?<=[{_KANJI}][らかさたなばまわがし])な(?=こと|ので|ため|よう|場合)"), "ない"),
    (re.compile("くだ(?:い|さ)(?=[。、!！\\n]|$)"), "ください"),
    (re.compile("(から|まで|より|です|ます|ので)\\1"), r"\1"),
    (re.compile("(?<=[月火水木金土日]曜)日"), ""),
    (re.compile("(?<=[\\d一二三四五六七八九十百数何])[ヶヵケカ箇個ｹ](?=[月所国年条])"), "か"),
    (re.compile("ということ(?=に)"), "こと"),
    (re.compile("(?<!友)達(?=[のがはをにもへと、。]|$)"), "たち"),
    (re.compile("(?:（株）|\\(株\\)|㈱|株式会社)"), "㈱"),
)


def in_one_writing(text: str) -> str:
    """Return a text with one writing of what is written in several ways, and without slips that make no word."""
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


def plain_katakana(text: str) -> str:
    """Return a text with one spelling of words in katakana: ヴァイオリン, インターフェイス, サーバー."""
    for sound, plain in _V:
        text = text.replace(sound, plain)
    return _KATAKANA.sub(_shortened, text)


def _shortened(match: re.Match[str]) -> str:
    word = match[0].translate(_LARGE if len(match[0]) >= _MIN_SHORTENED else _LARGE_SOUNDS)
    word = _LONG.sub("ー", word) if len(word) >= _MIN_LONG else word
    return word.rstrip("ー") if len(word) >= _MIN_SHORTENED else word


def is_slip_in_katakana(left: str, text: str, place: int) -> bool:
    """True if a character of a text is one that a slip may leave out of a long word in katakana: スケジュ(ー)ル.

    left: what stands there in the one text only. place: where it begins.
    """
    if len(left) != 1 or not "\u30a1" <= left <= "\u30fc":
        return False
    word = next((match for match in _KATAKANA.finditer(text) if match.start() <= place < match.end()), None)
    if word is None:
        return False
    least = _MIN_DOUBLED if left in "ーッツ" else _MIN_SLIPPED
    return len(word[0]) >= least and word.start() < place < word.end() - 1
