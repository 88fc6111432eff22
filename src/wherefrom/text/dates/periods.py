"""Periods of the calendar as whole days: days, weeks, months, quarters, seasons and years, and parts of them.

A period without a year of its own ("in May") is the latest one that does not begin after a given day.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from wherefrom.text.dates.interval import Interval

Unit = str
"""day, week, weekend, month, quarter or year."""

MONTHS: Final = 12
DAYS_A_LONG_MONTH: Final = 31
DAYS_A_SHORT_MONTH: Final = 28
_DAYS_A_WEEK: Final = 7
_MONTHS_A_QUARTER: Final = 3
_SATURDAY: Final = 5
# 29 February comes back after eight years at the latest (1896, 1904).
_YEARS_LOOKED_BACK: Final = 9
# "Two weeks ago" is a day at which few count exactly: so many days on either side are meant, too.
_SLACK_DAYS: Final = {"day": 0, "weekend": 0, "week": 3, "month": 15, "quarter": 45, "year": 182}
_DAYS: Final = {"day": 1, "week": 7, "weekend": 7}
_MONTHS_OF: Final = {"month": 1, "quarter": _MONTHS_A_QUARTER, "year": MONTHS}


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`; both belong to it. of_year: makes it of another year, if no year was named."""

    start: date
    end: date
    of_year: Callable[[int], Period | None] | None = None

    def interval(self) -> Interval:
        """Return the period from the first to the last microsecond of its days, in UTC."""
        return Interval(f"{self.start.isoformat()}T00:00:00.000000Z", f"{self.end.isoformat()}T23:59:59.999999Z")


def of_day(year: int, month: int, day: int) -> Period | None:
    """Return a day; None if the calendar has no such day."""
    try:
        one = date(year, month, day)
    except ValueError:
        return None
    return Period(one, one)


def of_month(year: int, month: int, count: int = 1) -> Period | None:
    """Return some months in a row; None if there is no such month."""
    if not 1 <= month <= MONTHS:
        return None
    last = year * MONTHS + month - 1 + count - 1
    last_year, last_month = divmod(last, MONTHS)
    days = calendar.monthrange(last_year, last_month + 1)[1]
    return Period(date(year, month, 1), date(last_year, last_month + 1, days))


def of_quarter(year: int, number: int) -> Period | None:
    """Return a quarter of a year, by its number from 1."""
    return of_month(year, _MONTHS_A_QUARTER * (number - 1) + 1, _MONTHS_A_QUARTER) if 1 <= number <= 4 else None


def of_season(year: int, number: int) -> Period | None:
    """Return a season of the northern half: 0 is spring (March to May), 3 is winter (December to February)."""
    return of_month(year, _MONTHS_A_QUARTER * (number + 1), _MONTHS_A_QUARTER)


def of_year(year: int) -> Period | None:
    """Return a year."""
    return of_month(year, 1, MONTHS)


def latest(made: Callable[[int], Period | None], bound: date) -> Period | None:
    """Return the latest of the periods that a function makes of years, which does not begin after a day."""
    for year in range(bound.year, max(bound.year - _YEARS_LOOKED_BACK, 1), -1):
        period = made(year)
        if period is not None and period.start <= bound:
            return Period(period.start, period.end, made)
    return None


def around(day: date, unit: Unit) -> Period:
    """Return the week, weekend, month, quarter or year that a day is in; of a weekend, that of its week."""
    if unit in _DAYS:
        monday = day - timedelta(days=day.weekday())
        first = {"day": day, "week": monday, "weekend": monday + timedelta(days=_SATURDAY)}[unit]
        return Period(first, first + timedelta(days={"day": 0, "week": 6, "weekend": 1}[unit]))
    count = _MONTHS_OF[unit]
    found = of_month(day.year, (day.month - 1) // count * count + 1, count)
    assert found is not None
    return found


def moved(day: date, number: int, unit: Unit) -> date:
    """Return the day so many units later (or earlier, if negative); in a shorter month its last day."""
    if unit in _DAYS:
        return day + timedelta(days=_DAYS[unit] * number)
    year, month = divmod(day.year * MONTHS + day.month - 1 + _MONTHS_OF[unit] * number, MONTHS)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def ago(now: date, number: int, unit: Unit) -> Period:
    """Return the time so many units before a day, as exactly as people count."""
    if unit == "weekend":
        return around(moved(now, -number, unit), unit)
    return _about(moved(now, -number, unit), unit)


def few_ago(now: date, unit: Unit) -> Period:
    """Return the time from six to two units before a day."""
    return Period(moved(now, -6, unit), moved(now, -2, unit))


def previous(now: date, unit: Unit) -> Period:
    """Return the last week, month, quarter or year that is over, or the last weekend."""
    if unit == "weekend" and now.weekday() < _SATURDAY:
        return around(moved(now, -1, unit), unit)
    return around(around(now, unit).start - timedelta(days=1), unit) if unit != "weekend" else ago(now, 1, unit)


def recent(now: date, number: int, unit: Unit) -> Period:
    """Return the last so many units up to a day."""
    return Period(moved(now, -number, unit), now)


def beside(period: Period, number: int, unit: Unit, *, is_after: bool) -> Period:
    """Return what is so many units before or after a period: "the weekend before", "two weeks after"."""
    sign, edge = (1, period.end) if is_after else (-1, period.start)
    if unit == "weekend":
        near = around(edge, unit)
        if (near.start - edge).days * sign <= 0:
            near = around(moved(edge, sign, unit), unit)
        return near
    if unit == "week" and number == 1:
        ends = sorted((edge + timedelta(days=sign), edge + timedelta(days=sign * _DAYS_A_WEEK)))
        return Period(ends[0], ends[1])
    return _about(moved(edge, sign * number, unit), unit)


def weekday_before(day: date, weekday: int, *, may_be_same: bool = False) -> Period:
    """Return the latest such weekday (0 is Monday) before a day."""
    back = (day.weekday() - weekday) % _DAYS_A_WEEK
    found = day - timedelta(days=back if back or may_be_same else _DAYS_A_WEEK)
    return Period(found, found)


def weekday_after(day: date, weekday: int) -> Period:
    """Return the first such weekday after a day."""
    found = day + timedelta(days=(weekday - day.weekday() - 1) % _DAYS_A_WEEK + 1)
    return Period(found, found)


def third(period: Period, number: int) -> Period:
    """Return the beginning (0), the middle (1) or the end (2) of a period: a third of it; of a month ten days."""
    return _with_year(period, lambda whole: _share(whole, number, 3))


def half(period: Period, number: int) -> Period:
    """Return the first (1) or second (2) half of a period."""
    return _with_year(period, lambda whole: _share(whole, number - 1, 2))


def nth(period: Period, number: int, unit: Unit) -> Period | None:
    """Return the so-manieth day, week, weekend, month or quarter of a period; -1 is the last. A week counts from the
    first day on, or up to the last.
    """
    if unit in ("month", "quarter"):
        found = around(period.end if number < 0 else moved(period.start, number - 1, unit), unit)
        return found if period.start <= found.start and found.end <= period.end else None
    if unit == "weekend":
        return _nth_weekday(period, number, _SATURDAY, days=2)
    size = _DAYS.get(unit, 0)
    if not size:
        return None
    first = period.end - timedelta(days=size - 1) if number < 0 else period.start + timedelta(days=size * (number - 1))
    return Period(first, min(first + timedelta(days=size - 1), period.end)) if first <= period.end else None


def nth_weekday(period: Period, number: int, weekday: int) -> Period | None:
    """Return the so-manieth such weekday of a period; -1 is the last."""
    return _nth_weekday(period, number, weekday, days=1)


def _nth_weekday(period: Period, number: int, weekday: int, *, days: int) -> Period | None:
    if number < 0:
        first = weekday_before(period.end, weekday, may_be_same=True).start
    else:
        first = weekday_after(period.start - timedelta(days=1), weekday).start + timedelta(days=7 * (number - 1))
    return Period(first, first + timedelta(days=days - 1)) if period.start <= first <= period.end else None


def _about(day: date, unit: Unit) -> Period:
    slack = timedelta(days=_SLACK_DAYS[unit])
    return Period(day - slack, day + slack)


def _share(period: Period, number: int, count: int) -> Period:
    """Return one of so many equal parts of a period: in whole months if it has enough of them, else in whole days."""
    days = (period.end - period.start).days + 1
    unit, size = ("month", days // DAYS_A_SHORT_MONTH // count) if days > count * DAYS_A_LONG_MONTH else ("day", 0)
    size = size or days // count
    start = moved(period.start, size * number, unit)
    end = period.end if number == count - 1 else moved(period.start, size * (number + 1), unit) - timedelta(days=1)
    return Period(start, end)


def _with_year(period: Period, change: Callable[[Period], Period]) -> Period:
    made = period.of_year
    if made is None:
        return change(period)

    def changed(year: int) -> Period | None:
        found = made(year)
        return None if found is None else change(found)

    new = change(period)
    return Period(new.start, new.end, changed)
