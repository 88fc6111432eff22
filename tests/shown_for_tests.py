"""What a page shows, compared with what was printed: ids, times and figures that differ from run to run are told apart.

An id that a page shows stands for one of the run from then on: `Likeness` knows which. A day that a page shows is as many
days from the day it was written as the one printed is from today. `…` stands for anything, and a line of it for any
lines.
"""

from __future__ import annotations

import difflib
import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.metadata import version

import apsw

ELLIPSIS = "…"
WANTED = "?"
"""A line that a writer puts where the output is to be written."""
_SHORT = 8
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ID = re.compile(rf"(?<![\w-])(?:{_UUID}|[0-9a-f]{{{_SHORT}}})(?![\w-])")
_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_TOKENS = re.compile(
    rf"""(?P<any>{ELLIPSIS})
    |(?P<id>{_ID.pattern})
    |(?P<time>(?<!\d)\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?(?!\d))
    |(?P<elapsed>(?<![\w.])\d+(?:\.\d+)?\ m?s\b|"elapsed_ms":\ \d+)
    |(?P<size>bytes"?:?\ +[\d,]+|(?<![\w.])[\d,.]+\ (?:bytes|[kKMG]i?B)\b)
    |(?P<version>(?<![\w.])\d+\.\d+\.\d+(?![\w.]))
    |(?P<number>(?<![\w.])\d+\.\d+(?![\w.]))
    |(?P<space>[ ]+)""",
    re.VERBOSE,
)
_PATTERNS = {
    "any": ".*",
    "elapsed": r'(?:"elapsed_ms": )?\d+(?:\.\d+)?(?: m?s)?',
    "size": r'(?:bytes"?:? +)?[\d,.]+(?: (?:bytes|[kKMG]i?B))?',
    "space": " +",
    "version": r"(\d+\.\d+\.\d+)",
    "number": r"(\d+\.\d+)",
}
_VERSIONS = {version("wherefrom"), platform.python_version(), apsw.sqlite_lib_version()}
_FINEST = 4
"""So many places of a decimal are compared at most: the last ones depend on the machine."""


@dataclass(frozen=True)
class Likeness:
    """Which id of this run, and which day, what a page shows stands for."""

    ids: dict[str, str] = field(default_factory=dict)
    """The end of an id as shown, to the end of the one of this run."""
    forms: frozenset[str] = frozenset()
    """The ids of this run in the forms that were printed, whole or short."""
    written: date | None = None
    """The day that the page calls today."""
    given: frozenset[str] = frozenset()
    """The days in what was run: they are the same in every run."""

    def with_id(self, shown: str, printed: str) -> Likeness | None:
        """The same with these two being one; None if another is bound."""
        one, other = shown[-_SHORT:], printed[-_SHORT:]
        if self.ids.get(one, other) != other or (one not in self.ids and other in self.ids.values()):
            return None
        return replace(self, ids={**self.ids, one: other})

    def with_day(self, shown: str, printed: str) -> Likeness | None:
        if shown == printed:
            return self
        written = date.fromisoformat(shown) - (date.fromisoformat(printed) - today())
        if self.written is None:
            return replace(self, written=written)
        return self if abs(self.written - written) <= timedelta(days=1) else None  # midnight may pass

    def having_printed(self, lines: Iterable[str]) -> Likeness:
        """The same with the forms of all ids in these lines."""
        return replace(self, forms=self.forms | set(_ID.findall("\n".join(lines))))

    def having_run(self, text: str) -> Likeness:
        """The same with the days of a command, a program or a call."""
        return replace(self, given=self.given | set(_DAY.findall(text)))

    def in_this_run(self, text: str) -> str:
        """A text of the page with the ids of this run, whole or short as there, unless only the other was printed."""
        whole = {form[-_SHORT:]: form for form in self.forms if len(form) > _SHORT}

        def of_run(found: re.Match[str]) -> str:
            end = self.ids.get(found[0][-_SHORT:])
            if end is None:
                return found[0]
            return end if len(found[0]) == _SHORT and end in self.forms else whole.get(end, end)

        return _ID.sub(of_run, text)

    def as_shown(self, text: str, forms: dict[str, str]) -> str:
        """A text of this run with the ids and the day of the page; `forms` are the whole ids that it shows, by end."""
        ends = {end: shown for shown, end in self.ids.items()}

        def shown_id(found: re.Match[str]) -> str:
            end = ends.get(found[0][-_SHORT:], found[0][-_SHORT:])
            return end if len(found[0]) == _SHORT else forms.setdefault(end, found[0][:-_SHORT] + end)

        def shown_day(found: re.Match[str]) -> str:
            day = date.fromisoformat(found[0])
            if self.written is None or found[0] in self.given or day < today() - timedelta(days=1):
                return found[0]
            return (self.written + (day - today())).isoformat()

        return _DAY.sub(shown_day, _ID.sub(shown_id, text))


def today() -> date:
    return datetime.now(UTC).date()


def alike(shown: Sequence[str], printed: Sequence[str], known: Likeness) -> Likeness | None:
    """What is known after these lines, or None if they differ."""
    if not shown:
        return None if printed else known
    first, rest = shown[0], shown[1:]
    if first.strip() == ELLIPSIS:
        each = (alike(rest, printed[skipped:], known) for skipped in range(len(printed) + 1))
        return next((found for found in each if found is not None), None)
    if not printed:
        return None
    after = alike_line(first, printed[0], known)
    return None if after is None else alike(rest, printed[1:], after)


def alike_line(shown: str, printed: str, known: Likeness) -> Likeness | None:
    """What is known after this line (or text), or None if it differs."""
    kinds, pattern = _pattern_of(shown.rstrip())
    found = pattern.fullmatch(printed.rstrip())
    if found is None:
        return None
    after: Likeness | None = known
    for (kind, text), value in zip(kinds, found.groups(), strict=True):
        if after is None:
            return None
        match kind:
            case "id":
                after = after.with_id(text, value)
            case "time":
                after = after.with_day(text[:10], value[:10])
            case "version":
                after = after if text == value or value in _VERSIONS else None
            case "number":
                after = after if _near(text, value) else None
    return after


@cache
def _pattern_of(shown: str) -> tuple[list[tuple[str, str]], re.Pattern[str]]:
    """A line as a pattern of what may be printed, and what its groups are: kind and text."""
    kinds, pattern, at = [], "", 0
    for found in _TOKENS.finditer(shown):
        kind, text = found.lastgroup or "", found[0]
        pattern += re.escape(shown[at : found.start()])
        if kind == "id":
            pattern += f"({_UUID})" if len(text) > _SHORT else f"([0-9a-f]{{{_SHORT}}})"
        elif kind == "time":
            pattern += "(" + re.sub(r"\d", r"\\d", text.replace(".", r"\.")) + ")"
        else:
            pattern += _PATTERNS[kind]
        if kind in ("id", "time", "version", "number"):
            kinds.append((kind, text))
        at = found.end()
    return kinds, re.compile(pattern + re.escape(shown[at:]), re.DOTALL)


def _near(shown: str, printed: str) -> bool:
    """Whether two decimals have as many places, or more than are compared, and are equal up to one in the last."""
    first, second = (min(len(each.partition(".")[2]), _FINEST) for each in (shown, printed))
    return first == second and abs(float(shown) - float(printed)) < 1.01 * 10**-first


def aligned(shown: Sequence[str], printed: Sequence[str], known: Likeness) -> Likeness:
    """What is known after lines that differ: ids of lines that are equal but for them, then the others in order."""

    def plain(lines: Sequence[str]) -> list[str]:
        return [" ".join(_DAY.sub("DAY", _ID.sub("ID", line)).split()) for line in lines]

    for same in difflib.SequenceMatcher(None, plain(shown), plain(printed), autojunk=False).get_matching_blocks():
        for at in range(same.size):
            pair = shown[same.a + at], printed[same.b + at]
            known = _bound(known, *(_ID.findall(line) for line in pair))
            known = _days_bound(known, *(_DAY.findall(line) for line in pair))
    ends = set(known.ids.values())
    old = [each for each in _distinct(shown) if each not in known.ids]
    new = [each for each in _distinct(printed) if each not in ends]
    return _bound(known, old, new) if len(old) == len(new) else known


def _bound(known: Likeness, shown: Sequence[str], printed: Sequence[str]) -> Likeness:
    for pair in zip(shown, printed, strict=False):
        known = known.with_id(*pair) or known
    return known


def _days_bound(known: Likeness, shown: Sequence[str], printed: Sequence[str]) -> Likeness:
    for pair in zip(shown, printed, strict=True):
        known = known.with_day(*pair) or known
    return known


def _distinct(lines: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(found[-_SHORT:] for found in _ID.findall("\n".join(lines))))


def forms_in(text: str) -> dict[str, str]:
    """The whole ids that a page shows, by their ends."""
    return {found[-_SHORT:]: found for found in _ID.findall(text) if len(found) > _SHORT}


def rewritten(shown: Sequence[str], printed: Sequence[str], known: Likeness, forms: dict[str, str]) -> list[str]:
    """What a page is to show instead of lines that differ: what was printed, left out where the page leaves out."""
    lines = [_kept(shown, line, known) or known.as_shown(line, forms).rstrip() for line in printed]
    groups: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == ELLIPSIS:
            groups.append([])
        else:
            groups[-1].append(line)
    if len(groups) == 1:
        return lines
    *before, last = groups
    ended = _nearest(last[0], lines, 0, max(len(lines) - len(last), 0)) if last else len(lines)
    result, at = [], 0
    for number, group in enumerate(before):
        start = _nearest(group[0], lines[:ended], at) if number and group else at
        end = _nearest(group[-1], lines[:ended], start, start + len(group) - 1) + 1 if group else start
        result += [*([ELLIPSIS] if start > at else []), *lines[start:end]]
        at = end
    return [*result, *([ELLIPSIS] if at < ended else []), *lines[max(at, ended) :]]


def _kept(shown: Sequence[str], printed: str, known: Likeness) -> str | None:
    """The line of the page that shows a part of this one, and still does."""
    short = (line for line in shown if ELLIPSIS in line and line.strip() != ELLIPSIS)
    return next((line for line in short if alike_line(line, printed, known) is not None), None)


def _nearest(line: str, lines: Sequence[str], first: int, expected: int | None = None) -> int:
    """Where a line of the page is among those printed, from the first on: the one most like it, near where it was."""

    def likeness(at: int) -> float:
        distance = 0 if expected is None else abs(at - expected)
        return difflib.SequenceMatcher(None, line, lines[at]).ratio() - distance / 100

    return max(range(first, len(lines)), key=likeness, default=first)
