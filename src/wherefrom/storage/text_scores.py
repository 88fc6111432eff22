"""The texts with the best scores by their words: by surprise or by BM25 (`term_weights.py`), or by the share of the
terms that they have.

PostgreSQL computes them. On SQLite, FTS5 tells where the terms stand and how long the texts are, and the rest is
computed here, which costs less than in SQL. Where the terms stand is read once for all searches for them in one
transaction.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wherefrom.graph.local import Numbers, Places
from wherefrom.lazy import np
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.term_weights import LENGTH_POWER, SATURATION, bm25
from wherefrom.text.check import json_text

Wanted = Mapping[str, tuple[float, float]]
"""For each term the logarithm of the share of texts that do not have it, and a factor."""
Scoring = Callable[["FoundPlaces", Places], Numbers]
"""Gives the scores of the texts in which terms were found, if they have these lengths. A longer text has no higher
score."""
Read = Callable[[Transaction, Mapping[str, Any], int], Callable[[], list[Row]]]
"""Begins to read the best texts: as many as it is told to, with parameters that say which may be found. They come best
first: id, score, kind, page and what the fragment `candidate` tells; those that the access may not see, or that do not
fit the filters, have no id."""

# So many times the wanted texts are measured first.
_MEASURED_FACTOR: Final = 3
_HIGH_BIT: Final = 128
# Below this an exp() is nothing beside 1.
_LEAST_EXPONENT: Final = -700.0


@dataclass(frozen=True, slots=True)
class FoundPlaces:
    """The texts in which some terms stand, by seq; and for each term its texts, as places among them, with how often it
    stands in each. occurrences: how often any of the terms stands in each text.
    """

    seqs: Places
    by_term: Mapping[str, tuple[Places, Places]]
    occurrences: Places


def by_surprise(wanted: Wanted, average_length: float) -> Read:
    """Read the texts with the greatest surprise."""

    def read(tx: Transaction, where: Mapping[str, Any], reach: int) -> Callable[[], list[Row]]:
        if tx.dialect.one_text_index:
            return _read_best(tx, tuple(wanted), _surprises(wanted, average_length), where, reach=reach)
        figures = {"average": average_length, "length_power": LENGTH_POWER, "saturation": SATURATION}
        return tx.send("text_surprise", {**where, **figures, "wanted": json_text(wanted), "reach": reach})

    return read


def by_bm25(weights: Mapping[str, float], average_length: float) -> Read:
    """Read the texts with the greatest BM25. weights: the inverse document frequency of each term."""

    def read(tx: Transaction, where: Mapping[str, Any], reach: int) -> Callable[[], list[Row]]:
        if tx.dialect.one_text_index:
            return _read_best(tx, tuple(weights), _bm25_scores(weights, average_length), where, reach=reach)
        figures = {"average": average_length, "weights": json_text(weights), "reach": reach}
        return tx.send("text_search", {**where, **figures})

    return read


def by_share(weights: Mapping[str, float]) -> Read:
    """Read the texts that have the most of some terms, each counted by its weight, of equals the newest. It takes no
    lengths of texts, which cost the most of the other scores.
    """

    def read(tx: Transaction, where: Mapping[str, Any], reach: int) -> Callable[[], list[Row]]:
        if not tx.dialect.one_text_index:
            return tx.send("text_share", {**where, "weights": json_text(weights), "reach": reach})
        shares: dict[int, float] = {}
        for term, listed in tx.rows("text_places", where):
            for seq in set(map(int, listed.split(","))) if listed else ():
                shares[seq] = shares.get(seq, 0.0) + weights[term]
        best = heapq.nlargest(reach, shares.items(), key=lambda row: (row[1], row[0]))
        return _found(tx, where, [seq for seq, _ in best], [share for _, share in best])

    return read


def _read_best(
    tx: Transaction, terms: Sequence[str], scoring: Scoring, where: Mapping[str, Any], *, reach: int
) -> Callable[[], list[Row]]:
    """Read the best texts with one of the terms on SQLite."""
    owner = where["owner"]
    places = tx.once(("places of terms", terms), lambda: _places(tx, owner, terms))
    if where["since"] is not None or where["until"] is not None:
        # Of most texts a time leaves few, which would be looked for further and further behind.
        places = _of_time(tx, places, where)
    return _found(tx, where, *_best(tx, owner, places, scoring, reach=reach))


def _found(
    tx: Transaction, where: Mapping[str, Any], seqs: Sequence[int], scores: Sequence[float]
) -> Callable[[], list[Row]]:
    """Read rows of the index by their seqs, with their scores, on SQLite."""
    rows = tx.rows("text_found", {**where, "seqs": json_text(seqs)})
    scored = [(row[0], score, *row[1:]) for row, score in zip(rows, scores, strict=True)]
    return lambda: scored


def _places(tx: Transaction, owner: str, terms: Sequence[str]) -> FoundPlaces:
    """The texts with one of the terms."""
    standing: dict[str, str | None] = dict(tx.rows("text_places", {"owner": owner, "terms": json_text(terms)}))
    by_term = {}
    for term in terms:
        if listed := standing[term]:
            # FTS5 lists places in the order of the texts.
            places = np.fromstring(listed, dtype=np.int64, sep=",")
            first = _firsts(places)
            frequency = np.empty(len(first), dtype=np.int64)
            np.subtract(first[1:], first[:-1], out=frequency[:-1])
            frequency[-1] = len(places) - first[-1]
            by_term[term] = places[first], frequency
    empty: Places = np.zeros(0, dtype=np.int64)
    # By hand: np.unique takes ten times as long for numbers that sort() finds nearly in order.
    together = np.sort(np.concatenate([empty, *(texts for texts, _ in by_term.values())]))
    seqs = together[_firsts(together)]
    occurrences = np.zeros(len(seqs), dtype=np.int64)
    found = {}
    for term, (texts, frequency) in by_term.items():
        at = np.searchsorted(seqs, texts)
        occurrences[at] += frequency
        found[term] = at, frequency
    return FoundPlaces(seqs, found, occurrences)


def _firsts(ordered: Places) -> Places:
    """Where each number stands first."""
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def _of_time(tx: Transaction, places: FoundPlaces, where: Mapping[str, Any]) -> FoundPlaces:
    """Those of the texts that were observed in the times that are wanted."""
    times = {name: where[name] for name in ("owner", "since", "until")}
    (listed,) = tx.row("texts_of_time", {**times, "seqs": json_text(places.seqs.tolist())}) or (None,)
    kept = np.isin(places.seqs, np.fromstring(listed or "", dtype=np.int64, sep=","))
    number = np.cumsum(kept) - 1
    by_term = {term: (number[at[kept[at]]], often[kept[at]]) for term, (at, often) in places.by_term.items()}
    return FoundPlaces(places.seqs[kept], by_term, places.occurrences[kept])


def _best(
    tx: Transaction, owner: str, places: FoundPlaces, scoring: Scoring, *, reach: int
) -> tuple[list[int], list[float]]:
    """The seqs of the best `reach` texts, of equals the newest first, and their scores.

    The shorter a text, the more it says that it has a term; and no text is shorter than the terms found in it. So
    only those texts are measured that could be among the best if they had no other terms.
    """
    seqs, lengths = places.seqs, places.occurrences.copy()
    scores = scoring(places, lengths)
    measured = np.zeros(len(seqs), dtype=np.bool_)
    count = min(_MEASURED_FACTOR * reach, len(seqs))
    some = np.sort(np.argpartition(-scores, count - 1)[:count]) if len(seqs) else seqs
    while len(some):
        lengths[some], measured[some] = _lengths(tx, owner, seqs[some]), True
        scores = scoring(places, lengths)
        known = scores[measured]
        least = np.partition(known, len(known) - reach)[len(known) - reach] if reach < len(known) else 0.0
        some = np.flatnonzero(~measured & (scores >= least))
    found = np.flatnonzero(measured)
    order = found[np.lexsort((-seqs[found], -scores[found]))][:reach]
    return seqs[order].tolist(), scores[order].tolist()


def _surprises(wanted: Wanted, average_length: float) -> Scoring:
    """Score texts by their surprise."""
    often: dict[str, Numbers] = {}

    def scores(places: FoundPlaces, lengths: Places) -> Numbers:
        known = np.flatnonzero(np.bincount(lengths))
        stretches = (known / average_length) ** LENGTH_POWER
        found, plain = np.zeros(len(lengths)), np.zeros(known[-1] + 1 if len(known) else 0)
        for term, (texts, frequency) in places.by_term.items():
            if term not in often:
                often[term] = frequency * (SATURATION + 1) / (frequency + SATURATION)
            absence, factor = wanted[term]
            # Texts of one length share a value, so that those with the same words have exactly the same score.
            plain[known] = -factor * np.log(1.0 - np.exp(np.maximum(absence * stretches, _LEAST_EXPONENT)))
            found[texts] += plain[lengths[texts]] * often[term]
        return found

    return scores


def _bm25_scores(weights: Mapping[str, float], average_length: float) -> Scoring:
    """Score texts by their BM25."""

    def scores(places: FoundPlaces, lengths: Places) -> Numbers:
        found, relative = np.zeros(len(lengths)), lengths / average_length
        for term, (texts, frequency) in places.by_term.items():
            found[texts] += bm25(weights[term], frequency.astype(np.float64), relative[texts])
        return found

    return scores


def _lengths(tx: Transaction, owner: str, seqs: Places) -> Places:
    """The number of terms of each text. FTS5 keeps it in the seven low bits of as many bytes as have the high bit set,
    and of the next.
    """
    (said,) = tx.row("text_lengths", {"owner": owner, "seqs": json_text(seqs.tolist())}) or (None,)
    stored = np.frombuffer(bytes.fromhex(said or ""), dtype=np.uint8)
    ends = np.flatnonzero(stored < _HIGH_BIT)
    lengths, sizes = stored[ends].astype(np.int64), np.diff(ends, prepend=-1)
    for back in range(1, sizes.max(initial=1)):
        longer = sizes > back
        lengths[longer] += (stored[ends[longer] - back].astype(np.int64) % _HIGH_BIT) << 7 * back
    return lengths
