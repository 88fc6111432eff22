"""The texts with the greatest surprise (`term_weights.py`).

On SQLite, FTS5 tells where the terms stand and how long the texts are, and the rest is computed here, which
costs less than in SQL. Where the terms stand is read once for all searches for them in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Final

from wherefrom.graph.local import Numbers, Places
from wherefrom.lazy import np
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.term_weights import LENGTH_POWER, SATURATION
from wherefrom.text.check import json_text

Wanted = Mapping[str, tuple[float, float]]
"""For each term the logarithm of the share of texts that do not have it, and a factor."""

# So many times the wanted texts are measured first.
_MEASURED_FACTOR: Final = 3
# Below this an exp() is nothing beside 1.
_LEAST_EXPONENT: Final = -700.0


@dataclass(frozen=True, slots=True)
class _Places:
    """The texts in which some terms stand, by seq; and for each term its texts, as places among them, with how often it
    stands in each, saturated. occurrences: how often any of the terms stands in each text.
    """

    seqs: Places
    by_term: Mapping[str, tuple[Places, Numbers]]
    occurrences: Places


def send_best(
    tx: Transaction, wanted: Wanted, average_length: float, where: Mapping[str, Any], *, reach: int
) -> Callable[[], list[Row]]:
    """Begin to read the best texts, best first: id, score, kind, page and what the fragment `candidate` tells; those
    that the access may not see, or that do not fit the filters in `where`, have no id.
    """
    if not tx.dialect.one_text_index:
        figures = {"average": average_length, "length_power": LENGTH_POWER, "saturation": SATURATION}
        return tx.send("text_surprise", {**where, **figures, "wanted": json_text(wanted), "reach": reach})
    owner, terms = where["owner"], tuple(wanted)
    places = tx.once(("places of terms", terms), lambda: _places(tx, owner, terms))
    seqs, scores = _best(tx, owner, places, wanted, average_length, reach=reach)
    rows = tx.rows("text_found", {**where, "seqs": json_text(seqs)})
    scored = [(row[0], score, *row[1:]) for row, score in zip(rows, scores, strict=True)]
    return lambda: scored


def _places(tx: Transaction, owner: str, terms: Sequence[str]) -> _Places:
    """The texts with one of the terms."""
    standing: dict[str, str | None] = dict(tx.rows("text_places", {"owner": owner, "terms": json_text(terms)}))
    by_term = {}
    for term in terms:
        if listed := standing[term]:
            # FTS5 lists places in the order of the texts.
            places = np.fromstring(listed, dtype=np.int64, sep=",")
            first = np.flatnonzero(np.diff(places, prepend=-1))
            by_term[term] = places[first], np.diff(first, append=len(places))
    empty: Places = np.zeros(0, dtype=np.int64)
    seqs = np.unique(np.concatenate([empty, *(texts for texts, _ in by_term.values())]))
    occurrences = np.zeros(len(seqs), dtype=np.int64)
    found = {}
    for term, (texts, frequency) in by_term.items():
        at = np.searchsorted(seqs, texts)
        occurrences[at] += frequency
        found[term] = at, frequency * (SATURATION + 1) / (frequency + SATURATION)
    return _Places(seqs, found, occurrences)


def _best(
    tx: Transaction, owner: str, places: _Places, wanted: Wanted, average_length: float, *, reach: int
) -> tuple[list[int], list[float]]:
    """The seqs of the best `reach` texts, of equals the newest first, and their scores.

    The shorter a text, the more it says of it that it has a term; and no text is shorter than the terms found in it. So
    only those texts are measured that could be among the best if they had no other terms.
    """
    seqs, lengths = places.seqs, places.occurrences.copy()
    scores = _scores(places, lengths, wanted, average_length)
    measured = np.zeros(len(seqs), dtype=np.bool_)
    count = min(_MEASURED_FACTOR * reach, len(seqs))
    some = np.sort(np.argpartition(-scores, count - 1)[:count]) if len(seqs) else seqs
    while len(some):
        lengths[some], measured[some] = _lengths(tx, owner, seqs[some]), True
        scores = _scores(places, lengths, wanted, average_length)
        known = scores[measured]
        least = np.partition(known, len(known) - reach)[len(known) - reach] if reach < len(known) else 0.0
        some = np.flatnonzero(~measured & (scores >= least))
    found = np.flatnonzero(measured)
    order = found[np.lexsort((-seqs[found], -scores[found]))][:reach]
    return seqs[order].tolist(), scores[order].tolist()


def _scores(places: _Places, lengths: Places, wanted: Wanted, average_length: float) -> Numbers:
    """The surprise of texts of these lengths."""
    known, length_of = np.unique(lengths, return_inverse=True)
    stretches = [(length / average_length) ** LENGTH_POWER for length in known.tolist()]
    scores = np.zeros(len(lengths))
    for term, (texts, often) in places.by_term.items():
        absence, factor = wanted[term]
        # Texts of one length share a value, so that those with the same words have exactly the same score.
        plain = np.array([-factor * log(1.0 - _exp(absence * stretch)) for stretch in stretches])
        scores[texts] += plain[length_of[texts]] * often
    return scores


def _lengths(tx: Transaction, owner: str, seqs: Places) -> Places:
    """The number of terms of each text. FTS5 keeps it in the seven low bits of each byte."""
    (said,) = tx.row("text_lengths", {"owner": owner, "seqs": json_text(seqs.tolist())}) or ("",)
    parts = said.split(",") if said else []
    known = {part: _length(bytes.fromhex(part)) for part in set(parts)}
    return np.array([known[part] for part in parts], dtype=np.int64)


def _length(size: bytes) -> int:
    length = 0
    for byte in size:
        length = 128 * length + byte % 128
    return length


def _exp(exponent: float) -> float:
    return exp(exponent) if exponent > _LEAST_EXPONENT else 0.0
