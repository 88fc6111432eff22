"""Reads a short statement as words with marks, so that two statements can be compared word by word.

What may come or go without saying anything else ("now", articles, a leading date) is left out. In scripts without
spaces a word is a run of characters of one script, in Chinese a character.
"""

from __future__ import annotations

import math
import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from wherefrom.text.differences import exchange_words as lists
from wherefrom.text.differences import fact_words as known
from wherefrom.text.differences.statement_words import (
    BREAK,
    CLOCK,
    FUNCTION,
    NAME,
    NUMBER,
    PERIOD,
    TOKEN,
    UNIT,
    UNSURE,
    VERB,
    VERB_LIKE,
    Statement,
    Word,
    identifier_of,
    number_of,
    told_title,
    word_of,
)
from wherefrom.text.differences.unspaced_statements import read_unspaced
from wherefrom.text.tokens import UNSPACED, terms

MAX_CHARACTERS: Final = 400
_KANA: Final = re.compile("[\u3041-\u309f]")
_HANGUL: Final = re.compile("[\uac00-\ud7af]")
_DO_NOT: Final = re.compile("(?:does|do) not", re.IGNORECASE)
_IS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


# A statement is recalled again and again; preparing it takes 0.1 ms.
@lru_cache(maxsize=8192)
def statement_of(text: str, title: str | None = None) -> Statement | None:
    """Return a text as a statement; None if it is long, asks, doubts, or tells of the past."""
    if (plain := _plain(text, title)) is None:
        return None
    script = _script(plain)
    return _spaced(plain, title) if script == "spaced" else read_unspaced(plain, title, script)


def may_begin_alike(one: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    """True unless two texts, each with its title, surely do not have the same first word as statements, or one of them
    is none. Takes a quarter of the time that preparing them takes.
    """
    mine, theirs = _opening(*one), _opening(*other)
    return mine is None or theirs is None or not mine.isdisjoint(theirs)


@lru_cache(maxsize=8192)
def _opening(text: str, title: str | None) -> frozenset[str] | None:
    """The words of which one is the first of a statement: two if it begins with a verb, which may change places with
    the next one. None in a script without spaces, where they are not known.
    """
    if (plain := _plain(text, title)) is None:
        return frozenset()
    if _script(plain) != "spaced":
        return None
    read = _read(_shortened(plain)[0], most=2)
    words = [] if read is None else read.words
    return frozenset(word.text for word in words[: 2 if words and words[0].marks & VERB else 1])


def _plain(text: str, title: str | None) -> str | None:
    """A text in one form; None if it is long or asks, so that it is no statement."""
    if len(text) + len(title or "") > MAX_CHARACTERS or not text.strip():
        return None
    plain = unicodedata.normalize("NFKC", text).strip()
    return None if "?" in plain or "!" in plain or plain.count("\n") > 1 else plain


def _script(plain: str) -> str:
    if plain.isascii() or not _IS_UNSPACED.search(plain):
        return "spaced"
    if _HANGUL.search(plain):
        return "ko"
    return "ja" if _KANA.search(plain) else "zh"


def _spaced(plain: str, title: str | None) -> Statement | None:
    short, negations, changes = _shortened(plain)
    if short.partition(" ")[0].lower() in lists.INDEFINITE:
        return None
    if (read := _read(short)) is None:
        return None
    words = read.words
    while words and words[-1].marks & BREAK:
        words.pop()
    _settle(words)
    if len(words) > 2 and words[0].marks & VERB and words[1].marks & NAME and not words[0].marks & BREAK:
        words[0], words[1] = words[1], words[0]  # "Jetzt wohnt Anna in Bonn" says "Anna wohnt in Bonn"
    behind = _behind(words)
    subject = words[: max(behind - 1, 0)]
    heads = [word.text for word in subject if not word.marks & FUNCTION]
    return Statement(
        words=tuple(word.text for word in words),
        marks=tuple(word.marks for word in words),
        behind=behind,
        script="spaced",
        title=told_title(title, plain),
        changes=changes or read.changes,
        planned=read.planned,
        negations=negations + read.negations,
        stems=tuple(stem for word in words for stem in _stems(word.text)),
        head=heads[-1] if heads else "",
        single=_is_single(heads),
        named=len(heads) == 1 and bool(subject[0].marks & NAME) and not _is_described(plain),
        routine=bool(lists.WEEKLY.search(plain)),
    )


class _Read(NamedTuple):
    """The words of a shortened statement, and what those say of it that are left out."""

    words: list[Word]
    planned: bool
    changes: bool
    negations: int


def _read(short: str, most: float = math.inf) -> _Read | None:
    """The words of a shortened statement, the first `most` of them; None if it is not sure of what it says."""
    words: list[Word] = []
    planned = changes = False
    negations = 0
    for match in re.finditer(TOKEN, short):
        identifier, number, word, run, mark = match.groups()
        if mark:
            if mark[0] in ":=":
                words.append(Word(":", VERB))
            elif mark[0] in ";\n" or (mark[0] == "." and not _is_abbreviated(words)):
                words.append(Word(".", BREAK))
            continue
        met = identifier_of(identifier) if identifier else number_of(number) if number else word_of(word or run)
        if met.marks & UNSURE:
            return None
        if met.text == "am" and words and words[-1].text == "i":
            met = Word("is", VERB)
        if met.text in lists.CHANGE_MARKERS:
            changes = True
        elif met.text in lists.NEGATIONS:
            negations += 1
        elif met.text not in lists.FILLING or (word == "A" and words):
            planned = planned or met.text in lists.PLANNED
            words.append(met)
            if len(words) >= most:
                break
    return _Read(words, planned, changes, negations)


def _is_abbreviated(words: list[Word]) -> bool:
    """True if a point belongs to the word before it: "Dr. Weber", "J. Doe", "5. Mai"."""
    return bool(words) and (
        words[-1].text in known.TITLES or len(words[-1].text) == 1 or bool(words[-1].marks & NUMBER)
    )


def _is_described(plain: str) -> bool:
    """True if a statement begins with an article or a possessive, which no name has."""
    first = plain.split(maxsplit=1)[0].casefold()
    return first in lists.FILLING or first in lists.FUNCTION


def _is_single(heads: list[str]) -> bool:
    if not heads:
        return False
    favourite = any(map(lists.FAVOURITES.match, heads))
    plural = heads[-1].endswith("s") and heads[-1] not in lists.ATTRIBUTES
    return (favourite and not plural) or heads[-1] in lists.ATTRIBUTES


def _shortened(plain: str) -> tuple[str, int, bool]:
    """A statement without the phrases that may come or go; how many negations and whether a change was among them."""
    short = lists.TRAILING_TIME.sub("", lists.LEADING_TIME.sub("", plain, count=1), count=1)
    changes = short != plain
    short, changed = lists.CHANGED_TO.subn("is", short)
    short, moved = lists.CHANGED_DE.subn(r"ist \1 auf \2", short)
    short, now = lists.NOW_PHRASES.subn("", short)
    negations = 0

    def deny(match: re.Match[str]) -> str:
        nonlocal negations, changes
        negations += 1
        changes = changes or not _DO_NOT.fullmatch(match[0])
        return f" {match[1] or match[2] or match[3] or ''}".rstrip() + " "

    short = lists.CONTRACTED.sub(r"\1 not", short)
    short = lists.NO_LONGER.sub(deny, short)
    short = lists.CONTINUOUS.sub(lambda match: match[1] + ("es" if match[1].endswith("v") else "s"), short)
    short = re.sub(r"\bwas born\b", "born", short)
    return short.strip(), negations, changes or bool(changed or moved or now)


def _settle(words: list[Word]) -> None:
    """Mark the numbers that are dates by their neighbours: "5 May", "14 Uhr", "9 am"; and join "o'clock" to them."""
    for at, (text, marks) in enumerate(words):
        if not marks & NUMBER:
            continue
        after = words[at + 1] if at + 1 < len(words) else Word("", 0)
        before = words[at - 1] if at else Word("", 0)
        if after.text in ("am", "pm", "uhr", "o'clock", "clock"):
            words[at] = Word(text, marks | CLOCK)
            words[at + 1] = Word(after.text, FUNCTION | UNIT)
        elif (before.marks | after.marks) & PERIOD and not (before.marks | after.marks) & NUMBER:
            words[at] = Word(text, marks | CLOCK)


def _behind(words: list[Word]) -> int:
    """Where a value may begin: behind the first verb that has a subject before it."""
    return _first_verb(words, VERB) or _first_verb(words, VERB_LIKE)


def _first_verb(words: list[Word], wanted: int) -> int:
    has_subject = False
    for at, word in enumerate(words):
        if word.marks & BREAK:
            has_subject = False
        elif word.marks & wanted and has_subject:
            return at + 1
        elif not word.marks & FUNCTION or word.text in ("i", "we", "ich", "wir", "my", "our", "mein", "unser"):
            has_subject = has_subject or word.text not in lists.PRONOUNS
        elif word.text in lists.PRONOUNS and at == 0:
            return 0
    return 0


@lru_cache(maxsize=16_384)
def _stems(word: str) -> tuple[str, ...]:
    return () if word in ("does", "do", "did") else tuple(terms(word)) or (word,)
