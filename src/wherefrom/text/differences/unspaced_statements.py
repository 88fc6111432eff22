"""Reads short statements in Japanese, Chinese and Korean; see `statements`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.statement_words import (
    BREAK,
    CLOCK,
    DAY,
    FUNCTION,
    NUMBER,
    QUALIFIER,
    TOKEN,
    UNIT,
    VERB,
    Statement,
    Word,
    identifier_of,
    number_of,
    told_title,
    word_of,
)

_BEFORE_WEEKDAY, _HAN_WEEKDAYS = ("期", "周", "週", "拜"), ("一", "二", "三", "四", "五", "六", "日", "天")
# Of what denies, only what makes a sentence its opposite: 未着手 is a value.
_DENYING: Final = {
    "ja": re.compile("な(?:い|かっ|くな|し$)|ませ?ん"),
    "zh": re.compile("[不没沒]"),
    "ko": known.KOREAN_NOT,
}
_KANA: Final = re.compile("[\u3041-\u309f]")
_IS_KANA: Final = re.compile("[\u3041-\u309f]+")
_JA_NOW: Final = re.compile(
    "(?:現在では|現在は|現在|今では|今は|いまは|いまでは|最近は|今(?![日週月年朝夜回後])|新しく|もう|すでに)[、,]?"
)
_JA_LEADING: Final = re.compile(
    "^(?:更新|訂正|変更|修正|メモ)[::、]\\s*|^[^、。]{0,14}?(?:時点で?は?|現在|以降は?|から)[、,]"
)
_JA_BECAME: Final = re.compile(
    "(?:(?:に|へ|と)(?:なりました|なった|変わりました|変わった|変更(?:され(?:ました|た)|しました|した|となりました|になりました)|移(?:りました|った)))(?=[。、]?$)"
)
_JA_ENDINGS: Final = (
    (re.compile("(?:ています|てます|てる|ておる|ております)(?=[。、]|$)"), "ている"),
    (re.compile("(?:でいます|でます|でる|でおります)(?=[。、]|$)"), "でいる"),
    (re.compile("(?:です|だ|である|であります|でございます)(?=[。、]|$)"), "です"),
)
_JA_UNSURE: Final = re.compile(
    "^(?:ある(?!い)|別の|一つの|いくつか)|もし|かも|たら|なら(?!び)|でしょう|だろう|昨日|今日|明日|先週|来週|きのう|きょう|たい(?:です|。|$)|と思|ありがとう|こんにちは"
)
_JA_PLANNED: Final = re.compile("予定|計画|見込|目標|つもり|はず|案では|予想|見積")
_JA_FUNCTION: Final = frozenset(
    [
        "は",
        "が",
        "を",
        "に",
        "で",
        "の",
        "と",
        "へ",
        "も",
        "や",
        "から",
        "まで",
        "です",
        "さん",
        "くん",
        "ちゃん",
        "様",
        "氏",
        "より",
        "では",
        "には",
        "とは",
        "という",
    ]
)
_JA_SPLIT: Final = re.compile("^(です|には|では|とは|から|まで|より|さん|くん|ちゃん|[はがをにでのとへもや])")
_JA_END: Final = re.compile("(は|が|です|に|で|を|の|と)$")
_JA_SINGLE: Final = re.compile(
    "(?:者|係|長|先|医|数|率|量|額|地|所|レベル|期限|締切|締め切り|価格|料金|値段|金額|住所|名前|名|会議|場所|会場|時間|日時|時刻|日|予算|上限|下限|番号|色|首都|職業|状態|状況|担当|上司|責任者|言語|"
    "サイズ|パスワード|ポート|バージョン|ステータス|データベース|タイムアウト|リーダー|マネージャー|オーナー|エディタ|フレームワーク|地域|リージョン|部署|役職|身長|体重|年齢|"
    "定休日|家賃|給料|年収|モード|プラン|優先度|単位|通貨|形式|店|部屋|座席|席)$"
)
_UNITS: Final = re.compile("[円人年月日時分秒個本台回枚歳才名倍度階号番室間週半頃点]+")
_QUALIFIERS: Final = re.compile(
    "本番|検証|開発環境|ステージング|平日|週末|午前|午後|朝|夜|夏|冬|四半期|上期|下期|大人|子供|子ども|国内|海外|往路|復路"
)
_ZH_NOW: Final = re.compile("现在|目前|如今|現在|已经|已經|最近")
_ZH_VERB: Final = re.compile("住在|住|位于|是|在|改为|改成|改為|为|為|到|叫|定于|设为|改到|搬到|月薪|:|换成")
_ZH_UNSURE: Final = re.compile("如果|也许|可能|昨天|今天|明天|吗|了吧|谢谢|你好|应该")
_ZH_PLANNED: Final = re.compile("计划|預定|预计|打算|目标|將|将")
_KO_NOW: Final = re.compile("지금은?|현재는?|이제는?|요즘은?|최근에?")
_KO_UNSURE: Final = re.compile("만약|아마|어제|오늘|내일|까요|고마|감사|안녕|았다|었다|했다|았어|었어|했어|습니까")
_KO_PLANNED: Final = re.compile("예정|계획|목표|예상")
_KO_TOPIC: Final = re.compile(".(?:은|는|이|가|께서)$")


def read_unspaced(plain: str, title: str | None, script: str) -> Statement | None:
    now, unsure, plans = {
        "ja": (_JA_NOW, _JA_UNSURE, _JA_PLANNED),
        "zh": (_ZH_NOW, _ZH_UNSURE, _ZH_PLANNED),
        "ko": (_KO_NOW, _KO_UNSURE, _KO_PLANNED),
    }[script]
    if unsure.search(plain):
        return None
    short, changed = now.subn("", plain)
    if script == "ja":
        short, leading = _JA_LEADING.subn("", short)
        short = short.rstrip("。. ")
        short, became = _JA_BECAME.subn("です", short)
        for ending, form in _JA_ENDINGS:
            short = ending.sub(form, short)
        changed += leading + became
    words = [word for word in _runs(short, script) if word.text not in ("、", ",")]
    while words and words[-1].marks & BREAK:
        words.pop()
    behind = _behind_topic(words, short, script)
    subject = [word for word in words[: max(behind - 1, 0)] if not word.marks & FUNCTION]
    return Statement(
        words=tuple(word.text for word in words),
        marks=tuple(word.marks for word in words),
        behind=behind,
        script=script,
        title=told_title(title, plain),
        changes=changed > 0,
        planned=bool(plans.search(plain)),
        negations=len(_DENYING[script].findall(short)),
        stems=tuple(word.text for word in words if not _IS_KANA.fullmatch(word.text)),
        head=subject[-1].text if subject else "",
        single=bool(subject and _JA_SINGLE.search(subject[-1].text)),
        named=not any(word.text in ("の", "的") for word in words[:behind]),
        routine="毎週" in plain or "定例" in plain,
    )


def _runs(short: str, script: str) -> list[Word]:
    words: list[Word] = []
    for identifier, number, word, run, mark in re.findall(TOKEN, short):
        if mark:
            if mark[0] in "、,，":
                continue
            words.append(Word(mark[0], VERB if mark[0] in ":=：" else BREAK))
        elif identifier:
            words.append(identifier_of(identifier))
        elif number:
            words.append(number_of(number))
        elif word:
            words.append(word_of(word))
        elif script == "zh":
            words += map(_han, re.findall(f"[{known.HAN_NUMERALS}]+|.", run))
        elif script == "ja" and _KANA.match(run):
            words += _kana_words(run, after_noun=bool(words))
        else:
            words.append(_han(run))
    for at, (text, marks) in enumerate(words[:-1]):
        if marks & NUMBER and words[at + 1].text[:1] in "月日年時时点號号分월일년시":
            words[at] = Word(text, marks | CLOCK)
        elif text in _BEFORE_WEEKDAY and words[at + 1].text in _HAN_WEEKDAYS:
            words[at + 1] = Word(words[at + 1].text, DAY)
    return words


@lru_cache(maxsize=16_384)
def _han(run: str) -> Word:
    if re.search("[月火水木金土日]曜|(?:星期|礼拜|周|週)[一二三四五六日天]|[월화수목금토일]요일", run):
        return Word(run, DAY)
    if re.fullmatch(f"[{known.HAN_NUMERALS}]+[人円年月日時分個本台回枚歳万名倍]*", run):
        return Word(run, NUMBER)
    if _UNITS.fullmatch(run):
        return Word(run, UNIT)
    return Word(run, QUALIFIER if _QUALIFIERS.search(run) else 0)


def _kana_words(run: str, *, after_noun: bool) -> list[Word]:
    """A run of hiragana as particles and words."""
    words: list[Word] = []
    rest = run
    if after_noun:
        while match := _JA_SPLIT.match(rest):
            words.append(Word(match[0], FUNCTION))
            rest = rest[match.end() :]
    ends: list[Word] = []
    while len(rest) > 1 and (match := _JA_END.search(rest)) and rest != "です" and len(rest) > len(match[0]):
        ends.insert(0, Word(match[0], FUNCTION))
        rest = rest[: match.start()]
    if rest:
        words.append(Word(rest, FUNCTION if rest in _JA_FUNCTION else 0))
    return words + ends


def _behind_topic(words: list[Word], short: str, script: str) -> int:
    """Where a value may begin: behind the topic in Japanese and Korean, behind the verb in Chinese."""
    if script == "zh":
        match = _ZH_VERB.search(short, 1)
        return 0 if match is None else len(_runs(short[: match.end()], script))
    for at, word in enumerate(words):
        if word.marks & BREAK:
            return 0
        is_topic = word.text in ("は", "が") if script == "ja" else bool(_KO_TOPIC.search(word.text))
        if at + (script == "ko") > 0 and (is_topic or word.text in ":=："):
            return at + 1
    return 0
