"""Recall: candidates → S → graph arm → g → threshold → duplicates → MMR → relevance. Each stage is a function of
values; the store is read here, between the stages.

`score` is a node's own S·g (S alone for a search by relevance), `graph` is the graph arm's share of it, G·g, and the
order is by score + weight · graph.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from wherefrom.lazy import np
from wherefrom.model.limits import ANSWER_TOKENS
from wherefrom.model.results import (
    ActiveContext,
    Hit,
    SearchResult,
)
from wherefrom.recall import graph_arm, selection
from wherefrom.recall.bonuses import bonuses_of
from wherefrom.recall.candidates import CandidateReader
from wherefrom.recall.fuse import Fused, alpha_for, fuse
from wherefrom.recall.ordering import Ranked, put_later_first, rank
from wherefrom.recall.reasons import item_tokens
from wherefrom.recall.relevance import NOTHING, is_nothing
from wherefrom.recall.rules import without_rules
from wherefrom.recall.showing import say_what_was_searched, show, show_items
from wherefrom.storage.candidates import (
    Candidates,
    entities,
)
from wherefrom.storage.edges import Measure

# For a search, unless the policy says another number: with more, SciFact and LoCoMo gain less than 0.002.
CANDIDATES_PER_ARM: Final = 64
# Of the nodes that only the walk reached, the likeliest are scored; the others would not be chosen.
_MAX_REACHED: Final = 32
# Nodes that are read together with the facts that order them, because they are likely to be among the first.
_READ_WITH_FACTS: Final = 48
# MMR compares every node with every other: it chooses among this many times what is wanted.
_MMR_POOL_FACTOR: Final = 4
# How many hits beyond those of the answer may stand above an older one.
_LATER_LOOKED_FOR: Final = 10
_LONGER: Final = "what fits the question is longer than max_tokens"
_LATE: Final = "the graph arm was left out: time was up"


def search(reader: CandidateReader, limit: int | selection.CutOff, *, final: bool) -> SearchResult:
    """Return the best nodes by S, or if `final` by S·g: a fixed number, or as many as the scores suggest."""
    hybrid = reader.request.retrieval.hybrid
    reach = (hybrid.k_txt or CANDIDATES_PER_ARM, hybrid.k_vec or CANDIDATES_PER_ARM)
    reader.read_ahead(reach)
    found = reader.find(reach)
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter()
    ranking = rank(reader, fused, filtered, by_worth=final)
    places = [ranked.place for ranked in ranking]
    most = selection.kept(places, limit) if isinstance(limit, selection.CutOff) else limit
    first = [ranked.scored.id for ranked in ranking[: most + _LATER_LOOKED_FOR]]
    reader.tx.ahead(lambda: reader.read_nodes(first), lambda: reader.find_replaced_by(first))
    nodes = reader.read_nodes(first)
    ordered, older = put_later_first(reader, ranking, len(first), nodes)
    best = ordered[:most]
    by_id = {ranked.scored.id: nodes[ranked.scored.id] for ranked in best if ranked.scored.id in nodes}
    holding = reader.select_holding(by_id)
    filtered["invariant"] += len(by_id) - len(holding)
    shown = show(reader, by_id)
    took = reader.find_replaced_by(first)
    hits = []
    for ranked in best:
        if ranked.scored.id in holding:
            said = shown(ranked)
            replaced = dict(took.get(ranked.scored.id, ()))
            hit = Hit(
                node=by_id[ranked.scored.id],
                score=ranked.score,
                scores=said.scores,
                factors=ranked.factors if final else None,
                fit=ranked.scored.score if final else None,
                reason=said.reason,
                passage=said.passage,
                replaces=tuple(replaced),
                held_until=max(replaced.values(), default=None),
                older_than=older.get(ranked.scored.id),
                graph=ranked.graph,
                relevance=said.relevance,
            )
            hits.append(hit)
    told = reader.request.retrieval.relevance
    nothing = is_nothing([(hit.relevance, hit.scores) for hit in hits], told)
    if nothing:
        filtered["irrelevant"] += len(hits[told.nearest :])
        hits = hits[: told.nearest]
    return SearchResult(
        hits=tuple(hits),
        arms=fused.arms,
        alpha=fused.alpha,
        candidates=len(ranking),
        filtered=dict(+filtered),
        vectors_searched=found.vectors_searched,
        note=NOTHING if nothing else None if holding else say_what_was_searched(reader, fused.arms),
        nothing_fits=nothing or not holding,
    )


def fitting(reader: CandidateReader, *, least: float, limit: int) -> dict[str, float]:
    """Return the nodes whose S is at least `least`, best first, with their S: also those that were replaced.

    A text counts by what it says, not by who says it or in which session.
    """
    retrieval = reader.request.retrieval
    hybrid = replace(retrieval.hybrid, speaker_bonus=0.0, session_share=0.0)
    reader = replace(reader, request=replace(reader.request, retrieval=replace(retrieval, hybrid=hybrid)))
    fused = _fused(reader, reader.find((limit, limit)))
    return {scored.id: scored.score for scored in fused.scored if scored.score >= least}


def recall(
    reader: CandidateReader,
    begin: Callable[[CandidateReader], ActiveContext],
    limit: int,
    *,
    budget: int,
    measure: Measure,
) -> tuple[ActiveContext, dict[str, dict[str, float]]]:
    """Return a context with the nodes that matter for its question now, at most `limit`, whose texts fit a budget of
    tokens; and statistics of the scores of all candidates. `begin` returns the empty context with its standing rules.
    """
    retrieval = reader.request.retrieval
    hybrid, calibration = retrieval.hybrid, retrieval.calibration
    reach = (hybrid.k_txt or 4 * limit, hybrid.k_vec or 8 * limit)
    reader.read_ahead(reach, *reader.reads_of_ranking())
    empty = begin(reader)
    found, reach = reader.find_enough(reach, limit)
    fused = _fused(reader, found)
    filtered: Counter[str] = Counter(unrelated=fused.unrelated)
    ranked = without_rules(rank(reader, fused, filtered, by_worth=True), empty.rules, filtered)
    nodes = reader.read_nodes([one.scored.id for one in ranked[: limit + _LATER_LOOKED_FOR]])
    ranking, older = put_later_first(reader, ranked, limit + _LATER_LOOKED_FOR, nodes)
    chosen = _chosen(reader, ranking, older, limit=limit, filtered=filtered)
    items, tokens = show_items(reader, chosen, budget - empty.tokens, measure, nodes)
    items = [replace(item, older_than=older.get(item.node.id)) for item in items] if older else items
    filtered["over_budget"] += len(chosen) - len(items)
    scores = [(item.relevance, item.breakdown.scores) for item in items if item.breakdown is not None]
    nothing = is_nothing(scores, retrieval.relevance)
    if nothing:
        filtered["irrelevant"] += len(items[retrieval.relevance.nearest :])
        items = items[: retrieval.relevance.nearest]
        tokens = ANSWER_TOKENS + sum(item_tokens(item.node, item.passage) for item in items)
    parameters = {
        "alpha": fused.alpha,
        "k_txt": reach[0],
        "k_vec": reach[1],
        "k_final": limit,
        "threshold": retrieval.rerank.threshold,
        "mmr_lambda": retrieval.diversity.mmr_lambda,
        "graph_weight": retrieval.graph.weight,
        "graph_threshold": retrieval.graph.threshold,
        "calibration": "none" if calibration is None else calibration.method,
        "arms": list(fused.arms),
    }
    degraded = (*empty.degraded, _LATE) if fused.late else empty.degraded
    tokens += empty.tokens
    context = replace(empty, items=tuple(items), tokens=tokens, parameters=parameters, filtered=dict(+filtered))
    note = None if items else _LONGER if filtered["over_budget"] else say_what_was_searched(reader, fused.arms)
    nothing_fits = nothing or not (items or filtered["over_budget"])
    context = replace(context, degraded=degraded, note=NOTHING if nothing else note, nothing_fits=nothing_fits)
    return context, _statistics(ranking)


def _fused(reader: CandidateReader, found: Candidates) -> Fused:
    """Return the candidates by S; where the graph arm leads somewhere, with the nodes that it reached."""
    request, retrieval = reader.request, reader.request.retrieval
    question, exclude = request.search, request.exclude
    by_vectors = question.vector is not None and found.vectors_searched > 0
    candidates = [candidate for candidate in found.found if candidate.id != exclude]
    fused = fuse(
        candidates,
        question.vector,
        alpha=alpha_for(question.text, request.trust, retrieval.hybrid) if by_vectors else 0.0,
        trust=request.trust,
        hybrid=retrieval.hybrid,
        calibration=retrieval.calibration,
        bonuses=bonuses_of(question.text, question.intervals, candidates, retrieval.hybrid),
    )
    fused = replace(fused, arms=("text", "vectors") if by_vectors else ("text",), found=found)
    if retrieval.graph.weight == 0:
        return fused
    if request.deadline is not None and time.monotonic() > request.deadline:
        return replace(fused, late=True)
    fused = _with_graph(reader, fused)
    return replace(fused, scored=tuple(scored for scored in fused.scored if scored.id != exclude))


def _with_graph(reader: CandidateReader, fused: Fused) -> Fused:
    """Return the candidates and the nodes that a walk from the best of them reaches, and how likely it reaches each."""
    if not fused.scored:
        return fused
    settings = reader.request.retrieval.graph
    named = reader.read_named()
    start = graph_arm.masses(fused.scored[: settings.seeds], named, sharpness=settings.sharpness)
    edges = reader.read_edges_near(start)
    known = {scored.id for scored in fused.scored}
    if not edges and not named.keys() - known:
        return fused
    reached = graph_arm.walked(start, edges, damping=settings.damping, names=settings.names)
    likely = sorted((node_id for node_id in reached if node_id not in known), key=lambda node_id: -reached[node_id][0])
    likely = likely[:_MAX_REACHED]
    first: list[str] = []
    if reader.tx.dialect.is_far:
        # By what is known before the facts: those that no arm found count as the last of the others.
        places = dict.fromkeys(likely, fused.scored[-1].score) | {scored.id: scored.score for scored in fused.scored}
        places = {one: place + settings.weight * reached.get(one, (0.0, 0.0))[0] for one, place in places.items()}
        first = sorted(places, key=lambda one: -places[one])[:_READ_WITH_FACTS]
    fresh = reader.read_reached(likely, [scored.id for scored in fused.scored], first)
    scored = (*fused.scored, *fused.score_others(fresh))
    return replace(fused, scored=scored, reached=reached, arms=(*fused.arms, "graph"))


def _chosen(
    reader: CandidateReader, ranking: Sequence[Ranked], older: Mapping[str, str], *, limit: int, filtered: Counter[str]
) -> list[Ranked]:
    """Return the nodes of a context: above a threshold by score or by graph, each text once, and different. A later
    statement comes with the older one whose value it exchanges.
    """
    retrieval = reader.request.retrieval
    least, least_graph = retrieval.rerank.threshold, retrieval.graph.threshold
    reaching = {
        ranked.scored.id
        for ranked in ranking
        if ranked.score >= least or (least_graph is not None and ranked.gained >= least_graph)
    }
    reaching |= {later for node_id, later in older.items() if node_id in reaching}
    above = [ranked for ranked in ranking if ranked.scored.id in reaching]
    filtered["below_threshold"] += len(ranking) - len(above)
    by_text: dict[str, Ranked] = {}
    for ranked in above:
        by_text.setdefault(ranked.content_hash, ranked)
    once = list(by_text.values())
    filtered["same_text"] += len(above) - len(once)
    pool = once[: _MMR_POOL_FACTOR * limit]
    places, vectors = [ranked.place for ranked in pool], [ranked.scored.vector for ranked in pool]
    chosen = selection.mmr(places, vectors, balance=retrieval.diversity.mmr_lambda, count=limit)
    filtered["beyond_limit"] += len(once) - len(chosen)
    return _few_of_each_first(reader, [pool[at] for at in chosen])


def _few_of_each_first(reader: CandidateReader, chosen: list[Ranked]) -> list[Ranked]:
    """Return the chosen nodes, if the policy says so with those last whose entities are in several above them."""
    most = reader.request.retrieval.diversity.per_entity
    if most is None:
        return chosen
    ids = [ranked.scored.id for ranked in chosen]
    about = entities(reader.tx, reader.access, ids)
    asked = reader.read_named() if about else {}
    return [chosen[at] for at in selection.few_of_each_first(ids, about, most=most, asked=asked)]


def _statistics(ranking: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Return average, median and 90th percentile of each score over all ranked candidates."""
    if not ranking:
        return {}
    rows = [(one.scored.s_text, one.scored.s_vec, one.scored.score, one.worth[-1], one.score) for one in ranking]
    table = np.sort(np.array(rows), axis=0)
    # By hand: np.percentile does much more than this needs.
    below, shares = np.divmod(np.array([[0.5], [0.9]]) * (len(table) - 1), 1)
    low = table[below[:, 0].astype(np.int64)]
    high = table[np.minimum(below[:, 0].astype(np.int64) + 1, len(table) - 1)]
    measures = zip(table.mean(axis=0).tolist(), *(low + (high - low) * shares).tolist(), strict=True)
    rounded = ({"avg": round(a, 4), "p50": round(m, 4), "p90": round(n, 4)} for a, m, n in measures)
    return dict(zip(("s_text", "s_vec", "S", "g", "score_final"), rounded, strict=True))
