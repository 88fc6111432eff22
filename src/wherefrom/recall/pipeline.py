"""Recall: candidates → S → graph arm → g → threshold → duplicates → entities → MMR. Each stage is a function of values;
the store is read here, between the stages.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from wherefrom.lazy import np
from wherefrom.model.graph import Node
from wherefrom.model.limits import ANSWER_TOKENS
from wherefrom.model.results import (
    ActiveContext,
    ContextItem,
    Factors,
    Hit,
    Passage,
    ScoreBreakdown,
    Scores,
    SearchResult,
)
from wherefrom.model.sources import cut_to_bytes
from wherefrom.recall import graph_arm, selection
from wherefrom.recall.candidates import CandidateReader
from wherefrom.recall.fuse import Fused, Scored, alpha_for, fuse
from wherefrom.recall.older import later_first
from wherefrom.recall.reasons import item_tokens, passage_of, reason_in_words
from wherefrom.recall.rerank import figures_of, rerank
from wherefrom.recall.standing import standing
from wherefrom.storage.candidates import (
    Candidates,
    RankingFacts,
    entities,
    helpful_counts,
)
from wherefrom.storage.edges import Measure

# For a search, unless the policy says another number: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES_PER_ARM: Final = 64
# Of the nodes that only the walk reached, the likeliest are scored; the others would not be chosen.
_MAX_REACHED: Final = 32
# MMR compares every node with every other: it chooses among this many times what is wanted.
_MMR_POOL_FACTOR: Final = 4
# How many hits beyond those of the answer may stand above an older one.
_LATER_LOOKED_FOR: Final = 10
# Of the name of a namespace in a note, which may be long; the whole of it is in the full answer.
_MAX_PLACE_BYTES: Final = 32
_LONGER: Final = "what fits the question is longer than max_tokens"
_LATE: Final = "the graph arm was left out: time was up"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its final score S·g, and the facts and factors that g was computed from.

    replaces: the duplicates that it stands for. graph: how likely the walk of the graph arm came past it.
    """

    scored: Scored
    facts: RankingFacts
    factors: Factors
    score: float
    replaces: Sequence[str]
    graph: float


def search(reader: CandidateReader, limit: int | selection.CutOff, *, final: bool) -> SearchResult:
    """Return the best nodes by S, or if `final` by S·g: a fixed number, or as many as the scores suggest."""
    hybrid = reader.request.retrieval.hybrid
    found = reader.find((hybrid.k_txt or CANDIDATES_PER_ARM, hybrid.k_vec or CANDIDATES_PER_ARM))
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter()
    rows: list[tuple[Scored, float, Factors | None, float | None]]
    if final:
        ranking = _ranked(reader, fused, filtered)
        rows = [(ranked.scored, ranked.score, ranked.factors, ranked.scored.score) for ranked in ranking]
    else:
        held, _ = standing(reader, fused, filtered)
        # With the graph arm the scores are handed out anew in its order: they fall from hit to hit.
        scores = sorted((scored.score for scored in held), reverse=True)
        rows = [(scored, score, None, None) for scored, score in zip(held, scores, strict=True)]
    most = selection.kept([row[1] for row in rows], limit) if isinstance(limit, selection.CutOff) else limit
    window = {row[0].id: row for row in rows[: most + _LATER_LOOKED_FOR]}
    older = reader.find_older(list(window))
    scores = [row[1] for row in rows]
    best = [
        (scored, score, factors, relevance)
        for (scored, _, factors, relevance), score in zip(
            map(window.__getitem__, later_first(list(window), older)), scores, strict=False
        )
    ][:most]
    by_id = reader.read_nodes([scored.id for scored, *_ in best])
    holding = reader.select_holding(by_id)
    filtered["invariant"] += len(by_id) - len(holding)
    shown = _shown(reader, by_id)
    took = reader.find_replaced_by(list(by_id))
    return SearchResult(
        hits=tuple(
            Hit(
                node,
                score,
                scored.scores,
                factors,
                relevance,
                *shown(node, scored.scores, scored.id in fused.reached),
                replaces=tuple(replaced := dict(took.get(node.id, ()))),
                held_until=max(replaced.values(), default=None),
                older_than=older.get(node.id),
            )
            for scored, score, factors, relevance in best
            if scored.id in holding and (node := by_id[scored.id])
        ),
        arms=fused.arms,
        alpha=fused.alpha,
        candidates=len(rows),
        filtered=dict(+filtered),
        vectors_searched=found.vectors_searched,
        note=None if holding else _searched(reader, fused.arms),
    )


def fitting(reader: CandidateReader, *, least: float, limit: int) -> dict[str, float]:
    """Return the nodes whose S is at least `least`, best first, with their S: also those that were replaced."""
    fused = _fused(reader, reader.find((limit, limit)))
    return {scored.id: scored.score for scored in fused.scored if scored.score >= least}


def recall(
    reader: CandidateReader, empty: ActiveContext, limit: int, *, budget: int, measure: Measure
) -> tuple[ActiveContext, dict[str, dict[str, float]]]:
    """Return a context with the nodes that matter for its question now, at most `limit`, whose texts fit a budget of
    tokens; and statistics of the scores of all candidates.
    """
    retrieval = reader.request.retrieval
    hybrid, calibration = retrieval.hybrid, retrieval.calibration
    found, reach = reader.find_enough((hybrid.k_txt or 4 * limit, hybrid.k_vec or 8 * limit), limit)
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter(unrelated=fused.unrelated)
    ranking, older = _with_later_first(reader, _ranked(reader, fused, filtered), limit + _LATER_LOOKED_FOR)
    chosen = _chosen(reader, ranking, limit, filtered)
    items, tokens = _items(reader, chosen, budget, measure)
    items = [replace(item, older_than=older.get(item.node.id)) for item in items] if older else items
    filtered["over_budget"] += len(chosen) - len(items)
    parameters = {
        "alpha": fused.alpha,
        "k_txt": reach[0],
        "k_vec": reach[1],
        "k_final": limit,
        "threshold": retrieval.rerank.threshold,
        "mmr_lambda": retrieval.diversity.mmr_lambda,
        "graph_weight": retrieval.graph.weight,
        "calibration": "none" if calibration is None else calibration.method,
        "arms": list(fused.arms),
    }
    degraded = (*empty.degraded, _LATE) if fused.late else empty.degraded
    context = replace(empty, items=tuple(items), tokens=tokens, parameters=parameters, filtered=dict(+filtered))
    note = None if items else _LONGER if filtered["over_budget"] else _searched(reader, fused.arms)
    return replace(context, degraded=degraded, note=note), _statistics(ranking)


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


def _ranked(reader: CandidateReader, fused: Fused, filtered: Counter[str]) -> list[Ranked]:
    """Return the candidates by their final score S·g, without those that may not be recalled.

    After the graph arm, places are decided by its mix of S and G (of a node and its duplicates the best), times g; the
    scores S·g are handed out in that order.
    """
    request, retrieval = reader.request, reader.request.retrieval
    now = request.search.now
    by_id = reader.read_facts_with_heirs([scored.id for scored in fused.scored])
    candidates, replaces = standing(reader, fused, filtered, by_id)
    facts = [by_id[scored.id] for scored in candidates]
    half_life_days, utilities = retrieval.feedback.utility_half_life_days, reader.store.utilities
    among = utilities.mean_deviation(reader.tx, reader.access, request.search, half_life_days=half_life_days)
    factors = rerank(facts, among, now=now, settings=retrieval.rerank, feedback=retrieval.feedback)
    ranking = [
        Ranked(
            scored, fact, parts, scored.score * parts.g, replaces.get(scored.id, ()), fused.reached.get(scored.id, 0.0)
        )
        for scored, fact, parts in zip(candidates, facts, factors, strict=True)
    ]

    def order(ranked: Ranked) -> tuple[float, float, str]:
        scored, mixed = ranked.scored, fused.mixed
        ids = (scored.id, *ranked.replaces)
        mix = max((mixed[node_id] for node_id in ids if node_id in mixed), default=scored.score)
        return -mix * ranked.factors.g, -ranked.score, scored.id

    scores = sorted((ranked.score for ranked in ranking), reverse=True)
    return [replace(ranked, score=score) for ranked, score in zip(sorted(ranking, key=order), scores, strict=True)]


def _with_later_first(
    reader: CandidateReader, ranking: Sequence[Ranked], window: int
) -> tuple[list[Ranked], dict[str, str]]:
    """Return a ranking in which, among the first, a statement stands above the older one whose value it exchanges; and
    the older ones, each with the later. The scores are handed out in that order.
    """
    first = {ranked.scored.id: ranked for ranked in ranking[:window]}
    older = reader.find_older(list(first))
    if not older:
        return list(ranking), {}
    order = later_first(list(first), older)
    scores = [ranked.score for ranked in first.values()]
    moved = [replace(first[node_id], score=score) for node_id, score in zip(order, scores, strict=True)]
    return [*moved, *ranking[window:]], older


def _chosen(reader: CandidateReader, ranking: Sequence[Ranked], limit: int, filtered: Counter[str]) -> list[Ranked]:
    """Return the nodes of a context: above the threshold, each text once, few of one entity, and different."""
    retrieval = reader.request.retrieval
    above = [ranked for ranked in ranking if ranked.score >= retrieval.rerank.threshold]
    filtered["below_threshold"] += len(ranking) - len(above)
    by_text: dict[str, Ranked] = {}
    for ranked in above:
        by_text.setdefault(ranked.facts.content_hash, ranked)
    once = list(by_text.values())
    filtered["same_text"] += len(above) - len(once)
    ids = [ranked.scored.id for ranked in once]
    about = entities(reader.tx, reader.access, ids)
    asked = reader.read_named() if about else {}
    few = [once[at] for at in selection.few_of_each(ids, about, most=retrieval.diversity.per_entity, asked=asked)]
    filtered["same_entity"] += len(once) - len(few)
    pool = few[: _MMR_POOL_FACTOR * limit]
    scores, vectors = [ranked.score for ranked in pool], [ranked.scored.vector for ranked in pool]
    chosen = selection.mmr(scores, vectors, balance=retrieval.diversity.mmr_lambda, count=limit)
    filtered["beyond_limit"] += len(few) - len(chosen)
    return [pool[at] for at in chosen]


def _items(
    reader: CandidateReader, chosen: Sequence[Ranked], budget: int, measure: Measure
) -> tuple[list[ContextItem], int]:
    """Return the chosen nodes that fit the budget as an answer shows them (of a long text one passage), and the number
    of tokens of that answer.
    """
    by_id = reader.read_nodes([ranked.scored.id for ranked in chosen])
    disputes = measure(reader.tx, reader.read_disputes(list(by_id)))
    took = reader.find_replaced_by(list(by_id))
    shown = _shown(reader, by_id)
    items: list[ContextItem] = []
    tokens = ANSWER_TOKENS
    for ranked in chosen:
        node = by_id.get(ranked.scored.id)
        if node is None:
            continue
        reason, passage = shown(node, ranked.scored.scores, ranked.graph > 0)
        size = item_tokens(node, passage)
        if tokens + size > budget:
            continue
        tokens += size
        breakdown = ScoreBreakdown(ranked.scored.scores, ranked.scored.score, ranked.graph, ranked.factors)
        replaced = dict(took.get(node.id, ()))
        own = tuple(edge for edge in disputes if node.id in (edge.source_id, edge.target_id))
        others = {edge.source_id if edge.target_id == node.id else edge.target_id for edge in own}
        items.append(
            ContextItem(
                rank=len(items) + 1,
                node=node,
                score=ranked.score,
                reason=reason,
                figures=figures_of(breakdown, ranked.score),
                passage=passage,
                breakdown=breakdown,
                replaces=tuple(dict.fromkeys((*replaced, *ranked.replaces))),
                held_until=max(replaced.values(), default=None),
                disputed_by=tuple(sorted(others)),
                disputes=own,
            )
        )
    return items, tokens


def _shown(reader: CandidateReader, by_id: Mapping[str, Node]) -> Callable[..., tuple[str, Passage | None]]:
    """Return a function that says why a node was found, and which passage of a long text to show."""
    question = reader.request.search
    helped = helpful_counts(reader.tx, reader.access, by_id.values())

    def shown(node: Node, scores: Scores, is_reached: bool) -> tuple[str, Passage | None]:
        times, passage = helped.get(node.id, 0), passage_of(node, question.text)
        reason = reason_in_words(
            question.text, node, passage, scores, is_reached=is_reached, helped=times, now=question.now
        )
        return reason, passage

    return shown


def _searched(reader: CandidateReader, arms: Sequence[str]) -> str:
    """Say what was searched, for an answer that has nothing."""
    request, place = reader.request.search, cut_to_bytes(reader.access.root, _MAX_PLACE_BYTES)
    number = reader.store.utilities.count(reader.tx, reader.access, request)
    narrowed = " with these scopes or metadata" if request.scopes or request.metadata else ""
    if number == 0:
        return f"nothing{narrowed} is saved in {place} yet"
    ways = " and ".join({"text": "words", "vectors": "meaning", "graph": "relations"}[arm] for arm in arms)
    return f"nothing fits: searched {number:,} text{'s' * (number != 1)}{narrowed} in {place} by {ways}"


def _statistics(ranking: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Return average, median and 90th percentile of each score over all ranked candidates."""
    if not ranking:
        return {}
    scores_of = attrgetter("scored.scores.s_text", "scored.scores.s_vec", "scored.score", "factors.g", "score")
    table = np.array([scores_of(ranked) for ranked in ranking])
    measures = zip(table.mean(axis=0).tolist(), *np.percentile(table, (50, 90), axis=0).tolist(), strict=True)
    rounded = ({"avg": round(a, 4), "p50": round(m, 4), "p90": round(n, 4)} for a, m, n in measures)
    return dict(zip(("s_text", "s_vec", "S", "g", "score_final"), rounded, strict=True))
