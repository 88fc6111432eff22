"""The full-text index: written in the transaction of the node, searched by BM25 (k1 = 1.2, b = 0.75)."""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass, Node
from wherefrom.storage import text_borders
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Database, SearchRequest, Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters
from wherefrom.text.check import json_text
from wherefrom.text.sensitive.fingerprints import lookup_terms
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import query_terms, searched_text, terms, text_of

# The rarest terms choose the candidates: terms are taken from the rarest on until this many places in texts are to be
# scored. A place costs FTS5 a microsecond: all words of a question over 100,000 texts took 15 ms, with the limit 3 ms.
# In a small store even the rarest terms of a question are common, so the limit is higher.
_MAX_PLACES: Final = 2_000
_MAX_PLACES_IN_SMALL_STORE: Final = 6_000
_SMALL_STORE_TEXTS: Final = 30_000
# The second term may have this many times as many places.
_SECOND_TERM_FACTOR: Final = 2
# The question may be a whole memo; this many of its terms are searched for.
_MAX_TERMS: Final = 256
_STATISTICS_SECONDS: Final = 120.0
_MAX_KNOWN_ACCESSES: Final = 4_000
# The samples of all accesses hold this many terms together.
_MAX_SAMPLED_TERMS: Final = 2_000_000
# In a store with fewer texts a few saves change which terms are common, so they are counted for each search.
_TEXTS_COUNTED_EACH_TIME: Final = 2_000
_MAX_KNOWN_TERMS: Final = 20_000
_COMMON_TERM_TEXTS: Final = 100
# How common a term is in a part of the store is estimated from the newest texts there, and from its share in the whole
# store, which counts like this many texts more (_PRIOR_TEXTS).
_SAMPLED_TEXTS: Final = 256
_SAMPLED_CHARACTERS: Final = 2_000
_PRIOR_TEXTS: Final = 16
_MIN_WEIGHT: Final = 1e-6
_LOOKUP_WEIGHT_FACTOR: Final = 10
_MAX_REINDEXED_AT_ONCE: Final = 500


def write(tx: Transaction, access: Access, seqs: Mapping[str, int], written: Sequence[Node]) -> None:
    """Add the titles, aliases and texts of nodes to the index, which must not hold them yet."""
    texts = {node.id: searched_text(node.title, node.aliases, node.content) for node in written}
    documents = [
        _document(tx, seqs[node.id], texts[node.id], node.boundary_class, node.shared_class) for node in written
    ]
    tx.many("text_index", documents, {"owner": access.owner})


def forget(tx: Transaction, access: Access, seqs: Iterable[int]) -> None:
    """Take nodes out of the index."""
    tx.run("text_forget", {"owner": access.owner, "seqs": json_text(list(seqs))})


@dataclass(frozen=True, slots=True)
class Statistics:
    """The number of texts in the store, and their average length. sample: for an access that sees only a part of the
    store, in how many of its `sampled` newest texts each term occurs.
    """

    texts: int
    average_length: float
    sampled: int = 0
    sample: Sample = field(default_factory=lambda: Sample({}))


class Sample:
    """The number of texts in which each term occurs, kept by the hash of the term in ten bytes a term."""

    __slots__ = ("_counts", "_hashes")

    def __init__(self, counts: Mapping[str, int]) -> None:
        rows = sorted((hash(term), count) for term, count in counts.items())
        self._hashes = array("q", (row[0] for row in rows))
        self._counts = array("H", (row[1] for row in rows))

    def __len__(self) -> int:
        return len(self._hashes)

    def count(self, term: str) -> int:
        """The number of texts with a term."""
        wanted = hash(term)
        at = bisect_left(self._hashes, wanted)
        return self._counts[at] if at < len(self._hashes) and self._hashes[at] == wanted else 0


class TextSearch:
    """Searches the index of one database, and keeps its statistics for a while. All accesses share one object."""

    def __init__(self) -> None:
        self._statistics = Kept[Hashable, Statistics](
            entries=_MAX_KNOWN_ACCESSES,
            seconds=_STATISTICS_SECONDS,
            weight=_MAX_SAMPLED_TERMS,
            weigh=lambda statistics: len(statistics.sample),
        )
        self._frequencies = Kept[tuple[str, str], int](entries=_MAX_KNOWN_TERMS, seconds=_STATISTICS_SECONDS)

    def best(self, tx: Transaction, access: Access, question: SearchRequest, *, limit: int) -> list[tuple[str, float]]:
        """Ids and BM25 scores of the best texts that the access may see and that fit the question, best first."""
        kinds = question.kinds
        statistics = self._current(tx, access, kinds)
        wanted = [*question.lookups, *query_terms(question.text)][:_MAX_TERMS]
        frequencies = _rare_terms(self._counted(tx, access, wanted), statistics)
        if any(2 * count > statistics.texts for count in frequencies.values()):
            # A term in more than half of all texts may mean that many texts came since they were counted.
            statistics = self._current(tx, access, kinds, anew=True)
        weights = _weights(frequencies, statistics)
        if not weights:
            return []
        # A question with a number means the texts that have it.
        weights |= {term: _LOOKUP_WEIGHT_FACTOR * max(weights.values()) for term in question.lookups if term in weights}
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
            # Texts that the access may not see took up places: look further.
            reach *= 8

    def _counted(self, tx: Transaction, access: Access, wanted: list[str]) -> dict[str, int]:
        """The number of texts with each term; that of a common term is kept for a while, as counting it is slow."""
        # An index that all owners share counts the texts of all of them.
        whose = "" if tx.dialect.one_text_index else access.owner
        counts = {term: count for term in wanted if (count := self._frequencies.get((whose, term))) is not None}
        if missing := [term for term in wanted if term not in counts]:
            rows = tx.rows("text_frequencies", {"owner": access.owner, "terms": json_text(missing)})
            counts |= dict(rows)
            for term, count in rows:
                if count >= _COMMON_TERM_TEXTS:
                    self._frequencies.put((whose, term), count)
        return counts

    def _current(self, tx: Transaction, access: Access, kinds: Sequence[str], *, anew: bool = False) -> Statistics:
        key = (access.reach, tuple(kinds))
        known = self._statistics.get(key)
        if known is not None and known.texts >= _TEXTS_COUNTED_EACH_TIME and not anew:
            return known
        count, average = tx.row("text_totals", {"owner": access.owner}) or (0, 0)
        if known is not None and known.texts == count:
            return known
        scope = {**scope_parameters(access), "kinds": json_text(kinds)}
        sampled: list[tuple[Any, ...]] = []
        if tx.row("text_outside", scope) is not None:
            sampled = tx.rows("text_sample", {**scope, "limit": _SAMPLED_TEXTS})
        sample = Counter(
            term for title, content in sampled for term in set(terms(text_of(title, content[:_SAMPLED_CHARACTERS])))
        )
        statistics = Statistics(count, float(average), len(sampled), Sample(sample))
        self._statistics.put(key, statistics)
        return statistics


def reindex(database: Database, access: Access) -> int:
    """Index all texts of the root anew, in short transactions, and return their number; needed when the rules of terms
    have changed.
    """
    access = access.writing()
    scope = {"owner": access.owner, **inside_parameters("root", access.root), "limit": _MAX_REINDEXED_AT_ONCE}
    seqs = [0]
    total = 0

    def reindex_batch(tx: Transaction) -> list[int]:
        rows = tx.rows("node_batch", {**scope, "after": seqs[-1]})
        forget(tx, access, [row[0] for row in rows])
        documents = [
            _document(tx, seq, searched_text(title, json.loads(aliases), content), *classes)
            for seq, title, aliases, content, *classes in rows
        ]
        tx.many("text_index", documents, {"owner": access.owner})
        return [row[0] for row in rows]

    while seqs := database.write(reindex_batch):
        total += len(seqs)
    return total


def _document(
    tx: Transaction, seq: int, text: str, boundary_class: str, shared_class: BoundaryClass | None
) -> dict[str, Any]:
    """A node as a row of the index. Each piece of personal data is one term, for those who may see it."""
    found = terms(shared_text(text, shared_class))
    if boundary_class == "pii":
        found += lookup_terms(text)
    return {"seq": seq, "terms": tx.dialect.document(found), "length": len(found)}


def _rare_terms(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, int]:
    """The terms that are rare enough to search for, the rarest first, each with the number of its texts."""
    rarest_first = sorted(frequencies.items(), key=lambda row: (row[1], row[0]))
    places = list(accumulate(count for _, count in rarest_first))
    most = _MAX_PLACES_IN_SMALL_STORE if statistics.texts <= _SMALL_STORE_TEXTS else _MAX_PLACES
    bounds = [math.inf, _SECOND_TERM_FACTOR * most, *[most] * len(rarest_first)]
    return dict(row for row, place, bound in zip(rarest_first, places, bounds, strict=False) if place <= bound)


def _weights(frequencies: Mapping[str, int], statistics: Statistics) -> dict[str, float]:
    """The inverse document frequency of each term among the texts that the access sees.

    A word in all texts of a namespace (such as a speaker's name in a conversation) tells them not apart, however rare
    it is elsewhere. LoCoMo recall@10: 0.672 with the frequencies of the store, 0.711 with these.
    """
    if not statistics.sampled:
        return {term: _weight_in_store(count, statistics) for term, count in frequencies.items()}
    weights = {}
    for term, count in frequencies.items():
        in_store = min(count / max(statistics.texts, 1), 0.999)
        share = (statistics.sample.count(term) + _PRIOR_TEXTS * in_store) / (statistics.sampled + _PRIOR_TEXTS)
        weights[term] = max(math.log((1 - share) / share), _MIN_WEIGHT)
    return weights


def _weight_in_store(count: int, statistics: Statistics) -> float:
    """The inverse document frequency in the whole store, as FTS5 computes it."""
    texts = max(statistics.texts, count)
    return max(math.log((texts - count + 0.5) / (count + 0.5)), _MIN_WEIGHT)
