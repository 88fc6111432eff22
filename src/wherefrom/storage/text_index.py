"""The full-text index: written in the transaction of the node, searched by BM25 (k1 = 1.2, b = 0.75)."""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import text_borders
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Database, Transaction
from wherefrom.storage.question import Question
from wherefrom.storage.statements import inside_parameters, scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.lookups import lookup_terms
from wherefrom.text.redaction import shared_text
from wherefrom.text.tokens import query_terms, searched_text, terms, text_of

# Rare terms choose the candidates: terms are taken from the rarest on until this many places in texts
# are to be scored. Each costs FTS5 a microsecond: all words of a question over 100,000 texts took 15 ms, so 3 ms.
# In a small store even the rarest terms of a question are common; there more are taken.
_PLACES: Final = 2_000
_PLACES_SMALL: Final = 6_000
_SMALL_STORE: Final = 30_000
# A second term is worth more than its share, as long as it is not everywhere.
_PLACES_OF_TWO: Final = 2
# A whole memo may be the question.
_TERMS: Final = 256
_STATISTICS_SECONDS: Final = 120.0
_KNOWN_ACCESSES: Final = 4_000
# So many terms are kept of the samples of all of them.
_SAMPLED_TERMS: Final = 2_000_000
# Below this a few saves change what is common: counted for each search.
_FEW_TEXTS: Final = 2_000
_KNOWN_TERMS: Final = 20_000
_COMMON: Final = 100
# What tells how common a term is in a part of the store: its newest texts, weighed against the whole store
# as if that had been seen in so many texts more.
_SAMPLE: Final = 256
_SAMPLE_TEXT: Final = 2_000
_PRIOR: Final = 16
_LEAST_WEIGHT: Final = 1e-6
_LOOKUP_WEIGHT: Final = 10
_REINDEX_BATCH: Final = 500


def write(tx: Transaction, access: Access, written: Sequence[Node], *, new: bool) -> None:
    """Index the titles, aliases and texts of nodes that were just written."""
    documents = [
        _document(tx, access, (node.id, node.title, node.aliases, node.content, node.boundary_class, node.shared_class))
        for node in written
    ]
    if not new:
        tx.run_many("text_forget", documents)
    tx.run_many("text_index", documents)


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many texts there are and how long they are on average; and, for an access that sees a part of the
    store, in how many of some of its texts each term occurs.
    """

    texts: int
    average_length: float
    sampled: int = 0
    sample: Sample = field(default_factory=lambda: Sample({}))


class Sample:
    """In how many texts each term occurs, in ten bytes a term: terms are told apart by their hashes."""

    __slots__ = ("_counts", "_hashes")

    def __init__(self, counts: Mapping[str, int]) -> None:
        rows = sorted((hash(term), count) for term, count in counts.items())
        self._hashes = array("q", (row[0] for row in rows))
        self._counts = array("H", (row[1] for row in rows))

    def __len__(self) -> int:
        return len(self._hashes)

    def count(self, term: str) -> int:
        """How many of the texts have a term."""
        wanted = hash(term)
        at = bisect_left(self._hashes, wanted)
        return self._counts[at] if at < len(self._hashes) and self._hashes[at] == wanted else 0


class TextSearch:
    """Searches the index of one database; keeps its statistics for a while. All accesses to it share one."""

    def __init__(self) -> None:
        self._statistics = Kept[Hashable, Statistics](
            entries=_KNOWN_ACCESSES, seconds=_STATISTICS_SECONDS, weight=_SAMPLED_TERMS, weigh=lambda of: len(of.sample)
        )
        self._frequencies = Kept[tuple[str, str], int](entries=_KNOWN_TERMS, seconds=_STATISTICS_SECONDS)

    def best(self, tx: Transaction, access: Access, question: Question, *, limit: int) -> list[tuple[str, float]]:
        """Ids and BM25 scores of the best texts that the access may see and that fit the question, best first."""
        kinds = question.kinds
        statistics = self._current(tx, access, kinds)
        wanted = [*question.lookups, *query_terms(question.text)][:_TERMS]
        frequencies = _telling(self._counted(tx, access, wanted), statistics)
        if any(2 * count > statistics.texts for count in frequencies.values()):
            # In more than half of all texts: is it, or have there come so many since they were counted?
            statistics = self._current(tx, access, kinds, anew=True)
        weights = _weights(frequencies, statistics)
        if not weights:
            return []
        # Whoever asks for a number means the texts that have it.
        weights |= {term: _LOOKUP_WEIGHT * max(weights.values()) for term in question.lookups if term in weights}
        ratios = {term: weight / _weight_in_store(frequencies[term], statistics) for term, weight in weights.items()}
        parameters = {
            **scope_parameters(access),
            **question.filters(),
            "terms": json_text(list(weights)),
            "weights": json_text(weights),
            "query": " OR ".join(f'"{term}"' for term in weights),
            "ratios": json_text(ratios) if statistics.sampled or question.lookups else None,
            "average": max(statistics.average_length, 1.0),
        }
        words = text_borders.words_of(question.text, weights)
        wanted_texts = reach = text_borders.reach_of(words, weights, limit)
        while True:
            rows = tx.rows("text_search", {**parameters, "reach": reach})
            visible = [(node_id, float(score)) for node_id, score in rows if node_id is not None]
            if len(visible) >= wanted_texts or len(rows) < reach:
                found = visible[:wanted_texts]
                count = partial(self._counted, tx, access)
                return text_borders.reordered(tx, access, found, question.text, weights, count)[:limit]
            # Texts that the access may not see took places: look further.
            reach *= 8

    def _counted(self, tx: Transaction, access: Access, wanted: list[str]) -> dict[str, int]:
        """How many texts have each term. Counting a common one takes a while, and it stays common for a while."""
        # Where all owners have one index, it counts the texts of all of them.
        whose = "" if tx.dialect.one_text_index else access.owner
        known = {term: self._frequencies.get((whose, term)) for term in wanted}
        counts = {term: count for term, count in known.items() if count is not None}
        if missing := [term for term in wanted if term not in counts]:
            rows = tx.rows("text_frequencies", {"owner": access.owner, "terms": json_text(missing)})
            counts |= dict(rows)
            for term, count in rows:
                if count >= _COMMON:
                    self._frequencies.put((whose, term), count)
        return counts

    def _current(self, tx: Transaction, access: Access, kinds: Sequence[str], *, anew: bool = False) -> Statistics:
        key = (access.reach, tuple(kinds))
        known = self._statistics.get(key)
        if known is not None and known.texts >= _FEW_TEXTS and not anew:
            return known
        count, average = tx.row("text_totals", {"owner": access.owner}) or (0, 0)
        if known is not None and known.texts == count:
            return known
        scope = {**scope_parameters(access), "kinds": json_text(kinds)}
        sampled: list[tuple[Any, ...]] = []
        if tx.row("text_outside", scope) is not None:
            sampled = tx.rows("text_sample", {**scope, "limit": _SAMPLE})
        sample = Counter(
            term for title, content in sampled for term in set(terms(text_of(title, content[:_SAMPLE_TEXT])))
        )
        statistics = Statistics(count, float(average), len(sampled), Sample(sample))
        self._statistics.put(key, statistics)
        return statistics


def reindex(database: Database, access: Access) -> int:
    """Make the index of the root anew, in short transactions; needed when the rules of terms changed."""
    access = access.writing()
    after = 0
    total = 0
    while True:
        count, after = database.write(lambda tx, start=after: _reindex_batch(tx, access, start))  # type: ignore[misc]
        total += count
        if count < _REINDEX_BATCH:
            return total


def _reindex_batch(tx: Transaction, access: Access, after: int) -> tuple[int, int]:
    scope = {"owner": access.owner, **inside_parameters("root", access.root)}
    rows = tx.rows("node_batch", {**scope, "after": after, "limit": _REINDEX_BATCH})
    documents = [
        _document(tx, access, (node_id, title, json.loads(aliases), *rest))
        for _, node_id, title, aliases, *rest in rows
    ]
    tx.run_many("text_forget", documents)
    tx.run_many("text_index", documents)
    return len(rows), rows[-1][0] if rows else after


def _document(tx: Transaction, access: Access, node: tuple[Any, ...]) -> dict[str, Any]:
    """The terms of a node: of its id, title, aliases, text, class and shared class. Its personal data are terms as
    a whole, for those who may see them.
    """
    node_id, title, aliases, content, boundary_class, shared_class = node
    text = searched_text(title, aliases, content)
    found = terms(shared_text(text, shared_class))
    if boundary_class == "pii":
        found += lookup_terms(text)
    return {"owner": access.owner, "id": node_id, "terms": tx.dialect.document(found), "length": len(found)}


def _telling(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, int]:
    """The terms that are worth searching for, the rarest first, and how many texts have them."""
    rarest_first = sorted(frequencies.items(), key=lambda row: (row[1], row[0]))
    places = list(accumulate(count for _, count in rarest_first))
    most = _PLACES_SMALL if statistics.texts <= _SMALL_STORE else _PLACES
    bounds = [math.inf, _PLACES_OF_TWO * most, *[most] * len(rarest_first)]
    return dict(row for row, place, bound in zip(rarest_first, places, bounds, strict=False) if place <= bound)


def _weights(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, float]:
    """The inverse document frequency of each term among the texts that the access sees.

    A word that all of a namespace's texts have says nothing in it, however rare it is elsewhere (the name of
    the one who speaks, in a conversation). LoCoMo recall@10: 0.672 with the store's frequencies, 0.711 so.
    """
    if not statistics.sampled:
        return {term: _weight_in_store(count, statistics) for term, count in frequencies.items()}
    weights = {}
    for term, count in frequencies.items():
        in_store = min(count / max(statistics.texts, 1), 0.999)
        share = (statistics.sample.count(term) + _PRIOR * in_store) / (statistics.sampled + _PRIOR)
        weights[term] = max(math.log((1 - share) / share), _LEAST_WEIGHT)
    return weights


def _weight_in_store(count: int, statistics: Statistics) -> float:
    """As FTS5 computes it."""
    texts = max(statistics.texts, count)
    return max(math.log((texts - count + 0.5) / (count + 0.5)), _LEAST_WEIGHT)
