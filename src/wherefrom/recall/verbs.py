"""The verbs of recall: search, activate, and read a context again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

from wherefrom.embedding.port import RelevanceWeights
from wherefrom.engine.params import (
    AsOf,
    Filter,
    KnownAt,
    Namespace,
    RequestId,
    Scopes,
    Since,
    TraceId,
    Until,
    WrittenBy,
    check_query,
    id_param,
)
from wherefrom.engine.questions import Questions, holding
from wherefrom.engine.view import Engine, View
from wherefrom.model import limits
from wherefrom.model.access import Access
from wherefrom.model.errors import InvalidInput
from wherefrom.model.identifiers import timestamp
from wherefrom.model.limits import ANSWER_TOKENS
from wherefrom.model.param import Param
from wherefrom.model.policies import RelevanceReport
from wherefrom.model.results import ActiveContext, SearchResult
from wherefrom.recall import pipeline
from wherefrom.recall import rules as standing_rules
from wherefrom.recall.candidates import CandidateReader, PastReader, RecallRequest
from wherefrom.recall.reasons import item_tokens, passage_of
from wherefrom.recall.relevance import BY_WORDS, weights_for
from wherefrom.recall.relevance_fit import Judged, refit
from wherefrom.recall.selection import CutOff
from wherefrom.recall.settings import Calibration, Graph, RecallSettings
from wherefrom.storage import contexts, embeddings, events, nodes, versions
from wherefrom.storage.events import Trace
from wherefrom.storage.port import SearchRequest, Times, Transaction
from wherefrom.text import check

if TYPE_CHECKING:
    from wherefrom.policy.boundary import PlaceRules

Answer = TypeVar("Answer")
Ranking = Literal["relevance", "final"]
Lacks = tuple[str, ...]
"""The reasons why an answer may lack something, in words."""
Recalled = tuple[ActiveContext, Mapping[str, Any]]
"""A context, and statistics of the scores of all candidates."""

HITS: Final = 10
# Of what has changed since a time, this many former texts are looked at.
_MAX_CHANGED: Final = 2_000
_NOT_KEPT: Final = "the active context is not kept: this memory may only be read"

_Words = Annotated[
    str | None, Param("What to look for: a question or some words, in any language. Or give like.", check=check_query)
]
_Like = Annotated[str | None, id_param("A memo_id: find memos like this one, instead of query.", option="--like")]
_Limit = Annotated[int | None, Param("How many. Omit: 10.", 1, limits.SEARCH_LIMIT, aliases=("top_k",))]
_Rank = Annotated[Ranking, Param("final: weigh in how useful, sure and fresh each one is.")]
_FollowGraph = Annotated[bool, Param("Follow relations and mentions from the best hits, too.", option="--graph")]
_Query = Annotated[
    str, Param("What you are about to do or answer, in plain words of any language.", aliases=("q",), check=check_query)
]
_Allow = Annotated[Sequence[str] | None, Param("Give up all your tags but these, for this call.", only="agents")]
_Items = Annotated[
    int | None,
    Param(
        "How many items at most. Omit: by policy (12).",
        1,
        limits.CONTEXT_LIMIT,
        name="top_k",
        aliases=("limit",),
        option="--limit",
    ),
]
_MaxTokens = Annotated[int | None, Param("How many tokens the answer may have.", 1, limits.CONTEXT_TOKENS)]
_Graph = Annotated[
    bool | None, Param("Follow relations and mentions, too. Omit: as the policy says.", option="--graph/--no-graph")
]
_Provenance = Annotated[
    Mapping[str, Any] | None,
    Param("Who asks and why; kept with the context.", check=check.check_metadata, only="agents"),
]


class RecallEngine(Engine):
    """Finds what fits a question, and recalls what matters now."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._questions = Questions(view)

    def search(
        self,
        query: _Words = None,
        *,
        like: _Like = None,
        metadata: Filter = None,
        scope: Scopes = (),
        namespace: Namespace = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        written_by: WrittenBy = None,
        limit: _Limit = None,
        rank: _Rank = "relevance",
        graph: _FollowGraph = False,
        request_id: RequestId = None,
        trace_id: TraceId = None,
    ) -> SearchResult:
        """Find the memos and claims that fit a question best, in a namespace and those below it (without one: the
        default).

        Words are found in all their forms and in any language, and memos by their meaning. With `like`, the
        memos like that one. `metadata` names values that a memo must have, `scope` the scopes to look in. Without a
        limit there are ten hits. What was replaced gives its place to what holds now;
        `as_of` asks what held at another time, `known_at` what this memory said then, `since` and `until` when it was
        observed. `rank="final"` weighs in how useful, sure and fresh each one is; `graph` follows relations and
        mentions from the best hits.
        """
        if (query is None) == (like is None):
            raise InvalidInput("give either query or like", hint="query is text, like is a memo_id")
        access = self.view.access.reading(namespace)
        rules = self.view.boundary.at(access.root)
        times = self._questions.times(since, until, as_of, known_at)
        question, degraded = self._questions.question(query, like, access, times=times, weighted=_is_weighted(rules))
        by_facts = graph or rank == "final"
        question = replace(question, metadata=metadata or {}, scopes=scope, written_by=written_by, with_facts=by_facts)
        request = replace(self._request(question, access, rules, graph=graph), exclude=like)
        settings = self.store.settings
        cut = CutOff(settings.cutoff_min, settings.cutoff_max, settings.cutoff_sensitivity)
        kept = limit or (cut if settings.cutoff == "auto" else HITS)
        found, lacks = self._read(
            access, request, rules, degraded, lambda reader: pipeline.search(reader, kept, final=rank == "final")
        )
        found = replace(found, degraded=lacks, policy_version=rules.version)
        payload = {
            "hits": len(found.hits),
            "candidates": found.candidates,
            "arms": list(found.arms),
            "alpha": found.alpha,
            "policy_version": found.policy_version,
        }
        trace = Trace(request_id, trace_id)
        self.view.note(access, "search", payload, namespace=access.root, trace=trace)
        self._note_lacks(access, "search", found, trace)
        return found

    def fitting(self, query: str, access: Access, *, least: float, limit: int) -> tuple[dict[str, float], Lacks]:
        """Return the nodes that fit a question with at least this relevance, best first, also what was replaced; and
        what the search lacks, in words.
        """
        rules = self.view.boundary.at(access.root)
        question, degraded = self._questions.question(query, None, access, weighted=_is_weighted(rules))
        # All that is known by now, whether it has expired, was rejected or begins later. A time in the question does
        # not count: S is compared with a fixed least.
        question = replace(question, times=Times(question.now, known_at=question.now), intervals=())
        request = self._request(question, access, rules, graph=False)
        return self._read(
            access, request, rules, degraded, lambda reader: pipeline.fitting(reader, least=least, limit=limit)
        )

    def judge_relevance(
        self, judged: Sequence[tuple[str, bool]], access: Access
    ) -> tuple[RelevanceWeights, RelevanceReport] | None:
        """Return the weights of relevance that fit questions of which it is known whether the memory has something
        about them, and how well they do; None if there are too few, or no vectors to compare.
        """
        rules = self.view.boundary.at(access.root)
        seen: list[Judged] = []
        current = None
        for query, is_known in judged:
            question, degraded = self._questions.question(query, None, access, weighted=_is_weighted(rules))
            request = self._request(question, access, rules, graph=False)
            told = replace(request.retrieval.relevance, threshold=0.0)
            request = replace(request, retrieval=replace(request.retrieval, relevance=told))
            current = weights_for(query, request.trust) or current
            found, _ = self._read(
                access, request, rules, degraded, lambda reader: pipeline.search(reader, HITS, final=False)
            )
            pairs = [(hit.scores.coverage, hit.scores.similarity) for hit in found.hits]
            seen.append(([(c, s) for c, s in pairs if c is not None and s is not None], is_known))
        return refit(seen, current or BY_WORDS)

    def activate(
        self,
        query: _Query,
        *,
        scope: Scopes = (),
        allow: _Allow = None,
        namespace: Namespace = None,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        known_at: KnownAt = None,
        written_by: WrittenBy = None,
        limit: _Items = None,
        max_tokens: _MaxTokens = None,
        graph: _Graph = None,
        metadata: Filter = None,
        provenance: _Provenance = None,
        request_id: RequestId = None,
        trace_id: TraceId = None,
    ) -> ActiveContext:
        """Recall the few nodes that matter for a question now, and keep them as an active context.

        `scope` takes only nodes of these scopes, `allow` gives up all tags but these, `limit` is how many nodes at
        most, `max_tokens` how long the answer may be, as a model receives it. `graph` follows relations and mentions,
        too (the policy says whether, by default it does). `as_of` recalls what held at another time than now,
        `known_at` what this memory said then, `since` and `until` what was observed in a time.
        """
        started, boundary, trace = time.monotonic(), self.view.boundary, Trace(request_id, trace_id)
        access = boundary.narrowed(self.view.access.reading(namespace), allow)
        rules = boundary.at(access.root)
        times = self._questions.times(since, until, as_of, known_at)
        question, degraded = self._questions.question(query, None, access, times=times, weighted=_is_weighted(rules))
        question = replace(question, metadata=metadata or {}, scopes=scope, written_by=written_by, with_facts=True)
        request = self._request(question, access, rules, graph=graph)
        settings = request.retrieval.context
        request = replace(request, deadline=started + settings.timeout_ms / 1000)
        budget = min((rules.max_tokens[name] for name in scope), default=limits.CONTEXT_TOKENS)
        budget, measure = min(budget, max_tokens or budget), self.view.measure(access)
        pairs, waiting = self.view.pairs_waiting(access), self.view.upkeep_waiting()
        moment = self.store.clock()
        empty = ActiveContext(
            id=self.store.new_id(),
            question=question.text,
            scopes=tuple(scope),
            policy_version=rules.version,
            provenance=boundary.cleaned_values(provenance or {}, access.root),
            created_at=timestamp(moment),
            expires_at=timestamp(moment + timedelta(minutes=settings.minutes)),
            items=(),
        )

        place, most = standing_rules.place_of(self.view, namespace), limit or settings.k_final
        share = standing_rules.share_of(settings.rules_tokens, max_tokens=budget)
        own = boundary.narrowed(self.view.access.own(), allow)
        read_rules = standing_rules.read(self.view, own, place, times, budget=share)

        def recalled(reader: CandidateReader) -> Recalled:
            begin = partial(_begun, empty, read_rules if settings.rules_tokens else None)
            context, statistics = pipeline.recall(reader, begin, most, budget=budget, measure=measure)
            return replace(context, review=pairs(reader.tx), upkeep=waiting(reader.tx)), statistics

        beside = (pairs, waiting, read_rules)[: 3 if settings.rules_tokens else 2]
        keep = None if self.store.database.read_only else partial(self._keep, access, trace)
        (context, _), lacks = self._read(access, request, rules, degraded, recalled, beside, keep)
        return self._answered(access, context, lacks, trace)

    def context(
        self,
        context_id: Annotated[str, id_param("The context's id.", refers="context", name="active_context_id")],
    ) -> ActiveContext:
        """Read an active context again, while it lives; one that has expired is gone.

        Its standing rules are those that hold now.
        """
        access = self.view.access
        now = self.view.now()

        def work(tx: Transaction) -> tuple[ActiveContext, standing_rules.Chosen]:
            found, place = contexts.get(tx, access, context_id, now=now), contexts.place(tx, access, context_id)
            budget = self.view.boundary.at(place).settings(RecallSettings).context.rules_tokens
            rules = standing_rules.read(self.view, access.own(), place, Times(now), budget=budget)
            return found, rules(tx) if budget else standing_rules.Chosen()

        context, rules = self.store.database.read(work)
        items = tuple(replace(item, passage=passage_of(item.node, context.question)) for item in context.items)
        tokens = ANSWER_TOKENS + sum(item_tokens(item.node, item.passage) for item in items) + rules.tokens
        return replace(context, items=items, tokens=tokens, rules=rules.rules, rules_note=rules.note)

    def _request(
        self, question: SearchRequest, access: Access, rules: PlaceRules, *, graph: bool | None
    ) -> RecallRequest:
        """Return a question with the settings of policy and store; `graph` is the caller's wish for the graph arm."""
        retrieval, calibration = rules.settings(RecallSettings), rules.settings(Calibration)
        if retrieval.hybrid.alpha is None and self.store.settings.alpha is not None:
            fixed = replace(retrieval.hybrid, alpha=self.store.settings.alpha, lexical_shift=0.0, natural_shift=0.0)
            retrieval = replace(retrieval, hybrid=fixed)
        if question.model is not None and calibration.model == question.model.model_id:
            retrieval = replace(retrieval, calibration=calibration)
        if graph is not None:
            weight = (retrieval.graph.weight or Graph().weight) if graph else 0.0
            retrieval = replace(retrieval, graph=replace(retrieval.graph, weight=weight))
        holds, trust = holding(access, self.view.boundary.policies), self._questions.trust()
        if retrieval.calibration is not None and retrieval.calibration.relevance is not None:
            fitted = RelevanceWeights(*retrieval.calibration.relevance)
            trust = replace(trust, relevance=fitted, relevance_unspaced=fitted)
        question = replace(question, text_score=retrieval.hybrid.text_score)
        return RecallRequest(question, trust, retrieval, holds)

    def _answered(self, access: Access, context: ActiveContext, lacks: Lacks, trace: Trace) -> ActiveContext:
        """Return a context with what it lacks; one of a read-only memory says that it is not kept."""
        context = replace(context, degraded=(*lacks, *context.degraded))
        if self.store.database.read_only:
            return replace(context, degraded=(*context.degraded, _NOT_KEPT), is_kept=False)
        self._note_lacks(access, "activate", context, trace)
        return context

    def _keep(self, access: Access, trace: Trace, tx: Transaction, recalled: Recalled, lacks: Lacks) -> None:
        """Store a context with its event."""
        context, statistics = recalled
        payload = {
            "active_context_id": context.id,
            "policy_version": context.policy_version,
            **context.parameters,
            "items": len(context.items),
            "rules": len(context.rules),
            "filtered": dict(context.filtered),
            "scores": statistics,
            "degraded": len(lacks) + len(context.degraded),
        }
        contexts.save(tx, access, context, namespace=access.root)
        about = events.about_place(access, access.root)
        events.record(tx, access, "activate", payload, about=about, at=context.created_at, trace=trace)

    def _read(
        self,
        access: Access,
        request: RecallRequest,
        rules: PlaceRules,
        degraded: tuple[str, ...],
        work: Callable[[CandidateReader], Answer],
        beside: tuple[Callable[[Transaction], object], ...] = (),
        keep: Callable[[Transaction, Answer, Lacks], None] | None = None,
    ) -> tuple[Answer, Lacks]:
        """Run the work on one snapshot; return its answer, and what that lacks, in words. Texts that wait for their
        vectors get them in the background. beside: what the work reads that needs nothing of the candidates. keep:
        stores the answer, which lives for minutes.
        """
        store, classes = self.store, self.store.settings.embed_classes

        def has_waiting(tx: Transaction) -> bool:
            return embeddings.has_waiting(tx, access, store.embedder, classes)

        def read(tx: Transaction) -> tuple[Answer, Lacks, bool]:
            answer = work(replace(self._reader(tx, access, request), beside=(has_waiting, *beside)))
            lacks, waiting = list(degraded), has_waiting(tx)
            if (known_at := request.search.times.known_at) is not None:
                lacks += versions.gaps(tx, access, known_at)
            model = rules.settings(Calibration).model
            if model and request.search.vector is not None and request.retrieval.calibration is None:
                lacks.append(f"the calibration was fitted for {model} and is not used")
            lacks += ["some texts wait for their vectors"] if waiting else []
            return answer, tuple(lacks), waiting

        if keep is None:
            answer, lacks, waiting = store.database.read(read)
        else:
            answer, lacks, waiting = store.database.read_and_note(read, lambda tx, found: keep(tx, *found[:2]))
        if waiting and not degraded:
            store.worker.wake(self.view.access)
        return answer, lacks

    def _reader(self, tx: Transaction, access: Access, request: RecallRequest) -> CandidateReader:
        """Return what reads the candidates of a request: as they are, or as they were known at a time."""
        known_at = request.search.times.known_at
        if known_at is None:
            return CandidateReader(tx, access, self.store, request)
        changed = versions.changed_since(tx, access, known_at, limit=_MAX_CHANGED)
        seen = {was.id: node for was in changed if (node := nodes.seen(access, was)) is not None}
        return PastReader(tx, access, self.store, request, changed=seen)

    def _note_lacks(self, access: Access, verb: str, answer: SearchResult | ActiveContext, trace: Trace) -> None:
        """Note events of an answer: how many candidates each rule left out, and why an arm failed."""
        if answer.filtered:
            payload = {"verb": verb, "decision": "filtered", "filtered": dict(answer.filtered)}
            self.view.note(access, "filter", payload, namespace=access.root, trace=trace)
        failed = [why for why in answer.degraded if why.startswith(("searched by words only", "the graph arm"))]
        if failed:
            self.view.note(access, "search_fallback", {"reasons": failed}, namespace=access.root, trace=trace)


def _begun(
    empty: ActiveContext,
    read_rules: Callable[[Transaction], standing_rules.Chosen] | None,
    reader: CandidateReader,
) -> ActiveContext:
    """Return a context with its standing rules."""
    found = standing_rules.Chosen() if read_rules is None else read_rules(reader.tx)
    return replace(empty, rules=found.rules, rules_note=found.note, tokens=found.tokens)


def _is_weighted(rules: PlaceRules) -> bool:
    """True if rare words count more in the vector of a question."""
    return rules.settings(RecallSettings).hybrid.question_weights == "idf"
