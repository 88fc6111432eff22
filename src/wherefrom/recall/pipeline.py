"""Recall: candidates → S → graph arm → g → threshold → duplicates → entities → MMR. Each stage is a function of values;
the store is read here, between the stages.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from wherefrom.engine.tuning import CutOff
from wherefrom.lazy import np
from wherefrom.model.results import ContextItem, Hit, ScoreBreakdown, SearchResult
from wherefrom.recall import graph_arm, selection
from wherefrom.recall.candidates import MAX_GENERATIONS, CandidateReader
from wherefrom.recall.fuse import Fused, Scored, alpha_for, fuse
from wherefrom.recall.rerank import Reranked, reason_of, rerank
from wherefrom.storage import nodes, ranking_facts
from wherefrom.storage.candidates import Candidates
from wherefrom.storage.edges import Measure
from wherefrom.storage.ranking_facts import RankingFacts
from wherefrom.text.tokens import count_tokens, text_of

# For a search, unless the policy says another number: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES_PER_ARM: Final = 64
# Of the nodes that only the walk reached, the likeliest are scored; the others would not be chosen.
_MAX_REACHED: Final = 32
# MMR compares every node with every other: it chooses among this many times what is wanted.
_MMR_POOL_FACTOR: Final = 4
_SUPERSEDES: Final = "supersedes"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates by their final score S·g, best first; scores, facts and factors are in the same order.

    replaces: the duplicates that a node stands for. reached: how likely the walk of the graph arm came past a node.
    """

    scored: Sequence[Scored]
    finals: Sequence[float]
    facts: Sequence[RankingFacts]
    factors: Reranked
    replaces: Mapping[str, Sequence[str]]
    reached: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Recall:
    """The recalled items, best first.

    tokens: the length of their texts. parameters: what the order depends on. filtered: how many candidates were left
    out, by reason. statistics: of the scores of all candidates. late: the graph arm was left out, because time was up.
    """

    items: tuple[ContextItem, ...]
    tokens: int
    parameters: Mapping[str, Any]
    filtered: Mapping[str, int]
    statistics: Mapping[str, Mapping[str, float]]
    late: bool


def search(reader: CandidateReader, limit: int | CutOff, *, final: bool) -> SearchResult:
    """Return the best nodes by S, or if `final` by S·g: a fixed number, or as many as the scores suggest."""
    hybrid = reader.request.retrieval.hybrid
    found = reader.find((hybrid.k_txt or CANDIDATES_PER_ARM, hybrid.k_vec or CANDIDATES_PER_ARM))
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter()
    ranking = _ranked(reader, fused, filtered) if final else None
    scored = fused.scored if ranking is None else ranking.scored
    # With the graph arm the scores are handed out anew in its order: they fall from hit to hit.
    scores = sorted((one.score for one in scored), reverse=True) if ranking is None else ranking.finals
    keep = selection.kept(scores, limit) if isinstance(limit, CutOff) else limit
    by_id = nodes.read_by_ids(reader.tx, reader.access, [one.id for one in scored[:keep]])
    holding = reader.select_holding(by_id)
    filtered["invariant"] += len(by_id) - len(holding)
    hits = []
    for at, (one, score) in enumerate(zip(scored[:keep], scores, strict=False)):
        if one.id in holding:
            weighed = () if ranking is None else (ranking.factors.factors(at), one.score)
            hits.append(Hit(by_id[one.id], score, one.scores, *weighed))
    return SearchResult(
        hits=tuple(hits),
        arms=fused.arms,
        alpha=fused.alpha,
        candidates=len(scored),
        filtered=dict(+filtered),
        vectors_searched=found.vectors_searched,
    )


def recall(reader: CandidateReader, limit: int, *, budget: int, measure: Measure) -> Recall:
    """Return the nodes that matter for a question now: at most `limit`, whose texts fit a budget of tokens."""
    retrieval = reader.request.retrieval
    hybrid, calibration = retrieval.hybrid, retrieval.calibration
    found, reach = reader.find_enough((hybrid.k_txt or 4 * limit, hybrid.k_vec or 8 * limit), limit)
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter(unrelated=fused.unrelated)
    ranking = _ranked(reader, fused, filtered)
    chosen = _chosen(reader, ranking, limit, filtered)
    items, tokens = _items(reader, ranking, chosen, budget, measure)
    filtered["over_budget"] += len(chosen) - len(items)
    return Recall(
        items=tuple(items),
        tokens=tokens,
        parameters={
            "alpha": fused.alpha,
            "k_txt": reach[0],
            "k_vec": reach[1],
            "k_final": limit,
            "threshold": retrieval.rerank.threshold,
            "mmr_lambda": retrieval.diversity.mmr_lambda,
            "graph_weight": retrieval.graph.weight,
            "calibration": "none" if calibration is None else calibration.method,
            "arms": list(fused.arms),
        },
        filtered=dict(+filtered),
        statistics=_statistics(ranking),
        late=fused.late,
    )


def _fused(reader: CandidateReader, found: Candidates) -> Fused:
    """Return the candidates by S; where the graph arm leads somewhere, with the nodes it reached and by its mix."""
    request, retrieval = reader.request, reader.request.retrieval
    question, exclude = request.search, request.exclude
    by_vectors = question.vector is not None and found.vectors_searched > 0
    fused = fuse(
        [candidate for candidate in found.found if candidate.id != exclude],
        question.vector,
        alpha=alpha_for(question.text, request.trust, retrieval.hybrid) if by_vectors else 0.0,
        trust=request.trust,
        hybrid=retrieval.hybrid,
        calibration=retrieval.calibration,
    )
    fused = replace(fused, arms=("text", "vectors") if by_vectors else ("text",))
    if retrieval.graph.weight == 0:
        return fused
    if request.deadline is not None and time.monotonic() > request.deadline:
        return replace(fused, late=True)
    fused = _with_graph(reader, fused)
    return replace(fused, scored=tuple(scored for scored in fused.scored if scored.id != exclude))


def _with_graph(reader: CandidateReader, fused: Fused) -> Fused:
    """Return the candidates and the nodes that a walk from the best of them reaches, by the mix of S and G."""
    if not fused.scored:
        return fused
    settings = reader.request.retrieval.graph
    named = reader.read_named()
    start = graph_arm.masses(fused.scored[: settings.seeds], named, sharpness=settings.sharpness)
    edges = reader.read_edges_near(start)
    known = {scored.id for scored in fused.scored}
    if not edges and not named.keys() - known:
        return fused
    reached = graph_arm.walked(start, edges, damping=settings.damping)
    likely = sorted((node_id for node_id in reached if node_id not in known), key=lambda node_id: -reached[node_id])
    fresh = reader.read_candidates(list(reader.read_facts(likely[:_MAX_REACHED])))
    scored = [*fused.scored, *fused.score_others(fresh)]
    mixed = graph_arm.mix(scored, reached, weight=settings.weight)
    scored.sort(key=lambda one: (-mixed[one.id], one.id))
    return replace(fused, scored=tuple(scored), mixed=mixed, reached=reached, arms=(*fused.arms, "graph"))


def _ranked(reader: CandidateReader, fused: Fused, filtered: Counter[str]) -> Ranking:
    """Return the candidates by their final score S·g, without those that may not be recalled.

    After the graph arm, places are decided by its mix of S and G, times g; the scores S·g are handed out in that order.
    """
    request, retrieval = reader.request, reader.request.retrieval
    now = request.search.now
    by_id = reader.read_facts_with_heirs([scored.id for scored in fused.scored])
    allowed = reader.select_holding(by_id)
    closed = {node_id for node_id, facts in by_id.items() if facts.is_closed(now)}
    filtered["invariant"] += len(by_id) - len(allowed)
    filtered["not_live"] += sum(scored.id not in by_id for scored in fused.scored)
    filtered["closed"] += len(closed & allowed)
    best, replaces = _inherited(fused.scored, by_id, allowed - closed - {request.exclude})
    filtered["superseded"] += sum(map(len, replaces.values()))
    scored = _with_own_scores(reader, fused, best)
    facts = [by_id[one.id] for one in scored]
    among = reader.read_utility_deviation()
    factors = rerank(facts, among, now=now, settings=retrieval.rerank, feedback=retrieval.feedback)
    finals = np.array([one.score for one in scored]) * factors.g
    mixed = np.array([_mix_of(one, replaces, fused.mixed) for one in scored]) * factors.g
    places = sorted(range(len(scored)), key=lambda at: (-mixed[at], -finals[at], scored[at].id))
    return Ranking(
        scored=[scored[at] for at in places],
        finals=sorted(finals.tolist(), reverse=True),
        facts=[facts[at] for at in places],
        factors=factors.in_order(places),
        replaces=replaces,
        reached=fused.reached,
    )


def _mix_of(one: Scored, replaces: Mapping[str, Sequence[str]], mixed: Mapping[str, float]) -> float:
    """Return the best mix of S and G of a node and its duplicates; S where the graph arm led nowhere."""
    ids = (one.id, *replaces.get(one.id, ()))
    return max((mixed[node_id] for node_id in ids if node_id in mixed), default=one.score)


def _inherited(
    scored: Sequence[Scored], by_id: Mapping[str, RankingFacts], allowed: set[str]
) -> tuple[dict[str, Scored], dict[str, list[str]]]:
    """Return each node once, a superseded one as its heir if that may be recalled.

    First the best score of each node and its duplicates, best first; then the duplicates of each node.
    """
    best: dict[str, Scored] = {}
    replaces: dict[str, list[str]] = {}
    for one in scored:
        if one.id not in allowed:
            continue
        heir = one.id
        for _ in range(MAX_GENERATIONS):
            following = by_id[heir].superseded_by
            if following is None or following not in allowed or following == one.id:
                break
            heir = following
        if heir != one.id:
            replaces.setdefault(heir, []).append(one.id)
        if heir not in best or one.score > best[heir].score:
            best[heir] = one
    return best, replaces


def _with_own_scores(reader: CandidateReader, fused: Fused, best: Mapping[str, Scored]) -> list[Scored]:
    """Return the nodes with their own ranks and similarities, and with the S that gives them their place."""
    own = {scored.id: scored for scored in fused.scored}
    # Heirs that no arm found have no rank, but a similarity if they have a vector.
    missing = [node_id for node_id in best if node_id not in own]
    own |= {scored.id: scored for scored in fused.score_others(reader.read_candidates(missing))}
    for node_id, through in best.items():
        if through.id != node_id:
            scores = replace(own[node_id].scores, found_through=through.id)
            own[node_id] = replace(own[node_id], score=through.score, scores=scores)
    return [own[node_id] for node_id in best]


def _chosen(reader: CandidateReader, ranking: Ranking, limit: int, filtered: Counter[str]) -> list[int]:
    """Return the places of a context's items: above the threshold, each text once, few of one entity, and different."""
    retrieval, scored = reader.request.retrieval, ranking.scored
    above = [at for at, score in enumerate(ranking.finals) if score >= retrieval.rerank.threshold]
    filtered["below_threshold"] += len(scored) - len(above)
    once = [above[at] for at in selection.first_of_each([ranking.facts[at].content_hash for at in above])]
    filtered["same_text"] += len(above) - len(once)
    ids = [scored[at].id for at in once]
    about = ranking_facts.entities(reader.tx, reader.access, ids)
    asked = reader.read_named() if about else {}
    few = [once[at] for at in selection.few_of_each(ids, about, most=retrieval.diversity.per_entity, asked=asked)]
    filtered["same_entity"] += len(once) - len(few)
    pool = few[: _MMR_POOL_FACTOR * limit]
    scores, vectors = [ranking.finals[at] for at in pool], [scored[at].vector for at in pool]
    chosen = selection.mmr(scores, vectors, balance=retrieval.diversity.mmr_lambda, count=limit)
    filtered["beyond_limit"] += len(few) - len(chosen)
    return [pool[at] for at in chosen]


def _items(
    reader: CandidateReader, ranking: Ranking, chosen: Sequence[int], budget: int, measure: Measure
) -> tuple[list[ContextItem], int]:
    """Return the chosen nodes whose texts fit the budget, in full, and the number of their tokens."""
    tx, access = reader.tx, reader.access
    by_id = nodes.read_by_ids(tx, access, [ranking.scored[at].id for at in chosen])
    against = ranking_facts.disputes(tx, access, list(by_id))
    superseding = [edge for edge in against if edge.tag == _SUPERSEDES]
    superseded = {edge.target_id for edge in superseding if edge.target_id != edge.source_id}
    disputes = measure(tx, [edge for edge in against if edge.tag != _SUPERSEDES])
    items: list[ContextItem] = []
    tokens = 0
    for at in chosen:
        node, score = by_id.get(ranking.scored[at].id), ranking.finals[at]
        if node is None or node.id in superseded:
            continue
        size = count_tokens(text_of(node.title, node.content))
        if tokens + size > budget:
            continue
        tokens += size
        scored, graph = ranking.scored[at], ranking.reached.get(node.id, 0.0)
        breakdown = ScoreBreakdown(scored.scores, scored.score, graph, ranking.factors.factors(at))
        older = (edge.target_id for edge in superseding if edge.source_id == node.id)
        own = tuple(edge for edge in disputes if node.id in (edge.source_id, edge.target_id))
        others = {edge.source_id if edge.target_id == node.id else edge.target_id for edge in own}
        items.append(
            ContextItem(
                rank=len(items) + 1,
                node=node,
                score=score,
                reason=reason_of(breakdown, score),
                breakdown=breakdown,
                replaces=(*ranking.replaces.get(node.id, ()), *older),
                disputed_by=tuple(sorted(others)),
                disputes=own,
            )
        )
    return items, tokens


def _statistics(ranking: Ranking) -> dict[str, dict[str, float]]:
    """Return average, median and 90th percentile of each score over all ranked candidates."""
    if not ranking.scored:
        return {}
    rows = [(one.scores.s_text, one.scores.s_vec, one.score) for one in ranking.scored]
    table = np.column_stack([rows, ranking.factors.g, ranking.finals])
    averages, (medians, nineties) = table.mean(axis=0), np.percentile(table, (50, 90), axis=0)
    names = ("s_text", "s_vec", "S", "g", "score_final")
    return {
        name: {"avg": round(float(a), 4), "p50": round(float(m), 4), "p90": round(float(n), 4)}
        for name, a, m, n in zip(names, averages, medians, nineties, strict=True)
    }
