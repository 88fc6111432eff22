"""The grammar of times in languages with spaces: which tokens in a row are a time, and which.

The languages share it: "7 May 2023", "7. Mai 2023" and "7 de mayo de 2023" are a day, perhaps a word for "of", a month
and a year. Tokens are matched by their roles. Three passes follow each other, and what a pass finds is one token for
the next: times by themselves, then parts and neighbours of times ("the first week of …", "the weekend before …"), then
times from, until and between others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from typing import Any, Final

from wherefrom.text.dates import readings
from wherefrom.text.dates.periods import Period
from wherefrom.text.dates.readings import Found, Match
from wherefrom.text.dates.tokens import Token
from wherefrom.text.dates.words import lexicon

# Below 256, so that sets of them compile fast.
_FIRST_CODE: Final = 0xA1
# Beside those of words: the roles that numbers and marks have together.
_OTHER_ROLES: Final = (
    {"number", "day"},
    *({role} for role in ("number", "nth", "year", "date", "quarter", "dot", "comma", "dash", "possessive", "time")),
)

_DAY = "(?:<day>|<nth>)"
_MONTH = "(?P<month><month>|<short_month>)"
_LAST_YEAR = "(?P<last_year>(?P<adjective><last>|<this>)<unit>|<unit>(?P<adjective_after><last_after>))"
_YEAR = f"(?:<comma>?<of>?<the>?(?:<year_word>?(?P<year><year>)|{_LAST_YEAR}))"
_NUMBER = "(?P<number><number>|<cardinal>)"
_TIME = "(?P<time><time>|<month>)"
# Not "the last week of May".
_NOT_OF_TIME = "(?!(?:<of>|<in>)<the>?(?:<month>|<season>|<year>|<time>))"
_BESIDE = "(?P<beside><before>|<after>)<of>?<the>?"

Rule = tuple[str, Callable[[Match], Period | Found | None]]


def find(tokens: Sequence[Token], now: date) -> list[tuple[int, Period]]:
    """Return the times that tokens name, each with the place in the question where it begins."""
    for rules in (_times(), _parts(), _ranges()):
        tokens = _reduced(tokens, rules, now)
    return [(token.at, period) for token in tokens for period in token.meanings.get("time", ())]


def _reduced(tokens: Sequence[Token], rules: Sequence[tuple[re.Pattern[str], Any]], now: date) -> list[Token]:
    """Return the tokens, in which each time that a rule finds is one token."""
    codes = _codes()
    encoded = "".join(codes.get(frozenset(token.meanings), "_") for token in tokens)
    reduced: list[Token] = []
    at = 0
    while at < len(tokens):
        end, found = at + 1, None
        if encoded[at] != "_":
            for pattern, resolve in rules:
                if (hit := pattern.match(encoded, at)) is None:
                    continue
                places = {name: hit.start(name) for name in pattern.groupindex if hit.start(name) >= 0}
                found = _resolved(resolve, Match(tokens, places, hit.span(), now))
                if found:
                    end = hit.end()
                    break
        token = tokens[at]
        reduced.append(Token("", {"time": found}, False, token.at, tokens[end - 1].end) if found else token)
        at = end
    return reduced


def _resolved(resolve: Callable[[Match], Period | Found | None], match: Match) -> Found:
    try:
        found = resolve(match)
    except (OverflowError, ValueError):
        return ()  # beyond the calendar
    if found is None:
        return ()
    return (found,) if isinstance(found, Period) else found


@cache
def _codes() -> dict[frozenset[str], str]:
    """Return a character for each combination of roles that a token can have."""
    combinations = {frozenset(meanings) for meanings in lexicon().values()} | set(map(frozenset, _OTHER_ROLES))
    return {roles: chr(_FIRST_CODE + number) for number, roles in enumerate(sorted(combinations, key=sorted))}


def _compiled(rules: Sequence[Rule]) -> tuple[tuple[re.Pattern[str], Any], ...]:
    """Compile patterns, in which <role> is any token that has the role."""
    codes = _codes()
    named = {role for roles in codes for role in roles}
    classes = {role: "[" + "".join(code for roles, code in codes.items() if role in roles) + "]" for role in named}

    def one(match: re.Match[str]) -> str:
        return classes[match.group(1)]

    return tuple((re.compile(re.sub(r"(?<!\?P)<(\w+)>", one, pattern)), resolve) for pattern, resolve in rules)


@cache
def _times() -> tuple[tuple[re.Pattern[str], Any], ...]:
    return _compiled(
        [
            ("<date>", lambda m: m.tokens[m.span[0]].meanings["date"]),
            (
                f"(?P<first>{_DAY})<dot>?(?:<dash>|<and>)(?P<day>{_DAY})<dot>?<of>?{_MONTH}{_YEAR}?",
                readings.day_of_month,
            ),
            (f"(?P<day>{_DAY})<dot>?<of>?<the>?{_MONTH}<dot>?{_YEAR}?", readings.day_of_month),
            (f"(?P<day><ordinal>)(?P<of><of>)?<the>?{_MONTH}{_YEAR}?", readings.day_of_month),
            (f"(?P<year><year>)<comma>?{_MONTH}(?P<day>{_DAY})?", readings.year_first),
            (
                f"{_MONTH}<dot>?<the>?(?P<first>{_DAY})(?:<dash>|<and>)(?P<day>{_DAY})(?:<comma>?(?P<year><year>))?",
                readings.day_of_month,
            ),
            (f"{_MONTH}<dot>?<the>?(?P<day>{_DAY})(?:<comma>?(?P<year><year>))?", readings.day_of_month),
            (f"{_MONTH}<dot>?{_YEAR}", readings.month),
            (f"(?P<in><in>|<of>)<the>?(?P<month><month>)(?!<possessive>|{_DAY}){_YEAR}?", readings.month),
            ("(?P<unit><unit>)<of>(?P<month><month>)(?!<possessive>)", readings.month),
            ("(?P<adjective><last>|<this>)(?P<month><month>)(?!<possessive>)", readings.month),
            ("(?P<month><month>)(?P<adjective><last_after>)", readings.month),
            ("(?P<month><plain_month>)", readings.month),
            (f"(?P<season><season>){_YEAR}", readings.season),
            (f"(?P<in><in>|<on>)<the>?(?P<season><season>)(?:{_YEAR}|(?!<possessive>|<of>|<dash>))", readings.season),
            ("(?P<adjective><last>|<this>)(?P<season><season>)(?!<possessive>|<dash>)", readings.season),
            ("(?P<season><season>)(?P<adjective><last_after>)", readings.season),
            (f"(?P<quarter><quarter>){_YEAR}?", readings.quarter),
            ("(?P<year><year>)(?P<quarter><quarter>)", readings.quarter),
            (f"(?P<quarter><ordinal>|<nth>)(?P<unit><unit>){_YEAR}", readings.quarter),
            (f"<in><the>?(?P<quarter><ordinal>|<nth>)(?P<unit><unit>)(?:{_YEAR}|(?!<of>))", readings.quarter),
            ("(?:<in_year><the>?<year_word>?|<year_word>)(?P<year><year>)(?!<dash><number>)", readings.year),
            ("<relative_day>", lambda m: readings.relative_day(m, m.tokens[m.span[0]].meanings["relative_day"])),
            ("<here>", readings.yesterday_in_french),
            (f"{_NUMBER}<of>?(?P<unit><unit>)<ago>", readings.ago),
            (f"<ago_before>{_NUMBER}(?P<unit><unit>|<an>)", readings.ago),
            ("(?P<few><few>)(?P<unit><unit>)<ago>", readings.ago),
            ("<ago_before>(?P<few><few>)(?P<unit><unit>)", readings.ago),
            (f"<last>(?:{_NUMBER}|(?P<few><few>))(?P<unit><unit>)", readings.recent),
            (f"{_NUMBER}<last>(?P<unit><unit>)", readings.recent),
            (f"<last>(?P<unit><unit>){_NOT_OF_TIME}", lambda m: readings.previous(m, m.value("unit"))),
            (f"(?P<unit><unit>)<last_after>{_NOT_OF_TIME}", lambda m: readings.previous(m, m.value("unit"))),
            ("<this>(?P<unit><unit>)", readings.current),
            (f"(?P<adjective><last>|<this>|<on>)<the>?(?P<weekday><weekday>){_NOT_OF_TIME}", readings.weekday),
            ("(?P<weekday><weekday>)(?:(?P<adjective><last_after>)|<daytime>|<possessive>)", readings.weekday),
            ("<on><the>?(?P<unit><unit>)", readings.latest_weekend),
        ]
    )


@cache
def _parts() -> tuple[tuple[re.Pattern[str], Any], ...]:
    return _compiled(
        [
            (
                f"(?P<nth><ordinal>|<nth>|<last>)(?P<what><unit>|<weekday>|<half>)(?:<of>|<in>)?<the>?{_TIME}",
                readings.nth,
            ),
            (f"(?P<part><part>)<dash>?<of>?<the>?{_TIME}", readings.part),
            (f"{_NUMBER}(?P<unit><unit>){_BESIDE}{_TIME}", readings.beside),
            (f"(?P<unit><unit>|<weekday>){_BESIDE}{_TIME}", readings.beside),
            (f"(?P<unit><unit>)<of>{_TIME}", readings.week_of),
        ]
    )


@cache
def _ranges() -> tuple[tuple[re.Pattern[str], Any], ...]:
    first, time = "(?P<first><time>|<month>|<year>)", "(?P<time><time>|<month>|<year>)"
    # A year is not followed by what it counts: "after 2000 days".
    dated = "(?P<time><time>|<year>(?!<unit>))"
    return _compiled(
        [
            (f"(?P<between><between>|<since>)<the>?{first}(?:<and>|<dash>)<the>?{time}", readings.between),
            ("(?P<first><time>|<year>)<dash>(?P<time><time>|<year>)", readings.between),
            ("(?P<first><month>)<dash>(?P<time><time>)", readings.between),
            (
                "(?P<since><since>)<of>?<the>?(?P<time><time>|<month>|<year>(?!<unit>))",
                lambda m: readings.open_ended(m, "since"),
            ),
            (
                "(?P<until><until>)<of>?<the>?(?P<time><time>|<month>|<year>(?!<unit>))",
                lambda m: readings.open_ended(m, "until"),
            ),
            (f"(?P<after><after>)<of>?<the>?{dated}", lambda m: readings.open_ended(m, "after")),
            (f"(?P<before><before>)<of>?<the>?{dated}", lambda m: readings.open_ended(m, "before")),
        ]
    )
