"""Finds the memos and claims that say nearly what is about to be saved, by words and vectors together.

The score of each is SHARE_OF_VECTORS · cosine + the rest · coverage, where coverage is the share of the new text's
terms that the other has, each term weighed by how rare it is in the store. A node below a floor is left out: it has
nothing to do with the new text. Cosines of texts without spaces are higher, so their floor is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.engine.resources import Resources
from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.results import NearStatement
from wherefrom.storage import candidates, embeddings, nodes
from wherefrom.storage.port import EmbeddingModel, SearchRequest, Times, Transaction
from wherefrom.text.differences.describe import Compared, compared, describe
from wherefrom.text.tokens import is_unspaced, query_terms, text_of

MAX_NEAR: Final = 3
KINDS: Final = ("memo", "claim")
# With 352 changed statements (English, German, Japanese) among 5,000 turns of LoCoMo, the old statement is among the
# three for 299 of 301 exchanged values and for 46 of 51 reworded ones, the floor included.
SHARE_OF_VECTORS: Final = 0.6
# Of 25 statements about new topics, 23 have nothing above it; the other two are about something that is there. Of the
# old statements of reworded changes, one in twenty is below it.
FLOOR: Final = 0.36
FLOOR_UNSPACED: Final = 0.5
FLOOR_WITHOUT_VECTOR: Final = 0.3
# How many candidates each arm gives, and how many of both are read.
_REACH: Final = (8, 8)
_MAX_READ: Final = 8
# A long text is compared by its beginning, so that a save takes no longer for it.
_MAX_CHARACTERS: Final = 1_000


def find_near(
    tx: Transaction, access: Access, store: Resources, node: Node, vector: Matrix | None, *, now: str
) -> tuple[NearStatement, ...]:
    """Return the nodes nearest to one that is about to be saved, at most MAX_NEAR, nearest first.

    Among all memos and claims that the access sees, without the node itself, the same text, what has expired, was
    rejected or superseded, and claims of research tasks. vector: that of the new node, by the store's model; without
    one the words alone decide.
    """
    model = None if vector is None else embeddings.active(tx)
    text = embeddings.embedded_text(node)[:_MAX_CHARACTERS]
    request = SearchRequest(text, vector, model, kinds=KINDS, times=Times(now, holding=True))
    found, weights = candidates.find_quickly(
        tx, access, request, text=store.text_search, vectors=store.database.vectors, reach=_REACH
    )
    likely = _most_likely(found.found, vector, node)
    known = nodes.read_by_ids(tx, access, [candidate.id for candidate in likely])
    scored = [
        (_score(candidate, vector, _coverage(weights, known[candidate.id])), known[candidate.id])
        for candidate in likely
        if candidate.id in known and _is_comparable(known[candidate.id], node)
    ]
    floor = _floor(text, model)
    near = sorted((row for row in scored if row[0] >= floor), key=lambda row: (-row[0], row[1].id))[:MAX_NEAR]
    mine = compared(node.content, node.title) if near else None
    return tuple(_described(mine, other, score) for score, other in near if mine is not None)


def ask_ahead(tx: Transaction, access: Access, store: Resources, node: Node) -> None:
    """Send the queries with which `find_near` begins."""
    tx.expect([("model_active", {})])
    store.text_search.ask_ahead(tx, access, embeddings.embedded_text(node)[:_MAX_CHARACTERS])


def _most_likely(
    found: tuple[candidates.Candidate, ...], vector: Matrix | None, node: Node
) -> list[candidates.Candidate]:
    """The candidates that are worth reading, by similarity and by BM25 relative to the best."""
    best = max((candidate.text_score or 0.0 for candidate in found), default=0.0) or 1.0
    others = [candidate for candidate in found if candidate.id != node.id]
    others.sort(key=lambda candidate: -_score(candidate, vector, (candidate.text_score or 0.0) / best))
    return others[:_MAX_READ]


def _score(candidate: candidates.Candidate, vector: Matrix | None, by_words: float) -> float:
    if vector is None:
        return by_words
    similarity = 0.0 if candidate.vector is None else float(candidate.vector @ vector)
    return SHARE_OF_VECTORS * similarity + (1 - SHARE_OF_VECTORS) * by_words


def _coverage(weights: Mapping[str, float], other: Node) -> float:
    """The share of a text's terms that another has, by their weights."""
    total = sum(weights.values())
    has = set(query_terms(text_of(other.title, other.content[:_MAX_CHARACTERS])))
    return sum(weight for term, weight in weights.items() if term in has) / total if total else 0.0


def _is_comparable(other: Node, node: Node) -> bool:
    is_same = other.content_hash == node.content_hash or other.content == node.content
    return not is_same and other.superseded_by is None and other.task_id is None


def _floor(text: str, model: EmbeddingModel | None) -> float:
    if model is None:
        return FLOOR_WITHOUT_VECTOR
    return FLOOR_UNSPACED if is_unspaced(text) else FLOOR


def _described(mine: Compared, other: Node, score: float) -> NearStatement:
    description = describe(compared(other.content, other.title), mine)
    return NearStatement(other, min(max(score, 0.0), 1.0), description.differs, description.hint)
