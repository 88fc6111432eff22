"""The full-text index: written in the transaction of the node, searched by surprise (`term_weights.py`) or by BM25
(k1 = 1.2, b = 0.75); for what is near to a text that is saved, by the share of its rarest terms.

Fragments are found by the title of their page, too. The title stands in the index once, with the page: in each fragment
it would make its words common, and a new title would have to be written into all of them.

A short word of a script without spaces is found in a text also where it only stands across the border of two other
words (京都 in 東京都). Such a text goes further back in the order.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.storage import term_weights, text_scores
from wherefrom.storage.kept import Kept
from wherefrom.storage.node_texts import NodeText, indexed_terms
from wherefrom.storage.port import Database, Row, SearchRequest, Transaction
from wherefrom.storage.sql import inside_parameters, scope_parameters
from wherefrom.storage.term_weights import rare_terms
from wherefrom.storage.text_borders import believed, least_scores, overlapping, score_left, share_lost
from wherefrom.storage.text_statistics import Sample, Statistics
from wherefrom.text.check import json_text
from wherefrom.text.han_words import crossings, short_words
from wherefrom.text.sensitive.redaction import shared_text
from wherefrom.text.tokens import folded, names_of, query_terms, searched_text, terms, text_of

# For what is near to a text that is saved: so many of its rarest terms, with so many places.
_MAX_RAREST_TERMS: Final = 10
_MAX_PLACES_OF_RAREST: Final = 600
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
# Of so many of the newest texts, as many characters, it is counted how common terms are in a part of the store.
_SAMPLED_TEXTS: Final = 256
_SAMPLED_CHARACTERS: Final = 2_000
_LOOKUP_WEIGHT_FACTOR: Final = 10
_MAX_REINDEXED_AT_ONCE: Final = 500
# In a question with more short words none of them decides the order.
_MAX_SHORT_WORDS: Final = 8
# For a question of nothing but short words this many texts are looked at.
_TEXTS_LOOKED_AT: Final = 200
# The share of the score of a page's title that its fragments get. With the abstracts of SciFact as pages of sentences,
# nDCG@10 is 0.703 with none, 0.724 with 0.2, 0.732 with 0.35, 0.731 with 0.8; as pages of one fragment 0.762, 0.766,
# 0.762 and 0.758.
_TITLE_SHARE: Final = 0.35
# The first fragments of the pages with the best titles are found even without a word of the question in them.
_MAX_TITLES: Final = 8
_FRAGMENTS_PER_TITLE: Final = 2

_UNCOUNTED: Final[Mapping[str, int]] = {}

Scored = list[tuple[str, float]]
"""Ids and scores of texts, best first."""


class TextFound(NamedTuple):
    """Ids and scores of texts, best first; and what the fragment `candidate` tells of texts that were found."""

    scored: Scored
    known: Mapping[str, Row]


def write(tx: Transaction, access: Access, seqs: Mapping[str, int], written: Sequence[NodeText]) -> None:
    """Add the titles, aliases, speakers, tags and texts of nodes to the index, which must not hold them yet."""
    documents = [_document(tx, seqs[text.node.id], text.terms) for text in written]
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

    def send_best(
        self, tx: Transaction, access: Access, question: SearchRequest, *, limit: int
    ) -> Callable[[], TextFound]:
        """Begin a search, and return a function that waits for the best texts that the access may see and that fit the
        question.
        """
        statistics = self._current(tx, access, question.kinds)
        wanted = [*question.lookups, *query_terms(question.text)][:_MAX_TERMS]
        frequencies = rare_terms(self._counted(tx, access, wanted, question.term_counts), statistics)
        if any(2 * count > statistics.texts for count in frequencies.values()):
            # A term in more than half of all texts may mean that many texts came since they were counted.
            statistics = self._current(tx, access, question.kinds, anew=True)
        if not frequencies:
            return lambda: TextFound([], {})
        return self._send(tx, access, question, _weighed(question, frequencies, statistics), limit=limit)

    def ask_ahead(self, tx: Transaction, access: Access, text: str, kinds: Sequence[str]) -> None:
        """Send the queries by which `send_best_of_rarest` will count the terms of a text, and the texts."""
        whose, wanted = _counted_for(tx, access), query_terms(text)[:_MAX_TERMS]
        if missing := [term for term in wanted if self._frequencies.get((whose, term)) is None]:
            tx.expect([("text_frequencies", {"owner": access.owner, "terms": json_text(missing)})])
        scope = {**scope_parameters(access), "kinds": json_text(kinds)}
        known = self._statistics.get((access.reach, tuple(kinds)))
        if known is None or known.texts < _TEXTS_COUNTED_EACH_TIME:
            sample = [("text_sample", {**scope, "limit": _SAMPLED_TEXTS})] if known and known.sampled else []
            tx.expect([("text_totals", {"owner": access.owner}), ("text_outside", scope), *sample])

    def send_best_of_rarest(
        self, tx: Transaction, access: Access, question: SearchRequest, *, limit: int
    ) -> tuple[Callable[[], TextFound], dict[str, float]]:
        """The texts with the greatest share of the rarest terms of a text, as in `send_best`; and the weight of each of
        its terms by how rare it is in the whole store. A term in no text has the greatest.
        """
        statistics = self._current(tx, access, question.kinds)
        wanted = query_terms(question.text)[:_MAX_TERMS]
        counted = tx.once(("counted", *wanted), lambda: self._counted(tx, access, wanted))
        rarest = [*rare_terms(counted, statistics, most=_MAX_PLACES_OF_RAREST).items()][:_MAX_RAREST_TERMS]
        weights = term_weights.weights_in_store({term: counted.get(term, 0) for term in wanted}, statistics)
        if not rarest:
            return lambda: TextFound([], {}), weights
        shares = {term: weights[term] for term, _ in rarest}
        return self._send(tx, access, question, (shares, text_scores.by_share(shares)), limit=limit), weights

    def _send(
        self,
        tx: Transaction,
        access: Access,
        question: SearchRequest,
        weighed: tuple[Mapping[str, float], text_scores.Read],
        *,
        limit: int,
    ) -> Callable[[], TextFound]:
        """Begin a search for the best texts by some terms. weighed: the weight of each, and what reads the texts."""
        kinds = question.kinds
        weights, read = weighed
        parameters = {
            **scope_parameters(access),
            **question.filters(),
            "kinds": json_text([*kinds, "page"] if "fragment" in kinds else kinds),
            "terms": json_text(list(weights)),
            "model": None if question.searched_model is None else question.searched_model.number,
            "facts": question.with_facts or None,
        }
        words = _short_words(question.text, weights)
        only_short = words and len(words) == len(weights)
        wanted_texts = max(limit, _TEXTS_LOOKED_AT) if only_short else limit
        sent = read(tx, parameters, wanted_texts)

        def wait() -> TextFound:
            reach, rows = wanted_texts, sent()
            while True:
                titles = {row[0]: float(row[1]) for row in rows if row[2] == "page"}
                visible = [(row[0], float(row[1])) for row in rows if row[0] is not None and row[0] not in titles]
                if len(visible) >= wanted_texts or len(rows) < reach:
                    best = self._reordered(tx, access, visible[:wanted_texts], question, weights)
                    if titles:
                        best = _with_titles(tx, parameters, best, titles, {row[0]: row[3] for row in rows})
                    return TextFound(best[:limit], {row[0]: row[4:] for row in rows if row[0] is not None})
                # Texts that the access may not see took up places: look further.
                reach *= 8
                rows = read(tx, parameters, reach)()

        return wait

    def scores(self, tx: Transaction, access: Access, question: SearchRequest, texts: Iterable[Node]) -> Scored:
        """Ids and scores of texts that are not in the index and have a word of the question, best first."""
        statistics = self._current(tx, access, question.kinds)
        wanted = query_terms(question.text)[:_MAX_TERMS]
        counted = self._counted(tx, access, wanted, question.term_counts)
        frequencies = rare_terms(counted, statistics) | {term: 0 for term in wanted if not counted.get(term)}
        part: Callable[[float, int, float], float] = term_weights.surprise
        weights = term_weights.shares(frequencies, statistics)
        if question.text_score == "bm25":
            part, weights = term_weights.bm25, term_weights.bm25_weights(frequencies, statistics)
        found: Scored = []
        for node in texts:
            text = searched_text(node.title, names_of(node.aliases, node.metadata, node.speaker), node.content)
            counts = Counter(terms(shared_text(text, node.shared_class)))
            length = counts.total() / max(statistics.average_length, 1.0)
            score = sum(part(weight, counts[term], length) for term, weight in weights.items())
            found += [(node.id, score)] if score > 0 else []
        return sorted(found, key=lambda row: -row[1])

    def term_counts(self, tx: Transaction, access: Access, text: str) -> dict[str, int]:
        """The number of texts with each term of a question."""
        wanted = query_terms(text)[:_MAX_TERMS]
        return dict.fromkeys(wanted, 0) | self._counted(tx, access, wanted)

    def count_terms(self, tx: Transaction, access: Access, wanted: list[str]) -> dict[str, int]:
        """The number of texts with each of these terms that is in any."""
        return self._counted(tx, access, wanted) if wanted else {}

    def count_texts(self, tx: Transaction, access: Access, kinds: Sequence[str]) -> int:
        """The number of texts among which terms are rare or common."""
        statistics = self._current(tx, access, kinds)
        return statistics.sampled if 0 < statistics.sampled < _SAMPLED_TEXTS else statistics.texts

    def texts_of_rarest(
        self, tx: Transaction, access: Access, counts: Mapping[str, int], *, most: tuple[int, int]
    ) -> dict[str, list[str]]:
        """The ids of the texts with each of the rarest of some terms that several texts have: at most `most[0]` terms
        in at most `most[1]` texts. counts: the number of texts with each.
        """
        wanted = [term for _, term in sorted((n, term) for term, n in counts.items() if 1 < n <= most[1])[: most[0]]]
        found: dict[str, list[str]] = {}
        where = {**scope_parameters(access), "terms": json_text(wanted)}
        for term, node_id in tx.rows("texts_of_terms", where) if wanted else ():
            found.setdefault(term, []).append(node_id)
        return {term: ids for term, ids in found.items() if len(ids) > 1}

    def term_weights(
        self, tx: Transaction, access: Access, counts: Mapping[str, int], kinds: Sequence[str]
    ) -> dict[str, float]:
        """The weight −ln p of each term of a question by the share p of the texts that have it, among those that the
        access sees. A term in no text has the greatest. counts: the number of texts with each.
        """
        return term_weights.telling_weights(counts, self._current(tx, access, kinds))

    def _reordered(
        self, tx: Transaction, access: Access, found: Scored, question: SearchRequest, weights: Mapping[str, float]
    ) -> Scored:
        """The texts found, in a new order: a word that stands in a text across a border only counts less there."""
        words = _short_words(question.text, weights)
        if not words or not found:
            return found
        where = {"owner": access.owner, "ids": json_text([node_id for node_id, _ in found])}
        texts: dict[str, str] = {}
        for node_id, title, aliases, metadata, speaker, content, shared_class in tx.rows("text_beginnings", where):
            names = names_of(json.loads(aliases), json.loads(metadata), speaker)
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
        around = {word: overlapping(word, folded(question.text), weights) for word in words}
        crossing = believed(texts, by_word, frequencies)
        lost = {
            node_id: share_lost(texts[node_id], {word: around[word] for word in crossed}, weights)
            for node_id, crossed in crossing.items()
        }
        bounds = least_scores(found, texts, words, crossing) if question.text_score == "surprise" else {}
        reordered = (
            (node_id, score_left(score, lost.get(node_id, 0.0), [bounds.get(w) for w in crossing.get(node_id, ())]))
            for node_id, score in found
        )
        return sorted(reordered, key=lambda row: -row[1])

    def _counted(
        self, tx: Transaction, access: Access, wanted: list[str], known: Mapping[str, int] = _UNCOUNTED
    ) -> dict[str, int]:
        """The number of texts with each term that is in any; that of a common term is kept for a while, as counting it
        is slow. known: those of some terms, 0 for a term in no text.
        """
        whose = _counted_for(tx, access)
        unknown = [term for term in wanted if term not in known]
        counts = {term: count for term in wanted if (count := known.get(term))}
        counts |= {term: count for term in unknown if (count := self._frequencies.get((whose, term))) is not None}
        if missing := [term for term in unknown if term not in counts]:
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
        is_part = tx.row("text_outside", scope) is not None
        sampled = tx.rows("text_sample", {**scope, "limit": _SAMPLED_TEXTS}) if is_part else []
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
    seqs, total = [0], 0

    def reindex_batch(tx: Transaction) -> list[int]:
        rows = tx.rows("node_batch", {**scope, "after": seqs[-1]})
        forget(tx, access, [row[0] for row in rows])
        texts = {
            seq: indexed_terms(searched_text(title, names_of(json.loads(names), json.loads(tags), by), text), *classes)
            for seq, title, names, tags, by, text, *classes in rows
        }
        tx.many("text_index", [_document(tx, *text) for text in texts.items()], {"owner": access.owner})
        return [row[0] for row in rows]

    while seqs := database.write(reindex_batch):
        total += len(seqs)
    return total


def _document(tx: Transaction, seq: int, found: list[str]) -> dict[str, Any]:
    """The terms of a node as a row of the index."""
    return {"seq": seq, "terms": tx.dialect.document(found), "length": len(found)}


def _counted_for(tx: Transaction, access: Access) -> str:
    """The owner of the texts that are counted. An index that all owners share counts the texts of all of them."""
    return "" if tx.dialect.one_text_index else access.owner


def _weighed(
    question: SearchRequest, frequencies: Mapping[str, int], statistics: Statistics
) -> tuple[dict[str, float], text_scores.Read]:
    """The weights of the question's terms, and what reads the best texts by the question's score."""
    average = max(statistics.average_length, 1.0)
    if question.text_score == "bm25":
        weights = term_weights.bm25_weights(frequencies, statistics)
        weights |= _lookup_weights(question, weights)
        return weights, text_scores.by_bm25(weights, average)
    shares = term_weights.shares(frequencies, statistics)
    plain = {term: -math.log(share) for term, share in shares.items()}
    weights = plain | _lookup_weights(question, plain)
    wanted = {term: (math.log(1 - share), weights[term] / plain[term]) for term, share in shares.items()}
    return weights, text_scores.by_surprise(wanted, average)


def _lookup_weights(question: SearchRequest, weights: Mapping[str, float]) -> dict[str, float]:
    """The weights of the numbers of a question, which means the texts that have them."""
    greatest = _LOOKUP_WEIGHT_FACTOR * max(weights.values())
    return {term: greatest for term in question.lookups if term in weights}


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
