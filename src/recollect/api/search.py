"""Verbs that search: by words and meaning, or by meaning alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from recollect.api.state import Verbs
from recollect.embedding.port import Matrix, Trust, vectors_of
from recollect.explore.vectors import TARGETS, vector_search
from recollect.model import limits
from recollect.model.access import Access
from recollect.model.errors import EmbedderUnavailable, InvalidInput, shown
from recollect.model.results import Found, SimilarFound, Target
from recollect.storage import embeddings, nodes
from recollect.storage.candidates import Question
from recollect.storage.port import Model, Transaction
from recollect.storage.statements import scope_parameters
from recollect.text import check
from recollect.text.tokens import text_of

_WITHOUT_CUT: Final = 10


class SearchVerbs(Verbs):
    """What can be found."""

    def search(
        self,
        query: str | None = None,
        *,
        like: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        namespace: str | None = None,
        limit: int | None = None,
    ) -> Found:
        """The memos that fit a question best, in a namespace and those below it (without one: the default).

        Words are found in all their forms and in any language, and memos by their meaning. With `like`, the
        memos like that one. `metadata` names values that a memo must have. Without a limit there are as many
        hits as their scores suggest.
        """
        from recollect.recall.search import Ask, search

        if (query is None) == (like is None):
            raise InvalidInput("give either query or like", hint="query is text, like is a memo_id")
        if limit is not None:
            limit = check.check_whole(limit, field="limit", low=1, high=limits.SEARCH_LIMIT)
        elif self._tuning.cut is None:
            limit = _WITHOUT_CUT
        access = self._access.narrowed(self._access.resolve(namespace))
        question, degraded = self._question(query, like)
        ask = Ask(
            question=replace(question, kinds=("memo",), metadata=check.check_filter(metadata)),
            trust=self._embedder.trust if self._embedder is not None else Trust(),
            alpha=self._tuning.alpha,
            limit=limit,
            cut=self._tuning.cut,
            exclude=like,
        )

        def work(tx: Transaction) -> tuple[Found, bool]:
            found = search(tx, access, ask, text=self._text_search, vectors=self._database.vectors)
            return found, self._has_waiting(tx, access)

        found, waiting = self._database.read(work)
        if waiting:
            if not degraded:
                self._worker.wake()
            degraded = (*degraded, "some texts wait for their vectors")
        return replace(found, degraded=degraded)

    def vector_search(
        self,
        query: str,
        *,
        target: Target = "claims",
        task_id: str | None = None,
        top_k: int = 10,
        min_similarity: float = 0.5,
        namespace: str | None = None,
    ) -> SimilarFound:
        """What is near to a question in meaning, by cosine similarity; an error if nothing there has a vector."""
        text = check.check_text(query, field="query", size=limits.QUERY_BYTES)
        if target not in TARGETS:
            raise InvalidInput(f"target {shown(target)} is not one of {', '.join(TARGETS)}")
        top_k = check.check_whole(top_k, field="top_k", low=1, high=limits.SEARCH_LIMIT)
        min_similarity = check.check_weight(min_similarity, field="min_similarity")
        task = None if task_id is None else check.check_id(task_id, field="task_id")
        access = self._access.narrowed(self._access.resolve(namespace))
        model, vector = self._direction(text)
        question = Question(text, vector, model, kinds=(TARGETS[target],), task_id=task)
        return self._database.read(
            lambda tx: vector_search(
                tx, access, question, vectors=self._database.vectors, top_k=top_k, min_similarity=min_similarity
            )
        )

    def _has_waiting(self, tx: Transaction, access: Access) -> bool:
        """Whether something that this access may see should have a vector and has none yet."""
        if self._embedder is None:
            return False
        wanted = embeddings.sendable(self._embedder, self._tuning.send_classes)
        seen = replace(access, classes=tuple(name for name in access.classes if name in wanted))
        return tx.row("pending_exists", scope_parameters(seen)) is not None

    def _question(self, query: str | None, like: str | None) -> tuple[Question, tuple[str, ...]]:
        """What is asked, with a direction if there is one, else with the reason why not."""
        if like is not None:
            return self._question_like(check.check_id(like, field="like"))
        text = check.check_text(query, field="query", size=limits.QUERY_BYTES)
        if self._embedder is None:
            return Question(text, None, None, kinds=()), ()
        try:
            model, vector = self._direction(text)
        except EmbedderUnavailable as error:
            return Question(text, None, None, kinds=()), (f"searched by words only: {error.message}",)
        return Question(text, vector, model, kinds=()), ()

    def _question_like(self, node_id: str) -> tuple[Question, tuple[str, ...]]:
        def work(tx: Transaction) -> Question:
            node = nodes.get(tx, self._access, node_id)
            model = embeddings.active(tx)
            rows = {} if model is None else embeddings.of_nodes(tx, self._access, [node_id], model)
            return Question(text_of(node.title, node.content), rows.get(node_id), model, kinds=())

        question = self._database.read(work)
        missing = question.vector is None and self._embedder is not None
        return question, ("searched by words only: this memo has no vector yet",) if missing else ()

    def _direction(self, text: str) -> tuple[Model | None, Matrix]:
        """The vector of a question, made by the model that the store's vectors are made with."""
        if self._embedder is None:
            raise EmbedderUnavailable(
                "this memory has no embedder", hint="set RECOLLECT_EMBEDDER, for example to static"
            )
        model = self._database.read(embeddings.active)
        if model is not None and model.model_id != self._embedder.model_id:
            raise EmbedderUnavailable(
                embeddings.mismatch(model, self._embedder),
                hint="set RECOLLECT_EMBEDDER accordingly, or run `recollect reembed`",
            )
        (vector,) = vectors_of(self._embedder, [text])
        if model is not None and len(vector) != model.dimension:
            raise EmbedderUnavailable(
                f"{model.model_id} answered with {len(vector)} dimensions; the stored vectors have {model.dimension}"
            )
        return model, vector
