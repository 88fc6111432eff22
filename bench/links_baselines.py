"""Other ways to say which notes belong together, as scores of pairs: cosine, BM25 and Adamic–Adar."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations

from wherefrom import Memory

NEAREST = 50
"""How many neighbours of a note are asked for; pairs beyond have no cosine."""
K1, B = 1.2, 0.75
COMMON_SHARE = 0.1
"""What is in more of the notes than this share names nothing."""

Pair = frozenset[str]
Scores = dict[Pair, float]

_WORDS = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿ｦ-ﾟ]+")
_MIN_LETTERS = 3


def cosine(memory: Memory, texts: Mapping[str, str]) -> Scores:
    """The cosine of each pair by the store's own vectors: each text is asked for, the greater of both ways counts."""
    scores: Scores = {}
    for node_id, text in texts.items():
        found = memory.vector_search(text, target="memos", top_k=NEAREST, min_similarity=0.0)
        for each in found.results:
            if each.id != node_id and each.id in texts:
                pair = frozenset((node_id, each.id))
                scores[pair] = max(scores.get(pair, 0.0), each.similarity)
    return scores


def bm25(texts: Mapping[str, str], *, shares: bool) -> Scores:
    """Okapi BM25 of each pair, one note as the question for the other, both ways added. With `shares`, divided by what
    both score for themselves, so that long notes are no better than short ones.
    """
    words = {node_id: Counter(terms(text)) for node_id, text in texts.items()}
    having = Counter(word for counted in words.values() for word in counted)
    mean_length = sum(map(_length, words.values())) / len(words)

    def score(question: str, text: str) -> float:
        longer = K1 * (1 - B + B * _length(words[text]) / mean_length)
        return sum(
            math.log(1 + (len(texts) - having[word] + 0.5) / (having[word] + 0.5)) * times * (K1 + 1) / (times + longer)
            for word in words[question]
            if (times := words[text][word])
        )

    own = {node_id: score(node_id, node_id) for node_id in texts}
    return {
        frozenset((a, b)): found / (own[a] + own[b] if shares else 1)
        for a, b in combinations(texts, 2)
        if (found := score(a, b) + score(b, a))
    }


def adamic_adar(texts: Mapping[str, str]) -> Scores:
    """Adamic–Adar on the graph of notes and their terms: Σ 1 / ln(notes with the term) over the terms that two notes
    share, without terms that are in more than a tenth of the notes.
    """
    notes_of: dict[str, set[str]] = defaultdict(set)
    for node_id, text in texts.items():
        for term in terms(text):
            notes_of[term].add(node_id)
    scores: Scores = defaultdict(float)
    for notes in notes_of.values():
        if 2 <= len(notes) <= COMMON_SHARE * len(texts):
            for pair in combinations(notes, 2):
                scores[frozenset(pair)] += 1 / math.log(len(notes))
    return dict(scores)


def terms(text: str) -> list[str]:
    """Words of at least three letters and all numbers, in lower case; of Japanese, pairs of characters."""
    found = []
    for word in _WORDS.findall(text.casefold()):
        for unspaced in _UNSPACED.findall(word):
            found += [unspaced[at : at + 2] for at in range(max(1, len(unspaced) - 1))]
        for spaced in _UNSPACED.sub(" ", word).split():
            if len(spaced) >= _MIN_LETTERS or spaced.isdigit():
                found.append(spaced)
    return found


def _length(counted: Counter[str]) -> int:
    return sum(counted.values())
