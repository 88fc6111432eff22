"""Questions, for all engines that search: a caller's words as a request to the store, with their vector."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wherefrom.embedding.port import Matrix, QuestionEmbedder, Trust, Weight, question_vector
from wherefrom.engine.boundary import violated
from wherefrom.engine.view import Engine
from wherefrom.lazy import lazy_modules
from wherefrom.model.access import Access
from wherefrom.model.errors import EmbedderUnavailable
from wherefrom.policy.boundary import Policies
from wherefrom.storage import embeddings, nodes
from wherefrom.storage.port import SEARCHED, EmbeddingModel, SearchRequest, Times, Transaction
from wherefrom.text.sensitive.findings import LABEL, lookup_terms
from wherefrom.text.tokens import placed_terms, text_of

if TYPE_CHECKING:
    from wherefrom.text.dates import find as dates
else:  # most processes of a command ask nothing
    (dates,) = lazy_modules("wherefrom.text.dates", "find")

# How a word's weight counts in the vector of a question: with 1 it counts too much (SciFact), with 0 not at all.
_WEIGHT_POWER = 0.5
_NO_VECTOR_YET = "searched by words only: this memo has no vector yet"


class Questions(Engine):
    """Makes search requests of callers' questions."""

    def trust(self) -> Trust:
        """Return how far a ranking trusts the embedder's similarities."""
        return self.store.embedder.trust if self.store.embedder is not None else Trust()

    def question(
        self,
        query: str | None,
        like: str | None,
        access: Access,
        *,
        times: Times | None = None,
        weighted: bool = False,
    ) -> tuple[SearchRequest, tuple[str, ...]]:
        """Return the request for some words, or for what is like a node; and the reasons why it has no vector. Without
        other times the question is put now; the times that its words name count from then.

        weighted: in the vector of the words, rare ones count more.
        """
        times = times or Times(self.view.now())
        if like is not None:
            request, degraded = self._like(like)
            return replace(request, times=times), degraded
        request, degraded = self._in_words(query or "", access, weighted=weighted)
        return replace(request, times=times, intervals=dates.intervals(request.text, times.now)), degraded

    def times(
        self, since: str | None, until: str | None, as_of: str | None, known_at: str | None = None, **given: bool
    ) -> Times:
        """Return the times of a question: it is put now, or at the time that it asks about."""
        moment = as_of or known_at
        return Times(moment or self.view.now(), moment, since, until, known_at, **given)

    def direction(
        self, text: str, *, among: Access | None = None
    ) -> tuple[EmbeddingModel | None, Matrix, Mapping[str, int]]:
        """Return the store's model, the question's vector by it, and the number of texts with each of its terms, as far
        as they were counted; raises if the embedder is of another model.

        among: each word counts by the root of how rare it is in what this access searches; without it all count alike.
        """
        embedder = self.store.embedder
        if embedder is None:
            raise EmbedderUnavailable(
                "this memory has no embedder", hint="set WHEREFROM_EMBEDDER, for example to static"
            )
        search = self.store.text_search

        def read(tx: Transaction) -> tuple[EmbeddingModel | None, dict[str, int], dict[str, float]]:
            if among is None or not isinstance(embedder, QuestionEmbedder):
                return embeddings.active(tx), {}, {}
            active = embeddings.send_active(tx)
            counts = search.term_counts(tx, among, text)
            return active(), counts, search.term_weights(tx, among, counts, SEARCHED)

        model, counts, weights = self.store.database.glance(read)
        if model is not None and model.model_id != embedder.model_id:
            raise EmbedderUnavailable(
                embeddings.mismatch(model, embedder),
                hint="set WHEREFROM_EMBEDDER accordingly, or run `wherefrom reembed`",
            )
        vector = question_vector(embedder, text, _placed(text, weights))
        if model is not None and len(vector) != model.dimension:
            raise EmbedderUnavailable(
                f"{model.model_id} answered with {len(vector)} dimensions; the stored vectors have {model.dimension}"
            )
        return model, vector, counts

    def _in_words(self, text: str, access: Access, *, weighted: bool) -> tuple[SearchRequest, tuple[str, ...]]:
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
            model, vector, counts = self.direction(cleaned, among=access if weighted else None)
        except EmbedderUnavailable as error:
            return request, (f"searched by words only: {error.message}",)
        return replace(request, vector=vector, model=model, term_counts=counts), ()

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


def _placed(text: str, weights: Mapping[str, float]) -> list[Weight]:
    """Return the root of each term's weight, at its places in a text."""
    return [
        Weight(start, end, weights[term] ** _WEIGHT_POWER)
        for term, start, end in (placed_terms(text) if weights else ())
        if term in weights
    ]


def holding(access: Access, known: Policies) -> Callable[[Transaction, Sequence[str]], set[str]] | None:
    """Return a function that selects the nodes that keep the invariants of their places; None if there are none."""
    if not any(policy.invariants for policy in known.by_namespace.values()):
        return None

    def kept(tx: Transaction, ids: Sequence[str]) -> set[str]:
        found = nodes.read_by_ids(tx, access, ids).values()
        return {node.id for node in found if not violated(node, known.at(node.namespace))}

    return kept
