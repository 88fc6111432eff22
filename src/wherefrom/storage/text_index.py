"""The full-text index: written in the transaction of the node, searched by BM25 (k1 = 1.2, b = 0.75).

Fragments are found by the title of their page, too. The title stands in the index once, with the page: in each fragment
it would make its words common, and a new title would have to be written into all of them.

A short word of a script without spaces is found in a text also where it only stands across the border of two other
words (京都 in 東京都). Such a text goes further back in the order.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any, Final

from wherefrom.model.access import Access
from wherefrom.model.graph import BoundaryClass, Node
from wherefrom.storage.kept import Kept
from wherefrom.storage.port import Database, SearchRequest, Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters
from wherefrom.storage.text_statistics import Sample, Statistics
from wherefrom.text.check import json_text
from wherefrom.text.han_words import Flank, crossings, short_words
from wherefrom.text.sensitive.findings import lookup_terms
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import folded, names_of, query_terms, searched_text, terms, text_of

# The rarest terms choose the candidates: terms are taken from the rarest on until this many places in texts are to be
# scored. A place costs FTS5 a microsecond: all words of a question over 100,000 texts took 15 ms, with the limit 3 ms.
# In a small store even the rarest terms of a question are common, so the limit is higher.
_MAX_PLACES: Final = 2_000
_MAX_PLACES_IN_SMALL_STORE: Final = 6_000
_SMALL_STORE_TEXTS: Final = 30_000
# The second term may have this many times as many places.
_SECOND_TERM_FACTOR: Final = 2
# For what is near to a text that is saved: so many of its rarest terms, with so many places.
_MAX_RAREST_TERMS: Final = 10
_MAX_PLACES_OF_RAREST: Final = 600
# In a store with fewer texts their number says little about how telling a term is.
_MIN_WEIGHED_TEXTS: Final = 1_000
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
# In a question with more short words none of them decides the order.
_MAX_SHORT_WORDS: Final = 8
# For a question of nothing but short words this many texts are looked at.
_TEXTS_LOOKED_AT: Final = 200
# The share of a word's score that is left in a text that has it across a border only. BM25 of one place differs by a
# factor of four between a short text and one of four times the average length.
_SHARE_ACROSS_BORDER: Final = 0.2
# If a word is in this many texts, the word beside a border counts as a word only if it occurs in this many times more
# texts than the border alone explains.
_COMMON_WORD_TEXTS: Final = 10
_MIN_EXCESS_RATIO: Final = 1.2
# The share of the score of a page's title that its fragments get. With the abstracts of SciFact as pages of sentences,
# nDCG@10 is 0.703 with none, 0.724 with 0.2, 0.732 with 0.35, 0.731 with 0.8; as pages of one fragment 0.762, 0.766,
# 0.762 and 0.758.
_TITLE_SHARE: Final = 0.35
# The first fragments of the pages with the best titles are found even without a word of the question in them.
_MAX_TITLES: Final = 8
_FRAGMENTS_PER_TITLE: Final = 2

Scored = list[tuple[str, float]]
"""Ids and scores of texts, best first."""
Crossings = Mapping[str, list[tuple[Flank, ...]]]
"""The places where a word stands across a border, by text; each with the words on its sides."""


def write(tx: Transaction, access: Access, seqs: Mapping[str, int], written: Sequence[Node]) -> None:
    """Add the titles, aliases, tags and texts of nodes to the index, which must not hold them yet."""
    texts = {
        node.id: searched_text(node.title, names_of(node.aliases, node.metadata), node.content) for node in written
    }
    documents = [
        _document(tx, seqs[node.id], texts[node.id], node.boundary_class, node.shared_class) for node in written
    ]
    tx.many("text_index", documents, {"owner": access.owner})


def forget(tx: Transaction, access: Access, seqs: Iterable[int]) -> None:
    """Take nodes out of the index."""
    tx.run("text_forget", {"owner": access.owner, "seqs": json_text(list(seqs))})


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
        statistics = self._current(tx, access, question.kinds)
        wanted = [*question.lookups, *query_terms(question.text)][:_MAX_TERMS]
        frequencies = _rare_terms(self._counted(tx, access, wanted), statistics)
        return self._best(tx, access, question, (frequencies, statistics), limit=limit)

    def best_of_rarest(
        self, tx: Transaction, access: Access, question: SearchRequest, *, limit: int
    ) -> tuple[Scored, dict[str, float]]:
        """The best texts by the rarest terms of a text alone, as in `best`; and the weight of each of its terms by how
        rare it is in the whole store. A term in no text has the greatest.
        """
        statistics = self._current(tx, access, question.kinds)
        wanted = query_terms(question.text)[:_MAX_TERMS]
        counted = self._counted(tx, access, wanted)
        rarest = [*_rare_terms(counted, statistics, most=_MAX_PLACES_OF_RAREST).items()][:_MAX_RAREST_TERMS]
        texts = max(statistics.texts, _MIN_WEIGHED_TEXTS)
        weights = {term: math.log1p(texts / (counted.get(term, 0) + 1)) for term in wanted}
        return self._best(tx, access, question, (dict(rarest), statistics), limit=limit), weights

    def _best(
        self,
        tx: Transaction,
        access: Access,
        question: SearchRequest,
        chosen: tuple[Mapping[str, int], Statistics],
        *,
        limit: int,
    ) -> Scored:
        """The best texts by the terms that were chosen, each with the number of its texts."""
        kinds = question.kinds
        frequencies, statistics = chosen
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
            "kinds": json_text([*kinds, "page"] if "fragment" in kinds else kinds),
            "terms": json_text(list(weights)),
            "weights": json_text(weights),
            "query": " OR ".join(f'"{term}"' for term in weights),
            "ratios": json_text(ratios) if statistics.sampled or question.lookups else None,
            "average": max(statistics.average_length, 1.0),
        }
        words = _short_words(question.text, weights)
        only_short = words and len(words) == len(weights)
        wanted_texts = reach = max(limit, _TEXTS_LOOKED_AT) if only_short else limit
        while True:
            rows = tx.rows("text_search", {**parameters, "reach": reach})
            titles = {node_id: float(score) for node_id, score, kind, _ in rows if kind == "page"}
            visible = [(row[0], float(row[1])) for row in rows if row[0] is not None and row[0] not in titles]
            if len(visible) >= wanted_texts or len(rows) < reach:
                best = self._reordered(tx, access, visible[:wanted_texts], question.text, weights)
                if titles:
                    best = _with_titles(tx, parameters, best, titles, {row[0]: row[3] for row in rows})
                return best[:limit]
            # Texts that the access may not see took up places: look further.
            reach *= 8

    def scores(self, tx: Transaction, access: Access, question: SearchRequest, texts: Iterable[Node]) -> Scored:
        """Ids and BM25 scores of texts that are not in the index and have a word of the question, best first."""
        statistics = self._current(tx, access, question.kinds)
        wanted = query_terms(question.text)[:_MAX_TERMS]
        counted = self._counted(tx, access, wanted)
        weights = _weights(_rare_terms(counted, statistics), statistics)
        weights |= {term: _weight_in_store(0, statistics) for term in wanted if not counted.get(term)}
        found: Scored = []
        for node in texts:
            text = searched_text(node.title, names_of(node.aliases, node.metadata), node.content)
            counts = Counter(terms(shared_text(text, node.shared_class)))
            length = counts.total() / max(statistics.average_length, 1.0)
            places = ((weight, counts[term]) for term, weight in weights.items())
            score = sum(weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length)) for weight, count in places)
            found += [(node.id, score)] if score > 0 else []
        return sorted(found, key=lambda row: -row[1])

    def _reordered(
        self, tx: Transaction, access: Access, found: Scored, question: str, weights: Mapping[str, float]
    ) -> Scored:
        """The texts found, in a new order: a word that stands in a text across a border only counts less there."""
        words = _short_words(question, weights)
        if not words or not found:
            return found
        where = {"owner": access.owner, "ids": json_text([node_id for node_id, _ in found])}
        texts: dict[str, str] = {}
        for node_id, title, aliases, metadata, content, shared_class in tx.rows("text_beginnings", where):
            names = names_of(json.loads(aliases), json.loads(metadata))
            text = shared_text(searched_text(title, names, content), shared_class)
            texts[node_id] = text if all(word in text for word in words) else folded(text)
        by_word = {
            word: {node_id: places for node_id, text in texts.items() if (places := crossings(word, text))}
            for word in words
        }
        if not any(by_word.values()):
            return found
        flanks = {flank for crossed in by_word.values() for places in crossed.values() for flank in chain(*places)}
        frequencies = self._counted(tx, access, [*words, *sorted({flank.word for flank in flanks})])
        around = {word: _overlapping(word, folded(question), weights) for word in words}
        shares = {
            node_id: _share_left(texts[node_id], {word: around[word] for word in crossed}, weights)
            for node_id, crossed in _believed(texts, by_word, frequencies).items()
        }
        reordered = ((node_id, score * shares.get(node_id, 1.0)) for node_id, score in found)
        return sorted(reordered, key=lambda row: -row[1])

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
            _document(
                tx, seq, searched_text(title, names_of(json.loads(aliases), json.loads(metadata)), content), *classes
            )
            for seq, title, aliases, metadata, content, *classes in rows
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


def _rare_terms(frequencies: Mapping[str, int], statistics: Statistics, *, most: int | None = None) -> dict[str, int]:
    """The terms that are rare enough to search for, the rarest first, each with the number of its texts."""
    rarest_first = sorted(frequencies.items(), key=lambda row: (row[1], row[0]))
    places = list(accumulate(count for _, count in rarest_first))
    if most is None:
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


def _with_titles(
    tx: Transaction, where: Mapping[str, Any], found: Scored, titles: Mapping[str, float], pages: Mapping[str, str]
) -> Scored:
    """The texts found, in a new order: a fragment gets a share of the score of its page's title; `pages` has the page
    of each text. The first fragments of the pages with the best titles are added.
    """
    scores = {node_id: score + _TITLE_SHARE * titles.get(pages[node_id], 0.0) for node_id, score in found}
    best = sorted(titles, key=lambda page_id: -titles[page_id])[:_MAX_TITLES]
    wanted = {**where, "pages": json_text(best), "each": _FRAGMENTS_PER_TITLE}
    for node_id, page_id in tx.rows("fragments_first", wanted):
        scores.setdefault(node_id, _TITLE_SHARE * titles[page_id])
    return sorted(scores.items(), key=lambda row: -row[1])


def _short_words(question: str, weights: Mapping[str, float]) -> list[str]:
    """The short words of a question among the terms that are searched for; none if there are many."""
    words = [word for word in short_words(folded(question)) if word in weights]
    return words if len(words) <= _MAX_SHORT_WORDS else []


def _believed(
    texts: Mapping[str, str], by_word: Mapping[str, Crossings], frequencies: Mapping[str, int]
) -> dict[str, list[str]]:
    """The words that stand in a text across a border only, by text, if the store confirms it: where a word is common,
    the words beside the border must occur elsewhere, too, unless they are names of places.
    """
    believed: dict[str, list[str]] = {}
    for word, found in by_word.items():
        looked_at = [text for text in texts.values() if word in text]
        rare = frequencies.get(word, 0) < _COMMON_WORD_TEXTS
        seen_elsewhere = {
            flank
            for flank in {flank for places in found.values() for flank in chain(*places)}
            if rare
            or flank.is_place
            or _is_seen_elsewhere(flank, looked_at, frequencies.get(word, 0), frequencies.get(flank.word, 0))
        }
        for node_id, places in found.items():
            if all(seen_elsewhere.issuperset(place) for place in places):
                believed.setdefault(node_id, []).append(word)
    return believed


def _is_seen_elsewhere(flank: Flank, looked_at: Sequence[str], word_texts: int, flank_texts: int) -> bool:
    """True if the neighbouring word occurs in clearly more texts than those in which it stands at this border."""
    share = sum(flank.across in text for text in looked_at) / len(looked_at)
    return flank_texts > _MIN_EXCESS_RATIO * share * word_texts


def _overlapping(word: str, question: str, weights: Mapping[str, float]) -> dict[str, str]:
    """The terms of a question that share a character with a word (都の with 京都), each with both joined (京都の)."""
    found = {}
    for term in weights:
        if len(term) == len(word) and term != word:
            for joined in (word + term[-1], term[0] + word):
                if term in joined and joined in question:
                    found[term] = joined
    return found


def _share_left(text: str, crossing: Mapping[str, Mapping[str, str]], weights: Mapping[str, float]) -> float:
    """The share of a text's score that is left. Each term in it counts by its weight; a term that shares a character
    with a word across a border counts as little as that word, if the text has it nowhere else.
    """
    plain = folded(text)
    present = sum(weight for term, weight in weights.items() if term in plain)
    lost = set(crossing)
    for overlapping in crossing.values():
        lost |= {term for term, joined in overlapping.items() if 0 < plain.count(term) == plain.count(joined)}
    return 1.0 - (1.0 - _SHARE_ACROSS_BORDER) * sum(weights[term] for term in lost) / present
