"""The words that a question and a text share, and the passage of a long text that has most of them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from typing import Final

from wherefrom.text.tokens import is_unspaced, placed_terms, query_terms

# A passage begins after one of these, if there is one shortly before the words that it is chosen for.
_BORDER: Final = re.compile(r"\n\s*|(?<=[.!?])\s+|(?<=[。！？])")
_HIRAGANA: Final = re.compile("[\u3040-\u309f]+")
_PARTICLES: Final = "はがをにでとのもへやか"
_REST_OF_WORD: Final = re.compile("[A-Za-z0-9]{0,30}")
# How much of a passage may stand before its first word of the question, so that it begins with a sentence.
_LEAD_SHARE: Final = 3
_MAX_WORDS: Final = 64
# Latin letters without their accents, one for one, so that places stay as they are.
_BARE_LETTERS: Final = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x250)}


def shared_words(question: str, text_terms: Collection[str]) -> list[str]:
    """Return the words of a question that a text with these terms says, too, in any of their forms: as the question
    spells them, in its order, each once.
    """
    said = set(query_terms(question)).intersection(text_terms)
    spans: list[tuple[int, int]] = []
    for term, start, end in placed_terms(question):
        if term in said and spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))  # pairs of characters that overlap are one word
        elif term in said:
            spans.append((start, end))
    words = dict.fromkeys(_without_particle(question[start:end]) for start, end in spans)
    return [word for word in words if not _HIRAGANA.fullmatch(word)] or list(words)


def best_passage(text: str, question: str, *, characters: int) -> tuple[int, int]:
    """Return where the passage of a text begins and ends that has most of a question's words, at most so many
    characters long; the first of equals. Without any of them, it is the beginning of the text.
    """
    if len(text) <= characters:
        return 0, len(text)
    reach = characters * (_LEAD_SHARE - 1) // _LEAD_SHARE
    places = _places(text, question)
    inside: Counter[str] = Counter()
    first = best = found = 0
    for start, word in places:
        inside[word] += 1
        while start - places[first][0] > reach:
            inside[places[first][1]] -= 1
            if not inside[places[first][1]]:
                del inside[places[first][1]]
            first += 1
        if len(inside) > found:
            best, found = places[first][0], len(inside)
    start = _beginning(text, best, characters // _LEAD_SHARE)
    if start > len(text) - characters:  # the end of the text, from a word on
        start = len(text) - characters
        start += len(_REST_OF_WORD.match(text, start)[0]) if text[start - 1].isalnum() else 0  # type: ignore[index]
    return start, _ending(text, start, characters)


def _places(text: str, question: str) -> list[tuple[int, str]]:
    """Return where words of a text begin like those of a question, which is nearly where they are found: fast enough
    for the longest memo.
    """
    starts = [term.rstrip("i") or term for term in query_terms(question)[:_MAX_WORDS]]
    words = "|".join(re.escape(start) if is_unspaced(start) else rf"\b{re.escape(start)}" for start in starts)
    plain = text if text.isascii() else text.translate(_BARE_LETTERS)
    return [(word.start(), word[0].lower()) for word in re.finditer(words, plain, re.IGNORECASE)] if words else []


def _beginning(text: str, place: int, lead: int) -> int:
    """Return the last border of sentences at or shortly before a place, else of words, else the place itself."""
    if place <= lead:
        return 0
    borders = [border.end() for border in _BORDER.finditer(text, place - lead, place)]
    if borders:
        return borders[-1]
    blank = text.rfind(" ", place - lead, place)
    return blank + 1 if blank >= 0 else place


def _ending(text: str, start: int, characters: int) -> int:
    """Return the end of a passage: not inside of a word, where that costs little."""
    end = start + characters
    if end >= len(text) or text[end].isspace():
        return min(end, len(text))
    blank = text.rfind(" ", end - characters // 8, end)
    return blank if blank > start else end


def _without_particle(word: str) -> str:
    """Return a word of a script without spaces without the particle that follows it: 締切は becomes 締切."""
    return word[:-1] if len(word) > 2 and word[-1] in _PARTICLES and not _HIRAGANA.fullmatch(word) else word
