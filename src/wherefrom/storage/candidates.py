"""Candidates for a question, from the full text and from the vectors: the one search that all engines use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.model.access import Access
from wherefrom.storage import embeddings
from wherefrom.storage.port import Near, Nearest, Transaction, Vectors
from wherefrom.storage.question import Question
from wherefrom.storage.statements import scope_parameters
from wherefrom.storage.text_index import TextSearch

_NOT_BY_TEXT: Final[tuple[float | None, int | None]] = (None, None)


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
    tx: Transaction, access: Access, question: Question, *, text: TextSearch, vectors: Vectors, reach: tuple[int, int]
) -> Candidates:
    """Up to so many candidates of the text arm, with their vectors, and of the vector arm."""
    best = text.best(tx, access, question, limit=reach[0])
    near = nearest(tx, access, question, vectors=vectors, limit=reach[1])
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
    if question.metadata or question.scopes or question.task_id is not None:
        where = {**scope_parameters(access), **question.filters(), "task_id": question.task_id}
        within = [seq for (seq,) in tx.rows("nodes_matching", where)]
    near = Near(question.vector, question.model, question.kinds, limit, within, thorough, question.now)
    return vectors.nearest(tx, access, near)
