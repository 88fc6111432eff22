"""The texts with the greatest surprise (`term_weights.py`).

On SQLite, FTS5 tells where the terms stand and how long the texts are, and the rest is computed here, which
costs less than in SQL. What was computed serves all searches for the same terms in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from typing import Any, Final

from wherefrom.graph.local import Places
from wherefrom.lazy import np
from wherefrom.storage.port import Row, Transaction
from wherefrom.storage.term_weights import LENGTH_POWER, SATURATION
from wherefrom.text.check import json_text

Wanted = Mapping[str, tuple[float, float]]
"""For each term the logarithm of the share of texts that do not have it, and a factor."""

# Below this an exp() is nothing beside 1.
_LEAST_EXPONENT: Final = -700.0


@dataclass(frozen=True, slots=True)
class _Scores:
    """The seqs of texts, the best first, of equals the newest first; and their scores."""

    seqs: list[int]
    scores: list[float]


def best_rows(
    tx: Transaction, wanted: Wanted, average_length: float, where: Mapping[str, Any], *, reach: int
) -> list[Row]:
    """The id, score, kind and page of the best texts, best first; those that the access may not see, or that do not fit
    the filters in `where`, have no id.
    """
    if not tx.dialect.one_text_index:
        figures = {"average": average_length, "length_power": LENGTH_POWER, "saturation": SATURATION}
        return tx.rows("text_surprise", {**where, **figures, "wanted": json_text(wanted), "reach": reach})
    found = tx.once(
        ("surprise", tuple(wanted.items()), average_length), lambda: _scored(tx, where["owner"], wanted, average_length)
    )
    rows = tx.rows("text_found", {**where, "seqs": json_text(found.seqs[:reach])})
    return [(row[0], score, *row[1:]) for row, score in zip(rows, found.scores[:reach], strict=True)]


def _scored(tx: Transaction, owner: str, wanted: Wanted, average_length: float) -> _Scores:
    """All texts with one of the terms, with their scores."""
    standing: dict[str, str | None] = dict(tx.rows("text_places", {"owner": owner, "terms": json_text(list(wanted))}))
    found = {term: _numbers(listed) for term in wanted if (listed := standing[term])}
    by_term = [np.unique(places, False, False, True) for places in found.values()]
    weights = [wanted[term] for term in found]
    empty: Places = np.zeros(0, dtype=np.int64)
    seqs = np.unique(np.concatenate([empty, *(texts for texts, _ in by_term)]))
    lengths, length_of = np.unique(_lengths(tx, owner, seqs), return_inverse=True)
    stretches = [(length / average_length) ** LENGTH_POWER for length in lengths.tolist()]
    scores = np.zeros(len(seqs))
    for (texts, frequency), (absence, factor) in zip(by_term, weights, strict=True):
        places = np.searchsorted(seqs, texts)
        # Texts of one length share a value, so that those with the same words have exactly the same score.
        plain = np.array([-factor * log(1.0 - _exp(absence * stretch)) for stretch in stretches])
        scores[places] += plain[length_of[places]] * frequency * (SATURATION + 1) / (frequency + SATURATION)
    order = np.lexsort((-seqs, -scores))
    return _Scores(seqs[order].tolist(), scores[order].tolist())


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


def _numbers(listed: str) -> Places:
    """The numbers of a text with commas between them."""
    return np.fromstring(listed, dtype=np.int64, sep=",")


def _exp(exponent: float) -> float:
    return exp(exponent) if exponent > _LEAST_EXPONENT else 0.0
