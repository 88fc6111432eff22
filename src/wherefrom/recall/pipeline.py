"""Recall: candidates → S → graph arm → g → threshold → duplicates → entities → MMR; each stage a function of values.

The boundary comes first and in the database: what an access may not see, or what has expired, is no candidate.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from wherefrom.embedding.port import Trust
from wherefrom.model.access import Access
from wherefrom.model.results import Weighed
from wherefrom.policy.retrieval import Retrieval
from wherefrom.recall import diversify
from wherefrom.recall.explain import scores_of
from wherefrom.recall.fuse import Fusion, Scored, alpha_for, fuse
from wherefrom.recall.rerank import Reranked, rerank
from wherefrom.recall.spread import NOWHERE, Spreading, spread
from wherefrom.storage import embeddings, mentions, standings
from wherefrom.storage.candidates import Candidate, Candidates, find
from wherefrom.storage.port import Transaction, Vectors
from wherefrom.storage.question import Question
from wherefrom.storage.standings import Standing, Utilities
from wherefrom.storage.text_index import TextSearch

# How often a node may have been replaced by another that was replaced itself.
_GENERATIONS: Final = 8
# MMR compares each with each: among so many times what is wanted it finds what it wants.
_POOL: Final = 4


@dataclass(frozen=True, slots=True)
class Searching:
    """What searches: both arms, and what they remember between questions."""

    text: TextSearch
    vectors: Vectors
    utilities: Utilities


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for, and how to rank it.

    holds: which of some nodes keep the invariants of the policy; None if there are none.
    """

    question: Question
    trust: Trust
    retrieval: Retrieval
    limit: int
    holds: Callable[[Transaction, Sequence[str]], set[str]] | None = None
    deadline: float | None = None
    exclude: str | None = None


@dataclass(frozen=True, slots=True)
class Ordered:
    """The candidates by relevance, and how they were found."""

    scored: tuple[Scored, ...]
    fusion: Fusion
    spreading: Spreading
    alpha: float
    arms: tuple[str, ...]
    vectors_searched: int
    unrelated: int
    late: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its standing and its final score.

    found_through: the duplicate whose place it took; the S in `each` is then that duplicate's, the rest its own.
    """

    each: Scored
    standing: Standing
    score: float
    factors: Reranked
    at: int
    replaces: tuple[str, ...] = ()
    found_through: str | None = None


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
    late: tuple[str, ...] = ()


def recall(tx: Transaction, access: Access, wanted: Wanted, searching: Searching) -> Recall:
    """The nodes that matter for a question now."""
    hybrid, calibration = wanted.retrieval.hybrid, wanted.retrieval.calibration
    reach = (hybrid.k_txt or 4 * wanted.limit, hybrid.k_vec or 8 * wanted.limit)
    found, reach = _candidates(tx, access, wanted, searching, reach)
    order = ordered(tx, access, wanted, found)
    filtered: Counter[str] = Counter(unrelated=order.unrelated)
    by_final = ranked(tx, access, wanted, searching, order, filtered)
    chosen = _chosen(tx, access, wanted, by_final, filtered, order.spreading)
    return Recall(
        chosen=tuple(chosen),
        arms=order.arms,
        parameters={
            "alpha": order.alpha,
            "k_txt": reach[0],
            "k_vec": reach[1],
            "k_final": wanted.limit,
            "threshold": wanted.retrieval.rerank.threshold,
            "mmr_lambda": wanted.retrieval.diversity.mmr_lambda,
            "graph_weight": wanted.retrieval.graph.weight,
            "calibration": "none" if calibration is None else calibration.method,
        },
        filtered={reason: count for reason, count in filtered.items() if count},
        statistics=_statistics(by_final),
        late=("the graph arm was left out: time was up",) if order.late else (),
    )


def ordered(tx: Transaction, access: Access, wanted: Wanted, found: Candidates) -> Ordered:
    """The candidates by S, or where the graph arm leads somewhere by S and what it adds."""
    question, hybrid = wanted.question, wanted.retrieval.hybrid
    by_vectors = question.vector is not None and found.vectors_searched > 0
    alpha = alpha_for(question.text, wanted.trust, hybrid) if by_vectors else 0.0
    candidates = [each for each in found.found if each.id != wanted.exclude]
    calibration = wanted.retrieval.calibration
    fusion = fuse(candidates, question.vector, alpha=alpha, trust=wanted.trust, hybrid=hybrid, calibration=calibration)
    graph = wanted.retrieval.graph
    late = graph.weight > 0 and wanted.deadline is not None and time.monotonic() > wanted.deadline
    spreading = NOWHERE if late else spread(tx, access, fusion, question, settings=graph)
    arms = ("text", *(("vectors",) if by_vectors else ()), *(("graph",) if spreading.scored else ()))
    return Ordered(
        scored=tuple(each for each in spreading.scored or fusion.scored if each.candidate.id != wanted.exclude),
        fusion=fusion,
        spreading=spreading,
        alpha=alpha,
        arms=arms,
        vectors_searched=found.vectors_searched,
        unrelated=len(candidates) - len(fusion.scored),
        late=late,
    )


def ranked(
    tx: Transaction, access: Access, wanted: Wanted, searching: Searching, order: Ordered, filtered: Counter[str]
) -> list[Ranked]:
    """The candidates by their final score S·g, without those that may not be recalled.

    After the graph arm, places are decided by its mix of S and G, times g; the scores S·g are handed out in that order.
    """
    question, retrieval = wanted.question, wanted.retrieval
    by_id = _standings(tx, access, question, [each.candidate.id for each in order.scored])
    allowed = set(by_id) if wanted.holds is None else wanted.holds(tx, list(by_id))
    closed = {node_id for node_id, each in by_id.items() if _is_closed(each, question.now)}
    filtered["invariant"] += len(by_id) - len(allowed)
    filtered["not_live"] += sum(1 for each in order.scored if each.candidate.id not in by_id)
    filtered["closed"] += len(closed & allowed)
    heirs = _inherited(order.scored, by_id, allowed - closed - {wanted.exclude or ""})
    replaces = heirs.replaces
    filtered["superseded"] += sum(map(len, replaces.values()))
    kept = _with_own_scores(tx, access, question, order, heirs)
    if not kept:
        return []
    spread_of = searching.utilities.spread(
        tx, access, question, half_life_days=retrieval.feedback.utility_half_life_days
    )
    known = [by_id[each.candidate.id] for each in kept]
    weighed = rerank(known, spread_of, now=question.now, settings=retrieval.rerank, feedback=retrieval.feedback)
    final = np.array([each.score for each in kept]) * weighed.g
    mixes = order.spreading.mixed
    mixed = np.array([_mix_of(each, replaces, mixes) for each in kept]) * weighed.g
    places = sorted(range(len(kept)), key=lambda at: (-mixed[at], -final[at], kept[at].candidate.id))
    values = sorted(final.tolist(), reverse=True)
    return [
        Ranked(
            kept[at],
            known[at],
            value,
            weighed,
            at,
            tuple(replaces.get(known[at].id, ())),
            heirs.found_through.get(known[at].id),
        )
        for at, value in zip(places, values, strict=True)
    ]


def _candidates(
    tx: Transaction, access: Access, wanted: Wanted, searching: Searching, reach: tuple[int, int]
) -> tuple[Candidates, tuple[int, int]]:
    """What both arms find; one that gives less than half of what is wanted and has more is asked once more."""
    found = find(tx, access, wanted.question, text=searching.text, vectors=searching.vectors, reach=reach)
    by_text = sum(1 for each in found.found if each.text_rank is not None)
    by_vector = sum(1 for each in found.found if each.vector_rank is not None)
    thin_text = 2 * by_text < wanted.limit and by_text == reach[0]
    thin_vector = 2 * by_vector < wanted.limit and by_vector < found.vectors_searched
    if not thin_text and not thin_vector:
        return found, reach
    more = wanted.retrieval.hybrid.expansion
    reach = (reach[0] * (more if thin_text else 1), reach[1] * (more if thin_vector else 1))
    return find(tx, access, wanted.question, text=searching.text, vectors=searching.vectors, reach=reach), reach


def _standings(tx: Transaction, access: Access, question: Question, ids: Sequence[str]) -> dict[str, Standing]:
    """The standings of nodes, and of those that stand for them now."""
    by_id = standings.of_nodes(tx, access, question, ids)
    new = by_id
    for _ in range(_GENERATIONS):
        heirs = [each.superseded_by for each in new.values() if each.superseded_by and each.superseded_by not in by_id]
        if not heirs:
            break
        new = standings.of_nodes(tx, access, question, [heir for heir in heirs if heir is not None])
        by_id |= new
    return by_id


def _mix_of(each: Scored, replaces: Mapping[str, Sequence[str]], mixes: Mapping[str, float]) -> float:
    """The mix of S and G of a node, or of one that it stands for; S where the graph arm led nowhere."""
    ids = (each.candidate.id, *replaces.get(each.candidate.id, ()))
    return max((mixes[node_id] for node_id in ids if node_id in mixes), default=each.score)


def _is_closed(standing: Standing, now: str) -> bool:
    """A task that was completed."""
    return standing.claim_kind == "task" and standing.valid_to is not None and standing.valid_to <= now


@dataclass(frozen=True, slots=True)
class _Inherited:
    """Each node once, with the best S of it and of those that it stands for.

    relevance: that S by node, best first. replaces: the duplicates of a node. found_through: the duplicate that the S
    is of, for nodes whose own is lower.
    """

    relevance: dict[str, float]
    replaces: dict[str, list[str]]
    found_through: dict[str, str]


def _inherited(scored: Sequence[Scored], by_id: Mapping[str, Standing], allowed: set[str]) -> _Inherited:
    """Each node once: one that is superseded passes its place to the one that stands for it now, if that is there."""
    relevance: dict[str, float] = {}
    replaces: dict[str, list[str]] = {}
    found_through: dict[str, str] = {}
    for each in scored:
        node_id = each.candidate.id
        if node_id not in allowed:
            continue
        heir = node_id
        for _ in range(_GENERATIONS):
            following = by_id[heir].superseded_by
            if following is None or following not in allowed or following == node_id:
                break
            heir = following
        if heir != node_id:
            replaces.setdefault(heir, []).append(node_id)
        if heir not in relevance or each.score > relevance[heir]:
            relevance[heir] = each.score
            found_through[heir] = node_id
    through = {heir: node_id for heir, node_id in found_through.items() if heir != node_id}
    return _Inherited(relevance, replaces, through)


def _with_own_scores(
    tx: Transaction, access: Access, question: Question, order: Ordered, heirs: _Inherited
) -> list[Scored]:
    """The nodes with their own ranks and similarities, and the S that gives them their place."""
    own = {each.candidate.id: each for each in order.scored}
    missing = [node_id for node_id in heirs.relevance if node_id not in own]
    if missing:
        # No arm found them: they have no rank, but a similarity if they have a vector.
        model = question.model if question.vector is not None else None
        vectors = {} if model is None else embeddings.of_nodes(tx, access, missing, model)
        found = order.fusion.others([Candidate(node_id, vector=vectors.get(node_id)) for node_id in missing])
        own |= {each.candidate.id: each for each in found}
    return [replace(own[node_id], score=score) for node_id, score in heirs.relevance.items()]


def _chosen(
    tx: Transaction,
    access: Access,
    wanted: Wanted,
    by_final: Sequence[Ranked],
    filtered: Counter[str],
    spreading: Spreading,
) -> list[Recalled]:
    """Those that a context gets: above the threshold, each text once, few of one entity, and different."""
    retrieval = wanted.retrieval
    above = [each for each in by_final if each.score >= retrieval.rerank.threshold]
    filtered["below_threshold"] += len(by_final) - len(above)
    once = [above[at] for at in diversify.first_of_each([each.standing.content_hash for each in above])]
    filtered["same_text"] += len(above) - len(once)
    ids = [each.standing.id for each in once]
    about = standings.entities(tx, access, ids)
    asked = mentions.asked(tx, access, wanted.question.text) if about else {}
    few = [once[at] for at in diversify.few_of_each(ids, about, most=retrieval.diversity.per_entity, asked=asked)]
    filtered["same_entity"] += len(once) - len(few)
    pool = few[: _POOL * wanted.limit]
    places = diversify.mmr(
        [each.score for each in pool],
        [each.each.candidate.vector for each in pool],
        balance=retrieval.diversity.mmr_lambda,
        count=wanted.limit,
    )
    filtered["beyond_limit"] += len(few) - len(places)
    return [_recalled(pool[at], spreading) for at in places]


def _recalled(each: Ranked, spreading: Spreading) -> Recalled:
    weighed = Weighed(
        scores=scores_of(each.each, each.found_through),
        relevance=each.each.score,
        graph=spreading.reached.get(each.standing.id, 0.0),
        factors=each.factors.factors(each.at),
    )
    return Recalled(each.standing.id, each.score, weighed, each.replaces)


def _statistics(by_final: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Average, median and 90th percentile of each score over all candidates that were ranked."""
    if not by_final:
        return {}
    table = np.array(
        [(each.each.s_text, each.each.s_vec, each.each.score, each.factors.g[each.at], each.score) for each in by_final]
    )
    averages, (medians, nineties) = table.mean(axis=0), np.percentile(table, (50, 90), axis=0)
    names = ("s_text", "s_vec", "S", "g", "score_final")
    return {
        name: {"avg": round(float(a), 4), "p50": round(float(m), 4), "p90": round(float(n), 4)}
        for name, a, m, n in zip(names, averages, medians, nineties, strict=True)
    }
