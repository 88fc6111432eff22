"""The engine of questions, for all that searches: the question, its direction, and what the answer lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from wherefrom.api.boundary import violated
from wherefrom.api.view import Engine
from wherefrom.embedding.port import Matrix, Trust, vectors_of
from wherefrom.model.access import Access
from wherefrom.model.errors import EmbedderUnavailable
from wherefrom.policy.retrieval import Calibration, Graph
from wherefrom.storage import embeddings, nodes
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Model, Transaction
from wherefrom.storage.question import Question
from wherefrom.storage.statements import scope_parameters
from wherefrom.text.detect import LABEL
from wherefrom.text.lookups import lookup_terms
from wherefrom.text.tokens import text_of

if TYPE_CHECKING:
    from wherefrom.policy.boundary import Effective, Policies
    from wherefrom.recall.pipeline import Searching, Wanted

# What is found and recalled: entities and pages lead to it and are not part of it.
SEARCHED: Final = ("memo", "claim", "fragment")


class Questions(Engine):
    """Makes questions of what callers ask, and says what their answers lack."""

    def trust(self) -> Trust:
        """How the embedder's similarities enter a ranking."""
        return self.store.embedder.trust if self.store.embedder is not None else Trust()

    def question(self, query: str | None, like: str | None, access: Access) -> tuple[Question, tuple[str, ...]]:
        """What is asked by words or by a node's id, one of them; with a direction if there is one, else with the reason
        why not.
        """
        if like is not None:
            question, why = self._question_like(like)
        else:
            question, why = self._question_in_words(query or "", access)
        return replace(question, now=self.view.now()), why

    def _question_in_words(self, text: str, access: Access) -> tuple[Question, tuple[str, ...]]:
        cleaned = self.view.boundary.cleaned(text, access.root)
        lookups: Sequence[str] = ()
        if "pii" in access.classes and not any(hidden.startswith("pii ") for hidden in access.hidden):
            lookups = lookup_terms(text)
        if lookups:  # what is asked is the number, and not that there is one
            cleaned = re.sub(LABEL, " ", cleaned)
        if lookups and not any(map(str.isalnum, cleaned)):
            return Question("", None, None, kinds=(), lookups=lookups), ()
        question, why = self._question_of(cleaned)
        return replace(question, lookups=lookups), why

    def _question_of(self, text: str) -> tuple[Question, tuple[str, ...]]:
        if self.store.embedder is None:
            return Question(text, None, None, kinds=()), ()
        try:
            model, vector = self.direction(text)
        except EmbedderUnavailable as error:
            return Question(text, None, None, kinds=()), (f"searched by words only: {error.message}",)
        return Question(text, vector, model, kinds=()), ()

    def _question_like(self, node_id: str) -> tuple[Question, tuple[str, ...]]:
        access = self.view.access

        def work(tx: Transaction) -> Question:
            node = nodes.read(tx, access, node_id)
            model = embeddings.active(tx)
            rows = {} if model is None else embeddings.of_nodes(tx, access, [node_id], model)
            return Question(text_of(node.title, node.content), rows.get(node_id), model, kinds=())

        question = self.store.database.read(work)
        missing = question.vector is None and self.store.embedder is not None
        return question, ("searched by words only: this memo has no vector yet",) if missing else ()

    def direction(self, text: str) -> tuple[Model | None, Matrix]:
        """The vector of a question, made by the model that the store's vectors are made with."""
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

    def request(
        self, question: Question, rules: Effective, *, graph: bool | None = None, limit: int | None = None
    ) -> Wanted:
        """How the policy and the settings want a question to be answered; `graph` as the caller wants it."""
        from wherefrom.recall.pipeline import Wanted

        retrieval = rules.retrieval
        if retrieval.hybrid.alpha is None and self.store.tuning.alpha is not None:
            fixed = replace(retrieval.hybrid, alpha=self.store.tuning.alpha, lexical_shift=0.0, natural_shift=0.0)
            retrieval = replace(retrieval, hybrid=fixed)
        if not _fits(retrieval.calibration, question):
            retrieval = replace(retrieval, calibration=None)
        if graph is not None:
            weight = (retrieval.graph.weight or Graph().weight) if graph else 0.0
            retrieval = replace(retrieval, graph=replace(retrieval.graph, weight=weight))
        return Wanted(
            question=question,
            trust=self.trust(),
            retrieval=retrieval,
            limit=retrieval.context.k_final if limit is None else limit,
        )

    def uncalibrated(self, question: Question, rules: Effective) -> tuple[str, ...]:
        """Says that a calibration is there and cannot be used."""
        known = rules.retrieval.calibration
        if _fits(known, question) or known is None or question.vector is None:
            return ()
        return (f"the calibration was fitted for {known.model} and is not used",)

    def searching(self) -> Searching:
        """The arms that a search has: words, vectors, and how useful things were."""
        from wherefrom.recall.pipeline import Searching

        return Searching(self.store.text_search, self.store.database.vectors, self.store.utilities)

    def has_waiting(self, tx: Transaction, access: Access) -> bool:
        """Whether something that this access may see should have a vector and has none yet."""
        embedder = self.store.embedder
        if embedder is None:
            return False
        sendable = embeddings.sendable(embedder, self.store.tuning.send_classes)
        seen = replace(access, classes=tuple(name for name in access.classes if name in sendable))
        return tx.row("pending_exists", scope_parameters(seen)) is not None

    def waiting(self, waiting: bool, degraded: Sequence[str]) -> tuple[str, ...]:
        """Says that texts wait for their vectors, and sees to it."""
        if not waiting:
            return ()
        if not degraded:
            self.store.worker.wake(self.view.writing)
        return ("some texts wait for their vectors",)

    def note_fallback(self, access: Access, degraded: Sequence[str], trace: Trace) -> None:
        """Note that an arm failed: the answer came from the others."""
        failed = [why for why in degraded if why.startswith(("searched by words only", "the graph arm"))]
        if failed:
            self.view.note(access, "search_fallback", {"reasons": failed}, namespace=access.root, trace=trace)

    def note_filtered(self, access: Access, verb: str, filtered: Mapping[str, int], trace: Trace) -> None:
        """Note how many candidates a rule left out of an answer, by rule."""
        if filtered:
            payload = {"verb": verb, "decision": "filtered", "filtered": dict(filtered)}
            self.view.note(access, "filter", payload, namespace=access.root, trace=trace)


def _fits(calibration: Calibration | None, question: Question) -> bool:
    """Whether a calibration holds for the vectors that a question is compared with."""
    return calibration is not None and question.model is not None and calibration.model == question.model.model_id


def holding(access: Access, known: Policies) -> Callable[[Transaction, Sequence[str]], set[str]] | None:
    """Which of some nodes keep the invariants of the policies where they are."""
    if not any(policy.invariants for policy in known.by_namespace.values()):
        return None

    def kept(tx: Transaction, ids: Sequence[str]) -> set[str]:
        found = nodes.read_by_ids(tx, access, ids).values()
        return {node.id for node in found if not violated(node, known.at(node.namespace))}

    return kept
