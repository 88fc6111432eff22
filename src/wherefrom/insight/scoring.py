"""The score of a candidate edge: how far a text stands out, among what is near the one that is judged, and at all.

Of the edge from c to v:
  words = share of c's own BM25 that v reaches · √(own / (8 · ln(1 + n))), n being the number of texts: a text of few
    telling words says less by all of them than a long one by as many;
  meaning = (cos(c, v) − u) / (1 − u), where u is half of the mean cosine of c's ten nearest and half of that of v's, no
    less than the embedder's floor. Texts of some languages, and texts of no particular subject, are like all others;
    what counts is how much nearer these two are than either is to its neighbours (Conneau et al., "Word translation
    without parallel data", 2018, who call the difference CSLS);
  relevance = (α · meaning + (1 − α) · words) · (1 − time · (1 − closeness)), no less than 0; without one of the two the
    other alone;
  x = (relevance + what speaks for it beside) / √(usual · level), where usual is the mean relevance of c's ten best and
    level a fixed one. Measured by the usual alone, what is next to nothing stands out where nothing is near; by the
    level alone, texts that have much in common with everything take all links. score = x / (1 + x).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.graph.entropy import products
from wherefrom.graph.local import Numbers
from wherefrom.lazy import np

_MOST_NEAR: Final = 10
# The own BM25 of a text of usual length, in terms that no other text has.
_TERMS_OF_A_TEXT: Final = 8.0
# Missing ones of the ten best count like this, so that in a store of a few texts not everything stands out.
_LEAST_RELEVANCE: Final = 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Meanings:
    """The cosine of each of some texts with the center, and its meaning as above; not a number without a vector."""

    similarity: Numbers
    meaning: Numbers


def word_weight(own: float, texts: int) -> float:
    """Return how much the words of a text count, by its own score and the number of texts."""
    return math.sqrt(max(own, 0.0) / (_TERMS_OF_A_TEXT * math.log1p(max(texts, 1))))


def meanings(center: Matrix | None, rows: Sequence[Matrix | None], *, floor: float) -> Meanings:
    """Compare the vector of a center with those of other texts."""
    similarity, meaning = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    places = [at for at, row in enumerate(rows) if row is not None]
    if center is None or not places:
        return Meanings(similarity, meaning)
    vectors = np.array([center, *(rows[at] for at in places)], dtype=np.float64)
    cosines = np.clip(products(vectors), -1.0, 1.0)
    np.fill_diagonal(cosines, floor)  # it is no neighbour of itself: one that is missing
    usual = _best_mean(cosines, floor)
    between = np.maximum((usual[0] + usual[1:]) / 2.0, floor)
    similarity[places] = cosines[0, 1:]
    meaning[places] = (cosines[0, 1:] - between) / np.maximum(1.0 - between, 1e-6)
    return Meanings(similarity, meaning)


def relevances(meaning: Numbers, words: Numbers | None, *, alpha: float) -> Numbers:
    """Return the relevance of texts by their meaning and, unless those of a question are the centers, their words."""
    if words is None:
        return np.maximum(np.nan_to_num(meaning), 0.0)
    both = alpha * meaning + (1.0 - alpha) * words
    return np.maximum(np.where(np.isnan(meaning), words, both), 0.0)


def scores(relevance: Numbers, beside: Numbers, *, level: float) -> Numbers:
    """Return the scores of texts by their relevance and what else speaks for them, 0 to below 1."""
    usual = float(_best_mean(relevance[None, :], _LEAST_RELEVANCE)[0])
    standing_out = (relevance + beside) / math.sqrt(max(usual, _LEAST_RELEVANCE) * level)
    found: Numbers = standing_out / (1.0 + standing_out)
    return found


def _best_mean(rows: Numbers, missing: float) -> Numbers:
    """Return the mean of the ten best of each row; missing ones count as told."""
    count = min(_MOST_NEAR, rows.shape[1])
    best = -np.partition(-rows, count - 1, axis=1)[:, :count] if count else rows
    found: Numbers = (best.sum(axis=1) + (_MOST_NEAR - count) * missing) / _MOST_NEAR
    return found
