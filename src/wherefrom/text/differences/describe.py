"""Says in a few words in what a new statement differs from one that is there, and what an agent may do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from wherefrom.text.differences.added_content import is_same_word
from wherefrom.text.differences.comparison import Facts, all_differences, difference, facts_of
from wherefrom.text.differences.exchange_words import FILLING, FUNCTION, PRONOUNS
from wherefrom.text.differences.exchanged import may_be_update, statement_of
from wherefrom.text.differences.fact_words import Difference
from wherefrom.text.differences.same import differs_in, may_say_the_same, said, words_of
from wherefrom.text.differences.slips import Vocabulary
from wherefrom.text.differences.statements import may_begin_alike
from wherefrom.text.differences.titled import titles_difference
from wherefrom.text.tokens import STOP_WORDS, is_unspaced, query_terms, terms

UPDATE_HINT: Final = "looks like an update of it: save again with supersedes, or give both a slot"
CHANGE_HINT: Final = "if it holds no longer, save again with supersedes"
WORDING_HINT: Final = "says the same in other words"

# Longer texts are compared by their beginnings.
_MAX_CHARACTERS: Final = 2_000
# What a statement is about stands at its beginning.
_MAX_TOPIC: Final = 80
_SPEAKERS: Final = frozenset(("i", "we", "you", "ich", "wir", "du"))
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
    """A text, prepared to be described beside others. words: those of its beginning, in one spelling."""

    text: str
    title: str | None
    facts: Facts
    terms: frozenset[str]
    words: frozenset[str]


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
    told = frozenset(query_terms(beginning))
    return Compared(text, title, facts_of(beginning), told, words_of(beginning))


def describe(existing: Compared, new: Compared, vocabulary: Vocabulary | None = None) -> Description:
    """Return in what a new statement differs from an existing one: in nothing if it says the same as metabolism tells
    copies. The vocabulary tells slips from other words.
    """
    may_be_same = may_say_the_same(existing.words, new.words)
    kind = _said_otherwise(existing, new, vocabulary) if may_be_same else None
    if may_be_same and kind is None:
        return Description(("wording",), WORDING_HINT)
    kinds: tuple[str, ...] = all_differences(existing.facts, new.facts)
    gone, come = _has_own(existing.terms, new.terms), _has_own(new.terms, existing.terms)
    if kinds in ((), ("content",)):
        kinds = ("content",) if gone and come else ("more",) if kinds or gone or come else ("wording",)
    elif gone != come and "more" not in kinds and _says_more(existing, new):
        kinds = (*kinds, "more")
    if kinds == ("wording",):
        kind = kind or _said_otherwise(existing, new, vocabulary)
        # Other forms of the same words, "likes to walk", "likes walking", are no copies to metabolism but say the same.
        is_inflected = existing.terms == new.terms and existing.words - STOP_WORDS != new.words - STOP_WORDS
        if kind is None or (kind == "content" and is_inflected):
            return Description(kinds, WORDING_HINT)
        kinds = (kind,)
    return Description(kinds, UPDATE_HINT if _may_be_update(existing, new) else CHANGE_HINT)


def _said_otherwise(existing: Compared, new: Compared, vocabulary: Vocabulary | None) -> Difference | None:
    """The kind of fact by which two texts are no copies; long texts are not looked at."""
    if max(len(existing.text), len(new.text)) > _MAX_CHARACTERS:
        return "content"
    return differs_in(said(existing.text, existing.title), said(new.text, new.title), vocabulary)


def _says_more(existing: Compared, new: Compared) -> bool:
    return "content" in (difference(existing.facts, new.facts), difference(new.facts, existing.facts))


def _may_be_update(existing: Compared, new: Compared) -> bool:
    """True if one value differs, or if a text about the same tells of a change."""
    if may_begin_alike((existing.text, existing.title), (new.text, new.title)):
        earlier, later = statement_of(existing.text, existing.title), statement_of(new.text, new.title)
        if earlier is not None and later is not None and may_be_update(earlier, later):
            return True
    if not _tells_of_change(new.text) or _tells_of_change(existing.text):
        return False
    return _is_about_same(existing, new)


# A new text is described beside several others.
@lru_cache(maxsize=64)
def _tells_of_change(text: str) -> bool:
    return re.search(_CHANGE_WORDS, text) is not None


def _is_about_same(existing: Compared, new: Compared) -> bool:
    """True if two texts have the same title, or if the new one has the word with which the existing one begins; not
    under titles that name two things, "Tomatoes 2025" and "Potatoes 2025".
    """
    if existing.title and new.title:
        titles = {*query_terms(existing.title)}, {*query_terms(new.title)}
        if titles[0] == titles[1]:
            return True
        is_part = titles[0] < titles[1] or titles[1] < titles[0]
        if not is_part and titles_difference((existing.title, existing.text), (new.title, new.text)) is not None:
            return False
    topic = _topic(existing.text)
    return topic in new.terms if topic else bool(existing.terms & new.terms)


def _topic(text: str) -> str | None:
    """The term with which a text begins, as a subject mostly does; None of a text without spaces, and where it begins
    with who speaks or with somebody named before.
    """
    if is_unspaced(text):
        return None
    words = (word.casefold() for word in re.findall(r"[^\W_]+", text[:_MAX_TOPIC]))
    for word in words:
        if word in _SPEAKERS or word in PRONOUNS:
            return None
        if word not in FILLING and word not in FUNCTION and word not in STOP_WORDS:
            return next(iter(terms(word)), None)
    return None


def _has_own(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """True if a text has a term that the other does not have, not even with a slip in it."""
    left = theirs - mine
    return any(
        not any((term[0] == other[0] or term[-1] == other[-1]) and is_same_word(term, other) for other in left)
        for term in mine - theirs
    )
