"""Says in a few words in what a new statement differs from one that is there, and what an agent may do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from wherefrom.text.differences.added_content import is_same_word
from wherefrom.text.differences.comparison import Facts, all_differences, difference, facts_of
from wherefrom.text.differences.exchanged import Statement, may_be_update, statement_of
from wherefrom.text.tokens import query_terms

UPDATE_HINT: Final = "looks like an update of it: save again with supersedes, or give both a slot"
CHANGE_HINT: Final = "if it holds no longer, save again with supersedes"
WORDING_HINT: Final = "says the same in other words"

# Longer texts are compared by their beginnings.
_MAX_CHARACTERS: Final = 2_000
# A plain text: compiled at first use and kept by `re`, as importing must be quick.
_CHANGE_WORDS: Final = (
    r"(?i)\b(?:moved|no longer|not anymore|any ?more|switched|instead of|replaced|changed|quit|left|became|renamed"
    r"|postponed|rescheduled|migrated|now|took over|used to|stopped|started|raised|lowered|increased|reduced|split up"
    r"|broke|gone|doubled|halved|shortened|extended|sold|dropped|rewrote|died|jetzt|nicht mehr|kein\w* mehr|inzwischen"
    r"|mittlerweile|neuerdings|gewechselt|umgezogen|gezogen|verschoben|ersetzt|statt|geändert|erhöht|gesenkt|übernommen"
    r"|gekündigt|verkauft|wieder)\b"
    r"|から.{1,20}(?:に|へ)(?:変|移|切|移行|転)|に(?:変更|なりました|なった|変わ|変え)|引っ越|転職|移転|移行|辞め|やめ|なくなっ|ようになっ"
    r"|値上げ|値下げ|延期|切り替え|代わ|復帰|延長|今は|現在は|改为|改成|搬到|不再|现在|이제|변경|바뀌|옮겼"
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A text, prepared to be described beside others."""

    text: str
    facts: Facts
    statement: Statement | None
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Description:
    """In what two statements differ: kinds of facts, "more" if one says more, "content" for other words, or nothing but
    "wording"; and a hint for whoever saves the new one.
    """

    differs: tuple[str, ...]
    hint: str | None


def compared(text: str, title: str | None = None) -> Compared:
    """Return a text ready to be described beside others."""
    beginning = text[:_MAX_CHARACTERS]
    return Compared(text, facts_of(beginning), statement_of(text, title), frozenset(query_terms(beginning)))


def describe(existing: Compared, new: Compared) -> Description:
    """Return in what a new statement differs from an existing one."""
    kinds: tuple[str, ...] = all_differences(existing.facts, new.facts)
    gone, come = _unmatched(existing.terms, new.terms), _unmatched(new.terms, existing.terms)
    if kinds in ((), ("content",)):
        kinds = ("content",) if gone and come else ("more",) if kinds or gone or come else ("wording",)
    elif bool(gone) != bool(come) and "more" not in kinds and _says_more(existing, new):
        kinds = (*kinds, "more")
    if kinds == ("wording",):
        return Description(kinds, WORDING_HINT)
    return Description(kinds, UPDATE_HINT if _may_be_update(existing, new) else CHANGE_HINT)


def _says_more(existing: Compared, new: Compared) -> bool:
    return "content" in (difference(existing.facts, new.facts), difference(new.facts, existing.facts))


def _may_be_update(existing: Compared, new: Compared) -> bool:
    """True if one value differs, or if a text with a word of what the other says tells of a change."""
    if (
        existing.statement is not None
        and new.statement is not None
        and may_be_update(existing.statement, new.statement)
    ):
        return True
    shared = existing.terms & new.terms
    return bool(shared) and bool(re.search(_CHANGE_WORDS, new.text)) and not re.search(_CHANGE_WORDS, existing.text)


def _unmatched(mine: frozenset[str], theirs: frozenset[str]) -> list[str]:
    """The terms that the other text does not have, not even with a slip."""
    left = theirs - mine
    return [
        term
        for term in mine - theirs
        # A slip leaves the first letter or the last; asking that first is ten times as fast.
        if not any((term[0] == other[0] or term[-1] == other[-1]) and is_same_word(term, other) for other in left)
    ]
