"""Relevance: how surely a text is about a question, in [0, 1], with the same meaning for every question and store.

relevance = σ(intercept + c · coverage + s · similarity + b · coverage · similarity), where coverage is the share of the
question's words that the text says, each weighed by how rare it is in the store, with the times and speakers that the
question names among them, and similarity is the cosine similarity. The weights belong to the embedder
(`Trust.relevance`); `calibrate` fits them to a store.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from wherefrom.embedding.port import RelevanceWeights, Trust
from wherefrom.model.results import Scores
from wherefrom.recall.fuse import Scored
from wherefrom.recall.settings import Relevance
from wherefrom.text.tokens import is_unspaced

# The weights where there are no vectors to compare.
BY_WORDS: Final = RelevanceWeights(-3.09, 7.87, 0.0)
NOTHING: Final = "nothing here seems to be about this"
_TIME_WEIGHT: Final = 6.0
_SPEAKER_WEIGHT: Final = 2.0
_MAX_EXPONENT: Final = 40.0


def weights_for(question: str, trust: Trust) -> RelevanceWeights | None:
    """Return the weights for a question, by its script; None if nobody has fitted them."""
    return trust.relevance_unspaced if is_unspaced(question) else trust.relevance


def coverage(
    said: Collection[str], weights: Mapping[str, float], times: Collection[str], scores: Scores | Scored
) -> float:
    """Return the share of the weight of a question's terms that a text with these terms says. A time and a speaker that
    the question names count like a term that one text in e⁶ and in e² has; a text has them as far as it is of that time
    or says its terms (`times`), and if that one says it.
    """
    date = scores.date if not times else max(scores.date or 0.0, sum(term in said for term in times) / len(times))
    named = [(_TIME_WEIGHT, date), (_SPEAKER_WEIGHT, scores.speaker)]
    total = sum(weights.values()) + sum(weight for weight, share in named if share is not None)
    covered = sum(weight for term, weight in weights.items() if term in said)
    return (covered + sum(weight * (share or 0.0) for weight, share in named)) / total if total > 0 else 0.0


def relevance(covered: float, similarity: float | None, weights: RelevanceWeights) -> float:
    """Return how surely a text is about a question; a text without a vector is judged by its words alone."""
    used = BY_WORDS if similarity is None else weights
    similar = similarity or 0.0
    x = used.intercept + used.coverage * covered + used.similarity * similar + used.both * covered * similar
    return 1.0 / (1.0 + math.exp(-max(-_MAX_EXPONENT, min(x, _MAX_EXPONENT))))


def is_nothing(items: Sequence[tuple[float | None, Scores]], settings: Relevance) -> bool:
    """Return True if none of these items, each with its relevance, seems to be about the question; False if that cannot
    be told of one, or if one is of the time that the question names.
    """
    known = [value for value, scores in items if value is not None and scores.date != 1.0]
    return len(known) == len(items) > 0 and max(known) < settings.threshold
