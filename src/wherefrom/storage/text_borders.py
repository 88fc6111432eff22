"""Short words of a script without spaces that stand in a text only across the border of two others (京都 in 東京都):
which do, and how much of the score of such a text is left.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from wherefrom.text.han_words import Flank
from wherefrom.text.tokens import folded

# The share of a word's score that is left in a text that has it across a border only. BM25 of one place differs by a
# factor of four between a short text and one of four times the average length.
_SHARE_ACROSS_BORDER: Final = 0.2
# If a word is in this many texts, the word beside a border counts as a word only if it occurs in this many times more
# texts than the border alone explains.
_COMMON_WORD_TEXTS: Final = 10
_MIN_EXCESS_RATIO: Final = 1.2
# A common word surprises far less in a long text than in a short one, so what is left stays below what texts with the
# word have, by this share.
_SHARE_OF_LEAST: Final = 0.99

Crossings = Mapping[str, list[tuple[Flank, ...]]]
"""The places where a word stands across a border, by text; each with the words on its sides."""


def believed(
    texts: Mapping[str, str], by_word: Mapping[str, Crossings], frequencies: Mapping[str, int]
) -> dict[str, list[str]]:
    """The words that stand in a text across a border only, by text, if the store confirms it: where a word is common,
    the words beside the border must occur elsewhere, too, unless they are names of places.
    """
    found_in: dict[str, list[str]] = {}
    for word, found in by_word.items():
        looked_at = [text for text in texts.values() if word in text]
        rare = frequencies.get(word, 0) < _COMMON_WORD_TEXTS
        seen_elsewhere = {
            flank
            for flank in {flank for places in found.values() for flank in chain(*places)}
            if rare
            or flank.is_place
            or _is_seen_elsewhere(flank, looked_at, frequencies.get(word, 0), frequencies.get(flank.word, 0))
        }
        for node_id, places in found.items():
            if all(seen_elsewhere.issuperset(place) for place in places):
                found_in.setdefault(node_id, []).append(word)
    return found_in


def overlapping(word: str, question: str, weights: Mapping[str, float]) -> dict[str, str]:
    """The terms of a question that share a character with a word (都の with 京都), each with both joined (京都の)."""
    found = {}
    for term in weights:
        if len(term) == len(word) and term != word:
            for joined in (word + term[-1], term[0] + word):
                if term in joined and joined in question:
                    found[term] = joined
    return found


def share_lost(text: str, crossing: Mapping[str, Mapping[str, str]], weights: Mapping[str, float]) -> float:
    """The share of a text's score that stands across borders only. Each term in it counts by its weight; a term that
    shares a character with a word across a border counts as little as that word, if the text has it nowhere else.
    """
    plain = folded(text)
    present = sum(weight for term, weight in weights.items() if term in plain)
    lost = set(crossing)
    for overlapping in crossing.values():
        lost |= {term for term, joined in overlapping.items() if 0 < plain.count(term) == plain.count(joined)}
    return sum(weights[term] for term in lost) / present


def least_scores(
    found: Iterable[tuple[str, float]],
    texts: Mapping[str, str],
    words: Iterable[str],
    crossing: Mapping[str, Sequence[str]],
) -> dict[str, float]:
    """The least score of the texts that have each word elsewhere than across a border."""
    least: dict[str, float] = {}
    listed = list(words)
    for node_id, score in found:
        for word in listed:
            if word in texts.get(node_id, "") and word not in crossing.get(node_id, ()):
                least[word] = min(score, least.get(word, math.inf))
    return least


def score_left(score: float, lost: float, bounds: Iterable[float | None]) -> float:
    """The score of a text of which a share is lost. bounds: the least scores of the texts that have the words."""
    bound = min((bound for bound in bounds if bound is not None), default=math.inf)
    return score * (1 - lost) + min(_SHARE_ACROSS_BORDER * lost * score, _SHARE_OF_LEAST * bound)


def _is_seen_elsewhere(flank: Flank, looked_at: Sequence[str], word_texts: int, flank_texts: int) -> bool:
    """True if the neighbouring word occurs in clearly more texts than those in which it stands at this border."""
    share = sum(flank.across in text for text in looked_at) / len(looked_at)
    return flank_texts > _MIN_EXCESS_RATIO * share * word_texts
