"""Times that a question names: days, months, years and what is said from today, in eleven languages."""

from __future__ import annotations

import calendar
import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.text.dates.find import intervals

# A Wednesday.
NOW = "2023-08-16T12:30:00.000000Z"

DAYS = {
    "What did we do on 7 May 2023?": "2023-05-07",
    "What happened on May 7th?": "2023-05-07",
    "May 7, 2021": "2021-05-07",
    "the 3rd of March 2022": "2022-03-03",
    "the third of March": "2023-03-03",
    "on 12 Sept 2022": "2022-09-12",
    "Dec. 24, 2022": "2022-12-24",
    "what did I say on 2023-05-07?": "2023-05-07",
    "notes of 2023/5/7": "2023-05-07",
    "on 25/7/2023": "2023-07-25",
    "on 7/25/2023": "2023-07-25",
    "Was war am 7.5.2023?": "2023-05-07",
    "on may 7th": "2023-05-07",
    "7 may 2022": "2022-05-07",
    "2022 May 3": "2022-05-03",
    "on 24 December": "2022-12-24",  # not after now
    "on 16 August": "2023-08-16",
    "on 17 August": "2022-08-17",
    "on 29 February": "2020-02-29",
    "29.2.2024": "2024-02-29",
    "yesterday": "2023-08-15",
    "What did I eat today?": "2023-08-16",
    "the day before yesterday": "2023-08-14",
    "last night": "2023-08-15",
    "three days ago": "2023-08-13",
    "10 days ago": "2023-08-06",
    "last Tuesday": "2023-08-15",
    "last Wednesday": "2023-08-09",
    "on Wednesday": "2023-08-16",
    "on monday": "2023-08-14",
    "in Tuesday's meeting": "2023-08-15",
    "Friday night": "2023-08-11",
    "this Monday": "2023-08-14",
    "the Sunday before 25 May 2023": "2023-05-21",
    "the Sunday after 25 May 2023": "2023-05-28",
    "two days after 1 June 2023": "2023-06-03",
    "the day before 1 March 2024": "2024-02-29",
    "the first Monday of June": "2023-06-05",
    "the last Friday in May 2022": "2022-05-27",
    "the last day of February 2024": "2024-02-29",
    # German
    "7. Mai 2023": "2023-05-07",
    "Was war am 3. Oktober?": "2022-10-03",
    "am Dienstag": "2023-08-15",
    "letzten Dienstagabend": "2023-08-15",
    "gestern": "2023-08-15",
    "vorgestern": "2023-08-14",
    "vor drei Tagen": "2023-08-13",
    "am 1. Jänner 2022": "2022-01-01",
    # French
    "le 7 mai 2023": "2023-05-07",
    "le 1er mars 2022": "2022-03-01",
    "Qu'est-ce que j'ai dit hier ?": "2023-08-15",
    "avant-hier": "2023-08-14",
    "mardi dernier": "2023-08-15",
    "il y a trois jours": "2023-08-13",
    # Spanish
    "7 de mayo de 2023": "2023-05-07",
    "el 3 de enero": "2023-01-03",
    "ayer": "2023-08-15",
    "anteayer": "2023-08-14",
    "el martes pasado": "2023-08-15",
    "hace tres días": "2023-08-13",
    # Italian
    "il 3 gennaio 2022": "2022-01-03",
    "ieri": "2023-08-15",
    "l'altro ieri": "2023-08-14",
    "tre giorni fa": "2023-08-13",
    "martedì scorso": "2023-08-15",
    # Portuguese
    "7 de maio de 2023": "2023-05-07",
    "ontem": "2023-08-15",
    "na terça-feira": "2023-08-15",
    "há três dias": "2023-08-13",
    # Dutch
    "3 maart 2022": "2022-03-03",
    "gisteren": "2023-08-15",
    "afgelopen dinsdag": "2023-08-15",
    "drie dagen geleden": "2023-08-13",
    # Japanese
    "2023年5月7日に何をした？": "2023-05-07",
    "２０２３年５月７日": "2023-05-07",
    "5月7日の会議": "2023-05-07",
    "令和5年5月7日": "2023-05-07",
    "12月25日": "2022-12-25",
    "昨日": "2023-08-15",
    "おとといの会議": "2023-08-14",
    "三日前": "2023-08-13",
    "先週の火曜日": "2023-08-08",
    "火曜日に話したこと": "2023-08-15",
    # Chinese
    "2023年5月7号": "2023-05-07",
    "五月七号": "2023-05-07",
    "昨天说了什么": "2023-08-15",
    "前天": "2023-08-14",
    "三天前": "2023-08-13",
    "上周二": "2023-08-08",
    "星期天": "2023-08-13",
    # Korean
    "2023년 5월 7일에 뭐 했어?": "2023-05-07",
    "어제": "2023-08-15",
    "그저께": "2023-08-14",
    "3일 전": "2023-08-13",
    "사흘 전에": "2023-08-13",
    "지난 화요일": "2023-08-15",
}

PERIODS = {
    "What did I read in May?": ("2023-05-01", "2023-05-31"),
    "in May 2022": ("2022-05-01", "2022-05-31"),
    "in September": ("2022-09-01", "2022-09-30"),
    "in may last year": ("2022-05-01", "2022-05-31"),
    "last July": ("2023-07-01", "2023-07-31"),
    "last August": ("2022-08-01", "2022-08-31"),
    "my January trip": ("2023-01-01", "2023-01-31"),
    "the month of March": ("2023-03-01", "2023-03-31"),
    "2023-05": ("2023-05-01", "2023-05-31"),
    "Where did I work in 2022?": ("2022-01-01", "2022-12-31"),
    "the year 1999": ("1999-01-01", "1999-12-31"),
    "Q3 2022 revenue": ("2022-07-01", "2022-09-30"),
    "the third quarter of 2022": ("2022-07-01", "2022-09-30"),
    "in the first week of June": ("2023-06-01", "2023-06-07"),
    "the last week of May": ("2023-05-25", "2023-05-31"),
    "the first weekend of August 2022": ("2022-08-06", "2022-08-07"),
    "early June": ("2023-06-01", "2023-06-10"),
    "mid-June 2022": ("2022-06-11", "2022-06-20"),
    "at the end of February 2024": ("2024-02-19", "2024-02-29"),
    "the beginning of 2022": ("2022-01-01", "2022-04-30"),
    "at the end of last year": ("2022-09-01", "2022-12-31"),
    "the first half of 2022": ("2022-01-01", "2022-06-30"),
    "last summer": ("2022-06-01", "2022-08-31"),
    "in the spring of 2021": ("2021-03-01", "2021-05-31"),
    "winter 2019": ("2019-12-01", "2020-02-29"),
    "in the fall": ("2022-09-01", "2022-11-30"),
    "two weeks ago": ("2023-07-30", "2023-08-05"),
    "a month ago": ("2023-07-01", "2023-07-31"),
    "a couple of weeks ago": ("2023-07-30", "2023-08-05"),
    "a few days ago": ("2023-08-10", "2023-08-14"),
    "last week": ("2023-08-07", "2023-08-13"),
    "last month": ("2023-07-01", "2023-07-31"),
    "last year": ("2022-01-01", "2022-12-31"),
    "last quarter": ("2023-04-01", "2023-06-30"),
    "this week": ("2023-08-14", "2023-08-20"),
    "in the past three weeks": ("2023-07-26", "2023-08-16"),
    "last weekend": ("2023-08-12", "2023-08-13"),
    "over the weekend": ("2023-08-12", "2023-08-13"),
    "the weekend before 25 May 2023": ("2023-05-20", "2023-05-21"),
    "the week before 25 May 2023": ("2023-05-18", "2023-05-24"),
    "two weeks before 1 May 2023": ("2023-04-14", "2023-04-20"),
    "the week of May 10, 2023": ("2023-05-08", "2023-05-14"),
    "May 3-7, 2023": ("2023-05-03", "2023-05-07"),
    "from 3 to 7 May 2022": ("2022-05-03", "2022-05-07"),
    "between March and May 2023": ("2023-03-01", "2023-05-31"),
    "from November to February": ("2022-11-01", "2023-02-28"),
    "from 2020 to 2022": ("2020-01-01", "2022-12-31"),
    "between 2023-05-01 and 2023-05-07": ("2023-05-01", "2023-05-07"),
    "since March": ("2023-03-01", "2023-08-16"),
    "since 2020": ("2020-01-01", "2023-08-16"),
    "after 7 May 2023": ("2023-05-08", "2023-08-16"),
    "before May 2022": ("0001-01-01", "2022-04-30"),
    "until May 2022": ("0001-01-01", "2022-05-31"),
    # German
    "letzte Woche": ("2023-08-07", "2023-08-13"),
    "vor zwei Wochen": ("2023-07-30", "2023-08-05"),
    "im Frühjahr": ("2023-03-01", "2023-05-31"),
    "im Mai letzten Jahres": ("2022-05-01", "2022-05-31"),
    "Was habe ich 2022 gemacht?": ("2022-01-01", "2022-12-31"),
    "im Jahr 2021": ("2021-01-01", "2021-12-31"),
    "Anfang Mai": ("2023-05-01", "2023-05-10"),
    "Ende März 2022": ("2022-03-21", "2022-03-31"),
    "im ersten Quartal 2022": ("2022-01-01", "2022-03-31"),
    "zwischen März und Mai 2022": ("2022-03-01", "2022-05-31"),
    "seit März": ("2023-03-01", "2023-08-16"),
    "am Wochenende": ("2023-08-12", "2023-08-13"),
    # French
    "la semaine dernière": ("2023-08-07", "2023-08-13"),
    "il y a deux semaines": ("2023-07-30", "2023-08-05"),
    "en mars": ("2023-03-01", "2023-03-31"),
    "début mai 2022": ("2022-05-01", "2022-05-10"),
    "l'été dernier": ("2022-06-01", "2022-08-31"),
    "de mars à mai 2022": ("2022-03-01", "2022-05-31"),
    "l'an dernier": ("2022-01-01", "2022-12-31"),
    # Spanish
    "la semana pasada": ("2023-08-07", "2023-08-13"),
    "hace dos semanas": ("2023-07-30", "2023-08-05"),
    "en mayo": ("2023-05-01", "2023-05-31"),
    "el año pasado": ("2022-01-01", "2022-12-31"),
    "el fin de semana pasado": ("2023-08-12", "2023-08-13"),
    # Italian
    "due settimane fa": ("2023-07-30", "2023-08-05"),
    "la settimana scorsa": ("2023-08-07", "2023-08-13"),
    "a maggio": ("2023-05-01", "2023-05-31"),
    # Portuguese
    "na semana passada": ("2023-08-07", "2023-08-13"),
    "há duas semanas": ("2023-07-30", "2023-08-05"),
    "em março de 2022": ("2022-03-01", "2022-03-31"),
    # Dutch
    "vorige week": ("2023-08-07", "2023-08-13"),
    "twee weken geleden": ("2023-07-30", "2023-08-05"),
    "in mei": ("2023-05-01", "2023-05-31"),
    # Japanese
    "先週": ("2023-08-07", "2023-08-13"),
    "先月": ("2023-07-01", "2023-07-31"),
    "去年の夏": ("2022-06-01", "2022-08-31"),
    "春に始めたこと": ("2023-03-01", "2023-05-31"),
    "令和5年5月": ("2023-05-01", "2023-05-31"),
    "平成30年": ("2018-01-01", "2018-12-31"),
    "2週間前": ("2023-07-30", "2023-08-05"),
    "3か月前": ("2023-05-01", "2023-05-31"),
    "5月上旬": ("2023-05-01", "2023-05-10"),
    "3月から5月まで": ("2023-03-01", "2023-05-31"),
    "2022年以降": ("2022-01-01", "2023-08-16"),
    "2022年第3四半期": ("2022-07-01", "2022-09-30"),
    "先週末": ("2023-08-12", "2023-08-13"),
    # Chinese
    "上个月": ("2023-07-01", "2023-07-31"),
    "去年五月": ("2022-05-01", "2022-05-31"),
    "两周前": ("2023-07-30", "2023-08-05"),
    "去年年底": ("2022-09-01", "2022-12-31"),
    # Korean
    "지난주": ("2023-08-07", "2023-08-13"),
    "두 달 전": ("2023-06-01", "2023-07-01"),
    "작년 여름": ("2022-06-01", "2022-08-31"),
    "5월 초": ("2023-05-01", "2023-05-10"),
}

NO_TIMES = [
    "",
    "What do I like for breakfast?",
    "May I go?",
    "who may march",
    "He may 3 times go",
    "option 3 may work",
    "in march order",
    "the last march was long",
    "the second march",
    "a second opinion",
    "April said hello",
    "a photo of April",
    "in June's kitchen",
    "in May Smith's house",
    "How much egg is in mayo?",
    "the Mars 2020 rover",
    "Sun sets in the west",
    "he sat on the chair",
    "el mar está en calma",
    "version 3.5",
    "version 3.5.2023",
    "v1.2.2023",
    "10.0.2.2023",
    "https://example.com/2023/05/07/post",
    'What does "1984" say about power?',
    'a quote in "1984"',
    "Room 2020",
    "Windows 2000",
    "in the 2020s",
    "ISO 9001",
    "call 555-2023-05",
    "on Fridays",
    "every Tuesday",
    "next Tuesday",
    "next week",
    "next July",
    "Black Friday",
    "in three weeks",
    "for three weeks",
    "one day",
    "day after day",
    "this day",
    "in the fall of Rome",
    "in Spring Boot 3",
    "we walked past an old house",
    "2023-02-30",
    "2023-13-01",
    "0 days ago",
    "99999 days ago",
    "Was ist hier los?",
    "Die Reise nach Mailand",
    "春樹さんの本",
    "青春",
    "毎日",
    "日曜大工",
    "5か月かかる",
    "前年比",
    "日本語",
]


def days(question: str, now: str = NOW) -> list[tuple[str, str]]:
    return [(found.start[:10], found.end[:10]) for found in intervals(question, now)]


@pytest.mark.parametrize(("question", "day"), DAYS.items())
def test_a_day_is_understood(question, day):
    assert days(question) == [(day, day)]


@pytest.mark.parametrize(("question", "period"), PERIODS.items())
def test_a_longer_time_is_understood(question, period):
    assert days(question) == [period]


@pytest.mark.parametrize("question", NO_TIMES)
def test_what_only_looks_like_a_time_is_none(question):
    assert days(question) == []


def test_an_interval_holds_the_whole_of_its_days_in_utc():
    (found,) = intervals("on 7 May 2023", NOW)
    assert found == ("2023-05-07T00:00:00.000000Z", "2023-05-07T23:59:59.999999Z")


def test_a_date_with_slashes_that_can_be_two_days_is_both():
    assert days("on 5/7/2023") == [("2023-05-07", "2023-05-07"), ("2023-07-05", "2023-07-05")]
    assert days("on 5/5/2023") == [("2023-05-05", "2023-05-05")]


def test_several_times_come_in_the_order_of_the_question_and_each_once():
    assert days("7 May 2023, yesterday, and again on 7 May 2023") == [
        ("2023-05-07", "2023-05-07"),
        ("2023-08-15", "2023-08-15"),
    ]
    assert len(days(", ".join(f"on {day} May 2023" for day in range(1, 29)))) == 4


@pytest.mark.parametrize(
    ("now", "question", "period"),
    [
        ("2024-01-01", "yesterday", ("2023-12-31", "2023-12-31")),
        ("2024-01-03", "last week", ("2023-12-25", "2023-12-31")),
        ("2024-01-15", "last month", ("2023-12-01", "2023-12-31")),
        ("2024-01-15", "in December", ("2023-12-01", "2023-12-31")),
        ("2024-01-15", "last winter", ("2022-12-01", "2023-02-28")),
        ("2024-01-15", "this winter", ("2023-12-01", "2024-02-29")),
        ("2024-03-31", "one month ago", ("2024-02-14", "2024-03-15")),
        ("2024-02-29", "a year ago", ("2022-08-30", "2023-08-29")),
        ("2024-02-29", "on 29 February", ("2024-02-29", "2024-02-29")),
        ("2023-08-12", "last weekend", ("2023-08-05", "2023-08-06")),
        ("2023-08-13", "on the weekend", ("2023-08-12", "2023-08-13")),
        ("2023-08-14", "last weekend", ("2023-08-12", "2023-08-13")),
        ("2023-05-20", "this summer", ("2023-06-01", "2023-08-31")),
    ],
)
def test_times_count_from_the_time_of_the_question(now, question, period):
    assert days(question, f"{now}T00:00:00.000000Z") == [period]


@pytest.mark.parametrize("now", ["", "now", "2023", "2023-99-99T00:00:00.000000Z"])
def test_without_a_clock_there_is_no_time(now):
    assert intervals("last week", now) == ()


@pytest.mark.parametrize("question", ["999 years ago", "before yesterday", "last year", "vor 999 Wochen", "一年前"])
def test_nothing_is_before_the_calendar(question):
    assert all(found.start <= found.end for found in intervals(question, "0001-01-02T00:00:00.000000Z"))


@pytest.mark.parametrize(
    "piece",
    ["May 7 ", "last week of ", "between March and ", "1", "3月から", "年", "a ", "1.", "2023-", "第", "\ud800"],
)
def test_a_long_text_takes_no_longer_than_its_beginning(piece):
    started = time.process_time()
    intervals(piece * (1_000_000 // len(piece)), NOW)
    assert time.process_time() - started < 1


PIECES = (
    "May march 7 7th 2023 31 last week of the in between and to since before two days ago Tuesday weekend . , - / "
    "2023-05-07 Q3 first early Mai vor il y a 'l hier 5月 7日 先週 から 去年 夏 前 지난 주 전"
)


@given(
    st.lists(st.sampled_from(PIECES.split()), max_size=12), st.booleans(), st.dates(date(1950, 1, 1), date(2090, 1, 1))
)
def test_any_words_of_times_give_intervals_in_order(pieces, is_spaced, today):
    for found in intervals((" " if is_spaced else "").join(pieces), f"{today.isoformat()}T00:00:00.000000Z"):
        assert found.start <= found.end
        assert len(found.start) == len(found.end) == len(NOW)


@given(st.text(max_size=60))
def test_any_text_is_read(text):
    assert isinstance(intervals(text, NOW), tuple)


@given(st.dates(date(1900, 1, 1), date(2023, 8, 16)))
def test_a_day_is_the_same_in_all_ways_of_writing(day):
    month = calendar.month_name[day.month]
    expected = [(day.isoformat(), day.isoformat())]
    assert days(day.isoformat()) == expected
    assert days(f"on {day.day} {month} {day.year}") == expected
    assert days(f"on {month} {day.day}, {day.year}") == expected
    assert days(f"am {day.day}.{day.month}.{day.year}") == expected
    assert days(f"{day.year}年{day.month}月{day.day}日") == expected
    assert days(f"{day.year}년 {day.month}월 {day.day}일") == expected


@given(st.integers(1, 300))
def test_days_ago_are_counted(number):
    day = (date(2023, 8, 16) - timedelta(days=number)).isoformat()
    for question in (f"{number} days ago", f"vor {number} Tagen", f"{number}日前", f"{number}일 전", f"{number}天前"):
        assert days(question) == [(day, day)]


@pytest.mark.parametrize("question", ["二三日前に何を話した?", "七八月份的旅行", "三四周前", "令和一二年", "十十月"])
def test_numbers_that_are_not_one_number_are_no_time(question):
    assert intervals(question, "2026-03-15T12:00:00.000000Z") is not None
