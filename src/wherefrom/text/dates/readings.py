"""What tokens that fit a pattern of the grammar mean: the period of a time, or None if they are no time after all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from wherefrom.text.dates import periods
from wherefrom.text.dates.periods import Period
from wherefrom.text.dates.tokens import Token
from wherefrom.text.dates.words import NAMES, VERBS

Found = tuple[Period, ...]
# "Before 2020" has no beginning.
_LONG_AGO: Final = date.min
_HALF_A_YEAR_DAYS: Final = 182
_FEW_UNITS: Final = 4
_LANGUAGE_ROLES: Final = ("in", "of", "since", "until", "before", "after", "between")


@dataclass(frozen=True, slots=True)
class Match:
    """Tokens in a row that fit a pattern, each by the name of its group; now: the day of the question."""

    tokens: Sequence[Token]
    places: Mapping[str, int]
    span: tuple[int, int]
    now: date

    def has(self, group: str) -> bool:
        """Return True if the group took part."""
        return group in self.places

    def token(self, group: str) -> Token:
        """Return the first token of a group."""
        return self.tokens[self.places[group]]

    def value(self, group: str, *roles: str) -> Any:
        """Return the value of a group's token in the first of these roles that it has; without roles, of its name."""
        meanings = self.token(group).meanings
        return next((meanings[role] for role in roles or (group,) if role in meanings), None)

    def before(self) -> Token | None:
        """Return the token before the match."""
        return self.tokens[self.span[0] - 1] if self.span[0] else None

    def following(self) -> Token | None:
        """Return the token after the match."""
        return self.tokens[self.span[1]] if self.span[1] < len(self.tokens) else None


def _year_of(match: Match) -> int | None:
    """Return the year that a match names, "last year" included; 0 if it names another unit."""
    if match.has("year"):
        year: int = match.value("year")
        return year
    if not match.has("last_year"):
        return None
    at = match.places["last_year"]
    if "year" not in (match.tokens[place].meanings.get("unit") for place in (at, at + 1)):
        return 0
    is_this = match.has("adjective") and "this" in match.token("adjective").meanings
    return match.now.year - (0 if is_this else 1)


def _of_year(made: Callable[[int], Period | None], match: Match) -> Period | None:
    year = _year_of(match)
    if year == 0:
        return None
    if year is not None:
        return made(year)
    found = periods.latest(made, match.now)
    if found is None or not match.has("adjective"):
        return found
    if "this" not in match.token("adjective").meanings:  # what is last is over
        return periods.latest(made, found.start - timedelta(days=1)) if found.end >= match.now else found
    # "This summer" said in May is yet to come.
    return made(match.now.year) if (match.now - found.end).days > _HALF_A_YEAR_DAYS else found


def _month_number(match: Match, group: str = "month", *, by: str | None = None) -> int | None:
    """Return the number of a month; None if the word stands there as another word, or as a name."""
    token = match.token(group)
    is_numbered = (
        match.has("year") or match.has("last_year") or (match.has("day") and "nth" in match.token("day").meanings)
    )
    if token.text in VERBS and not token.is_capital and not is_numbered:
        return None
    if token.text == "mars" and token.is_capital and not match.has("day"):
        return None  # the planet; French writes months small
    if "month" not in token.meanings:
        short: int = token.meanings["short_month"]
        return short
    number, languages = token.meanings["month"]
    if by is not None:
        meanings = match.token(by).meanings
        spoken = frozenset[str]().union(*(meanings[role] for role in _LANGUAGE_ROLES if role in meanings))
        if not spoken & languages and "plain_month" not in token.meanings:
            return None
    return int(number)


def _is_blocked(match: Match) -> bool:
    before = match.before()
    return before is not None and "every" in before.meanings


def day_of_month(match: Match) -> Period | None:
    month = _month_number(match)
    languages = match.value("month")[1] if match.value("month") else frozenset()
    day = match.value("day", "day", "nth", "ordinal")
    if "ordinal" in match.token("day").meanings and not match.has("of") and "en" in languages:
        return None  # "the first May bank holiday"
    if month is None or day is None:
        return None
    first = match.value("first", "day", "nth") if match.has("first") else day

    def made(year: int) -> Period | None:
        start, end = periods.of_day(year, month, first), periods.of_day(year, month, day)
        return Period(start.start, end.end) if start and end and start.start <= end.end else None

    return _of_year(made, match)


def year_first(match: Match) -> Period | None:
    if match.has("day"):
        return day_of_month(match)
    return month(match)


def month(match: Match) -> Period | None:
    number = _month_number(match, by="in" if match.has("in") else None)
    following = match.following()
    if number is None or _is_blocked(match) or (match.has("unit") and match.value("unit") != "month"):
        return None
    is_range = match.has("in") and "between" in match.token("in").meanings
    if is_range and following is not None and "and" in following.meanings:
        return None  # "de mars à mai": one time, not two
    if match.token("month").text in NAMES and match.has("in") and "in" not in match.token("in").meanings:
        return None  # "a friend of June"
    if match.has("in") and following is not None and following.is_capital and match.token("month").text in NAMES:
        return None  # "in May Smith's house"
    return _of_year(lambda year: periods.of_month(year, number), match)


def season(match: Match) -> Period | None:
    number, languages = match.value("season")
    following = match.following()
    if match.has("in"):
        is_name = match.token("season").is_capital and "en" in languages
        if is_name and following is not None and following.is_capital:
            return None  # "in Spring Boot"
        meanings = match.token("in").meanings
        if not frozenset[str]().union(*(meanings[role] for role in ("in", "on") if role in meanings)) & languages:
            return None
    return _of_year(lambda year: periods.of_season(year, number), match)


def quarter(match: Match) -> Period | None:
    if match.has("unit") and match.value("unit") != "quarter":
        return None
    number = match.value("quarter", "quarter", "ordinal", "nth")
    return _of_year(lambda year: periods.of_quarter(year, number), match)


def year(match: Match) -> Period | None:
    return periods.of_year(match.value("year"))


def relative_day(match: Match, days: int) -> Period:
    day = match.now + timedelta(days=days)
    return Period(day, day)


def yesterday_in_french(match: Match) -> Period | None:
    if any("french" in token.meanings for token in match.tokens):
        return relative_day(match, -1)
    return None


def ago(match: Match) -> Period | None:
    unit = match.value("unit") or "year"
    if match.has("few"):
        return periods.few_ago(match.now, unit)
    return periods.ago(match.now, match.value("number", "number", "cardinal"), unit)


def recent(match: Match) -> Period | None:
    number = _FEW_UNITS if match.has("few") else match.value("number", "number", "cardinal")
    return periods.recent(match.now, number, match.value("unit"))


def previous(match: Match, unit: str) -> Period | None:
    return None if unit == "day" else periods.previous(match.now, unit)


def current(match: Match) -> Period | None:
    unit = match.value("unit")
    return None if unit == "day" else periods.around(match.now, unit)


def weekday(match: Match) -> Period | None:
    weekday, now = match.value("weekday"), match.now
    if _is_blocked(match):
        return None
    meanings = match.token("adjective").meanings if match.has("adjective") else {}
    if "this" in meanings:
        day = periods.around(now, "week").start + timedelta(days=weekday)
        return Period(day, day)
    return periods.weekday_before(now, weekday, may_be_same="on" in meanings)


def latest_weekend(match: Match) -> Period | None:
    if match.value("unit") != "weekend":
        return None
    found = periods.around(match.now, "weekend")
    return found if found.start <= match.now else periods.previous(match.now, "weekend")


def _time(match: Match, group: str = "time", *, by: str | None = None, bound: date | None = None) -> Period | None:
    """Return the period of a time, or of a month that only its neighbours make one; bound: the day that a period
    without a year does not begin after.
    """
    token = match.token(group)
    if "year" in token.meanings:
        return periods.of_year(token.meanings["year"])
    if "time" not in token.meanings:
        number = _month_number(match, group, by=by)
        if number is None:
            return None
        return periods.latest(lambda year: periods.of_month(year, number), bound or match.now)
    found: Period = token.meanings["time"][0]
    return periods.latest(found.of_year, bound) if bound is not None and found.of_year else found


def nth(match: Match) -> Period | None:
    period = _time(match)
    number = -1 if "last" in match.token("nth").meanings else match.value("nth", "ordinal", "nth")
    what = match.token("what").meanings
    if period is None:
        return None
    if "weekday" in what:
        return periods.nth_weekday(period, number, what["weekday"])
    if "unit" not in what:
        return periods.half(period, 2 if number < 0 else number) if number <= 2 else None
    return periods.nth(period, number, what["unit"])


def part(match: Match) -> Period | None:
    period = _time(match)
    if period is None or period.start == period.end:
        return None
    return periods.third(period, match.value("part"))


def beside(match: Match) -> Period | None:
    period = _time(match)
    if period is None or (period.end - period.start).days > periods.DAYS_A_LONG_MONTH:
        return None
    is_after = "after" in match.token("beside").meanings
    meanings = match.token("unit").meanings
    if "weekday" in meanings:
        edge = period.end if is_after else period.start
        seek = periods.weekday_after if is_after else periods.weekday_before
        return seek(edge, meanings["weekday"])
    number = match.value("number", "number", "cardinal") if match.has("number") else 1
    return periods.beside(period, number, meanings["unit"], is_after=is_after)


def week_of(match: Match) -> Period | None:
    period = _time(match)
    if period is None or period.start != period.end:
        return None
    return periods.around(period.start, match.value("unit"))


def between(match: Match) -> Period | None:
    by = "between" if match.has("between") else None
    last = _time(match, by=by)
    first = None if last is None else _time(match, "first", by=by, bound=last.start)
    if first is None or last is None or first.start > last.end:
        return None
    return Period(first.start, last.end)


def open_ended(match: Match, role: str) -> Period | None:
    """Return the time since, after, until or before another; it ends today at the latest."""
    period = _time(match, by=role)
    if period is None or period.start > match.now:
        return None
    if role in ("since", "after"):
        start = period.start if role == "since" else period.end + timedelta(days=1)
        return Period(start, match.now) if start <= match.now else None
    return Period(_LONG_AGO, period.end if role == "until" else period.start - timedelta(days=1))
