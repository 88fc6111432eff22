"""The full-text index: written in the transaction of the node, searched by BM25 (k1 = 1.2, b = 0.75)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from recollect.model.access import Access
from recollect.model.graph import Node
from recollect.storage.port import Database, Transaction
from recollect.storage.statements import inside_parameters, scope_parameters
from recollect.text.check import json_text
from recollect.text.tokens import query_terms, terms

# Rare terms choose the candidates: terms are taken from the rarest on until this many places in texts
# are to be scored. Each costs FTS5 1.3 µs; all words of a question over 100,000 texts took 15 ms, this 5 ms.
_PLACES: Final = 6_000
# A second term is worth more than its share, as long as it is not everywhere.
_PLACES_OF_TWO: Final = 30_000
# A whole memo may be the question.
_TERMS: Final = 256
_STATISTICS_SECONDS: Final = 30.0
_REINDEX_BATCH: Final = 500


def write(tx: Transaction, access: Access, written: Sequence[Node], *, new: bool) -> None:
    """Index the titles and texts of nodes that were just written."""
    documents = [_document(tx, access, node.id, node.title, node.content) for node in written]
    if not new:
        tx.run_many("text_forget", documents)
    tx.run_many("text_index", documents)


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many texts there are and how long they are on average."""

    texts: int
    average_length: float


class TextSearch:
    """Searches the index of one database; keeps its statistics for a short while."""

    def __init__(self) -> None:
        self._statistics: dict[str, tuple[float, Statistics]] = {}

    def best(
        self,
        tx: Transaction,
        access: Access,
        query: str,
        *,
        kinds: Sequence[str],
        limit: int,
        metadata: Mapping[str, Any],
    ) -> list[tuple[str, float]]:
        """Ids and BM25 scores of the best texts that the access may see and whose metadata fits, best first."""
        statistics = self._current(tx, access)
        weights = _weights(tx, access, query_terms(query)[:_TERMS], statistics)
        if not weights:
            return []
        parameters = {
            **scope_parameters(access),
            "kinds": json_text(kinds),
            "terms": json_text(list(weights)),
            "weights": json_text(weights),
            "query": " OR ".join(f'"{term}"' for term in weights),
            "average": max(statistics.average_length, 1.0),
            "metadata": json_text(metadata) if metadata else None,
        }
        reach = limit
        while True:
            rows = tx.rows("text_search", {**parameters, "reach": reach})
            visible = [(node_id, float(score)) for node_id, score in rows if node_id is not None]
            if len(visible) >= limit or len(rows) < reach:
                return visible[:limit]
            # Texts that the access may not see took places: look further.
            reach *= 8

    def _current(self, tx: Transaction, access: Access) -> Statistics:
        known = self._statistics.get(access.owner)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        count, average = tx.row("text_totals", {"owner": access.owner}) or (0, 0)
        statistics = Statistics(count, float(average))
        self._statistics[access.owner] = (time.monotonic() + _STATISTICS_SECONDS, statistics)
        return statistics


def reindex(database: Database, access: Access) -> int:
    """Make the index of the root anew, in short transactions; needed when the rules of terms changed."""
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
    documents = [_document(tx, access, *row[1:]) for row in rows]
    tx.run_many("text_forget", documents)
    tx.run_many("text_index", documents)
    return len(rows), rows[-1][0] if rows else after


def _document(tx: Transaction, access: Access, node_id: str, title: str | None, content: str) -> dict[str, Any]:
    found = terms(f"{title}\n{content}" if title else content)
    return {"owner": access.owner, "id": node_id, "terms": tx.dialect.document(found), "length": len(found)}


def _weights(tx: Transaction, access: Access, wanted: list[str], statistics: Statistics) -> dict[str, float]:
    """The inverse document frequency of each term that is worth searching for (as FTS5 computes it)."""
    rows = tx.rows("text_frequencies", {"owner": access.owner, "terms": json_text(wanted)}) if wanted else []
    frequencies: dict[str, int] = dict(rows)
    rarest_first = sorted(frequencies.items(), key=lambda item: (item[1], item[0]))
    places = list(accumulate(count for _, count in rarest_first))
    bounds = [math.inf, _PLACES_OF_TWO, *[_PLACES] * len(rarest_first)]
    telling = dict(item for item, place, bound in zip(rarest_first, places, bounds, strict=False) if place <= bound)
    texts = max(statistics.texts, *frequencies.values(), 1) if frequencies else 1
    return {term: max(math.log((texts - count + 0.5) / (count + 0.5)), 1e-6) for term, count in telling.items()}
