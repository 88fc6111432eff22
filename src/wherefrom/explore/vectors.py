"""`vector_search`: what is near in meaning, by cosine similarity alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Node, NodeKind
from wherefrom.model.results import Similar, SimilarFound, Target
from wherefrom.storage import nodes
from wherefrom.storage.candidates import nearest
from wherefrom.storage.port import Transaction, Vectors
from wherefrom.storage.question import Question

TARGETS: Final[Mapping[Target, NodeKind]] = {"claims": "claim", "fragments": "fragment", "memos": "memo"}
_PREVIEW_CHARACTERS: Final = 200


def vector_search(
    tx: Transaction, access: Access, question: Question, *, vectors: Vectors, top_k: int, min_similarity: float
) -> SimilarFound:
    """The nodes at least so similar to the question, most similar first."""
    near = nearest(tx, access, question, vectors=vectors, limit=top_k, thorough=True)
    if near.searched == 0:
        target = next(target for target, kind in TARGETS.items() if kind in question.kinds)
        scope = f"task {question.task_id}" if question.task_id else f"namespace {access.root!r}"
        raise NotFound(
            f"there are no embeddings of {target} in {scope}",
            hint=f"save {target} first, choose another target ({', '.join(TARGETS)}), or run `wherefrom embed`",
        )
    assert question.vector is not None
    similarities = [float(value) for value in near.vectors @ question.vector] if near.ids else []
    wanted = [
        (node_id, value) for node_id, value in zip(near.ids, similarities, strict=True) if value >= min_similarity
    ]
    by_id = nodes.read_by_ids(tx, access, [node_id for node_id, _ in wanted])
    return SimilarFound(
        tuple(
            _similar(by_id[node_id], value) for node_id, value in wanted if node_id in by_id and _holds(by_id[node_id])
        ),
        near.searched,
    )


def _similar(node: Node, similarity: float) -> Similar:
    preview = node.content[:_PREVIEW_CHARACTERS]
    return Similar(node.id, node.title, preview, min(similarity, 1.0), node.kind, node.provenance)


def _holds(node: Node) -> bool:
    """Whether a claim is not rejected, and a fragment still on its page."""
    return node.rejected_at is None and (node.kind != "fragment" or node.valid_to is None)
