"""Makes search terms of a text: the same terms feed the full-text index of both databases, and the query.

Words of scripts with spaces become one term each, accents folded and stemmed. Runs of scripts
without spaces (Chinese, Japanese, Korean, Thai, …) become overlapping pairs of characters, which
find any word of two characters or more wherever it stands; Han and Hangul characters are terms by
themselves as well, so that a word of one character is found, too.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import Stemmer

UNSPACED: Final = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han, kana
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
)
_ALONE: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\uac00-\ud7af]")
# Letters and digits with the marks that belong to them: \w leaves out the vowel signs of Indic scripts.
_RUN: Final = re.compile(
    f"([{UNSPACED}]+)|((?:[^\\W_{UNSPACED}]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])+)"
)
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
_LATIN: Final = re.compile("[a-z]+")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]+")
# So many texts are not taken apart again: all that is found for a question is compared with the question.
_MAX_KEPT_TEXTS: Final = 32

# The words that a question is made of rather than what it asks about.
STOP_WORDS: Final = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could d did do does doing don down during each few for from further had has have having he her here hers him
    his how i if in into is it its itself just ll m me more most my myself no nor not now o of off on once only or
    other our ours out over own re s same she should so some such t than that the their theirs them then there these
    they this those through to too under until up ve very was we were what when where which while who whom why will
    with would you your yours
    """.split()  # noqa: SIM905  # a list of words is read as words
)


def text_of(title: str | None, content: str) -> str:
    """The part of a node that is embedded and searched for names: its title and its text."""
    return f"{title}\n{content}" if title else content


def searched_text(title: str | None, names: Sequence[str], content: str) -> str:
    """The part of a node that the full-text index holds: its title, its other names and its text."""
    return text_of("\n".join((*([title] if title else ()), *names)), content)


def names_of(aliases: Sequence[str], metadata: Mapping[str, Any], speaker: str | None) -> tuple[str, ...]:
    """The words beside title and text by which a node is found: its aliases, who says it, and its tags, a list of texts
    or one text in its metadata.
    """
    tags = metadata.get("tags")
    listed = tags if isinstance(tags, list | tuple) else (tags,)
    return (*aliases, *([speaker] if speaker else ()), *(tag for tag in listed if isinstance(tag, str)))


def folded(text: str) -> str:
    """A text with one form of each character: full and half width, capitals and small letters are the same."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def terms(text: str) -> list[str]:
    """The terms of a text, in order and with repetitions."""
    if text.isascii():
        return [stem for stem in map(_stem, _ASCII_WORD.findall(text.lower())) if stem]
    found: list[str] = []
    for unspaced, word in _RUN.findall(folded(text)):
        if unspaced:
            found += _pairs(unspaced)
        elif stem := _stem(word):
            found.append(stem)
    return found


@lru_cache(maxsize=_MAX_KEPT_TEXTS)
def placed_terms(text: str) -> tuple[tuple[str, int, int], ...]:
    """The terms of a text with the places where they begin and end, without single characters of unspaced scripts."""
    found: list[tuple[str, int, int]] = []
    for run in _RUN.finditer(text):
        start, end = run.span()
        if run[1] is None:
            found += [(stem, start, end) for stem in terms(run[0])]
        else:
            places = range(start, max(end - 1, start + 1))
            found += [(folded(text[at : min(at + 2, end)]), at, min(at + 2, end)) for at in places]
    return tuple(found)


def query_terms(text: str) -> list[str]:
    """The distinct terms of a question: without stop words and single characters, unless that is all there is."""
    return list(_query_terms(text))


def count_words(text: str) -> int:
    """The approximate number of words of a text; two characters of a script without spaces count as one."""
    return sum((len(run) + 1) // 2 if run else 1 for run, _ in _RUN.findall(text[:2_000]))


def count_tokens(text: str) -> int:
    """The approximate number of a language model's tokens: one for four letters, one for each unspaced character."""
    unspaced = 0 if text.isascii() else sum(len(run) for run, _ in _RUN.findall(text))
    return unspaced + (len(text) - unspaced + 3) // 4


def is_unspaced(text: str) -> bool:
    """True if a text is mostly written in a script without spaces."""
    return not text.isascii() and sum(len(run) - len(word) for run, word in _RUN.findall(text[:2_000])) > 0


@lru_cache(maxsize=_MAX_KEPT_TEXTS)
def _query_terms(text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(terms(text)))
    stops = _stop_terms()
    telling = tuple(term for term in found if term not in stops and not (len(term) == 1 and _ALONE.match(term)))
    return telling or found


def _pairs(run: str) -> Iterator[str]:
    yield from map("".join, itertools.pairwise(run))
    yield from _ALONE.findall(run) if len(run) > 1 else run


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not "\u0300" <= c <= "\u036f")
    if _LATIN.fullmatch(plain):
        return str(_stemmer("english").stemWord(plain))
    if _CYRILLIC.fullmatch(word):
        return str(_stemmer("russian").stemWord(word))
    return plain if plain.isascii() else word


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(map(_stem, STOP_WORDS))
