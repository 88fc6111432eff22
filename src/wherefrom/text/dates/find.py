"""Finds the times that a question names: "on 7 May", "last week", "2023年5月", "vor zwei Wochen".

What only looks like a time is left out: the words may, march and second, names (June), versions, numbers of rooms.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import Final

from wherefrom.text.dates import grammar, unspaced, words
from wherefrom.text.dates.interval import Interval
from wherefrom.text.dates.periods import Period
from wherefrom.text.dates.tokens import may_name_time, read

# Of a longer text the beginning is read.
_MAX_CHARACTERS: Final = 1_000
_MAX_INTERVALS: Final = 4
_WORD: Final = re.compile(r"\w+")


def intervals(question: str, now: str) -> tuple[Interval, ...]:
    """Return the times that a question names, as intervals in UTC that hold both their ends, in the order in which they
    are named, at most four.

    now: the time of the question, as it is stored: "last week" counts from it, and a month, a day or a season without a
    year is the latest that does not begin after it. Without a time there is nothing to count from.
    """
    try:
        today = date.fromisoformat(now[:10])
    except ValueError:
        return ()
    text = unicodedata.normalize("NFKC", question[:_MAX_CHARACTERS])
    found = grammar.find(read(text), today) if may_name_time(text) else []
    found += unspaced.find(text, today)
    found.sort(key=_place)
    named = dict.fromkeys(period.interval() for _, period in found)
    return tuple(named)[:_MAX_INTERVALS]


def time_words(question: str) -> list[str]:
    """Return the words of a question that name times: numbers, months, weekdays and so on, in scripts with spaces."""
    known = words.cues()
    plain = unicodedata.normalize("NFKC", question[:_MAX_CHARACTERS]).casefold()
    return [word for word in _WORD.findall(plain) if word[0].isdigit() or word in known]


def _place(found: tuple[int, Period]) -> int:
    return found[0]
