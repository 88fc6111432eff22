"""`vector_search`: what is near in meaning, by cosine similarity alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from wherefrom.engine.params import Namespace, TaskId, check_query
from wherefrom.engine.questions import Questions
from wherefrom.engine.view import Engine
from wherefrom.model import limits
from wherefrom.model.errors import NotFound
from wherefrom.model.graph import Node, NodeKind
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
        min_similarity: Annotated[float, Param("Cosine similarity, inclusive.", 0, 1)] = 0.5,
        namespace: Namespace = None,
    ) -> SimilarFound:
        """Find what is near to a question in meaning, by cosine similarity; an error if nothing there has a vector."""
        access = self.view.access.reading(namespace)
        model, vector = Questions(self.view).direction(self.view.boundary.cleaned(query, access.root))
        kinds, now = (TARGETS[target],), self.view.now()
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
            found = []
            for node_id, similarity in zip(near.ids, similarities, strict=True):
                node = by_id.get(node_id)
                if node is not None and similarity >= min_similarity and _is_current(node):
                    preview, score = node.content[:_MAX_PREVIEW_CHARACTERS], min(similarity, 1.0)
                    source = {**node.provenance, **({} if node.year is None else {"year": node.year})}
                    found.append(Similar(node.id, node.title, preview, score, node.kind, source))
            return SimilarFound(tuple(found), near.searched)

        return self.store.database.read(work)


def _is_current(node: Node) -> bool:
    """True unless the node is a rejected claim, or a fragment that is no longer on its page."""
    return node.rejected_at is None and (node.kind != "fragment" or node.valid_to is None)
