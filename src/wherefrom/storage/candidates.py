"""Candidates for a request, from the full text and from the vectors: the one search that all engines use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wherefrom.embedding.port import Matrix
from wherefrom.model.access import Access
from wherefrom.storage import embeddings
from wherefrom.storage.port import Near, Nearest, SearchRequest, Transaction, Vectors
from wherefrom.storage.sql import scope_parameters
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
    """The candidates of both arms, and among how many vectors they were found."""

    found: tuple[Candidate, ...]
    vectors_searched: int


def find(
    tx: Transaction,
    access: Access,
    request: SearchRequest,
    *,
    text: TextSearch,
    vectors: Vectors,
    reach: tuple[int, int],
) -> Candidates:
    """The candidates of text arm and vector arm, with their vectors; `reach` is how many each gives at most."""
    best = text.best(tx, access, request, limit=reach[0])
    near = nearest(tx, access, request, vectors=vectors, limit=reach[1])
    scores: dict[str, tuple[float | None, int | None]] = {
        node_id: (score, rank) for rank, (node_id, score) in enumerate(best, start=1)
    }
    places = {node_id: rank for rank, node_id in enumerate(near.ids, start=1)}
    rows: dict[str, Matrix] = dict(zip(near.ids, near.vectors, strict=True))
    if request.model is not None and request.vector is not None:
        rows |= embeddings.of_nodes(tx, access, [node_id for node_id in scores if node_id not in rows], request.model)
    found = tuple(
        Candidate(node_id, *scores.get(node_id, _NOT_BY_TEXT), rows.get(node_id), places.get(node_id))
        for node_id in dict.fromkeys([*scores, *places])
    )
    return Candidates(found, near.searched)


def nearest(
    tx: Transaction, access: Access, request: SearchRequest, *, vectors: Vectors, limit: int, thorough: bool = False
) -> Nearest:
    """The nodes whose vectors are nearest to the question's."""
    if request.vector is None or request.model is None:
        return Nearest((), (), 0)  # type: ignore[arg-type]  # no rows
    within = None
    if request.metadata or request.scopes or request.task_id is not None:
        where = {**scope_parameters(access), **request.filters(), "task_id": request.task_id}
        within = [seq for (seq,) in tx.rows("nodes_matching", where)]
    near = Near(request.vector, request.model, request.kinds, limit, within, thorough, request.now)
    return vectors.nearest(tx, access, near)
