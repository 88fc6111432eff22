"""Candidates for a question, from the full text and from the vectors: the one search that all engines use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.embedding.port import Matrix
from recollect.model.access import Access
from recollect.storage import embeddings
from recollect.storage.port import Model, Near, Nearest, Transaction, Vectors
from recollect.storage.statements import scope_parameters
from recollect.storage.text_index import TextSearch
from recollect.text.check import json_text

_NOT_BY_TEXT: Final[tuple[float | None, int | None]] = (None, None)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: words, a direction, or both; among nodes of some kinds, with this metadata, of this task."""

    text: str
    vector: Matrix | None
    model: Model | None
    kinds: Sequence[str]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that an arm found: its BM25 score and vector, and its rank in each arm (1 is best)."""

    id: str
    text_score: float | None = None
    text_rank: int | None = None
    vector: Matrix | None = None
    vector_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """What both arms found, and among how many vectors."""

    found: tuple[Candidate, ...]
    vectors_searched: int


def find(
    tx: Transaction, access: Access, question: Question, *, text: TextSearch, vectors: Vectors, each: int
) -> Candidates:
    """Up to `each` candidates of either arm; those of the text arm with their vectors, too."""
    best = text.best(tx, access, question.text, kinds=question.kinds, limit=each, metadata=question.metadata)
    near = nearest(tx, access, question, vectors=vectors, limit=each)
    scores: dict[str, tuple[float | None, int | None]] = {
        node_id: (score, rank) for rank, (node_id, score) in enumerate(best, start=1)
    }
    places = {node_id: rank for rank, node_id in enumerate(near.ids, start=1)}
    rows: dict[str, Matrix] = dict(zip(near.ids, near.vectors, strict=True))
    if question.model is not None and question.vector is not None:
        rows |= embeddings.of_nodes(tx, access, [node_id for node_id in scores if node_id not in rows], question.model)
    found = tuple(
        Candidate(node_id, *scores.get(node_id, _NOT_BY_TEXT), rows.get(node_id), places.get(node_id))
        for node_id in dict.fromkeys([*scores, *places])
    )
    return Candidates(found, near.searched)


def nearest(
    tx: Transaction, access: Access, question: Question, *, vectors: Vectors, limit: int, thorough: bool = False
) -> Nearest:
    """The nodes whose vectors are nearest to the question's."""
    if question.vector is None or question.model is None:
        return Nearest((), (), 0)  # type: ignore[arg-type]  # no rows
    within = None
    if question.metadata or question.task_id is not None:
        where = {
            **scope_parameters(access),
            "kinds": json_text(question.kinds),
            "metadata": json_text(question.metadata) if question.metadata else None,
            "task_id": question.task_id,
        }
        within = [seq for (seq,) in tx.rows("nodes_matching", where)]
    near = Near(question.vector, question.model, question.kinds, limit, within, thorough)
    return vectors.nearest(tx, access, near)
