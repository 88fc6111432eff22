"""Finds the memos and claims that say nearly what is about to be saved, by words and vectors together.

The score of each is SHARE_OF_VECTORS · cosine + the rest · coverage, where coverage is the share of the new text's
terms that the other has, each term weighed by how rare it is in the store. A node below a floor is left out: it has
nothing to do with the new text. Cosines of texts without spaces are higher, so their floor is.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wherefrom.embedding import vocabulary
from wherefrom.embedding.port import Matrix
from wherefrom.engine.resources import Resources
from wherefrom.model.access import Access
from wherefrom.model.graph import Node
from wherefrom.model.results import NearStatement
from wherefrom.storage import candidates, embeddings
from wherefrom.storage.port import EmbeddingModel, SearchRequest, Times, Transaction
from wherefrom.text.check import content_hash
from wherefrom.text.differences.describe import Compared, compared, describe
from wherefrom.text.tokens import is_unspaced, query_terms, text_of

logger = logging.getLogger("wherefrom")

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


@dataclass(frozen=True, slots=True)
class Likely:
    """The nodes that may be near to a new one, each with its vector and its score by words. weights: how rare each term
    of the new text is. vector: that of the new node, if it was compared. floor: the least score.
    """

    candidates: tuple[candidates.Candidate, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    vector: Matrix | None = None
    floor: float = 0.0

    @property
    def ids(self) -> list[str]:
        """The ids of the nodes."""
        return [candidate.id for candidate in self.candidates]


def look_for_likely(store: Resources, access: Access, node: Node, made: embeddings.Made | None, *, now: str) -> Likely:
    """Return what `find_likely` finds; nothing if that fails, because the save matters more. Reading these
    nodes again by their ids (`node_saving.send_seen`) is a part of the save, which fails with it.
    """
    try:
        return store.database.glance(lambda tx: find_likely(tx, access, store, node, made, now=now))
    except Exception:
        logger.exception("what is near to %s could not be found", node.id)
        return Likely()


def find_likely(
    tx: Transaction, access: Access, store: Resources, node: Node, made: embeddings.Made | None, *, now: str
) -> Likely:
    """Return the nodes that are worth comparing with one that is about to be saved.

    Among all memos and claims that the access sees, without the node itself, what has expired, was rejected or has
    ended. made: the vector of the new node; if it is of another model than the store's, the words alone decide.
    """
    text = embeddings.embedded_text(node)
    vector = None if made is None else made.vectors.get(content_hash(text))
    text = text[:_MAX_CHARACTERS]
    active = embeddings.send_active(tx)
    # What it learns is kept, so that another time it would ask something else.
    tx.once("asked ahead", lambda: store.text_search.ask_ahead(tx, access, text, KINDS))
    model = active()
    if vector is None or made is None or model is None or model.model_id != made.model_id:
        vector = model = None
    request = SearchRequest(text, vector, model, kinds=KINDS, times=Times(now, holding=True))
    found, weights = candidates.find_quickly(
        tx, access, request, text=store.text_search, vectors=store.database.vectors, reach=_REACH
    )
    return Likely(tuple(_most_likely(found.found, vector, weights, node)), weights, vector, _floor(text, model))


def nearest_of(likely: Likely, known: Mapping[str, Node], node: Node) -> tuple[NearStatement, ...]:
    """Return the nodes nearest to one that is being saved, at most MAX_NEAR, nearest first: without the same text, what
    was superseded, and claims of research tasks; nothing if that fails. known: the likely nodes, as far as the access
    sees them.
    """
    try:
        return _nearest_of(likely, known, node)
    except Exception:
        logger.exception("what is near to %s could not be compared", node.id)
        return ()


def _nearest_of(likely: Likely, known: Mapping[str, Node], node: Node) -> tuple[NearStatement, ...]:
    scored = [
        (_score(candidate, likely.vector, _coverage(likely.weights, known[candidate.id])), known[candidate.id])
        for candidate in likely.candidates
        if candidate.id in known and _is_comparable(known[candidate.id], node)
    ]
    near = sorted((row for row in scored if row[0] >= likely.floor), key=lambda row: (-row[0], row[1].id))[:MAX_NEAR]
    mine = compared(node.content, node.title) if near else None
    return tuple(_described(mine, other, score) for score, other in near if mine is not None)


def _most_likely(
    found: tuple[candidates.Candidate, ...], vector: Matrix | None, weights: Mapping[str, float], node: Node
) -> list[candidates.Candidate]:
    """The candidates that are worth reading, by similarity and by their share of the rarest terms of the new text."""
    total = sum(weights.values()) or 1.0
    others = [candidate for candidate in found if candidate.id != node.id]
    others.sort(key=lambda candidate: -_score(candidate, vector, (candidate.text_score or 0.0) / total))
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
    description = describe(compared(other.content, other.title), mine, vocabulary)
    return NearStatement(other, min(max(score, 0.0), 1.0), description.differs, description.hint)
