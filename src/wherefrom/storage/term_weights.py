"""How much a term of a question tells about a text that has it.

Two scores are built on it. BM25 takes the inverse document frequency of the term. Surprise takes −ln P, where P is the
probability that a text of this length has the term at all: P = 1 − (1 − p)^((length / average)^g), where p is the share
of texts that have it. In a text of average length this is the inverse document frequency −ln p; in a long text a hit
surprises less. A term that occurs f times counts f · (k + 1) / (f + k) times as much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Final, TypeVar

from wherefrom.graph.local import Numbers
from wherefrom.storage.text_statistics import Statistics

Quantity = TypeVar("Quantity", float, Numbers)

LENGTH_POWER: Final = 0.6
"""g: how fast a longer text has more terms; 1 if each of its words were drawn anew."""
SATURATION: Final = 1.2
"""k: how soon further places of a term in a text stop counting."""
# The rarest terms choose the candidates: terms are taken from the rarest on until this many places in texts are to be
# scored. A place costs FTS5 a microsecond: all words of a question over 100,000 texts took 15 ms, with the limit 3 ms.
# In a small store even the rarest terms of a question are common, so the limit is higher.
_MAX_PLACES: Final = 2_000
_MAX_PLACES_IN_SMALL_STORE: Final = 6_000
_SMALL_STORE_TEXTS: Final = 30_000
# The second term may have this many times as many places.
_SECOND_TERM_FACTOR: Final = 2
# In a store with fewer texts their number says little about how telling a term is.
_MIN_WEIGHED_TEXTS: Final = 1_000
_TELLING_SAMPLE: Final = 256
# Of two texts one cannot say that a term in both is common: shares are taken of so many at least.
_FEW_TEXTS: Final = 20
# How common a term is in a part of the store is estimated from the newest texts there, and from its share in the whole
# store, which counts like this many texts more.
_PRIOR_TEXTS: Final = 16
_MAX_SHARE: Final = 0.999
_MIN_WEIGHT: Final = 1e-6


def rare_terms(frequencies: Mapping[str, int], statistics: Statistics, *, most: int | None = None) -> dict[str, int]:
    """The terms that are rare enough to search for, the rarest first, each with the number of its texts."""
    rarest_first = sorted(frequencies.items(), key=lambda row: (row[1], row[0]))
    places = list(accumulate(count for _, count in rarest_first))
    if most is None:
        most = _MAX_PLACES_IN_SMALL_STORE if statistics.texts <= _SMALL_STORE_TEXTS else _MAX_PLACES
    bounds = [math.inf, _SECOND_TERM_FACTOR * most, *[most] * len(rarest_first)]
    return dict(row for row, place, bound in zip(rarest_first, places, bounds, strict=False) if place <= bound)


def bm25_weights(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, float]:
    """The inverse document frequency of each term among the texts that the access sees, as BM25 takes it.

    A word in all texts of a namespace (such as a speaker's name in a conversation) tells them not apart, however rare
    it is elsewhere. LoCoMo recall@10: 0.672 with the frequencies of the store, 0.711 with these.
    """
    if not statistics.sampled:
        return {term: weight_in_store(count, statistics) for term, count in frequencies.items()}
    weights = {}
    for term, count in frequencies.items():
        share = _share_in_part(term, min(count / max(statistics.texts, 1), _MAX_SHARE), statistics)
        weights[term] = max(math.log((1 - share) / share), _MIN_WEIGHT)
    return weights


def weight_in_store(count: int, statistics: Statistics) -> float:
    """The inverse document frequency in the whole store, as FTS5 computes it."""
    texts = max(statistics.texts, count)
    return max(math.log((texts - count + 0.5) / (count + 0.5)), _MIN_WEIGHT)


def shares(
    frequencies: Mapping[str, int], statistics: Statistics, *, least_texts: int = _FEW_TEXTS
) -> dict[str, float]:
    """The share of the texts that the access sees which have each term, above 0 and below 1; it is taken of
    `least_texts` texts at least.
    """
    found = {}
    for term, count in frequencies.items():
        texts = max(statistics.texts, count, least_texts)
        in_store = min((count + 0.5) / (texts + 1), _MAX_SHARE)
        found[term] = _share_in_part(term, in_store, statistics) if statistics.sampled else in_store
    return found


def telling_weights(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, float]:
    """The weight −ln p of each term by the share p of the texts that have it; the greatest for a term in no text. An
    access that sees a part of the store learns nothing of the rest: there p is the share in the sample alone.
    """
    if statistics.sampled:
        seen = {term: statistics.sample.count(term) for term in frequencies}
        # Of a few texts one cannot say which of their terms are common.
        texts = (
            max(statistics.sampled, _MIN_WEIGHED_TEXTS) if statistics.sampled < _TELLING_SAMPLE else statistics.sampled
        )
        return {term: math.log((texts + 1) / (count + 0.5)) for term, count in seen.items()}
    found = shares(frequencies, statistics, least_texts=_MIN_WEIGHED_TEXTS)
    return {term: -math.log(share) for term, share in found.items()}


def weights_in_store(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, float]:
    """The weight of each term by how rare it is in the whole store. A term in no text has the greatest."""
    texts = max(statistics.texts, _MIN_WEIGHED_TEXTS)
    return {term: math.log1p(texts / (count + 1)) for term, count in frequencies.items()}


def bm25(weight: float, frequency: Quantity, length: Quantity) -> Quantity:
    """The part of a term in the BM25 of a text, or of each of some texts. length: that of the text, divided by the
    average.
    """
    return weight * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length))


def surprise(share: float, frequency: int, length: float) -> float:
    """The part of a term in the surprise of a text. length: that of the text, divided by the average."""
    if not frequency:
        return 0.0
    likely = 1 - math.exp(math.log(1 - share) * length**LENGTH_POWER)
    return -math.log(likely) * frequency * (SATURATION + 1) / (frequency + SATURATION)


def _share_in_part(term: str, in_store: float, statistics: Statistics) -> float:
    return (statistics.sample.count(term) + _PRIOR_TEXTS * in_store) / (statistics.sampled + _PRIOR_TEXTS)
