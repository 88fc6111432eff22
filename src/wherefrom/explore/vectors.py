"""`vector_search`: what is near in meaning, by cosine similarity alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from wherefrom.engine.params import Namespace, TaskId, check_query
from wherefrom.engine.questions import Questions
from wherefrom.engine.view import Engine
from wherefrom.explore.settings import ExploreSettings
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Node, NodeKind
from wherefrom.model.identifiers import short_id
from wherefrom.model.param import Param
from wherefrom.model.results import Similar, SimilarFound, Target
from wherefrom.storage import nodes
from wherefrom.storage.candidates import nearest
from wherefrom.storage.port import SearchRequest, Times, Transaction

TARGETS: Final[Mapping[Target, NodeKind]] = {"claims": "claim", "fragments": "fragment", "memos": "memo"}
_MAX_PREVIEW_CHARACTERS: Final = 200


class VectorSearchEngine(Engine):
    """Finds nodes that are near in meaning."""

    def vector_search(
        self,
        query: Annotated[str, Param("What it should be about, in plain words.", check=check_query)],
        *,
        target: Annotated[Target, Param("What to search.")] = "claims",
        task_id: TaskId = None,
        top_k: Annotated[int, Param("How many at most.", 1, limits.SEARCH_LIMIT)] = 10,
        min_similarity: Annotated[float | None, Param("Cosine similarity, inclusive.", 0, 1)] = None,
        namespace: Namespace = None,
    ) -> SimilarFound:
        """Find what is near to a question in meaning, by cosine similarity; an error if nothing there has a vector.

        Without `min_similarity` the policy decides what is similar enough, or else the embedder's calibration.
        """
        access = self.view.access.reading(namespace)
        model, vector, _ = Questions(self.view).direction(self.view.boundary.cleaned(query, access.root))
        kinds, now = (TARGETS[target],), self.view.now()
        least = self._least(access) if min_similarity is None else min_similarity
        request = SearchRequest(query, vector, model, kinds=kinds, task_id=task_id, times=Times(now, holding=True))

        def work(tx: Transaction) -> SimilarFound:
            near = nearest(tx, access, request, vectors=self.store.database.vectors, limit=top_k, thorough=True)
            if near.searched == 0:
                scope = f"task {task_id}" if task_id else f"namespace {access.root!r}"
                raise NotFound(
                    f"there are no embeddings of {target} in {scope}",
                    hint=f"save {target} first, choose another target ({', '.join(TARGETS)}), or run `wherefrom embed`",
                )
            similarities = (near.vectors @ vector).tolist() if near.ids else []
            by_id = nodes.read_by_ids(tx, access, near.ids)
            known = ((by_id.get(node_id), cosine) for node_id, cosine in zip(near.ids, similarities, strict=True))
            current = [_similar(node, cosine) for node, cosine in known if node is not None and _is_current(node)]
            found = tuple(similar for similar in current if similar.similarity >= least)
            return SimilarFound(found, near.searched, None if found else _below(current, least))

        return self.store.database.read(work)

    def _least(self, access: Access) -> float:
        """Return how similar a node must be to be listed: what the policy says, or the embedder's calibration."""
        set_by_policy = self.view.boundary.at(access.root).settings(ExploreSettings).min_similarity
        return Questions(self.view).trust().similar if set_by_policy is None else set_by_policy


def _similar(node: Node, cosine: float) -> Similar:
    source = {**node.provenance, **({} if node.year is None else {"year": node.year})}
    preview = node.content[:_MAX_PREVIEW_CHARACTERS]
    return Similar(node.id, node.title, preview, min(cosine, 1.0), node.kind, source)


def _below(current: Sequence[Similar], least: float) -> str:
    """Return what to say if nothing is similar enough: the threshold, and the nearest node."""
    if not current:
        return f"nothing reaches a similarity of {least:.2f}"
    nearest_one = max(current, key=lambda similar: similar.similarity)
    near = short_id(nearest_one.id)
    # Rounded down, so that what is just below does not seem to reach it.
    return f"nothing reaches a similarity of {least:.2f}; the nearest has {_floored(nearest_one.similarity)}: {near}"


def _floored(similarity: float) -> str:
    return f"{math.floor(similarity * 100) / 100:.2f}"


def _is_current(node: Node) -> bool:
    """True unless the node is a rejected claim, or a fragment that is no longer on its page."""
    return node.rejected_at is None and (node.kind != "fragment" or node.valid_to is None)
