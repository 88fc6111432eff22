"""One way to write what can be written in several: times, dates, sums of money, units, abbreviations."""

# ruff: noqa: SIM905
# A list of words is read as words.

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_HOURS: Final = "one two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS: Final = {
    word: str(at + 1)
    for at, word in enumerate(
        """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third
        twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first
        """.split()
    )
}
_MONTH: Final = "january|february|march|april|may|june|july|august|september|october|november|december"
_SHORT_MONTH: Final = f"{_MONTH}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_DAY: Final = f"(?P<day>\\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_DAY_OF_MONTH: Final = re.compile(
    f"\\b(?:the )?{_DAY}(?: of)? (?P<month>{_SHORT_MONTH})\\b|\\b(?P<before>{_SHORT_MONTH}) (?:the )?"
    "(?P<behind>\\d{1,2}(?:st|nd|rd|th))\\b",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    rf"\b(half past|(?:a )?quarter past|(?:a )?quarter to) ({'|'.join(_HOURS)}|\d{{1,2}})\b", re.IGNORECASE
)
_HALF_OF_DAY: Final = re.compile(r"(?<=\d)\s?([ap])\.?\s?m\b\.?(?=(\s+[a-z(]|[,;:!?)]|\s*$)?)")
_CURRENCIES: Final = {"€": "euros", "$": "dollars", "GBP": "pounds", "EUR": "euros", "USD": "dollars"}
_AMOUNT: Final = r"\d+(?:[.,]\d+)*"
_MONEY: Final = re.compile(
    rf"(?<![A-Z\w])(?P<before>[€$]|GBP|EUR|USD)\s?(?P<sum>{_AMOUNT})(?![\w.,]*\d|\s?[kKmM]\b|\s(?:million"
    rf"|billion|thousand))"
    rf"|(?P<amount>{_AMOUNT})\s?(?P<behind>[€$]|GBP|EUR|USD)(?!\w)"
)
# Abbreviations with what they are short for; those that are words themselves only with a full stop.
_ABBREVIATIONS: Final = {
    short: group.split()[-1]
    for group in """
        hr hour|hrs hours|mins minutes|sec second|secs seconds|wk week|wks weeks|yr year|yrs years|mth
        month|mths months|
        km/h kmh kph km/h|lbs lb|oz ounce|tbsp tablespoons|tsp teaspoons|pcs pieces|approx approximately|
        dept department|depts departments|asst assistant|apt apartment|mgr manager|appt appointment|appts
        appointments|
        incl including|excl excluding|bldg building|blvd boulevard|govt government|intl international|natl national|
        mgmt management|mtg meeting|qty quantity|tel telephone|temp temperature|univ university|
        cert certificate|dist district|est established|ext extension|max maximum|misc miscellaneous|
        orig original|prev previous|ref reference|req required|resp respectively|sq square|vol volume|fl floor|
        ave avenue|rd road|hosp hospital|pkg package|acct account|addr address|avg average|vs versus|yd
        yard|kgs kilograms|
        prof professor|capt captain|sgt sergeant|lt lieutenant|info information|tbsps tablespoons|tsps teaspoons|
        hols holidays|bday birthday|mon monday|tue tuesday|tues tuesday|wed wednesday|weds wednesday|thu thursday|
        thur thursday|thurs thursday|fri friday|sat saturday|sun sunday|jan january|feb february|mar march|apr april|
        jun june|jul july|aug august|sep september|sept september|oct october|nov november|dec december|etc etcetera
    """.replace("\n", " ").split("|")
    for short in group.split()[:-1]
}
# These are words, or short for others as well.
_ONLY_WITH_STOP: Final = frozenset(
    """
    apt temp dist est max req resp sq vol fl ave rd ref cert ext lt mon wed sat sun mar dec jan jun capt
    sec orig prev
    fri info tel misc oct nov sep jul aug apr feb tue thu
    """.split()
)
_SHORT: Final = re.compile(r"(?<![\w@/.#'’-])([A-Za-z]{2,6})(\.(?=\s+[\w(]|[,;:!?)]|$)|(?![\w.'’/@-]))")
_PER_ANNUM: Final = re.compile(r"\bper annum\b|\bp\.a\.", re.IGNORECASE)
_PER: Final = re.compile(r"\bper (second|minute|hour|day|week|month|year)\b")
_PER_CENT: Final = re.compile(r"\bper cent\b")


@lru_cache(maxsize=1_024)
def in_one_notation(text: str) -> str:
    """A text with one way to write times, days of months, sums of money and abbreviations."""
    text = _SHORT.sub(_in_full, text)
    text = _PER.sub(r"a \1", _PER_ANNUM.sub("a year", _PER_CENT.sub("percent", text)))
    text = _CLOCK.sub(_time, text)
    text = _HALF_OF_DAY.sub(lambda match: f" {match[1]}m" if match[2] is not None else match[0], text)
    text = _DAY_OF_MONTH.sub(_day, text)
    return _MONEY.sub(_sum, text)


def _in_full(match: re.Match[str]) -> str:
    short = match[1].casefold()
    full = _ABBREVIATIONS.get(short)
    if full is None or (short in _ONLY_WITH_STOP and not match[2]):
        return match[0]
    is_last = match[2] and not match.string[match.end() :].strip()
    if is_last and short in _ONLY_WITH_STOP:
        return match[0]
    return (full.capitalize() if match[1][0].isupper() else full) + ("." if is_last else "")


def _time(match: re.Match[str]) -> str:
    hour = _HOURS.index(match[2].casefold()) + 1 if match[2].isalpha() else int(match[2])
    minutes = "30" if match[1].casefold().startswith("half") else "15"
    if match[1].casefold().endswith("to"):
        hour, minutes = hour - 1 or 12, "45"
    return f"{hour}:{minutes}"


def _day(match: re.Match[str]) -> str:
    day = (match["day"] or match["behind"]).casefold()
    month = match["month"] or match["before"]
    number = _ORDINALS.get(day) or day.rstrip("stndrh")
    return f"{number} {month}" if match["month"] else f"{month} {number}"


def _sum(match: re.Match[str]) -> str:
    return f"{match['sum'] or match['amount']} {_CURRENCIES[match['before'] or match['behind']]}"
