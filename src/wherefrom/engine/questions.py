"""Questions, for all engines that search: a caller's words as a request to the store, with their vector."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from wherefrom.embedding.port import Matrix, Trust, vectors_of
from wherefrom.engine.boundary import violated
from wherefrom.engine.view import Engine
from wherefrom.model.access import Access
from wherefrom.model.errors import EmbedderUnavailable
from wherefrom.policy.boundary import Policies
from wherefrom.storage import embeddings, nodes
from wherefrom.storage.port import EmbeddingModel, SearchRequest, Times, Transaction
from wherefrom.text.sensitive.findings import LABEL, lookup_terms
from wherefrom.text.tokens import text_of

_NO_VECTOR_YET = "searched by words only: this memo has no vector yet"


class Questions(Engine):
    """Makes search requests of callers' questions."""

    def trust(self) -> Trust:
        """Return how far a ranking trusts the embedder's similarities."""
        return self.store.embedder.trust if self.store.embedder is not None else Trust()

    def question(self, query: str | None, like: str | None, access: Access) -> tuple[SearchRequest, tuple[str, ...]]:
        """Return the request for some words, or for what is like a node; and the reasons why it has no vector."""
        request, degraded = self._in_words(query or "", access) if like is None else self._like(like)
        return replace(request, times=Times(self.view.now())), degraded

    def times(
        self, since: str | None, until: str | None, as_of: str | None, known_at: str | None = None, **given: bool
    ) -> Times:
        """Return the times of a question: it is put now, or at the time that it asks about."""
        moment = as_of or known_at
        return Times(moment or self.view.now(), moment, since, until, known_at, **given)

    def direction(self, text: str) -> tuple[EmbeddingModel | None, Matrix]:
        """Return the store's model and the question's vector by it; raises if the embedder is of another model."""
        embedder = self.store.embedder
        if embedder is None:
            raise EmbedderUnavailable(
                "this memory has no embedder", hint="set WHEREFROM_EMBEDDER, for example to static"
            )
        model = self.store.database.read(embeddings.active)
        if model is not None and model.model_id != embedder.model_id:
            raise EmbedderUnavailable(
                embeddings.mismatch(model, embedder),
                hint="set WHEREFROM_EMBEDDER accordingly, or run `wherefrom reembed`",
            )
        (vector,) = vectors_of(embedder, [text])
        if model is not None and len(vector) != model.dimension:
            raise EmbedderUnavailable(
                f"{model.model_id} answered with {len(vector)} dimensions; the stored vectors have {model.dimension}"
            )
        return model, vector

    def _in_words(self, text: str, access: Access) -> tuple[SearchRequest, tuple[str, ...]]:
        cleaned = self.view.boundary.cleaned(text, access.root)
        lookups: Sequence[str] = ()
        if "pii" in access.classes and not any(hidden.startswith("pii ") for hidden in access.hidden):
            lookups = lookup_terms(text)
        if lookups:  # the number is asked for, and not texts that have one
            cleaned = re.sub(LABEL, " ", cleaned)
            if not any(map(str.isalnum, cleaned)):
                return SearchRequest("", lookups=lookups), ()
        request = SearchRequest(cleaned, lookups=lookups)
        if self.store.embedder is None:
            return request, ()
        try:
            model, vector = self.direction(cleaned)
        except EmbedderUnavailable as error:
            return request, (f"searched by words only: {error.message}",)
        return replace(request, vector=vector, model=model), ()

    def _like(self, node_id: str) -> tuple[SearchRequest, tuple[str, ...]]:
        access = self.view.access

        def work(tx: Transaction) -> SearchRequest:
            node = nodes.read(tx, access, node_id)
            model = embeddings.active(tx)
            rows = {} if model is None else embeddings.of_nodes(tx, access, [node_id], model)
            return SearchRequest(text_of(node.title, node.content), rows.get(node_id), model)

        request = self.store.database.read(work)
        missing = request.vector is None and self.store.embedder is not None
        return request, (_NO_VECTOR_YET,) if missing else ()


def holding(access: Access, known: Policies) -> Callable[[Transaction, Sequence[str]], set[str]] | None:
    """Return a function that selects the nodes that keep the invariants of their places; None if there are none."""
    if not any(policy.invariants for policy in known.by_namespace.values()):
        return None

    def kept(tx: Transaction, ids: Sequence[str]) -> set[str]:
        found = nodes.read_by_ids(tx, access, ids).values()
        return {node.id for node in found if not violated(node, known.at(node.namespace))}

    return kept
