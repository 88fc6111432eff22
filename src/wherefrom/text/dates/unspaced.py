"""Times in Japanese, Chinese and Korean, whose words have no spaces or carry particles: one pattern for each kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Final

from wherefrom.text.dates import periods
from wherefrom.text.dates.periods import Period

# The year before the first of an era.
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911}
_DIGITS: Final = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_KOREAN: Final = {
    "일": 1,
    "이": 2,
    "삼": 3,
    "한": 1,
    "두": 2,
    "세": 3,
    "네": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
    "열": 10,
}
_KOREAN_DAYS: Final = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "열흘": 10}
_YEARS_BACK: Final = {
    **dict.fromkeys(("去年", "昨年", "작년", "지난해"), 1),
    **dict.fromkeys(("一昨年", "おととし", "재작년"), 2),
    **dict.fromkeys(("今年", "올해"), 0),
}
_DAYS_BACK: Final = {
    **dict.fromkeys(("一昨日", "おととい", "前天", "그저께", "그제"), 2),
    **dict.fromkeys(("昨日", "きのう", "昨夜", "昨晩", "昨天", "昨晚", "어제", "어젯밤"), 1),
    **dict.fromkeys(("今日", "きょう", "本日", "今朝", "今夜", "今天", "今晚", "오늘"), 0),
}
_UNITS: Final = {
    "day": ("日間", "日", "天", "일"),
    "week": ("週間", "週", "周", "个星期", "個星期", "个礼拜", "個禮拜", "주일", "주"),
    "month": ("か月", "ヶ月", "カ月", "ヵ月", "ケ月", "箇月", "个月", "個月", "개월", "달"),
    "year": ("年間", "年", "년"),
}
_WEEKDAYS: Final = "月火水木金土日", "一二三四五六日", "월화수목금토일"
_SEASONS: Final = "春夏秋冬", ("봄", "여름", "가을", "겨울")
_PARTS: Final = {
    **dict.fromkeys(("上旬", "初旬", "初め", "はじめ", "初頭", "初", "头", "頭", "초순", "초"), 0),
    **dict.fromkeys(("中旬", "半ば", "なかば", "중순", "중반"), 1),
    **dict.fromkeys(("下旬", "末", "終わり", "底", "하순", "말"), 2),
}
_NUMBER: Final = "(?:[0-9]{1,3}|[一二三四五六七八九十]{1,3}|[两兩])"
_COUNT: Final = f"(?:{_NUMBER}|{'|'.join(_KOREAN)})"
# What makes a time a beginning, an end, or the first of two.
_SINCE: Final = re.compile(r"\s*(?:以降|以来|以後|以后|以來|からずっと|부터|이후)")
_UNTIL: Final = re.compile(r"\s*(?:以前|まで|之前|為止|为止|까지|이전)")
_TO: Final = re.compile(r"\s*(?:から|より|〜|~|～|-|–|到|至|부터|에서|と)\s*")
_WRITTEN: Final = re.compile(r"[぀-ヿ一-鿿가-힯]")

Made = Callable[[re.Match[str], date], Period | None]


def find(question: str, now: date) -> list[tuple[int, Period]]:
    """Return the times that a question names, each with its place."""
    if _WRITTEN.search(question) is None:
        return []
    found: dict[tuple[int, int], Period] = {}
    taken = 0
    for hit in _pattern().finditer(question):
        if hit.start() < taken or hit.lastgroup is None:
            continue
        period = _made(hit, now)
        if period is not None:
            found[hit.span()] = period
            taken = hit.end()
    return _ranged(question, found, now)


def _ranged(question: str, found: dict[tuple[int, int], Period], now: date) -> list[tuple[int, Period]]:
    """Return the times, two that a word joins as one, and those that are a beginning or an end as open ones."""
    ranged: list[tuple[int, Period]] = []
    rows = list(found.items())
    at = 0
    while at < len(rows):
        (start, end), period = rows[at]
        at += 1
        if at < len(rows) and (join := _TO.match(question, end)) is not None and join.end() == rows[at][0][0]:
            last = rows[at][1]
            first = periods.latest(period.of_year, last.start) if period.of_year else period
            if first is not None and first.start <= last.end:
                ranged.append((start, Period(first.start, last.end)))
                at += 1
                continue
        if _SINCE.match(question, end) and period.start <= now:
            period = Period(period.start, now)
        elif _UNTIL.match(question, end):
            period = Period(date.min, period.end)
        ranged.append((start, period))
    return ranged


@cache
def _pattern() -> re.Pattern[str]:
    """All kinds of times in one pattern, the longest first; the name of the last group is the kind."""
    year = (
        rf"(?P<era>{'|'.join(_ERAS)})(?P<era_year>元|{_NUMBER})年度?|(?P<year>(?:19|20)[0-9][0-9])\s?[年년]"
        rf"|(?P<back>{_any(_YEARS_BACK)})"
    )
    units = _any(unit for words in _UNITS.values() for unit in words)
    weekday = (
        rf"(?P<ja>[{_WEEKDAYS[0]}])曜(?:日|(?!大工))|(?:星期|礼拜|禮拜|周|週)(?P<zh>[{_WEEKDAYS[1]}天])"
        rf"|(?P<ko>[{_WEEKDAYS[2]}])요일"
    )
    season = rf"(?P<season>[{_SEASONS[0]}](?:天|季)?|{'|'.join(_SEASONS[1])})"
    part = rf"(?:\s?の?(?P<part>{_any(_PARTS)}))?"
    of_year = rf"(?:(?:{year})(?:の|的|,|\s)*)"
    month = r"(?<![0-9.])(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})[月월](?!間|曜|份之)"
    last_week, this_week = r"先週の?|上个?|上個?|지난\s?주?\s?", r"이번\s?주?\s?|今週の?|这个?|這個?|本"
    last_weekend = r"先週末|上周末|上週末|上个周末|上個週末|지난\s?주말"
    this_weekend = r"この週末|今週末|这个?周末|這個?週末|이번\s?주말|週末に|주말에"
    kinds = {
        "of_month": rf"{of_year}?{month}(?:\s?(?P<day>{_NUMBER})[日号號일]|{part})",
        "of_season": rf"(?:{of_year}|(?P<this>この|지난\s?|이번\s?)|(?<![一-鿿가-힯]))"
        rf"{season}(?=に|の|から|まで|頃|ごろ|休み|에|부터|까지|$|[\s、。？?,，])",
        "of_quarter": rf"{of_year}?(?:第\s?(?P<quarter>[1-4一二三四])\s?(?:四半期|季度|季)|(?P<q_ko>[1-4])\s?분기)",
        "of_half": rf"{of_year}?(?P<half>上半期|下半期|上半年|下半年|상반기|하반기)",
        "of_year": rf"(?:{year})(?:[の年]?(?P<year_part>{_any(_PARTS)}))?",
        "ago": rf"(?:(?P<count>{_COUNT})\s?(?P<unit>{units})|(?P<days>{'|'.join(_KOREAN_DAYS)}))"
        r"\s?(?:ほど|くらい|ぐらい)?\s?(?:前|まえ|전)(?!半)",
        "of_weekday": rf"(?:(?P<week>{last_week}|{this_week})\s?)?(?:{weekday})",
        "of_weekend": rf"(?P<weekend>{last_weekend}|{this_weekend})",
        "of_unit": r"(?P<which>先|上个?|上個?|지난\s?|今|本|这个?|這個?|이번\s?)"
        r"(?P<of>週|周|星期|礼拜|月|주|달)(?!末|曜|球|里)",
        "of_day": rf"(?P<day_back>{_any(_DAYS_BACK)})",
    }
    # A group's name can be used once: those of a year are in several kinds, and are numbered.
    alternatives = []
    for number, (kind, pattern) in enumerate(kinds.items()):
        numbered = re.sub(r"\?P<(\w+)>", rf"?P<\1_{number}>", pattern)
        alternatives.append(f"(?P<{kind}>{numbered})")
    return re.compile("|".join(alternatives))


def _any(words: object) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))  # type: ignore[call-overload]


def _made(hit: re.Match[str], now: date) -> Period | None:
    kind = next(name for name in _KINDS if hit.group(name) is not None)
    groups = {name.rpartition("_")[0]: value for name, value in hit.groupdict().items() if value and name not in _KINDS}
    try:
        return _KINDS[kind](groups, now)
    except (OverflowError, ValueError, KeyError):
        return None  # beyond the calendar, or no one number: 二三日 is two or three days


Groups = dict[str, str]


def _year(groups: Groups, now: date) -> int | None:
    if era := groups.get("era"):
        return _ERAS[era] + (1 if groups["era_year"] == "元" else _number(groups["era_year"]))
    if year := groups.get("year"):
        return int(year)
    return now.year - _YEARS_BACK[groups["back"]] if "back" in groups else None


def _of_year(made: Callable[[int], Period | None], groups: Groups, now: date) -> Period | None:
    year = _year(groups, now)
    return periods.latest(made, now) if year is None else made(year)


def _month(groups: Groups, now: date) -> Period | None:
    month = _number(groups["month"])
    if "day" in groups:
        day = _number(groups["day"])
        return _of_year(lambda year: periods.of_day(year, month, day), groups, now)
    period = _of_year(lambda year: periods.of_month(year, month), groups, now)
    return periods.third(period, _PARTS[groups["part"]]) if period and "part" in groups else period


def _season(groups: Groups, now: date) -> Period | None:
    word = groups["season"]
    number = _SEASONS[0].find(word[0])
    number = _SEASONS[1].index(word) if number < 0 else number
    return _of_year(lambda year: periods.of_season(year, number), groups, now)


def _quarter(groups: Groups, now: date) -> Period | None:
    number = _number(groups.get("quarter") or groups["q_ko"])
    return _of_year(lambda year: periods.of_quarter(year, number), groups, now)


def _half(groups: Groups, now: date) -> Period | None:
    number = 1 if groups["half"][0] in "上상" else 2

    def made(year: int) -> Period | None:
        whole = periods.of_year(year)
        return whole and periods.half(whole, number)

    return _of_year(made, groups, now)


def _whole_year(groups: Groups, now: date) -> Period | None:
    year = _of_year(periods.of_year, groups, now)
    return periods.third(year, _PARTS[groups["year_part"]]) if year and "year_part" in groups else year


def _ago(groups: Groups, now: date) -> Period | None:
    if "days" in groups:
        return periods.ago(now, _KOREAN_DAYS[groups["days"]], "day")
    unit = next(unit for unit, words in _UNITS.items() if groups["unit"] in words)
    return periods.ago(now, _number(groups["count"]), unit)


def _weekday(groups: Groups, now: date) -> Period | None:
    if "zh" in groups:
        number = (_WEEKDAYS[1].replace("日", "天")).index(groups["zh"].replace("日", "天"))
    else:
        number = _WEEKDAYS[0].index(groups["ja"]) if "ja" in groups else _WEEKDAYS[2].index(groups["ko"])
    week = groups.get("week", "")
    if not week or week.strip() == "지난":
        return periods.weekday_before(now, number, may_be_same=not week)
    start = periods.around(now, "week").start - timedelta(days=7 if week[0] in "先上지" else 0)
    return Period(start + timedelta(days=number), start + timedelta(days=number))


def _weekend(groups: Groups, now: date) -> Period | None:
    word = groups["weekend"]
    if word[0] in "先上지":
        return periods.previous(now, "weekend")
    found = periods.around(now, "weekend")
    return found if found.start <= now or word[-1] not in "に에" else periods.previous(now, "weekend")


def _unit(groups: Groups, now: date) -> Period | None:
    unit = "month" if groups["of"] in "月달" else "week"
    return periods.previous(now, unit) if groups["which"][0] in "先上지" else periods.around(now, unit)


def _day(groups: Groups, now: date) -> Period | None:
    day = now - timedelta(days=_DAYS_BACK[groups["day_back"]])
    return Period(day, day)


_KINDS: Final[dict[str, Callable[[Groups, date], Period | None]]] = {
    "of_month": _month,
    "of_season": _season,
    "of_quarter": _quarter,
    "of_half": _half,
    "of_year": _whole_year,
    "ago": _ago,
    "of_weekday": _weekday,
    "of_weekend": _weekend,
    "of_unit": _unit,
    "of_day": _day,
}


def _number(text: str) -> int:
    """Return a number in digits, in Han numerals up to 99, or in Korean words."""
    if text.isdecimal():
        return int(text)
    if text in _KOREAN:
        return _KOREAN[text]
    tens, ten, ones = text.rpartition("十")
    if ten:
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return _DIGITS[text]
