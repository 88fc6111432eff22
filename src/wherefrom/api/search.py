"""The engine of search: by words and meaning, or by meaning alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Final, Literal

from wherefrom.api.params import Filter, Namespace, RequestId, Scopes, TaskId, TraceId, check_query
from wherefrom.api.questions import SEARCHED, Questions, holding
from wherefrom.api.view import Engine, View
from wherefrom.explore.vectors import TARGETS, vector_search
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.param import Param
from wherefrom.model.results import Found, SimilarFound, Target
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.storage.question import Question
from wherefrom.text import check

Ranking = Literal["relevance", "final"]
# So many hits there are if neither the caller nor the settings say how many.
_HITS_WITHOUT_CUT: Final = 10

_Query = Annotated[
    str | None,
    Param("What to look for: a question or some words, in any language. Or give like.", check=check_query),
]
_Like = Annotated[
    str | None,
    Param(
        "A memo_id: find memos like this one, instead of query.",
        option="--like",
        metavar="MEMO_ID",
        check=check.check_id,
    ),
]
_Limit = Annotated[
    int | None,
    Param(
        "How many. Omit to get as many as the scores suggest: at least 3, if there are.",
        1,
        limits.SEARCH_LIMIT,
        aliases=("top_k",),
    ),
]
_Rank = Annotated[Ranking, Param("final: weigh in how useful, sure and fresh each one is.")]
_Graph = Annotated[bool, Param("Follow relations and mentions from the best hits, too.", option="--graph")]


class SearchEngine(Engine):
    """Finds what fits a question."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._questions = Questions(view)

    def search(
        self,
        query: _Query = None,
        *,
        like: _Like = None,
        metadata: Filter = None,
        scope: Scopes = (),
        namespace: Namespace = None,
        limit: _Limit = None,
        rank: _Rank = "relevance",
        graph: _Graph = False,
        request_id: RequestId = None,
        trace_id: TraceId = None,
    ) -> Found:
        """Find the memos and claims that fit a question best, in a namespace and those below it (without one: the
        default).

        Words are found in all their forms and in any language, and memos by their meaning. With `like`, the
        memos like that one. `metadata` names values that a memo must have, `scope` the scopes to look in. Without a
        limit there are as many hits as their scores suggest. `rank="final"` weighs in how useful, sure and fresh
        each one is; `graph` follows relations and mentions from the best hits.
        """
        from wherefrom.recall.search import Ask, search

        if (query is None) == (like is None):
            raise InvalidInput("give either query or like", hint="query is text, like is a memo_id")
        questions, access = self._questions, self.view.reading(namespace)
        question, degraded = questions.question(query, like, access)
        question = replace(question, kinds=SEARCHED, metadata=metadata or {}, scopes=scope)
        rules = self.view.boundary.at(access.root)
        holds = holding(access, self.view.boundary.in_force().policies)
        wanted = replace(questions.request(question, rules, graph=graph), exclude=like, holds=holds)
        cut = self.store.tuning.cut
        fixed = limit or (_HITS_WITHOUT_CUT if cut is None else None)
        ask = Ask(wanted, limit=fixed, cut=cut, final=rank == "final")

        def work(tx: Transaction) -> tuple[Found, bool]:
            found = search(tx, access, ask, questions.searching())
            return found, questions.has_waiting(tx, access)

        found, waiting = self.store.database.read(work)
        found = replace(
            found,
            degraded=(*degraded, *questions.uncalibrated(question, rules), *questions.waiting(waiting, degraded)),
            policy_version=rules.version,
        )
        self._note_search(access, found, Trace(request_id, trace_id))
        return found

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
        access = self.view.reading(namespace)
        model, vector = self._questions.direction(self.view.boundary.cleaned(query, access.root))
        kinds, now = (TARGETS[target],), self.view.now()
        question = Question(query, vector, model, kinds=kinds, task_id=task_id, now=now)
        vectors = self.store.database.vectors
        return self.store.database.read(
            lambda tx: vector_search(tx, access, question, vectors=vectors, top_k=top_k, min_similarity=min_similarity)
        )

    def _note_search(self, access: Access, found: Found, trace: Trace) -> None:
        payload = {
            "hits": len(found.hits),
            "candidates": found.candidates,
            "arms": list(found.arms),
            "alpha": found.alpha,
            "policy_version": found.policy_version,
        }
        self.view.note(access, "search", payload, namespace=access.root, trace=trace)
        self._questions.note_filtered(access, "search", found.filtered, trace)
        self._questions.note_fallback(access, found.degraded, trace)
