"""Recall: candidates → S → graph arm → g → threshold → duplicates → entities → MMR; each stage a function of values.

The boundary comes first and in the database: what an access may not see, or what has expired, is no candidate.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recollect.embedding.port import Trust
from recollect.model.access import Access
from recollect.model.results import Weighed
from recollect.policy.retrieval import Retrieval
from recollect.recall import diversify
from recollect.recall.explain import scores_of
from recollect.recall.fuse import Scored, alpha_for, fuse
from recollect.recall.rerank import Reranked, rerank
from recollect.recall.spread import Spreading, spread
from recollect.storage import mentions, standings
from recollect.storage.candidates import Candidates, find
from recollect.storage.port import Transaction, Vectors
from recollect.storage.question import Question
from recollect.storage.standings import Standing, Utilities
from recollect.storage.text_index import TextSearch


@dataclass(frozen=True, slots=True)
class Searching:
    """What searches: both arms, and what they remember between questions."""

    text: TextSearch
    vectors: Vectors
    utilities: Utilities


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, and how to rank it.

    holds: whether a node keeps the invariants of the policy; None if there are none.
    """

    question: Question
    trust: Trust
    retrieval: Retrieval
    limit: int
    diverse: bool = True
    holds: Callable[[Transaction, Sequence[str]], set[str]] | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class Recalled:
    """A node with its place and how it came to it."""

    node_id: str
    score: float
    weighed: Weighed
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """What was recalled, best first; how; what was left out, by reason; and the statistics of all candidates."""

    chosen: tuple[Recalled, ...]
    arms: tuple[str, ...]
    parameters: Mapping[str, Any]
    filtered: Mapping[str, int]
    statistics: Mapping[str, Mapping[str, float]]
    vectors_searched: int
    late: tuple[str, ...] = ()


def recall(tx: Transaction, access: Access, wanted: Wanted, searching: Searching) -> Recall:
    """The nodes that matter for a question now."""
    found, reach = _candidates(tx, access, wanted, searching)
    question, hybrid = wanted.question, wanted.retrieval.hybrid
    by_vectors = question.vector is not None and found.vectors_searched > 0
    alpha = alpha_for(question.text, wanted.trust, hybrid) if by_vectors else 0.0
    calibration = wanted.retrieval.calibration
    fusion = fuse(found.found, question.vector, alpha=alpha, trust=wanted.trust, hybrid=hybrid, calibration=calibration)
    late = _is_late(wanted)
    spreading = Spreading() if late else spread(tx, access, fusion, question, settings=wanted.retrieval.graph)
    scored = spreading.scored or fusion.scored
    filtered: Counter[str] = Counter(unrelated=len(found.found) - len(fusion.scored))
    order = ranked(tx, access, wanted, searching, scored, filtered)
    chosen = _chosen(tx, access, wanted, order, filtered, spreading)
    return Recall(
        chosen=tuple(chosen),
        arms=("text", *(("vectors",) if by_vectors else ()), *(("graph",) if spreading.scored else ())),
        parameters={
            "alpha": alpha,
            "k_txt": reach[0],
            "k_vec": reach[1],
            "k_final": wanted.limit,
            "threshold": wanted.retrieval.rerank.threshold,
            "mmr_lambda": wanted.retrieval.diversity.mmr_lambda,
            "calibration": "none" if calibration is None else calibration.method,
        },
        filtered={reason: count for reason, count in filtered.items() if count},
        statistics=_statistics(order),
        vectors_searched=found.vectors_searched,
        late=("the graph arm was left out: time was up",) if late and wanted.retrieval.graph.weight > 0 else (),
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its standing and its final score."""

    each: Scored
    standing: Standing
    score: float
    factors: Reranked
    at: int
    replaces: tuple[str, ...] = ()


def _candidates(
    tx: Transaction, access: Access, wanted: Wanted, searching: Searching
) -> tuple[Candidates, tuple[int, int]]:
    """What both arms find; an arm that gives less than half of what is wanted is asked once more, for more."""
    hybrid = wanted.retrieval.hybrid
    reach = (hybrid.k_txt or 4 * wanted.limit, hybrid.k_vec or 8 * wanted.limit)
    found = find(tx, access, wanted.question, text=searching.text, vectors=searching.vectors, reach=reach)
    by_text = sum(1 for each in found.found if each.text_rank is not None)
    by_vector = sum(1 for each in found.found if each.vector_rank is not None)
    thin_text = 2 * by_text < wanted.limit
    # An arm that has nothing more to give need not be asked.
    thin_vector = 2 * by_vector < wanted.limit and by_vector < found.vectors_searched
    if not (thin_text and by_text) and not thin_vector:
        return found, reach
    more = (
        reach[0] * (hybrid.expansion if thin_text else 1),
        reach[1] * (hybrid.expansion if thin_vector else 1),
    )
    return find(tx, access, wanted.question, text=searching.text, vectors=searching.vectors, reach=more), more


def ranked(
    tx: Transaction,
    access: Access,
    wanted: Wanted,
    searching: Searching,
    scored: Sequence[Scored],
    filtered: Counter[str],
) -> list[Ranked]:
    """The candidates by their final score S·g, without those that may not be recalled."""
    question, retrieval = wanted.question, wanted.retrieval
    by_id = standings.of_nodes(tx, access, question, [each.candidate.id for each in scored])
    heirs = {each.superseded_by for each in by_id.values() if each.superseded_by} - by_id.keys()
    if heirs:
        by_id |= standings.of_nodes(tx, access, question, [heir for heir in heirs if heir is not None])
    allowed = set(by_id) if wanted.holds is None else wanted.holds(tx, list(by_id))
    filtered["invariant"] += len(by_id) - len(allowed)
    filtered["not_live"] += sum(1 for each in scored if each.candidate.id not in by_id)
    kept, replaces = _inherited([each for each in scored if each.candidate.id in allowed], by_id, allowed)
    filtered["superseded"] += sum(map(len, replaces.values()))
    if not kept:
        return []
    spread_of = searching.utilities.spread(
        tx, access, question, half_life_days=retrieval.feedback.utility_half_life_days
    )
    known = [by_id[each.candidate.id] for each in kept]
    weighed = rerank(known, spread_of, now=question.now, settings=retrieval.rerank, feedback=retrieval.feedback)
    final = np.array([each.score for each in kept]) * weighed.g
    order = sorted(range(len(kept)), key=lambda at: (-final[at], -kept[at].score, kept[at].candidate.id))
    return [
        Ranked(kept[at], known[at], float(final[at]), weighed, at, tuple(replaces.get(known[at].id, ())))
        for at in order
    ]


def _inherited(
    scored: Sequence[Scored], by_id: Mapping[str, Standing], allowed: set[str]
) -> tuple[list[Scored], dict[str, list[str]]]:
    """Each node once: one that is superseded passes its place to the one that stands for it now, if that is there."""
    kept: dict[str, Scored] = {}
    replaces: dict[str, list[str]] = {}
    for each in scored:
        node_id = each.candidate.id
        heir = by_id[node_id].superseded_by
        if heir is not None and heir in allowed:
            replaces.setdefault(heir, []).append(node_id)
            each, node_id = replace(each, candidate=replace(each.candidate, id=heir)), heir
        if node_id not in kept or each.score > kept[node_id].score:
            kept[node_id] = each
    return list(kept.values()), replaces


def _chosen(
    tx: Transaction,
    access: Access,
    wanted: Wanted,
    ranked: Sequence[Ranked],
    filtered: Counter[str],
    spreading: Spreading,
) -> list[Recalled]:
    """Those that a context gets: above the threshold, each text once, few of one entity, and different."""
    retrieval = wanted.retrieval
    above = [each for each in ranked if each.score >= retrieval.rerank.threshold]
    filtered["below_threshold"] += len(ranked) - len(above)
    if not wanted.diverse:
        return [_recalled(each, each.score, spreading) for each in above[: wanted.limit]]
    once = [above[at] for at in diversify.first_of_each([each.standing.content_hash for each in above])]
    filtered["same_text"] += len(above) - len(once)
    ids = [each.standing.id for each in once]
    about = standings.entities(tx, access, ids)
    asked = mentions.asked(tx, access, wanted.question.text) if about else {}
    few = [once[at] for at in diversify.few_of_each(ids, about, most=retrieval.diversity.per_entity, asked=set(asked))]
    filtered["same_entity"] += len(once) - len(few)
    places = diversify.mmr(
        [each.score for each in few],
        [each.each.candidate.vector for each in few],
        balance=retrieval.diversity.mmr_lambda,
        count=wanted.limit,
    )
    filtered["beyond_limit"] += len(few) - len(places)
    return [_recalled(few[at], few[at].score, spreading) for at in places]


def _recalled(ranked: Ranked, score: float, spreading: Spreading) -> Recalled:
    weighed = Weighed(
        scores=scores_of(ranked.each),
        relevance=ranked.each.score,
        graph=spreading.reached.get(ranked.standing.id, 0.0),
        factors=ranked.factors.factors(ranked.at),
    )
    return Recalled(ranked.standing.id, score, weighed, ranked.replaces)


def _statistics(ranked: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Average, median and 90th percentile of each score over all candidates that were ranked."""
    if not ranked:
        return {}
    values = {
        "s_text": [each.each.s_text for each in ranked],
        "s_vec": [each.each.s_vec for each in ranked],
        "S": [each.each.score for each in ranked],
        "g": [float(each.factors.g[each.at]) for each in ranked],
        "score_final": [each.score for each in ranked],
    }
    return {
        name: {
            "avg": round(float(np.mean(numbers)), 4),
            "p50": round(float(np.percentile(numbers, 50)), 4),
            "p90": round(float(np.percentile(numbers, 90)), 4),
        }
        for name, numbers in values.items()
    }


def _is_late(wanted: Wanted) -> bool:
    return wanted.deadline is not None and time.monotonic() > wanted.deadline
