"""Reorders the texts that the full-text index found: by whether they have the short words of a question as words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from wherefrom.model.access import Access
from wherefrom.storage.port import Transaction
from wherefrom.text.check import json_text
from wherefrom.text.han_words import Flank, crossings, short_words
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import folded, searched_text

# In a question with more short words none of them decides the order.
_MAX_SHORT_WORDS: Final = 8
# For a question of nothing but short words this many texts are looked at.
_TEXTS_LOOKED_AT: Final = 200
# The share of a word's score that is left in a text that has it across a border only. BM25 of one place differs by a
# factor of four between a short text and one of four times the average length.
_SHARE_ACROSS_BORDER: Final = 0.2
# If a word is in this many texts, the word beside a border counts as a word only if it occurs in this many times more
# texts than the border alone explains.
_COMMON_WORD_TEXTS: Final = 10
_MIN_EXCESS_RATIO: Final = 1.2

Scored = list[tuple[str, float]]
"""Ids and scores of texts, best first."""
Count = Callable[[list[str]], Mapping[str, int]]
"""Counts the texts of the store that have each of some terms."""
Crossings = dict[str, list[tuple[Flank, ...]]]
"""The places where a word stands across a border, by text."""


def words_of(question: str, weights: Mapping[str, float]) -> list[str]:
    """The short words of a question among the terms that are searched for."""
    words = [word for word in short_words(folded(question)) if word in weights]
    return words if len(words) <= _MAX_SHORT_WORDS else []


def reach_of(words: Sequence[str], weights: Mapping[str, float], limit: int) -> int:
    """The number of texts to find in order to show `limit` of them."""
    return max(limit, _TEXTS_LOOKED_AT) if words and len(words) == len(weights) else limit


def reordered(
    tx: Transaction, access: Access, found: Scored, question: str, weights: Mapping[str, float], count: Count
) -> Scored:
    """The texts found, in a new order: a word that stands in a text across a border only counts less there."""
    words = words_of(question, weights)
    if not words or not found:
        return found
    where = {"owner": access.owner, "ids": json_text([node_id for node_id, _ in found])}
    texts = {
        node_id: _with_words(shared_text(searched_text(title, json.loads(aliases), content), shared_class), words)
        for node_id, title, aliases, content, shared_class in tx.rows("text_beginnings", where)
    }
    by_word = {
        word: {node_id: places for node_id, text in texts.items() if (places := crossings(word, text))}
        for word in words
    }
    around = {word: _overlapping(word, folded(question), weights) for word in words}
    shares = {
        node_id: _share_left(texts[node_id], {word: around[word] for word in crossed}, weights)
        for node_id, crossed in _believed(texts, by_word, count).items()
    }
    return sorted(((node_id, score * shares.get(node_id, 1.0)) for node_id, score in found), key=lambda row: -row[1])


def _with_words(text: str, words: Sequence[str]) -> str:
    """The text in a form in which its words can be found: as it is if it has all of these words, else folded."""
    return text if all(word in text for word in words) else folded(text)


def _believed(texts: Mapping[str, str], by_word: Mapping[str, Crossings], count: Count) -> dict[str, list[str]]:
    """The words that stand in a text across a border only, by text, if the store confirms it: where a word is common,
    the words beside the border must occur elsewhere, too, unless they are names of places.
    """
    flanks = {flank for found in by_word.values() for places in found.values() for place in places for flank in place}
    if not any(by_word.values()):
        return {}
    frequencies = count([*by_word, *sorted({flank.word for flank in flanks})])
    believed: dict[str, list[str]] = {}
    for word, found in by_word.items():
        looked_at = [text for text in texts.values() if word in text]
        rare = frequencies.get(word, 0) < _COMMON_WORD_TEXTS
        seen_elsewhere = {
            flank
            for flank in flanks
            if rare
            or flank.is_place
            or _is_seen_elsewhere(flank, looked_at, frequencies.get(word, 0), frequencies.get(flank.word, 0))
        }
        for node_id, places in found.items():
            if all(seen_elsewhere.issuperset(place) for place in places):
                believed.setdefault(node_id, []).append(word)
    return believed


def _is_seen_elsewhere(flank: Flank, looked_at: Sequence[str], word_texts: int, flank_texts: int) -> bool:
    """True if the neighbouring word occurs in clearly more texts than those in which it stands at this border."""
    share = sum(flank.across in text for text in looked_at) / len(looked_at)
    return flank_texts > _MIN_EXCESS_RATIO * share * word_texts


def _overlapping(word: str, question: str, weights: Mapping[str, float]) -> dict[str, str]:
    """The terms of a question that share a character with a word (都の with 京都), each with both joined (京都の)."""
    found = {}
    for term in weights:
        if len(term) == len(word) and term != word:
            for joined in (word + term[-1], term[0] + word):
                if term in joined and joined in question:
                    found[term] = joined
    return found


def _share_left(text: str, crossing: Mapping[str, Mapping[str, str]], weights: Mapping[str, float]) -> float:
    """The share of a text's score that is left. Each term in it counts by its weight; a term that shares a character
    with a word across a border counts as little as that word, if the text has it nowhere else.
    """
    plain = folded(text)
    present = sum(weight for term, weight in weights.items() if term in plain)
    lost = set(crossing)
    for overlapping in crossing.values():
        lost |= {term for term, joined in overlapping.items() if 0 < plain.count(term) == plain.count(joined)}
    return 1.0 - (1.0 - _SHARE_ACROSS_BORDER) * sum(weights[term] for term in lost) / present
