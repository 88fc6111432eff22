"""Verbs that search: by words and meaning, or by meaning alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, get_args

from wherefrom.api.asking import SEARCHED, Asking, holding
from wherefrom.api.state import trace_of
from wherefrom.explore.vectors import TARGETS, vector_search
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput, shown
from wherefrom.model.graph import Scope
from wherefrom.model.results import Found, SimilarFound, Target
from wherefrom.storage.events import Trace
from wherefrom.storage.port import Transaction
from wherefrom.storage.question import Question
from wherefrom.text import check

Ranking = Literal["relevance", "final"]
_WITHOUT_CUT: Final = 10


class SearchVerbs(Asking):
    """What can be found."""

    def search(
        self,
        query: str | None = None,
        *,
        like: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        scope: Sequence[Scope] = (),
        namespace: str | None = None,
        limit: int | None = None,
        rank: Ranking = "relevance",
        graph: bool = False,
        request_id: str | None = None,
        trace_id: str | None = None,
    ) -> Found:
        """The memos and claims that fit a question best, in a namespace and those below it (without one: the default).

        Words are found in all their forms and in any language, and memos by their meaning. With `like`, the
        memos like that one. `metadata` names values that a memo must have, `scope` the scopes to look in. Without a
        limit there are as many hits as their scores suggest. `rank="final"` weighs in how useful, sure and fresh
        each one is; `graph` follows relations and mentions from the best hits.
        """
        from wherefrom.recall.search import Ask, search

        if (query is None) == (like is None):
            raise InvalidInput("give either query or like", hint="query is text, like is a memo_id")
        if rank not in get_args(Ranking):
            raise InvalidInput(f"rank {shown(rank)} is not one of {', '.join(get_args(Ranking))}")
        if limit is not None:
            limit = check.check_whole(limit, field="limit", low=1, high=limits.SEARCH_LIMIT)
        trace = trace_of(request_id, trace_id)
        access = self._access.narrowed(self._access.resolve(namespace))
        question, degraded = self._question(query, like, access)
        question = replace(
            question,
            kinds=SEARCHED,
            metadata=check.check_filter(metadata),
            scopes=check.check_choices(scope, get_args(Scope), field="scope"),
        )
        rules = self._boundary.at(access.root)
        wanted = self._wanted(question, rules, graph=graph)
        fixed = limit or (_WITHOUT_CUT if self._tuning.cut is None else None)
        holds = holding(access, self._boundary.in_force().policies)
        wanted = replace(wanted, exclude=like, holds=holds)
        ask = Ask(wanted, limit=fixed, cut=self._tuning.cut, final=rank == "final")

        def work(tx: Transaction) -> tuple[Found, bool]:
            found = search(tx, access, ask, self._searching())
            return found, self._has_waiting(tx, access)

        found, waiting = self._database.read(work)
        found = replace(
            found,
            degraded=(*degraded, *self._uncalibrated(question, rules), *self._waiting(waiting, degraded)),
            policy_version=rules.version,
        )
        self._note_search(access, found, trace)
        return found

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
        model, vector = self._direction(self._boundary.cleaned(text, access.root))
        question = Question(text, vector, model, kinds=(TARGETS[target],), task_id=task, now=self._now())
        return self._database.read(
            lambda tx: vector_search(
                tx, access, question, vectors=self._database.vectors, top_k=top_k, min_similarity=min_similarity
            )
        )

    def _note_search(self, access: Access, found: Found, trace: Trace) -> None:
        payload = {
            "hits": len(found.hits),
            "candidates": found.candidates,
            "arms": list(found.arms),
            "alpha": found.alpha,
            "policy_version": found.policy_version,
        }
        self._note(access, "search", payload, namespace=access.root, trace=trace)
        self._note_filtered(access, "search", found.filtered, trace)
        self._note_fallback(access, found.degraded, trace)
